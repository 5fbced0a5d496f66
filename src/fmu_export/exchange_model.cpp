#include "fmu_export/exchange_model.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "assembly/connection_figures.hpp"
#include "assembly/live_input.hpp"
#include "components/ode_component.hpp"
#include "core/spatial.hpp"

namespace tieline::fmu_export {
namespace {

using wave::Side;

/// A knot so late that the track's first value holds at every time.
constexpr double kAfterEverything = 1e300;
/// Hosts count time up: what differs by less than this share is one time.
constexpr double kSameInstant = 64.0 * std::numeric_limits<double>::epsilon();
/// Central differences: their error is of the second order in the share, their rounding of the inverse first.
constexpr double kCentralShare = 6e-6;
/// Shares by which states are moved to see which column each of them is, and how exactly it must follow.
constexpr double kNamingShare = 1e-3, kNamingAgreement = 1e-6;

bool is_same_time(double a, double b) {
  return a == b || std::abs(a - b) <= kSameInstant * std::max(1e-3, std::abs(b));
}

const components::OdeComponent* equations_of(const simulation::Run& run) {
  return dynamic_cast<const components::OdeComponent*>(&run.component(0));
}

}  // namespace

std::string ExchangeModel::obstacle(const simulation::Run& run) {
  const kinds::Blueprint& blueprint = *run.checked().blueprints.front();
  if (blueprint.is_program || blueprint.is_isolated_by_default) return "it is no native component";
  if (equations_of(run) == nullptr)
    return "it takes steps of its own, which are no differential equations; export it for co-simulation";
  return {};
}

ExchangeModel::ExchangeModel(simulation::Run& run) : run_(run) {
  if (const std::string problem = obstacle(run); !problem.empty()) throw ModelError(problem);
  model_ = &dynamic_cast<components::OdeComponent&>(run.component(0)).model();
  t_ = event_time_ = run.time();
  for (core::Port& port : model_->ports()) {
    if (port.incoming.empty()) continue;
    const double value = port.w(t_, Side::right).value;
    port.incoming.clear();
    port.incoming.push({kAfterEverything, 0.0, value, 0.0});
  }
  // Once more with inputs that hold at every time.
  const auto first = model_->begin(t_);
  if (!first) throw RunError(first.error().describe(), false);
  y_ = *first;
  planned_ = model_->next_break(t_);
  ydot_.assign(y_.size(), 0.0);
  row_.assign(model_->columns().size(), 0.0);
  indicators_.assign(static_cast<std::size_t>(model_->guard_count()), 0.0);
  last_ = indicators_;
  is_armed_.assign(indicators_.size(), 0);
  jacobian_.assign(y_.size() * y_.size(), 0.0);
  has_jacobian_ = model_->sparse_jacobian() != nullptr || model_->jacobian(t_, y_, jacobian_);
  nominals_ = model_->stated_scales();
  if (nominals_.empty()) {
    // The largest of a class, and 1 where all of it is at zero.
    const std::vector<int> classes = model_->scale_classes();
    std::vector<double> largest(y_.size() + 1, 0.0);
    const auto class_of = [&](std::size_t i) {
      return classes.empty() ? 0u : std::min(static_cast<std::size_t>(classes[i]), y_.size());
    };
    for (std::size_t i = 0; i < y_.size(); ++i) largest[class_of(i)] = std::max(largest[class_of(i)], std::abs(y_[i]));
    for (std::size_t i = 0; i < y_.size(); ++i)
      nominals_.push_back(largest[class_of(i)] > 0.0 ? largest[class_of(i)] : 1.0);
  }
  for (double& nominal : nominals_) {
    if (!(nominal > 0.0) || !std::isfinite(nominal)) nominal = 1.0;
  }
  note_guards(true);
}

core::Port* ExchangeModel::port_of(std::string_view target, int axis) {
  const assembly::CheckedModel& checked = run_.checked();
  for (const model::InterfaceInfo& interface : checked.blueprints.front()->interfaces) {
    const model::Endpoint end{0, interface.name};
    if (axis >= 0) {
      if (interface.domain != core::Domain::mechanical3d || checked.model.describe(end) != target) continue;
      core::SpatialInterface& space = *assembly::interfaces_at(checked, end, run_.component(0)).front();
      return &space.axis(static_cast<std::size_t>(axis));
    }
    if (interface.domain == core::Domain::mechanical3d) continue;
    const auto ports = assembly::ports_at(checked, end, run_.component(0));
    for (std::size_t k = 0; k < ports.size(); ++k) {
      if (assembly::number_name(checked, end, k) == target) return &ports[k];
    }
  }
  return nullptr;
}

bool ExchangeModel::moves_by_states(const core::Port& port) const {
  const std::span<core::Port> ports = model_->ports();
  return model_->knows_what_moves() && model_->moves_by_states(static_cast<std::size_t>(&port - ports.data()));
}

std::vector<core::Column> ExchangeModel::name_states() {
  const std::vector<core::Column> columns = model_->columns();
  std::vector<int> column_of(y_.size(), -2);  // -2: nothing is known yet; -1: none
  const std::vector<double> y = y_, before{row().begin(), row().end()};
  for (const double seed : {0.6180339887, 0.4142135623}) {
    std::vector<double> by(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      // All different, so that each is known by how far it has moved.
      const double mixed = seed * static_cast<double>(i + 1);
      by[i] = kNamingShare * nominals_[i] * (1.0 + mixed - std::floor(mixed));
      y_[i] = y[i] + by[i];
    }
    forget();
    const bool is_possible = evaluate();
    const std::vector<double> after = is_possible ? std::vector<double>(row().begin(), row().end()) : before;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto follows = [&](std::size_t c) {
        return std::abs(after[c] - before[c] - (y[i] + by[i] - y[i])) <= kNamingAgreement * by[i];
      };
      if (column_of[i] == -2) {
        for (std::size_t c = 0; c < columns.size() && column_of[i] == -2; ++c) {
          if (follows(c)) column_of[i] = static_cast<int>(c);
        }
        if (column_of[i] == -2) column_of[i] = -1;
      } else if (column_of[i] >= 0 && !follows(static_cast<std::size_t>(column_of[i]))) {
        column_of[i] = -1;
      }
    }
  }
  y_ = y;
  forget();
  std::vector<core::Column> names;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool is_unique = column_of[i] >= 0 && std::count(column_of.begin(), column_of.end(), column_of[i]) == 1;
    names.push_back(is_unique ? columns[static_cast<std::size_t>(column_of[i])]
                              : core::Column{fmt::format("state[{}]", i + 1), ""});
  }
  return names;
}

