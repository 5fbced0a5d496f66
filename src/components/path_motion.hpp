#pragma once

#include <span>

#include "components/time_signal.hpp"
#include "core/space_curve.hpp"

namespace tieline::components {

/// Where a path of six functions (x, y, z, and three angles as in Placement) is, and how it moves.
[[nodiscard]] core::SpaceState path_state(std::span<const TimeSignal, 6> functions, double t, wave::Side side,
                                          std::span<const double> inputs, std::span<const double> input_rates);

}  // namespace tieline::components
