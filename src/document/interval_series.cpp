// Interval arithmetic and Taylor coefficients by recurrence: R. E. Moore (1966), "Interval analysis"; L. B. Rall
// (1981), "Automatic differentiation: techniques and applications". With c = f(u), c' = f'(u) u' gives k c_k = sum over
// j = 1..k of j u_j g_(k-j), g being the series of f'(u).

#include "document/interval_series.hpp"

#include <algorithm>
#include <numbers>

namespace tieline::document {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
/// Angles beyond this are known no better than a turn: the range of a sine is then all of it.
constexpr double kLargestAngle = 1e15;
/// Whole powers up to this are products, so that bases of both signs have them.
constexpr double kLargestProduct = 64.0;

template <class F>
Interval rising(const Interval& x, F f) {
  return {f(x.low), f(x.high)};
}

Interval square(const Interval& x) {
  const double a = x.low * x.low, b = x.high * x.high;
  return x.contains(0.0) ? Interval{0.0, std::max(a, b)} : Interval{std::min(a, b), std::max(a, b)};
}

/// Whether [low, high] contains phase + 2 pi k for some whole k.
bool contains_phase(const Interval& x, double phase) {
  return phase + kTurn * std::ceil((x.low - phase) / kTurn) <= x.high;
}

Interval cosine_range(const Interval& x) {
  if (!(x.magnitude() < kLargestAngle) || x.high - x.low >= kTurn) return {-1.0, 1.0};
  const double a = std::cos(x.low), b = std::cos(x.high);
  if (x.low == x.high) return {a, a};
  return {contains_phase(x, std::numbers::pi) ? -1.0 : std::min(a, b), contains_phase(x, 0.0) ? 1.0 : std::max(a, b)};
}

Interval sine_range(const Interval& x) {
  if (!(x.magnitude() < kLargestAngle) || x.high - x.low >= kTurn) return {-1.0, 1.0};
  const double a = std::sin(x.low), b = std::sin(x.high);
  if (x.low == x.high) return {a, a};
  constexpr double kQuarter = 0.5 * std::numbers::pi;
  return {contains_phase(x, -kQuarter) ? -1.0 : std::min(a, b), contains_phase(x, kQuarter) ? 1.0 : std::max(a, b)};
}

Interval cosh_range(const Interval& x) {
  const double a = std::cosh(x.low), b = std::cosh(x.high);
  return {x.contains(0.0) ? 1.0 : std::min(a, b), std::max(a, b)};
}

/// (1/k) sum of j u_j g_(k-j): coefficient k of the integral of g u'.
Interval chained(const Series& u, const Series& g, int k) {
  Interval sum;
  for (int j = 1; j <= k; ++j) {
    if (u.c[j].is_zero()) continue;
    sum = sum + Interval{double(j), double(j)} * u.c[j] * g.c[k - j];
  }
  return sum * Interval{1.0 / k, 1.0 / k};
}

/// c with the given value, and the derivative g of it by u.
void integrate(const Interval& value, const Series& u, const Series& g, int order, Series& c) {
  c.c[0] = value;
  for (int k = 1; k <= order; ++k) c.c[k] = chained(u, g, k);
}

/// The pairs sine and cosine (sign -1), hyperbolic sine and cosine (sign 1): s' = c u', c' = sign s u'.
void pair_of(const Series& u, const Interval& s0, const Interval& c0, double sign, int order, Series& s, Series& c) {
  s.c[0] = s0, c.c[0] = c0;
  for (int k = 1; k <= order; ++k) {
    s.c[k] = chained(u, c, k);
    c.c[k] = chained(u, s, k) * Interval{sign, sign};
  }
}

/// b + a u^2
void parabola(const Series& u, double b, double a, int order, Series& result) {
  Series squared;
  multiply(u, u, order, squared);
  squared.c[0] = square(u.c[0]);
  scale(squared, a, order, result);
  result.c[0] = result.c[0] + Interval{b, b};
}

/// The derivative by u of what has no recurrence of its own.
void derivative_of(SeriesFunction function, const Series& u, int order, Series& g) {
  Series inner;
  switch (function) {
    case SeriesFunction::arc_sine:
    case SeriesFunction::arc_cosine:
      parabola(u, 1.0, -1.0, order, inner);
      raise(inner, -0.5, order, g);
      return;
    case SeriesFunction::area_sine:
      parabola(u, 1.0, 1.0, order, inner);
      raise(inner, -0.5, order, g);
      return;
    case SeriesFunction::area_cosine:
      parabola(u, -1.0, 1.0, order, inner);
      raise(inner, -0.5, order, g);
      return;
    case SeriesFunction::arc_tangent:
      parabola(u, 1.0, 1.0, order, inner);
      raise(inner, -1.0, order, g);
      return;
    case SeriesFunction::area_tangent:
      parabola(u, 1.0, -1.0, order, inner);
      raise(inner, -1.0, order, g);
      return;
    default:
      raise(u, -1.0, order, g);  // the logarithm
  }
}

Interval value_of(SeriesFunction function, const Interval& x) {
  switch (function) {
    case SeriesFunction::arc_sine:
      return rising(x, [](double v) { return std::asin(std::clamp(v, -1.0, 1.0)); });
    case SeriesFunction::arc_cosine:
      return {std::acos(std::clamp(x.high, -1.0, 1.0)), std::acos(std::clamp(x.low, -1.0, 1.0))};
    case SeriesFunction::arc_tangent:
      return rising(x, [](double v) { return std::atan(v); });
    case SeriesFunction::area_sine:
      return rising(x, [](double v) { return std::asinh(v); });
    case SeriesFunction::area_cosine:
      return rising(x, [](double v) { return std::acosh(std::max(v, 1.0)); });
    case SeriesFunction::area_tangent:
      return rising(x, [](double v) { return std::atanh(std::clamp(v, -1.0, 1.0)); });
    default:
      return rising(x, [](double v) { return std::log(std::max(v, 0.0)); });
  }
}

void hyperbolic_tangent(const Series& u, int order, Series& result) {
  Series slope;  // 1 - c^2, found along with c
  result.c[0] = rising(u.c[0], [](double v) { return std::tanh(v); });
  slope.c[0] = Interval{1.0, 1.0} - square(result.c[0]);
  for (int k = 1; k <= order; ++k) {
    result.c[k] = chained(u, slope, k);
    Interval sum;
    for (int j = 0; j <= k; ++j) sum = sum - result.c[j] * result.c[k - j];
    slope.c[k] = sum;
  }
}

void whole_power(const Series& a, int exponent, int order, Series& result) {
  Series power = a, product;
  bool is_first = true;
  for (int left = exponent;;) {
    if (left % 2 != 0) {
      if (is_first) {
        result = power;
      } else {
        multiply(result, power, order, product);
        result = product;
      }
      is_first = false;
    }
    left /= 2;
    if (left == 0) break;
    multiply(power, power, order, product);
    product.c[0] = square(power.c[0]);
    power = product;
  }
}

}  // namespace

