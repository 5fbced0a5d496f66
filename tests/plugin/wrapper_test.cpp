// The C++ wrapper, plugin.hpp: every kind of interface between two tools.

#include <cmath>
#include <thread>

#include "tieline/plugin.hpp"

#include "plugin/fake_master.hpp"

namespace tieline::plugin {
namespace wrapper_test {

using Kind = transport::ConnectionMessage::Kind;
constexpr double kDelay = 0.01, kStop = 0.2, kImpedance = 20.0, kMass = 0.1;

const std::vector<transport::InterfaceMessage> kMassSide{
    {.name = "axle", .is_connected = true},
    {.name = "state", .domain = core::Domain::signal, .causality = core::Causality::output, .size = 2},
    {.name = "hub", .domain = core::Domain::mechanical3d, .is_connected = true}};
const std::vector<transport::InterfaceMessage> kDamperSide{
    {.name = "axle", .causality = core::Causality::takes_motion, .is_connected = true},
    {.name = "seen", .domain = core::Domain::signal, .causality = core::Causality::input, .size = 2},
    {.name = "hub", .domain = core::Domain::mechanical3d, .is_connected = true}};

/// Steps of 1 ms up to the limit.
template <class Step>
void run_loop(PluginSession& session, const Step& step) {
  int answer = session.start();
  for (double t = 0.0; answer == TIELINE_CONTINUE;) {
    const double end = std::min(t + 1e-3, session.step_limit(t));
    step(t, end);
    t = end;
    EXPECT_EQ(session.time() <= t, true);
    answer = session.sync(end);
  }
  EXPECT_EQ(answer, TIELINE_STOP);
}

/// A mass that reports its acceleration, a signal with its state, and a point at rest in space.
void run_mass(PluginSession& session, double& x, double& v) {
  const int axle = session.register_interface("axle", TIELINE_TRANSLATION, TIELINE_FORCE_IN);
  const int state = session.register_interface("state", TIELINE_SIGNAL, TIELINE_OUTPUT, 2);
  const int hub = session.register_interface("hub", TIELINE_MECHANICAL_3D, TIELINE_FORCE_IN);
  const Motion3d rest{.position = {1.0, 0.0, 0.0}};
  const auto report = [&](double t, double acceleration) {
    session.set_motion(axle, t, x, v);
    session.set_acceleration(axle, t, acceleration);
    session.set_signal(state, t, {x, v});
    session.set_signal_rate(state, t, {v, acceleration});
    session.set_motion(hub, t, rest);
    session.set_acceleration(hub, t, Vector{}, Vector{});
  };
  report(0.0, 0.0);
  EXPECT_THROW(session.set_signal(state, 0.0, {1.0}), PluginError);
  run_loop(session, [&](double t, double end) {
    // The implicit midpoint rule: the force is linear in the velocity.
    const double h = end - t, middle_time = t + 0.5 * h;
    const double at_rest = session.force(axle, middle_time, 0.0);
    const double middle = (v + 0.5 * h / kMass * at_rest) / (1.0 + 0.5 * h / kMass * kImpedance);
    x += h * middle, v = 2.0 * middle - v;
    const Load3d load = session.force(hub, end, rest);
    EXPECT_NEAR(std::abs(load.force[0]) + std::abs(load.torque[2]), 0.0, 1e-12);
    report(end, session.force(axle, end, v) / kMass);
  });
  session.count("steps", 1);
  session.report_parameter("mass", "0.1 kg", kMass);
}

TEST(Wrapper, SessionOffersEveryKindOfInterface) {
  double x = 0.0, v = 1.0, largest_signal_error = 0.0;
  const auto setup = [&](const char* name, const std::vector<transport::InterfaceMessage>& interfaces) {
    transport::Setup result{.component = name, .stop = kStop, .interfaces = interfaces};
    result.parameters.push_back({.name = "damping", .text = "20", .unit = "N s/m", .value = 20.0});
    return result;
  };
  FakeMaster master({setup("mass", kMassSide), setup("damper", kDamperSide)});
  std::vector<std::thread> threads;
  threads.emplace_back([&, options = master.options(0)] {
    PluginSession session(&options);
    run_mass(session, x, v);
  });
  threads.emplace_back([&, options = master.options(1)] {
    PluginSession opened(&options);
    PluginSession session(std::move(opened));
    EXPECT_EQ(session.parameters().at(0).unit, "N s/m");
    EXPECT_EQ(session.interfaces().at(1).count, 2);
    EXPECT_EQ(session.interfaces().at(0).causality, TIELINE_MOTION_IN);
    EXPECT_EQ(session.text("damping"), "20");
    EXPECT_EQ(session.text("colour", "red"), "red");
    EXPECT_THROW((void)session.number("dampin"), PluginError);
    const double damping = session.number("damping");
    const int axle = session.register_interface("axle", TIELINE_TRANSLATION, TIELINE_MOTION_IN);
    const int seen = session.register_interface("seen", TIELINE_SIGNAL, TIELINE_INPUT, 2);
    const int hub = session.register_interface("hub", TIELINE_MECHANICAL_3D, TIELINE_FORCE_IN);
    const Motion3d rest{.position = {1.0, 0.0, 0.0}};
    session.set_force(axle, 0.0, 0.0, 0.0);
    session.set_motion(hub, 0.0, rest);
    double y = 0.0, before = 0.0;
    run_loop(session, [&](double t, double end) {
      const double u = session.motion(axle, end, 0.0) * kImpedance / (kImpedance + damping);
      y += 0.5 * (end - t) * (before + u), before = u;
      session.set_force(axle, end, y, damping * u);
      session.set_motion(hub, end, rest);
      // A matched end absorbs all waves: v = exp(-Z t / m), from when the mass feels its line alone.
      const std::vector<double> values = session.signal(seen, end);
      EXPECT_EQ(values.size(), 2U);
      largest_signal_error = std::max(largest_signal_error, std::abs(values[0]) - 1.0);
    });
  });
  master.meet();
  master.join_two(kStop, kDelay,
                  {{.name = "bar", .interface = 0, .delay = kDelay, .impedance = kImpedance},
                   {.kind = Kind::signal, .name = "s1", .interface = 1, .member = 0, .delay = kDelay},
                   {.kind = Kind::signal, .name = "s2", .interface = 1, .member = 1, .delay = kDelay},
                   {.kind = Kind::space,
                    .name = "joint",
                    .interface = 2,
                    .delay = kDelay,
                    .impedance = 1.0,
                    .rotation_impedance = 1.0}},
                  0.0, 0.01);
  master.begin();
  master.go(master.stop_tick());
  const auto parked = master.parked();
  EXPECT_TRUE(parked) << (parked ? "" : parked.error().describe());
  master.fleet().dismiss();
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(std::abs(v), 1e-6);
  EXPECT_GT(x, 0.0);
  EXPECT_LE(largest_signal_error, 0.0);
}

TEST(Wrapper, RotationsAndVersion) {
  EXPECT_EQ(plugin_version(), TIELINE_VERSION_TEXT);
  const double half = std::sqrt(0.5);
  const Matrix turned = matrix_of({half, 0.0, 0.0, half});  // a quarter turn about z
  EXPECT_NEAR(turned[3], 1.0, 1e-15);
  EXPECT_NEAR(quaternion_of(turned)[3], half, 1e-15);
}

}  // namespace wrapper_test
}  // namespace tieline::plugin
