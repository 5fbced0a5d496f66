#pragma once

#include <Eigen/Core>

#include "railway/track_spec.hpp"

namespace tieline::railway {

/// The matrices of a slab track in a window of fixed length.
///
/// Freedoms: modal coordinates of unit mass. Of each rail (left, right) its sines sin(k pi x / L) in vertical bending,
/// lateral bending and twist; of each slab with its base the products of free beams' functions of both plates; and of
/// each slab its lateral displacement. z is upwards, y to the left, twist about x.
class TrackModel {
 public:
  explicit TrackModel(const TrackSpec& spec);

  static constexpr int kRailFields = 6;  ///< vertical left, right; lateral left, right; twist left, right
  enum Field { kVertical = 0, kLateral = 2, kTwist = 4 };

  [[nodiscard]] int size() const { return rail_size() + slab_size() + lateral_size(); }
  [[nodiscard]] int modes() const { return modes_; }
  [[nodiscard]] int rail_size() const { return kRailFields * modes_; }
  [[nodiscard]] int plate_size() const { return plate_; }
  [[nodiscard]] int slab_size() const { return spec_.is_rigid_below ? 0 : 2 * plate_ * spec_.slabs; }
  [[nodiscard]] int lateral_size() const { return spec_.is_rigid_below ? 0 : spec_.slabs; }

  /// Squares of the rails' natural angular frequencies without fasteners, as columns of fields [1/s^2].
  [[nodiscard]] const Eigen::MatrixXd& rail_stiffness() const { return rail_stiffness_; }
  /// Adds the forces of fasteners, layers and plates by coordinates q and rates v, as accelerations.
  void add_forces(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& acceleration) const;
  /// Elastic energy, and power lost [J], [W].
  [[nodiscard]] double potential(const Eigen::VectorXd& q) const;
  [[nodiscard]] double lost_power(const Eigen::VectorXd& v) const;

  /// Of field and place x: the shape and its derivatives, which coordinates are multiplied by.
  void shapes(double x, Eigen::Ref<Eigen::MatrixX3d> value_slope_curvature) const;
  [[nodiscard]] double norm(int field) const { return field < kTwist ? bending_norm_ : twist_norm_; }

  /// Coordinates at rest under vertical loads (field kVertical of either rail) at places.
  struct Load {
    int rail = 0;
    double x = 0.0;      ///< [m]
    double force = 0.0;  ///< upwards [N]
  };
  [[nodiscard]] Eigen::VectorXd at_rest(const std::vector<Load>& loads) const;

  /// The same motion seen in a window that is one slab further on.
  void shift(Eigen::Ref<Eigen::VectorXd> coordinates) const;

 private:
  using Fields = Eigen::Matrix<double, Eigen::Dynamic, kRailFields>;
  /// Displacements of what is below the fasteners: as columns of fields, without twist.
  void place_below(const Eigen::VectorXd& q, Fields& below) const;
  void build_rails();
  void build_slabs();

  TrackSpec spec_;
  int modes_ = 0, plate_ = 0;
  double bending_norm_ = 0.0, twist_norm_ = 0.0;
  Eigen::MatrixXd rail_stiffness_;
  Eigen::MatrixXd sines_;           ///< by fastener and mode
  Eigen::MatrixXd slab_stiffness_;  ///< of a slab with its base
  Eigen::MatrixXd slab_damping_;
  Eigen::MatrixXd slab_at_fasteners_;  ///< by fastener (left ones first) and function
  double slab_lateral_ = 0.0;          ///< 1 / sqrt(mass)
  double lateral_stiffness_ = 0.0, lateral_damping_ = 0.0;
  Eigen::MatrixXd shift_;
  mutable Fields rail_, rail_rates_, below_, below_rates_, forces_;
};

}  // namespace tieline::railway