std::vector<double> ExchangeModel::nominals() const { return nominals_; }

// ---- the present point

void ExchangeModel::forget() { is_evaluated_ = stands_ = has_row_ = is_jacobian_known_ = false; }

void ExchangeModel::set_time(double t) {
  if (is_same_time(t, event_time_)) t = event_time_;
  if (t == t_) return;
  t_ = t;
  forget();
}

void ExchangeModel::set_states(std::span<const double> y) {
  if (std::equal(y.begin(), y.end(), y_.begin(), y_.end())) return;
  std::copy(y.begin(), y.end(), y_.begin());
  forget();
}

void ExchangeModel::set_input(core::Port& port, double value) {
  port.incoming.clear();
  port.incoming.push({kAfterEverything, 0.0, value, 0.0});
  has_new_inputs_ = true;
  forget();
}

void ExchangeModel::fail_if_broken() const {
  if (const auto failed = model_->failure()) throw RunError(failed->describe(), false);
}

bool ExchangeModel::evaluate() {
  if (is_evaluated_ && stands_) return true;
  is_evaluated_ = stands_ = model_->rhs(t_, side(), y_, ydot_);
  if (!is_evaluated_) fail_if_broken();
  return is_evaluated_;
}

std::span<const double> ExchangeModel::rates() {
  if (!is_evaluated_ && !evaluate()) throw RunError("the equations cannot be evaluated here", false);
  return ydot_;
}

std::span<const double> ExchangeModel::row() {
  if (has_row_) return row_;
  if (!evaluate()) throw RunError("the equations cannot be evaluated here", false);
  model_->record(t_, side(), y_, ydot_, row_);
  has_row_ = true;
  return row_;
}

