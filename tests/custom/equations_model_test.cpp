// Components given by equations in C++, in whole runs: beside closed forms, and beside native components.

#include <fmt/format.h>

#include "custom/test_kinds.hpp"
#include "support/model_run.hpp"

namespace tieline::custom {
namespace equations_model_test {

using support::run_text;
using support::RunRecord;

constexpr double kMass = 2.0, kStiffness = 800.0, kDamping = 4.0, kStart = 0.1;

std::string oscillator(const std::string& name, const std::string& kind) {
  return fmt::format(
      R"(<Component name="{}" kind="{}"><{} mass="{}" stiffness="{}" damping="{}" position="{}"/></Component>)", name,
      kind, kind == "oscillator" ? "Oscillator" : "PlainOscillator", kMass, kStiffness, kDamping, kStart);
}

std::string native_oscillator(const std::string& name) {
  return fmt::format(R"(<Component name="{}" kind="network"><Network><Ground name="ground"/>
    <Mass name="body" mass="{}" position="{}"/>
    <Spring name="spring" from="ground" to="body" stiffness="{}" free_length="0"/>
    <Damper name="damper" from="ground" to="body" damping="{}"/>
    <Interface name="end" node="body"/></Network></Component>)",
                     name, kMass, kStart, kStiffness, kDamping);
}

std::string model(const std::string& components, const std::string& connections, const std::string& simulation,
                  const std::string& rest = "") {
  return fmt::format(
      R"(<CompositeModel name="m"><Components>{}</Components><Connections>{}</Connections>{}<Simulation {}/></CompositeModel>)",
      components, connections, rest, simulation);
}

class EquationsRun : public ::testing::Test {
 protected:
  void SetUp() override { register_test_kinds(); }
};

TEST_F(EquationsRun, EverySolverFollowsTheClosedForm) {
  const double delta = 0.5 * kDamping / kMass, omega = std::sqrt(kStiffness / kMass - delta * delta);
  const auto exact = [&](double t) {
    return kStart * std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t));
  };
  for (const std::string solver : {"dopri5", "radau5", "rk4", "cvode-bdf", "cvode-adams", "ida", "auto"}) {
    const std::string step = solver == "rk4" ? "step=\"5e-4\"" : "";
    const RunRecord run = run_text(model(oscillator("a", "oscillator"), "",
                                         fmt::format("stop=\"1\" tolerance=\"1e-9\" write_interval=\"0.01\" "
                                                     "solver=\"{}\" {}",
                                                     solver, step)));
    EXPECT_LT(largest_deviation(run, "a.x", exact), 2e-6) << solver;
    EXPECT_LT(largest_deviation(run, "a.end.position", exact), 2e-6) << solver;
    EXPECT_LT(largest_deviation(run, "a.spring_force", [&](double t) { return -kStiffness * exact(t); }), 2e-3);
    EXPECT_EQ(run.of("a.spring_force").times.size(), 101U);
  }
}

/// The same run with a native oscillator and with one in C++ at one end.
struct Comparison {
  double difference = 0.0;  ///< of the partner's positions [m]
  double size = 0.0;        ///< of these positions [m]
  RunRecord own{};
};

Comparison compare(const std::string& kind, const std::string& connection, const std::string& partner,
                   const std::string& rest = "") {
  const std::string settings = "stop=\"0.5\" tolerance=\"1e-10\" write_interval=\"1e-2\"";
  Comparison result;
  result.own = run_text(model(oscillator("a", kind) + partner, connection, settings, rest));
  const RunRecord native = run_text(model(native_oscillator("a") + partner, connection, settings, rest));
  result.difference = largest_difference(result.own, native, "b.body.position");
  result.size = support::largest_value(native, "b.body.position");
  return result;
}

const std::string kBody = R"(<Component name="b" kind="network"><Network><Mass name="body" mass="1" position="0.1"/>
  <Interface name="end" node="body"/></Network></Component>)";
const std::string kTool = R"(<Component name="b" kind="network"><Network><Node name="root" position="0.1"/>
  <Mass name="body" mass="1" position="0.1"/><Spring name="shank" from="root" to="body" stiffness="2e4"/>
  <Interface name="end" node="root"/></Network></Component>)";

TEST_F(EquationsRun, OnALineItEqualsTheNativeNetwork) {
  const std::string line =
      R"(<Connection name="c" from="a.end" to="b.end" coupling="line" stiffness="2e4" delay="1e-3"/>)";
  for (const std::string kind : {"oscillator", "plain-oscillator"}) {
    const Comparison run = compare(kind, line, kBody);
    EXPECT_GT(run.size, 0.05);
    EXPECT_LT(run.difference, 1e-7 * run.size) << kind;
    const auto& report = run.own.connection("c");
    EXPECT_LT(report.energy_residual_relative, 1e-6) << kind;
  }
}

