#include "fmi/clock_schedule.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "fmi/instance.hpp"
#include "wave/track.hpp"

namespace tieline::fmi {

using core::Error;
using core::ErrorCode;
using core::Result;

ClockSchedule::ClockSchedule(const Description& description) {
  for (const Variable& variable : description.variables) {
    if (variable.type != Type::clock || variable.causality != Causality::input || variable.clock == kNone) continue;
    const fmi::Clock& queried = description.clocks[variable.clock];
    if (queried.interval == Interval::triggered) continue;  // ticked by other FMUs, not by time
    Clock clock{.reference = variable.reference,
                .kind = queried.interval,
                .supports_fraction = queried.supports_fraction,
                .shift = queried.shift_decimal};
    if (clock.is_periodic()) clock.interval = queried.interval_decimal;
    if (queried.resolution && *queried.resolution > 0) {
      const auto resolution = static_cast<double>(*queried.resolution);
      if (queried.interval_counter && clock.is_periodic()) {
        clock.interval = static_cast<double>(*queried.interval_counter) / resolution;
      }
      if (queried.shift_counter > 0) clock.shift = static_cast<double>(queried.shift_counter) / resolution;
    }
    clock.is_stated = clock.interval.has_value();
    clocks_.push_back(clock);
  }
}

Result<std::optional<double>> ClockSchedule::queried_interval(Instance& instance, const Clock& clock) {
  double interval = 0.0;
  fmi3IntervalQualifier qualifier = fmi3IntervalNotYetKnown;
  const References reference(&clock.reference, 1);
  if (clock.supports_fraction) {
    std::uint64_t counter = 0, resolution = 0;
    auto queried =
        instance.get_intervals(reference, std::span(&counter, 1), std::span(&resolution, 1), std::span(&qualifier, 1));
    if (!queried) return queried.error();
    if (resolution > 0) interval = static_cast<double>(counter) / static_cast<double>(resolution);
  } else {
    auto queried = instance.get_intervals(reference, std::span(&interval, 1), std::span(&qualifier, 1));
    if (!queried) return queried.error();
  }
  if (qualifier == fmi3IntervalNotYetKnown) return std::optional<double>();
  if (!clock.is_periodic() && qualifier == fmi3IntervalUnchanged) return std::optional<double>();
  if (!(interval >= 0.0) || (interval == 0.0 && clock.is_periodic())) {
    return Error{.code = ErrorCode::bad_input,
                 .message = fmt::format("a clock of the FMU (value reference {}) has the interval {} s; it must be "
                                        "positive",
                                        clock.reference, interval)};
  }
  return std::optional(interval);
}

Result<void> ClockSchedule::learn_shift(Instance& instance, Clock& clock) {
  const References reference(&clock.reference, 1);
  double shift = 0.0;
  std::uint64_t counter = 0, resolution = 0;
  auto got = clock.supports_fraction
                 ? instance.get_shifts(reference, std::span(&counter, 1), std::span(&resolution, 1))
                 : instance.get_shifts(reference, std::span(&shift, 1));
  if (!got) {
    // A library without this function has the shift of the description.
    if (instance.last_status() == Status::missing) return {};
    return got;
  }
  if (clock.supports_fraction && resolution > 0) {
    shift = static_cast<double>(counter) / static_cast<double>(resolution);
  }
  if (!(shift >= 0.0) || !(shift < wave::Track::kNever)) {
    return Error{.code = ErrorCode::bad_input,
                 .message = fmt::format("a clock of the FMU (value reference {}) has the shift {} s; it must be 0 or "
                                        "greater",
                                        clock.reference, shift)};
  }
  clock.shift = shift;
  return {};
}

Result<void> ClockSchedule::learn(Instance& instance) {
  for (Clock& clock : clocks_) {
    if (clock.is_stated) continue;
    auto queried = queried_interval(instance, clock);
    if (!queried) return queried.error();
    clock.interval = *queried;
    if (!clock.is_periodic()) continue;
    if (auto learnt = learn_shift(instance, clock); !learnt) return learnt;
  }
  return {};
}

void ClockSchedule::start(double t0) {
  for (Clock& clock : clocks_) {
    clock.ticks = {.next = wave::Track::kNever, .last = -wave::Track::kNever};
    if (!clock.interval) continue;
    clock.ticks.first = t0 + (clock.is_periodic() ? clock.shift : *clock.interval);
    clock.ticks.interval = clock.kind == Interval::countdown ? 0.0 : *clock.interval;
    clock.ticks.next = clock.ticks.first;
  }
}

double ClockSchedule::next() const {
  double next = wave::Track::kNever;
  for (const Clock& clock : clocks_) next = std::min(next, clock.ticks.next);
  return next;
}

Result<void> ClockSchedule::tick(Instance& instance, double t) {
  for (Clock& clock : clocks_) {
    if (clock.ticks.next > t) continue;
    constexpr bool kOn = true;
    auto set = instance.set_clocks(References(&clock.reference, 1), std::span(&kOn, 1));
    if (!set) return set;
    clock.ticks.has_ticked = true;
  }
  return {};
}

Result<bool> ClockSchedule::renew(Instance& instance, Clock& clock, double t, bool has_ticked) {
  const bool is_unknown = clock.ticks.next == wave::Track::kNever;
  const bool is_asked = clock.kind == Interval::countdown || clock.kind == Interval::tunable || is_unknown ||
                        (clock.kind == Interval::changing && has_ticked);
  if (!is_asked || clock.is_stated) return false;
  Ticks& ticks = clock.ticks;
  if (has_ticked && clock.kind == Interval::countdown) ticks.next = wave::Track::kNever;
  auto queried = queried_interval(instance, clock);
  if (!queried) return queried.error();
  if (!*queried) return false;
  if (clock.is_periodic()) {
    if (**queried == ticks.interval) return false;
    // Before the first tick nothing but the shift decides when that is.
    const bool is_before_first = ticks.last == -wave::Track::kNever && ticks.next < wave::Track::kNever;
    const double next = is_before_first ? ticks.next : t + **queried;
    ticks = {.first = next, .interval = **queried, .next = next, .last = ticks.last};
    return true;
  }
  ticks = {.first = t + **queried,
           .interval = clock.kind == Interval::changing ? **queried : 0.0,
           .next = t + **queried,
           .last = ticks.last};
  return true;
}

Result<void> ClockSchedule::schedule_next(Instance& instance, double t) {
  for (Clock& clock : clocks_) {
    Ticks& ticks = clock.ticks;
    const bool has_ticked = std::exchange(ticks.has_ticked, false);
    if (has_ticked) ticks.last = t;
    auto renewed = renew(instance, clock, t, has_ticked);
    if (!renewed) return renewed.error();
    if (*renewed || !has_ticked || !(ticks.interval > 0.0)) continue;
    ++ticks.count;
    ticks.next = ticks.first + static_cast<double>(ticks.count) * ticks.interval;
  }
  return {};
}

void ClockSchedule::save(core::ArchiveWriter& archive) const {
  for (const Clock& clock : clocks_) archive.put(clock.ticks);
}

void ClockSchedule::restore(core::ArchiveReader& archive) {
  for (Clock& clock : clocks_) archive.get(clock.ticks);
}

}  // namespace tieline::fmi
