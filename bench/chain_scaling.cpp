// How the cost of a window and the memory grow with the number of components.
//
// examples/chain with 10 to 10 000 masses, recording off, one thread, about the same number of windows each. Wall time
// per component and window should stay the same, memory should grow with the model and not with the simulated time.
// Fails if the first mass does not move as momentum demands: the pulse's impulse divided by the mass of the chain.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <string>

#include "tieline/simulation.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kWindow = 5e-5;  // half the delay of the example's lines
constexpr double kImpulse = 1000.0 * 5e-3 / 2.0;
constexpr int kRepeats = 3;

/// Resident memory now [MB].
double resident() {
  std::ifstream status("/proc/self/statm");
  double total = 0.0, pages = 0.0;
  status >> total >> pages;
  return pages * 4096.0 / 1e6;
}

struct Outcome {
  double per_window = 0.0;     ///< [s]
  double megabytes = 0.0;      ///< of the built model
  double megabytes_end = 0.0;  ///< at the end of the run
  double momentum_error = 0.0;
};

Outcome measure(int masses, int windows) {
  const double before = resident();
  auto simulation = tieline::Simulation::load(std::string(TIELINE_SOURCE_DIR) + "/examples/chain/chain.xml");
  simulation.set("N", masses);
  simulation.set_stop(windows * kWindow);
  simulation.advance_to(10 * kWindow, {.threads = 1});
  const double built = resident();
  const auto begin = Clock::now();
  simulation.advance_to(windows * kWindow, {.threads = 1});
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double end = resident();
  double momentum = 0.0;
  for (int i = 0; i < masses; ++i) momentum += simulation.get(fmt::format("mass{}.body.velocity", i));
  for (int i = 0; i + 1 < masses; ++i) momentum += simulation.get(fmt::format("connections.line{}.momentum", i));
  return {seconds / (static_cast<double>(masses) * (windows - 10)), built - before, end - before,
          std::abs(momentum / kImpulse - 1.0)};
}

}  // namespace

int main() {
  bool is_right = true;
  double smallest = 1e9, largest = 0.0;
  fmt::print("{:>8} {:>9} {:>14} {:>14} {:>14} {:>12}\n", "masses", "windows", "ns per window", "kB per mass",
             "at the end", "momentum");
  for (const int masses : {10, 100, 1000, 10000}) {
    const int windows = std::max(400, 1000000 / masses);
    Outcome best = measure(masses, windows);
    for (int i = 1; i < kRepeats; ++i) {
      const Outcome again = measure(masses, windows);
      if (again.per_window < best.per_window) best.per_window = again.per_window;
    }
    smallest = std::min(smallest, best.per_window);
    largest = std::max(largest, best.per_window);
    is_right = is_right && best.momentum_error < 1e-8;
    fmt::print("{:>8} {:>9} {:>14.0f} {:>14.1f} {:>14.1f} {:>12.1e}\n", masses, windows, 1e9 * best.per_window,
               1e3 * best.megabytes / masses, 1e3 * best.megabytes_end / masses, best.momentum_error);
  }
  fmt::print("largest / smallest cost of a window: {:.2f}\n", largest / smallest);
  if (!is_right) fmt::print("FAILED: momentum is not conserved\n");
  return is_right ? 0 : 1;
}
