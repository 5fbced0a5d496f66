// Two oscillators joined by samples against the same two in one component. See README.md.

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace sampled_sampled_test {

const std::string kFirst =
    "<Ground name=\"g\"/><Mass name=\"m\" mass=\"1\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" to=\"m\" "
    "stiffness=\"100\"/>";

struct Settings {
  std::string coupling{};    ///< attributes of the connection
  std::string simulation{};  ///< attributes of the run
  std::string component{};   ///< attributes of both components
};

std::string apart(const Settings& settings) {
  return fmt::format(
      "<CompositeModel name=\"apart\"><Components><Component name=\"a\" kind=\"network\" {3}><Network>{0}<Interface "
      "name=\"end\" node=\"m\"/></Network></Component><Component name=\"b\" kind=\"network\" {3}><Network><Node "
      "name=\"n\"/><Mass name=\"m\" mass=\"0.5\"/><Spring name=\"k\" from=\"n\" to=\"m\" stiffness=\"50\"/><Damper "
      "name=\"d\" from=\"n\" to=\"m\" damping=\"0.5\"/><Interface name=\"end\" node=\"n\" causality=\"motion\"/>"
      "</Network></Component></Components><Connections><Connection name=\"joint\" from=\"a.end\" to=\"b.end\" "
      "coupling=\"sampled\" {1}/></Connections><Simulation stop=\"1\" write_interval=\"0.02\" {2}/></CompositeModel>",
      kFirst, settings.coupling, settings.simulation, settings.component);
}

const RunRecord& together() {
  static const RunRecord run = run_text(fmt::format(
      "<CompositeModel name=\"together\"><Components><Component name=\"ab\" kind=\"network\"><Network>{}<Mass "
      "name=\"m2\" mass=\"0.5\"/><Spring name=\"k2\" from=\"m\" to=\"m2\" stiffness=\"50\"/><Damper name=\"d\" "
      "from=\"m\" to=\"m2\" damping=\"0.5\"/></Network></Component></Components><Simulation stop=\"1\" "
      "write_interval=\"0.02\" tolerance=\"1e-13\"/></CompositeModel>",
      kFirst));
  return run;
}

double error_of(const RunRecord& run) {
  double error = 0.0;
  const auto& first = together().values("ab.m.position");
  const auto& second = together().values("ab.m2.position");
  for (std::size_t i = 0; i < first.size(); ++i) {
    error = std::max({error, std::abs(run.values("a.m.position")[i] - first[i]),
                      std::abs(run.values("b.m.position")[i] - second[i])});
  }
  return error;
}

/// Order of convergence over two halvings.
template <class Run>
double order_of(double coarse, Run&& run) {
  return 0.5 * std::log2(error_of(run(coarse)) / error_of(run(0.25 * coarse)));
}

struct Expectation {
  const char* extrapolation;
  double order;
};
constexpr Expectation kExpectations[] = {{"hold", 1.0}, {"linear", 2.0}, {"hermite", 3.0}};

TEST(Sampled, MacroStepsConvergeWithTheOrderOfTheExtrapolation) {
  for (const char* schedule : {"jacobi", "gauss_seidel"}) {
    for (const auto& [extrapolation, expected] : kExpectations) {
      const double order = order_of(2.5e-3, [&, how = extrapolation](double step) {
        return run_text(apart({fmt::format("schedule=\"{}\" extrapolation=\"{}\" step=\"{}\"", schedule, how, step),
                               "tolerance=\"1e-11\""}));
      });
      EXPECT_NEAR(order, expected, 0.55) << schedule << ", " << extrapolation;
    }
  }
}

TEST(Sampled, OwnStepsConvergeWithTheOrderOfTheExtrapolation) {
  for (const auto& [extrapolation, expected] : kExpectations) {
    const double order = order_of(2.5e-3, [&, how = extrapolation](double step) {
      return run_text(apart({fmt::format("schedule=\"furthest_behind\" extrapolation=\"{}\"", how),
                             fmt::format("tolerance=\"1e-8\" largest_step=\"{}\"", step)}));
    });
    EXPECT_NEAR(order, expected, 0.45) << extrapolation;
  }
}

TEST(Sampled, OneStepSolversAgree) {
  for (const char* solver : {"dopri5", "radau5", "rk4"}) {
    const RunRecord run = run_text(apart({"schedule=\"gauss_seidel\" step=\"2.5e-3\"",
                                          fmt::format("tolerance=\"1e-10\" solver=\"{}\"", solver), "step=\"1e-3\""}));
    EXPECT_LE(error_of(run), 1e-7) << solver;
  }
}

TEST(Sampled, MultistepSolversAreRefusedByName) {
  for (const char* solver : {"cvode-bdf", "cvode-adams", "ida"}) {
    const std::string text =
        apart({"schedule=\"furthest_behind\"", fmt::format("tolerance=\"1e-8\" solver=\"{}\"", solver)});
    try {
      run_text(text);
      FAIL() << solver;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(solver), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("without delay"), std::string::npos);
    }
  }
}

