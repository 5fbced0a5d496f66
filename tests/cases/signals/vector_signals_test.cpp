// Signals of several numbers: one connection carries what as many connections of one number would, bit by bit.

#include <cmath>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace signals_vector_signals_test {

std::string blocks(const std::string& name, const std::string& content) {
  return fmt::format("<Component name=\"{}\" kind=\"blocks\"><Blocks>{}</Blocks></Component>", name, content);
}

std::string model(const std::string& components, const std::string& connections, const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"vectors\"><Components>{}</Components><Connections>{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      components, connections, simulation);
}

std::string errors_of(const std::string& text) {
  const ModelFiles files(text);
  try {
    (void)Simulation::load(files.path());
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

void expect_same_values(const RunRecord& a, const RunRecord& b, const std::vector<std::string>& variables) {
  for (const auto& variable : variables) {
    EXPECT_TRUE(has_same_bits(a.times(variable), b.times(variable))) << variable;
    EXPECT_TRUE(has_same_bits(a.values(variable), b.values(variable))) << variable;
  }
}

const std::string kThreeSources =
    "<Source name=\"a\" value=\"{5 + t^3}\"/><Source name=\"b\" value=\"{sin(70*t)}\"/>"
    "<Source name=\"c\" value=\"{2*step(t-0.0321)}\"/>";
constexpr const char* kRun = "stop=\"0.1\" write_interval=\"1.3e-4\"";

std::string gains(const std::vector<std::string>& inputs) {
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    text += fmt::format("<Gain name=\"g{}\" input=\"{}\" gain=\"2\"/><Integrator name=\"i{}\" input=\"{}\"/>", i + 1,
                        inputs[i], i + 1, inputs[i]);
  return text;
}

/// Three functions of time, over one delayed connection or over three.
std::string three_delayed(bool is_vector) {
  return model(
      blocks("s", kThreeSources + (is_vector ? "<Output name=\"y\" of=\"a, b, c\"/>"
                                             : "<Output name=\"y1\" of=\"a\"/><Output name=\"y2\" of=\"b\"/>"
                                               "<Output name=\"y3\" of=\"c\"/>")) +
          blocks("f", is_vector
                          ? "<Input name=\"u\" size=\"3\"/>" + gains({"u[1]", "u[2]", "u[3]"})
                          : "<Input name=\"u1\"/><Input name=\"u2\"/><Input name=\"u3\"/>" + gains({"u1", "u2", "u3"})),
      is_vector ? "<Connection name=\"all\" from=\"s.y\" to=\"f.u\" delay=\"1.7e-3\"/>"
                : "<Connection name=\"c1\" from=\"s.y1\" to=\"f.u1\" delay=\"1.7e-3\"/><Connection name=\"c2\" "
                  "from=\"s.y2\" to=\"f.u2\" delay=\"1.7e-3\"/><Connection name=\"c3\" from=\"s.y3\" to=\"f.u3\" "
                  "delay=\"1.7e-3\"/>",
      kRun);
}

TEST(VectorSignals, ArriveAsScalarOnesDo) {
  const RunRecord vector = run_text(three_delayed(true));
  const RunRecord scalar = run_text(three_delayed(false));
  expect_same_values(vector, scalar,
                     {"f.g1.value", "f.g2.value", "f.g3.value", "f.i1.value", "f.i2.value", "f.i3.value"});
  for (int k = 1; k <= 3; ++k) {
    EXPECT_TRUE(
        has_same_bits(vector.values(fmt::format("s.y[{}].value", k)), scalar.values(fmt::format("s.y{}.value", k))));
    EXPECT_TRUE(
        has_same_bits(vector.values(fmt::format("f.u[{}].value", k)), scalar.values(fmt::format("f.u{}.value", k))));
  }
  // And both as the closed form says: a cubic is carried exactly.
  EXPECT_LE(
      largest_deviation(vector, "f.u[1].value", [](double t) { return 5.0 + std::pow(std::max(0.0, t - 1.7e-3), 3); }),
      1e-10);
}

TEST(VectorSignals, AreOneConnectionInTheReport) {
  const RunRecord vector = run_text(three_delayed(true));
  const RunRecord scalar = run_text(three_delayed(false));
  ASSERT_EQ(vector.report.connections.size(), 1U);
  const auto& all = vector.connection("all");
  EXPECT_EQ(all.from, "s.y");
  EXPECT_EQ(all.to, "f.u");
  std::uint64_t exchanges = 0, bytes = 0;
  for (const auto& part : scalar.report.connections) exchanges += part.exchanges, bytes += part.bytes;
  EXPECT_EQ(all.exchanges, exchanges);
  EXPECT_EQ(all.bytes, bytes);
}

TEST(VectorSignals, OnlyTheWorstNumberIsWarnedOf) {
  const RunRecord run = run_text(model(
      blocks("s",
             "<Source name=\"slow\" value=\"{sin(t)}\"/><Source name=\"fast\" value=\"{sin(2*pi*1e6*t)}\"/>"
             "<Source name=\"other\" value=\"{sin(2*pi*1.1e6*t)}\"/><Output name=\"y\" of=\"slow,fast,other\"/>") +
          blocks("f", "<Input name=\"u\" size=\"3\"/>"),
      "<Connection name=\"hum\" from=\"s.y\" to=\"f.u\" delay=\"0.02\"/>", "stop=\"0.1\" tolerance=\"1e-8\""));
  ASSERT_EQ(run.report.warnings.size(), 1U);
  EXPECT_NE(run.report.warnings[0].find("connection 'hum': its number 'y["), std::string::npos)
      << run.report.warnings[0];
}

/// A mass on a spring and its controller, joined without delay by its output and its force.
std::string loop(bool is_vector, const std::string& delay = "") {
  const std::string parts =
      "<Mass name=\"body\" mass=\"2\" position=\"0.1\"/><Ground name=\"wall\"/><Spring name=\"k\" from=\"wall\" "
      "to=\"body\" stiffness=\"200\" free_length=\"0\"/>";
  const std::string plant =
      is_vector ? "<SignalInput name=\"u\" size=\"2\"/><Load name=\"push\" node=\"body\" force=\"{u[1]+0.5*u[2]}\"/>"
                  "<SignalOutput name=\"y\" of=\"body.position, body.velocity\"/>"
                : "<SignalInput name=\"u1\"/><SignalInput name=\"u2\"/><Load name=\"push\" node=\"body\" "
                  "force=\"{u1+0.5*u2}\"/><SignalOutput name=\"y1\" of=\"body.position\"/><SignalOutput name=\"y2\" "
                  "of=\"body.velocity\"/>";
  const std::string x = is_vector ? "y[1]" : "y1", v = is_vector ? "y[2]" : "y2";
  const std::string controller =
      (is_vector ? std::string("<Input name=\"y\" size=\"2\"/>") : "<Input name=\"y1\"/><Input name=\"y2\"/>") +
      "<TransferFunction name=\"slow\" input=\"" + x + "\" denominator=\"0.1, 1\"/><Gain name=\"p\" input=\"slow\" " +
      "gain=\"-30\"/><Gain name=\"d\" input=\"" + v + "\" gain=\"-6\"/>" +
      (is_vector ? "<Output name=\"u\" of=\"p, d\"/>" : "<Output name=\"u1\" of=\"p\"/><Output name=\"u2\" of=\"d\"/>");
  std::string connections;
  for (const std::string& k : is_vector ? std::vector<std::string>{""} : std::vector<std::string>{"1", "2"}) {
    connections += fmt::format(
        "<Connection name=\"told{0}\" from=\"plant.y{0}\" to=\"ctl.y{0}\" {1}/><Connection name=\"pushed{0}\" "
        "from=\"ctl.u{0}\" to=\"plant.u{0}\"/>",
        k, delay);
  }
  return model("<Component name=\"plant\" kind=\"network\"><Network>" + parts + plant + "</Network></Component>" +
                   blocks("ctl", controller),
               connections, "stop=\"2\" tolerance=\"1e-9\" write_interval=\"0.01\" save_interval=\"0.5\"");
}

TEST(VectorSignals, CloseUndelayedLoopsAsScalarOnesDo) {
  for (const std::string delay : {"", "delay=\"0.01\""}) {
    const RunRecord vector = run_text(loop(true, delay));
    const RunRecord scalar = run_text(loop(false, delay));
    expect_same_values(vector, scalar, {"plant.body.position", "plant.body.velocity", "ctl.p.value", "ctl.d.value"});
    const auto sum = [&](const std::string& name) {
      return scalar.connection(name + "1").exchanges + scalar.connection(name + "2").exchanges;
    };
    EXPECT_EQ(vector.connection("told").exchanges, sum("told"));
    EXPECT_EQ(vector.connection("pushed").exchanges, sum("pushed"));
  }
}

TEST(VectorSignals, AreTheSameForAnyThreadsAndAfterASnapshot) {
  for (const std::string delay : {"", "delay=\"0.01\""}) {
    const ModelFiles files(loop(true, delay));
    const RunRecord single = run_model(files.path(), {.threads = 1});
    for (const int threads : {2, 4}) EXPECT_TRUE(have_same_bits(single, run_model(files.path(), {.threads = threads})));

    Simulation first = Simulation::load(files.path());
    first.advance_to(0.5);
    const std::string state = first.save();
    first.advance_to(2.0);
    Simulation second = Simulation::load(files.path());
    second.restore(state);
    second.advance_to(2.0);
    EXPECT_EQ(present_values(first), present_values(second));
  }
}

/// A model that exports a signal of three numbers, whole and in part, of a component in it.
constexpr const char* kInner =
    "<CompositeModel name=\"inner\"><Components>{}</Components><Interfaces><Interface name=\"all\" of=\"s.y\"/>"
    "<Interface name=\"second\" of=\"s.y[2]\"/></Interfaces></CompositeModel>";

TEST(VectorSignals, GoThroughNestedModels) {
  ModelFiles files;
  files.write("inner.xml",
              fmt::format(fmt::runtime(kInner), blocks("s", kThreeSources + "<Output name=\"y\" of=\"a, b, c\"/>")));
  files.write("middle.xml",
              "<CompositeModel name=\"middle\"><Components><Component name=\"in\" kind=\"composite\" "
              "file=\"inner.xml\"/></Components><Interfaces><Interface name=\"whole\" of=\"in.all\"/><Interface "
              "name=\"third\" of=\"in.all[3]\"/><Interface name=\"second\" of=\"in.second\"/></Interfaces>"
              "</CompositeModel>");
  // All numbers from two levels further in, and single ones under all the names that they have.
  const auto outer = files.write(
      "outer.xml",
      model("<Component name=\"sub\" kind=\"composite\" file=\"middle.xml\"/>" +
                blocks("f", "<Input name=\"u\" size=\"3\"/>" + gains({"u[1]", "u[2]", "u[3]"})) +
                blocks("h", "<Input name=\"v\" size=\"5\"/>"),
            "<Connection from=\"sub.whole\" to=\"f.u\" delay=\"1.7e-3\"/><Repeat index=\"i\" count=\"2\"><Connection "
            "from=\"sub.whole[{i+1}]\" to=\"h.v[{i+1}]\" delay=\"1.7e-3\"/></Repeat><Connection from=\"sub.third\" "
            "to=\"h.v[3]\" delay=\"1.7e-3\"/><Connection from=\"sub.second\" to=\"h.v[4]\" delay=\"1.7e-3\"/>"
            "<Connection from=\"sub.second[1]\" to=\"h.v[5]\" delay=\"1.7e-3\"/>",
            kRun));
  const RunRecord run = run_model(outer);
  const RunRecord scalar = run_text(three_delayed(false));
  expect_same_values(run, scalar, {"f.g1.value", "f.g2.value", "f.g3.value", "f.i3.value"});
  const std::vector<int> source_of{1, 2, 3, 2, 2};
  for (std::size_t k = 0; k < source_of.size(); ++k) {
    EXPECT_TRUE(has_same_bits(run.values(fmt::format("h.v[{}].value", k + 1)),
                              run.values(fmt::format("f.u[{}].value", source_of[k]))))
        << k;
  }
}

TEST(VectorSignals, ComeFromAlternativesAndStayAtTheirStartWithoutThem) {
  const std::string constants = "<Constant name=\"a\" value=\"1\"/><Constant name=\"b\" value=\"2\"/>";
  const auto text = [&](const std::string& second, const std::string& enabled) {
    return model(
        "<Alternative name=\"s\" choose=\"1\"><Component name=\"p\" kind=\"blocks\"><Blocks>" + constants +
            "<Output name=\"y\" of=\"a,b\"/></Blocks></Component><Component name=\"q\" kind=\"blocks\" " + "><Blocks>" +
            constants + "<Output name=\"y\" of=\"" + second + "\"/></Blocks></Component>" + "</Alternative>" +
            blocks("off", constants + "<Output name=\"y\" of=\"a,b\"/>") +
            blocks("f",
                   "<Input name=\"u\" size=\"2\" start=\"7\"/><Input name=\"w\" size=\"2\" "
                   "start=\"3, {2+2}\"/>"),
        "<Connection from=\"s.y\" to=\"f.u\"/><Connection from=\"off.y\" to=\"f.w\" enabled=\"" + enabled + "\"/>",
        "stop=\"0.1\"");
  };
  const RunRecord run = run_text(text("b,a", "0"));
  EXPECT_EQ(run.values("f.u[1].value").back(), 2.0);
  EXPECT_EQ(run.values("f.u[2].value").back(), 1.0);
  EXPECT_EQ(run.values("f.w[1].value").back(), 3.0);
  EXPECT_EQ(run.values("f.w[2].value").back(), 4.0);
  EXPECT_NE(errors_of(text("b", "1")).find("'y' is a signal output in 'q' and a signal output of size 2 in 'p'"),
            std::string::npos)
      << errors_of(text("b", "1"));
}

TEST(VectorSignals, OpenEndsArePrescribedNumberByNumber) {
  const std::string receiver = blocks("f", "<Input name=\"u\" size=\"3\"/>");
  const auto run = [&](const std::string& ends) { return run_text(model(receiver, ends, kRun)); };
  const RunRecord given = run("<Open interface=\"f.u\" as=\"signal\" value=\"{t^2}, {max(t, 0.05)}, -1\"/>");
  EXPECT_LE(largest_deviation(given, "f.u[1].value", [](double t) { return t * t; }), 1e-12);
  EXPECT_LE(largest_deviation(given, "f.u[2].value", [](double t) { return std::max(t, 0.05); }), 1e-9);
  EXPECT_EQ(given.values("f.u[3].value").back(), -1.0);
  const RunRecord parts =
      run("<Open interface=\"f.u[1]\" as=\"signal\" value=\"{t^2}\"/><Open interface=\"f.u[2]\" as=\"free\"/>"
          "<Open interface=\"f.u[3]\" as=\"signal\" value=\"-1\"/>");
  EXPECT_TRUE(has_same_bits(parts.values("f.u[1].value"), given.values("f.u[1].value")));
  EXPECT_EQ(parts.values("f.u[2].value").back(), 0.0);
  const RunRecord same = run("<Open interface=\"f.u\" as=\"signal\" value=\"{t^2}\"/>");
  EXPECT_TRUE(has_same_bits(same.values("f.u[3].value"), given.values("f.u[1].value")));

  ModelFiles files;
  files.write("record.csv", "time,a,b,c\n0,1,10,100\n0.1,2,20,200\n");
  const auto recorded = [&](const std::string& variable) {
    return run_model(files.write(
        "model.xml",
        model(receiver, "<Open interface=\"f.u\" as=\"signal\" file=\"record.csv\" " + variable + "/>", kRun)));
  };
  const RunRecord columns = recorded("");
  EXPECT_LE(largest_deviation(columns, "f.u[1].value", [](double t) { return 1.0 + 10.0 * t; }), 1e-9);
  EXPECT_LE(largest_deviation(columns, "f.u[3].value", [](double t) { return 100.0 + 1000.0 * t; }), 1e-9);
  const RunRecord named = recorded("variable=\"c, a, b\"");
  EXPECT_TRUE(has_same_bits(named.values("f.u[1].value"), columns.values("f.u[3].value")));
  EXPECT_TRUE(has_same_bits(named.values("f.u[2].value"), columns.values("f.u[1].value")));

  EXPECT_NE(errors_of(model(receiver, "<Open interface=\"f.u\" as=\"signal\" value=\"1, 2\"/>", kRun))
                .find("'value' has 2 entries, but 'f.u' is a signal of size 3; expected one for all, or one for each"),
            std::string::npos);
}

TEST(VectorSignals, UnequalSizesAreNamed) {
  const std::string parts = blocks("s", kThreeSources + "<Output name=\"y\" of=\"a, b, c\"/>") +
                            blocks("f", "<Input name=\"u\" size=\"2\"/>");
  EXPECT_NE(errors_of(model(parts, "<Connection from=\"s.y\" to=\"f.u\"/>", kRun))
                .find("'s.y' is a signal of size 3, but 'f.u' is one of size 2"),
            std::string::npos);
  EXPECT_NE(errors_of(model(parts, "<Connection from=\"s.y[4]\" to=\"f.u[1]\"/>", kRun))
                .find("'s.y' is a signal of size 3: it has no member 4"),
            std::string::npos);
}

TEST(VectorSignals, DeclaredSizesAreCompared) {
  const auto text = [](const std::string& size) {
    return model("<Component name=\"f\" kind=\"blocks\"><Interface name=\"u\" domain=\"signal\" causality=\"input\" " +
                     size + "/><Blocks><Input name=\"u\" size=\"3\"/></Blocks></Component>",
                 "", kRun);
  };
  EXPECT_EQ(errors_of(text("size=\"3\"")), "");
  EXPECT_EQ(errors_of(text("")), "");
  EXPECT_NE(errors_of(text("size=\"2\"")).find("component 'f': 'u' is declared with size 2, but has size 3"),
            std::string::npos);
}

// The report holds the model as it ran: read again, it runs the same.
TEST(VectorSignals, TheResolvedModelKeepsThem) {
  const ModelFiles files(three_delayed(true));
  const RunRecord run = run_model(files.path());
  const RunRecord again = run_text(run.report.resolved_model);
  EXPECT_TRUE(have_same_bits(run, again));
}

}  // namespace signals_vector_signals_test
}  // namespace tieline::support
