#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "solvers/stepper.hpp"

namespace tieline::solvers {

/// Where a guard became negative.
struct Crossing {
  int guard = -1;             ///< -1: nowhere
  double time = 0.0;          ///< slightly past the crossing: the guard is negative there [s]
  bool is_immediate = false;  ///< the guard has been negative since the stepper's start
  [[nodiscard]] explicit operator bool() const { return guard >= 0; }
};

/// Watches the guards of a system over the steps of a stepper.
///
/// A guard fires when it is >= 0 at the start of a step and < 0 at its end. One that is negative at the start fires
/// only after having been >= 0, except in the first step after a start: there it fires at once if it stays negative
/// (two contacts that close together: the first one's restart finds the other one already beyond its guard).
/// Call order: `start`, then for each step `find` (any number of trials) and `accept`.
class GuardWatch {
 public:
  explicit GuardWatch(OdeSystem& system);

  [[nodiscard]] bool has_guards() const { return !start_values_.empty(); }
  /// The stepper starts at (t, y).
  void start(double t, std::span<const double> y);

  /// How closely a crossing in [begin, end] is located: a small share of the step, or rounding of the time [s].
  [[nodiscard]] static double resolution(double begin, double end) {
    return std::max(1e-12 * (end - begin), 4.0 * std::numeric_limits<double>::epsilon() * std::abs(end));
  }

  /// Looks for the first crossing in the trial step [begin, end]; `state_at(t, y)` gives the states in it. `from` is a
  /// time in the step up to which no guard crosses. Crossings are located within `resolution` [s].
  template <class StateAt>
  [[nodiscard]] Crossing find(double begin, double from, double end, double resolution, StateAt&& state_at);

  /// Where guard `index`, not yet negative at the end of a trial step, will cross zero, by its slope there; or a time
  /// before `end` if it does not fall.
  template <class StateAt>
  [[nodiscard]] double extrapolate(int index, double begin, double end, StateAt&& state_at);

  /// The trial step that `find` saw last is accepted.
  void accept(const Crossing& crossing);

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  template <class StateAt>
  double value_at(int index, double t, StateAt&& state_at) {
    state_at(t, std::span<double>(y_));
    system_.guards(t, y_, trial_values_);
    return trial_values_[static_cast<std::size_t>(index)];
  }
  template <class StateAt>
  double locate(int index, double low, double low_value, double high, double high_value, double resolution,
                StateAt&& state_at);

  /// A step that ends at once has at least this share of the length tried, doubled each time in a row: N contacts that
  /// close together cost nothing, and a model that fires for ever still moves on.
  static constexpr double kImmediateShare = 1e-9;
  static constexpr int kMostDoublings = 30;
  /// A guard that is negative at both ends of a first step is looked at this often in between.
  static constexpr int kLooks = 8;

  OdeSystem& system_;
  std::vector<double> start_values_, end_values_, trial_values_;
  std::vector<double> y_;
  bool is_first_step_ = true;
  int immediate_count_ = 0;  ///< immediate crossings in a row
};

template <class StateAt>
Crossing GuardWatch::find(double begin, double from, double end, double resolution, StateAt&& state_at) {
  Crossing first;
  state_at(end, std::span<double>(y_));
  system_.guards(end, y_, end_values_);
  for (int i = 0; i < static_cast<int>(end_values_.size()); ++i) {
    if (!(end_values_[i] < 0.0)) continue;
    double low = from;
    double low_value = from > begin ? value_at(i, from, state_at) : start_values_[i];
    if (low_value < 0.0 && from > begin) {
      // `from` lies on the crossing, and this trial's interpolation puts the crossing just before it.
      low = begin;
      low_value = start_values_[i];
    }
    if (low_value < 0.0) {
      if (!is_first_step_) continue;
      for (int look = kLooks; look > 0 && low_value < 0.0; --look) {
        low = begin + (end - begin) * look / (kLooks + 1);
        low_value = value_at(i, low, state_at);
      }
      if (low_value < 0.0) {
        const double share = std::ldexp(kImmediateShare, std::min(immediate_count_, kMostDoublings));
        const double at = begin + std::max(share * (end - begin), resolution);
        if (!first || at < first.time) first = {i, std::min(at, end), true};
        continue;
      }
    }
    const double at = locate(i, low, low_value, end, end_values_[i], resolution, state_at);
    if (!first || at < first.time) first = {i, at, false};
  }
  return first;
}

template <class StateAt>
double GuardWatch::locate(int index, double low, double low_value, double high, double high_value, double resolution,
                          StateAt&& state_at) {
  // The Illinois variant of regula falsi, with bisection whenever three of its steps do not halve the bracket.
  int kept_side = 0;
  int slow_steps = 0;
  double halved_at = high - low;
  while (high - low > resolution) {
    double t = low + (high - low) * (low_value / (low_value - high_value));
    if (slow_steps >= 3) {
      t = 0.5 * (low + high);
      slow_steps = 0;
    }
    // Half a resolution inside, so that the bracket closes from both ends.
    t = std::min(std::max(t, low + 0.5 * resolution), high - 0.5 * resolution);
    if (!(t > low && t < high)) break;
    const double value = value_at(index, t, state_at);
    if (value < 0.0) {
      high = t;
      high_value = value;
      if (kept_side == 1) low_value *= 0.5;
      kept_side = 1;
    } else {
      low = t;
      low_value = value;
      if (kept_side == -1) high_value *= 0.5;
      kept_side = -1;
    }
    ++slow_steps;
    if (high - low <= 0.5 * halved_at) {
      halved_at = high - low;
      slow_steps = 0;
    }
  }
  return high;
}

template <class StateAt>
double GuardWatch::extrapolate(int index, double begin, double end, StateAt&& state_at) {
  const double distance = 1e-3 * (end - begin);
  const double value = end_values_[static_cast<std::size_t>(index)];
  const double fall = value_at(index, end - distance, state_at) - value;
  return fall > 0.0 ? end + distance * value / fall : begin;
}

}  // namespace tieline::solvers
