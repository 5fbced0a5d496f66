#pragma once

#include <span>
#include <string>
#include <vector>

#include "components/multibody/body_vector.hpp"
#include "components/time_signal.hpp"
#include "core/result.hpp"
#include "core/spatial.hpp"
#include "solvers/stepper.hpp"

namespace tieline::components {

/// A time, and the signals that come in then.
struct Moment {
  double t = 0.0;  ///< [s]
  wave::Side side = wave::Side::left;
  std::span<const double> inputs{}, input_rates{};
};

/// The states of the bodies of a system: how bodies move by them, and how efforts on bodies change them.
///
/// States are those of the bodies only; they come first in the vectors of all states that are passed, and what is
/// behind them is left alone. Call order: construct, `use_frames`; at the start `initial_state`, `place`, `start`,
/// `project`; then `place`, and what follows from it for that motion. After the start nothing allocates. Motions are
/// written into the Kinematics that the system and its formulation share. One thread at a time.
class Formulation {
 public:
  virtual ~Formulation() = default;

  [[nodiscard]] virtual std::size_t state_count() const = 0;
  [[nodiscard]] virtual bool is_velocity(std::size_t state) const = 0;
  /// The positions whose rates are velocities, which those of orientations are not.
  [[nodiscard]] virtual std::vector<solvers::OdeSystem::Motion> motions() const = 0;
  /// Whether states must be taken back onto conditions.
  [[nodiscard]] virtual bool has_conditions() const = 0;
  /// The state that is the angle of a joint, with how often it has gone round; -1 if there is none.
  [[nodiscard]] virtual int angle_state(std::size_t joint) const = 0;
  /// The frames that are looked at in each evaluation, by index.
  virtual void use_frames(const std::vector<bool>& used) { (void)used; }

  /// The states as the bodies are placed.
  virtual core::Result<void> initial_state(const Moment& now, std::span<double> y) = 0;
  /// Settles which conditions are kept, at the motion placed; names those that are not among the doubts. Returns by how
  /// much the velocities violate the joints [m/s], [rad/s].
  virtual core::Result<double> start(const Moment& now, std::vector<std::string>& doubts) = 0;
  virtual solvers::Projection project(const Moment& now, std::span<double> y) = 0;

  /// Places what forces act on; `complete` then everything else.
  virtual void place(const Moment& now, std::span<const double> y) = 0;
  virtual void complete() {}

  /// Sets the efforts to those that the bodies themselves bring about.
  virtual void own_efforts(std::span<BodyVector> efforts) = 0;
  /// Rates of the states by the efforts on all bodies, at the motion placed. False if they are not finite.
  virtual bool rates(const Moment& now, std::span<const double> y, std::span<BodyVector> efforts,
                     std::span<double> ydot) = 0;
  /// Rates of the velocities that efforts bring about alone, after `rates` at the same motion; those of all other
  /// states are zero.
  virtual void response(std::span<BodyVector> efforts, std::span<double> ydot) = 0;

  // Of the last `rates`.
  [[nodiscard]] virtual const BodyVector& acceleration(std::size_t body) = 0;
  /// What a joint exerts on its frame `to`, in world axes, at that frame's origin.
  [[nodiscard]] virtual core::Wrench reaction(std::size_t joint) = 0;
  /// Work that drives do per second [W].
  [[nodiscard]] virtual double drive_power() const = 0;

  /// Classes for the scaling of tolerances: 0 of positions, 1 of velocities; and stated sizes.
  virtual void scale_classes(std::span<int> classes) const = 0;
  virtual void stated_scales(double length, double velocity, std::span<double> scales) const = 0;
  /// Lowers sizes to those that tolerances count from at most: angles do not count how often they have gone round.
  virtual void largest_sizes(std::span<double> sizes) const { (void)sizes; }
  /// Raises sizes of states to those that a body of this speed [m/s], [rad/s] has after a while [s].
  virtual void raise_sizes(std::size_t body, double speed, double turning, double while_length,
                           std::span<double> sizes) const = 0;
  /// The same for speeds that the joints' forces of the last `rates` would bring about in a time [s] one by one.
  virtual void raise_held_sizes(double held, double while_length, std::span<double> sizes) = 0;

  /// The functions of driven joints, for breaks and switches.
  [[nodiscard]] virtual std::span<TimeSignal> functions() = 0;
};

}  // namespace tieline::components
