#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "components/multibody/body_vector.hpp"
#include "components/multibody/flexible.hpp"
#include "components/multibody/spec.hpp"
#include "components/time_signal.hpp"
#include "wave/track.hpp"

namespace tieline::components {

/// States of a body: r (3) of its reference point, quaternion p (w, x, y, z), v (3) of that point, angular velocity w
/// (3) in body axes; then, of a beam, the coordinates of its deformation and their rates. The point is the centre of
/// mass of a rigid body, the root of a beam.
struct BodyStates {
  static constexpr int kRigid = 13;
  static constexpr int kPosition = 0, kQuaternion = 3, kVelocity = 7, kSpin = 10;
};

/// How rotations about body axes follow from changes of the quaternion p: 2 (p* dp) / |p|^2, by the four parts of dp.
[[nodiscard]] Eigen::Matrix<double, 3, 4> rotation_by_quaternion(const double* p);
/// The rate p w / 2 of a quaternion p, by p and by the angular velocity w in body axes.
[[nodiscard]] Eigen::Matrix4d quaternion_rate_by_quaternion(const double* w);
[[nodiscard]] Eigen::Matrix<double, 4, 3> quaternion_rate_by_spin(const double* p);

/// A body at one time. World axes unless said otherwise.
struct BodyMotion {
  Eigen::Vector3d r, v;
  Eigen::Quaterniond q;   ///< normalised
  Eigen::Matrix3d A;      ///< from body to world axes
  Eigen::Vector3d spin;   ///< angular velocity in body axes
  Eigen::Vector3d omega;  ///< in world axes
  Eigen::VectorXd deformation{}, deformation_rate{};
};

/// A frame at one time, in world axes.
struct FrameMotion {
  Eigen::Vector3d x, v, omega;
  Eigen::Quaterniond q;
  Eigen::Matrix3d A;
  Eigen::Vector3d arm;         ///< from the body's reference point
  Eigen::Vector3d a0, alpha0;  ///< accelerations where the body's own are zero: centripetal, or those of a path
  /// On a beam: velocity and angular velocity by the rates of its deformation, in body axes.
  Matrix3X by_deformation{}, turn_by_deformation{};
};

/// Where everything is at one time and how it moves, from the states.
///
/// `evaluate` first; then the rest answers for that time. Does not allocate. One thread at a time.
class Kinematics {
 public:
  explicit Kinematics(const MultibodySpec& spec);

  void evaluate(double t, wave::Side side, std::span<const double> y, std::span<const double> inputs,
                std::span<const double> input_rates);
  /// Moves one body alone, with its frames: for differences.
  void place_body(int body, std::span<const double> states);

  // In place of `evaluate`, one by one: frames that follow a path, a rigid body, and frames on bodies placed.
  void prescribe(double t, wave::Side side, std::span<const double> inputs, std::span<const double> input_rates);
  void place_rigid(int body, const Eigen::Vector3d& r, const Eigen::Vector3d& v, const Eigen::Quaterniond& q,
                   const Eigen::Vector3d& omega);
  void place_frame(std::size_t i);

  /// Where a body's states begin, how many there are, and how many coordinates of deformation are among them.
  [[nodiscard]] std::size_t first_state(std::size_t body) const { return first_state_[body]; }
  [[nodiscard]] std::size_t state_count(std::size_t body) const { return first_state_[body + 1] - first_state_[body]; }
  [[nodiscard]] int modes(std::size_t body) const { return static_cast<int>(bodies_[body].deformation.size()); }
  [[nodiscard]] std::size_t state_count() const { return first_state_.back(); }

  [[nodiscard]] const BodyMotion& body(int i) const { return bodies_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const FrameMotion& frame(int i) const { return frames_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int body_of(int frame) const { return fixtures_[static_cast<std::size_t>(frame)].body; }
  /// Places a frame that an interface leads, for all that follows.
  void lead(int frame, const core::SpaceState& state);
  /// Whether a path or a record leads the frame, so that whatever acts on it does work.
  [[nodiscard]] bool is_prescribed(int frame) const {
    const Fixture& fixture = fixtures_[static_cast<std::size_t>(frame)];
    return fixture.path >= 0 || fixture.track != nullptr;
  }
  /// The next time after t at which pieces of a record join [s].
  [[nodiscard]] double next_row(double t) const;
  /// How a frame accelerates with its body.
  [[nodiscard]] core::SpatialMotion motion(int frame, const BodyVector& acceleration) const;

  /// The functions of prescribed frames, for breaks and switches.
  [[nodiscard]] std::span<TimeSignal> functions() { return functions_; }

 private:
  struct Fixture {
    int body = kWorld;
    Eigen::Vector3d arm = Eigen::Vector3d::Zero();                    ///< from the centre of mass, in body axes
    Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();  ///< in body axes
    bool is_aligned = false;                                          ///< that orientation is the body's own
    int path = -1;                                                    ///< first of its six functions
    const core::MotionTrack* track = nullptr;                         ///< recorded, instead of a path
    Matrix3X displacement{}, rotation{};  ///< of the section of a beam that it is on, by the deformation
    double x = 0.0;                       ///< where that section is [m]
  };

  void place_frame_on_beam(std::size_t i);
  /// A frame that moves as stated, on top of where the system has put it.
  void move_fixture(std::size_t i, const core::Pose& pose, const core::SpatialMotion& motion);
  void replay_frame(std::size_t i, double t);
  void prescribe_frame(std::size_t i, double t, wave::Side side, std::span<const double> inputs,
                       std::span<const double> input_rates);

  std::vector<std::size_t> first_state_{0};
  std::vector<BodyMotion> bodies_;
  std::vector<FrameMotion> frames_;
  std::vector<Fixture> fixtures_;
  std::vector<std::vector<int>> frames_of_body_;
  std::vector<int> prescribed_frames_;
  std::vector<TimeSignal> functions_;
};

}  // namespace tieline::components
