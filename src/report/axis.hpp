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

/// Ticks of a logarithmic axis: at powers of ten where the range (of decades: -3 to -1 is 0.001 to 0.1) has room for
/// two, at 1, 2 and 5 times these where that is no more than `most`, and in a narrow range at round numbers. Values are
/// decades, labels what they stand for.
[[nodiscard]] Axis choose_decade_ticks(const Range& decades, int most);

/// A range that shows all values well: 5 % of air on both sides; something around a constant.
[[nodiscard]] Range with_air(const Range& range);
/// The range itself, or something around it where it is empty.
[[nodiscard]] Range not_empty(const Range& range);

}  // namespace tieline::report
