#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/interface_set.hpp"

namespace tieline::kinds {

/// What stands for a component that another process alone can compute: its ports and columns, nothing behind them.
class FarComponent final : public core::Component {
 public:
  FarComponent(std::string name, std::vector<core::InterfaceShape> shapes, std::vector<core::Column> columns,
               core::Capabilities capabilities);

  [[nodiscard]] std::span<core::Port> ports() override { return set_.ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override { return set_.spatial_interfaces(); }
  [[nodiscard]] core::Capabilities capabilities() const override { return capabilities_; }
  [[nodiscard]] std::vector<core::Column> columns() const override { return columns_; }
  void plan_recording(core::RecordPlan) override {}
  void current_values(std::span<double> values) override;
  core::Result<void> start(double) override { return elsewhere(); }
  core::Result<void> advance(const core::Window&) override { return elsewhere(); }
  core::Result<double> step(double) override { return elsewhere(); }
  [[nodiscard]] double time() const override { return 0.0; }
  core::Result<void> save(core::ArchiveWriter&) const override { return elsewhere(); }
  core::Result<void> restore(core::ArchiveReader&) override { return elsewhere(); }
  [[nodiscard]] core::Statistics statistics() const override { return {}; }

 private:
  [[nodiscard]] core::Error elsewhere() const;

  core::InterfaceSet set_;
  std::vector<core::Column> columns_;
  core::Capabilities capabilities_;
};

}  // namespace tieline::kinds
