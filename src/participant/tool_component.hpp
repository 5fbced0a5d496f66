#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/facts.hpp"
#include "core/interface_set.hpp"
#include "core/probed_rest.hpp"
#include "core/row_schedule.hpp"
#include "core/trial_steps.hpp"
#include "transport/messages.hpp"

namespace tieline::participant {

/// How a group that has a tool as its member reaches it. One thread at a time; calls come in the order of a component.
class ToolDriver {
 public:
  virtual ~ToolDriver() = default;
  /// Whether the tool computes for this run already.
  [[nodiscard]] virtual bool has_begun() const = 0;
  /// Lets the tool compute from `begin` to `end` [s] under what the tracks of `interfaces` say; what it reports of each
  /// port, in samples of eight numbers.
  virtual core::Result<transport::Driven> drive(double begin, double end, bool is_save_point,
                                                core::InterfaceSet& interfaces) = 0;
  /// The tool keeps its state under a number; goes back to it.
  virtual core::Result<void> keep(std::uint64_t number) = 0;
  virtual core::Result<void> put_back(std::uint64_t number) = 0;
  /// The tool's state as bytes, and back.
  virtual core::Result<std::string> save() = 0;
  virtual core::Result<void> restore(const std::string& state) = 0;
};

/// What the master knows of a tool beside its interfaces.
struct ToolSettings {
  std::string name{};
  std::vector<transport::InterfaceMessage> declared{};  ///< by the model
  double largest_step = 0.0;                            ///< [s]; 0: not stated
  bool exact_step = false;
  bool starts_at_rest = false;  ///< under loads that keep it where it starts, found by trials of a member of a group
};

/// The master's stand-in for a tool that drives its own time in another process.
///
/// It has the ports that the model declares, and starts from what the tool has registered, so that lines are filled
/// and first samples sent without it. From then on the tool computes by itself, and nobody advances this; only where
/// the tool is a member of a group do `advance`, `step`, `save` and `restore` go through a ToolDriver.
///
/// Call order: `set_first` once the tool has registered; then as any component.
class ToolComponent final : public core::Component, public core::FactSource, public core::Triable {
 public:
  explicit ToolComponent(ToolSettings settings);

  /// What the tool has registered, checked against what the model declares: those interfaces come first, in the model's
  /// order, so that messages count as the model does; what is registered beyond them is left alone. All mistakes at
  /// once.
  core::Result<void> set_first(const transport::Registration& registration);
  /// Not owned. As a member of a group the tool is advanced through it; otherwise it serves snapshots alone.
  void set_driver(ToolDriver* driver, bool is_member) {
    driver_ = driver;
    is_member_ = is_member;
  }
  [[nodiscard]] core::InterfaceSet& interfaces() { return *set_; }

  [[nodiscard]] std::span<core::Port> ports() override { return set_->ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override {
    return set_->spatial_interfaces();
  }
  [[nodiscard]] core::Capabilities capabilities() const override;
  [[nodiscard]] core::Equilibrium* equilibrium() override {
    return driver_ == nullptr || driver_->has_begun() ? rest_.get() : nullptr;
  }
  [[nodiscard]] std::vector<core::Column> columns() const override { return set_->columns(); }
  void plan_recording(core::RecordPlan plan) override;
  void current_values(std::span<double> values) override;
  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window& window) override;
  core::Result<double> step(double limit) override;
  [[nodiscard]] double time() const override { return time_; }
  core::Result<void> save(core::ArchiveWriter& archive) const override;
  core::Result<void> restore(core::ArchiveReader& archive) override;
  /// The work of what is prescribed at its ends.
  [[nodiscard]] std::vector<core::Fact> facts() const override;
  /// As a member of a group.
  [[nodiscard]] std::optional<core::LinearFacts> tried_facts(double window) override;
  /// As a member of a group; otherwise the tool reports when it pauses.
  [[nodiscard]] core::Statistics statistics() const override { return statistics_; }

 private:
  [[nodiscard]] core::Error error(core::ErrorCode code, std::string message) const;
  [[nodiscard]] core::Error without_driver() const;
  core::Result<void> drive_to(double end, bool is_save_point);
  core::Result<void> take(const transport::Driven& driven, double begin, double end);
  /// Rows up to t, between the samples before and the last ones.
  void record(std::span<const wave::Sample> before, double t);

  ToolSettings settings_;
  std::unique_ptr<core::InterfaceSet> set_;
  std::vector<core::InterfaceState> first_, states_;
  bool has_first_ = false;
  bool can_save_ = true;  ///< until the tool has said otherwise
  double t0_ = 0.0;
  double time_ = 0.0;
  ToolDriver* driver_ = nullptr;
  bool is_member_ = false;
  mutable std::uint64_t kept_ = 0;  ///< states that the tool was asked to keep so far
  std::vector<core::PortOutput> outputs_;
  std::vector<wave::Sample> last_;  ///< of each port
  core::RowSchedule rows_;
  std::unique_ptr<core::ProbedRest> rest_;  ///< null: it starts under what lines hold
  core::Statistics statistics_{};
};

}  // namespace tieline::participant
