#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <vector>

#include "rail/creep.hpp"
#include "rail/profiles.hpp"

/// The lateral motion of the vehicle of the examples, written down once more: 17 freedoms and four Maxwell dampers.
///
/// Freedoms: of the car and of two frames y, roll, yaw; of four wheelsets y, yaw. Wheelsets roll as their contacts ask
/// for (`roll` per y). x forwards, y to the left, z upwards. Every force is that of a spring or damper along one
/// direction g of the freedoms: K += k g g', C += c g g'.
///
/// On a wheelset, of both wheels, with V the speed and s = 1 + r roll the contact's displacement per y:
///   -2 f22 s (s y'/V - yaw) - 2 f23 s (yaw'/V - bend y/r)                                  along y
///   -2 f11 l0 (conicity y/r + l0 yaw'/V) + 2 f23 (s y'/V - yaw) - 2 f33 (yaw'/V - bend y/r)   about z
/// Contacts spin at rest, angle/r, and so have used some of the friction. What is left of the creep coefficients is the
/// slope of the law of Shen, Hedrick and Elkins at that u = f23 angle / (r mu N): 1 - 2u/3 + u^2/9 along the force that
/// is there, 1 - u/3 + u^2/27 across it. And of the axle load W on contacts whose angles change by `slope` per y: -W
/// slope y, W l0 angle yaw.
namespace tieline::railway::vehicle_test {

struct Mode {
  double frequency = 0.0;  ///< [Hz]
  double damping = 0.0;    ///< ratio
};

/// Oscillations among the eigenvalues of a matrix, the least damped one first.
inline std::vector<Mode> modes_of(const Eigen::MatrixXd& J) {
  const Eigen::VectorXcd roots = Eigen::EigenSolver<Eigen::MatrixXd>(J, false).eigenvalues();
  std::vector<Mode> modes;
  for (const std::complex<double>& root : roots) {
    if (root.imag() > 1.0) modes.push_back({root.imag() / (2.0 * std::numbers::pi), -root.real() / std::abs(root)});
  }
  std::sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) { return a.damping < b.damping; });
  return modes;
}

/// What a wheelset that is displaced by y meets, per y; and the half axes of its contacts.
struct LinearContact {
  double conicity = 0.1, angle = 0.05;
  double roll = 0.0;                ///< [rad/m]
  double slope = 0.05 / 0.7465;     ///< of half the difference of the contact angles against the track [rad/m]
  double bend = 0.0;                ///< the same against the axle [rad/m]
  double a = 6.08e-3, b = 4.79e-3;  ///< [m]
};

/// Of a pair of profiles, by displacing a wheelset to either side.
inline LinearContact linear_contact(const rail::ConeAndFlange& shape, double wheel_load) {
  const auto table = *rail::ContactTable::make(*rail::cone_and_flange(shape), shape.radius);
  constexpr double y = 1e-3;
  double roll = 0.0;
  const auto wheel = [&](double side) { return table->at(side * (y + shape.radius * roll), side * roll); };
  for (int i = 0; i < 50; ++i) roll = (wheel(1.0).overlap - wheel(-1.0).overlap) / (2.0 * shape.half_span);
  const rail::ContactPlace left = wheel(1.0), right = wheel(-1.0), middle = table->at(0.0, 0.0);
  const double size = std::cbrt(wheel_load);
  LinearContact contact{.roll = roll / y, .a = middle.along * size, .b = middle.across * size};
  contact.conicity = (right.drop - left.drop) / (2.0 * y);
  contact.angle = middle.angle;
  contact.slope = (left.angle - right.angle) / (2.0 * y);
  contact.bend = contact.slope - contact.roll;
  return contact;
}

