// How the cost of a window and the memory grow with the number of components, and what a second thread gains.
//
// examples/chain with 10 to 10 000 masses, whose windows take about a microsecond; bars of 100 masses each on lines
// between them, whose windows take some tens of microseconds; and two bodies in space. Recording is off, and about the
// same number of windows is computed for each number of masses. Wall time per component and window should stay the
// same, memory should grow with the model and not with the simulated time, and two threads should never take longer
// than one. Fails if momentum is not conserved, or if two threads do not give the same bits as one.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "tieline/simulation.hpp"

#include "row.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWindow = 5e-5;  // half the delay of all lines
constexpr int kFirstWindows = 10;
constexpr int kRepeats = 3;

/// Resident memory now [MB].
double resident() {
  std::ifstream status("/proc/self/statm");
  double total = 0.0, pages = 0.0;
  status >> total >> pages;
  return pages * 4096.0 / 1e6;
}

struct Case {
  std::string name{};
  std::filesystem::path model{};
  int components = 0;
  int windows = 0;
  bool has_count = true;  ///< the number of components is the model's parameter N
  double momentum = 0.0;  ///< in the end [N s]
  /// The variables that sum up to it, with the mass that belongs to each.
  std::vector<std::pair<std::string, double>> parts{};
};

struct Outcome {
  double per_window = 0.0;     ///< of a component [s]
  double megabytes = 0.0;      ///< of the built model
  double megabytes_end = 0.0;  ///< at the end of the run
  std::vector<double> values{};
};

Outcome measure(const Case& test, int threads) {
  const double before = resident();
  auto simulation = tieline::Simulation::load(test.model);
  if (test.has_count) simulation.set("N", test.components);
  simulation.set_stop(test.windows * kWindow);
  simulation.advance_to(kFirstWindows * kWindow, {.threads = 1});
  const double built = resident();
  const auto begin = Clock::now();
  simulation.advance_to(test.windows * kWindow, {.threads = threads});
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double end = resident();
  Outcome outcome{.per_window = seconds / (static_cast<double>(test.components) * (test.windows - kFirstWindows)),
                  .megabytes = built - before,
                  .megabytes_end = end - before};
  for (const auto& [name, mass] : test.parts) outcome.values.push_back(mass * simulation.get(name));
  return outcome;
}

std::filesystem::path write_model(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("tieline-chain-scaling-" + name + ".xml");
  std::ofstream(path) << text;
  return path;
}

/// The example: a smooth pulse on the first mass.
Case chain_of(int masses) {
  Case test{.name = fmt::format("{} masses", masses),
            .model = std::string(TIELINE_SOURCE_DIR) + "/examples/chain/chain.xml",
            .components = masses,
            .windows = std::max(400, 1000000 / masses),
            .momentum = 1000.0 * 5e-3 / 2.0};
  for (int i = 0; i < masses; ++i) test.parts.emplace_back(fmt::format("mass{}.body.velocity", i), 1.0);
  for (int i = 0; i + 1 < masses; ++i) test.parts.emplace_back(fmt::format("connections.line{}.momentum", i), 1.0);
  return test;
}

/// Bars that are masses on springs; the first mass of all moves.
Case bars_of(int bars, int windows) {
  constexpr int kMasses = 100;
  constexpr double kMass = 0.05;
  Case test{.name = fmt::format("{} bars", bars), .components = bars, .windows = windows, .momentum = kMass};
  std::string inside;
  for (int k = 0; k < kMasses; ++k) {
    inside +=
        fmt::format(R"(<Mass name="m{}" mass="{}"{}/>)", k, kMass, k == 0 ? R"( velocity="{i == 0 ? 1 : 0}")" : "");
    if (k > 0) inside += fmt::format(R"(<Spring name="s{0}" from="m{1}" to="m{0}" stiffness="1e6"/>)", k, k - 1);
  }
  test.model = write_model("bars", fmt::format(R"(<CompositeModel name="bars">
  <Parameters><Parameter name="N" value="2"/></Parameters>
  <Components><Repeat index="i" count="{{N}}"><Component name="bar{{i}}" kind="network"><Network>{}
    <Interface name="left" node="m0"/><Interface name="right" node="m{}"/>
  </Network></Component></Repeat></Components>
  <Connections><Repeat index="i" count="{{N-1}}">
    <Connection name="line{{i}}" from="bar{{i}}.right" to="bar{{i+1}}.left" coupling="line" stiffness="1e6" delay="1e-4"/>
  </Repeat></Connections>
  <Simulation start="0" stop="1" tolerance="1e-6"/>
</CompositeModel>)",
                                               inside, kMasses - 1));
  for (int i = 0; i < bars; ++i) {
    for (int k = 0; k < kMasses; ++k) test.parts.emplace_back(fmt::format("bar{}.m{}.velocity", i, k), kMass);
    if (i + 1 < bars) test.parts.emplace_back(fmt::format("connections.line{}.momentum", i), 1.0);
  }
  return test;
}

