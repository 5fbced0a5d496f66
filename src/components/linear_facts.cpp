// What a component is like near its start: eigenvalues, and how its ports answer an effort.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "components/ode_component.hpp"
#include "core/elastic_part.hpp"
#include "core/spatial.hpp"

namespace tieline::components {
namespace {

// An answer below this part of the largest number around it is rounding.
constexpr double kNothing = 1e-12;
// A direction that moves less than this share of the most movable one is held.
constexpr double kHeld = 1e-9;
// Changes of a state for central differences.
constexpr double kSlopeStep = 1e-6;

}  // namespace

double OdeComponent::port_inertia(std::size_t index, std::span<double> rates_per_effort, std::span<double> answers) {
  core::Port& port = model_->ports()[index];
  std::fill(rates_per_effort.begin(), rates_per_effort.end(), 0.0);
  std::fill(answers.begin(), answers.end(), 0.0);
  if (port.domain == core::Domain::signal || port.law.a == 0.0) return std::numeric_limits<double>::quiet_NaN();
  const wave::Track kept = port.incoming;
  const double w = port.w(t0_, wave::Side::right).value;
  const double more = 1.0 + std::abs(w);
  std::vector<double> first(y_.size()), second(y_.size());
  const auto answer = [&](double value, std::vector<double>& rates) {
    port.incoming.assign(wave::Interpolation::hold, std::vector<wave::Knot>{{t0_, 0.0, value, 0.0}});
    std::vector<PortOutput> outputs(model_->ports().size());
    model_->rhs(t0_, wave::Side::right, y_, rates);
    model_->observe(t0_, wave::Side::right, y_, rates, outputs);
    return outputs;
  };
  const std::vector<PortOutput> before = answer(w, first), after = answer(w + more, second);
  port.incoming = kept;
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = port.law.a * (second[i] - first[i]) / more;
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

/// How the flows at the ports change with the states, by central differences.
Eigen::MatrixXd OdeComponent::flow_slopes() {
  const std::size_t count = model_->ports().size();
  Eigen::MatrixXd slopes(count, y_.size());
  std::vector<double> moved = y_, rates(y_.size());
  const auto flows = [&](std::vector<PortOutput>& outputs) {
    outputs.assign(count, {});
    model_->rhs(t0_, wave::Side::right, moved, rates);
    model_->observe(t0_, wave::Side::right, moved, rates, outputs);
  };
  std::vector<PortOutput> less, more;
  for (std::size_t k = 0; k < y_.size(); ++k) {
    const double step = kSlopeStep * std::max(1.0, std::abs(y_[k]));
    moved[k] = y_[k] - step, flows(less);
    moved[k] = y_[k] + step, flows(more);
    moved[k] = y_[k];
    for (std::size_t i = 0; i < count; ++i)
      slopes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = (more[i].flow - less[i].flow) / (2.0 * step);
  }
  return slopes;
}

/// The compliance of all ports at a few frequencies below the lowest one: without what moves as a whole, which falls
/// with the square of the frequency, it is that at rest.
void OdeComponent::add_elastic_stiffness(const Eigen::MatrixXd& J, const Eigen::MatrixXd& rates_by_effort,
                                         core::LinearFacts& facts) {
  const double lowest = core::lowest_rate(facts.eigenvalues);
  const std::size_t count = model_->ports().size();
  facts.elastic_stiffness.assign(count, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; ++i) {
    if (!(facts.port_inertia[i] > 0.0)) facts.elastic_stiffness[i] = std::numeric_limits<double>::quiet_NaN();
  }
  if (lowest == 0.0) return;
  const Eigen::MatrixXd flow_by_state = flow_slopes();
  core::ElasticPart part;
  for (std::size_t k = 0; k < core::ElasticPart::kSquares; ++k) {
    const double square = core::ElasticPart::square(lowest, k), frequency = std::sqrt(square);
    Eigen::MatrixXcd matrix = -J.cast<std::complex<double>>();
    matrix.diagonal().array() += std::complex<double>(0.0, frequency);
    const Eigen::MatrixXcd states = matrix.partialPivLu().solve(rates_by_effort.cast<std::complex<double>>());
    const Eigen::MatrixXcd moved = flow_by_state.cast<std::complex<double>>() * states;
    // Displacement is flow over i omega; a body by itself moves by -1 / (m omega^2).
    part.add(k, -square, Eigen::MatrixXd((moved / std::complex<double>(0.0, frequency)).real()));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(facts.elastic_stiffness[i])) continue;
    const auto at = static_cast<Eigen::Index>(i);
    facts.elastic_stiffness[i] = part.stiffness(at, 1);
  }
  for (core::SpatialInterface* interface : model_->spatial_interfaces()) {
    const auto first = &interface->axis(0) - model_->ports().data();
    if (std::isnan(facts.elastic_stiffness[static_cast<std::size_t>(first)])) continue;
    std::fill_n(facts.elastic_stiffness.begin() + first, 3, part.stiffness(first, 3));
  }
}

std::optional<core::LinearFacts> OdeComponent::linear_facts(int most_states) {
  if (!stepper_) return std::nullopt;
  core::LinearFacts facts;
  const std::size_t count = model_->ports().size();
  Eigen::MatrixXd rates_per_effort(count, count), rates_by_effort(y_.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    facts.port_inertia.push_back(port_inertia(i, {rates_per_effort.data() + i * count, count},
                                              {rates_by_effort.data() + i * y_.size(), y_.size()}));
  }
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
  add_elastic_stiffness(J, rates_by_effort, facts);
  return facts;
}

}  // namespace tieline::components
