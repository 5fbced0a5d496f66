#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace tieline::bearings {

/// A number with its derivatives by N variables: formulas written for it are differentiated exactly.
template <std::size_t N>
struct Dual {
  double value = 0.0;
  std::array<double, N> slopes{};

  Dual(double constant = 0.0) : value(constant) {}
  static Dual variable(double value, std::size_t which) {
    Dual result(value);
    result.slopes[which] = 1.0;
    return result;
  }
  /// f of this number, where f has this value and this derivative.
  [[nodiscard]] Dual chain(double result, double derivative) const {
    Dual out(result);
    for (std::size_t i = 0; i < N; ++i) out.slopes[i] = derivative * slopes[i];
    return out;
  }
  [[nodiscard]] Dual plus(const Dual& other, double a, double b, double result) const {
    Dual out(result);
    for (std::size_t i = 0; i < N; ++i) out.slopes[i] = a * slopes[i] + b * other.slopes[i];
    return out;
  }

  friend Dual operator+(const Dual& a, const Dual& b) { return a.plus(b, 1.0, 1.0, a.value + b.value); }
  friend Dual operator-(const Dual& a, const Dual& b) { return a.plus(b, 1.0, -1.0, a.value - b.value); }
  friend Dual operator*(const Dual& a, const Dual& b) { return a.plus(b, b.value, a.value, a.value * b.value); }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double ratio = a.value / b.value;
    return a.plus(b, 1.0 / b.value, -ratio / b.value, ratio);
  }
  friend Dual operator-(const Dual& a) { return a.chain(-a.value, -1.0); }
  friend Dual sqrt(const Dual& a) {
    const double root = std::sqrt(a.value);
    return a.chain(root, 0.5 / root);
  }
};

template <std::size_t N>
[[nodiscard]] double value_of(const Dual<N>& number) {
  return number.value;
}
[[nodiscard]] inline double value_of(double number) { return number; }

}  // namespace tieline::bearings
