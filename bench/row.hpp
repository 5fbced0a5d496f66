#pragma once

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <vector>

// The rows of the table that `make bench` prints, beside what each benchmark prints for itself.

namespace tieline::bench {

/// Times of one thing that was measured several times [ns].
struct Times {
  double least = 0.0;
  double median = 0.0;
};

/// Of measured times, each multiplied by a factor that makes nanoseconds of them.
[[nodiscard]] inline Times times_of(std::vector<double> measured, double factor = 1.0) {
  std::sort(measured.begin(), measured.end());
  return {factor * measured.front(), factor * measured[measured.size() / 2]};
}
/// Of a floor that is the least of several already; nobody asks how it spreads.
[[nodiscard]] inline Times least_time(double least) { return {least, least}; }

/// Adds a row: what the thing takes, and what its floor does (what the hardware or the bare model needs), compared by
/// the least of several measurements. The file is named by TIELINE_BENCH_ROWS; without it, nothing is written.
inline void add_row(std::string_view name, const Times& times, const Times& floor) {
  const char* const file = std::getenv("TIELINE_BENCH_ROWS");
  if (file == nullptr) return;
  std::ofstream(file, std::ios::app) << fmt::format("{}\t{:.4g}\t{:.4g}\t{:.4g}\t{:.3g}\n", name, times.least,
                                                    floor.least, times.least / floor.least,
                                                    times.median / times.least - 1.0);
}

}  // namespace tieline::bench
