// What bodies cost: right-hand sides and steps for chains of 10, 100 and 1000 bodies.
//
// A hanging chain of bars, let go from the horizontal: with ties between them (everything as forces, solved by radau5)
// and with revolute joints (kept exactly, solved by dopri5, and by radau5 with multipliers beside the states). The
// floor is what the bodies alone need: the same number without anything between them. The cost per body should not grow
// with their number. Fails if the energy of a run does not balance.
//
// Then pendulums of 3 to 100 links in space, whose axes alternate, by joint coordinates and by constraints: a
// right-hand side by body, and the least time of a run of 1 s by dopri5 whose end is right to 1e-6 m, over its
// tolerances. Fails if the two do not agree.

#include "components/multibody/multibody.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "components/multibody/reader.hpp"
#include "components/ode_component.hpp"
#include "document/xml.hpp"
#include "row.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace tieline;

constexpr int kRepeats = 5;
constexpr double kLeastSeconds = 0.05;

/// Bars of 0.1 m and 0.1 kg along x.
std::string chain(int bodies, const std::string& between) {
  std::string text = "<Multibody gravity='0, -9.81, 0' joints='constraints'>";
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

/// Times of a call [s], of repeats each long enough to be measured.
template <class F>
bench::Times times_of_call(F&& call) {
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) {
    int count = 0;
    const auto begin = Clock::now();
    double seconds = 0.0;
    while (seconds < kLeastSeconds) {
      call();
      ++count;
      seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    times.push_back(seconds / count);
  }
  return bench::times_of(times);
}

bench::Times right_side_times(const components::MultibodySpec& spec) {
  components::Multibody system(spec);
  const auto y = system.begin(0.0).value();
  std::vector<double> ydot(y.size());
  return times_of_call([&] { system.rhs(0.0, wave::Side::right, y, ydot); });
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

/// Links of 0.1 m whose axes turn by 0.7 rad from one to the next, let go from the horizontal.
std::string pendulum(int links, const std::string& joints) {
  std::string text = fmt::format("<Multibody gravity='0, -9.81, 0' joints='{}'>", joints), before = "ground";
  for (int i = 0; i < links; ++i) {
    text += fmt::format(
        "<Body name='b{0}' mass='0.1' inertia='1e-5, 9e-5, 9e-5' center='0.05, 0, 0' position='{1}, 0, 0'>"
        "<Frame name='root' angles='{2}, 0, 0'/><Frame name='end' position='0.1, 0, 0' angles='{3}, 0, 0'/></Body>"
        "<Joint name='j{0}' from='{4}' to='b{0}.root'/>",
        i, 0.1 * i, 0.7 * i, 0.7 * (i + 1), before);
    before = fmt::format("b{}.end", i);
  }
  return text + "</Multibody>";
}

struct Swing {
  double seconds = 0.0;
  Eigen::Vector3d end = Eigen::Vector3d::Zero();  ///< of the last body [m]
  std::uint64_t calls = 0;
  std::vector<double> all{};  ///< seconds of all repeats
};

Swing swing(const components::MultibodySpec& spec, double tolerance) {
  auto system = std::make_unique<components::Multibody>(spec);
  const int column = system->column_index(spec.bodies.back().name + ".position.x");
  components::OdeComponent component("pendulum", std::move(system),
                                     {.method = solvers::Method::dopri5, .relative_tolerance = tolerance});
  if (!component.start(0.0)) throw std::runtime_error("the pendulum does not start");
  const auto begin = Clock::now();
  const auto advanced = component.advance({.begin = 0.0, .end = 1.0, .horizon = 1.0});
  if (!advanced) throw std::runtime_error(advanced.error().message);
  Swing result{.seconds = std::chrono::duration<double>(Clock::now() - begin).count()};
  std::vector<double> values(component.columns().size());
  component.current_values(values);
  result.end = Eigen::Map<const Eigen::Vector3d>(values.data() + column);
  result.calls = component.statistics().rhs_calls;
  return result;
}

/// The least time over tolerances with which the end is right.
Swing quickest_right(const components::MultibodySpec& spec, const Eigen::Vector3d& exact) {
  constexpr double kRight = 1e-6;  ///< [m]
  Swing best{.seconds = 1e9};
  std::vector<double> all;
  for (double tolerance = 1e-4; tolerance > 1e-12; tolerance *= 0.316) {
    if ((swing(spec, tolerance).end - exact).norm() > kRight) continue;
    for (int i = 0; i < kRepeats; ++i) {
      const Swing now = swing(spec, tolerance);
      all.push_back(now.seconds);
      if (now.seconds < best.seconds) best = now;
    }
    break;
  }
  best.all = all;
  return best;
}

bool measure_pendulums() {
  bool is_right = true;
  fmt::print("\n{:>16} {:>7} {:>12} {:>12} {:>10} {:>12}\n", "pendulum", "links", "ns/rhs/body", "ms to 1e-6 m", "rhs",
             "ns/rhs/body");
  for (const int links : {3, 10, 50, 100}) {
    Eigen::Vector3d first = Eigen::Vector3d::Zero();
    std::vector<bench::Times> by_flavour;
    for (const char* joints : {"coordinates", "constraints"}) {
      const auto spec = read(pendulum(links, joints));
      const Eigen::Vector3d exact = swing(spec, 1e-11).end;
      if (first.isZero()) first = exact;
      // Long pendulums are chaotic: what rounding makes of them in a second is the limit.
      is_right = is_right && (exact - first).norm() < 1e-7;
      const Swing done = quickest_right(spec, exact);
      fmt::print("{:>16} {:>7} {:>12.0f} {:>12.2f} {:>10} {:>12.0f}\n", joints, links,
                 1e9 * right_side_times(spec).least / links, 1e3 * done.seconds, done.calls,
                 1e9 * done.seconds / (static_cast<double>(done.calls) * links));
      by_flavour.push_back(bench::times_of(done.all, 1e9));
    }
    bench::add_row(fmt::format("pendulum of {} links by constraints, to coordinates", links), by_flavour[1],
                   by_flavour[0]);
  }
  return is_right;
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
      const bench::Times floors = right_side_times(read(chain(bodies, ""))), times = right_side_times(spec);
      const double floor = floors.least, once = times.least;
      const Run done = run(spec, of);
      is_right = is_right && done.imbalance < 1e-3;
      fmt::print("{:>16} {:>7} {:>12.0f} {:>8.1f} {:>12.0f} {:>8} {:>12.2f} {:>12.1e}\n", of.name, bodies,
                 1e9 * once / bodies, once / floor, 1.0 / once, done.steps,
                 1e6 * done.seconds / (static_cast<double>(done.steps) * bodies), done.imbalance);
      bench::add_row(fmt::format("right-hand side of {} bodies with {}, to bodies alone", bodies, of.name),
                     {1e9 * times.least, 1e9 * times.median}, {1e9 * floors.least, 1e9 * floors.median});
    }
  }
  if (!is_right) fmt::print("FAILED: energy does not balance\n");
  const bool is_same = measure_pendulums();
  if (!is_same) fmt::print("FAILED: pendulums differ between coordinates and constraints\n");
  return is_right && is_same ? 0 : 1;
}
