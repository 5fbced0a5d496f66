// What the engine adds to a window, and how far a window is from the same arithmetic by hand.
//
// Two masses on a line, recording off, one thread, four ways:
//   run        the model through Simulation, with windows, queues, breaks and audit
//   components the same two components advanced over the same windows with no line and no engine: their own arithmetic
//              (solver, right-hand sides, samples, work)
//   equations  a hand-written loop over the equations: the Dormand-Prince step, the wave between knots by the same
//              quintic pieces, and nothing else
//   by hand    a hand-written loop with all that a window computes: the same with error control, work, the wave's
//              energy and the audit
// Reported per component and window. run - components is the engine's cost: lines, queues, audit and schedule. Its
// ratio to the equations is how much slower an engine makes a loop that somebody would write; the whole window is
// compared with both loops. The final positions of run and loops must agree, and the loop by hand must balance its
// energy.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <vector>

#include "tieline/simulation.hpp"

#include "by_hand.hpp"
#include "components/network/network.hpp"
#include "components/ode_component.hpp"
#include "row.hpp"
#include "wave/track.hpp"

namespace {

using namespace tieline::bench;

constexpr int kRepeats = 9;
// Steps of the run are chosen by its error control until it has found its step.
constexpr double kAllowed = 1e-8;

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
  components::OdeComponent component(
      "a", std::make_unique<components::Network>(spec),
      {.method = solvers::Method::dopri5, .relative_tolerance = kTolerance, .window_hint = kWindow});
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

}  // namespace

int main() {
  const auto model = write_model();
  std::vector<double> runs, components, equations, by_hand, engine;
  double run_position = 0.0;
  Looped equation, whole;
  for (int i = 0; i < kRepeats; ++i) {
    const auto run = time_run(model);
    run_position = run.second;
    equation = equations_alone();
    whole = whole_window();
    runs.push_back(run.first);
    components.push_back(2.0 * time_components());
    equations.push_back(equation.seconds);
    by_hand.push_back(whole.seconds);
    engine.push_back(runs.back() - components.back());
  }
  std::filesystem::remove(model);
  constexpr double kPerWindow = 1e9 / (2.0 * kWindows);
  const auto report = [](const char* name, const std::vector<double>& seconds) {
    const Times times = times_of(seconds, kPerWindow);
    fmt::print("{:<11} {:8.1f} ns least {:8.1f} ns median, per component and window\n", name, times.least,
               times.median);
    return times;
  };
  const Times run = report("run", runs), own = report("components", components), loop = report("equations", equations),
              hand = report("by hand", by_hand);
  // The least of differences would be that of the worst components.
  const Times added{run.least - own.least, times_of(engine, kPerWindow).median};
  fmt::print("engine      {:8.1f} ns = run - components: {:.2f} of the equations\n", added.least,
             added.least / loop.least);
  fmt::print("whole run: {:.2f} of the equations, {:.2f} of the same by hand\n", run.least / loop.least,
             run.least / hand.least);
  add_row("engine in a window of a mass on a line, to a hand-written loop", added, loop);
  add_row("window of a mass on a line, to the same arithmetic by hand", run, hand);
  add_row("window of a mass on a line, to a hand-written loop", run, loop);
  fmt::print("final position {:.12g}, equations {:.12g}, by hand {:.12g}; residual by hand {:.2g} J of {:.2g} J\n",
             run_position, equation.position, whole.position, whole.residual, whole.energy);
  const auto is_close = [&](double position) {
    return std::abs(position - run_position) <= kAllowed * std::abs(run_position);
  };
  if (!is_close(equation.position) || !is_close(whole.position)) {
    fmt::print("FAILED: the loops end elsewhere than the run\n");
    return 1;
  }
  if (!(whole.residual <= kAllowed * whole.energy)) {
    fmt::print("FAILED: the energy of the loop by hand does not balance\n");
    return 1;
  }
  return 0;
}
