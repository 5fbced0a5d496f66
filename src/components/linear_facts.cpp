// What a component is like near its start: eigenvalues, and how its ports answer an effort.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "components/ode_component.hpp"
#include "core/spatial.hpp"

namespace tieline::components {
namespace {

// An answer below this part of the largest number around it is rounding.
constexpr double kNothing = 1e-12;
// A direction that moves less than this share of the most movable one is held.
constexpr double kHeld = 1e-9;

}  // namespace

double OdeComponent::port_inertia(std::size_t index, std::span<double> rates_per_effort) {
  core::Port& port = model_->ports()[index];
  std::fill(rates_per_effort.begin(), rates_per_effort.end(), 0.0);
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
    return outputs;
  };
  const std::vector<PortOutput> before = answer(w), after = answer(w + more);
  port.incoming = kept;
  const auto changed = [](double a, double b) { return std::abs(b - a) > kNothing * (std::abs(a) + std::abs(b)); };
  for (std::size_t i = 0; i < rates_per_effort.size(); ++i) {
    if (changed(before[i].flow_rate, after[i].flow_rate))
      rates_per_effort[i] = port.law.a * (after[i].flow_rate - before[i].flow_rate) / more;
  }
  // A massless node moves at once; a driven one not at all.
  if (changed(before[index].flow, after[index].flow)) return 0.0;
  if (rates_per_effort[index] == 0.0) return std::numeric_limits<double>::infinity();
  return 1.0 / rates_per_effort[index];
}

/// In space a point answers differently in each direction: across the lever to its body's centre it is lighter than the
/// body. The mass that is joined is that of the direction in which it moves least, if it moves.
void OdeComponent::join_directions(const Eigen::MatrixXd& rates_per_effort, core::LinearFacts& facts) {
  for (core::SpatialInterface* interface : model_->spatial_interfaces()) {
    const auto first = &interface->axis(0) - model_->ports().data();
    const Eigen::Matrix3d W = rates_per_effort.block<3, 3>(first, first);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> directions(0.5 * (W + W.transpose()));
    const double most = directions.eigenvalues()[2];
    double joined = std::numeric_limits<double>::infinity();
    for (const double mobility : directions.eigenvalues()) {
      if (mobility > kHeld * most && std::isinf(joined)) joined = 1.0 / mobility;
    }
    // Rotations may be free about some axes, and are reported one by one.
    std::fill_n(facts.joined_inertia.begin() + first, 3, joined);
    std::fill_n(facts.lightest_inertia.begin() + first, 3, most > 0.0 ? 1.0 / most : joined);
  }
}

std::optional<core::LinearFacts> OdeComponent::linear_facts(int most_states) {
  if (!stepper_) return std::nullopt;
  core::LinearFacts facts;
  const std::size_t count = model_->ports().size();
  Eigen::MatrixXd rates_per_effort(count, count);
  for (std::size_t i = 0; i < count; ++i)
    facts.port_inertia.push_back(port_inertia(i, {rates_per_effort.data() + i * count, count}));
  facts.joined_inertia = facts.lightest_inertia = facts.port_inertia;
  join_directions(rates_per_effort, facts);
  const int n = model_->size();
  if (n > most_states) return facts;
  Eigen::MatrixXd J(n, n);
  if (n == 0 || !model_->jacobian(t0_, y_, {J.data(), static_cast<std::size_t>(n) * static_cast<std::size_t>(n)})) {
    return facts;
  }
  const Eigen::VectorXcd lambda = J.eigenvalues();
  facts.eigenvalues.assign(lambda.begin(), lambda.end());
  return facts;
}

}  // namespace tieline::components
