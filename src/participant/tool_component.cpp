#include "participant/tool_component.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/nearest_name.hpp"

namespace tieline::participant {
namespace {

using core::Error;
using core::ErrorCode;
using core::InterfaceShape;
using core::InterfaceState;
using core::Result;
using core::SpatialInterface;

constexpr std::size_t kSampleNumbers = 8;
// Less than this share of the longest step is a rounding of times.
constexpr double kNoStep = 1e-6;
static_assert(sizeof(wave::Sample) == kSampleNumbers * sizeof(double));

InterfaceShape shape_of(const transport::InterfaceMessage& message) {
  return {message.name, message.domain, message.causality, static_cast<int>(message.size)};
}

std::vector<InterfaceShape> shapes_of(const std::vector<transport::InterfaceMessage>& messages) {
  std::vector<InterfaceShape> shapes;
  for (const auto& message : messages) shapes.push_back(shape_of(message));
  return shapes;
}

std::string described(const transport::InterfaceMessage& message) {
  const std::string numbers = message.size == 1 ? "" : fmt::format(" of {} numbers", message.size);
  return fmt::format("{}, {}{}", core::names_of(message.domain).domain, core::name_of(message.causality), numbers);
}

/// A state as the samples of an interface's ports say it.
InterfaceState state_of(const InterfaceShape& shape, std::span<const wave::Sample> samples) {
  InterfaceState state;
  if (shape.domain == core::Domain::mechanical3d) {
    const auto turn = [&](std::size_t k) { return samples[SpatialInterface::kAxes + k]; };
    for (std::size_t i = 0; i < 3; ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      state.pose.position[at] = samples[i].position;
      state.motion.velocity[at] = samples[i].flow;
    }
    const Eigen::Quaterniond q(turn(0).position, turn(1).position, turn(2).position, turn(3).position);
    const Eigen::Quaterniond rate(turn(0).flow, turn(1).flow, turn(2).flow, turn(3).flow);
    state.pose.orientation = q.normalized();
    state.motion.angular_velocity = 2.0 * (rate * q.inverse()).vec();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      state.load.force[at] = samples[i].effort, state.load.torque[at] = samples[i + 3].effort;
    }
  } else if (shape.domain == core::Domain::signal) {
    for (const wave::Sample& sample : samples) state.values.push_back(sample.flow);
    state.rates.assign(samples.size(), 0.0);
  } else {
    state.position = samples[0].position, state.flow = samples[0].flow, state.effort = samples[0].effort;
  }
  return state;
}

}  // namespace

ToolComponent::ToolComponent(ToolSettings settings)
    : Component(settings.name),
      settings_(std::move(settings)),
      set_(std::make_unique<core::InterfaceSet>(shapes_of(settings_.declared))),
      states_(set_->size()),
      outputs_(set_->ports().size()),
      last_(set_->ports().size()) {
  if (!settings_.starts_at_rest) return;
  rest_ = std::make_unique<core::ProbedRest>(*this, [this](bool is_mute) { rows_.mute(is_mute); });
}

Error ToolComponent::error(ErrorCode code, std::string message) const {
  return {.code = code, .message = std::move(message), .component = name(), .time = time_};
}

Error ToolComponent::without_driver() const {
  return error(ErrorCode::unsupported, "its program drives its own time, and cannot be advanced from here");
}

Result<void> ToolComponent::set_first(const transport::Registration& registration) {
  std::string problems;
  const auto wrong = [&](const std::string& problem) { problems += (problems.empty() ? "" : "; ") + problem; };
  can_save_ = registration.can_save;
  first_.clear();
  for (std::size_t i = 0; i < set_->size(); ++i) {
    const transport::InterfaceMessage& declared = settings_.declared[i];
    if (i >= registration.interfaces.size() || registration.interfaces[i].interface.name != declared.name) {
      std::vector<std::string> names;
      for (const auto& each : registration.interfaces) names.push_back(each.interface.name);
      const std::string nearest = core::nearest_name(declared.name, names);
      wrong(fmt::format("interface '{}' of the model is not registered{}", declared.name,
                        nearest.empty() || nearest == declared.name ? "" : fmt::format(" ('{}' is)", nearest)));
      continue;
    }
    const transport::RegisteredInterface& own = registration.interfaces[i];
    if (own.interface.domain != declared.domain || own.interface.causality != declared.causality ||
        own.interface.size != declared.size) {
      wrong(fmt::format("interface '{}' is registered as {}, and the model declares {}", declared.name,
                        described(own.interface), described(declared)));
      continue;
    }
    auto first = core::state_from(set_->shape(i), own.first);
    if (!first) {
      wrong(fmt::format("the first values of interface '{}' are not finite, or of the wrong number", declared.name));
      continue;
    }
    set_->set_reports_rates(i, first->reports_rates);
    first_.push_back(std::move(first->state));
  }
  has_first_ = problems.empty();
  if (!has_first_) return error(ErrorCode::bad_input, problems);
  return {};
}