TEST_F(EquationsRun, SampledItEqualsTheNativeNetwork) {
  const std::string sampled =
      R"(<Connection name="c" from="a.end" to="b.end" coupling="sampled" schedule="jacobi" step="1e-3"/>)";
  const Comparison run = compare("oscillator", sampled, kTool);
  EXPECT_GT(run.size, 0.05);
  EXPECT_LT(run.difference, 1e-6 * run.size);
}

TEST_F(EquationsRun, GluedItEqualsTheNativeNetwork) {
  const std::string glue = R"(<Connection name="c" from="a.end" to="b.end" coupling="glue"/>)";
  const Comparison run = compare("oscillator", glue, kTool, R"(<Gluing step="1e-3"/>)");
  EXPECT_GT(run.size, 0.05);
  EXPECT_LT(run.difference, 1e-6 * run.size);
}

/// A shank with its root on a moving body, by a line and by samples.
RunRecord run_shank(const std::string& shank, const std::string& connection) {
  const std::string body = R"(<Component name="a" kind="network"><Network><Ground name="ground"/>
    <Mass name="body" mass="2" velocity="1"/><Spring name="spring" from="ground" to="body" stiffness="800"/>
    <Interface name="end" node="body"/></Network></Component>)";
  return run_text(model(body + shank, connection, "stop=\"0.5\" tolerance=\"1e-10\" write_interval=\"1e-2\""));
}

TEST_F(EquationsRun, AnEndThatTakesMotionEqualsTheNativeOne) {
  const std::string native = R"(<Component name="b" kind="network"><Network><Node name="root"/>
    <Mass name="body" mass="1"/><Spring name="shank" from="root" to="body" stiffness="2e4"/>
    <Damper name="friction" from="root" to="body" damping="10"/><Interface name="root_end" node="root"/></Network></Component>)";
  const std::string own =
      R"(<Component name="b" kind="shank"><Shank mass="1" stiffness="2e4" damping="10"/></Component>)";
  const auto line = [](const char* end) {
    return fmt::format(R"(<Connection name="c" from="a.end" to="b.{}" coupling="line" stiffness="2e4" delay="1e-3"/>)",
                       end);
  };
  const RunRecord a = run_shank(native, line("root_end")), b = run_shank(own, line("root"));
  EXPECT_LT(largest_difference(a, b, "a.body.position"), 1e-7 * support::largest_value(a, "a.body.position"));
  EXPECT_LT(support::largest_deviation(
                b, "b.root.position",
                [&](double t) { return b.values("b.root_position")[static_cast<std::size_t>(std::lround(t / 1e-2))]; }),
            1e-12);
  const std::string sampled =
      R"(<Connection name="c" from="a.end" to="b.root{}" coupling="sampled" schedule="gauss_seidel" step="5e-4"/>)";
  const RunRecord c = run_shank(native, fmt::format(fmt::runtime(sampled), "_end"));
  const RunRecord d = run_shank(own, fmt::format(fmt::runtime(sampled), ""));
  EXPECT_LT(largest_difference(c, d, "a.body.position"), 1e-6 * support::largest_value(c, "a.body.position"));
}

TEST_F(EquationsRun, ABallBouncesWhereTheClosedFormSays) {
  const RunRecord run = run_text(model(R"(<Component name="ball" kind="ball" solver="dopri5"/>)", "",
                                       "stop=\"2\" tolerance=\"1e-10\" write_interval=\"1e-2\""));
  // Falls for sqrt(2 h / g); then each flight takes `restitution` times as long as the one before.
  const double first = std::sqrt(2.0 / Ball::kGravity), speed = Ball::kGravity * first;
  const auto exact = [&](double t) {
    double from = first, v = 0.8 * speed;
    if (t <= first) return 1.0 - 0.5 * Ball::kGravity * t * t;
    while (t > from + 2.0 * v / Ball::kGravity) from += 2.0 * v / Ball::kGravity, v *= 0.8;
    return v * (t - from) - 0.5 * Ball::kGravity * (t - from) * (t - from);
  };
  EXPECT_LT(largest_deviation(run, "ball.height", exact), 1e-8);
  EXPECT_EQ(run.values("ball.count.value").back(), 3.0);
}

