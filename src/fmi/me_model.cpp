#include "fmi/me_model.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Rates are taken over this share of the time in which states change by their own size.
constexpr double kRateShare = 1e-5;
constexpr double kRateWindowShare = 1e-4;
constexpr double kShortestRate = 1e-13;  // [s]
constexpr double kLongestRate = 1e-4;    // [s]
// After an event the guards are looked at behind these shares of that time.
constexpr std::array<double, 2> kLookShares{1e-6, 1e-3};
// Differences for Jacobians, as a share of a state's size, or of a signal's.
constexpr double kDifference = 1e-7;
constexpr int kMostCorrections = 20;
constexpr double kMeLoopTolerance = 1e-12;
// A fresh derivative is taken where a correction leaves more than this share of the defect.
constexpr double kSlow = 0.1;
// Rounds of events at one time.
constexpr int kMostRounds = 1000;
// Signals of a loop that are named at most.
constexpr std::size_t kMostNamed = 6;

std::vector<core::InterfaceShape> shapes_of(const std::vector<MeMember>& members) {
  std::vector<core::InterfaceShape> shapes;
  for (const MeMember& member : members) {
    for (const InterfaceMap& map : member.spec.interfaces) {
      shapes.push_back(map.shape);
      shapes.back().reports_rates = true;
    }
  }
  return shapes;
}

Error named(const MePart& part, Error error) {
  if (error.component.empty()) error.component = part.name();
  return error;
}

}  // namespace

MeModel::MeModel(std::vector<MeMember> members, std::vector<SignalLink> links)
    : members_(std::move(members)),
      set_(shapes_of(members_)),
      links_(std::move(links)),
      first_interface_{0},
      first_state_{0},
      first_guard_{0} {
  for (const MeMember& member : members_) {
    const std::size_t first = first_interface_.back();
    first_interface_.push_back(first + member.spec.interfaces.size());
    window_ = window_ > 0.0 ? std::min(window_, member.facts.window) : member.facts.window;
    parts_.push_back(std::make_unique<MePart>(member.spec, member.placement, member.facts, set_, first));
    first_state_.push_back(0);
    first_guard_.push_back(0);
  }
  linked_.assign(links_.size(), 0.0);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const FmuSpec& spec = members_[links_[k].to_part].spec;
    const Scalar& scalar = spec.interfaces[links_[k].to_interface].values[links_[k].to_number];
    const bool is_clock = spec.description->variables[scalar.variable].type == Type::clock;
    (is_clock ? clock_links_ : loop_links_).push_back(k);
  }
  is_stale_.assign(parts_.size(), true);
}

MeModel::~MeModel() = default;

std::optional<Error> MeModel::failure() const {
  if (failure_) return failure_;
  for (const auto& part : parts_) {
    if (part->failure()) return part->failure();
  }
  return std::nullopt;
}

Result<void> MeModel::leave_initialization(double t0) {
  for (auto& part : parts_) {
    if (auto left = part->leave_initialization(t0); !left) return named(*part, left.error());
  }
  // Events at the start are events of all where clocks tick from one FMU to another.
  const bool has_clocks =
      std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->has_clocks(); });
  if (has_clocks) {
    std::vector<bool> has_changed(parts_.size(), false);
    if (settle_events(t0, has_changed)) return {};
    return failure().value_or(Error{.code = ErrorCode::not_finite, .message = "the events of its start have no end"});
  }
  for (auto& part : parts_) {
    if (auto settled = part->settle_start(); !settled) return named(*part, settled.error());
  }
  return {};
}

