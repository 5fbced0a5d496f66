#pragma once

#include <bit>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include "wave/lanes.hpp"

/// Two numbers at once, and the functions of them that slices of a contact need. No operation mixes the two, and none
/// depends on the machine, so that results have the same bits on all.
namespace tieline::bearings {

using Doubles = wave::Lanes::Pair;

[[nodiscard]] inline Doubles both(double value) { return Doubles{value, value}; }
[[nodiscard]] inline double sum_of(const Doubles& a) { return a[0] + a[1]; }
[[nodiscard]] inline Doubles root_of(const Doubles& a) { return Doubles{std::sqrt(a[0]), std::sqrt(a[1])}; }
[[nodiscard]] inline Doubles larger(const Doubles& a, const Doubles& b) { return a > b ? a : b; }
[[nodiscard]] inline Doubles smaller(const Doubles& a, const Doubles& b) { return a < b ? a : b; }

/// exp(z) - 1 without the loss of digits near 0; arguments beyond 700 in size count as 700. With z = n ln 2 + r, where
/// n is whole and |r| at most ln(2)/2, it is 2^n (exp(r) - 1) + (2^n - 1). The first part is Taylor's series, whose
/// remainder r^14/14! is below a rounding.
[[nodiscard]] inline Doubles exp_less_one(Doubles z) {
  using Bits = long long __attribute__((vector_size(2 * sizeof(long long))));
  constexpr double kFar = 700.0;
  z = smaller(larger(z, both(-kFar)), both(kFar));
  // Added to a number below 2^51, this leaves a whole number in the last bits.
  const Doubles whole = both(6755399441055744.0);
  const Doubles shifted = z * (1.0 / std::numbers::ln2) + whole, n = shifted - whole;
  // ln 2 in two parts, of which the first has so few digits that n times it is exact.
  const Doubles r = (z - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  Doubles series = both(1.0 / 6227020800.0);
  for (const double inverse_factorial :
       {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
        1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0}) {
    series = series * r + inverse_factorial;
  }
  // 2^n: its exponent is n.
  const Bits bits = (std::bit_cast<Bits>(shifted) << 52) + Bits{0x3ff0000000000000, 0x3ff0000000000000};
  const Doubles power = std::bit_cast<Doubles>(bits);
  return power * (series * r) + (power - 1.0);
}

/// tanh(x)/x for x > 0.
[[nodiscard]] inline Doubles tanh_ratio(const Doubles& x) {
  const Doubles e = exp_less_one(-2.0 * x);
  return -e / ((2.0 + e) * x);
}

}  // namespace tieline::bearings
