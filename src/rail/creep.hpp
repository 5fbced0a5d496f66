#pragma once

#include <array>

/// Tangential forces of rolling contact: Kalker's linear theory with the saturation of Shen, Hedrick and Elkins.
///
///   a, b   half axes of the ellipse, along and across the direction of rolling [m]
///   N      normal force [N], mu coefficient of friction, G shear modulus [Pa]
///   xi     creepages: slip over rolling speed, along, across, and of spin [1/m]
///
///   Fx = -f11 xi_x, Fy = -f22 xi_y - f23 xi_s, Mz = f23 xi_y - f33 xi_s       [Kalker1990]
///   f11 = G ab C11, f22 = G ab C22, f23 = G (ab)^1.5 C23, f33 = G (ab)^2 C33
///   F' = mu N (u - u^2/3 + u^3/27), u = F / (mu N) <= 3, beyond mu N             [Shen1983]
namespace tieline::rail {

/// Of steel, as Kalker's coefficients below are for Poisson's ratio 1/4.
inline constexpr double kShearModulus = 8.08e10;  ///< [Pa]
inline constexpr double kPoissonsRatio = 0.25;

/// Kalker's coefficients of an ellipse.
struct KalkerCoefficients {
  double c11 = 0.0, c22 = 0.0, c23 = 0.0, c33 = 0.0;
};
/// Interpolated between those of the table; beyond 0.1 and 10 those of its ends.
[[nodiscard]] KalkerCoefficients kalker_coefficients(double a_over_b);

/// Share of mu N that the linear force u mu N becomes.
[[nodiscard]] double saturated(double u);

struct Creepages {
  double along = 0.0, across = 0.0;
  double spin = 0.0;  ///< [1/m]
};

struct CreepForces {
  double along = 0.0, across = 0.0;  ///< on the wheel [N]
  double spin_moment = 0.0;          ///< [N m]
};
[[nodiscard]] CreepForces creep_forces(const Creepages& creepages, double a, double b, double normal_force,
                                       double friction);

}  // namespace tieline::rail
