#include "custom/own_steps_component.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "components/port_inputs.hpp"

namespace tieline::custom {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Times that components add up by themselves are within so many roundings of ours.
constexpr double kTimeRoundings = 16.0 * std::numeric_limits<double>::epsilon();

bool is_near(double a, double b) { return std::abs(a - b) <= kTimeRoundings * std::max(std::abs(a), std::abs(b)); }

}  // namespace

OwnStepsComponent::OwnStepsComponent(std::string name, std::unique_ptr<OwnSteps> steps, const core::Pose& placement)
    : Component(std::move(name)),
      steps_(std::move(steps)),
      outputs_(steps_->outputs()),
      table_(steps_->interfaces(), placement),
      before_(outputs_.size(), 0.0),
      now_(outputs_.size(), 0.0),
      reports_acceleration_(table_.size(), false) {
  table_.follow_laws();
  statistics_.solver = "own";
}

template <class F>
Result<void> OwnStepsComponent::call(F&& f) const {
  try {
    f();
    return {};
  } catch (const std::exception& problem) {
    return placed({.code = ErrorCode::step_failed, .message = problem.what()});
  } catch (...) {
    return placed({.code = ErrorCode::step_failed, .message = "it threw something that is not a std::exception"});
  }
}

Error OwnStepsComponent::placed(Error error) const {
  error.component = name();
  if (std::isnan(error.time)) error.time = time_;
  return error;
}

core::Capabilities OwnStepsComponent::capabilities() const {
  core::Capabilities result;
  (void)call([&] { result.can_snapshot = steps_->can_restore(); });
  result.can_save_at_save_points = result.can_snapshot;
  if (!result.can_snapshot) {
    result.snapshot_obstacle = "the component cannot save and restore its state (can_restore)";
  }
  return result;
}

std::vector<core::Column> OwnStepsComponent::columns() const {
  std::vector<InterfaceDeclaration> declared;
  for (std::size_t i = 0; i < table_.size(); ++i) declared.push_back(table_.declared(i));
  std::vector<core::Column> columns = interface_columns(declared, table_.set());
  for (const OutputDeclaration& output : outputs_) columns.push_back({output.name, output.unit});
  return columns;
}

void OwnStepsComponent::plan_recording(core::RecordPlan plan) { rows_.plan(std::move(plan), columns().size()); }

void OwnStepsComponent::fill_row(double at, std::span<double> values) {
  const std::size_t own = values.size() - outputs_.size();
  publisher_->fill_columns(at, at == t0_ ? wave::Side::right : wave::Side::left, values.first(own));
  // Straight between the steps.
  const double length = time_ - step_start_;
  const double share = length > 0.0 ? std::clamp((at - step_start_) / length, 0.0, 1.0) : 1.0;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    values[own + k] = share == 1.0 ? now_[k] : before_[k] + share * (now_[k] - before_[k]);
  }
}

void OwnStepsComponent::current_values(std::span<double> values) {
  if (publisher_) fill_row(time_, values);
}

Result<void> OwnStepsComponent::take_report(double t, wave::Side side) {
  table_.begin(t, side);
  if (auto reported = call([&] { steps_->report(t, table_); }); !reported) return reported;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const core::InterfaceState& state = table_.states()[i];
    const auto numbers = core::numbers_of(table_.set().shape(i), state);
    if (!std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); })) {
      return placed({.code = ErrorCode::not_finite,
                     .message = "the component reports a value that is not finite",
                     .port = table_.declared(i).name,
                     .time = t});
    }
  }
  return call([&] { steps_->record(t, now_); });
}

Result<void> OwnStepsComponent::start(double t0) {
  t0_ = time_ = limit_ = step_start_ = breaks_settled_to_ = t0;
  if (auto started = call([&] { steps_->start(t0); }); !started) return started;
  if (auto reported = take_report(t0, wave::Side::right); !reported) return reported;
  if (const std::string missing = table_.unreported(); !missing.empty()) {
    return placed(
        {.code = ErrorCode::bad_input, .message = "the component does not set this interface", .port = missing});
  }
  before_ = now_;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    reports_acceleration_[i] = table_.has_rate(i);
    table_.set().set_reports_rates(i, table_.has_rate(i));
  }
  const auto states = table_.states();
  publisher_.emplace(table_.set(), std::vector<core::InterfaceState>(states.begin(), states.end()), t0, false);
  rows_.start(t0);
  publisher_->publish_start();
  return {};
}

bool OwnStepsComponent::is_unsettled_break(double t) const {
  const std::span<const core::Port> ports = table_.set().ports();
  return t > breaks_settled_to_ && components::next_input_break(ports, std::nextafter(t, -wave::Track::kNever), t) == t;
}

Result<void> OwnStepsComponent::settle() {
  if (!is_unsettled_break(time_)) return {};
  ++statistics_.breaks;
  breaks_settled_to_ = time_;
  publisher_->publish_right_side();
  return {};
}

