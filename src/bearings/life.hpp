#pragma once

#include "bearings/equilibrium.hpp"

/// Load ratings and rating lives by [ISO281], [ISO76] and [ISO16281], from the geometry of a bearing.
namespace tieline::bearings {

struct LoadRatings {
  double fc = 0.0;       ///< factor of geometry, material and accuracy
  double dynamic = 0.0;  ///< C_r: radial load of a rating life of a million turns [N]
  double fixed = 0.0;    ///< C_0r: radial load at rest with 4200 MPa in the most loaded contact [N]
};

/// Of all rows together.
[[nodiscard]] LoadRatings load_ratings(const Bearing& bearing);

/// Life that nine of ten bearings reach.
struct RatingLife {
  double turns = 0.0;  ///< millions of turns; infinite without load
  double hours = 0.0;  ///< at the speed; infinite at rest
};

/// P = X Fr + Y Fa of ISO 281.
struct EquivalentLoad {
  double limit = 0.0;  ///< e, the ratio Fa/Fr above which the axial load counts fully
  double x = 1.0;
  double y = 0.0;
  double load = 0.0;  ///< P [N]
};
/// Radial and axial load [N]; moments have no place in this standard.
[[nodiscard]] EquivalentLoad equivalent_load(const Bearing& bearing, double radial, double axial);

/// L10 = (C/P)^3.
[[nodiscard]] RatingLife basic_life(double rating, double load, double speed);

/// ISO/TS 16281: from the loads of the balls, with moments, clearance and preload.
struct ReferenceLife {
  double inner_rating = 0.0;  ///< Q_ci: load of a ball for a million turns of the inner raceway [N]
  double outer_rating = 0.0;  ///< Q_ce [N]
  double inner_load = 0.0;    ///< Q_ei: equivalent load of the balls on the rotating inner ring, of the worst row [N]
  double outer_load = 0.0;    ///< Q_ee: on the outer ring at rest [N]
  RatingLife life{};
};
[[nodiscard]] ReferenceLife reference_life(const Bearing& bearing, const LoadedBearing& loaded, double speed);

}  // namespace tieline::bearings
