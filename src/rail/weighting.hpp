#pragma once

#include <array>
#include <complex>
#include <string_view>

#include "signals/resample.hpp"

namespace tieline::rail {

/// Frequency weightings of vibration for the comfort of seated and standing people [ISO2631-1]: `vertical` is its W_k,
/// `horizontal` its W_d.
enum class Weighting { vertical, horizontal };
inline constexpr std::array<std::string_view, 2> kWeightingNames{"W_k", "W_d"};

/// The transfer function of the weighting at a frequency [Hz]; 0 at none.
[[nodiscard]] std::complex<double> gain(Weighting weighting, double frequency);

/// Accelerations as they are felt: filtered causally, as by a filter that was at rest before, without their mean.
[[nodiscard]] signals::Samples weighted(const signals::Samples& accelerations, Weighting weighting);

}  // namespace tieline::rail
