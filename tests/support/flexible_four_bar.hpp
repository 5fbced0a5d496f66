#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <numbers>

#include "support/runge_kutta.hpp"

namespace tieline::support {

/// The four-bar linkage with a flexible bar of [Wang2003], example 3, in coordinates that need no conditions.
///
/// Bar 1 turns about A (0, 0), bar 2 joins its end with C, the flexible bar 3 turns about D (2, 0) and reaches to C.
/// With the angles of bars 1 and 2 the place of C is known, and so are the angle and the stretch of bar 3; free are
/// these two angles and the two bending modes. The beam's integrals are closed forms. Solved by the classical
/// Runge-Kutta method. Independent of everything under test.
class FlexibleFourBar {
 public:
  using Vector = Eigen::Vector4d;  ///< angle 1, angle 2, bending modes 1 and 2
  double mass1 = 10.0, mass2 = 20.0, beam_mass = 5.0;
  double length1 = 1.0, length2 = 2.0, span = 2.0;  ///< the beam is 1 m long

  std::array<double, 3> damping{0.1, 0.1, 0.1};  ///< ratios of stretch and of both bending modes

  Vector q{0.3, 0.0, 0.0, 0.0}, rate{-2.0, 0.0, 0.0, 0.0};

  void run_to(double t_end, double step) {
    const auto f = [this](double t, const Vector& place, const Vector& speed) { return acceleration(t, place, speed); };
    integrate_twice(f, t_, t_end, step, q, rate);
    t_ = t_end;
  }
  [[nodiscard]] Eigen::Vector2d joint_c() const {
    return {length1 * std::cos(q[0]) + length2 * std::cos(q[1]), length1 * std::sin(q[0]) + length2 * std::sin(q[1])};
  }

 private:
  [[nodiscard]] static double torque(double t) { return t < 0.1 ? -1000.0 * t : -100.0; }

  [[nodiscard]] Vector acceleration(double t, const Vector& x, const Vector& v) const {
    using Eigen::Vector2d;
    constexpr double pi = std::numbers::pi;
    // Bars 1 and 2: angles only.
    const double c = std::cos(x[0] - x[1]), s = std::sin(x[0] - x[1]);
    Eigen::Matrix<double, 6, 6> M = Eigen::Matrix<double, 6, 6>::Zero();  // angles 1, 2, 3, stretch, bending 1, 2
    Eigen::Matrix<double, 6, 1> f = Eigen::Matrix<double, 6, 1>::Zero();
    const double coupled = 0.5 * mass2 * length1 * length2;
    M(0, 0) = (mass1 / 3.0 + mass2) * length1 * length1;
    M(1, 1) = mass2 * length2 * length2 / 3.0;
    M(0, 1) = M(1, 0) = coupled * c;
    f[0] = torque(t) - coupled * s * v[1] * v[1];
    f[1] = coupled * s * v[0] * v[0];
    // Where C is, seen from D.
    const Vector2d e1(std::cos(x[0]), std::sin(x[0])), e2(std::cos(x[1]), std::sin(x[1]));
    const Vector2d t1(-e1.y(), e1.x()), t2(-e2.y(), e2.x());
    const Vector2d p = length1 * e1 + length2 * e2 - Vector2d(span, 0.0);
    const Vector2d p_rate = length1 * v[0] * t1 + length2 * v[1] * t2;
    const Vector2d p_bias = -length1 * v[0] * v[0] * e1 - length2 * v[1] * v[1] * e2;
    const double distance = p.norm();
    const Vector2d er = p / distance, et(-er.y(), er.x());
    const double stretch = distance - 1.0, stretch_rate = er.dot(p_rate), w = et.dot(p_rate) / distance;
    // Velocities of (angle 1, angle 2, angle 3, stretch, bending) by those of the four coordinates, and the bias.
    Eigen::Matrix<double, 6, 4> G = Eigen::Matrix<double, 6, 4>::Zero();
    G(0, 0) = G(1, 1) = G(4, 2) = G(5, 3) = 1.0;
    G.block<1, 2>(2, 0) << length1 * et.dot(t1) / distance, length2 * et.dot(t2) / distance;
    G.block<1, 2>(3, 0) << length1 * er.dot(t1), length2 * er.dot(t2);
    Eigen::Matrix<double, 6, 1> bias = Eigen::Matrix<double, 6, 1>::Zero();
    bias[2] = (et.dot(p_bias) - 2.0 * stretch_rate * w) / distance;
    bias[3] = er.dot(p_bias) + distance * w * w;
    // The beam, of length 1: integrals of its fields.
    const double mu = beam_mass, x1 = 4.0 / (pi * pi), b2 = 1.0 / pi, b3 = -0.5 / pi;
    const double a12 = 4.0 / (3.0 * pi), a13 = -8.0 / (15.0 * pi);
    const double q1 = stretch, q2 = x[2], q3 = x[3], r1 = stretch_rate, r2 = v[2], r3 = v[3];
    const double inertia = 1.0 / 3.0 + 2.0 * q1 * x1 + 0.5 * (q1 * q1 + q2 * q2 + q3 * q3);
    const double inertia_rate = 2.0 * r1 * x1 + q1 * r1 + q2 * r2 + q3 * r3;
    const double bent = a12 * q2 + a13 * q3, bent_rate = a12 * r2 + a13 * r3;
    M(2, 2) = mu * inertia;
    M(2, 3) = M(3, 2) = -mu * bent;
    M(2, 4) = M(4, 2) = mu * (b2 + q1 * a12);
    M(2, 5) = M(5, 2) = mu * (b3 + q1 * a13);
    M(3, 3) = M(4, 4) = M(5, 5) = 0.5 * mu;
    f[2] = -mu * inertia_rate * w;
    f[3] = mu * (2.0 * w * bent_rate + 0.5 * w * w * (2.0 * x1 + q1));
    f[4] = mu * (0.5 * w * w * q2 - 2.0 * w * r1 * a12);
    f[5] = mu * (0.5 * w * w * q3 - 2.0 * w * r1 * a13);
    const double E = 210e9, r = 0.015, area = pi * r * r, moment = pi / 4.0 * r * r * r * r;
    const std::array<double, 3> k{E * area * pi * pi / 8.0, 0.5 * E * moment * std::pow(pi, 4),
                                  8.0 * E * moment * std::pow(pi, 4)};
    const std::array<double, 3> deformed{q1, q2, q3}, deforming{r1, r2, r3};
    for (int i = 0; i < 3; ++i) {
      const auto n = static_cast<std::size_t>(i);
      f[3 + i] -= k[n] * deformed[n] + 2.0 * damping[n] * std::sqrt(0.5 * k[n] * mu) * deforming[n];
    }
    return (G.transpose() * M * G).ldlt().solve(G.transpose() * (f - M * bias));
  }

  double t_ = 0.0;
};

}  // namespace tieline::support
