#include "signals/fft.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numbers>
#include <utility>

namespace tieline::signals {
namespace {

using std::numbers::pi;

/// Length a power of two.
void transform_by_halves(std::vector<Complex>& values) {
  const std::size_t n = values.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  // Each factor from its own angle: products of factors would lose digits with the length.
  std::vector<Complex> factors(n / 2);
  for (std::size_t k = 0; k < factors.size(); ++k) {
    factors[k] = std::polar(1.0, -2.0 * pi * static_cast<double>(k) / static_cast<double>(n));
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    const std::size_t half = length / 2, stride = n / length;
    for (std::size_t start = 0; start < n; start += length) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex a = values[start + k], b = values[start + k + half] * factors[k * stride];
        values[start + k] = a + b;
        values[start + k + half] = a - b;
      }
    }
  }
}

/// exp(-i pi k^2/n); k^2 is taken modulo 2n first, which loses nothing.
Complex chirp(std::size_t k, std::size_t n) {
  const auto square = static_cast<unsigned long long>(k) * k % (2ULL * n);
  return std::polar(1.0, -pi * static_cast<double>(square) / static_cast<double>(n));
}

void transform_by_convolution(std::vector<Complex>& values) {
  const std::size_t n = values.size(), length = std::bit_ceil(2 * n - 1);
  std::vector<Complex> a(length), b(length);
  for (std::size_t k = 0; k < n; ++k) {
    const Complex c = chirp(k, n);
    a[k] = values[k] * c;
    b[k] = std::conj(c);
    if (k > 0) b[length - k] = std::conj(c);
  }
  transform_by_halves(a);
  transform_by_halves(b);
  for (std::size_t k = 0; k < length; ++k) a[k] *= b[k];
  transform_back(a);
  for (std::size_t k = 0; k < n; ++k) values[k] = a[k] * chirp(k, n);
}

}  // namespace

void transform(std::vector<Complex>& values) {
  if (values.size() < 2) return;
  if (std::has_single_bit(values.size())) {
    transform_by_halves(values);
  } else {
    transform_by_convolution(values);
  }
}

void transform_back(std::vector<Complex>& values) {
  if (values.empty()) return;
  transform(values);
  const double factor = 1.0 / static_cast<double>(values.size());
  for (Complex& value : values) value *= factor;
  std::reverse(values.begin() + 1, values.end());
}

std::vector<Complex> transformed(std::span<const double> values) {
  std::vector<Complex> result(values.begin(), values.end());
  transform(result);
  return result;
}

}  // namespace tieline::signals
