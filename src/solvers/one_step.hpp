#pragma once

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "solvers/error_scale.hpp"
#include "solvers/guard_watch.hpp"
#include "solvers/known_part.hpp"
#include "solvers/start_probe.hpp"
#include "solvers/step_failure.hpp"
#include "solvers/stepper.hpp"

namespace tieline::solvers {

/// What became of a trial step.
struct Trial {
  enum class Outcome { solved, not_finite, not_converged };
  Outcome outcome = Outcome::solved;
  double error = 0.0;  ///< largest local error in units of its tolerance
  int worst = -1;      ///< the state it belongs to, or -1
  [[nodiscard]] bool is_good(double allowed_error) const {
    return outcome == Outcome::solved && error <= allowed_error;
  }
};

/// Steps of a one-step method: choice of the step size, landing on limits, guards, repeated trials, snapshots.
///
/// Solves for the states without their known part (KnownPart), which is counted from the start of each step.
/// The Kernel holds the method: the present state, that at the start of the last accepted step, and the stages.
///   begin_step(t)            prepares f at the start; false if it cannot be evaluated
///   attempt(t, t_end)        a trial step from state(), any number of times; its result is trial()
///   accept(t, t_end)         makes the last trial the present state
///   rebase(y, change)        the state between two steps, where dz/dt changes with the known part's origin
///   growth / shrink          factors for the step size after an accepted / a failed trial
///   last_rates               f at the end of the accepted step, if that was evaluated last; else empty
///   interpolate_trial / interpolate_last   states within the last trial / the last accepted step
template <class Kernel>
class OneStepStepper final : public Stepper {
 public:
  OneStepStepper(OdeSystem& system, const StepperOptions& options)
      : system_(system),
        options_(options),
        state_(static_cast<std::size_t>(system.size()), 0.0),
        rate_change_(state_),
        scale_(system.size(), Kernel::internal_tolerance(options.relative_tolerance), options.scale_class,
               options.stated_scales, options.largest_sizes),
        guards_(system_),
        probe_(system, statistics_),
        kernel_(system_, scale_, statistics_) {
    statistics_.solver = Kernel::kName;
  }

  [[nodiscard]] std::string_view name() const override { return Kernel::kName; }

  core::Result<void> start(double t, std::span<const double> y) override {
    if (Kernel::kIsFixed && !(options_.fixed_step > 0.0)) {
      return core::Error{core::ErrorCode::bad_input, "a method of fixed step needs a positive step size"};
    }
    t_ = start_ = t;
    kernel_.start(y);
    std::ranges::copy(y, state_.begin());
    system_.begin_at(t);
    is_moved_ = false;
    scale_.note(y);
    guards_.start(t, y);
    return {};
  }
  core::Result<void> note_break() override {
    ++statistics_.breaks;
    kernel_.note_break();
    return {};
  }
  void shorten_next_step(double length) override { planned_step_ = std::min(planned_step_, length); }
  void note_sizes(std::span<const double> sizes) override { scale_.note(sizes); }
  void limit_sizes(std::span<const double> sizes) override { scale_.limit(sizes); }
  core::Result<StepEnd> step(double limit) override;
  void follow_steps(core::StepLog* log, core::StepLogUse use) override {
    log_ = log;
    is_repeating_ = use == core::StepLogUse::repeat;
    next_noted_ = 0;
    if (log != nullptr && !is_repeating_) log->ends.clear();
  }

  [[nodiscard]] double time() const override { return t_; }
  [[nodiscard]] std::span<const double> state() const override { return state_; }
  [[nodiscard]] double step_start() const override { return start_; }
  [[nodiscard]] std::span<const double> rates_at_end() const override {
    // Guards and projections move the system, and rates lack the known part.
    const bool is_as_evaluated = system_.is_empty() && !guards_.has_guards() && !system_.has_constraints();
    return is_as_evaluated ? kernel_.last_rates() : std::span<const double>{};
  }
  void interpolate(double t, std::span<double> y) const override {
    if (t >= t_ || start_ == t_) {
      std::ranges::copy(state_, y.begin());
    } else {
      kernel_.interpolate_last(std::max(0.0, (t - start_) / (t_ - start_)), y);
      if (t > start_) system_.add(t, wave::Side::left, y);
    }
  }