Result<std::vector<double>> MeModel::begin(double t0) {
  failure_.reset();
  ending_.reset();
  has_loop_ = false;
  loop_matrix_.resize(0, 0);
  for (auto& part : parts_) {
    if (auto entered = part->enter_initialization(t0); !entered) return named(*part, entered.error());
  }
  const auto failed = [&] {
    return failure().value_or(Error{.code = ErrorCode::not_finite, .message = "it cannot be evaluated at the start"});
  };
  if (!settle(t0, wave::Side::right)) return failed();
  if (auto left = leave_initialization(t0); !left) return left.error();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (auto begun = parts_[p]->begin(); !begun) return named(*parts_[p], begun.error());
    first_state_[p + 1] = first_state_[p] + parts_[p]->state_count();
    first_guard_[p + 1] = first_guard_[p] + parts_[p]->indicator_count();
  }
  const std::size_t n = first_state_.back();
  y_.assign(n, 0.0), ydot_.assign(n, 0.0), nominals_.clear();
  std::vector<double> y(n);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p]->states(part_of(std::span<double>(y), p))) return failed();
    nominals_.insert(nominals_.end(), parts_[p]->nominals().begin(), parts_[p]->nominals().end());
  }
  if (take_ending(t0)) return y;
  const bool starts_at_rest = rest_ && rest_->size() == n;
  if (starts_at_rest) y = *rest_;
  if (!evaluate(t0, wave::Side::right, y)) return failed();
  for (auto& part : parts_) {
    if (!part->orient_guards()) return failed();
  }
  // Contacts may be closed there, and what else follows from events.
  if (starts_at_rest && !handle_event(t0, y)) return failed();
  if (!look_ahead(t0, y)) return failed();
  return y;
}

double MeModel::output_of(const SignalLink& link) const {
  return link.relation.value(parts_[link.from_part]->exchange().states()[link.from_interface].values[link.from_number]);
}

bool MeModel::settle(double t, wave::Side side) {
  if (!links_.empty()) return has_loop_ ? pass_clocks(t, side) && solve_loop(t, side) : pass_signals(t, side);
  for (auto& part : parts_) {
    if (!part->settle(t, side)) return false;
  }
  return true;
}

bool MeModel::pass_signals(double t, wave::Side side) {
  // Those whose inputs have changed are asked again: a chain of n signals takes n rounds at most, and what changes even
  // then goes round in a circle.
  std::fill(is_stale_.begin(), is_stale_.end(), true);
  for (std::size_t round = 0; round < links_.size() + 2; ++round) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (!is_stale_[p]) continue;
      is_stale_[p] = false;
      if (!parts_[p]->settle(t, side) || !parts_[p]->read_signals()) return false;
      for (std::size_t k = 0; k < links_.size(); ++k) {
        const SignalLink& link = links_[k];
        if (link.from_part != p) continue;
        const double value = output_of(link);
        if (!std::isfinite(value)) return false;
        if (value == linked_[k] && round > 0) continue;
        if (value != linked_[k]) parts_[link.to_part]->open_instant();
        linked_[k] = value;
        parts_[link.to_part]->exchange().give(link.to_interface, link.to_number, value);
        is_stale_[link.to_part] = true;
      }
    }
    if (std::none_of(is_stale_.begin(), is_stale_.end(), [](bool is) { return is; })) return true;
  }
  has_loop_ = true;
  return solve_loop(t, side);
}

bool MeModel::pass_clocks(double t, wave::Side side) {
  bool has_new = !clock_links_.empty();
  // One that ticks may make another one tick: each does so once at most before the next update.
  for (std::size_t round = 0; has_new && round <= clock_links_.size(); ++round) {
    has_new = false;
    for (const std::size_t k : clock_links_) {
      const SignalLink& link = links_[k];
      if (!parts_[link.from_part]->settle(t, side) || !parts_[link.from_part]->read_signals()) return false;
      if (output_of(link) == linked_[k]) continue;
      linked_[k] = output_of(link);
      parts_[link.to_part]->exchange().give(link.to_interface, link.to_number, linked_[k]);
      has_new = true;
    }
  }
  return true;
}

bool MeModel::loop_defect(double t, wave::Side side, const Eigen::VectorXd& inputs, Eigen::VectorXd& defect) {
  for (std::size_t i = 0; i < loop_links_.size(); ++i) {
    const SignalLink& link = links_[loop_links_[i]];
    linked_[loop_links_[i]] = inputs[static_cast<Eigen::Index>(i)];
    parts_[link.to_part]->exchange().give(link.to_interface, link.to_number, linked_[loop_links_[i]]);
  }
  for (auto& part : parts_) {
    if (!part->settle(t, side) || !part->read_signals()) return false;
  }
  for (std::size_t i = 0; i < loop_links_.size(); ++i) {
    defect[static_cast<Eigen::Index>(i)] = linked_[loop_links_[i]] - output_of(links_[loop_links_[i]]);
  }
  return defect.allFinite();
}