std::span<const double> ExchangeModel::indicators() {
  if (!indicators_.empty()) model_->guards(t_, y_, indicators_);
  stands_ = false;
  return indicators_;
}

// ---- derivatives

void ExchangeModel::evaluate_jacobian() {
  if (is_jacobian_known_) return;
  bool is_known = false;
  if (solvers::SparseJacobian* const sparse = model_->sparse_jacobian()) {
    is_known = model_->evaluate_sparse_jacobian(t_, y_);
    if (is_known) sparse->eliminate(jacobian_);
  } else {
    is_known = model_->jacobian(t_, y_, jacobian_);
  }
  stands_ = false;
  if (!is_known) throw RunError("the Jacobian cannot be evaluated here", false);
  is_jacobian_known_ = true;
}

void ExchangeModel::differentiate(std::span<const double> states, std::span<const InputChange> inputs,
                                  std::span<double> rates, std::span<double> row) {
  std::fill(rates.begin(), rates.end(), 0.0);
  std::fill(row.begin(), row.end(), 0.0);
  if (!rates.empty()) {
    evaluate_jacobian();
    const std::size_t n = y_.size();
    for (std::size_t j = 0; j < n; ++j) {
      if (states[j] == 0.0) continue;
      for (std::size_t i = 0; i < n; ++i) rates[i] += jacobian_[j * n + i] * states[j];
    }
    if (!inputs.empty()) add_difference({}, inputs, rates, {});
  }
  if (!row.empty()) add_difference(states, inputs, {}, row);
}

void ExchangeModel::add_difference(std::span<const double> states, std::span<const InputChange> inputs,
                                   std::span<double> rates, std::span<double> row) {
  double most = 0.0;  // of all changes, in units of what changes
  for (std::size_t i = 0; i < states.size(); ++i)
    most = std::max(most, std::abs(states[i]) / std::max(std::abs(y_[i]), nominals_[i]));
  for (const InputChange& input : inputs)
    most = std::max(most, std::abs(input.change) / std::max(std::abs(input.value), 1.0));
  if (most == 0.0) return;
  const double h = kCentralShare / most;
  const std::vector<double> y = y_;
  for (const double sign : {1.0, -1.0}) {
    for (std::size_t i = 0; i < states.size(); ++i) y_[i] = y[i] + sign * h * states[i];
    for (const InputChange& input : inputs) {
      input.port->incoming.clear();
      input.port->incoming.push({kAfterEverything, 0.0, input.value + sign * h * input.change, 0.0});
    }
    const bool is_known = is_jacobian_known_;
    forget();
    if (!evaluate()) throw RunError("the equations cannot be evaluated near here", false);
    is_jacobian_known_ = is_known;
    for (std::size_t i = 0; i < rates.size(); ++i) rates[i] += sign * ydot_[i] / (2.0 * h);
    if (row.empty()) continue;
    const std::span<const double> here = this->row();
    for (std::size_t i = 0; i < row.size(); ++i) row[i] += sign * here[i] / (2.0 * h);
  }
  y_ = y;
  for (const InputChange& input : inputs) {
    input.port->incoming.clear();
    input.port->incoming.push({kAfterEverything, 0.0, input.value, 0.0});
  }
  is_evaluated_ = stands_ = has_row_ = false;
}

// ---- events

void ExchangeModel::note_guards(bool is_restart) {
  const std::span<const double> now = indicators();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (is_restart || now[i] > 0.0) last_[i] = now[i];
    if (is_restart) is_armed_[i] = now[i] >= 0.0 ? 1 : 0;
  }
}

int ExchangeModel::first_due() {
  const std::span<const double> now = indicators();
  for (std::size_t i = 0; i < now.size(); ++i) {
    // A host may stop exactly where the guard is zero.
    const bool is_beyond = now[i] < 0.0 || (now[i] == 0.0 && last_[i] > 0.0);
    if (is_armed_[i] != 0 && is_beyond) return static_cast<int>(i);
  }
  return -1;
}

