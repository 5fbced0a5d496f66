#include "custom/equations_model.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace tieline::custom {
namespace {

using core::Error;
using core::ErrorCode;

// Rates are taken over this share of the time in which states change by their own size, and of a window.
constexpr double kRateShare = 1e-5;
constexpr double kRateWindowShare = 1e-4;
constexpr double kShortestRate = 1e-13;  // [s]
constexpr double kLongestRate = 1e-4;    // [s]
// Differences for derivatives, as a share of a number's size; sizes count as at least this share of a nominal value.
constexpr double kDifference = 1e-7;
constexpr double kLeastShare = 1e-3;
// Velocities fit their forces to this share of themselves.
constexpr double kVelocityTolerance = 1e-12;
constexpr int kMostVelocityRounds = 30;
// And to this one where they come no closer: forces that are small differences of large numbers.
constexpr double kRoughTolerance = 1e-8;

}  // namespace

EquationsModel::EquationsModel(std::unique_ptr<Equations> equations, const core::Pose& placement, double window)
    : equations_(std::move(equations)),
      states_(equations_->states()),
      outputs_(equations_->outputs()),
      events_(equations_->events()),
      table_(equations_->interfaces(), placement),
      window_(window),
      orientation_(events_.size(), 1.0),
      event_values_(events_.size(), 0.0),
      moved_(states_.size(), 0.0),
      slope_(states_.size(), 0.0),
      port_outputs_(table_.set().ports().size()) {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].crossing == Crossing::rising) orientation_[i] = -1.0;
  }
}

template <class F>
bool EquationsModel::call(double t, F&& f) const {
  if (failure_) return false;
  try {
    f();
    return true;
  } catch (const std::exception& problem) {
    failure_ = Error{.code = ErrorCode::step_failed, .message = problem.what(), .time = t};
  } catch (...) {
    failure_ =
        Error{.code = ErrorCode::step_failed, .message = "it threw something that is not a std::exception", .time = t};
  }
  return false;
}

bool EquationsModel::evaluate(double t, wave::Side side, std::span<const double> y) {
  table_.begin(t, side);
  if (!call(t, [&] { equations_->motion(t, y, table_); })) return false;
  table_.find_forces();
  return table_.motion_in().empty() || find_velocities(t, side, y);
}

bool EquationsModel::velocity_defect(double t, wave::Side side, std::span<const double> y,
                                     const Eigen::VectorXd& velocities, Eigen::VectorXd& defect) {
  const std::vector<std::size_t>& among = table_.motion_in();
  for (std::size_t k = 0; k < among.size(); ++k) table_.set_flow(among[k], velocities[static_cast<Eigen::Index>(k)]);
  if (!call(t, [&] { equations_->forces(t, y, table_); })) return false;
  for (std::size_t k = 0; k < among.size(); ++k) {
    core::InterfaceState lawful = table_.states()[among[k]];
    table_.set().settle_motion(among[k], t, side, lawful);
    defect[static_cast<Eigen::Index>(k)] = velocities[static_cast<Eigen::Index>(k)] - lawful.flow;
  }
  return defect.allFinite();
}

bool EquationsModel::find_velocities(double t, wave::Side side, std::span<const double> y) {
  const auto n = static_cast<Eigen::Index>(table_.motion_in().size());
  const auto largest_share = [&] {
    double most = 0.0;
    for (const std::size_t i : table_.motion_in()) {
      const core::Port& port = table_.set().ports_of(i)[0];
      if (port.law.impedance > 0.0) most = std::max(most, std::abs(table_.states()[i].effort) / port.law.impedance);
    }
    return most;
  };
  Eigen::VectorXd velocities = Eigen::VectorXd::Zero(n), defect(n), moved(n);
  // At rest first; what does not depend on velocities is found with the second evaluation.
  if (!velocity_defect(t, side, y, velocities, defect)) return false;
  velocities -= defect;
  // Velocities are differences of what comes in and what forces make of it: these decide on the rounding.
  double largest = defect.lpNorm<Eigen::Infinity>(), best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostVelocityRounds; ++round) {
    if (!velocity_defect(t, side, y, velocities, defect)) return false;
    largest = std::max(largest, largest_share());
    const double size = std::max(velocities.lpNorm<Eigen::Infinity>(), largest);
    const double worst = defect.lpNorm<Eigen::Infinity>();
    if (worst <= kVelocityTolerance * size || worst == 0.0) return true;
    // As close as rounding allows.
    if (worst >= 0.5 * best && worst <= kRoughTolerance * size) return true;
    best = std::min(best, worst);
    Eigen::MatrixXd derivative(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      Eigen::VectorXd tried = velocities;
      tried[j] += kDifference * std::max(std::abs(velocities[j]), kLeastShare * std::max(size, worst));
      if (!velocity_defect(t, side, y, tried, moved)) return false;
      derivative.col(j) = (moved - defect) / (tried[j] - velocities[j]);
    }
    const Eigen::VectorXd change = derivative.partialPivLu().solve(defect);
    if (!change.allFinite()) break;
    velocities -= change;
  }
  if (!failure_) {
    failure_ = Error{.code = ErrorCode::step_failed,
                     .message =
                         "the forces at interfaces with motion in depend on their velocities, and no velocities were "
                         "found that satisfy both",
                     .port = table_.declared(table_.motion_in().front()).name,
                     .time = t};
  }
  return false;
}