bool MeModel::solve_loop(double t, wave::Side side) {
  const auto n = static_cast<Eigen::Index>(loop_links_.size());
  Eigen::VectorXd inputs(n), defect(n), moved(n);
  for (Eigen::Index i = 0; i < n; ++i) inputs[i] = linked_[loop_links_[static_cast<std::size_t>(i)]];
  double before = std::numeric_limits<double>::infinity();
  double size = 0.0;  // the largest that a signal has been while this one was sought
  bool is_fresh = false;
  for (int round = 0; round < kMostCorrections; ++round) {
    if (!loop_defect(t, side, inputs, defect)) return false;
    size = std::max({size, inputs.lpNorm<Eigen::Infinity>(), (inputs - defect).lpNorm<Eigen::Infinity>()});
    const double worst = defect.lpNorm<Eigen::Infinity>();
    if (worst <= kMeLoopTolerance * size) return true;
    if (loop_matrix_.size() == 0 || (!is_fresh && worst > kSlow * before)) {
      Eigen::MatrixXd derivative(n, n);
      for (Eigen::Index j = 0; j < n; ++j) {
        Eigen::VectorXd tried = inputs;
        tried[j] += kDifference * std::max(size, 1e-6);
        if (!loop_defect(t, side, tried, moved)) return false;
        derivative.col(j) = (moved - defect) / (tried[j] - inputs[j]);
      }
      loop_matrix_ = derivative.inverse();
      is_fresh = true;
    } else {
      is_fresh = false;
    }
    before = worst;
    const Eigen::VectorXd change = loop_matrix_ * defect;
    if (!change.allFinite()) break;
    inputs -= change;
  }
  loop_matrix_.resize(0, 0);
  std::string names;
  for (std::size_t k = 0; k < std::min(loop_links_.size(), kMostNamed); ++k) {
    const SignalLink& link = links_[loop_links_[k]];
    const auto name = [&](std::size_t part, std::size_t interface) {
      return fmt::format("{}.{}", parts_[part]->name(), parts_[part]->exchange().map(interface).shape.name);
    };
    names +=
        fmt::format("{}{} to {} (differs by {:.3g})", k == 0 ? "" : ", ", name(link.from_part, link.from_interface),
                    name(link.to_part, link.to_interface), defect[static_cast<Eigen::Index>(k)]);
  }
  if (!failure_) {
    failure_ = Error{
        .code = ErrorCode::step_failed,
        .message = fmt::format(
            "signals that depend on one another at the same time (an algebraic loop) have no solution: {}", names),
        .time = t};
  }
  return false;
}

bool MeModel::take_ending(double t) {
  for (const auto& part : parts_) {
    if (ending_ || !part->wants_end()) continue;
    ending_ = core::Ending{t, part->name(), kAsksToEnd};
    for (auto& each : parts_) each->show_last();
  }
  return ending_.has_value();
}

bool MeModel::evaluate(double t, wave::Side side, std::span<const double> y) {
  if (failure()) return false;
  if (ending_) return true;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p]->move_to(t, part_of(y, p))) return false;
  }
  return settle(t, side);
}

bool MeModel::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  if (!evaluate(t, side, y)) return false;
  if (ending_) {
    std::fill(ydot.begin(), ydot.end(), 0.0);
    return true;
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p]->derivatives(part_of(ydot, p))) return false;
  }
  return true;
}

void MeModel::guards(double t, std::span<const double> y, std::span<double> values) {
  bool is_known = !ending_ && evaluate(t, wave::Side::left, y);
  for (std::size_t p = 0; p < parts_.size() && is_known; ++p) {
    is_known = parts_[p]->guards(values.subspan(first_guard_[p], first_guard_[p + 1] - first_guard_[p]));
  }
  if (!is_known) std::fill(values.begin(), values.end(), 1.0);
}

