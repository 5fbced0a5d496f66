#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "results/reader.hpp"

namespace tieline::results {

/// How a variable differs between two runs, on the times that both cover, sampled on the union of their times.
struct Difference {
  std::string name{};
  std::string other_name{};  ///< in the second run; the same, unless two names were given
  std::string unit{};
  double largest = 0.0;        ///< |a - b|; infinite where one is NaN and the other is not
  double largest_time = 0.0;   ///< where that is [s]
  double largest_value = 0.0;  ///< of |a| and |b|
  double relative = 0.0;       ///< largest / largest_value
  double rms = 0.0;            ///< root of the mean over time of (a - b)^2
  double begin = 0.0;          ///< times compared [s]; begin > end: no common time
  double end = 0.0;
};

struct Comparison {
  std::vector<Difference> differences{};
  std::vector<std::string> only_in_a{};
  std::vector<std::string> only_in_b{};
  bool same_span = true;  ///< every variable covers the same times in both
};

/// Compares the variables that fit the patterns (none: all). "name=other" compares a variable of the first run with one
/// of another name in the second. Memory does not grow with the length of the runs.
core::Result<Comparison> compare(const ResultReader& a, const ResultReader& b, std::span<const std::string> patterns);

/// The comparison as a table for people, largest relative difference first.
[[nodiscard]] std::string comparison_table(const Comparison& comparison);

}  // namespace tieline::results