  [[nodiscard]] bool is_copyable() const override { return true; }
  [[nodiscard]] bool prefers_running_on() const override { return false; }
  [[nodiscard]] wave::Interpolation preferred_interpolation() const override { return wave::Interpolation::quintic; }

  /// Everything but the counters, which continue counting the work that was really done.
  void save(core::ArchiveWriter& archive) const override;
  void restore(core::ArchiveReader& archive) override;
  [[nodiscard]] const core::Statistics& statistics() const override { return statistics_; }

 private:
  /// A step that must end on a guard's crossing is repeated with better and better lengths.
  struct Hunt {
    int guard = -1;     ///< -1: no crossing known
    double low = 0.0;   ///< no crossing up to here
    double high = 0.0;  ///< the guard is negative here
    bool is_immediate = false;
    int repeats = 0;
  };

  [[nodiscard]] double plan(double limit) const;
  /// End of the noted step that is to be taken again, or NaN: none is, or it does not fit what has happened since.
  [[nodiscard]] double noted_end(double limit) const {
    const bool is_noted = log_ != nullptr && is_repeating_ && next_noted_ < log_->ends.size();
    const double end = is_noted ? log_->ends[next_noted_] : std::numeric_limits<double>::quiet_NaN();
    return end > t_ && end <= limit ? end : std::numeric_limits<double>::quiet_NaN();
  }
  void note_end(double t_end) {
    if (log_ == nullptr) return;
    if (!is_repeating_) {
      log_->ends.push_back(t_end);
      return;
    }
    // Beyond a step that went otherwise, what was noted says nothing.
    const bool is_as_noted = next_noted_ < log_->ends.size() && log_->ends[next_noted_] == t_end;
    next_noted_ = is_as_noted ? next_noted_ + 1 : log_->ends.size();
  }
  /// Shorter steps would be lost in the rounding of the time [s].
  [[nodiscard]] double shortest_step(double limit) const {
    return 4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t_), std::abs(limit));
  }
  void look_ahead(double limit);
  [[nodiscard]] bool find_crossing(double t_end, Hunt& hunt, Crossing& crossing, double& next_end);
  void choose_next_step(double h, const Trial& trial, bool was_rejected, bool is_on_guard);
  [[nodiscard]] static std::string_view reason_of(const Trial& trial);

  /// A last step may be longer than planned by this factor rather than leave a tiny rest.
  static constexpr double kStretch = 1.1;
  static constexpr int kMostGuardRepeats = 8;
  /// A step that is taken again may have an error of so many tolerances.
  static constexpr double kRepeatedError = 10.0;

  mutable KnownPart system_;  ///< answers from a workspace of its own
  StepperOptions options_;
  std::vector<double> state_;        ///< the present one; the kernel's lacks the known part of the last step
  std::vector<double> rate_change_;  ///< for the next step
  bool is_moved_ = false;            ///< the kernel has yet to receive the state and the change
  core::Statistics statistics_;
  ErrorScale scale_;
  GuardWatch guards_;
  StartProbe probe_;  ///< of all that moves the states, the known part included
  Kernel kernel_;
  double t_ = 0.0;
  double start_ = 0.0;
  double planned_step_ = 0.0;  ///< what error control wants, whatever limits say [s]; 0: nothing known yet
  core::StepLog* log_ = nullptr;
  bool is_repeating_ = false;
  std::size_t next_noted_ = 0;
};

template <class Kernel>
double OneStepStepper<Kernel>::plan(double limit) const {
  const double rest = limit - t_;
  if constexpr (Kernel::kIsFixed) {
    // A rest of n steps within rounding is n steps, not n + 1.
    const double count = std::ceil(rest / options_.fixed_step * (1.0 - 1e-10));
    return count > 1.0 ? rest / count : rest;
  } else {
    const double h = std::max(std::min(planned_step_, options_.largest_step), shortest_step(limit));
    if (rest <= kStretch * h && rest <= options_.largest_step * (1.0 + 1e-9)) return rest;
    return rest < 2.0 * h ? 0.5 * rest : h;
  }
}

