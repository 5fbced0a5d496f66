// What a component is like near its start: eigenvalues, and how its ports answer an effort.

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "components/ode_component.hpp"

namespace tieline::components {
namespace {

// Dense eigenvalues take n^3.
constexpr int kMostStates = 500;
// An answer below this part of the largest number around it is rounding.
constexpr double kNothing = 1e-12;

}  // namespace

double OdeComponent::port_inertia(std::size_t index) {
  core::Port& port = model_->ports()[index];
  if (port.domain == core::Domain::signal || port.law.a == 0.0) return std::numeric_limits<double>::quiet_NaN();
  const wave::Track kept = port.incoming;
  const double w = port.w(t0_, wave::Side::right).value;
  const double more = 1.0 + std::abs(w);
  const auto answer = [&](double value) {
    port.incoming.assign(wave::Interpolation::hold, std::vector<wave::Knot>{{t0_, 0.0, value, 0.0}});
    std::vector<double> rates(y_.size());
    std::vector<PortOutput> outputs(model_->ports().size());
    model_->rhs(t0_, wave::Side::right, y_, rates);
    model_->observe(t0_, wave::Side::right, y_, rates, outputs);
    return outputs[index];
  };
  const PortOutput before = answer(w);
  const PortOutput after = answer(w + more);
  port.incoming = kept;
  const auto changed = [](double a, double b) { return std::abs(b - a) > kNothing * (std::abs(a) + std::abs(b)); };
  // A massless node moves at once; a driven one not at all.
  if (changed(before.flow, after.flow)) return 0.0;
  if (!changed(before.flow_rate, after.flow_rate)) return std::numeric_limits<double>::infinity();
  return more / port.law.a / (after.flow_rate - before.flow_rate);
}

std::optional<core::LinearFacts> OdeComponent::linear_facts() {
  if (!stepper_) return std::nullopt;
  core::LinearFacts facts;
  for (std::size_t i = 0; i < model_->ports().size(); ++i) facts.port_inertia.push_back(port_inertia(i));
  const int n = model_->size();
  if (n > kMostStates) return facts;
  Eigen::MatrixXd J(n, n);
  if (n == 0 || !model_->jacobian(t0_, y_, {J.data(), static_cast<std::size_t>(n) * static_cast<std::size_t>(n)})) {
    return facts;
  }
  const Eigen::VectorXcd lambda = J.eigenvalues();
  facts.eigenvalues.assign(lambda.begin(), lambda.end());
  return facts;
}

}  // namespace tieline::components