TEST(Sampled, RepeatedRunsGiveTheSameBits) {
  for (const char* schedule : {"schedule=\"furthest_behind\"", "schedule=\"jacobi\" step=\"2e-3\"",
                               "schedule=\"gauss_seidel\" step=\"2e-3\""}) {
    const std::string text = apart({schedule, "tolerance=\"1e-7\""});
    const RunRecord first = run_text(text, {.threads = 1});
    EXPECT_TRUE(have_same_bits(first, run_text(text, {.threads = 1}))) << schedule;
    EXPECT_TRUE(have_same_bits(first, run_text(text, {.threads = 8}))) << schedule;
  }
}

// The energy that a sampled coupling makes is the sum of the work on both sides; a coarse coupling must say so.
TEST(Sampled, AuditDistinguishesAGoodCouplingFromABadOne) {
  const RunRecord good = run_text(apart({"schedule=\"gauss_seidel\" step=\"1e-3\"", "tolerance=\"1e-9\""}));
  EXPECT_LE(good.connection("joint").energy_residual_relative, 1e-5);
  EXPECT_TRUE(good.report.warnings.empty());
  const RunRecord bad =
      run_text(apart({"schedule=\"jacobi\" extrapolation=\"hold\" step=\"5e-3\"", "tolerance=\"1e-9\""}));
  EXPECT_GE(bad.connection("joint").energy_residual_relative, 1e-2);
  EXPECT_FALSE(bad.report.warnings.empty());
}

// Held forces are those of the step before; what the sender had is recorded beside what the receiver felt.
TEST(Sampled, TheSendersOwnForceIsRecorded) {
  const RunRecord run =
      run_text(apart({"schedule=\"jacobi\" extrapolation=\"hold\" step=\"0.02\"", "tolerance=\"1e-9\""}));
  const auto& times = run.times("connections.joint.to.force");
  const auto& own = run.values("connections.joint.to.force");
  const auto& felt = run.values("connections.joint.from.force");
  // Rows of the connection are one step apart; so are those of the components, which have one more, of the start.
  ASSERT_EQ(times.size() + 1, run.times("b.k.force").size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_NEAR(times[i], run.times("b.k.force")[i + 1], 1e-12);
    EXPECT_NEAR(own[i], -run.values("b.k.force")[i + 1] - run.values("b.d.force")[i + 1], 1e-9) << times[i];
    if (i == 0) continue;
    EXPECT_EQ(felt[i], -own[i - 1]) << times[i];
  }
}

/// Two oscillators that samples join, with the connection drawn one way or the other.
std::string one_way_or_other(const std::string& from, const std::string& to, const std::string& order) {
  std::string text =
      apart({"schedule=\"gauss_seidel\" extrapolation=\"linear\" step=\"0.02\" " + order, "tolerance=\"1e-9\""});
  const std::string ends = "from=\"a.end\" to=\"b.end\"";
  return text.replace(text.find(ends), ends.size(), fmt::format("from=\"{}.end\" to=\"{}.end\"", from, to));
}

