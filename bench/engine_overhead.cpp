// What the engine adds to a window.
//
// Two masses on a line, recording off, one thread, three ways:
//   run        the model through Simulation, with windows, queues, breaks and audit
//   components the same two components advanced over the same windows with no line and no engine: their own arithmetic
//              (solver, right-hand sides, samples, work)
//   loop       a hand-written loop over the same equations: the Dormand–Prince step, the wave between knots by the
//              same quintic pieces, and nothing else
// Reported per component and window: run - components is the engine's cost, and its ratio to the loop is what counts.
// The final positions of run and loop must agree, or the program fails.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <vector>

#include "tieline/simulation.hpp"

#include "components/network/network.hpp"
#include "components/ode_component.hpp"
#include "row.hpp"
#include "wave/track.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMass = 1.0, kStiffness = 1e6, kDelay = 1e-4, kTolerance = 1e-8;
constexpr int kWindows = 100000;  // of each component
constexpr int kRepeats = 7;
constexpr double kWindow = 0.5 * kDelay;
constexpr double kStop = kWindows * kWindow;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::filesystem::path write_model() {
  const auto path = std::filesystem::temp_directory_path() / "tieline-engine-overhead.xml";
  std::ofstream(path) << fmt::format(R"(<CompositeModel name="overhead">
  <Components>
    <Component name="a" kind="network" solver="dopri5">
      <Network><Mass name="body" mass="{0}" velocity="1"/><Interface name="end" node="body"/></Network>
    </Component>
    <Component name="b" kind="network" solver="dopri5">
      <Network><Mass name="body" mass="{0}"/><Interface name="end" node="body"/></Network>
    </Component>
  </Components>
  <Connections><Connection from="a.end" to="b.end" coupling="line" stiffness="{1}" delay="{2}"/></Connections>
  <Simulation start="0" stop="{3:.17g}" tolerance="{4}"/>
</CompositeModel>)",
                                     kMass, kStiffness, kDelay, kStop, kTolerance);
  return path;
}

/// The whole model; returns seconds and the final position of the first body.
std::pair<double, double> time_run(const std::filesystem::path& model) {
  auto simulation = tieline::Simulation::load(model);
  simulation.start();
  const auto begin = Clock::now();
  simulation.advance_to(kStop, {.threads = 1});
  const double seconds = seconds_since(begin);
  return {seconds, simulation.get("a.body.position")};
}

/// One component over the same windows, its port reading a track that is already there.
double time_components() {
  using namespace tieline;
  components::NetworkSpec spec;
  spec.nodes.push_back({.name = "body", .inertia = kMass, .velocity = 1.0});
  spec.interfaces.push_back({.name = "end", .node = 0});
  components::OdeComponent component("a", std::make_unique<components::Network>(spec),
                                     {.method = solvers::Method::dopri5, .relative_tolerance = kTolerance});
  core::Port& port = component.ports()[0];
  port.law = {1.0, kStiffness * kDelay};
  port.is_connected = true;
  // A wave of the size and period of the real one, a piece per window, pushed ahead and forgotten as on a run.
  port.incoming.set_interpolation(wave::Interpolation::quintic);
  const double omega = std::sqrt(2.0 * kStiffness / kMass);
  const auto knot = [&](int n) {
    const double t = n * kWindow;
    return wave::Knot{t, -100.0 * std::cos(omega * t) / omega, 100.0 * std::sin(omega * t),
                      100.0 * omega * std::cos(omega * t)};
  };
  std::vector<wave::Knot> knots;
  for (int n = 0; n < kWindows + 3; ++n) knots.push_back(knot(n));
  for (std::size_t n = 0; n < 3; ++n) port.incoming.push(knots[n]);
  if (!component.start(0.0)) std::abort();
  const auto begin = Clock::now();
  for (int n = 0; n < kWindows; ++n) {
    port.incoming.push(knots[static_cast<std::size_t>(n + 3)]);
    if (!component.advance({.begin = n * kWindow, .end = (n + 1) * kWindow, .horizon = (n + 2) * kWindow}))
      std::abort();
    port.outbox.clear();
    port.incoming.forget_before(n * kWindow);
  }
  return seconds_since(begin);
}

/// One mass of the hand-written loop.
struct Body {
  double x = 0.0, v = 0.0, x0 = 0.0;
};

/// One step of Dormand and Prince's method for x' = v, v' = (w - Z v)/m over a window.
void step(Body& body, const tieline::wave::Piece& w, double t) {
  constexpr double Z = kStiffness * kDelay, h = kWindow;
  const auto f = [&](double time, double v) { return (w.at(time).value - Z * v) / kMass; };
  const double x = body.x, v = body.v;
  const double k1 = f(t, v);
  const double v2 = v + h * k1 / 5, k2 = f(t + h / 5, v2);
  const double v3 = v + h * (3. / 40 * k1 + 9. / 40 * k2), k3 = f(t + 0.3 * h, v3);
  const double v4 = v + h * (44. / 45 * k1 - 56. / 15 * k2 + 32. / 9 * k3), k4 = f(t + 0.8 * h, v4);
  const double v5 = v + h * (19372. / 6561 * k1 - 25360. / 2187 * k2 + 64448. / 6561 * k3 - 212. / 729 * k4),
               k5 = f(t + 8. / 9 * h, v5);
  const double v6 = v +
                    h * (9017. / 3168 * k1 - 355. / 33 * k2 + 46732. / 5247 * k3 + 49. / 176 * k4 - 5103. / 18656 * k5),
               k6 = f(t + h, v6);
  body.x = x + h * (35. / 384 * v + 500. / 1113 * v3 + 125. / 192 * v4 - 2187. / 6784 * v5 + 11. / 84 * v6);
  body.v = v + h * (35. / 384 * k1 + 500. / 1113 * k3 + 125. / 192 * k4 - 2187. / 6784 * k5 + 11. / 84 * k6);
}