/// Two bodies on a line in space, the first of which moves along x.
Case bodies_in_space() {
  const auto body = [](const char* name, int velocity) {
    return fmt::format(R"(<Component name="{}" kind="multibody"><Multibody>
      <Body name="body" mass="1" inertia="0.1, 0.2, 0.3" velocity="{}, 0, 0"/><Interface name="end" frame="body"/>
    </Multibody></Component>)",
                       name, velocity);
  };
  Case test{.name = "2 in space", .components = 2, .windows = 40000, .has_count = false};
  test.model = write_model("space", fmt::format(R"(<CompositeModel name="space">
  <Components>{}{}</Components>
  <Connections>
    <Connection name="line" from="a.end" to="b.end" coupling="line" stiffness="1e6" stiffness_rotation="1e4" delay="1e-4"/>
  </Connections>
  <Simulation start="0" stop="1" tolerance="1e-6"/>
</CompositeModel>)",
                                                body("a", 1), body("b", 0)));
  // The line has a mass of 0.01 kg, and starts with a velocity that runs from 1 m/s to 0 along it.
  test.momentum = 1.005;
  for (const char* name : {"a.body.velocity.x", "b.body.velocity.x", "connections.line.momentum.x"}) {
    test.parts.emplace_back(name, 1.0);
  }
  return test;
}

}  // namespace

int main() {
  bool is_right = true;
  double smallest = 1e9, largest = 0.0;
  fmt::print("{:>12} {:>9} {:>12} {:>12} {:>8} {:>10} {:>10} {:>10}\n", "components", "windows", "ns, 1 thread",
             "ns, 2", "gain", "kB of each", "at the end", "momentum");
  std::vector<Case> cases;
  for (const int masses : {10, 100, 1000, 10000}) cases.push_back(chain_of(masses));
  for (const int bars : {2, 10, 100}) cases.push_back(bars_of(bars, 20000 / bars));
  cases.push_back(bodies_in_space());
  for (const Case& test : cases) {
    std::array<Outcome, 2> best{measure(test, 1), measure(test, 2)};
    std::array<std::vector<double>, 2> measured{{{best[0].per_window}, {best[1].per_window}}};
    for (int i = 1; i < kRepeats; ++i) {
      for (const std::size_t k : {0, 1}) {
        measured[k].push_back(measure(test, static_cast<int>(k) + 1).per_window);
        best[k].per_window = std::min(best[k].per_window, measured[k].back());
      }
    }
    double momentum = 0.0;
    for (const double part : best[0].values) momentum += part;
    const double error = std::abs(momentum / test.momentum - 1.0);
    is_right = is_right && error < 1e-8 && best[0].values == best[1].values;
    if (test.name.ends_with("masses")) {
      smallest = std::min(smallest, best[0].per_window);
      largest = std::max(largest, best[0].per_window);
    }
    fmt::print("{:>12} {:>9} {:>12.0f} {:>12.0f} {:>8.2f} {:>10.1f} {:>10.1f} {:>10.1e}\n", test.name, test.windows,
               1e9 * best[0].per_window, 1e9 * best[1].per_window, best[0].per_window / best[1].per_window,
               1e3 * best[0].megabytes / test.components, 1e3 * best[0].megabytes_end / test.components, error);
    tieline::bench::add_row(fmt::format("window on two threads, {}, to half of one thread's", test.name),
                            tieline::bench::times_of(measured[1], 1e9), tieline::bench::times_of(measured[0], 0.5e9));
  }
  fmt::print("largest / smallest cost of a window of chains, one thread: {:.2f}\n", largest / smallest);
  if (!is_right) fmt::print("FAILED: momentum is not conserved, or two threads compute something else than one\n");
  return is_right ? 0 : 1;
}
