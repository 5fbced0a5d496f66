#include "model/validate_relation.hpp"

#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace tieline::model {
namespace {

using document::Diagnostics;
using document::Element;

void refuse_units(const Element& element, Diagnostics& diagnostics) {
  for (const std::string_view attribute : {"from_unit", "to_unit", "adds"}) {
    if (!element.has(attribute)) continue;
    const std::string_view instead =
        attribute == "adds"
            ? "forces of several connections at one interface add up if all of them are glued"
            : "physical interfaces have SI units: an FMU's variables are converted by the units that they state, and a "
              "lever or a gear along one axis is a 'scale'";
    diagnostics.error(element.place_of(attribute), fmt::format("'{}' is for signals; {}", attribute, instead));
  }
}

}  // namespace

void validate_relation(const Connection& connection, Diagnostics& diagnostics) {
  const Element& element = connection.declaration;
  const bool is_physical = connection.coupling != Coupling::signal;
  if (is_physical) refuse_units(element, diagnostics);
  if (!connection.signal.scale) return;
  // A signal may be multiplied by zero; a gear may not.
  const double scale = *connection.signal.scale;
  if (std::isfinite(scale) && !(is_physical && scale == 0.0)) return;
  diagnostics.error(
      element.place_of("scale"),
      fmt::format("scale = {} is not valid: expected a finite number{}", scale,
                  is_physical ? " other than 0, the motion of the 'to' end by that of the 'from' end" : ""));
}

void refuse_ratio(const Connection& connection, core::Domain domain, Diagnostics& diagnostics) {
  const bool is_thermal = domain == core::Domain::thermal;
  if (!is_thermal && domain != core::Domain::mechanical3d) return;
  for (const std::string_view attribute : {"scale", "offset"}) {
    if (!connection.declaration.has(attribute)) continue;
    const std::string_view why =
        is_thermal
            ? "for heat: a heat flow that changes on its way would create energy"
            : "in space, where positions and rotations cannot both have a ratio; expected another frame of an end "
              "(from_position, from_angles, to_position, to_angles), or an interface at a joint, which is along "
              "one axis";
    diagnostics.error(connection.declaration.place_of(attribute), fmt::format("'{}' is not valid {}", attribute, why));
  }
}

}  // namespace tieline::model
