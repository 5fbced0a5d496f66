#pragma once

#include <string>
#include <vector>

namespace tieline::report {

struct Range {
  double low = 0.0;
  double high = 1.0;

  [[nodiscard]] double length() const { return high - low; }
};

struct Tick {
  double value = 0.0;
  std::string label{};
};

/// Marks of an axis. Labels are values divided by 10^exponent; the caption ("×10⁻⁶") says so, and is empty for 0.
struct Axis {
  std::vector<Tick> ticks{};
  int exponent = 0;
  std::string caption{};
};

/// Ticks at multiples of 1, 2 or 5 times a power of ten, at most `most` of them (at least 2), within the range.
[[nodiscard]] Axis choose_ticks(const Range& range, int most);

/// A range that shows all values well: 5 % of air on both sides; something around a constant.
[[nodiscard]] Range with_air(const Range& range);
/// The range itself, or something around it where it is empty.
[[nodiscard]] Range not_empty(const Range& range);

}  // namespace tieline::report
