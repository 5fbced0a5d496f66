#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/multibody/kinematics.hpp"
#include "core/archive.hpp"
#include "core/recording.hpp"

namespace tieline::components {

/// The load on the frame `to` (J), at its origin, in world axes; `from` (I) gets the opposite at the same point, so
/// that momentum is kept to rounding.
struct PairWrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();
};

/// A force between two frames that follows from their motion: ties, springs, contacts.
///
/// `start` once, with the frames as they are at the start; then the others, for any motion. Nothing here allocates, and
/// nothing but `choose_mode` and `change` keeps what it was asked, so that differences may be taken of it. `own` are
/// its own states.
class PairForce {
 public:
  PairForce(std::string name, int from, int to) : name_(std::move(name)), from_(from), to_(to) {}
  virtual ~PairForce() = default;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int from() const { return from_; }
  [[nodiscard]] int to() const { return to_; }

  virtual void start(const FrameMotion& from, const FrameMotion& to) { (void)from, (void)to; }
  [[nodiscard]] virtual PairWrench wrench(const FrameMotion& from, const FrameMotion& to,
                                          std::span<const double> own) const = 0;
  [[nodiscard]] virtual double potential(const FrameMotion& from, const FrameMotion& to,
                                         std::span<const double> own) const = 0;  ///< [J]
  [[nodiscard]] virtual double dissipation(const FrameMotion& from, const FrameMotion& to,
                                           std::span<const double> own) const = 0;  ///< [W]

  /// What is supplied to it by motions that it knows of itself, beside those of its frames [W].
  [[nodiscard]] virtual double supplied(const FrameMotion& from, const FrameMotion& to,
                                        std::span<const double> own) const {
    (void)from, (void)to, (void)own;
    return 0.0;
  }

  /// How far its points may move for its wrench to change smoothly: differences in time are taken within that [m].
  [[nodiscard]] virtual double smooth_length(const FrameMotion& from, const FrameMotion& to) const {
    (void)from, (void)to;
    return std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] virtual std::size_t state_count() const { return 0; }
  /// The own states at the start, zero without this.
  virtual void initial(std::span<double> own) const { (void)own; }
  /// Whether they are ways that it travels, which stand still where an equilibrium is looked for.
  [[nodiscard]] virtual bool travels() const { return false; }
  virtual void rates(const FrameMotion& from, const FrameMotion& to, std::span<const double> own,
                     std::span<double> rates) const {
    (void)from, (void)to, (void)own, (void)rates;
  }

  /// Modes, frozen within a step; guards as in solvers::OdeSystem. `choose_mode` at the start; `change` where a guard
  /// has fired, which may change the own states.
  [[nodiscard]] virtual int guard_count() const { return 0; }
  virtual void choose_mode(const FrameMotion& from, const FrameMotion& to) { (void)from, (void)to; }
  virtual void guards(const FrameMotion& from, const FrameMotion& to, std::span<double> values) const {
    (void)from, (void)to, (void)values;
  }
  virtual void change(int guard, std::span<double> own) { (void)guard, (void)own; }
  /// Whether it holds its frames together by friction, at rest; then the acceleration of what it holds, along the
  /// surfaces, in the axes of `from` [m/s^2], which follows from the own states by what is around.
  [[nodiscard]] virtual bool holds_at_rest(const FrameMotion& from, const FrameMotion& to) const {
    (void)from, (void)to;
    return false;
  }
  [[nodiscard]] virtual Eigen::Vector3d slip_acceleration(const FrameMotion& from, const FrameMotion& to,
                                                          const core::SpatialMotion& from_motion,
                                                          const core::SpatialMotion& to_motion) const {
    (void)from, (void)to, (void)from_motion, (void)to_motion;
    return Eigen::Vector3d::Zero();
  }
  virtual void save(core::ArchiveWriter& archive) const { (void)archive; }
  virtual void restore(core::ArchiveReader& archive) { (void)archive; }

  /// What it records beside its wrench.
  [[nodiscard]] virtual std::vector<core::Column> columns() const { return {}; }
  virtual void record(const FrameMotion& from, const FrameMotion& to, std::span<const double> own,
                      std::span<double> values) const {
    (void)from, (void)to, (void)own, (void)values;
  }

 private:
  std::string name_;
  int from_, to_;
};

[[nodiscard]] std::unique_ptr<PairForce> make_tie(const TieSpec& spec);
[[nodiscard]] std::unique_ptr<PairForce> make_point_spring(const PointSpringSpec& spec);
[[nodiscard]] std::unique_ptr<PairForce> make_bump_stop(const BumpStopSpec& spec);
[[nodiscard]] std::unique_ptr<PairForce> make_contact(const ContactSpec& spec);
[[nodiscard]] std::unique_ptr<PairForce> make_bearing_stiffness(const BearingStiffnessSpec& spec);
[[nodiscard]] std::unique_ptr<PairForce> make_wheel_rail(const WheelRailSpec& spec);

}  // namespace tieline::components
