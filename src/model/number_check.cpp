#include "model/number_check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tieline::model {

void check_number(std::optional<double> value, const document::Element& element, std::string_view attribute,
                  const Limits& limits, document::Diagnostics& diagnostics) {
  if (!value) return;
  const bool is_low = limits.may_equal_least ? *value < limits.least : *value <= limits.least;
  if (std::isfinite(*value) && !is_low && *value < limits.most) return;
  const std::string upper = std::isfinite(limits.most) ? fmt::format(" and below {}", limits.most) : "";
  diagnostics.error(element.place_of(attribute),
                    fmt::format("{} = {} must be {} {}{}", attribute, *value,
                                limits.may_equal_least ? "at least" : "greater than", limits.least, upper));
}

std::optional<std::string> too_many_rows(double interval, double duration) {
  // 40 GB for a table of four columns; beyond that a mistake is more likely. Runs of more than a quarter of an hour may
  // be meant to be stopped by hand.
  constexpr double kMostRows = 1e9;
  constexpr double kLongest = 1e3;  // [s]
  const double least = std::min(duration, kLongest) / kMostRows;
  if (!(interval > 0.0) || !(interval < least)) return std::nullopt;
  return fmt::format(
      "= {:g} s would record {:.2g} rows in each table over {:g} s; expected at least {:.2g} s, or 0 for "
      "a row after each step",
      interval, duration / interval, duration, least);
}

}  // namespace tieline::model