bool EquationsModel::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  if (!evaluate(t, side, y)) return false;
  std::fill(ydot.begin(), ydot.end(), 0.0);
  if (!call(t, [&] { equations_->derivatives(t, y, table_, ydot); })) return false;
  return std::all_of(ydot.begin(), ydot.end(), [](double rate) { return std::isfinite(rate); });
}

double EquationsModel::size_of(std::size_t state, double value) const {
  const double nominal = states_[state].nominal > 0.0 ? states_[state].nominal : 1.0;
  return std::max(std::abs(value), kLeastShare * nominal);
}

bool EquationsModel::jacobian(double t, std::span<const double> y, std::span<double> columns) {
  const std::size_t n = y.size();
  std::vector<double> moved(y.begin(), y.end());
  if (!rhs(t, wave::Side::left, y, slope_)) return false;
  for (std::size_t j = 0; j < n; ++j) {
    moved[j] = y[j] + kDifference * size_of(j, y[j]);
    const auto column = columns.subspan(j * n, n);
    if (!rhs(t, wave::Side::left, moved, column)) return false;
    for (std::size_t i = 0; i < n; ++i) column[i] = (column[i] - slope_[i]) / (moved[j] - y[j]);
    moved[j] = y[j];
  }
  return true;
}

void EquationsModel::guards(double t, std::span<const double> y, std::span<double> values) {
  const bool is_known =
      evaluate(t, wave::Side::left, y) && call(t, [&] { equations_->event_functions(t, y, table_, event_values_); });
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = is_known ? orientation_[i] * event_values_[i] : 1.0;
}

void EquationsModel::orient_events(double t, std::span<const double> y) {
  const bool has_any = std::any_of(events_.begin(), events_.end(),
                                   [](const EventDeclaration& event) { return event.crossing == Crossing::both; });
  if (!has_any || !evaluate(t, wave::Side::right, y)) return;
  if (!call(t, [&] { equations_->event_functions(t, y, table_, event_values_); })) return;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].crossing == Crossing::both) orientation_[i] = event_values_[i] > 0.0 ? 1.0 : -1.0;
  }
}

core::Result<std::vector<double>> EquationsModel::begin(double t0) {
  failure_.reset();
  std::vector<double> y;
  for (const StateDeclaration& state : states_) y.push_back(state.start);
  const bool has_started = call(t0, [&] { equations_->start(t0, y); }) && evaluate(t0, wave::Side::right, y) &&
                           call(t0, [&] { equations_->signals(t0, y, table_); });
  if (!has_started) return failure_.value_or(Error{.code = ErrorCode::not_finite, .message = "it cannot start"});
  if (const std::string name = table_.unreported(); !name.empty()) {
    return Error{.code = ErrorCode::bad_input,
                 .message =
                     "the component does not set this interface: 'motion' sets those with force in, "
                     "'forces' those with motion in, 'signals' the outputs",
                 .port = name};
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i])) {
      return Error{.code = ErrorCode::bad_input,
                   .message = fmt::format("the state '{}' has the start value {}", states_[i].name, y[i])};
    }
  }
  find_next_event(t0);
  orient_events(t0, y);
  if (failure_) return *failure_;
  return y;
}

std::vector<int> EquationsModel::scale_classes() const {
  // States of one unit are of one kind; what has none is alone.
  std::vector<int> classes;
  std::map<std::string, int> known;
  for (const StateDeclaration& state : states_) {
    const std::string unit = state.unit.empty() ? fmt::format("#{}", classes.size()) : state.unit;
    classes.push_back(known.try_emplace(unit, static_cast<int>(known.size())).first->second);
  }
  return classes;
}

std::vector<double> EquationsModel::stated_scales() const {
  std::vector<double> scales;
  for (const StateDeclaration& state : states_) {
    if (!(state.nominal > 0.0)) return {};
    scales.push_back(state.nominal);
  }
  return scales;
}

void EquationsModel::natural_sizes(double, wave::Side, double, std::span<double> sizes) const {
  std::fill(sizes.begin(), sizes.end(), 0.0);
}