TEST(Sampled, TheOrderOfGaussSeidelIsThatWhichIsStated) {
  const RunRecord a_first = run_text(one_way_or_other("a", "b", ""));
  const RunRecord b_first = run_text(one_way_or_other("a", "b", "first=\"to\""));
  // Who steps second sees the other's new force or motion: with `a` first the force that it feels is a guess, with `b`
  // first it is the present one.
  const auto lag = [](const RunRecord& run) {
    double largest = 0.0;
    const auto& felt = run.values("connections.joint.from.force");
    const auto& own = run.values("connections.joint.to.force");
    for (std::size_t i = 0; i < felt.size(); ++i) largest = std::max(largest, std::abs(felt[i] + own[i]));
    return largest;
  };
  EXPECT_GT(lag(a_first), 1e-3);
  EXPECT_LT(lag(b_first), 1e-12);
  // What is stated is the same as drawing the connection the other way.
  const auto positions = [](const RunRecord& run) {
    return std::pair(run.values("a.m.position"), run.values("b.m.position"));
  };
  EXPECT_EQ(positions(b_first), positions(run_text(one_way_or_other("b", "a", ""))));
  EXPECT_EQ(positions(a_first), positions(run_text(one_way_or_other("a", "b", "first=\"from\""))));
  EXPECT_EQ(positions(a_first), positions(run_text(one_way_or_other("b", "a", "first=\"to\""))));
  EXPECT_NE(positions(a_first), positions(b_first));
}

/// Three masses in a ring of sampled springs.
std::string ring(const std::array<const char*, 3>& orders) {
  std::string components, connections;
  const std::string names = "abc";
  for (int i = 0; i < 3; ++i) {
    components += fmt::format(
        "<Component name=\"{0}\" kind=\"network\"><Network><Mass name=\"m\" mass=\"1\" velocity=\"{1}\"/><Node "
        "name=\"n\"/><Spring name=\"k\" from=\"m\" to=\"n\" stiffness=\"10\"/><Interface name=\"end\" node=\"m\"/>"
        "<Interface name=\"far\" node=\"n\" causality=\"motion\"/></Network></Component>",
        names[static_cast<std::size_t>(i)], i);
    connections += fmt::format(
        "<Connection name=\"c{0}\" from=\"{1}.far\" to=\"{2}.end\" coupling=\"sampled\" schedule=\"gauss_seidel\" "
        "step=\"1e-3\" {3}/>",
        i, names[static_cast<std::size_t>(i)], names[static_cast<std::size_t>((i + 1) % 3)],
        orders[static_cast<std::size_t>(i)]);
  }
  return fmt::format(
      "<CompositeModel name=\"ring\"><Components>{}</Components><Connections>{}</Connections><Simulation "
      "stop=\"0.1\" write_interval=\"0.01\"/></CompositeModel>",
      components, connections);
}

TEST(Sampled, OrdersThatContradictEachOtherAreRefused) {
  // What is stated goes before where connections point.
  EXPECT_NO_THROW(run_text(ring({"first=\"to\"", "first=\"to\"", ""})));
  try {
    run_text(ring({"first=\"from\"", "first=\"from\"", "first=\"from\""}));
    FAIL() << "it has run";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("to step before"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("remove 'first' from one of them"), std::string::npos) << error.what();
  }
}

// The macro step that the model states is the one that is taken, whatever the length of the run.
TEST(Sampled, StatedMacroStepIsTaken) {
  const std::string text = apart({"schedule=\"jacobi\" step=\"0.02\"", "tolerance=\"1e-9\""});
  const ModelFiles files(text);
  Simulation whole = Simulation::load(files.path());
  Simulation longer = Simulation::load(files.path());
  longer.set_stop(5.0);
  whole.advance_to(1.0);
  longer.advance_to(1.0);
  EXPECT_EQ(present_values(whole), present_values(longer));
}