core::Capabilities ToolComponent::capabilities() const {
  core::Capabilities result;
  result.can_snapshot = can_save_ && (is_member_ || !has_first_);
  result.can_save_at_save_points = can_save_;
  result.uses_horizon = !settings_.exact_step;
  if (!can_save_) {
    result.snapshot_obstacle = fmt::format("the program of component '{}' cannot save and restore its state", name());
  } else if (!is_member_) {
    result.snapshot_obstacle =
        fmt::format("component '{}' drives its own time, and is saved at save points only", name());
  }
  return result;
}

void ToolComponent::plan_recording(core::RecordPlan plan) { rows_.plan(std::move(plan), set_->columns().size()); }

void ToolComponent::current_values(std::span<double> values) {
  for (std::size_t i = 0; i < set_->size(); ++i) set_->observe(i, time_, wave::Side::left, states_[i], outputs_);
  set_->fill_columns(states_, outputs_, time_, wave::Side::left, values);
}

Result<void> ToolComponent::start(double t0) {
  if (!has_first_) return error(ErrorCode::bad_input, "its program has not registered");
  t0_ = time_ = t0;
  states_ = first_;
  for (std::size_t i = 0; i < set_->size(); ++i) {
    if (set_->shape(i).causality == core::Causality::takes_motion) {
      set_->settle_motion(i, t0, wave::Side::right, states_[i]);
    }
    set_->observe(i, t0, wave::Side::right, states_[i], outputs_);
  }
  const std::span<core::Port> all = set_->ports();
  for (std::size_t p = 0; p < all.size(); ++p) {
    const core::PortOutput& out = outputs_[p];
    last_[p] = {t0, out.position, out.flow, out.flow_rate, out.effort, out.effort_rate, 0.0, 0.0};
    if (all[p].is_connected && all[p].causality != core::Causality::input) all[p].outbox.push_back(last_[p]);
  }
  rows_.start(t0);
  return {};
}

Result<void> ToolComponent::advance(const core::Window& window) {
  // A window without length is for landing on a save point, where the tool stands already.
  if (!(time_ < window.end)) return {};
  return drive_to(window.end, window.is_save_point);
}

Result<double> ToolComponent::step(double limit) {
  double end = settings_.largest_step > 0.0 ? std::min(limit, time_ + settings_.largest_step) : limit;
  // Steps are added up: what roundings leave of a window is no step.
  if (limit - end <= kNoStep * settings_.largest_step) end = limit;
  // What is prescribed at open ends may jump; the tool sees one side of that in each step.
  for (const core::Port& port : set_->ports()) {
    if (!port.is_connected) end = std::min(end, port.incoming.next_break(time_, end));
  }
  if (auto driven = drive_to(end, false); !driven) return driven.error();
  return time_;
}

Result<void> ToolComponent::drive_to(double end, bool is_save_point) {
  if (driver_ == nullptr) return without_driver();
  // All tracks are sent with every step.
  for (core::Port& port : set_->ports()) {
    if (!port.is_connected) port.incoming.forget_before(time_);
  }
  auto driven = driver_->drive(time_, end, is_save_point, *set_);
  if (!driven) return driven.error();
  if (auto taken = take(*driven, time_, end); !taken) return taken;
  time_ = end;
  const auto& counts = driven->counts;
  statistics_.solver = "tool";
  ++statistics_.windows;
  statistics_.steps = counts[1], statistics_.rhs_calls = counts[2], statistics_.jacobian_calls = counts[3];
  statistics_.failed_convergence = counts[4], statistics_.failed_error_tests = counts[5];
  return {};
}

