#pragma once

#include <span>
#include <vector>

#include "solvers/stepper.hpp"

namespace tieline::solvers {

/// An OdeSystem in the states z = y - c(t), c being what its inputs alone bring about (`OdeSystem::known_part`):
/// dz/dt = f(t, y) - dc/dt. A mass under a wave has c = integral of w / m, of which nothing is lost between stages:
/// what they miss of w's structure acts on z by the mass's own answer to c alone, Z h / m of it in a step h.
///
/// c is counted from the begin of the step, where z = y: `begin`. Where nothing is known beforehand, z is y.
/// Owned by a stepper, which calls `end` after each accepted step and `begin` before the next.
class KnownPart final : public OdeSystem {
 public:
  explicit KnownPart(OdeSystem& system);

  /// The system itself, until `begin`.
  void start();
  /// A step begins at t that will end at `t_end` or before. True where dz/dt is another at t than it was at the last
  /// step's end; by how much, `change` says.
  bool begin(double t, double t_end, std::span<double> change);
  /// Makes y of z at the end of the step.
  void end(double t, std::span<double> z);
  /// Makes y of z within the step.
  void add(double t, wave::Side side, std::span<double> z) { move(t, side, z, 1.0); }

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

  [[nodiscard]] int size() const override { return system_.size(); }
  bool rhs(double t, wave::Side side, std::span<const double> z, std::span<double> zdot) override;
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
  [[nodiscard]] std::span<const double> with_known(double t, wave::Side side, std::span<const double> z);
  void move(double t, wave::Side side, std::span<double> states, double sign);

  OdeSystem& system_;
  std::vector<int> states_;
  double t0_ = 0.0;          ///< where c is zero [s]
  bool is_active_ = false;   ///< in this step z is not y
  bool was_active_ = false;  ///< in the last one, at whose end dc/dt was `last_rates_`
  std::vector<double> values_, rates_, last_rates_;
  std::vector<double> y_;
};

}  // namespace tieline::solvers
