#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"

namespace tieline::model {

/// Limits of a number; one that is absent, or could not be computed (reported), passes.
struct Limits {
  double least = 0.0;
  bool may_equal_least = false;
  double most = std::numeric_limits<double>::infinity();  ///< not reached
};

/// Reports a number that is beyond its limits, at its attribute.
void check_number(std::optional<double> value, const document::Element& element, std::string_view attribute,
                  const Limits& limits, document::Diagnostics& diagnostics);

/// Why rows at an interval [s] (0: every step) over the duration that the model states [s] are too many to be recorded;
/// nothing where they are not.
[[nodiscard]] std::optional<std::string> too_many_rows(double interval, double duration);

}  // namespace tieline::model
