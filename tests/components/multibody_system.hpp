#pragma once

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "components/multibody/multibody.hpp"
#include "components/multibody/reader.hpp"
#include "components/ode_component.hpp"
#include "document/xml.hpp"

namespace tieline::components {

/// A multibody system read from text and run alone.
class MultibodyRun {
 public:
  explicit MultibodyRun(const std::string& content, const std::string& attributes = "", double tolerance = 1e-10,
                        std::optional<solvers::Method> method = solvers::Method::dopri5, core::Pose placement = {}) {
    document::Diagnostics diagnostics;
    const auto document = document::Document::parse("<Multibody " + attributes + ">" + content + "</Multibody>",
                                                    "system.xml", diagnostics);
    if (document) {
      spec_ = placed(read_multibody(document->root(), document::Scope(), diagnostics), placement);
    }
    EXPECT_EQ(diagnostics.describe(), "");
    start(tolerance, method);
  }
  explicit MultibodyRun(MultibodySpec spec, double tolerance = 1e-10,
                        std::optional<solvers::Method> method = solvers::Method::dopri5)
      : spec_(std::move(spec)) {
    start(tolerance, method);
  }

  void run_to(double t) {
    const auto advanced = component_->advance({.begin = component_->time(), .end = t, .horizon = t});
    ASSERT_TRUE(advanced) << advanced.error().message;
  }
  double get(std::string_view name) {
    const int index = system_->column_index(name);
    if (index < 0) ADD_FAILURE() << "no column " << name;
    component_->current_values(values_);
    return index < 0 ? 0.0 : values_[static_cast<std::size_t>(index)];
  }
  Eigen::Vector3d vector(const std::string& name) { return {get(name + ".x"), get(name + ".y"), get(name + ".z")}; }
  [[nodiscard]] core::Energy energies() const { return component_->energy().value(); }
  [[nodiscard]] double energy() const { return energies().kinetic + energies().potential; }
  /// What the balance of energies is off by, since the start.
  [[nodiscard]] double imbalance() const {
    return energy() - energy_at_start_ + energies().dissipated - energies().supplied;
  }
  [[nodiscard]] OdeComponent& component() { return *component_; }
  [[nodiscard]] Multibody& system() { return *system_; }
  [[nodiscard]] const MultibodySpec& spec() const { return spec_; }

 private:
  void start(double tolerance, std::optional<solvers::Method> method) {
    auto system = std::make_unique<Multibody>(spec_);
    system_ = system.get();
    component_ = std::make_unique<OdeComponent>("system", std::move(system),
                                                SolverChoice{.method = method, .relative_tolerance = tolerance});
    const auto started = component_->start(0.0);
    EXPECT_TRUE(started) << (started ? "" : started.error().message);
    values_.resize(component_->columns().size());
    energy_at_start_ = energy();
  }

  MultibodySpec spec_;
  Multibody* system_ = nullptr;
  std::unique_ptr<OdeComponent> component_;
  std::vector<double> values_;
  double energy_at_start_ = 0.0;
};

/// Compares the Jacobian of a system at states near its start with differences of the whole right-hand side, to a share
/// of its largest entry. The states are moved off the start by `moved`.
inline void expect_jacobian_of_right_side(Multibody& system, double t, double moved, double share) {
  const auto n = static_cast<std::size_t>(system.size());
  std::vector<double> y(system.begin(0.0).value()), J(n * n), plus(n), minus(n);
  for (std::size_t i = 0; i < n; ++i) y[i] += moved * std::sin(1.0 + 3.0 * static_cast<double>(i));
  ASSERT_TRUE(system.jacobian(t, y, J));
  double largest = 0.0;
  for (const double entry : J) largest = std::max(largest, std::abs(entry));
  for (std::size_t j = 0; j < n; ++j) {
    const double h = 1e-6;
    std::vector<double> near = y;
    near[j] = y[j] + h;
    ASSERT_TRUE(system.rhs(t, wave::Side::left, near, plus));
    near[j] = y[j] - h;
    ASSERT_TRUE(system.rhs(t, wave::Side::left, near, minus));
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(J[j * n + i], (plus[i] - minus[i]) / (2.0 * h), share * largest) << i << ", " << j;
    }
  }
}

}  // namespace tieline::components
