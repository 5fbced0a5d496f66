// Inputs that are set while a run stands, against closed forms and against the same force in the model.

#include <cmath>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace live_input_test {

template <class Exception>
std::string complaint_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::string live_mass(const std::string& end, const std::string& solver, const std::string& more = "") {
  return R"(<CompositeModel name="m"><Components><Component name="a" kind="network" solver=")" + solver + "\" " + more +
         R"(><Network><Mass name="body" mass="2"/> <Interface name="tip" node="body"/>
  </Network></Component></Components><Connections>)" +
         end + R"(</Connections><Simulation stop="2" tolerance="1e-10"/></CompositeModel>)";
}

/// Two bodies on a line, the force at the far end of the second one.
std::string live_pair(const std::string& end, const std::string& solver) {
  const auto body = [&](const std::string& name) {
    return "<Component name=\"" + name + "\" kind=\"network\" solver=\"" + solver +
           "\"><Network><Mass name=\"body\" mass=\"3\"/><Interface name=\"left\" node=\"body\"/><Interface "
           "name=\"right\" node=\"body\"/></Network></Component>";
  };
  return "<CompositeModel name=\"m\"><Components>" + body("a") + body("b") +
         "</Components><Connections><Connection name=\"rod\" from=\"a.right\" to=\"b.left\" coupling=\"line\" "
         "stiffness=\"1e5\" delay=\"1e-3\"/>" +
         end + "</Connections><Simulation stop=\"0.5\" tolerance=\"1e-10\"/></CompositeModel>";
}

struct Stage {
  double begin = 0.0;  ///< [s]
  double force = 0.0;  ///< [N]
};
const std::vector<Stage> kStages{{0.0, 10.0}, {0.0123, -4.0}, {0.1, 7.5}, {0.17171717, 0.0}, {0.3, -30.0}};

/// The stages as a step function in the model.
std::string as_function() {
  std::string sum = "0";
  double before = 0.0;
  for (const Stage& stage : kStages) {
    sum += fmt::format(" + {:.17g}*step(t - {:.17g})", stage.force - before, stage.begin);
    before = stage.force;
  }
  return "{" + sum + "}";
}

// x'' = F / m with F constant between stages.
TEST(LiveInput, AMassUnderPiecewiseConstantForceIsExact) {
  for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"}) {
    const ModelFiles files(live_mass("", solver));
    Simulation simulation = Simulation::load(files.path());
    simulation.open_input("a.tip");
    double t = 0.0, x = 0.0, v = 0.0, force = 0.0;
    const auto move_to = [&](double end) {
      simulation.advance_to(end);
      const double h = end - t, a = force / 2.0;
      x += h * (v + 0.5 * h * a), v += h * a, t = end;
      EXPECT_NEAR(simulation.get("a.body.position"), x, 1e-8) << solver << ", t = " << end;
      EXPECT_NEAR(simulation.get("a.body.velocity"), v, 1e-8) << solver << ", t = " << end;
    };
    for (const Stage& stage : kStages) {
      if (stage.begin > 0.0) move_to(stage.begin);
      simulation.set_input("a.tip", stage.force);
      force = stage.force;
    }
    move_to(0.77);
    simulation.release_input("a.tip");
    force = 0.0;
    move_to(2.0);
    EXPECT_TRUE(simulation.warnings().empty()) << simulation.warnings().front();
  }
}

TEST(LiveInput, BesideALineIsWhatTheSameForceInTheModelDoes) {
  for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "ida"}) {
    const ModelFiles stated(
        live_pair("<Open interface=\"b.right\" as=\"force\" value=\"" + as_function() + "\"/>", solver));
    Simulation expected = Simulation::load(stated.path());
    const ModelFiles files(live_pair("", solver));
    Simulation simulation = Simulation::load(files.path());
    simulation.open_input("b.right");
    // Of multistep methods, which start again at jumps and take smaller steps there.
    const double tolerance = std::string_view(solver) == "cvode-bdf" || std::string_view(solver) == "ida" ? 1e-7 : 1e-8;
    const auto compare = [&](double t) {
      expected.advance_to(t);
      simulation.advance_to(t);
      for (const char* name : {"a.body.position", "b.body.position", "a.body.velocity", "b.body.velocity"}) {
        EXPECT_NEAR(simulation.get(name), expected.get(name), tolerance) << solver << ", " << name << ", t = " << t;
      }
      EXPECT_LT(std::abs(simulation.get("connections.rod.energy_residual")), 1e-6) << solver;
    };
    for (const Stage& stage : kStages) {
      if (stage.begin > 0.0) compare(stage.begin);
      simulation.set_input("b.right", stage.force);
      compare(stage.begin + 1.7e-3);
    }
    compare(0.5);
    // The rod is heavy beside its masses, in both models alike.
    EXPECT_EQ(simulation.warnings().size(), expected.warnings().size());
    for (const std::string& warning : simulation.warnings())
      EXPECT_NE(warning.find("the line's own mass"), std::string::npos) << warning;
  }
}

