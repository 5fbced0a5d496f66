#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "core/spatial.hpp"
#include "wave/track.hpp"

namespace tieline::core {

/// A row of a recorded motion, in world axes.
struct MotionRow {
  double t = 0.0;  ///< [s]
  Pose pose{};
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< [rad/s]
};

/// A motion in space between recorded rows: position and orientation twice continuously differentiable in time.
///
/// Pieces are quintic, of the position and of the four parts of the quaternion, which is normalised afterwards: they
/// match values, rates and second rates at both rows. Second rates come from the rows around: of the quintic through
/// values and rates of three neighbours, which is of fourth order in their distance [s]. Rates that were not recorded
/// are those of the cubic spline through the values whose third derivative does not jump at the second row and at the
/// last but one. Before the first and after the last row it stands still.
///
/// A plain value; any thread may read it.
class MotionTrack {
 public:
  /// Rows with strictly ascending times, at least one.
  explicit MotionTrack(std::vector<MotionRow> rows, bool has_rates);

  struct State {
    Pose pose{};
    SpatialMotion motion{};
  };
  /// Where, and how it moves; at a row its second rates are the same on both sides.
  [[nodiscard]] State at(double t) const;
  [[nodiscard]] double begin() const { return knots_.front().t; }  ///< [s]
  [[nodiscard]] double end() const { return knots_.back().t; }     ///< [s]
  /// The next row after t [s]: pieces join there; wave::Track::kNever if there is none.
  [[nodiscard]] double next_row(double t) const;

 private:
  static constexpr int kNumbers = 7;  ///< position, then w, x, y, z
  using Numbers = Eigen::Matrix<double, kNumbers, 1>;
  struct Knot {
    double t = 0.0;
    Numbers value = Numbers::Zero(), rate = Numbers::Zero(), second = Numbers::Zero();
  };

  void find_rates();
  void find_second_rates();

  std::vector<Knot> knots_;
};

}  // namespace tieline::core