struct LateralVehicle {
  double speed = 350.0 / 3.6;  ///< [m/s]
  LinearContact contact{};
  bool has_yaw_dampers = true;
  double arm = 0.55;            ///< of the axle boxes, to the bushing [m]
  double guide_along = 1.47e7;  ///< stiffness of a box's guidance along the track [N/m]
  double guide_across = 6.5e6;  ///< [N/m]
  double guide_damping = 1e3;   ///< in both directions [N s/m]
  double wheel_load = 67639.9;  ///< [N]
  double friction = 0.3;        ///< infinite: creep forces are linear
};

inline std::vector<Mode> lateral_modes(const LateralVehicle& v) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  constexpr int n = 17, kDampers = 4, kWheelset = 9;
  constexpr double kCarMass = 42400.0, kCarRoll = 1.067e5, kCarYaw = 1.617e6;
  constexpr double kFrameMass = 2400.0, kFrameRoll = 1944.0, kFrameYaw = 2400.0;
  constexpr double kAxleMass = 1850.0, kAxleInertia = 967.0, kBoxMass = 70.0, kBoxInertia = 4.0;
  constexpr double kBogie = 8.75, kAxle = 1.25, kPrimary = 1.0, kSecondary = 1.23, kYawDamper = 1.35;
  constexpr double kBelowCar = 0.85, kAboveFrame = 0.16, kBelowFrame = 0.15, kRadius = 0.43, kSpan = 0.7465;
  constexpr double kLift = 1.176e6, kLiftDamping = 1.96e4, kAir = 1.784e5, kAirLift = 2.4e5, kOrifice = 2e4;
  constexpr double kLateralDamping = 2.0 * 3e4, kRollBar = 2e6, kSeries = 1e7, kMaxwell = 2.5e5;
  MatrixXd M = MatrixXd::Zero(n, n), K = M, C = M;
  const double sway = 1.0 + kRadius * v.contact.roll, roll = v.contact.roll;
  // Of a body (0 car, 1 and 2 frames, 3 to 6 wheelsets): motion of its point (x, y, z) along an axis.
  const auto across = [&](int body, double x, double z) -> VectorXd {
    VectorXd g = VectorXd::Zero(n);
    const int first = body < 3 ? 3 * body : kWheelset + 2 * (body - 3);
    g[first] = body < 3 ? 1.0 : 1.0 - z * roll;
    if (body < 3) g[first + 1] = -z;
    g[first + (body < 3 ? 2 : 1)] = x;
    return g;
  };
  const auto along = [&](int body, double y) -> VectorXd {
    VectorXd g = VectorXd::Zero(n);
    g[body < 3 ? 3 * body + 2 : kWheelset + 2 * (body - 3) + 1] = -y;
    return g;
  };
  const auto upwards = [&](int body, double y) -> VectorXd {
    VectorXd g = VectorXd::Zero(n);
    body < 3 ? g[3 * body + 1] = y : g[kWheelset + 2 * (body - 3)] = roll * y;
    return g;
  };
  const auto join = [&](const VectorXd& g, double stiffness, double damping) {
    K += stiffness * g * g.transpose(), C += damping * g * g.transpose();
  };
  M.diagonal().head(3) << kCarMass, kCarRoll, kCarYaw;
  std::vector<VectorXd> dampers;
  for (int f = 1; f <= 2; ++f) {
    const double bogie = f == 1 ? kBogie : -kBogie;
    M.diagonal().segment(3 * f, 3) << kFrameMass, kFrameRoll, kFrameYaw;
    for (int w = 0; w < 2; ++w) {
      const int body = 3 + 2 * (f - 1) + w;
      const double ahead = w == 0 ? 1.0 : -1.0;
      for (const double y : {kPrimary, -kPrimary}) {
        join(along(f, y) - along(body, y), v.guide_along, v.guide_damping);
        join(across(f, ahead * (kAxle - v.arm), -kBelowFrame) - across(body, -ahead * v.arm, 0.0), v.guide_across,
             v.guide_damping);
        join(upwards(f, y) - upwards(body, y), kLift, kLiftDamping);
      }
    }
    for (const double y : {kSecondary, -kSecondary}) {
      join(along(0, y) - along(f, y), kAir, 0.0);
      join(across(0, bogie, -kBelowCar) - across(f, 0.0, kAboveFrame), kAir, 0.0);
      join(upwards(0, y) - upwards(f, y), kAirLift, kOrifice);
    }
    join(across(0, bogie, -kBelowCar) - across(f, 0.0, kAboveFrame), 0.0, kLateralDamping);
    join(upwards(0, 1.0) - upwards(f, 1.0), kRollBar, 0.0);
    for (const double y : {kYawDamper, -kYawDamper}) dampers.push_back(along(0, y) - along(f, y));
  }
  const LinearContact& at = v.contact;
  const rail::KalkerCoefficients kalker = rail::kalker_coefficients(at.a / at.b);
  const double gab = rail::kShearModulus * at.a * at.b, root = std::sqrt(at.a * at.b), V = v.speed;
  const double load = 2.0 * v.wheel_load, spin = gab * root * kalker.c23 * at.angle / kRadius;
  const double u = spin / (v.friction * v.wheel_load);
  const double left_along = 1.0 - u / 3.0 + u * u / 27.0, left_across = 1.0 - 2.0 * u / 3.0 + u * u / 9.0;
  const double f11 = left_along * gab * kalker.c11, f22 = left_across * gab * kalker.c22;
  const double f23 = left_across * gab * root * kalker.c23, turn23 = left_along * gab * root * kalker.c23;
  const double f33 = left_along * gab * at.a * at.b * kalker.c33;
  for (int w = 0; w < 4; ++w) {
    const int y = kWheelset + 2 * w, yaw = y + 1;
    M(y, y) = kAxleMass + 2.0 * kBoxMass;
    M(yaw, yaw) = kAxleInertia + 2.0 * (kBoxInertia + kBoxMass * kPrimary * kPrimary);
    C(y, y) += 2.0 * f22 * sway * sway / V, K(y, yaw) -= 2.0 * f22 * sway;
    C(y, yaw) += 2.0 * f23 * sway / V, K(y, y) -= 2.0 * f23 * sway * at.bend / kRadius;
    K(yaw, y) += 2.0 * f11 * kSpan * at.conicity / kRadius, C(yaw, yaw) += 2.0 * f11 * kSpan * kSpan / V;
    C(yaw, y) -= 2.0 * turn23 * sway / V, K(yaw, yaw) += 2.0 * turn23;
    C(yaw, yaw) += 2.0 * f33 / V, K(yaw, y) -= 2.0 * f33 * at.bend / kRadius;
    K(y, y) += load * at.slope, K(yaw, yaw) -= load * kSpan * at.angle;
  }
  MatrixXd J = MatrixXd::Zero(2 * n + kDampers, 2 * n + kDampers);
  const MatrixXd soft = M.inverse();
  for (int i = 0; i < kDampers; ++i) {
    // A spring and a damper in a row; d the damper's extension: d' = (k/c) (g q - d).
    const VectorXd& g = dampers[static_cast<std::size_t>(i)];
    J(2 * n + i, 2 * n + i) = -kSeries / kMaxwell;
    if (!v.has_yaw_dampers) continue;
    K += kSeries * g * g.transpose();
    J.block(n, 2 * n + i, n, 1) = kSeries * soft * g;
    J.block(2 * n + i, 0, 1, n) = kSeries / kMaxwell * g.transpose();
  }
  J.topRightCorner(2 * n + kDampers, n + kDampers).topLeftCorner(n, n).setIdentity();
  J.block(n, 0, n, n) = -soft * K, J.block(n, n, n, n) = -soft * C;
  return modes_of(J);
}

/// The lowest speed at which it does not run straight [m/s], to 1 m/s; `most` if it always does.
inline double critical_speed(LateralVehicle v, double most) {
  for (v.speed = 10.0; v.speed < most; v.speed += 1.0) {
    if (lateral_modes(v).front().damping < 0.0) return v.speed;
  }
  return most;
}

}  // namespace tieline::railway::vehicle_test