template <class Kernel>
void OneStepStepper<Kernel>::look_ahead(double limit) {
  const double horizon = std::min(limit - t_, options_.largest_step);
  const double linear_range = probe_.look_ahead(t_, kernel_.state(), horizon, scale_);
  if (planned_step_ > 0.0) return;
  // The local error is about tolerance * scale after this share of the time in which the solution bends.
  planned_step_ = options_.initial_step > 0.0
                      ? options_.initial_step
                      : linear_range * std::pow(options_.relative_tolerance, 1.0 / (Kernel::kOrder + 1));
}

template <class Kernel>
core::Result<StepEnd> OneStepStepper<Kernel>::step(double limit) {
  if (!(limit > t_)) return limit_not_ahead(limit, t_);
  if (is_moved_) {
    system_.begin_at(t_);
    kernel_.rebase(state_, rate_change_);
    is_moved_ = false;
  }
  if (!kernel_.begin_step(t_)) return step_failure(Kernel::kName, kNotFinite, -1, t_);
  if (!Kernel::kIsFixed && planned_step_ == 0.0) look_ahead(limit);

  const double noted = noted_end(limit);
  double h = std::isnan(noted) ? plan(limit) : noted - t_;
  Hunt hunt;
  bool was_rejected = false;
  for (;;) {
    const bool is_repeated = !std::isnan(noted) && h == noted - t_;
    const double t_end = is_repeated ? noted : h >= limit - t_ ? limit : t_ + h;
    const std::uint64_t calls_before = statistics_.rhs_calls;
    Trial trial = kernel_.attempt(t_, t_end);
    Projection projection = Projection::kept;
    const double allowed = is_repeated ? kRepeatedError : 1.0;
    if (trial.is_good(allowed)) projection = system_.project(t_end, kernel_.trial());
    if (projection == Projection::failed) trial.outcome = Trial::Outcome::not_converged;
    if (!Kernel::kIsFixed && trial.is_good(allowed)) {
      trial.error = std::max(trial.error, system_.unseen_input(t_, t_end, options_.relative_tolerance));
    }
    if (!trial.is_good(allowed)) {
      const bool is_error_test = trial.outcome == Trial::Outcome::solved;
      ++(is_error_test ? statistics_.failed_error_tests : statistics_.failed_convergence);
      statistics_.unsuccessful_rhs_calls += statistics_.rhs_calls - calls_before;
      h = planned_step_ = (t_end - t_) * kernel_.shrink(trial);
      if (!(h > shortest_step(limit))) return step_failure(Kernel::kName, reason_of(trial), trial.worst, t_);
      if (trial.outcome != Trial::Outcome::not_finite && scale_.is_doubtful_after_failure()) {
        if (!scale_.is_known()) look_ahead(limit);
        probe_.measure_noise(t_, kernel_.state(), scale_);
      }
      was_rejected = true;
      hunt = {};
      continue;
    }
    Crossing crossing;
    double next_end = t_end;
    if (guards_.has_guards() && !find_crossing(t_end, hunt, crossing, next_end)) {
      h = next_end - t_;
      continue;
    }
    choose_next_step(t_end - t_, trial, was_rejected, static_cast<bool>(crossing));
    kernel_.accept(t_, t_end);
    // f at the end of the step was evaluated before the state was moved.
    if (projection == Projection::moved) kernel_.note_break();
    start_ = t_;
    t_ = t_end;
    std::ranges::copy(kernel_.state(), state_.begin());
    if (!system_.is_empty()) {
      system_.add(t_, wave::Side::left, state_);
      // Now, since what lies before t may be forgotten by the next step.
      system_.rate_change(t_, rate_change_);
      is_moved_ = true;
    }
    scale_.note(state_);
    guards_.accept(crossing);
    note_end(t_end);
    ++statistics_.steps;
    statistics_.order_sum += Kernel::kOrder;
    if (crossing) ++statistics_.events;
    return StepEnd{t_, crossing.guard};
  }
}