Result<void> OwnStepsComponent::make_step(double limit) {
  if (time_ == t0_) rows_.write_until(t0_, [this](double at, std::span<double> values) { fill_row(at, values); });
  const std::span<const core::Port> ports = table_.set().ports();
  limit_ = std::min(limit, components::next_input_break(ports, time_, limit));
  double reached = time_;
  if (auto stepped = call([&] { reached = steps_->step(time_, limit_, *this); }); !stepped) return stepped;
  if (is_near(reached, limit_)) reached = limit_;
  if (!(reached > time_ && reached <= limit_)) {
    return placed({.code = ErrorCode::step_failed,
                   .message = fmt::format("a step from {:.9g} s with the limit {:.9g} s ends at {:.9g} s", time_,
                                          limit_, reached)});
  }
  step_start_ = time_;
  before_ = now_;
  if (auto reported = take_report(reached, wave::Side::left); !reported) return reported;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (reports_acceleration_[i] && !table_.has_rate(i)) {
      return placed({.code = ErrorCode::step_failed,
                     .message = "the component reported the acceleration at the start, and must do so after every step",
                     .port = table_.declared(i).name,
                     .time = reached});
    }
    publisher_->next(i) = table_.states()[i];
  }
  publisher_->begin_step(reached);
  time_ = reached;
  rows_.write_until(reached, [this](double at, std::span<double> values) { fill_row(at, values); });
  publisher_->publish(reached);
  publisher_->end_step();
  ++statistics_.steps;
  return {};
}

Result<void> OwnStepsComponent::advance(const core::Window& window) {
  ++statistics_.windows;
  if (auto covered = components::check_covered(table_.set().ports(), window.end); !covered) {
    return placed(covered.error());
  }
  while (time_ < window.end) {
    if (core::is_cancelled(window)) return placed({.code = ErrorCode::cancelled, .message = "stopped on request"});
    if (auto settled = settle(); !settled) return settled;
    if (auto stepped = make_step(window.end); !stepped) return stepped;
  }
  return {};
}

Result<double> OwnStepsComponent::step(double limit) {
  ++statistics_.windows;
  if (auto covered = components::check_covered(table_.set().ports(), limit); !covered) return placed(covered.error());
  if (auto settled = settle(); !settled) return settled.error();
  // What takes motion moves as the present inputs say.
  publisher_->settle();
  if (auto stepped = make_step(limit); !stepped) return stepped.error();
  return time_;
}

wave::Side OwnStepsComponent::side_at(double& t) const {
  for (const double known : {time_, limit_}) {
    if (is_near(t, known)) t = known;
  }
  if (!(t >= time_ && t <= limit_)) {
    throw std::logic_error(fmt::format(
        "an input is requested at {:.9g} s, in a step from {:.9g} s with the limit {:.9g} s", t, time_, limit_));
  }
  return t > time_ ? wave::Side::left : wave::Side::right;
}

double OwnStepsComponent::force(int interface, double t, double velocity) const {
  const std::size_t i = table_.expect(interface, Causality::force_in, false, "force");
  const wave::Side side = side_at(t);
  const core::Port& port = table_.set().ports_of(i)[0];
  return port.effort_for(velocity, port.w(t, side).value);
}

Load3d OwnStepsComponent::load(int interface, double t, const Motion3d& motion) const {
  const std::size_t i = table_.expect(interface, Causality::force_in, true, "load");
  const wave::Side side = side_at(t);
  return table_.load_in_component(table_.set().spatial(i)->wrench(t, side, table_.pose_in_world(interface, motion),
                                                                  table_.motion_in_world(motion)));
}

double OwnStepsComponent::velocity(int interface, double t, double force) const {
  const std::size_t i = table_.expect(interface, Causality::motion_in, false, "velocity");
  const wave::Side side = side_at(t);
  core::InterfaceState state;
  state.effort = force;
  table_.set().settle_motion(i, t, side, state);
  return state.flow;
}

std::vector<double> OwnStepsComponent::signal(int interface, double t) const {
  const std::size_t i = table_.expect(interface, Causality::input, false, "signal");
  const wave::Side side = side_at(t);
  const auto rest = table_.signal(interface);
  std::vector<double> values(rest.begin(), rest.end());
  const std::span<core::Port> ports = table_.set().ports_of(i);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!ports[k].incoming.empty()) values[k] = ports[k].w(t, side).value;
  }
  return values;
}

Result<void> OwnStepsComponent::save(core::ArchiveWriter& archive) const {
  if (!publisher_) return placed({.code = ErrorCode::unsupported, .message = "it has not been started"});
  std::vector<double> state;
  if (auto saved = call([&] { state = steps_->save(); }); !saved) return saved;
  archive.tag(name());
  archive.put(t0_), archive.put(time_), archive.put(breaks_settled_to_);
  publisher_->save(archive);
  archive.put_span<double>(publisher_->start_integrals());
  archive.put_span<double>(now_);
  table_.save(archive);
  for (const core::Port& port : table_.set().ports()) save_track(archive, port.incoming);
  archive.put_span<double>(state);
  return {};
}

Result<void> OwnStepsComponent::restore(core::ArchiveReader& archive) {
  if (!publisher_) {
    if (auto started = start(t0_); !started) return started;
  }
  archive.expect_tag(name());
  archive.get(t0_), archive.get(time_), archive.get(breaks_settled_to_);
  publisher_->restore(archive);
  archive.get_span<double>(publisher_->start_integrals());
  archive.get_span<double>(now_);
  table_.restore(archive);
  for (core::Port& port : table_.set().ports()) {
    restore_track(archive, port.incoming);
    port.outbox.clear();
  }
  const std::vector<double> state = archive.get_vector<double>();
  before_ = now_;
  limit_ = step_start_ = time_;
  rows_.resume(t0_, time_);
  return call([&] { steps_->restore(time_, state); });
}

}  // namespace tieline::custom