TEST(LiveInput, IsWhatTheModelStatesUntilItIsSetAndAfterItIsReleased) {
  const std::string end = "<Open interface=\"a.tip\" as=\"force\" value=\"{6*sin(5*t) + 3*step(t - 0.5)}\"/>";
  const ModelFiles files(live_mass(end, "dopri5"));
  Simulation stated = Simulation::load(files.path());
  Simulation live = Simulation::load(files.path());
  live.open_input("a.tip");
  // Two open ends, the one of which nobody sets: the same motion, also where it breaks at a stop.
  for (const double t : {0.1234, 0.5, 0.7, 1.0}) {
    stated.advance_to(t);
    live.advance_to(t);
    EXPECT_NEAR(live.get("a.body.position"), stated.get("a.body.position"), 1e-9) << t;
    EXPECT_NEAR(live.get("a.tip.force"), 6.0 * std::sin(5.0 * t) + (t > 0.5 ? 3.0 : 0.0), 1e-7) << t;
  }
  const double v = live.get("a.body.velocity");
  live.set_input("a.tip", 0.0);
  live.advance_to(1.5);
  EXPECT_NEAR(live.get("a.body.velocity"), v, 1e-10);
  live.release_input("a.tip");
  live.advance_to(2.0);
  const double gained = (6.0 / 5.0 * (std::cos(7.5) - std::cos(10.0)) + 1.5) / 2.0;
  EXPECT_NEAR(live.get("a.body.velocity"), v + gained, 1e-8);
}

TEST(LiveInput, MovesAnEndWhoseMotionTheModelStates) {
  const ModelFiles files(live_mass("<Open interface=\"a.tip\" as=\"fixed\"/>", "dopri5"));
  Simulation simulation = Simulation::load(files.path());
  simulation.open_input("a.tip");
  simulation.advance_to(0.25);
  EXPECT_EQ(simulation.get("a.body.position"), 0.0);
  simulation.set_input("a.tip", 3.0);
  simulation.advance_to(0.75);
  EXPECT_NEAR(simulation.get("a.body.position"), 1.5, 1e-12);
  simulation.set_input("a.tip", -1.0);
  simulation.advance_to(1.0);
  EXPECT_NEAR(simulation.get("a.body.position"), 1.25, 1e-12);
}

TEST(LiveInput, SetsOneNumberOfASignal) {
  const ModelFiles files(
      "<CompositeModel name=\"m\"><Components><Component name=\"s\" kind=\"blocks\"><Blocks><Input name=\"u\" "
      "size=\"2\"/><Integrator name=\"i\" input=\"u[1]\"/><Gain name=\"g\" input=\"u[2]\" "
      "gain=\"3\"/></Blocks></Component></Components><Simulation stop=\"1\" tolerance=\"1e-9\"/></CompositeModel>");
  Simulation simulation = Simulation::load(files.path());
  simulation.open_input("s.u");
  simulation.set_input("s.u[1]", 2.0);  // from the start on
  simulation.advance_to(0.31);
  simulation.set_input("s.u[1]", -1.0);
  simulation.set_input("s.u[2]", 5.0);
  simulation.advance_to(0.5);
  EXPECT_NEAR(simulation.get("s.i.value"), 0.62 - 0.19, 1e-9);
  EXPECT_NEAR(simulation.get("s.g.value"), 15.0, 1e-12);
  const std::string why = complaint_of<std::out_of_range>([&] { simulation.set_input("s.u", 1.0); });
  EXPECT_NE(why.find("s.u[1]"), std::string::npos) << why;
}

TEST(LiveInput, IsPartOfASavedState) {
  const ModelFiles files(live_pair("", "dopri5"));
  Simulation first = Simulation::load(files.path());
  first.open_input("b.right");
  first.advance_to(0.0123);
  first.set_input("b.right", 12.0);
  const std::string before = first.save();
  first.advance_to(0.05);
  const std::string state = first.save();
  first.advance_to(0.2);
  for (const std::string& saved : {before, state}) {
    Simulation second = Simulation::load(files.path());
    second.open_input("b.right");
    second.restore(saved);
    if (saved == before) second.advance_to(0.05);
    second.advance_to(0.2);
    EXPECT_EQ(present_values(first), present_values(second));
  }
  Simulation closed = Simulation::load(files.path());
  EXPECT_THROW(closed.restore(state), RunError);
}

TEST(LiveInput, WrongNamesAreAnsweredByTheNearest) {
  const ModelFiles files(live_pair("", "dopri5"));
  Simulation simulation = Simulation::load(files.path());
  const auto opening = [&](const std::string& name) {
    return complaint_of<ModelError>([&] { simulation.open_input(name); });
  };
  EXPECT_NE(opening("b.rigt").find("did you mean 'b.right'"), std::string::npos) << opening("b.rigt");
  EXPECT_NE(opening("b.left").find("connection 'rod'"), std::string::npos) << opening("b.left");
  const auto setting = [&](const std::string& name) {
    return complaint_of<std::out_of_range>([&] { simulation.set_input(name, 1.0); });
  };
  EXPECT_NE(setting("b.right").find("open_input()"), std::string::npos) << setting("b.right");
  simulation.open_input("b.right");
  EXPECT_NE(setting("b.rihgt").find("did you mean 'b.right'"), std::string::npos) << setting("b.rihgt");
  EXPECT_THROW(simulation.set_input("b.right", std::nan("")), RunError);
  simulation.start();
  EXPECT_THROW(simulation.open_input("a.left"), RunError);
}

}  // namespace live_input_test
}  // namespace tieline::support