Result<void> ToolComponent::take(const transport::Driven& driven, double begin, double end) {
  const auto wrong = [&](const char* what) { return error(ErrorCode::protocol, what); };
  const std::span<core::Port> all = set_->ports();
  if (driven.samples.size() < all.size()) return wrong("its program did not report all of its interfaces");
  for (std::size_t p = 0; p < all.size(); ++p) {
    const std::vector<double>& numbers = driven.samples[p];
    if (numbers.empty() || numbers.size() % kSampleNumbers != 0) return wrong("its program sent an incomplete sample");
    if (numbers.size() != driven.samples[0].size()) return wrong("its program sent inconsistent samples");
  }
  const std::size_t count = all.empty() ? 0 : driven.samples[0].size() / kSampleNumbers;
  double last = begin;
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<wave::Sample> before = last_;
    for (std::size_t p = 0; p < all.size(); ++p) {
      const double* const n = driven.samples[p].data() + k * kSampleNumbers;
      last_[p] = {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]};
      const wave::Sample& sample = last_[p];
      if (!(sample.t >= last && sample.t <= end) || sample.t != last_[0].t) {
        return wrong("its program sent samples whose times are not in order, or not of the step");
      }
      for (const double number : {sample.position, sample.flow, sample.effort, sample.impulse, sample.work}) {
        if (!std::isfinite(number)) return wrong("its program sent a value that is not finite");
      }
      if (all[p].is_connected && all[p].causality != core::Causality::input) all[p].outbox.push_back(sample);
    }
    if (count > 0 && !all.empty()) record(before, last_[0].t);
    last = all.empty() ? end : last_[0].t;
  }
  if (!all.empty() && last != end) return wrong("its program did not reach the end of the step");
  return {};
}

std::vector<core::Fact> ToolComponent::facts() const {
  double work = 0.0;
  for (std::size_t p = 0; p < last_.size(); ++p) {
    const core::Port& port = std::as_const(*set_).ports()[p];
    if (!port.is_connected && port.domain != core::Domain::signal) work += last_[p].work;
  }
  if (work == 0.0) return {};
  return {{.name = core::kPrescribedWork, .value = work}};
}

std::optional<core::LinearFacts> ToolComponent::tried_facts(double window) {
  return core::tried_facts(*this, [this](bool is_mute) { rows_.mute(is_mute); }, {t0_, window});
}

void ToolComponent::record(std::span<const wave::Sample> before, double t) {
  std::vector<InterfaceState> from(set_->size());
  const auto part = [&](std::span<const wave::Sample> samples, std::size_t i) {
    return state_of(set_->shape(i), samples.subspan(set_->first_port(i), set_->ports_of(i).size()));
  };
  for (std::size_t i = 0; i < set_->size(); ++i) {
    from[i] = part(before, i);
    states_[i] = part(last_, i);
  }
  const double t0 = before.empty() ? t : before[0].t;
  if (rows_.is_idle()) return;
  std::vector<InterfaceState> at_row = states_;
  rows_.write_until(t, [&](double at, std::span<double> values) {
    const wave::Side side = at == t0_ ? wave::Side::right : wave::Side::left;
    for (std::size_t i = 0; i < set_->size(); ++i) {
      InterfaceShape shape = set_->shape(i);
      shape.reports_rates = false;  // samples do not bring all of them back
      if (at <= t0) {
        at_row[i] = from[i];
      } else if (at < t) {
        core::interpolate(shape, from[i], t0, states_[i], t, at, at_row[i]);
      } else {
        at_row[i] = states_[i];
      }
      set_->observe(i, at, side, at_row[i], outputs_);
    }
    set_->fill_columns(at_row, outputs_, at, side, values);
  });
}

Result<void> ToolComponent::save(core::ArchiveWriter& archive) const {
  if (driver_ == nullptr) return without_driver();
  if (!can_save_) return error(ErrorCode::unsupported, capabilities().snapshot_obstacle);
  archive.tag(name());
  archive.put(t0_), archive.put(time_);
  archive.put_span<wave::Sample>(last_);
  for (const core::Port& port : set_->ports()) save_track(archive, port.incoming);
  if (archive.use() == core::SnapshotUse::trial) {
    archive.put(++kept_);
    return driver_->keep(kept_);
  }
  auto state = driver_->save();
  if (!state) return state.error();
  archive.put_text(*state);
  return {};
}

Result<void> ToolComponent::restore(core::ArchiveReader& archive) {
  if (driver_ == nullptr) return without_driver();
  archive.expect_tag(name());
  archive.get(t0_), archive.get(time_);
  archive.get_span<wave::Sample>(last_);
  for (core::Port& port : set_->ports()) {
    restore_track(archive, port.incoming);
    port.outbox.clear();
  }
  for (std::size_t i = 0; i < set_->size(); ++i) {
    states_[i] = state_of(set_->shape(i), std::span(last_).subspan(set_->first_port(i), set_->ports_of(i).size()));
  }
  rows_.resume(t0_, time_);
  if (archive.use() == core::SnapshotUse::trial) return driver_->put_back(archive.get<std::uint64_t>());
  return driver_->restore(archive.get_text());
}

}  // namespace tieline::participant
