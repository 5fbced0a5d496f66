#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/component.hpp"

namespace tieline::assembly {

/// A node that a runner computes from the start on, as the master has it: `start` is passed on to the runner, which
/// answers with what the ports report; then it leaves the engine like any node of another process. Its state is what
/// the runner continues from: the tracks at the start, or what a checkpoint holds.
class HostedNode final : public core::Component {
 public:
  /// Sends tracks, and answers with samples.
  using Start = std::function<core::Result<std::string>(const std::string& tracks)>;

  explicit HostedNode(std::unique_ptr<core::Component> node);
  void set_start(Start start) { start_ = std::move(start); }

  [[nodiscard]] std::span<core::Port> ports() override { return node_->ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override {
    return node_->spatial_interfaces();
  }
  [[nodiscard]] core::Capabilities capabilities() const override { return node_->capabilities(); }
  [[nodiscard]] std::vector<core::Column> columns() const override { return node_->columns(); }
  void plan_recording(core::RecordPlan) override {}
  void current_values(std::span<double> values) override { node_->current_values(values); }
  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window&) override { return elsewhere(); }
  core::Result<double> step(double) override { return elsewhere(); }
  [[nodiscard]] double time() const override { return time_; }
  core::Result<void> save(core::ArchiveWriter& archive) const override;
  core::Result<void> restore(core::ArchiveReader& archive) override;
  void save_accounts(core::ArchiveWriter& archive) const override { node_->save_accounts(archive); }
  void restore_accounts(core::ArchiveReader& archive) override { node_->restore_accounts(archive); }
  [[nodiscard]] std::vector<core::Component*> parts() override { return node_->parts(); }
  [[nodiscard]] core::Statistics statistics() const override { return {}; }

 private:
  [[nodiscard]] core::Error elsewhere() const;

  std::unique_ptr<core::Component> node_;
  Start start_;
  double time_ = 0.0;
  std::string state_;  ///< of a checkpoint; empty: it continues from its start
};

/// A state of a hosted node as checkpoints and `begin` have it, from what its runner has reported and from the tracks
/// at its ports, which the master needs where it hands the connections over; and what a runner does with it: the
/// component's own state, or nothing if the tracks of the start were taken over.
[[nodiscard]] std::string hosted_state(const std::string& reported, core::Component& node);
[[nodiscard]] std::string take_hosted_state(const std::string& state, core::Component& node);

/// What a runner does with `start`: takes the tracks, starts, and reports what goes out.
[[nodiscard]] core::Result<std::string> start_hosted(const std::string& tracks, core::Component& node, double t0);

}  // namespace tieline::assembly
