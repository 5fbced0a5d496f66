#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bearings/cage_contact.hpp"
#include "bearings/stiffness_bearing.hpp"
#include "components/beam_element.hpp"
#include "components/interface_info.hpp"
#include "core/motion_track.hpp"
#include "core/scene.hpp"
#include "core/spatial.hpp"
#include "document/time_function.hpp"
#include "rail/profiles.hpp"
#include "rail/rail_course.hpp"

// What a model of kind="multibody" says, after expressions are evaluated: plain data between the reader and the
// equations. Frames, bodies and joints refer to each other by index; poses are in world axes unless said otherwise.

namespace tieline::components {

inline constexpr int kWorld = -1;

/// Three functions of time and signals: a position, the angles of an orientation, a force.
using VectorFunction = std::array<document::TimeFunction, 3>;

/// A beam along x of its frame, which stands at its root.
struct BeamSpec {
  enum class Kind {
    finite_elements,  ///< of Euler and Bernoulli, in space
    assumed_modes,    ///< in the plane x-y: one sine along, two across; held at both ends across
  };
  Kind kind = Kind::finite_elements;
  double length = 0.0;                     ///< [m]
  int elements = 1;                        ///< of finite elements
  ElementProperties properties{};          ///< of sections and material
  double mass_damping = 0.0;               ///< Rayleigh's: of the mass matrix [1/s]
  double stiffness_damping = 0.0;          ///< of the stiffness matrix [s]
  std::array<double, 3> damping_ratios{};  ///< of the assumed modes: along, first and second across
};

/// A body, rigid or a beam: its reference frame B is where its parts are described.
struct BodySpec {
  std::string name{};
  double mass = 0.0;                                           ///< [kg]
  Eigen::Vector3d center = Eigen::Vector3d::Zero();            ///< centre of mass in B [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();           ///< about the centre of mass, in B's axes [kg m^2]
  core::Pose pose{};                                           ///< of B at the start
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          ///< of B's origin at the start [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< at the start, in world axes [rad/s]
  std::vector<core::Shape> shapes{};                           ///< what it is made of, as far as shapes say it, in B
  std::optional<BeamSpec> beam{};                              ///< then the masses above are not used, `center` is 0
};

/// A coordinate system, fixed on a body or in the world, or prescribed by functions of time.
struct FrameSpec {
  std::string name{};
  int body = kWorld;
  /// On its body (of a beam: undeformed), or in the world; of a prescribed frame, the axes of its path.
  core::Pose local{};
  struct Path {
    VectorFunction position{};  ///< [m]
    VectorFunction angles{};    ///< [rad], as Placement's
  };
  std::optional<Path> path{};  ///< on top of `local`; only where body is kWorld
  /// Recorded, in the same way.
  std::shared_ptr<const core::MotionTrack> track{};
  bool is_led = false;  ///< an interface gives it its motion; then it has neither body nor path
  enum class Record { nothing, position, motion };
  Record record = Record::nothing;  ///< in results
};

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// A spring and damper in all six directions between two frames, which it holds as they lie at the start (or at the
/// given offset). Free axes of rotation carry nothing.
struct TieSpec {
  std::string name{};
  int from = -1, to = -1;               ///< frames
  Matrix6 stiffness = Matrix6::Zero();  ///< of (translation, rotation) in the axes of the frame `from`
  Matrix6 damping = Matrix6::Zero();
  core::FreeAxes free{};
  bool holds_start = false;  ///< relaxed as the frames lie at the start, not where they coincide
};

/// A force along the line between two points: springs and dampers.
struct PointSpringSpec {
  enum class Acts { always, in_tension, in_compression };
  std::string name{};
  int from = -1, to = -1;
  double stiffness = 0.0;               ///< [N/m]
  double damping = 0.0;                 ///< [N s/m]
  std::optional<double> free_length{};  ///< [m]; absent: the distance at the start
  double preload = 0.0;                 ///< tension at the free length [N]
  Acts acts = Acts::always;
  double smoothing = 1e-6;                    ///< length over which a one-sided spring takes hold [m]
  std::optional<double> maxwell_stiffness{};  ///< of a spring in series with the damper [N/m]
  /// Above this force the damper's valve opens, and its force grows with `open_damping` only.
  double valve_force = std::numeric_limits<double>::infinity();  ///< [N]
  double open_damping = 0.0;                                     ///< [N s/m]
};

/// A stop along the line between two points: it presses them apart when they come too close, or holds them together
/// when they go too far apart.
struct BumpStopSpec {
  std::string name{};
  int from = -1, to = -1;
  bool acts_in_tension = false;
  double gap = 0.0;                ///< way from the start until it touches [m], or
  std::optional<double> length{};  ///< distance of the points at which it touches [m]
  double stiffness = 0.0;          ///< [N/m^exponent]
  double exponent = 1.0;
  double damping = 0.0;     ///< [N s/m]
  double smoothing = 1e-6;  ///< length over which it takes hold [m]
};

/// An ideal joint. Its axis is z of both frames; a universal joint turns about z of `from` and x of `to`.
struct JointSpec {
  enum class Kind { fixed, revolute, spherical, prismatic, cylindrical, universal };
  std::string name{};
  Kind kind = Kind::revolute;
  int from = -1, to = -1;
  /// What a coordinate is to be: the angle [rad] or the distance [m], of kinds that have it.
  std::optional<document::TimeFunction> drive{};
  bool drives_distance = false;
};

/// A force and a torque at a frame.
struct LoadSpec {
  std::string name{};
  int frame = -1;
  int axes = kWorld;  ///< frame whose axes the components count in
  VectorFunction force{};
  VectorFunction torque{};
};

/// A couple or force along the axis of a joint, or a controlled speed of it.
struct JointLoadSpec {
  std::string name{};
  int joint = -1;
  bool is_along = false;                          ///< a force along the joint's axis, not a couple about it
  document::TimeFunction effort{};                ///< [N m] or [N]
  std::optional<document::TimeFunction> speed{};  ///< [rad/s] or [m/s]: effort = gain (speed - rate)
  double gain = 0.0;                              ///< [N m s/rad] or [N s/m]
};

/// Surfaces that touch: a sphere on a plane, two spheres, a cylinder in a cylinder.
struct ContactSpec {
  enum class Kind { sphere_plane, sphere_sphere, cylinder_in_cylinder };
  std::string name{};
  document::Place place{};  ///< of its element
  Kind kind = Kind::sphere_plane;
  int from = -1;             ///< the plane (z is its normal), the first sphere, the hollow cylinder (z its axis)
  int to = -1;               ///< the sphere, the second sphere, the inner cylinder
  double radius_from = 0.0;  ///< [m]; unused for a plane
  double radius_to = 0.0;    ///< [m]
  double stiffness = 0.0;    ///< [N/m^exponent]
  double exponent = 1.5;
  double damping = 0.0;          ///< factor of Hunt and Crossley [s/m]
  double friction = 0.0;         ///< coefficient
  double slip_speed = 1e-3;      ///< at which slipping friction is 1/sqrt(2) of its full size [m/s]
  double stick_distance = 1e-7;  ///< by which sticking surfaces give way under the full friction [m]
};

/// A flat spot on a part of a ball bearing.
struct BearingDefectSpec {
  enum class Part { inner_ring, outer_ring, ball };
  Part part = Part::outer_ring;
  int row = 0;
  int ball = 0;         ///< of the row
  double angle = 0.0;   ///< on a ring: about x from its y axis; on a ball: at the start, in the plane of rolling [rad]
  double length = 0.0;  ///< along the groove [m]
  double depth = 0.0;   ///< in its middle [m]
};

/// A ball bearing whose balls and cages move, between two frames whose x axes are the axes of its rings.
struct BallBearingSpec {
  enum class Record { all, loads, summary };
  std::string name{};
  document::Place place{};  ///< of its element
  int outer = -1, inner = -1;
  bearings::Bearing bearing{};
  double first_ball = 0.0;  ///< angle of the first ball of each row, about x from y of the outer ring's frame [rad]
  double damping = 0.5;     ///< factor of the rate of approach of ball and groove [s/m]
  bearings::Traction traction{};
  int slices = 7;  ///< of a contact ellipse
  bool has_cage = true;
  bearings::CageLaw cage{};
  double cage_mass = 0.0;            ///< of each row [kg]
  double cage_axial_inertia = 0.0;   ///< about its axis [kg m^2]
  double cage_radial_inertia = 0.0;  ///< about a diameter [kg m^2]
  double drag_density = 0.0;         ///< of what fills the bearing, oil and air [kg/m^3]
  double drag_coefficient = 0.4;
  Record record = Record::all;
  std::vector<BearingDefectSpec> defects{};
};

/// A ball bearing without states: forces between two frames by their relative displacement.
struct BearingStiffnessSpec {
  std::string name{};
  document::Place place{};
  int from = -1, to = -1;  ///< frames of outer and inner ring
  std::optional<bearings::Bearing> bearing{};
  bearings::StiffnessBearingOptions options{};
  /// In place of the bearing's law, force = load + matrix (displacement - at), on the outer ring.
  std::optional<bearings::Matrix5> matrix{};
  bearings::Vector5 load = bearings::Vector5::Zero();
  bearings::Vector5 at = bearings::Vector5::Zero();
  bearings::Vector5 damping = bearings::Vector5::Zero();  ///< with `matrix` [N s/m], [N m s/rad]
};

/// A wheel of a wheelset on a rail.
struct WheelRailSpec {
  enum class Normal { zhai_worn, zhai_cone, hertz };
  std::string name{};
  document::Place place{};
  int from =
      -1;  ///< the rail: x along it, y to the left, z upwards; its origin is where the wheel touches it in the middle
  int to = -1;  ///< the wheelset: its origin is the middle of the axle, y its axis to the left
  bool is_left = true;
  std::shared_ptr<const rail::ContactTable> table{};
  double half_span = 0.0;     ///< from the middle of the axle to the point of contact [m]
  double speed = 0.0;         ///< at which the axes of the system travel along the track [m/s]
  bool is_spin_given = true;  ///< the wheel turns at speed / radius on top of its frame's own motion
  double friction = 0.3;
  Normal normal = Normal::zhai_worn;
  std::shared_ptr<const rail::RailCourse> course{};
  double distance = 0.0;  ///< of the wheel along the course at the start [m]
};

struct MultibodyInterface {
  std::string name{};
  int frame = -1;             ///< in space, or
  bool takes_motion = false;  ///< of a frame without mass
  int joint = -1;             ///< on a joint's coordinate
  bool is_along = false;      ///< its distance, not its angle
};

/// What an open end makes an interface in space do: nothing (where it is at the start), a path, or what was recorded;
/// in world axes.
struct GivenMotion {
  std::string interface {};
  std::optional<FrameSpec::Path> path{};
  std::shared_ptr<const core::MotionTrack> track{};
};

struct MultibodyInput {
  std::string name{};
  double start = 0.0;  ///< value while nothing has come in
  bool is_start_stated = false;
};

/// A signal that outputs one recorded quantity.
struct MultibodyOutput {
  std::string name{};
  std::string quantity{};  ///< name of a column
};

/// How joints hold.
enum class JointFlavour {
  automatic,    ///< exactly: by coordinates where these pay, otherwise by constraints
  coordinates,  ///< exactly: bodies move by the coordinates of their joints
  constraints,  ///< exactly: conditions between bodies that have coordinates of their own
  forces,       ///< as stiff springs
};

struct MultibodySpec {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< in world axes [m/s^2]
  bool starts_in_equilibrium = false;                 ///< at rest where all forces balance, not as placed
  /// A length [m] and a velocity [m/s] that tolerances count from, in place of the sizes that the states have had.
  std::optional<double> length_scale{}, velocity_scale{};
  JointFlavour flavour = JointFlavour::constraints;
  double joint_stiffness = 1e9;  ///< of joints as forces [N/m]; rotation: times a squared metre
  double joint_damping = 0.0;    ///< [N s/m]
  std::vector<BodySpec> bodies{};
  std::vector<FrameSpec> frames{};
  std::vector<TieSpec> ties{};
  std::vector<PointSpringSpec> springs{};
  std::vector<BumpStopSpec> bump_stops{};
  std::vector<JointSpec> joints{};
  std::vector<LoadSpec> loads{};
  std::vector<JointLoadSpec> joint_loads{};
  std::vector<ContactSpec> contacts{};
  std::vector<BearingStiffnessSpec> bearing_stiffnesses{};
  std::vector<BallBearingSpec> ball_bearings{};
  std::vector<WheelRailSpec> wheels{};
  std::vector<MultibodyInterface> interfaces{};
  std::vector<MultibodyInput> inputs{};
  std::vector<MultibodyOutput> outputs{};
  std::vector<int> given_joints{};  ///< those that give an interface its motion, see `lead`
};

/// Gives interfaces their motions, in a system in its place: each is held by a fixed joint to a frame that moves so.
/// Bodies start with the velocity of their motion. Says in `problem` what does not fit.
[[nodiscard]] MultibodySpec led(MultibodySpec spec, std::span<const GivenMotion> motions, double start,
                                std::string& problem);

/// The same system moved as a whole from the world's origin to a pose.
[[nodiscard]] MultibodySpec placed(MultibodySpec spec, const core::Pose& pose);
/// The same system, moved by a displacement [m].
[[nodiscard]] MultibodySpec moved(MultibodySpec spec, const Eigen::Vector3d& by);
/// Where the system is best counted from; see own_origin() [m].
[[nodiscard]] Eigen::Vector3d origin_of(const MultibodySpec& spec);
/// Whether a signal output may follow the signal inputs at the same time: forces and accelerations do, and everything
/// where motions are driven.
[[nodiscard]] bool may_feed_through(const MultibodySpec& spec, const std::string& output);

/// Where a frame is at the start.
[[nodiscard]] core::Pose start_pose(const MultibodySpec& spec, int frame);

/// What connections may use, in the order of the ports: interfaces, signal inputs, signal outputs.
[[nodiscard]] std::vector<InterfaceInfo> interfaces_of(const MultibodySpec& spec);

}  // namespace tieline::components
