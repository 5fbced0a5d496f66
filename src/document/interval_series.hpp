#pragma once

#include <array>
#include <cmath>
#include <limits>

/// Truncated Taylor series with intervals for coefficients.
///
/// A series over a stretch [a, b] of time is written in s = (t - m) / r, with m its middle and r half its length.
/// Coefficient k encloses f^(k)(t) r^k / k! for every t of the stretch, not for its middle alone: so c[0] is a bound of
/// the function, the sign of c[1] shows where it is monotone, and |c[k]| bounds what a polynomial of degree k - 1 can
/// be wrong by [Moore1966]. Rounding of the bounds themselves is not accounted for.
namespace tieline::document {

struct Interval {
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] static Interval everything() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {-kInfinity, kInfinity};
  }
  [[nodiscard]] bool contains(double x) const { return low <= x && x <= high; }
  [[nodiscard]] bool is_finite() const { return std::isfinite(low) && std::isfinite(high); }
  [[nodiscard]] bool is_zero() const { return low == 0.0 && high == 0.0; }
  [[nodiscard]] double magnitude() const { return std::fmax(std::abs(low), std::abs(high)); }
};

[[nodiscard]] Interval operator+(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator-(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator*(const Interval& a, const Interval& b);
/// Everything where the divisor contains zero.
[[nodiscard]] Interval operator/(const Interval& a, const Interval& b);
/// The least interval that contains both.
[[nodiscard]] Interval hull(const Interval& a, const Interval& b);

inline constexpr int kSeriesOrder = 12;

struct Series {
  std::array<Interval, kSeriesOrder + 1> c{};
};

/// Functions of one argument that have a series.
enum class SeriesFunction {
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
  area_sine,
  area_cosine,
  area_tangent,
  exponential,
  natural_logarithm,
  square_root
};

// Up to the given order; results must not be one of the arguments.
void set_constant(double value, Series& result);
void set_everything(Series& result);
void add(const Series& a, const Series& b, double sign, int order, Series& result);
void multiply(const Series& a, const Series& b, int order, Series& result);
void divide(const Series& a, const Series& b, int order, Series& result);
void scale(const Series& a, double factor, int order, Series& result);
/// a ^ exponent.
void raise(const Series& a, double exponent, int order, Series& result);
void apply(SeriesFunction function, const Series& a, int order, Series& result);

}  // namespace tieline::document
