#pragma once

/// Elastic contact of two smooth bodies in a point [Hertz1881, Johnson1985].
namespace tieline::bearings {

struct Material {
  double youngs_modulus = 2.08e11;  ///< [Pa]
  double poissons_ratio = 0.3;
  double density = 7800.0;  ///< [kg/m^3]
};

inline constexpr Material kSteel{};
/// Silicon nitride, of which balls of hybrid bearings are made.
inline constexpr Material kCeramic{3.1e11, 0.26, 3200.0};

/// E' = 2 / ((1 - nu1^2)/E1 + (1 - nu2^2)/E2) [Pa]
[[nodiscard]] double effective_modulus(const Material& a, const Material& b);

/// Sums of the curvatures of both bodies in the two principal directions, which they share; hollow is negative.
struct Curvatures {
  double along = 0.0;   ///< of rolling [1/m]
  double across = 0.0;  ///< in the plane of the axis [1/m]

  [[nodiscard]] double sum() const { return along + across; }
};

/// What a contact is at every load. The long axis of its ellipse lies in the direction of the smaller curvature.
struct PointContact {
  double curvature_sum = 0.0;  ///< S [1/m]
  double ellipticity = 1.0;    ///< k = a/b >= 1
  double first = 0.0;          ///< K, complete elliptic integral of the parameter 1 - 1/k^2
  double second = 0.0;         ///< E, of the same
  double modulus = 0.0;        ///< E' [Pa]
  double stiffness = 0.0;      ///< K_h of Q = K_h delta^1.5 [N/m^1.5]
};

/// Ellipticity k >= 1 for a ratio of relative curvatures (the larger to the smaller, >= 1).
[[nodiscard]] double ellipticity_of(double curvature_ratio);

/// Both sums of curvatures must be positive.
[[nodiscard]] PointContact point_contact(const Curvatures& curvatures, double effective_modulus);

/// A contact under a load.
struct LoadedContact {
  double force = 0.0;        ///< [N]
  double approach = 0.0;     ///< of the two bodies [m]
  double half_length = 0.0;  ///< of the ellipse: a [m]
  double half_width = 0.0;   ///< b [m]
  double pressure = 0.0;     ///< the largest, in the middle [Pa]
  double tangent = 0.0;      ///< dQ/d(approach) [N/m]
};

[[nodiscard]] LoadedContact under_load(const PointContact& contact, double force);

/// The load at which the largest pressure is `pressure` [N].
[[nodiscard]] double load_at_pressure(const PointContact& contact, double pressure);

/// Stiffness of two contacts in series, through which the same force passes [N/m^1.5].
[[nodiscard]] double in_series(double a, double b);

}  // namespace tieline::bearings
