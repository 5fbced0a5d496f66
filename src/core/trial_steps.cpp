#include "core/trial_steps.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/spatial.hpp"

namespace tieline::core {
namespace {

// A direction that moves less than this share of the most movable one is held.
constexpr double kStiff = 1e-9;

}  // namespace

TrialSteps::TrialSteps(Component& component, const std::function<void(bool)>& mute, Times times,
                       std::vector<Port*> ports)
    : component_(component), mute_(mute), times_(times), ports_(std::move(ports)), start_(SnapshotUse::trial) {
  for (const Port& port : component_.ports()) kept_.push_back({port.incoming, port.outbox});
  mute_(true);
}

TrialSteps::~TrialSteps() {
  mute_(false);
  const std::span<Port> ports = component_.ports();
  for (std::size_t p = 0; p < ports.size(); ++p) {
    ports[p].incoming = kept_[p].incoming;
    ports[p].outbox = kept_[p].outbox;
  }
}

Result<Eigen::VectorXd> TrialSteps::run(const Eigen::VectorXd& loads, double windows) {
  const double t0 = times_.start, end = t0 + windows * times_.window, beyond = end + times_.window;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const double load = loads[static_cast<Eigen::Index>(i)];
    const std::array knots{wave::Knot{t0, 0.0, load, 0.0}, wave::Knot{beyond, (beyond - t0) * load, load, 0.0}};
    ports_[i]->incoming.assign(wave::Interpolation::linear, knots);
  }
  const auto advanced = component_.advance({.begin = t0, .end = end, .horizon = end});
  Eigen::VectorXd flows = Eigen::VectorXd::Zero(loads.size());
  for (std::size_t i = 0; advanced && i < ports_.size(); ++i) {
    if (!ports_[i]->outbox.empty()) flows[static_cast<Eigen::Index>(i)] = ports_[i]->outbox.back().flow;
  }
  ArchiveReader archive(start_.bytes(), SnapshotUse::trial);
  const auto restored = component_.restore(archive);
  for (Port& port : component_.ports()) port.outbox.clear();
  if (!advanced) return advanced.error();
  if (!restored) return restored.error();
  if (flows.allFinite()) return flows;
  return Error{.code = ErrorCode::not_finite, .message = "its motion under a trial of its loads is not finite"};
}

Result<TrialSteps::Answers> TrialSteps::probe() {
  const auto n = static_cast<Eigen::Index>(ports_.size());
  auto own = run(Eigen::VectorXd::Zero(n));
  if (!own) return own.error();
  Answers answers{Eigen::MatrixXd::Zero(n, n), std::move(*own)};
  // With loads of 1, and then with such as undo its own motion: numbers that differ little carry few digits.
  const double largest = n > 0 ? answers.own.cwiseAbs().maxCoeff() : 0.0;
  for (const bool is_second : {false, true}) {
    for (Eigen::Index i = 0; i < n; ++i) {
      double load = 1.0;
      if (is_second) {
        if (largest == 0.0 || !(answers.by_loads(i, i) > 0.0)) continue;
        load = largest / answers.by_loads(i, i);
      }
      const auto flows = run(load * Eigen::VectorXd::Unit(n, i));
      if (!flows) return flows.error();
      answers.by_loads.col(i) = (*flows - answers.own) / load;
    }
  }
  return answers;
}

std::optional<LinearFacts> tried_facts(Component& component, const std::function<void(bool)>& mute,
                                       TrialSteps::Times times) {
  if (!component.capabilities().can_snapshot || !(times.window > 0.0)) return std::nullopt;
  const std::span<Port> all = component.ports();
  std::vector<Port*> ports;
  std::vector<std::size_t> places;
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (!is_mechanical(all[p].domain) || all[p].causality != Causality::takes_force || !all[p].is_connected) continue;
    ports.push_back(&all[p]), places.push_back(p);
  }
  if (ports.empty()) return std::nullopt;
  TrialSteps trials(component, mute, times, ports);
  if (!trials.begin()) return std::nullopt;
  const auto answers = trials.probe();
  if (!answers) return std::nullopt;
  const Eigen::MatrixXd mobility = answers->by_loads / times.window;
  LinearFacts facts;
  facts.port_inertia.assign(all.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double own = mobility(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i));
    facts.port_inertia[places[i]] = own > 0.0 ? 1.0 / own : std::numeric_limits<double>::infinity();
  }
  facts.joined_inertia = facts.lightest_inertia = facts.port_inertia;
  for (SpatialInterface* interface : component.spatial_interfaces()) {
    const auto found = std::find(ports.begin(), ports.end(), &interface->axis(0));
    if (found == ports.end()) continue;
    const auto at = static_cast<Eigen::Index>(found - ports.begin());
    const Eigen::Matrix3d W = mobility.block<3, 3>(at, at);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> directions(0.5 * (W + W.transpose()));
    const double most = directions.eigenvalues()[2];
    double joined = std::numeric_limits<double>::infinity();
    for (const double own : directions.eigenvalues()) {
      if (own > kStiff * most && std::isinf(joined)) joined = 1.0 / own;
    }
    const std::size_t first = places[static_cast<std::size_t>(at)];
    std::fill_n(facts.joined_inertia.begin() + static_cast<std::ptrdiff_t>(first), 3, joined);
    std::fill_n(facts.lightest_inertia.begin() + static_cast<std::ptrdiff_t>(first), 3,
                most > 0.0 ? 1.0 / most : joined);
  }
  return facts;
}

}  // namespace tieline::core
