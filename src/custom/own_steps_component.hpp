#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tieline/component.hpp"

#include "core/component.hpp"
#include "core/row_schedule.hpp"
#include "core/state_publisher.hpp"
#include "custom/interface_table.hpp"

namespace tieline::custom {

/// A component in C++ with a solver of its own. Its steps end on windows' ends, save points and breaks of the inputs;
/// what it reports after each becomes samples of its ports.
class OwnStepsComponent final : public core::Component, private StageInputs {
 public:
  OwnStepsComponent(std::string name, std::unique_ptr<OwnSteps> steps, const core::Pose& placement);

  [[nodiscard]] std::span<core::Port> ports() override { return table_.set().ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override {
    return table_.set().spatial_interfaces();
  }
  [[nodiscard]] core::Capabilities capabilities() const override;
  /// Of the interfaces and the outputs.
  [[nodiscard]] std::vector<core::Column> columns() const override;
  void plan_recording(core::RecordPlan plan) override;
  void current_values(std::span<double> values) override;
  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window& window) override;
  core::Result<double> step(double limit) override;
  core::Result<void> settle() override;
  [[nodiscard]] double time() const override { return time_; }
  core::Result<void> save(core::ArchiveWriter& archive) const override;
  core::Result<void> restore(core::ArchiveReader& archive) override;
  [[nodiscard]] core::Statistics statistics() const override { return statistics_; }

  [[nodiscard]] InterfaceTable& table() { return table_; }

 private:
  [[nodiscard]] double force(int interface, double t, double velocity) const override;
  [[nodiscard]] Load3d load(int interface, double t, const Motion3d& motion) const override;
  [[nodiscard]] double velocity(int interface, double t, double force) const override;
  [[nodiscard]] std::vector<double> signal(int interface, double t) const override;
  [[nodiscard]] bool is_connected(int interface) const override { return table_.is_connected(interface); }

  /// Calls the component; an error with its text where it throws.
  template <class F>
  core::Result<void> call(F&& f) const;
  [[nodiscard]] core::Error placed(core::Error error) const;
  /// The side of an input at a time that the component asks for; throws std::logic_error beyond the limit.
  [[nodiscard]] wave::Side side_at(double& t) const;
  core::Result<void> make_step(double limit);
  core::Result<void> take_report(double t, wave::Side side);
  void fill_row(double at, std::span<double> values);
  [[nodiscard]] bool is_unsettled_break(double t) const;

  std::unique_ptr<OwnSteps> steps_;
  std::vector<OutputDeclaration> outputs_;
  mutable InterfaceTable table_;  ///< laws are asked through it, which changes nothing
  std::optional<core::StatePublisher> publisher_;
  core::RowSchedule rows_;
  double t0_ = 0.0, time_ = 0.0, limit_ = 0.0, breaks_settled_to_ = 0.0;
  double step_start_ = 0.0;                 ///< of the step whose rows are written [s]
  std::vector<double> before_, now_;        ///< outputs at both ends of it
  std::vector<bool> reports_acceleration_;  ///< by interface
  core::Statistics statistics_{};
};

}  // namespace tieline::custom