Interval operator+(const Interval& a, const Interval& b) {
  const Interval sum{a.low + b.low, a.high + b.high};
  return sum.low <= sum.high ? sum : Interval::everything();
}

Interval operator-(const Interval& a, const Interval& b) {
  const Interval difference{a.low - b.high, a.high - b.low};
  return difference.low <= difference.high ? difference : Interval::everything();
}

Interval operator*(const Interval& a, const Interval& b) {
  if (a.is_zero() || b.is_zero()) return {};
  if (!a.is_finite() || !b.is_finite()) return Interval::everything();
  const double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
  return {std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s))};
}

Interval operator/(const Interval& a, const Interval& b) {
  if (b.contains(0.0) || !b.is_finite() || !a.is_finite()) return Interval::everything();
  const double p = a.low / b.low, q = a.low / b.high, r = a.high / b.low, s = a.high / b.high;
  return {std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s))};
}

Interval hull(const Interval& a, const Interval& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

void set_constant(double value, Series& result) {
  result = {};
  result.c[0] = {value, value};
}

void set_everything(Series& result) { result.c.fill(Interval::everything()); }

void add(const Series& a, const Series& b, double sign, int order, Series& result) {
  for (int k = 0; k <= order; ++k) result.c[k] = sign > 0.0 ? a.c[k] + b.c[k] : a.c[k] - b.c[k];
}

void multiply(const Series& a, const Series& b, int order, Series& result) {
  for (int k = 0; k <= order; ++k) {
    Interval sum;
    for (int j = 0; j <= k; ++j) {
      if (!a.c[j].is_zero() && !b.c[k - j].is_zero()) sum = sum + a.c[j] * b.c[k - j];
    }
    result.c[k] = sum;
  }
}

void divide(const Series& a, const Series& b, int order, Series& result) {
  if (b.c[0].contains(0.0)) return set_everything(result);
  for (int k = 0; k <= order; ++k) {
    Interval sum = a.c[k];
    for (int j = 1; j <= k; ++j) sum = sum - b.c[j] * result.c[k - j];
    result.c[k] = sum / b.c[0];
  }
}

void scale(const Series& a, double factor, int order, Series& result) {
  for (int k = 0; k <= order; ++k) result.c[k] = a.c[k] * Interval{factor, factor};
}

void raise(const Series& a, double exponent, int order, Series& result) {
  const bool is_whole = exponent == std::floor(exponent) && std::abs(exponent) <= kLargestProduct;
  if (is_whole && exponent == 0.0) return set_constant(1.0, result);
  if (is_whole && exponent > 0.0) return whole_power(a, static_cast<int>(exponent), order, result);
  if (is_whole) {
    Series one, power;
    set_constant(1.0, one);
    whole_power(a, static_cast<int>(-exponent), order, power);
    return divide(one, power, order, result);
  }
  if (!(a.c[0].low > 0.0)) {
    set_everything(result);
    const double top = std::pow(std::max(a.c[0].high, 0.0), exponent);
    if (exponent > 0.0 && a.c[0].high >= 0.0) result.c[0] = {std::pow(std::max(a.c[0].low, 0.0), exponent), top};
    return;
  }
  const double p = std::pow(a.c[0].low, exponent), q = std::pow(a.c[0].high, exponent);
  result.c[0] = {std::min(p, q), std::max(p, q)};
  for (int k = 1; k <= order; ++k) {
    Interval sum;
    for (int j = 1; j <= k; ++j) {
      const double weight = exponent * j - (k - j);
      sum = sum + Interval{weight, weight} * a.c[j] * result.c[k - j];
    }
    result.c[k] = sum / (a.c[0] * Interval{double(k), double(k)});
  }
}

void apply(SeriesFunction function, const Series& a, int order, Series& result) {
  const Interval& x = a.c[0];
  Series other;
  switch (function) {
    case SeriesFunction::sine:
      return pair_of(a, sine_range(x), cosine_range(x), -1.0, order, result, other);
    case SeriesFunction::cosine:
      return pair_of(a, sine_range(x), cosine_range(x), -1.0, order, other, result);
    case SeriesFunction::tangent: {
      Series cosine;
      pair_of(a, sine_range(x), cosine_range(x), -1.0, order, other, cosine);
      divide(other, cosine, order, result);
      if (!cosine.c[0].contains(0.0)) result.c[0] = rising(x, [](double v) { return std::tan(v); });
      return;
    }
    case SeriesFunction::hyperbolic_sine:
    case SeriesFunction::hyperbolic_cosine: {
      const Interval sine = rising(x, [](double v) { return std::sinh(v); });
      const bool is_sine = function == SeriesFunction::hyperbolic_sine;
      return pair_of(a, sine, cosh_range(x), 1.0, order, is_sine ? result : other, is_sine ? other : result);
    }
    case SeriesFunction::hyperbolic_tangent:
      return hyperbolic_tangent(a, order, result);
    case SeriesFunction::exponential:
      result.c[0] = rising(x, [](double v) { return std::exp(v); });
      for (int k = 1; k <= order; ++k) result.c[k] = chained(a, result, k);
      return;
    case SeriesFunction::square_root:
      return raise(a, 0.5, order, result);
    default:
      break;
  }
  if (order > 0) derivative_of(function, a, order, other);
  if (function == SeriesFunction::arc_cosine) {
    Series negated;
    scale(other, -1.0, order, negated);
    return integrate(value_of(function, x), a, negated, order, result);
  }
  integrate(value_of(function, x), a, other, order, result);
}

}  // namespace tieline::document