bool MeModel::handle_event(double t, std::span<double> y) {
  if (ending_) return true;
  if (!evaluate(t, wave::Side::right, y)) return false;
  for (auto& part : parts_) {
    if (!part->enter_event(t)) return false;
  }
  std::vector<bool> has_changed(parts_.size(), false);
  if (!settle_events(t, has_changed)) return false;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!ending_ && !parts_[p]->leave_event()) return false;
    if (has_changed[p] && !parts_[p]->states(part_of(y, p))) return false;
  }
  if (ending_) return true;
  if (!evaluate(t, wave::Side::right, y)) return false;
  return std::all_of(parts_.begin(), parts_.end(), [](auto& part) { return part->orient_guards(); }) &&
         look_ahead(t, y);
}

bool MeModel::settle_events(double t, std::vector<bool>& has_changed) {
  std::vector<double> carried;
  bool needs_round = true;
  for (int round = 0; needs_round; ++round) {
    if (round == kMostRounds) {
      failure_ = Error{.code = ErrorCode::step_failed,
                       .message = fmt::format("events trigger one another without end ({} times)", kMostRounds),
                       .time = t};
      return false;
    }
    // Inputs that are discrete may change only here.
    if (!settle(t, wave::Side::right)) return false;
    carried = linked_;
    needs_round = false;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto updated = parts_[p]->update();
      if (!updated) return false;
      needs_round = needs_round || updated->needs_update;
      has_changed[p] = has_changed[p] || updated->values_changed;
    }
    if (take_ending(t)) break;
    if (!links_.empty()) {
      if (!settle(t, wave::Side::right)) return false;
      needs_round = needs_round || carried != linked_;
    }
    for (std::size_t p = 0; p < parts_.size() && !needs_round; ++p) {
      const auto ticks_again = parts_[p]->schedule_clocks(t);
      if (!ticks_again) return false;
      needs_round = *ticks_again;
    }
  }
  return true;
}

bool MeModel::look_ahead(double t, std::span<const double> y) {
  look_at_ = t;
  if (guard_count() == 0) return true;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p]->derivatives(part_of(std::span<double>(ydot_), p))) return false;
  }
  const double time = time_of_change(y, ydot_);
  if (!std::isfinite(time)) return true;
  std::vector<double> values(static_cast<std::size_t>(guard_count()), 0.0);
  for (const double share : kLookShares) {
    const double length = std::max(share * time, 64.0 * std::numeric_limits<double>::epsilon() * std::abs(t));
    for (std::size_t k = 0; k < y.size(); ++k) y_[k] = y[k] + length * ydot_[k];
    bool is_known = true;
    for (std::size_t p = 0; p < parts_.size() && is_known; ++p) {
      is_known = parts_[p]->move_to(t + length, part_of(std::span<const double>(y_), p)) &&
                 parts_[p]->guards(std::span(values).subspan(first_guard_[p], first_guard_[p + 1] - first_guard_[p]));
    }
    if (!is_known || std::none_of(values.begin(), values.end(), [](double value) { return value < 0.0; })) continue;
    look_at_ = t + length;
    break;
  }
  return evaluate(t, wave::Side::right, y);
}

double MeModel::time_of_change(std::span<const double> y, std::span<const double> ydot) const {
  double slope = 0.0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double scale = std::max(std::abs(y[k]), std::abs(nominals_[k]) * 1e-3);
    slope += (ydot[k] / scale) * (ydot[k] / scale);
  }
  return slope > 0.0 ? std::sqrt(static_cast<double>(y.size()) / slope) : std::numeric_limits<double>::infinity();
}

bool MeModel::on_break(double t, std::span<double> y) {
  if (ending_) return false;
  bool is_due = std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->has_event_at(t); });
  for (const core::Port& port : set_.ports()) {
    is_due = is_due || port.w(t, wave::Side::left).value != port.w(t, wave::Side::right).value;
  }
  if (!is_due) return false;
  handle_event(t, y);
  return true;
}

void MeModel::on_guard(int, double t, std::span<double> y) { handle_event(t, y); }

bool MeModel::on_step(double t, std::span<const double> y) {
  if (ending_ || !evaluate(t, wave::Side::left, y)) return false;
  bool has_event = false;
  for (auto& part : parts_) has_event = part->complete_step(t) || has_event;
  return !take_ending(t) && has_event;
}

