#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/component.hpp"
#include "core/scene.hpp"
#include "solvers/stepper.hpp"

namespace tieline::components {

using core::PortOutput;

/// Powers [W] at one time, for the energy audit.
struct Powers {
  std::span<double> through_ports;  ///< effort times flow of each port, into the component; 0 for signals
  std::span<double> efforts{};      ///< of each port [N]; may be empty, then they are not wanted
  double dissipated = 0.0;
  double supplied = 0.0;  ///< by loads and prescribed motions
};

/// The equations of a native component; OdeComponent drives them with a stepper.
///
/// Modes (contacts, switches) are part of the model and are frozen while a step is tried; OdeComponent calls `on_guard`
/// and `on_break` between steps only. `rhs`, `observe`, `powers` and `record` may be called for any time of the last
/// step or the one being tried; they read the ports' tracks at that time.
class OdeModel : public solvers::OdeSystem {
 public:
  [[nodiscard]] virtual std::span<core::Port> ports() = 0;
  /// Those of its ports that belong together as interfaces in space.
  [[nodiscard]] virtual std::vector<core::SpatialInterface*> spatial_interfaces() { return {}; }

  /// Initial state; sets every mode to what it is at t0 (from the right).
  virtual core::Result<std::vector<double>> begin(double t0) = 0;
  /// Where it is to start at rest; null: as `begin` says.
  [[nodiscard]] virtual core::Equilibrium* equilibrium() { return nullptr; }
  /// Class of each state for the scaling of tolerances.
  [[nodiscard]] virtual std::vector<int> scale_classes() const = 0;

  /// Sizes of all states that tolerances count from, where the model states them; otherwise empty.
  [[nodiscard]] virtual std::vector<double> stated_scales() const { return {}; }

  /// Sizes of all states that tolerances count from at most, or empty: an angle that counts turns grows without its
  /// error mattering less.
  [[nodiscard]] virtual std::vector<double> largest_sizes() const { return {}; }

  /// Sizes of the states that the ports' waves can bring about within a while [s]: flows of w/Z, and positions to
  /// match. A state at rest under a large force is then not resolved below the rounding of that force.
  virtual void natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const = 0;

  /// Where the positions that `observe` gives of a port are counted from, after `begin` [m]: components have positions
  /// of their own, small ones, so that nothing depends on how far the world's origin is.
  [[nodiscard]] virtual double position_origin(std::size_t port) const {
    (void)port;
    return 0.0;
  }

  /// Lowers sizes of states to those that change the effort at a port of a line by as much as given, port by port
  /// (0: no limit): an error of the states is then one of the efforts, too.
  virtual void limit_sizes(std::span<const double> /*efforts*/, std::span<double> /*sizes*/) const {}

  /// Whether the flow at a port follows from the states alone, and so is as smooth as they are: not at massless nodes,
  /// nor where a function of time gives it.
  [[nodiscard]] virtual bool moves_by_states(std::size_t /*port*/) const { return true; }
  /// Whether it supports that. Ends of lines at other models are sampled at steps only.
  [[nodiscard]] virtual bool knows_what_moves() const { return false; }

  /// A node with inertia that the waves of lines act on: one of its ports, and its states.
  struct Driven {
    std::size_t port = 0;
    int position = -1, flow = -1;
  };
  /// Those that answer slower than a stretch of time [s]: within a step of that length, what waves give them is not
  /// much more than what is left of it. Called once, after `begin`.
  virtual std::vector<Driven> choose_driven(double /*stretch*/) { return {}; }
  /// The motion at a port that the waves alone give its node from t0 on, when at rest there; zero where it was not
  /// chosen.
  [[nodiscard]] virtual wave::TrackValue driven_motion(std::size_t /*port*/, double /*t0*/, double /*t*/,
                                                       wave::Side /*side*/) const {
    return {};
  }

  /// Outputs of all ports; `ydot` is rhs(t, side, y), which was the last call: what it has evaluated still stands.
  virtual void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
                       std::span<PortOutput> outputs) = 0;
  virtual void powers(double t, std::span<const double> y, Powers& powers) = 0;

  [[nodiscard]] virtual std::vector<core::Column> columns() const = 0;
  /// All columns, in their order.
  virtual void record(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
                      std::span<double> values) = 0;

  /// The model's own next known break after t (table points, sampling instants), or infinity.
  [[nodiscard]] virtual double next_break(double t) const = 0;
  /// Time has reached an own break or one of an input: update sampled values; may change y. True if y or a mode
  /// changed.
  virtual bool on_break(double t, std::span<double> y) = 0;
  /// Guard `index` fired at t: change the mode; may change y.
  virtual void on_guard(int index, double t, std::span<double> y) = 0;
  /// What guard `index` belongs to, for messages: "block 'relay'".
  [[nodiscard]] virtual std::string guard_name(int index) const { return "event " + std::to_string(index + 1); }

  /// Everything up to t is accepted and will not be asked for again. True if the model has a break at t by itself.
  virtual bool on_step(double /*t*/, std::span<const double> /*y*/) { return false; }
  /// Why it cannot continue, whatever the step; nothing if it can.
  [[nodiscard]] virtual std::optional<core::Error> failure() const { return std::nullopt; }
  /// Its request to end the run, after a break, a guard or a step; null: none. From then on nothing of it changes.
  [[nodiscard]] virtual const core::Ending* ending() const { return nullptr; }
  /// Why its modes cannot be saved, in words; empty if they can.
  [[nodiscard]] virtual std::string snapshot_obstacle() const { return {}; }

  /// Work that jumps of prescribed motions do at once at t, on what has inertia [J].
  [[nodiscard]] virtual double jump_work(double /*t*/) const { return 0.0; }

  /// Kinetic and potential energy.
  [[nodiscard]] virtual std::optional<core::Energy> energy(double t, std::span<const double> y) const = 0;
  /// What it looks like in space, if anything.
  [[nodiscard]] virtual core::Scene scene() const { return {}; }
  /// Modes and held values (not y, not tracks).
  virtual void save_modes(core::ArchiveWriter& archive) const = 0;
  virtual void restore_modes(core::ArchiveReader& archive) = 0;
};

}  // namespace tieline::components
