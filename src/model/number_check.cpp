#include "model/number_check.hpp"

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

}  // namespace tieline::model