/// Instants of the model that have been reached, and what jumps with inputs.
void ExchangeModel::pass_breaks() {
  bool is_passed = false;
  while (planned_ < t_ || is_same_time(planned_, t_)) {  // "never" is neither
    // A host that comes a rounding early or late is at the instant itself.
    if (is_same_time(planned_, t_)) t_ = planned_;
    event_time_ = planned_;
    (void)model_->on_break(planned_, y_);
    planned_ = model_->next_break(planned_);
    is_passed = true;
  }
  event_time_ = t_;
  if (!is_passed && (has_new_inputs_ || has_own_break_)) (void)model_->on_break(t_, y_);
  has_new_inputs_ = has_own_break_ = false;
}

ExchangeModel::Events ExchangeModel::handle_events(const std::function<void(const std::string& name)>& on_event) {
  const std::vector<double> before = y_;
  pass_breaks();
  const std::size_t most = 4 + 2 * indicators_.size();
  for (std::size_t round = 0;; ++round) {
    const int due = first_due();
    if (due < 0) break;
    if (round == most) {
      throw RunError(fmt::format("{} switches back and forth, because each change causes the next one; add a "
                                 "hysteresis or a delay, or use a smooth law",
                                 model_->guard_name(due)),
                     false);
    }
    model_->on_guard(due, t_, y_);
    if (on_event) on_event(model_->guard_name(due));
    // What holds now may fire again; what does not has to come back first.
    const std::span<const double> now = indicators();
    const auto i = static_cast<std::size_t>(due);
    is_armed_[i] = now[i] >= 0.0 ? 1 : 0;
    last_[i] = std::min(now[i], 0.0);
  }
  if (model_->has_constraints() && model_->project(t_, y_) == solvers::Projection::failed)
    throw RunError("the constraints cannot be met", false);
  forget();
  fail_if_broken();
  Events events{.states_changed = before != y_, .ends = model_->ending() != nullptr};
  if (std::isfinite(planned_)) events.next = planned_;
  return events;
}

void ExchangeModel::enter_continuous() {
  is_event_mode_ = false;
  is_first_step_ = true;
  note_guards(true);
}

bool ExchangeModel::completed_step() {
  has_own_break_ = model_->on_step(t_, y_) || has_own_break_;
  stands_ = false;
  fail_if_broken();
  bool is_due = has_own_break_ || model_->ending() != nullptr;
  const std::span<const double> now = indicators();
  for (std::size_t i = 0; i < now.size(); ++i) {
    // Negative from the start, and still: due at once, as where two contacts close together.
    if (is_armed_[i] == 0 && (now[i] >= 0.0 || is_first_step_)) is_armed_[i] = 1;
    is_due = is_due || (is_armed_[i] != 0 && now[i] < 0.0);
  }
  note_guards(false);
  is_first_step_ = false;
  if (!is_due && model_->has_constraints()) {
    std::vector<double> y = y_;
    const solvers::Projection projected = model_->project(t_, y);
    if (projected == solvers::Projection::failed) throw RunError("the constraints cannot be met", false);
    is_due = projected == solvers::Projection::moved;
  }
  has_new_inputs_ = false;
  return is_due;
}

// ---- state

void ExchangeModel::save(core::ArchiveWriter& archive) const {
  archive.tag("exchange");
  for (const double value : {t_, event_time_, planned_}) archive.put(value);
  for (const bool flag : {is_event_mode_, has_new_inputs_, has_own_break_, is_first_step_}) archive.put(flag);
  archive.put_span<double>(y_);
  archive.put_span<double>(last_);
  archive.put_span<char>(is_armed_);
  model_->save_modes(archive);
}

void ExchangeModel::restore(core::ArchiveReader& archive) {
  archive.expect_tag("exchange");
  for (double* const value : {&t_, &event_time_, &planned_}) archive.get(*value);
  for (bool* const flag : {&is_event_mode_, &has_new_inputs_, &has_own_break_, &is_first_step_}) archive.get(*flag);
  archive.get_span<double>(y_);
  archive.get_span<double>(last_);
  archive.get_span<char>(is_armed_);
  model_->restore_modes(archive);
  forget();
}

}  // namespace tieline::fmu_export
