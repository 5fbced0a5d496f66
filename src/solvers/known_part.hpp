#pragma once

#include <limits>
#include <span>
#include <vector>

#include "solvers/stepper.hpp"

namespace tieline::solvers {

/// An OdeSystem in the states z = y - c(t), c being what its inputs alone bring about (`OdeSystem::known_part`):
/// dz/dt = f(t, y) - dc/dt. A mass under a wave has c = integral of w / m, of which nothing is lost between stages:
/// what they miss of w's structure acts on z by the mass's own answer to c alone, Z h / m of it in a step h.
///
/// c is counted from the start of the step, where z = y: `begin_at`. Where nothing is known beforehand, z is y.
/// Owned by a stepper.
class KnownPart final : public OdeSystem {
 public:
  explicit KnownPart(OdeSystem& system);

  [[nodiscard]] bool is_empty() const { return nodes_.empty(); }
  void begin_at(double t) {
    t0_ = t;
    at_ = std::numeric_limits<double>::quiet_NaN();
  }
  /// Makes y of z.
  void add(double t, wave::Side side, std::span<double> z) {
    if (is_empty()) return;
    look(t, side);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += part_[i];
  }
  /// By how much dz/dt at t, the end of the step, is to change where the next step begins there.
  void rate_change(double t, std::span<double> change);

  [[nodiscard]] int size() const override { return system_.size(); }
  [[nodiscard]] std::vector<Motion> motions() const override { return system_.motions(); }
  bool rhs(double t, wave::Side side, std::span<const double> z, std::span<double> zdot) override {
    if (!system_.rhs(t, side, with_known(t, side, z), zdot)) return false;
    if (is_empty()) return true;
    for (std::size_t i = 0; i < zdot.size(); ++i) zdot[i] -= part_rate_[i];
    return true;
  }
  bool jacobian(double t, std::span<const double> z, std::span<double> columns) override {
    return system_.jacobian(t, with_known(t, wave::Side::left, z), columns);
  }
  [[nodiscard]] SparseJacobian* sparse_jacobian() override { return system_.sparse_jacobian(); }
  bool evaluate_sparse_jacobian(double t, std::span<const double> z) override {
    return system_.evaluate_sparse_jacobian(t, with_known(t, wave::Side::left, z));
  }
  [[nodiscard]] double unseen_input(double t, double t_end, double relative_tolerance) override {
    return system_.unseen_input(t, t_end, relative_tolerance);
  }
  [[nodiscard]] bool has_constraints() const override { return system_.has_constraints(); }
  Projection project(double t, std::span<double> z) override;
  [[nodiscard]] int guard_count() const override { return system_.guard_count(); }
  void guards(double t, std::span<const double> z, std::span<double> values) override {
    system_.guards(t, with_known(t, wave::Side::left, z), values);
  }

 private:
  [[nodiscard]] std::span<const double> with_known(double t, wave::Side side, std::span<const double> z) {
    if (is_empty()) return z;
    look(t, side);
    for (std::size_t i = 0; i < z.size(); ++i) y_[i] = z[i] + part_[i];
    return y_;
  }
  /// Looks c up at a time of the step, unless it was the last one asked for.
  void look(double t, wave::Side side) {
    if (t == at_ && side == side_) return;
    system_.known_part(t0_, t, side, motions_);
    at_ = t;
    side_ = side;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const wave::TrackValue& motion = motions_[k];
      const auto position = static_cast<std::size_t>(nodes_[k].position),
                 flow = static_cast<std::size_t>(nodes_[k].flow);
      part_[position] = motion.integral, part_rate_[position] = motion.value;
      part_[flow] = motion.value, part_rate_[flow] = motion.rate;
    }
  }

  OdeSystem& system_;
  std::vector<Motion> nodes_;
  double t0_ = 0.0;                                       ///< where c is zero [s]
  double at_ = std::numeric_limits<double>::quiet_NaN();  ///< of the motions [s]
  wave::Side side_ = wave::Side::left;
  std::vector<wave::TrackValue> motions_;
  /// c and dc/dt by state. Elsewhere -0 is added and +0 taken away: what leaves every number as it is, zeros too.
  std::vector<double> part_, part_rate_;
  std::vector<double> y_;
};

}  // namespace tieline::solvers
