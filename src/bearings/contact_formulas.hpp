#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bearings/groove_contact.hpp"

// The force of a groove on a ball, as a template of the number: a double, or a vector of several, one for each ball.
// No operation mixes lanes, none is contracted, and loops have one order, so that every lane has the bits that the
// formula gives for one double, on every processor.
//
//   there (docs/bearings.md)   here
//   c, n, delta                x along the axis and r outwards, n, approach
//   Q                          normal
//   u                          u_t along the groove, u_b across it
//
// Everything is inlined into its callers, which are compiled for one set of instructions each: how wide vectors are
// passed to a function depends on that set, so that no function of libraries takes one here.
namespace tieline::bearings::formulas {

/// Slip below which its direction is that of nothing [m/s].
inline constexpr double kNoSlip = 1e-9;
/// Rolling speeds below this count as this much, so that the ratio of slip to rolling stays finite [m/s].
inline constexpr double kSlowRolling = 1e-3;

/// Numbers that are computed together, and whole numbers of the same size.
template <std::size_t count>
struct VectorOf;
template <>
struct VectorOf<1> {
  using Number = double;
  using Integer = std::int64_t;
};
template <>
struct VectorOf<2> {
  using Number = double __attribute__((vector_size(16)));
  using Integer = std::int64_t __attribute__((vector_size(16)));
};
template <>
struct VectorOf<4> {
  using Number = double __attribute__((vector_size(32)));
  using Integer = std::int64_t __attribute__((vector_size(32)));
};
template <>
struct VectorOf<8> {
  using Number = double __attribute__((vector_size(64)));
  using Integer = std::int64_t __attribute__((vector_size(64)));
};

#define TIELINE_INLINE [[gnu::always_inline]] inline

template <class N>
inline constexpr std::size_t kLanes = sizeof(N) / sizeof(double);

template <class N>
TIELINE_INLINE N splat(double value) {
  return N{} + value;
}

template <class N>
TIELINE_INLINE N root(const N& a) {
  if constexpr (kLanes<N> == 1) {
    return std::sqrt(a);
  } else {
    N result{};
    for (std::size_t i = 0; i < kLanes<N>; ++i) result[i] = std::sqrt(a[i]);
    return result;
  }
}

template <class N>
TIELINE_INLINE N larger(const N& a, const N& b) {
  return a > b ? a : b;
}

template <class N>
TIELINE_INLINE N smaller(const N& a, const N& b) {
  return a < b ? a : b;
}

template <class N>
TIELINE_INLINE N size_of(const N& a) {
  return a < splat<N>(0.0) ? -a : a;
}

/// e^y as scale (1 + more), where scale is a power of two and more is small.
template <class N>
struct Exponential {
  N scale, more;
  TIELINE_INLINE N value() const { return scale + scale * more; }
  TIELINE_INLINE N less_one() const { return scale * more + (scale - 1.0); }
};

/// 1/n!
template <int n>
inline constexpr double kOver = kOver<n - 1> / n;
template <>
inline constexpr double kOver<0> = 1.0;

/// Series of Taylor for |r| <= ln(2)/2 after y = k ln 2 + r [Abramowitz1964, 4.2.1]: the remainder is below 1e-16.
template <class N>
TIELINE_INLINE Exponential<N> exponential(const N& y) {
  using Integer = typename VectorOf<kLanes<N>>::Integer;
  constexpr double kLimit = 700.0, kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
  // Adding this rounds to a whole number, which then is in the last digits.
  constexpr double kRounder = 0x1.8p52;
  const N bound = smaller<N>(larger<N>(y, splat<N>(-kLimit)), splat<N>(kLimit));
  const N shifted = bound * kLog2E + kRounder, k = shifted - kRounder;
  const N r = (bound - k * kLn2High) - k * kLn2Low, r2 = r * r;
  // Even and odd powers apart, so that two chains of multiplications run at once.
  const N even = kOver<2> + r2 * (kOver<4> + r2 * (kOver<6> + r2 * (kOver<8> + r2 * (kOver<10> + r2 * kOver<12>))));
  const N odd = kOver<3> + r2 * (kOver<5> + r2 * (kOver<7> + r2 * (kOver<9> + r2 * (kOver<11> + r2 * kOver<13>))));
  const Integer exponent = (__builtin_bit_cast(Integer, shifted) + 1023) << 52;
  return {__builtin_bit_cast(N, exponent), r + r2 * (even + r * odd)};
}

/// tanh(x)/x for x > 0.
template <class N>
TIELINE_INLINE N tanh_over(const N& x) {
  const N decay = exponential<N>(-2.0 * x).less_one();
  return -decay / ((2.0 + decay) * x);
}

/// mu(u)/u [s/m], for a slip above 0.
template <class N>
TIELINE_INLINE N friction_over_slip(const Traction& law, const N& slip, const N& rolling) {
  const double per_speed = 1.0 / law.slip_speed;
  const N decline = tanh_over<N>(slip * per_speed);
  if (law.law == Traction::Law::smooth) return law.coefficient * per_speed * decline;
  const N s = slip / larger<N>(rolling, splat<N>(kSlowRolling));
  const N mu = (law.a + law.b * s) * exponential<N>(-law.c * s).value() + law.d;
  return larger<N>(mu, splat<N>(0.0)) * per_speed * decline;
}

template <class N>
struct Triple {
  N x, y, z;
  TIELINE_INLINE friend Triple operator+(const Triple& a, const Triple& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  TIELINE_INLINE friend Triple operator-(const Triple& a, const Triple& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  TIELINE_INLINE friend Triple operator*(const N& a, const Triple& b) { return {a * b.x, a * b.y, a * b.z}; }
  TIELINE_INLINE friend Triple operator/(const Triple& a, const N& b) { return {a.x / b, a.y / b, a.z / b}; }
  TIELINE_INLINE N dot(const Triple& b) const { return x * b.x + y * b.y + z * b.z; }
  TIELINE_INLINE Triple cross(const Triple& b) const {
    return {y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x};
  }
};

template <class N>
TIELINE_INLINE Triple<N> splat(const Vector3& v) {
  return {splat<N>(v.x()), splat<N>(v.y()), splat<N>(v.z())};
}

/// Balls, and how flat spots change their contacts.
template <class N>
struct Balls {
  Triple<N> place, velocity, spin;
  N dip{};        ///< how far the bottom of the groove and the surface of the ball are drawn back [m]
  N tilt{};       ///< of the groove's bottom along it
  N spot_rate{};  ///< how fast a spot on the ball turns into the contact [m/s]
};

/// Contacts of balls with a groove.
template <class N>
struct Touches {
  Triple<N> q;         ///< ball from the ring's centre
  Triple<N> t, b, n;   ///< axes of the contact
  Triple<N> velocity;  ///< of the ball's centre against the ring there
  Triple<N> spin;      ///< of the ball against the ring
  N radius;            ///< of the ball's centre from the axis [m]
  N approach;          ///< 0 where they do not touch [m]
  N rate;              ///< of the approach [m/s]
  N normal;            ///< [N]
  N root_of_approach, arm;
};

/// How far a ball is in a groove, without flat spots; negative: a gap.
template <class N>
TIELINE_INLINE N approach_of(const Groove& groove, const RingMotion& ring, const Triple<N>& place) {
  const Triple<N> axis = splat<N>(ring.x), q = place - splat<N>(ring.centre);
  const N along = q.dot(axis);
  const Triple<N> radial = q - along * axis;
  const N x = along - groove.axial, r = root<N>(radial.dot(radial)) - groove.circle;
  return root<N>(x * x + r * r) - groove.reach;
}

/// Where nothing touches, what is not stated to be 0 may be anything.
template <class N>
TIELINE_INLINE Touches<N> touch(const Groove& groove, const RingMotion& ring, const Balls<N>& balls) {
  Touches<N> c;
  const N none = splat<N>(0.0);
  const Triple<N> axis = splat<N>(ring.x), turning = splat<N>(ring.spin);
  c.q = balls.place - splat<N>(ring.centre);
  const N along = c.q.dot(axis);
  const Triple<N> radial = c.q - along * axis;
  c.radius = root<N>(radial.dot(radial));
  const N x = along - groove.axial, r = c.radius - groove.circle;
  const N length = root<N>(x * x + r * r);
  c.approach = larger<N>(length - groove.reach - balls.dip, none);
  // In contact the length is at least the reach, and the radius that of the circle, so that both can be divided by.
  const Triple<N> outwards = radial / c.radius;
  c.n = (r * outwards + x * axis) / length;
  c.t = axis.cross(outwards);
  c.b = c.n.cross(c.t);
  c.velocity = balls.velocity - splat<N>(ring.velocity) - turning.cross(c.q);
  c.spin = balls.spin - turning;
  c.rate = c.velocity.dot(c.n) + balls.tilt * c.velocity.dot(c.t);
  c.root_of_approach = root<N>(c.approach);
  c.normal = groove.stiffness * c.approach * c.root_of_approach *
             larger<N>(1.0 + groove.damping * (c.rate - balls.spot_rate), none);
  c.arm = groove.ball_radius - 0.5 * c.approach;
  return c;
}

/// Mean speed of both surfaces along the groove, relative to the contact, which moves with the ball.
template <class N>
TIELINE_INLINE N rolling_speed(const RingMotion& ring, const Balls<N>& balls, const Touches<N>& c) {
  const Triple<N> axis = splat<N>(ring.x), surface = c.arm * c.n;
  const N centre = (balls.velocity - splat<N>(ring.velocity)).dot(c.t);
  const N contact = centre * (1.0 + c.arm * c.n.dot(c.q - c.q.dot(axis) * axis) / (c.radius * c.radius));
  const N on_ball = centre + balls.spin.cross(surface).dot(c.t);
  const N on_ring = splat<N>(ring.spin).cross(c.q + surface).dot(c.t);
  return 0.5 * size_of<N>(on_ball + on_ring - 2.0 * contact);
}

/// A value where balls touch, and 0 elsewhere.
template <class N>
TIELINE_INLINE N where(const N& approach, const N& value) {
  const N none = splat<N>(0.0);
  return approach > none ? value : none;
}
template <class N>
TIELINE_INLINE Triple<N> where(const N& approach, const Triple<N>& value) {
  return {where<N>(approach, value.x), where<N>(approach, value.y), where<N>(approach, value.z)};
}

template <class N>
struct Loads {
  Triple<N> force, moment;
  N elastic, lost;
};

/// On the balls, about their centres.
template <class N>
TIELINE_INLINE Loads<N> loads_on(const Groove& groove, const Traction& traction, const SliceRule& slices,
                                 const RingMotion& ring, const Balls<N>& balls) {
  const Touches<N> c = touch<N>(groove, ring, balls);
  const N none = splat<N>(0.0);
  const N v_t = c.velocity.dot(c.t), v_b = c.velocity.dot(c.b);
  const N w_t = c.spin.dot(c.t), w_b = c.spin.dot(c.b), w_n = c.spin.dot(c.n);
  const N half_length = groove.length_factor * c.root_of_approach;
  const N rolling = traction.law == Traction::Law::slide_roll ? rolling_speed<N>(ring, balls, c) : none;
  N force_t = none, force_b = none, moment_t = none, moment_b = none, moment_n = none, rubbed = none;
  for (std::size_t j = 0; j < slices.place.size(); ++j) {
    const N y = slices.place[j] * half_length, h = c.arm - 0.5 * groove.curvature * y * y;
    const N u_t = v_t + w_b * h - w_n * y, u_b = v_b - w_t * h;
    const N squares = u_t * u_t + u_b * u_b;
    const N slip = root<N>(squares + kNoSlip * kNoSlip);
    const N factor = slices.share[j] * c.normal * friction_over_slip<N>(traction, slip, rolling);
    const N f_t = -factor * u_t, f_b = -factor * u_b;
    force_t += f_t;
    force_b += f_b;
    moment_t -= h * f_b;
    moment_b += h * f_t;
    moment_n -= y * f_t;
    rubbed += factor * squares;
  }
  const N elastic = groove.stiffness * c.approach * c.root_of_approach;
  const Triple<N> force = (force_t - c.normal * balls.tilt) * c.t + force_b * c.b - c.normal * c.n;
  const Triple<N> moment = moment_t * c.t + moment_b * c.b + moment_n * c.n;
  const N lost = rubbed + c.normal * c.rate - elastic * (c.rate - balls.spot_rate);
  return {where<N>(c.approach, force), where<N>(c.approach, moment), where<N>(c.approach, 0.4 * elastic * c.approach),
          where<N>(c.approach, lost)};
}

}  // namespace tieline::bearings::formulas