double MeModel::next_break(double t) const {
  if (ending_) return wave::Track::kNever;
  double next = look_at_ > t ? look_at_ : wave::Track::kNever;
  for (const auto& part : parts_) next = std::min(next, part->next_event(t));
  return next;
}

std::vector<int> MeModel::scale_classes() const {
  std::vector<int> classes;
  std::map<std::string, int> known;
  for (const auto& part : parts_) {
    for (std::string unit : part->state_units()) {
      if (unit.empty()) unit = fmt::format("#{}", classes.size());
      classes.push_back(known.try_emplace(unit, static_cast<int>(known.size())).first->second);
    }
  }
  return classes;
}

std::vector<double> MeModel::stated_scales() const {
  for (const auto& part : parts_) {
    if (!part->states_all_nominals()) return {};
  }
  std::vector<double> scales = nominals_;
  for (double& scale : scales) scale = std::abs(scale);
  return scales;
}

void MeModel::natural_sizes(double, wave::Side, double, std::span<double> sizes) const {
  std::fill(sizes.begin(), sizes.end(), 0.0);
}

void MeModel::find_rates(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot) {
  // One-sided, of second order, into the past at the end of a step: nothing is asked beyond what is known.
  double length = kRateShare * time_of_change(y, ydot);
  if (window_ > 0.0) length = std::min(length, kRateWindowShare * window_);
  length = std::clamp(length, std::max(kShortestRate, 1e4 * std::numeric_limits<double>::epsilon() * std::abs(t)),
                      kLongestRate);
  const double step = side == wave::Side::left ? -length : length;
  // At the three places, the nearest one last, where everything is left.
  std::vector<std::vector<std::vector<double>>> motion(3), signals(3);
  bool is_known = true;
  for (const std::size_t place : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
    const double away = static_cast<double>(place) * step;
    for (std::size_t k = 0; k < y.size(); ++k) y_[k] = y[k] + away * ydot[k];
    is_known = is_known && evaluate(t + away, side, y_);
    for (auto& part : parts_) {
      is_known = is_known && part->read_signals();
      const auto numbers = part->exchange().motion_numbers();
      motion[place].emplace_back(numbers.begin(), numbers.end());
      auto& row = signals[place].emplace_back();
      for (const core::InterfaceState& state : part->exchange().states()) {
        row.insert(row.end(), state.values.begin(), state.values.end());
      }
    }
  }
  const auto rate = [&](const auto& near, std::size_t p, std::size_t k) {
    return (-3.0 * near[0][p][k] + 4.0 * near[1][p][k] - near[2][p][k]) / (2.0 * step);
  };
  for (std::size_t p = 0; p < parts_.size() && is_known; ++p) {
    MePart& part = *parts_[p];
    std::vector<double> rates(part.states_of_motion().size());
    for (std::size_t k = 0; k < rates.size(); ++k) {
      const int state = part.states_of_motion()[k];
      rates[k] = state >= 0 ? part.exchange().motion_factor(k) * ydot[first_state_[p] + static_cast<std::size_t>(state)]
                            : rate(motion, p, k);
    }
    part.exchange().take_rates(rates, part.exchange().states());
    std::size_t at = 0;
    for (core::InterfaceState& state : part.exchange().states()) {
      for (std::size_t k = 0; k < state.values.size(); ++k) state.rates[k] = rate(signals, p, at++);
    }
  }
}

void MeModel::observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
                      std::span<components::PortOutput> outputs) {
  // All stand at (t, y), with inputs that fit.
  const bool needs_rates =
      std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->needs_rates(); });
  for (std::size_t p = 0; p < parts_.size() && !failure() && !ending_; ++p) {
    MePart& part = *parts_[p];
    if (!part.read_signals()) break;
    if (needs_rates) continue;
    std::vector<double> rates(part.states_of_motion().size());
    for (std::size_t k = 0; k < rates.size(); ++k) {
      const int state = part.states_of_motion()[k];
      rates[k] =
          state >= 0 ? part.exchange().motion_factor(k) * ydot[first_state_[p] + static_cast<std::size_t>(state)] : 0.0;
    }
    part.exchange().take_rates(rates, part.exchange().states());
  }
  if (needs_rates && !failure() && !ending_) find_rates(t, side, y, ydot);
  for (auto& part : parts_) part->exchange().observe(t, side, outputs);
}

