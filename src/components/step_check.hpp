#pragma once

#include <span>
#include <vector>

#include "core/archive.hpp"
#include "core/error_estimate.hpp"

namespace tieline::components {

/// Measures the error of steps of a fixed length, for a solver of order 4, or less, that does not control it.
///
/// Three states in a row, one step h apart, must satisfy Simpson's rule (Milne's corrector, [Hairer1993], section
/// III.1): y2 - y0 = h/3 (f0 + 4 f1 + f2), but for errors of the order h^5 of the two steps and of the rule itself.
/// What is left over is a measure of the steps' local error that costs no evaluation, and that also sees inputs which
/// change faster than the steps. Errors are added up class by class, and taken against the largest state of the class.
/// Call order: `start` with the classes; `note` after each accepted step, `forget` where a state or an input breaks.
class StepCheck {
 public:
  void start(std::size_t size, std::vector<int> classes);
  void note(double t, std::span<const double> y, std::span<const double> f);
  void forget() { known_ = 0; }

  /// As a share of the states' size, of the longest step that was looked at.
  [[nodiscard]] core::StepErrors errors() const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  struct Point {
    double t = 0.0;
    std::vector<double> y{}, f{};
  };
  Point points_[3]{};  ///< the last ones, oldest first
  std::vector<int> classes_{};
  std::vector<double> sizes_{}, errors_{};  ///< by class: largest |y|, sum of the steps' errors
  std::vector<double> defects_{};           ///< by class: the largest of the present step
  int known_ = 0;                           ///< of the points, the last so many are valid
  double step_ = 0.0;
};

}  // namespace tieline::components
