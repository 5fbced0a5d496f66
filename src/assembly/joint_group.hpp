#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "fmi/fmu_system.hpp"

namespace tieline::assembly {

/// A component that is computed together with others, as the model knows it: its ports and columns are some of theirs.
class JointMember final : public core::Component {
 public:
  /// `columns` are those of the whole; `places` those among them that belong to this component, which is a part of the
  /// system; null: nobody counts the parts' steps apart.
  JointMember(std::string name, std::span<core::Port> ports, std::vector<core::SpatialInterface*> interfaces,
              std::vector<core::Column> columns, std::vector<std::size_t> places, const fmi::FmuSystem* system,
              std::size_t part);

  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override { return interfaces_; }
  [[nodiscard]] core::Capabilities capabilities() const override;
  [[nodiscard]] std::vector<core::Column> columns() const override;
  void plan_recording(core::RecordPlan plan) override { plan_ = std::move(plan); }
  void current_values(std::span<double> values) override;
  core::Result<void> start(double) override { return together(); }
  core::Result<void> advance(const core::Window&) override { return together(); }
  core::Result<double> step(double) override { return together(); }
  [[nodiscard]] double time() const override { return whole_->time(); }
  core::Result<void> save(core::ArchiveWriter&) const override { return together(); }
  core::Result<void> restore(core::ArchiveReader&) override { return together(); }
  /// Its own counters; the first member has those of the whole besides, so that the members' add up to the whole's.
  [[nodiscard]] core::Statistics statistics() const override;

  [[nodiscard]] std::optional<core::Energy> energy() const override {
    return part_ == 0 ? whole_->energy() : std::nullopt;
  }

  /// What it is part of.
  void join(core::Component& whole) { whole_ = &whole; }
  [[nodiscard]] const core::RecordPlan& plan() const { return plan_; }
  /// Its own columns in a row of the whole.
  void pass_on(double t, std::span<const double> row);

 private:
  [[nodiscard]] core::Error together() const;

  std::span<core::Port> ports_;
  std::vector<core::SpatialInterface*> interfaces_;
  std::vector<core::Column> columns_;
  std::vector<std::size_t> places_;
  const fmi::FmuSystem* system_;
  std::size_t part_;  ///< of the system
  core::Component* whole_ = nullptr;
  core::RecordPlan plan_{};
  std::vector<double> chosen_, all_;
};

/// Components that are computed as one system, by one solver or step by step, seen from outside as one component.
/// Without the system, where another process has it, it only holds the members.
class JointGroup final : public core::Component {
 public:
  JointGroup(std::string name, std::unique_ptr<core::Component> whole,
             std::vector<std::unique_ptr<core::Component>> members);
  ~JointGroup() override;

  [[nodiscard]] std::span<core::Port> ports() override { return {}; }
  [[nodiscard]] core::Capabilities capabilities() const override;
  [[nodiscard]] std::vector<core::Column> columns() const override { return {}; }
  void plan_recording(core::RecordPlan) override {}  // members are asked for themselves
  void current_values(std::span<double>) override {}
  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window& window) override { return whole_->advance(window); }
  core::Result<double> step(double limit) override { return whole_->step(limit); }
  core::Result<void> settle() override { return whole_->settle(); }
  void follow_steps(core::StepLog* log, core::StepLogUse use) override { whole_->follow_steps(log, use); }
  [[nodiscard]] double time() const override { return whole_ ? whole_->time() : 0.0; }
  core::Result<void> save(core::ArchiveWriter& archive) const override { return whole_->save(archive); }
  core::Result<void> restore(core::ArchiveReader& archive) override { return whole_->restore(archive); }
  [[nodiscard]] std::vector<core::Component*> parts() override;
  [[nodiscard]] const core::Ending* ending() const override { return whole_ ? whole_->ending() : nullptr; }
  [[nodiscard]] core::Statistics statistics() const override {
    return whole_ ? whole_->statistics() : core::Statistics{};
  }
  [[nodiscard]] std::optional<core::Energy> energy() const override { return whole_ ? whole_->energy() : std::nullopt; }

 private:
  class RowSplitter;
  std::unique_ptr<core::Component> whole_;
  std::vector<std::unique_ptr<core::Component>> members_;
  std::unique_ptr<RowSplitter> splitter_;
};

}  // namespace tieline::assembly
