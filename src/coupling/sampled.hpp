#pragma once

#include <algorithm>
#include <cmath>

#include "core/port.hpp"
#include "core/relation.hpp"
#include "core/sampling.hpp"

namespace tieline::coupling {

/// Whether two causalities can be joined by sampling: force with motion, or motion with motion (each side holds a copy
/// of the shared element); an output with an input.
[[nodiscard]] bool can_sample(core::Causality a, core::Causality b);

/// Prepares the receiving port: its law and the interpolation of what it will get.
/// [Fritzson2007] 3.2.1 extrapolates the partner's motion with a cubic through its last two positions and velocities.
void prepare_receiver(core::Port& receiver, core::Extrapolation extrapolation);

/// Appends what a sample of the sender says to the receiver: the motion, the reaction to the sender's effort, or what a
/// relation makes of a signal.
void deliver(core::Port& receiver, const core::Port& sender, const wave::Sample& sample,
             const core::Relation& relation = {});

/// What a sampled connection creates out of nothing: energy, the sum of the work on both sides, and momentum, the sum
/// of the impulses; both are zero for an exact coupling. (A component that reports another node's motion counts both
/// motions in its work, so that sum vanishes there too.)
class SampledAudit {
 public:
  /// Work [J] and impulse [N s] on either side since the start.
  void add(double work_a, double work_b, double impulse_a, double impulse_b) {
    energy_residual_ = work_a + work_b;
    momentum_residual_ = impulse_a + impulse_b;
    largest_energy_residual_ = std::max(largest_energy_residual_, std::abs(energy_residual_));
    largest_momentum_residual_ = std::max(largest_momentum_residual_, std::abs(momentum_residual_));
    largest_work_ = std::max({largest_work_, std::abs(work_a), std::abs(work_b)});
    largest_impulse_ = std::max({largest_impulse_, std::abs(impulse_a), std::abs(impulse_b)});
  }
  [[nodiscard]] double energy_residual() const { return energy_residual_; }                      ///< [J]
  [[nodiscard]] double momentum_residual() const { return momentum_residual_; }                  ///< [N s]
  [[nodiscard]] double largest_energy_residual() const { return largest_energy_residual_; }      ///< [J]
  [[nodiscard]] double largest_momentum_residual() const { return largest_momentum_residual_; }  ///< [N s]
  [[nodiscard]] double largest_work() const { return largest_work_; }                            ///< [J]
  [[nodiscard]] double largest_impulse() const { return largest_impulse_; }                      ///< [N s]

 private:
  double energy_residual_ = 0.0, momentum_residual_ = 0.0;
  double largest_energy_residual_ = 0.0, largest_momentum_residual_ = 0.0;
  double largest_work_ = 0.0, largest_impulse_ = 0.0;
};

}  // namespace tieline::coupling
