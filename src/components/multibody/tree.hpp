#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "components/multibody/spec.hpp"

namespace tieline::components {

/// A body in a tree of bodies, and the joint that carries it.
///
/// The joint's frame on the body gives the link its axes K; of a free body they are the body's own at its centre of
/// mass. The states of a link are the coordinates of its joint and as many rates as it has freedoms:
///
///   revolute     angle                                   rate
///   prismatic    distance                                rate
///   cylindrical  angle, distance                         rates
///   universal    angle about z of `from`, about x of `to`  rates
///   spherical    quaternion of K on the frame before it  angular velocity against it, in K
///   free         centre of mass, quaternion              its velocity, angular velocity in K
///
/// Angles and distances are those of the joint's `to` against its `from`, whichever of them the link is.
struct TreeLink {
  int body = -1;
  int parent = 0;             ///< among the bases and links, always before it
  int joint = -1;             ///< -1: a free body
  JointSpec::Kind kind{};     ///< of the joint
  double sign = 1.0;          ///< -1: the joint leads from this body to the one before it
  core::Pose near{};          ///< the joint's frame on the parent, in the parent's axes
  core::Pose axes{};          ///< K on the body
  double mass = 0.0;          ///< [kg]
  Eigen::Vector3d center{};   ///< of mass, in K [m]
  Eigen::Matrix3d inertia{};  ///< about K's origin, in K [kg m^2]
  std::size_t first_state = 0, first_rate = 0;
  std::size_t first_freedom = 0, freedoms = 0;
  int unit = 0;  ///< links of different units do not act on one another by joints

  [[nodiscard]] bool is_free() const { return joint < 0; }
  [[nodiscard]] std::size_t positions() const { return first_rate - first_state; }
};

/// The bodies of a system as trees: each is carried by one of its joints or free, and the joints that are left close
/// loops.
///
/// Joints with many conditions come first into the trees, so that few conditions are left for the loops. A tree that
/// touches the world nowhere starts with the body that has most joints. Bases come before the links: the world at rest,
/// then each frame of the world whose motion is prescribed and that carries a body.
struct Tree {
  explicit Tree(const MultibodySpec& spec);

  std::vector<int> bases;  ///< frames; the first is -1, the world
  std::vector<TreeLink> links;
  std::vector<int> link_of_body;   ///< index in `links`
  std::vector<int> link_of_joint;  ///< the link that it carries, or -1: it closes a loop
  std::size_t states = 0, freedoms = 0;
  int units = 0;

  /// Where a link stands among bases and links.
  [[nodiscard]] int place_of(int link) const { return static_cast<int>(bases.size()) + link; }
  /// Of a body or the world.
  [[nodiscard]] int place_of_body(int body) const {
    return body == kWorld ? 0 : place_of(link_of_body[static_cast<std::size_t>(body)]);
  }

 private:
  void add_link(const MultibodySpec& spec, int body, int joint);
  void find_units(const MultibodySpec& spec);
};

}  // namespace tieline::components
