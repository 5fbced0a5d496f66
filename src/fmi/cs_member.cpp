#include "fmi/cs_member.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "fmi/clock_state.hpp"

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// How often a step that an FMU discards is halved.
constexpr int kMostMemberHalvings = 20;
// Steps that an FMU may cut one into.
constexpr int kMostParts = 100'000;

std::vector<Scalar> taken_scalars(const FmuSpec& spec) {
  std::vector<Scalar> scalars;
  for (const InterfaceMap& map : spec.interfaces) {
    if (map.shape.causality == core::Causality::input) {
      scalars.insert(scalars.end(), map.values.begin(), map.values.end());
    }
  }
  return scalars;
}

std::vector<std::size_t> taken_columns(const FmuSpec& spec) {
  std::vector<std::size_t> columns;
  std::size_t at = 0;
  for (const InterfaceMap& map : spec.interfaces) {
    const std::size_t own = core::InterfaceSet({map.shape}).columns().size();
    if (map.shape.causality == core::Causality::input) {
      for (std::size_t k = 0; k < own; ++k) columns.push_back(at + k);
    }
    at += own;
  }
  return columns;
}

}  // namespace

CsMember::CsMember(CsPart part, core::InterfaceSet& set, std::size_t first)
    : part_(std::move(part)),
      exchange_(part_.spec, part_.placement, set, first),
      recorded_(description(), part_.spec.recorded),
      taken_(description(), taken_scalars(part_.spec)),
      taken_columns_(taken_columns(part_.spec)),
      taken_values_(taken_columns_.size()),
      keeper_(facts()),
      clocks_(description()) {
  for (const InterfaceMap& map : part_.spec.interfaces) {
    interface_columns_ += core::InterfaceSet({map.shape}).columns().size();
  }
}

Error CsMember::named(Error error) const {
  error.component = name();
  if (std::isnan(error.time)) error.time = time_;
  return error;
}

std::string CsMember::name_of(const Scalar& scalar) const {
  const Variable& variable = description().variables[scalar.variable];
  return variable.dimensions.empty() ? variable.name : fmt::format("{}[{}]", variable.name, scalar.element + 1);
}

Result<void> CsMember::enter_initialization(double t0) {
  time_ = t0;
  events_ = 0;
  wants_end_ = false;
  keeper_.clear();
  kept_ = SavedState();
  announced_event_ = wave::Track::kNever;
  auto made = make_instance(part_.spec, part_.facts,
                            {.event_mode = has_event_mode(),
                             .early_return = description().version == 3 && facts().might_return_early_from_do_step &&
                                             facts().can_handle_variable_step_size},
                            std::move(instance_));
  if (!made) return named(made.error());
  instance_ = std::move(*made);
  if (auto set = set_starts(*instance_, part_.spec); !set) return named(set.error());
  Experiment experiment{.start = t0, .tolerance = part_.spec.tolerance};
  if (part_.facts.stop > t0) experiment.stop = part_.facts.stop;
  auto entered = instance_->enter_initialization(experiment);
  return entered ? Result<void>{} : Result<void>{named(entered.error())};
}

Result<void> CsMember::leave_initialization() {
  if (has_event_mode() && joins_events_) {
    if (auto learnt = clocks_.learn(*instance_); !learnt) return named(learnt.error());
  }
  if (auto left = instance_->exit_initialization(); !left) return named(left.error());
  if (!has_event_mode()) return {};
  if (joins_events_) {
    clocks_.start(time_);
    auto ticked = clocks_.tick(*instance_, time_);
    return ticked ? Result<void>{} : Result<void>{named(ticked.error())};
  }
  auto settled = leave_event();
  events_ = 0;
  return settled;
}

Result<void> CsMember::enter_event() {
  ++events_;
  if (auto entered = instance_->enter_event(); !entered) return named(entered.error());
  // A tick that differs from the present time by rounding is due.
  const double rounding = 8.0 * std::numeric_limits<double>::epsilon() * std::abs(time_);
  auto ticked = clocks_.tick(*instance_, time_ + rounding);
  return ticked ? Result<void>{} : Result<void>{named(ticked.error())};
}

void CsMember::open_instant() {
  if (instance_->clock_state() != nullptr) instance_->clock_state()->open();
}

Result<bool> CsMember::update() {
  auto updated = instance_->update_discrete_states();
  if (!updated) return named(updated.error());
  if (updated->terminate) {
    wants_end_ = true;
    return false;
  }
  announced_event_ = updated->next_time.value_or(wave::Track::kNever);
  return updated->needs_update;
}

Result<bool> CsMember::schedule_clocks() {
  if (clocks_.is_empty()) return false;
  if (auto gone = clocks_.schedule_next(*instance_, time_); !gone) return named(gone.error());
  if (clocks_.next() > time_) return false;
  auto ticked = clocks_.tick(*instance_, time_);
  if (!ticked) return named(ticked.error());
  return true;
}

Result<void> CsMember::resume() {
  auto entered = instance_->enter_step();
  return entered ? Result<void>{} : Result<void>{named(entered.error())};
}

