#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/port.hpp"
#include "core/relation.hpp"
#include "core/sampling.hpp"
#include "core/spatial.hpp"

namespace tieline::coupling {

/// Whether two causalities can be joined by sampling: force with motion, or motion with motion (each side holds a copy
/// of the shared element); an output with an input.
[[nodiscard]] bool can_sample(core::Causality a, core::Causality b);

/// Prepares the receiving port: its law and the interpolation of what it will get.
/// [Fritzson2007] 3.2.1 extrapolates the partner's motion with a cubic through its last two positions and velocities.
void prepare_receiver(core::Port& receiver, core::Extrapolation extrapolation);

/// What a sample of the sender says to the receiver, as a knot. The relation makes the sender's signal or position the
/// receiver's.
[[nodiscard]] wave::Knot knot_of(const core::Port& receiver, const core::Port& sender, const wave::Sample& sample,
                                 const core::Relation& relation = {});
/// Appends what a sample of the sender says to the receiver: the motion, the reaction to the sender's effort, or what a
/// relation makes of a signal.
void deliver(core::Port& receiver, const core::Port& sender, const wave::Sample& sample,
             const core::Relation& relation = {});

/// The same for an interface in space, with torques and angular velocities in world axes: positions and orientations
/// are joined together (core::SpaceCurve), everything else as along one axis.
void prepare_receiver(core::SpatialInterface& receiver, core::Extrapolation extrapolation);
/// Appends what the samples of this number say, which all ports of the sender have taken at one time.
void deliver(core::SpatialInterface& receiver, core::SpatialInterface& sender, std::size_t number);
/// Appends a motion to an interface that takes it and has been prepared.
void push_motion(core::SpatialInterface& receiver, double t, const core::SpaceState& state);

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
  /// In space: the work of all axes, forces' and torques' impulses of which each has three.
  void add(double work_a, double work_b, const Eigen::Vector3d& impulse_a, const Eigen::Vector3d& impulse_b,
           const Eigen::Vector3d& turn_a, const Eigen::Vector3d& turn_b) {
    add(work_a, work_b, 0.0, 0.0);
    const Eigen::Vector3d momentum = impulse_a + impulse_b, angular = turn_a + turn_b;
    for (int i = 0; i < 3; ++i) {
      momentum_[static_cast<std::size_t>(i)] = momentum[i];
      angular_[static_cast<std::size_t>(i)] = angular[i];
    }
    momentum_residual_ = momentum.norm();
    largest_momentum_residual_ = std::max(largest_momentum_residual_, momentum_residual_);
    largest_impulse_ = std::max({largest_impulse_, impulse_a.norm(), impulse_b.norm()});
    largest_angular_residual_ = std::max(largest_angular_residual_, angular.norm());
    largest_turn_ = std::max({largest_turn_, turn_a.norm(), turn_b.norm()});
  }
  [[nodiscard]] double energy_residual() const { return energy_residual_; }                      ///< [J]
  [[nodiscard]] double momentum_residual() const { return momentum_residual_; }                  ///< [N s]
  [[nodiscard]] double largest_energy_residual() const { return largest_energy_residual_; }      ///< [J]
  [[nodiscard]] double largest_momentum_residual() const { return largest_momentum_residual_; }  ///< [N s]
  [[nodiscard]] double largest_work() const { return largest_work_; }                            ///< [J]
  [[nodiscard]] double largest_impulse() const { return largest_impulse_; }                      ///< [N s]
  // Of connections in space, in world axes.
  [[nodiscard]] const std::array<double, 3>& momentum() const { return momentum_; }            ///< [N s]
  [[nodiscard]] const std::array<double, 3>& angular_momentum() const { return angular_; }     ///< [N m s]
  [[nodiscard]] double largest_angular_residual() const { return largest_angular_residual_; }  ///< [N m s]
  [[nodiscard]] double largest_turn() const { return largest_turn_; }                          ///< [N m s]

 private:
  double energy_residual_ = 0.0, momentum_residual_ = 0.0;
  double largest_energy_residual_ = 0.0, largest_momentum_residual_ = 0.0;
  double largest_work_ = 0.0, largest_impulse_ = 0.0;
  std::array<double, 3> momentum_{}, angular_{};
  double largest_angular_residual_ = 0.0, largest_turn_ = 0.0;
};

}  // namespace tieline::coupling