// Two springs in series between two masses, each half in a component of its own with motion prescribed at its end: both
// sides hold a copy of what lies between.
TEST(Sampled, BothSidesMayTakeMotion) {
  const auto side = [](const std::string& name, const std::string& partner, double mass, double velocity,
                       bool is_from) {
    return fmt::format(
        "<Component name=\"{0}\" kind=\"network\"><Network><Mass name=\"m\" mass=\"{2}\" velocity=\"{3}\"/><Node "
        "name=\"{1}\"/><Spring name=\"k\" from=\"{4}\" to=\"{5}\" stiffness=\"100\" free_length=\"0\"/><Interface "
        "name=\"joint\" node=\"{1}\" causality=\"motion\" reported_node=\"m\"/></Network></Component>",
        name, partner, mass, velocity, is_from ? "m" : partner, is_from ? partner : "m");
  };
  const std::string text =
      "<CompositeModel name=\"both\"><Components>" + side("a", "b", 1.0, 1.0, true) + side("b", "a", 2.0, 0.0, false) +
      "</Components><Connections><Connection name=\"joint\" from=\"a.joint\" to=\"b.joint\" coupling=\"sampled\" "
      "schedule=\"gauss_seidel\" step=\"1e-3\"/></Connections><Simulation stop=\"1\" write_interval=\"0.01\" "
      "tolerance=\"1e-10\"/></CompositeModel>";
  const RunRecord run = run_text(text);
  // Relative motion swings with omega^2 = k (1/m1 + 1/m2); the centre moves with 1/3 m/s.
  const double omega = std::sqrt(150.0);
  EXPECT_LE(largest_deviation(run, "a.m.position",
                              [&](double t) { return t / 3.0 + 2.0 / 3.0 * std::sin(omega * t) / omega; }),
            1e-6);
  EXPECT_LE(largest_deviation(run, "b.m.position",
                              [&](double t) { return t / 3.0 - 1.0 / 3.0 * std::sin(omega * t) / omega; }),
            1e-6);
}

/// Two parts that store, the second behind a resistance: apart by a sampled coupling, and in one network.
struct SplitNetwork {
  std::string first{};   ///< with a node "c" and an interface "end" there, where it stands alone
  std::string second{};  ///< between the node "n" and its own "c2"
  std::string domain{};
  std::string quantity{};  ///< of "c" and "c2"
};

std::string split_apart(const SplitNetwork& network, double step) {
  return fmt::format(
      R"(<CompositeModel name="m"><Components>
  <Component name="a" kind="network"><Network>{0}<Interface name="end" node="c"/></Network></Component>
  <Component name="b" kind="network"><Network><Node name="n" domain="{2}"/>{1}<Interface name="end" node="n"/></Network></Component>
  </Components><Connections><Connection name="joint" from="a.end" to="b.end" coupling="sampled" schedule="gauss_seidel" step="{3}"/></Connections>
  <Simulation stop="1" write_interval="0.02" tolerance="1e-11"/></CompositeModel>)",
      network.first, network.second, network.domain, step);
}

std::string in_one_network(SplitNetwork network) {
  const std::string node = "\"n\"";
  for (std::size_t at = 0; (at = network.second.find(node, at)) != std::string::npos;) {
    network.second.replace(at, node.size(), "\"c\"");
  }
  return fmt::format(
      R"(<CompositeModel name="m"><Components><Component name="ab" kind="network"><Network>{0}{1}</Network></Component></Components>
  <Simulation stop="1" write_interval="0.02" tolerance="1e-13"/></CompositeModel>)",
      network.first, network.second);
}

