#pragma once

#include <complex>
#include <span>
#include <vector>

namespace tieline::signals {

using Complex = std::complex<double>;

/// X_k = sum x_n exp(-2 pi i k n/N), in place, for any length: by halves where it is a power of two [Cooley1965], as a
/// convolution otherwise [Bluestein1970].
void transform(std::vector<Complex>& values);
/// The inverse, with its factor 1/N.
void transform_back(std::vector<Complex>& values);
/// Of real values.
[[nodiscard]] std::vector<Complex> transformed(std::span<const double> values);

}  // namespace tieline::signals
