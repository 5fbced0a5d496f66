// A tie counts six deviations in the axes of its frame `from`: three of place, three of rotation. Its forces follow
// from the potential 1/2 phi' K phi and from phi' C phi', carried over by how each deviation changes with the frames'
// relative motion; so the energies close for rotations of any size.

#include <cmath>

#include "components/multibody/pair_force.hpp"

namespace tieline::components {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Below this angle [rad] the series of the inverse tangent map is exact to rounding.
constexpr double kSmallAngle = 1e-3;

/// d(phi)/dt = map * omega, both in the axes of `from`, for the rotation vector phi.
Matrix3d rotation_rate_map(const Vector3d& phi) {
  const double angle2 = phi.squaredNorm(), angle = std::sqrt(angle2);
  const double factor =
      angle < kSmallAngle ? 1.0 / 12.0 + angle2 / 720.0 : (1.0 - 0.5 * angle / std::tan(0.5 * angle)) / angle2;
  const Matrix3d cross = core::cross_matrix(phi);
  return Matrix3d::Identity() - 0.5 * cross + factor * cross * cross;
}

class Tie final : public PairForce {
 public:
  explicit Tie(const TieSpec& spec)
      : PairForce(spec.name, spec.from, spec.to),
        stiffness_(spec.stiffness),
        damping_(spec.damping),
        free_(spec.free),
        holds_start_(spec.holds_start) {
    for (int i = 0; i < 3; ++i) {
      if (!free_[static_cast<std::size_t>(i)]) continue;
      ++free_count_;
      for (Matrix6* matrix : {&stiffness_, &damping_}) {
        matrix->row(3 + i).setZero();
        matrix->col(3 + i).setZero();
      }
    }
  }

  void start(const FrameMotion& from, const FrameMotion& to) override {
    rest_.setZero();
    turned_ = Eigen::Quaterniond::Identity();
    if (!holds_start_) return;
    if (free_count_ == 0) turned_ = from.q.conjugate() * to.q;
    rest_ = deviations(from, to).value;
  }

  [[nodiscard]] PairWrench wrench(const FrameMotion& from, const FrameMotion& to,
                                  std::span<const double>) const override {
    const Deviations d = deviations(from, to);
    const Vector6 effort = -stiffness_ * (d.value - rest_) - damping_ * d.rate;
    return {from.A * effort.head<3>(), from.A * (d.turning.transpose() * effort.tail<3>())};
  }
  [[nodiscard]] double potential(const FrameMotion& from, const FrameMotion& to,
                                 std::span<const double>) const override {
    const Vector6 off = deviations(from, to).value - rest_;
    return 0.5 * off.dot(stiffness_ * off);
  }
  [[nodiscard]] double dissipation(const FrameMotion& from, const FrameMotion& to,
                                   std::span<const double>) const override {
    const Vector6 rate = deviations(from, to).rate;
    return rate.dot(damping_ * rate);
  }
  [[nodiscard]] std::vector<core::Column> columns() const override {
    return {{"displacement.x", "m"}, {"displacement.y", "m"}, {"displacement.z", "m"},
            {"rotation.x", "rad"},   {"rotation.y", "rad"},   {"rotation.z", "rad"}};
  }
  void record(const FrameMotion& from, const FrameMotion& to, std::span<const double>,
              std::span<double> values) const override {
    Eigen::Map<Vector6>(values.data()) = deviations(from, to).value - rest_;
  }

 private:
  struct Deviations {
    Vector6 value, rate;
    Matrix3d turning;  ///< rotation part of the rates: rate = turning * relative angular velocity in axes of `from`
  };

  [[nodiscard]] Deviations deviations(const FrameMotion& from, const FrameMotion& to) const {
    const Matrix3d to_from = from.A.transpose();
    const Vector3d d = to.x - from.x;
    Deviations result;
    result.value.head<3>() = to_from * d;
    result.rate.head<3>() = to_from * (to.v - from.v - from.omega.cross(d));
    const Matrix3d R = to_from * to.A;
    Vector3d angles = Vector3d::Zero();
    result.turning.setZero();
    if (free_count_ == 0) {
      angles = core::rotation_vector(from.q.conjugate() * to.q * turned_.conjugate());
      result.turning = rotation_rate_map(angles);
    } else if (free_count_ == 1) {
      tilt(R, angles, result.turning);
    } else if (free_count_ == 2) {
      lean(R, angles, result.turning);
    }
    result.value.tail<3>() = angles;
    result.rate.tail<3>() = result.turning * (to_from * (to.omega - from.omega));
    return result;
  }

  /// One free axis c: how far that axis of `to` leans over, about the other two axes a and b (sines of the angles).
  void tilt(const Matrix3d& R, Vector3d& angles, Matrix3d& turning) const {
    const int c = free_[0] ? 0 : free_[1] ? 1 : 2, a = (c + 1) % 3, b = (c + 2) % 3;
    const Vector3d axis = R.col(c);
    angles[a] = -axis[b];
    angles[b] = axis[a];
    turning.row(a) = -axis.cross(Vector3d::Unit(b)).transpose();
    turning.row(b) = axis.cross(Vector3d::Unit(a)).transpose();
  }
  /// Two free axes: the first in `from`, the second in `to`, stay at right angles; the third axis counts the deviation.
  void lean(const Matrix3d& R, Vector3d& angles, Matrix3d& turning) const {
    const int c = !free_[0] ? 0 : !free_[1] ? 1 : 2, a = (c + 1) % 3, b = (c + 2) % 3;
    const Vector3d axis = R.col(b);
    angles[c] = -axis[a];
    turning.row(c) = -axis.cross(Vector3d::Unit(a)).transpose();
  }

  Matrix6 stiffness_, damping_;
  core::FreeAxes free_;
  int free_count_ = 0;
  bool holds_start_;
  Vector6 rest_ = Vector6::Zero();
  Eigen::Quaterniond turned_ = Eigen::Quaterniond::Identity();
};

}  // namespace

std::unique_ptr<PairForce> make_tie(const TieSpec& spec) { return std::make_unique<Tie>(spec); }

}  // namespace tieline::components