double CsMember::next_event() const { return std::min(announced_event_, clocks_.next()); }

Result<void> CsMember::keep() {
  kept_time_ = time_;
  auto saved = instance_->save(kept_);
  return saved ? Result<void>{} : Result<void>{named(saved.error())};
}

Result<void> CsMember::go_back() {
  time_ = kept_time_;
  auto restored = instance_->restore(kept_);
  return restored ? Result<void>{} : Result<void>{named(restored.error())};
}

Result<void> CsMember::leave_event() {
  ++events_;
  auto settled = instance_->settle_events();
  if (!settled) return named(settled.error());
  if (settled->terminate) {
    wants_end_ = true;
    return {};
  }
  auto entered = instance_->enter_step();
  return entered ? Result<void>{} : Result<void>{named(entered.error())};
}

Result<bool> CsMember::step(double end, double length) {
  if (wants_end_) return false;
  auto done = instance_->do_step(time_, length, !keeper_.may_go_back());
  if (!done) return named(done.error());
  if (done->terminate || done->early_return || done->discarded) [[unlikely]]
    return continue_step(*done, end);
  time_ = end;
  return done->event_needed;
}

Result<bool> CsMember::continue_step(StepResult last, double end) {
  int halvings = 0;
  double length = end - time_;
  for (int parts = 0; parts < kMostParts; ++parts) {
    const bool has_moved = last.reached > time_;
    time_ = last.early_return || last.discarded ? last.reached : end;
    if (last.terminate) {
      wants_end_ = true;
      return false;
    }
    if (!(time_ < end)) {
      time_ = end;
      return last.event_needed;
    }
    if (!facts().can_handle_variable_step_size) {
      return named({.code = ErrorCode::step_failed,
                    .message = fmt::format("the FMU ends its step to {:.9g} s here, but takes steps of one size only "
                                           "(canHandleVariableCommunicationStepSize)",
                                           end),
                    .time = time_});
    }
    if (last.event_needed && has_event_mode()) {
      if (joins_events_) return true;
      if (auto handled = handle_event([] { return Result<void>{}; }); !handled) return handled.error();
      if (wants_end_) return false;
    }
    // What was discarded is tried again in shorter steps, from where it stands.
    if (last.discarded && !has_moved && ++halvings > kMostMemberHalvings) break;
    length = last.discarded ? std::min(0.5 * length, end - time_) : end - time_;
    auto done = instance_->do_step(time_, length, !keeper_.may_go_back());
    if (!done) return named(done.error());
    if (!done->early_return && !done->discarded && length < end - time_) {
      done->early_return = true;  // of the whole step
      halvings = 0;
    }
    last = *done;
  }
  const std::string messages = instance_->log().last_messages();
  return named({.code = ErrorCode::step_failed,
                .message = fmt::format("the FMU discards every step towards {:.9g} s, however short{}", end,
                                       messages.empty() ? "" : "; its last messages: " + messages),
                .time = time_});
}

Result<void> CsMember::observe(double t, std::span<core::PortOutput> outputs) {
  if (auto read = exchange_.read_motion(*instance_); !read) return named(read.error());
  if (auto read = exchange_.read_signals(*instance_); !read) return named(read.error());
  // Those that nobody reads are looked at here only.
  for (std::size_t i = 0; i < part_.spec.interfaces.size(); ++i) {
    for (const double value : exchange_.states()[i].values) {
      if (std::isfinite(value)) continue;
      return named({.code = ErrorCode::not_finite,
                    .message = fmt::format("the FMU reports {} for '{}'", value, part_.spec.interfaces[i].shape.name),
                    .time = t});
    }
  }
  exchange_.observe(t, wave::Side::right, outputs);
  return {};
}

Result<void> CsMember::read_taken(std::span<double> interfaces) {
  if (auto read = taken_.read(*instance_, taken_values_); !read) return named(read.error());
  for (std::size_t k = 0; k < taken_columns_.size(); ++k) interfaces[taken_columns_[k]] = taken_values_[k];
  return {};
}

Result<void> CsMember::read_recorded(std::span<double> values) {
  auto read = recorded_.read(*instance_, values);
  return read ? Result<void>{} : Result<void>{named(read.error())};
}

Result<void> CsMember::save(core::ArchiveWriter& archive) const {
  archive.put(time_), archive.put(wants_end_);
  exchange_.save(archive);
  clocks_.save(archive);
  archive.put(announced_event_);
  auto saved = keeper_.save(*instance_, archive);
  return saved ? Result<void>{} : Result<void>{named(saved.error())};
}

Result<void> CsMember::restore(core::ArchiveReader& archive) {
  archive.get(time_), archive.get(wants_end_);
  exchange_.restore(archive);
  clocks_.restore(archive);
  archive.get(announced_event_);
  auto restored = keeper_.restore(*instance_, archive);
  return restored ? Result<void>{} : Result<void>{named(restored.error())};
}

}  // namespace tieline::fmi