/// True if the trial may be accepted: no guard crossed, or the step ends right behind the first crossing. Otherwise
/// the step is to be repeated up to `next_end`, so that the state at the crossing is a result of the method and not of
/// its interpolation.
template <class Kernel>
bool OneStepStepper<Kernel>::find_crossing(double t_end, Hunt& hunt, Crossing& crossing, double& next_end) {
  const double h = t_end - t_;
  const double resolution = GuardWatch::resolution(t_, t_end);
  const auto state_at = [&](double t, std::span<double> y) {
    if (t >= t_end) {
      std::ranges::copy(kernel_.trial(), y.begin());
    } else {
      kernel_.interpolate_trial((t - t_) / h, y);
    }
  };
  const double from = hunt.guard >= 0 && hunt.low > t_ ? hunt.low : t_;
  const Crossing found = guards_.find(t_, std::min(from, t_end), t_end, resolution, state_at);
  if (found) {
    const bool is_close = t_end - found.time <= 4.0 * resolution || (found.is_immediate && hunt.is_immediate);
    if (is_close || hunt.repeats >= kMostGuardRepeats) {
      crossing = found;
      return true;
    }
    hunt = {found.guard, from, t_end, found.is_immediate, hunt.repeats + 1};
    next_end = found.time;
    return false;
  }
  if (hunt.guard < 0) return true;
  // The interpolation put the crossing a little too early.
  hunt.low = t_end;
  hunt.is_immediate = false;
  const double estimate = guards_.extrapolate(hunt.guard, t_, t_end, state_at);
  const bool is_useful = estimate >= t_end && estimate < hunt.high && hunt.repeats < kMostGuardRepeats;
  next_end = is_useful ? std::min(estimate + resolution, hunt.high) : 0.5 * (t_end + hunt.high);
  if (++hunt.repeats > 2 * kMostGuardRepeats) next_end = hunt.high;
  return !(next_end > t_end);
}

template <class Kernel>
void OneStepStepper<Kernel>::choose_next_step(double h, const Trial& trial, bool was_rejected, bool is_on_guard) {
  if constexpr (Kernel::kIsFixed) return;
  // A limit or a guard that cut the step says nothing about the next one.
  const bool is_cut = is_on_guard || h < 0.999 * planned_step_;
  double factor = kernel_.growth(trial.error, h, is_cut);
  const bool is_largest = factor >= Kernel::kMostGrowth;
  if (was_rejected) factor = std::min(factor, 1.0);
  planned_step_ = is_cut && (is_largest || was_rejected) ? std::max(planned_step_, h * factor) : h * factor;
}

template <class Kernel>
std::string_view OneStepStepper<Kernel>::reason_of(const Trial& trial) {
  switch (trial.outcome) {
    case Trial::Outcome::not_finite:
      return kNotFinite;
    case Trial::Outcome::not_converged:
      return kNoConvergence;
    case Trial::Outcome::solved:
      break;
  }
  return kErrorTestFails;
}

template <class Kernel>
void OneStepStepper<Kernel>::save(core::ArchiveWriter& archive) const {
  archive.tag(Kernel::kName);
  archive.put(t_);
  archive.put(start_);
  archive.put(planned_step_);
  archive.put_span(std::span<const double>(state_));
  archive.put_span(std::span<const double>(rate_change_));
  archive.put(is_moved_);
  scale_.save(archive);
  guards_.save(archive);
  kernel_.save(archive);
}

template <class Kernel>
void OneStepStepper<Kernel>::restore(core::ArchiveReader& archive) {
  archive.expect_tag(Kernel::kName);
  archive.get(t_);
  archive.get(start_);
  archive.get(planned_step_);
  archive.get_span(std::span<double>(state_));
  archive.get_span(std::span<double>(rate_change_));
  archive.get(is_moved_);
  system_.begin_at(start_);
  scale_.restore(archive);
  guards_.restore(archive);
  kernel_.restore(archive);
}

}  // namespace tieline::solvers
