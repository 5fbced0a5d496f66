#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "components/multibody/kinematics.hpp"
#include "components/multibody/tree.hpp"

namespace tieline::components {

/// A symmetric 3x3 matrix.
struct Symmetric3 {
  double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;

  [[nodiscard]] Eigen::Vector3d operator*(const Eigen::Vector3d& v) const {
    return {xx * v.x() + xy * v.y() + xz * v.z(), xy * v.x() + yy * v.y() + yz * v.z(),
            xz * v.x() + yz * v.y() + zz * v.z()};
  }
  void subtract_square(double factor, const Eigen::Vector3d& v) {
    const Eigen::Vector3d f = factor * v;
    xx -= f.x() * v.x(), xy -= f.x() * v.y(), xz -= f.x() * v.z();
    yy -= f.y() * v.y(), yz -= f.y() * v.z(), zz -= f.z() * v.z();
  }
};

/// A turning part (angular, torque) and a moving one (linear, force), of accelerations at a point or of efforts there.
struct Spatial {
  Eigen::Vector3d turn = Eigen::Vector3d::Zero(), move = Eigen::Vector3d::Zero();
};

/// Efforts by accelerations: torque = turning alpha + mixed a, force = mixed' alpha + moving a.
struct SpatialInertia {
  Symmetric3 turning{}, moving{};
  Eigen::Matrix3d mixed{};
};

/// How a tree of bodies moves and how it accelerates, by the recursion over articulated bodies of [Featherstone2008],
/// chapter 7, in world axes, each link's quantities at the origin of its joint's frame.
///
///   there     here
///   S         Freedom: an axis, about which or along which the link moves against the one before it
///   U, D, u   Freedom: response, 1 / inverse, drive
///   I^A, p^A  SpatialInertia, efforts of a link
///   c         bias
///
/// Freedoms of one joint are taken one after the other, as if massless links were between them. Accelerations are those
/// of material points, so that a joint needs no more than its axis. Effort grows with the number of links.
///
/// `place`, then `articulate`, then either `accelerate` or `respond`. Links and bases stand in one row, see Tree.
class ArticulatedTree {
 public:
  explicit ArticulatedTree(const Tree& tree);

  /// Of a base or a link.
  struct Motion {
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    Eigen::Matrix3d A = Eigen::Matrix3d::Identity();  ///< from K to world axes
    Eigen::Vector3d x = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero(), omega = Eigen::Vector3d::Zero();
    Eigen::Vector3d d = Eigen::Vector3d::Zero();  ///< from the origin of the one before it
    Spatial bias{};                               ///< acceleration where all others are zero
    Spatial acceleration{};
  };
  struct Freedom {
    Eigen::Vector3d axis = Eigen::Vector3d::Zero();
    bool is_rotation = true;
    Spatial response{};    ///< effort that a unit acceleration needs
    double inverse = 0.0;  ///< of the inertia along it
    double drive = 0.0;    ///< effort along it
    double acceleration = 0.0;
    [[nodiscard]] double along(const Spatial& effort) const {
      return axis.dot(is_rotation ? effort.turn : effort.move);
    }
  };

  /// Positions and velocities from the states. Prescribed frames are taken as they are placed.
  void place(std::span<const double> y, const Kinematics& kinematics);
  /// Articulated inertias of the motion placed. Efforts become those that the motion needs without accelerations.
  void articulate(const Eigen::Vector3d& gravity);
  void clear_efforts();
  /// An effort on a link: a torque and a force at a point.
  void act(int place, const Eigen::Vector3d& torque, const Eigen::Vector3d& force, const Eigen::Vector3d& at) {
    Spatial& effort = efforts_[static_cast<std::size_t>(place)];
    effort.turn -= torque + (at - motions_[static_cast<std::size_t>(place)].x).cross(force);
    effort.move -= force;
  }
  /// Passes efforts to the roots: the freedoms' drives. Biases count only with the motion.
  void gather(bool with_motion);
  /// Accelerations of all links by the drives of their freedoms.
  void accelerate(bool with_motion);
  /// Rates of the states by the motion and the accelerations. False if they are not finite.
  bool rates(std::span<const double> y, std::span<double> ydot) const;
  /// The freedoms' accelerations as changes of positions, or of rates.
  void move_positions(std::span<double> y) const;
  void move_rates(std::span<double> y, double factor = 1.0) const;

  /// Drives of the freedoms on a way to the root by efforts on its links alone; `efforts` is used up. `path` falls.
  void gather_along(std::span<const int> path, std::span<Spatial> efforts, int driven, std::span<double> drives) const;

  [[nodiscard]] const Tree& tree() const { return tree_; }
  [[nodiscard]] const Motion& motion(int place) const { return motions_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] Freedom& freedom(std::size_t i) { return freedoms_[i]; }
  [[nodiscard]] const Freedom& freedom(std::size_t i) const { return freedoms_[i]; }
  /// Acceleration of a point of a link.
  [[nodiscard]] Eigen::Vector3d acceleration_at(int place, const Eigen::Vector3d& x) const;
  /// What the joint before each link exerts on it, at the origin of its K, by the accelerations; `efforts` are others
  /// that act beside the weight and those of `act`. By place.
  void find_reactions(const Eigen::Vector3d& gravity, std::span<const Spatial> efforts,
                      std::span<Spatial> reactions) const;

 private:
  void place_link(const TreeLink& link, Motion& motion, std::span<const double> y);
  void reduce(const TreeLink& link, SpatialInertia& inertia);
  /// A link's own inertia, and the effort that its motion needs against its weight.
  static void weigh(const TreeLink& link, const Motion& motion, const Eigen::Vector3d& gravity, SpatialInertia& inertia,
                    Spatial& effort);

  const Tree& tree_;
  std::vector<Motion> motions_;           ///< by place
  std::vector<SpatialInertia> inertias_;  ///< by place: own ones, articulated ones, those of them that are passed on
  std::vector<Spatial> efforts_;          ///< by place
  std::vector<Freedom> freedoms_;
};

}  // namespace tieline::components
