// What bodies cost: right-hand sides and steps for chains of 10, 100 and 1000 bodies.
//
// A hanging chain of bars, let go from the horizontal: with ties between them (everything as forces, solved by radau5)
// and with revolute joints (kept exactly, solved by dopri5, and by radau5 with multipliers beside the states). The
// floor is what the bodies alone need: the same number without anything between them. The cost per body should not grow
// with their number. Fails if the energy of a run does not balance.

#include "components/multibody/multibody.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "components/multibody/reader.hpp"
#include "components/ode_component.hpp"
#include "document/xml.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace tieline;

constexpr int kRepeats = 5;
constexpr double kLeastSeconds = 0.05;

/// Bars of 0.1 m and 0.1 kg along x.
std::string chain(int bodies, const std::string& between) {
  std::string text = "<Multibody gravity='0, -9.81, 0'>";
  std::string before = "ground";
  for (int i = 0; i < bodies; ++i) {
    text += fmt::format(
        "<Body name='b{0}' mass='0.1' inertia='1e-5, 9e-5, 9e-5' center='0.05, 0, 0' position='{1}, 0, 0'>"
        "<Frame name='end' position='0.1, 0, 0'/></Body>",
        i, 0.1 * i);
    if (!between.empty()) text += fmt::format(fmt::runtime(between), i, before);
    before = fmt::format("b{}.end", i);
  }
  return text + "</Multibody>";
}

components::MultibodySpec read(const std::string& text) {
  document::Diagnostics diagnostics;
  const auto document = document::Document::parse(text, "chain.xml", diagnostics);
  auto spec = components::read_multibody(document->root(), document::Scope(), diagnostics);
  if (diagnostics.error_count() > 0) throw std::runtime_error(diagnostics.describe());
  return spec;
}

/// Least time of a call over repeats, each long enough to be measured [s].
template <class F>
double least_time(F&& call) {
  double least = 1e9;
  for (int i = 0; i < kRepeats; ++i) {
    int count = 0;
    const auto begin = Clock::now();
    double seconds = 0.0;
    while (seconds < kLeastSeconds) {
      call();
      ++count;
      seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    least = std::min(least, seconds / count);
  }
  return least;
}

double right_side_time(const components::MultibodySpec& spec) {
  components::Multibody system(spec);
  const auto y = system.begin(0.0).value();
  std::vector<double> ydot(y.size());
  return least_time([&] { system.rhs(0.0, wave::Side::right, y, ydot); });
}

struct Case {
  const char* name;
  const char* between;
  solvers::Method method;
  double length;  ///< of the run [s]
};

struct Run {
  double seconds = 0.0;
  std::uint64_t steps = 0;
  double imbalance = 0.0;
};

Run run(const components::MultibodySpec& spec, const Case& of) {
  components::OdeComponent component("chain", std::make_unique<components::Multibody>(spec),
                                     {.method = of.method, .relative_tolerance = 1e-6});
  if (!component.start(0.0)) throw std::runtime_error("the chain does not start");
  const auto sum = [](const core::Energy& e) { return e.kinetic + e.potential + e.dissipated - e.supplied; };
  const double before = sum(component.energy().value());
  const auto begin = Clock::now();
  const auto advanced = component.advance({.begin = 0.0, .end = of.length, .horizon = of.length});
  if (!advanced) throw std::runtime_error(advanced.error().message);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const core::Energy energy = component.energy().value();
  return {seconds, component.statistics().steps, std::abs(sum(energy) - before) / std::max(energy.kinetic, 1e-12)};
}

}  // namespace

int main() {
  const Case cases[] = {
      {"ties, radau5", "<Tie name='t{0}' from='{1}' to='b{0}' stiffness='1e5, 10' damping='10, 1e-2' free_axes='rz'/>",
       solvers::Method::radau5, 0.05},
      {"joints, dopri5", "<Joint name='j{0}' from='{1}' to='b{0}'/>", solvers::Method::dopri5, 0.05},
      {"joints, radau5", "<Joint name='j{0}' from='{1}' to='b{0}'/>", solvers::Method::radau5, 0.05}};
  bool is_right = true;
  fmt::print("{:>16} {:>7} {:>12} {:>8} {:>12} {:>8} {:>12} {:>12}\n", "chain", "bodies", "ns/rhs/body", "floor",
             "rhs/s", "steps", "us/step/body", "imbalance");
  for (const Case& of : cases) {
    for (const int bodies : {10, 100, 1000}) {
      const auto spec = read(chain(bodies, of.between));
      const double floor = right_side_time(read(chain(bodies, "")));
      const double once = right_side_time(spec);
      const Run done = run(spec, of);
      is_right = is_right && done.imbalance < 1e-3;
      fmt::print("{:>16} {:>7} {:>12.0f} {:>8.1f} {:>12.0f} {:>8} {:>12.2f} {:>12.1e}\n", of.name, bodies,
                 1e9 * once / bodies, once / floor, 1.0 / once, done.steps,
                 1e6 * done.seconds / (static_cast<double>(done.steps) * bodies), done.imbalance);
    }
  }
  if (!is_right) fmt::print("FAILED: energy does not balance\n");
  return is_right ? 0 : 1;
}
