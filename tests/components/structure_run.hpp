#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "components/structure/reader.hpp"
#include "components/structure/structure.hpp"
#include "document/xml.hpp"

namespace tieline::components {

inline StructureSpec structure_from(const std::string& content, const std::string& attributes = "") {
  document::Diagnostics diagnostics;
  const auto document = document::Document::parse("<Structure " + attributes + ">" + content + "</Structure>",
                                                  "structure.xml", diagnostics);
  StructureSpec spec;
  if (document) spec = read_structure(document->root(), document::Scope(), diagnostics);
  EXPECT_EQ(diagnostics.describe(), "");
  return spec;
}

/// A structure read from text and run alone.
class StructureRun {
 public:
  explicit StructureRun(const std::string& content, const std::string& attributes = "", double step = 1e-4,
                        const core::Pose& placement = {})
      : component_(std::make_unique<Structure>("frame", structure_from(content, attributes), step, placement)) {
    const auto columns = component_->columns();
    for (const core::Column& column : columns) names_.push_back(column.name);
    values_.resize(columns.size());
  }

  void start() {
    const auto started = component_->start(0.0);
    ASSERT_TRUE(started) << started.error().message;
    energy_at_start_ = stored();
  }
  void run_to(double t) {
    const auto advanced = component_->advance({.begin = component_->time(), .end = t, .horizon = t});
    ASSERT_TRUE(advanced) << advanced.error().message;
  }
  double get(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) ADD_FAILURE() << "no column " << name;
    component_->current_values(values_);
    return found == names_.end() ? 0.0 : values_[static_cast<std::size_t>(found - names_.begin())];
  }
  Eigen::Vector3d vector(const std::string& name) { return {get(name + ".x"), get(name + ".y"), get(name + ".z")}; }
  [[nodiscard]] core::Energy energies() const { return component_->energy().value(); }
  [[nodiscard]] double stored() const { return energies().kinetic + energies().potential; }
  /// What the balance of energies is off by, since the start.
  [[nodiscard]] double imbalance() const {
    const core::Energy e = energies();
    return stored() - energy_at_start_ + e.dissipated - e.supplied - e.received;
  }
  [[nodiscard]] Structure& component() { return *component_; }

 private:
  std::unique_ptr<Structure> component_;
  std::vector<std::string> names_;
  std::vector<double> values_;
  double energy_at_start_ = 0.0;
};

}  // namespace tieline::components
