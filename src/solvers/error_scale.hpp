#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "solvers/stepper.hpp"

namespace tieline::solvers {

/// A state counts with at least this share of the largest value of its class.
inline constexpr double kScaleShare = 1e-6;

/// A limit lowers the size that a tolerance counts from to this share at most: a limit that is still small when a state
/// grows must not ask for more digits than there are.
inline constexpr double kLeastLimitShare = 1e-2;

/// The largest quotient of error and tolerance over the states.
struct ScaledError {
  double value = 0.0;  ///< in units of the tolerance; NaN if an error is not finite
  int worst = -1;      ///< the state it belongs to
};

/// What "relative" means for each state: a tolerance follows the largest value a state has had in accepted steps, so
/// that a zero crossing does not tighten it and models in any unit behave alike.
///
/// A stepper calls `note` with each accepted state and asks for tolerances; `suggest` and `set_noise` come from
/// StartProbe. Every stepper owns one; it is part of the state that snapshots cover.
class ErrorScale {
 public:
  /// `classes`: class of each state, or empty for one class. `stated`: sizes of all states that tolerances count from,
  /// whatever the states' values are; or empty. `largest`: sizes that they count from at most; or empty.
  ErrorScale(int size, double relative_tolerance, std::span<const int> classes, std::span<const double> stated = {},
             std::span<const double> largest = {});

  /// Counts a failed step (error test or convergence); true if they have become so frequent that the scales are in
  /// doubt: a class without any value yet, or errors that are the rounding noise of f.
  [[nodiscard]] bool is_doubtful_after_failure();
  /// Raises the scales to the values of an accepted state.
  void note(std::span<const double> y);
  /// Raises the scales of states whose class has had no value but zero (a start from rest).
  void suggest(std::span<const double> magnitudes);
  /// Lets no tolerance count from more than these sizes, however large the states are; see kLeastLimitShare.
  void limit(std::span<const double> sizes);
  /// Whether every class has had a value other than zero.
  [[nodiscard]] bool is_known() const;
  /// Rounding noise of the right-hand side [unit of the state per s]; errors below noise * step are nobody's fault.
  void set_noise(std::span<const double> noise);

  [[nodiscard]] bool has_noise() const { return has_noise_; }
  [[nodiscard]] double relative_tolerance() const { return relative_tolerance_; }
  [[nodiscard]] double scale(int i) const { return scale_[i]; }
  /// Largest value in the class of state i.
  [[nodiscard]] double class_scale(int i) const { return class_largest_[class_of_[i]]; }
  [[nodiscard]] int class_of(int i) const { return class_of_[i]; }
  [[nodiscard]] int class_count() const { return static_cast<int>(class_largest_.size()); }

  /// Allowed local error of state i at value y_i in a step of length h.
  [[nodiscard]] double tolerance(int i, double y_i, double h) const {
    const double size = is_stated_ ? scale_[i] : std::min(std::max(std::abs(y_i), scale_[i]), largest_[i]);
    const double relative = relative_tolerance_ * std::max(std::min(size, limit_[i]), kLeastLimitShare * size);
    return has_noise_ ? std::max(relative, noise_[i] * h) : relative;
  }
  /// The largest |error_i| / tolerance_i for a step of length h that ends in y.
  [[nodiscard]] ScaledError norm(std::span<const double> error, std::span<const double> y, double h) const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  void spread_classes();

  double relative_tolerance_;
  bool is_stated_ = false;
  bool has_noise_ = false;
  int doubt_ = 0;
  std::vector<int> class_of_;
  std::vector<double> scale_;
  std::vector<double> limit_;    ///< of the sizes; infinity: none
  std::vector<double> largest_;  ///< sizes that count at all; infinity: any
  std::vector<double> noise_;
  std::vector<double> class_largest_;
};

}  // namespace tieline::solvers
