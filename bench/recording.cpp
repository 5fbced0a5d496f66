// What results cost at the start of a large run: examples/chain with 10 000 and 100 000 components, until its first
// window is over, with and without results. Each run is a process of its own, so that its memory is known.
//
// Numbers are seconds of processor time, and megabytes of the largest resident memory, of the fastest repeat. The floor
// of results is the same without them; that of 100 000 components is ten times that of 10 000.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tieline/simulation.hpp"

#include "archive/temporary_folder.hpp"
#include "row.hpp"

namespace {

using namespace tieline;

constexpr double kWindow = 5e-5;

struct Cost {
  double seconds = 0.0;
  double megabytes = 0.0;
};

void start_chain(int components, const std::filesystem::path& results) {
  auto simulation = Simulation::load(std::filesystem::path(TIELINE_SOURCE_DIR) / "examples" / "chain" / "chain.xml");
  simulation.set("N", components);
  simulation.set_stop(kWindow);
  if (!results.empty()) simulation.record_to(results);
  simulation.advance_to(kWindow, {.threads = 1});
  simulation.finish();
}

Cost cost_of(int components, const std::filesystem::path& results) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    start_chain(components, results);
    std::_Exit(0);
  }
  rusage used{};
  int status = 1;
  if (child < 0 || ::wait4(child, &status, 0, &used) != child || status != 0) {
    fmt::print("FAILED: a chain of {} components does not start\n", components);
    std::exit(1);
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), 1024e-6 * static_cast<double>(used.ru_maxrss)};
}

}  // namespace

int main() {
  const auto folder = archive::TemporaryFolder::make("tieline-bench");
  if (!folder) {
    fmt::print("FAILED: {}\n", folder.error().describe());
    return 1;
  }
  fmt::print("{:>10} {:>10} {:>10} {:>10}\n", "components", "results", "s", "MB");
  int run = 0;
  const auto measure = [&](int components, bool with_results, int repeats) {
    std::vector<double> seconds;
    double megabytes = 0.0;
    for (int i = 0; i < repeats; ++i) {
      const Cost cost =
          cost_of(components, with_results ? folder->path() / std::to_string(run++) : std::filesystem::path());
      seconds.push_back(cost.seconds);
      megabytes = cost.megabytes;
    }
    const bench::Times times = bench::times_of(seconds, 1e9);
    fmt::print("{:>10} {:>10} {:>10.2f} {:>10.0f}\n", components, with_results ? "yes" : "no", 1e-9 * times.least,
               megabytes);
    std::fflush(stdout);
    return times;
  };
  const bench::Times without = measure(10000, false, 3), with = measure(10000, true, 3);
  const bench::Times large = measure(100000, true, 2);
  bench::add_row("chain of 10 000 until its first window, with results, to without", with, without);
  bench::add_row("chain of 100 000 until its first window, with results, to ten times that of 10 000", large,
                 {10.0 * with.least, 10.0 * with.median});
  return 0;
}