// The same third order as in mechanics: the words differ, the law at the joint does not.
TEST(Sampled, OtherDomainsConvergeToOneNetwork) {
  const SplitNetwork circuit{
      R"(<VoltageSource name="u" voltage="{10*sin(12*t)}"/><Capacitor name="c" capacitance="0.02"/><Resistor name="r1" from="u" to="c" resistance="4"/>)",
      R"(<Capacitor name="c2" capacitance="0.01"/><Resistor name="r2" from="n" to="c2" resistance="9"/>)", "electrical",
      "voltage"};
  const SplitNetwork oil{
      R"(<PressureSource name="u" pressure="{2e5*sin(12*t)}"/><Volume name="c" volume="2e-3" bulk_modulus="1e9"/><Orifice name="r1" from="u" to="c" resistance="4e10"/>)",
      R"(<Volume name="c2" volume="1e-3" bulk_modulus="1e9"/><Orifice name="r2" from="n" to="c2" area="1e-8" transition="1e4"/>)",
      "hydraulic", "pressure"};
  for (const SplitNetwork& network : {circuit, oil}) {
    const RunRecord whole = run_text(in_one_network(network));
    const auto error = [&](double step) {
      const RunRecord run = run_text(split_apart(network, step));
      double largest = 0.0;
      for (std::size_t i = 0; i < run.values("a.c." + network.quantity).size(); ++i) {
        largest = std::max(
            {largest, std::abs(run.values("a.c." + network.quantity)[i] - whole.values("ab.c." + network.quantity)[i]),
             std::abs(run.values("b.c2." + network.quantity)[i] - whole.values("ab.c2." + network.quantity)[i])});
      }
      return largest / largest_value(whole, "ab.c." + network.quantity);
    };
    const double coarse = error(2e-3);
    const double fine = error(5e-4);
    EXPECT_LT(fine, 1e-6) << network.domain;
    EXPECT_NEAR(0.5 * std::log2(coarse / fine), 3.0, 0.45) << network.domain << ": " << coarse << ", " << fine;
    const std::string text = split_apart(network, 2e-3);
    EXPECT_TRUE(have_same_bits(run_text(text, {.threads = 1}), run_text(text, {.threads = 8}))) << network.domain;
  }
}

// A group seen from outside is a component: the same two oscillators with a line at the first mass.
TEST(Sampled, GroupMayHaveLinesOutside) {
  const std::string line =
      "<Connection name=\"rod\" from=\"far.end\" to=\"{}.out\" coupling=\"line\" stiffness=\"1e4\" delay=\"2e-3\"/>";
  const std::string far =
      "<Component name=\"far\" kind=\"network\"><Network><Mass name=\"m\" mass=\"2\"/><Load name=\"f\" node=\"m\" "
      "force=\"{20*sin(9*t)}\"/><Interface name=\"end\" node=\"m\"/></Network></Component>";
  std::string split = apart({"schedule=\"gauss_seidel\" step=\"2.5e-4\"", "tolerance=\"1e-10\""});
  split.insert(split.find("<Component "), far);
  split.insert(split.find("<Interface name=\"end\" node=\"m\"/></Network></Component><Component name=\"b\""),
               "<Interface name=\"out\" node=\"m\"/>");
  split.insert(split.find("<Connection "), fmt::format(fmt::runtime(line), "a"));
  const std::string whole = fmt::format(
      "<CompositeModel name=\"whole\"><Components>{}<Component name=\"ab\" kind=\"network\"><Network>{}<Mass "
      "name=\"m2\" mass=\"0.5\"/><Spring name=\"k2\" from=\"m\" to=\"m2\" stiffness=\"50\"/><Damper name=\"d\" "
      "from=\"m\" to=\"m2\" damping=\"0.5\"/><Interface name=\"out\" node=\"m\"/></Network></Component></Components>"
      "<Connections>{}</Connections><Simulation stop=\"1\" write_interval=\"0.02\" tolerance=\"1e-11\"/>"
      "</CompositeModel>",
      far, kFirst, fmt::format(fmt::runtime(line), "ab"));
  const RunRecord in_group = run_text(split);
  const RunRecord in_one = run_text(whole);
  const auto compare = [&](const std::string& a, const std::string& b) {
    double error = 0.0;
    for (std::size_t i = 0; i < in_one.values(b).size(); ++i) {
      error = std::max(error, std::abs(in_group.values(a)[i] - in_one.values(b)[i]));
    }
    return error / largest_value(in_one, b);
  };
  EXPECT_LE(compare("far.m.position", "far.m.position"), 1e-7);
  EXPECT_LE(compare("a.m.position", "ab.m.position"), 1e-7);
  EXPECT_LE(compare("b.m.position", "ab.m2.position"), 1e-7);
  EXPECT_LE(in_group.connection("rod").energy_residual_relative, 1e-6);
}

}  // namespace sampled_sampled_test
}  // namespace tieline::support