std::pair<double, double> time_loop() {
  using tieline::wave::Interpolation;
  using tieline::wave::Knot;
  using tieline::wave::Piece;
  constexpr double Z = kStiffness * kDelay;
  std::array<Body, 2> bodies;
  bodies[0].v = 1.0;
  // Incoming knots: the line at rest force and with a velocity that runs linearly between its ends, for the first
  // delay.
  std::array<std::array<Knot, 2>, 2> start{};
  std::array<double, 2> offset{};
  for (std::size_t i = 0; i < 2; ++i) {
    const double own = bodies[i].v, other = bodies[1 - i].v, slope = Z * (other - own) / kDelay;
    const auto knot = [&](double t) { return Knot{t, Z * own * t + 0.5 * slope * t * t, Z * own + slope * t, slope}; };
    start[i] = {knot(0.0), knot(kDelay)};
    offset[i] = start[i][1].integral;
  }
  const auto begin = Clock::now();
  std::array<std::array<Knot, 4>, 2> ring{};  // knots on their way to body i, by window of arrival
  for (std::size_t i = 0; i < 2; ++i) {
    // The wave that leaves at t = 0.
    const double dw = start[i][0].rate, dv = (start[i][0].value - Z * bodies[i].v) / kMass;
    ring[1 - i][2] = {kDelay, offset[1 - i], 2.0 * Z * bodies[i].v - start[i][0].value, 2.0 * Z * dv - dw};
  }
  for (int n = 0; n < kWindows; ++n) {
    const double t = n * kWindow, end = (n + 1) * kWindow;
    std::array<Knot, 2> leaving{};
    for (std::size_t i = 0; i < 2; ++i) {
      Body& body = bodies[i];
      const Piece w = n < 2 ? Piece(Interpolation::quintic, start[i][0], start[i][1])
                            : Piece(Interpolation::quintic, ring[i][static_cast<std::size_t>(n) & 3],
                                    ring[i][static_cast<std::size_t>(n + 1) & 3]);
      step(body, w, t);
      const auto in = w.at(end);
      const double dv = (in.value - Z * body.v) / kMass;
      leaving[i] = {end + kDelay, 2.0 * Z * (body.x - body.x0) - in.integral + offset[1 - i],
                    2.0 * Z * body.v - in.value, 2.0 * Z * dv - in.rate};
    }
    for (std::size_t i = 0; i < 2; ++i) ring[1 - i][static_cast<std::size_t>(n + 3) & 3] = leaving[i];
  }
  return {seconds_since(begin), bodies[0].x};
}

}  // namespace

int main() {
  const auto model = write_model();
  std::vector<double> runs, components, loops;
  double run_position = 0.0, loop_position = 0.0;
  for (int i = 0; i < kRepeats; ++i) {
    const auto run = time_run(model);
    const auto loop = time_loop();
    runs.push_back(run.first);
    loops.push_back(loop.first);
    components.push_back(2.0 * time_components());
    run_position = run.second;
    loop_position = loop.second;
  }
  std::filesystem::remove(model);
  const auto report = [](const char* name, std::vector<double>& seconds) {
    std::sort(seconds.begin(), seconds.end());
    const double per_window = 1e9 / (2.0 * kWindows);
    fmt::print("{:<11} {:8.1f} ns least {:8.1f} ns median, per component and window\n", name,
               per_window * seconds.front(), per_window * seconds[seconds.size() / 2]);
    return per_window * seconds.front();
  };
  const double run = report("run", runs), own = report("components", components), loop = report("loop", loops);
  fmt::print("engine      {:8.1f} ns = run - components: {:.2f} of the hand-written loop\n", run - own,
             (run - own) / loop);
  fmt::print("whole run: {:.2f} of the hand-written loop\n", run / loop);
  constexpr double kPerWindow = 1e9 / (2.0 * kWindows);
  tieline::bench::add_row("window of a mass on a line, to a hand-written loop",
                          tieline::bench::times_of(runs, kPerWindow), tieline::bench::times_of(loops, kPerWindow));
  const double difference = std::abs(run_position - loop_position) / std::abs(loop_position);
  fmt::print("final position {:.12g}, loop {:.12g}\n", run_position, loop_position);
  if (!(difference < 1e-7)) {
    fmt::print("FAILED: the two differ by {:.2g}\n", difference);
    return 1;
  }
  return 0;
}