bool EquationsModel::find_rates(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot) {
  // One-sided, of second order, into the past at the end of a step: nothing is asked beyond what is known.
  double slope = 0.0;
  for (std::size_t k = 0; k < y.size(); ++k) slope += std::pow(ydot[k] / size_of(k, y[k]), 2);
  double length = slope > 0.0 ? kRateShare * std::sqrt(static_cast<double>(y.size()) / slope) : kLongestRate;
  if (window_ > 0.0) length = std::min(length, kRateWindowShare * window_);
  length = std::clamp(length, std::max(kShortestRate, 1e4 * std::numeric_limits<double>::epsilon() * std::abs(t)),
                      kLongestRate);
  const double step = side == wave::Side::left ? -length : length;
  table_.keep_accelerations(accelerations_);
  // The time itself last, where everything is left.
  for (const std::size_t place : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
    const double away = static_cast<double>(place) * step;
    for (std::size_t k = 0; k < y.size(); ++k) moved_[k] = y[k] + away * ydot[k];
    if (!evaluate(t + away, side, moved_)) return false;
    if (!call(t, [&] { equations_->signals(t + away, moved_, table_); })) return false;
    table_.collect(places_[place]);
  }
  std::vector<double>& rates = places_[2];
  for (std::size_t k = 0; k < rates.size(); ++k) {
    rates[k] = (-3.0 * places_[0][k] + 4.0 * places_[1][k] - places_[2][k]) / (2.0 * step);
  }
  table_.put_accelerations(accelerations_);
  table_.take_rates(rates);
  return true;
}

void EquationsModel::observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
                             std::span<components::PortOutput> outputs) {
  // Everything is at (t, y): rhs was the last call.
  if (!table_.knows_all_rates()) (void)find_rates(t, side, y, ydot);
  table_.observe(t, side, outputs);
}

void EquationsModel::powers(double t, std::span<const double> y, components::Powers& powers) {
  if (!evaluate(t, wave::Side::left, y)) return;
  table_.observe(t, wave::Side::left, port_outputs_);
  const std::span<const core::Port> ports = table_.set().ports();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const bool is_signal = ports[i].domain == core::Domain::signal;
    powers.through_ports[i] = is_signal ? 0.0 : port_outputs_[i].effort * port_outputs_[i].flow;
    if (!powers.efforts.empty()) powers.efforts[i] = is_signal ? 0.0 : port_outputs_[i].effort;
  }
  (void)call(t, [&] {
    const InnerPowers inner = equations_->powers(t, y, table_);
    powers.dissipated = inner.dissipated, powers.supplied = inner.supplied;
  });
}

std::vector<core::Column> EquationsModel::columns() const {
  std::vector<InterfaceDeclaration> declared;
  for (std::size_t i = 0; i < table_.size(); ++i) declared.push_back(table_.declared(i));
  std::vector<core::Column> columns = interface_columns(declared, table_.set());
  for (const StateDeclaration& state : states_) columns.push_back({state.name, state.unit});
  for (const OutputDeclaration& output : outputs_) columns.push_back({output.name, output.unit});
  return columns;
}

void EquationsModel::record(double t, wave::Side side, std::span<const double> y, std::span<const double>,
                            std::span<double> values) {
  (void)call(t, [&] { equations_->signals(t, y, table_); });
  table_.observe(t, side, port_outputs_);
  const std::size_t own = values.size() - outputs_.size();
  table_.set().fill_columns(table_.states(), port_outputs_, t, side, values.first(own - y.size()));
  std::copy(y.begin(), y.end(), values.begin() + static_cast<std::ptrdiff_t>(own - y.size()));
  (void)call(t, [&] { equations_->record(t, y, table_, values.subspan(own)); });
}

double EquationsModel::next_break(double t) const { return next_event_ > t ? next_event_ : wave::Track::kNever; }

void EquationsModel::find_next_event(double t) {
  next_event_ = wave::Track::kNever;
  (void)call(t, [&] { next_event_ = equations_->next_time_event(t); });
  if (!(next_event_ > t)) next_event_ = wave::Track::kNever;
}

bool EquationsModel::on_break(double t, std::span<double> y) {
  if (next_event_ != t) return false;
  (void)call(t, [&] { equations_->on_time_event(t, y); });
  find_next_event(t);
  orient_events(t, y);
  return true;
}

void EquationsModel::on_guard(int index, double t, std::span<double> y) {
  (void)call(t, [&] { equations_->on_event(index, t, y); });
  find_next_event(t);
  orient_events(t, y);
}

std::optional<core::Energy> EquationsModel::energy(double t, std::span<const double> y) const {
  std::optional<core::Energy> result;
  (void)call(t, [&] {
    if (const auto stored = equations_->energy(t, y)) {
      result.emplace();
      result->kinetic = stored->kinetic, result->potential = stored->potential;
    }
  });
  return result;
}

std::string EquationsModel::snapshot_obstacle() const {
  try {
    return equations_->snapshot_obstacle();
  } catch (...) {
    return "its check whether it can be saved failed";
  }
}

void EquationsModel::save_modes(core::ArchiveWriter& archive) const {
  std::vector<double> memory;
  (void)call(0.0, [&] { memory = equations_->save(); });
  archive.put_span<double>(memory);
  archive.put_span<double>(orientation_);
  archive.put(next_event_);
  table_.save(archive);
}

void EquationsModel::restore_modes(core::ArchiveReader& archive) {
  const std::vector<double> memory = archive.get_vector<double>();
  archive.get_span<double>(orientation_);
  archive.get(next_event_);
  table_.restore(archive);
  failure_.reset();
  (void)call(0.0, [&] { equations_->restore(memory); });
}

}  // namespace tieline::custom