TEST_F(EquationsRun, SignalsAndClockEventsArrive) {
  const std::string source = R"(<Component name="s" kind="blocks"><Blocks><Source name="f" value="{t}, {2*t}"/>
    <Output name="y" of="f"/></Blocks></Component>)";
  const RunRecord run =
      run_text(model(source + R"(<Component name="a" kind="adder"/><Component name="alone" kind="adder"/>)",
                     R"(<Connection from="s.y" to="a.u" delay="0.05"/>)", "stop=\"1\" write_interval=\"0.025\""));
  const double late =
      largest_deviation(run, "a.y[1].value", [](double t) { return t < 0.05 ? 0.0 : 3.0 * (t - 0.05); });
  EXPECT_LT(late, 1e-9);
  EXPECT_LT(largest_deviation(run, "alone.y[1].value", [](double) { return 12.0; }), 1e-15);
  EXPECT_EQ(run.values("a.y[2].value").back(), 9.0);  // the left side of the tenth
}

TEST_F(EquationsRun, InSpaceItEqualsTheNativeBody) {
  const auto composite = [](const std::string& plate) {
    return model(plate + R"(<Component name="b" kind="multibody"><Placement position="1.3, 0.2, 0"/><Multibody>
        <Body name="body" mass="2" inertia="0.1, 0.1, 0.2" velocity="0.1, 0.4, 0"/>
        <Interface name="end" frame="body"/></Multibody></Component>)",
                 R"(<Connection name="c" from="a.point" to="b.end" coupling="line" impedance="50" impedance_rotation="2"
                     delay="2e-3"/>)",
                 "stop=\"0.5\" tolerance=\"1e-10\" write_interval=\"1e-2\"");
  };
  const std::string own = R"(<Component name="a" kind="plate"><Placement position="1, 0.2, 0"/>
      <Plate mass="1" inertia="0.05" offset="0.3" rate="2"/></Component>)";
  const std::string native = R"(<Component name="a" kind="multibody"><Placement position="1, 0.2, 0"/><Multibody>
      <Body name="body" mass="1" inertia="0.05, 0.05, 0.05" angular_velocity="0, 0, 2">
        <Frame name="point" position="0.3, 0, 0"/></Body>
      <Interface name="point" frame="body.point"/></Multibody></Component>)";
  const RunRecord a = run_text(composite(own)), b = run_text(composite(native));
  for (const std::string axis : {"x", "y"}) {
    const std::string variable = "b.body.position." + axis;
    EXPECT_LT(largest_difference(a, b, variable), 1e-7) << variable;
  }
  EXPECT_GT(support::largest_value(a, "b.body.angular_velocity.z"), 0.1);
  EXPECT_LT(largest_difference(a, b, "b.body.angular_velocity.z"), 1e-6);
}

TEST_F(EquationsRun, AResumedRunHasTheSameBits) {
  const std::string text =
      model(oscillator("a", "oscillator") + kBody +
                R"(<Component name="ball" kind="ball"/><Component name="d" kind="adder"/>)",
            R"(<Connection name="c" from="a.end" to="b.end" coupling="line" stiffness="2e4" delay="1e-3"/>)",
            "stop=\"1.2\" save_interval=\"0.1\" write_interval=\"1e-2\"");
  const support::ModelFiles files(text);
  const support::TemporaryFolder unbroken, broken;
  const auto start = [&](const std::filesystem::path& folder) {
    Simulation simulation = Simulation::load(files.path());
    simulation.record_to(folder);
    simulation.checkpoint_every(0.3);
    return simulation;
  };
  {
    Simulation simulation = start(unbroken.path());
    simulation.advance_to(simulation.stop_time());
    simulation.finish();
  }
  {
    Simulation simulation = start(broken.path());
    simulation.advance_to(0.7);
  }
  Simulation resumed = Simulation::resume(broken.path());
  resumed.advance_to(resumed.stop_time());
  resumed.finish();
  EXPECT_TRUE(have_same_bits(support::read_run(unbroken.path()), support::read_run(broken.path())));
}

TEST_F(EquationsRun, ThreadsDoNotChangeBits) {
  const std::string text =
      model(oscillator("a", "plain-oscillator") + kBody,
            R"(<Connection name="c" from="a.end" to="b.end" coupling="line" stiffness="2e4" delay="1e-3"/>)",
            "stop=\"0.3\" write_interval=\"1e-2\"");
  EXPECT_TRUE(have_same_bits(run_text(text, {.threads = 1}), run_text(text, {.threads = 4})));
}

}  // namespace equations_model_test
}  // namespace tieline::custom
