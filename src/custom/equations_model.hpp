#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tieline/component.hpp"

#include "components/ode_model.hpp"
#include "custom/interface_table.hpp"

namespace tieline::custom {

/// A component given by equations in C++, for one of our solvers.
///
/// At every stage the component says how it moves; the forces on it follow from the laws of its ports. Where motion
/// comes in, a line asks for the force at a velocity that itself depends on the force: Newton's method finds the two.
/// Nothing is remembered from one evaluation to the next, so that runs can be repeated bit by bit. What the component
/// throws is kept as the failure of the run.
class EquationsModel final : public components::OdeModel {
 public:
  /// `window` [s]: typical stretch between exchanges.
  EquationsModel(std::unique_ptr<Equations> equations, const core::Pose& placement, double window);

  [[nodiscard]] int size() const override { return static_cast<int>(states_.size()); }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  bool jacobian(double t, std::span<const double> y, std::span<double> columns) override;
  [[nodiscard]] int guard_count() const override { return static_cast<int>(events_.size()); }
  void guards(double t, std::span<const double> y, std::span<double> values) override;

  [[nodiscard]] std::span<core::Port> ports() override { return table_.set().ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override {
    return table_.set().spatial_interfaces();
  }
  core::Result<std::vector<double>> begin(double t0) override;
  [[nodiscard]] std::vector<int> scale_classes() const override;
  [[nodiscard]] std::vector<double> stated_scales() const override;
  void natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const override;
  void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
               std::span<components::PortOutput> outputs) override;
  void powers(double t, std::span<const double> y, components::Powers& powers) override;
  /// Of the interfaces, the states, and the outputs.
  [[nodiscard]] std::vector<core::Column> columns() const override;
  void record(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
              std::span<double> values) override;
  [[nodiscard]] double next_break(double t) const override;
  bool on_break(double t, std::span<double> y) override;
  void on_guard(int index, double t, std::span<double> y) override;
  [[nodiscard]] std::optional<core::Energy> energy(double t, std::span<const double> y) const override;
  [[nodiscard]] std::optional<core::Error> failure() const override { return failure_; }
  [[nodiscard]] std::string snapshot_obstacle() const override;
  void save_modes(core::ArchiveWriter& archive) const override;
  void restore_modes(core::ArchiveReader& archive) override;

  [[nodiscard]] InterfaceTable& table() { return table_; }

 private:
  /// Calls the component; false, with the failure kept, where it throws.
  template <class F>
  bool call(double t, F&& f) const;
  /// Motion, forces and velocities at one time; the table has them afterwards.
  bool evaluate(double t, wave::Side side, std::span<const double> y);
  /// Velocities of the interfaces with motion in.
  bool find_velocities(double t, wave::Side side, std::span<const double> y);
  /// By how much velocities differ from what the laws give for the forces that go with them.
  bool velocity_defect(double t, wave::Side side, std::span<const double> y, const Eigen::VectorXd& velocities,
                       Eigen::VectorXd& defect);
  bool find_rates(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot);
  void find_next_event(double t);
  void orient_events(double t, std::span<const double> y);
  [[nodiscard]] double size_of(std::size_t state, double value) const;

  std::unique_ptr<Equations> equations_;
  std::vector<StateDeclaration> states_;
  std::vector<OutputDeclaration> outputs_;
  std::vector<EventDeclaration> events_;
  InterfaceTable table_;
  double window_;
  std::vector<double> orientation_;  ///< of each event: its function times this is not negative until it happens
  double next_event_ = wave::Track::kNever;  ///< by the clock [s]
  std::vector<double> event_values_, moved_, slope_;
  std::vector<core::PortOutput> port_outputs_;
  std::array<std::vector<double>, 3> places_{};  ///< numbers around a time, for rates
  InterfaceTable::Accelerations accelerations_;
  mutable std::optional<core::Error> failure_{};
};

}  // namespace tieline::custom
