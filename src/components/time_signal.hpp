#pragma once

#include <span>
#include <vector>

#include "core/archive.hpp"
#include "document/time_function.hpp"
#include "wave/track.hpp"

namespace tieline::components {

/// A function of time and signals as equations use it: constants cost nothing, and its rate is known.
///
/// Rates come from one-sided five-point differences (towards the given side, so that a kink at the present time does no
/// harm) over 2^-20 s for the first derivative and 2^-14 s for the second: exact to about 1e-9 for motions between
/// 1 rad/s and 1e4 rad/s. Switches are frozen between calls of `update` and `flip`. One thread at a time.
class TimeSignal {
 public:
  TimeSignal() = default;
  explicit TimeSignal(document::TimeFunction function);

  [[nodiscard]] bool is_constant() const { return is_constant_; }
  [[nodiscard]] double value(double t, std::span<const double> inputs) const {
    return is_constant_ ? constant_ : function_.value(t, inputs);
  }
  /// d/dt along the inputs' own rates.
  [[nodiscard]] double rate(double t, wave::Side side, std::span<const double> inputs,
                            std::span<const double> input_rates) const;
  /// Second derivative, the inputs taken as straight lines.
  [[nodiscard]] double curvature(double t, wave::Side side, std::span<const double> inputs,
                                 std::span<const double> input_rates) const;

  [[nodiscard]] int switch_count() const { return is_constant_ ? 0 : function_.switch_count(); }
  void guards(double t, std::span<const double> inputs, std::span<double> values) const {
    function_.guards(t, inputs, values);
  }
  void flip(int i) { function_.flip(i); }
  /// Sets all switches from the right; true if that makes the value jump.
  bool update(double t, std::span<const double> inputs);
  [[nodiscard]] double next_break(double t) const {
    return is_constant_ ? wave::Track::kNever : function_.next_break(t);
  }

  /// What a step may hide of it; see document::TimeFunction::unseen.
  [[nodiscard]] double unseen(double t, double t_end, double relative_tolerance) const {
    return is_constant_ ? 0.0 : function_.unseen(t, t_end, relative_tolerance);
  }

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  [[nodiscard]] double shifted(double t, double shift, std::span<const double> inputs,
                               std::span<const double> input_rates) const;

  document::TimeFunction function_{};
  bool is_constant_ = true;
  double constant_ = 0.0;
  mutable std::vector<double> shifted_inputs_{};
};

}  // namespace tieline::components
