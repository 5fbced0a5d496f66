#pragma once

#include <algorithm>
#include <cmath>

#include "core/port.hpp"
#include "core/sampling.hpp"

namespace tieline::coupling {

/// Whether two causalities can be joined by sampling: force with motion, or motion with motion (each side holds a copy
/// of the shared element); an output with an input.
[[nodiscard]] bool can_sample(core::Causality a, core::Causality b);

/// Prepares the receiving port: its law and the interpolation of what it will get.
/// [Fritzson2007] 3.2.1 extrapolates the partner's motion with a cubic through its last two positions and velocities.
void prepare_receiver(core::Port& receiver, core::Extrapolation extrapolation);

/// Appends what a sample of the sender says to the receiver: the motion, or the reaction to the sender's effort.
void deliver(core::Port& receiver, const core::Port& sender, const wave::Sample& sample);

/// Energy that a sampled connection creates: the sum of the work on both sides, which is zero for an exact coupling
/// (a component that tells another node's motion counts both motions, so the sum vanishes there too).
class SampledAudit {
 public:
  void add(double work_a, double work_b) {
    residual_ = work_a + work_b;
    largest_residual_ = std::max(largest_residual_, std::abs(residual_));
    largest_work_ = std::max({largest_work_, std::abs(work_a), std::abs(work_b)});
  }
  [[nodiscard]] double residual() const { return residual_; }                  ///< [J]
  [[nodiscard]] double largest_residual() const { return largest_residual_; }  ///< [J]
  [[nodiscard]] double largest_work() const { return largest_work_; }          ///< [J]

 private:
  double residual_ = 0.0;
  double largest_residual_ = 0.0;
  double largest_work_ = 0.0;
};

}  // namespace tieline::coupling