void MeModel::powers(double t, std::span<const double> y, components::Powers& powers) {
  evaluate(t, wave::Side::left, y);
  std::vector<components::PortOutput> outputs(set_.ports().size());
  for (auto& part : parts_) part->exchange().observe(t, wave::Side::left, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_signal = set_.ports()[i].domain == core::Domain::signal;
    powers.through_ports[i] = is_signal ? 0.0 : outputs[i].effort * outputs[i].flow;
    if (!powers.efforts.empty()) powers.efforts[i] = is_signal ? 0.0 : outputs[i].effort;
  }
}

std::vector<core::Column> MeModel::columns() const {
  std::vector<core::Column> columns = set_.columns();
  std::size_t at = 0;
  for (const auto& part : parts_) {
    set_signal_units(part->spec(), std::span(columns).subspan(at));
    for (const InterfaceMap& map : part->spec().interfaces) at += core::InterfaceSet({map.shape}).columns().size();
  }
  for (const auto& part : parts_) add_recorded_columns(part->spec(), columns);
  return columns;
}

void MeModel::record(double t, wave::Side side, std::span<const double>, std::span<const double>,
                     std::span<double> values) {
  std::vector<components::PortOutput> outputs(set_.ports().size());
  std::vector<core::InterfaceState> states;
  for (auto& part : parts_) {
    if (!ending_) part->read_signals();
    part->exchange().observe(t, side, outputs);
    states.insert(states.end(), part->exchange().states().begin(), part->exchange().states().end());
  }
  std::size_t at = set_.columns().size();
  set_.fill_columns(states, outputs, t, side, values.first(at));
  for (auto& part : parts_) {
    part->record(values.subspan(at, part->recorded_count()));
    at += part->recorded_count();
  }
}

bool MeModel::jacobian(double t, std::span<const double> y, std::span<double> columns) {
  if (ending_) {
    std::fill(columns.begin(), columns.end(), 0.0);
    return true;
  }
  if (parts_.size() > 1 || !parts_.front()->has_directional_derivatives()) return difference_jacobian(t, y, columns);
  return evaluate(t, wave::Side::left, y) && parts_.front()->directional_jacobian(t, y, columns);
}

bool MeModel::difference_jacobian(double t, std::span<const double> y, std::span<double> columns) {
  std::vector<double> moved(y.begin(), y.end());
  if (!rhs(t, wave::Side::left, y, ydot_)) return false;
  const std::size_t n = y.size();
  for (std::size_t j = 0; j < n; ++j) {
    moved[j] = y[j] + kDifference * std::max(std::abs(y[j]), 1e-3 * std::abs(nominals_[j]));
    const auto column = columns.subspan(j * n, n);
    if (!rhs(t, wave::Side::left, moved, column)) return false;
    for (std::size_t i = 0; i < n; ++i) column[i] = (column[i] - ydot_[i]) / (moved[j] - y[j]);
    moved[j] = y[j];
  }
  return true;
}

std::string MeModel::snapshot_obstacle() const {
  for (const auto& part : parts_) {
    if (const std::string obstacle = part->snapshot_obstacle(); !obstacle.empty()) return obstacle;
  }
  return {};
}

void MeModel::save_modes(core::ArchiveWriter& archive) const {
  for (const auto& part : parts_) part->save(archive);
  archive.put_span<double>(linked_);
  archive.put(has_loop_);
  archive.put(look_at_);
  archive.put(ending_ ? ending_->time : wave::Track::kNever);
}

void MeModel::restore_modes(core::ArchiveReader& archive) {
  for (auto& part : parts_) part->restore(archive);
  archive.get_span<double>(linked_);
  archive.get(has_loop_);
  archive.get(look_at_);
  const double ended = archive.get<double>();
  ending_.reset();
  if (ended < wave::Track::kNever) take_ending(ended);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    parts_[links_[k].to_part]->exchange().give(links_[k].to_interface, links_[k].to_number, linked_[k]);
  }
  failure_.reset();
  loop_matrix_.resize(0, 0);
}

}  // namespace tieline::fmi
