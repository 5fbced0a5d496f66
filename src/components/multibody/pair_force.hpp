#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/multibody/kinematics.hpp"
#include "core/recording.hpp"

namespace tieline::components {

/// What acts on the frame `to` (J), at its origin, in world axes; `from` (I) gets the opposite at the same point, so
/// that momentum is kept to rounding.
struct PairWrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();
};

/// A force between two frames that follows from their motion: ties, springs, contacts.
///
/// `start` once, with the frames as they are at the start; then the others, for any motion. Nothing here allocates or
/// keeps what it was asked before, so that differences may be taken of it. `own` are its own states.
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

  [[nodiscard]] virtual std::size_t state_count() const { return 0; }
  virtual void rates(const FrameMotion& from, const FrameMotion& to, std::span<const double> own,
                     std::span<double> rates) const {
    (void)from, (void)to, (void)own, (void)rates;
  }

  /// What it tells beside its wrench.
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

}  // namespace tieline::components
