#pragma once

#include <concepts>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/motion.hpp"

/// Components written in C++. Derive a class from `Equations` (Tieline integrates it) or from `OwnSteps` (it has its
/// own solver), and call `register_kind` once; models can then use the kind like any other. docs/components-in-cpp.md
/// shows a complete program. SI units; needs C++20.
namespace tieline {

/// The physical domain of an interface. In every domain, one quantity is equal on both sides of an ideal joint and one
/// sums to zero there. The functions below use the names of mechanics for them:
///
/// | domain       | position | velocity          | force (on, or into, the component) |
/// |--------------|----------|-------------------|------------------------------------|
/// | translation  | [m]      | velocity [m/s]    | force [N]                          |
/// | rotation     | [rad]    | [rad/s]           | torque [N m]                       |
/// | hydraulic    | not used | pressure [Pa]     | volume flow [m^3/s]                |
/// | electrical   | not used | voltage [V]       | current [A]                        |
/// | thermal      | not used | temperature [K]   | heat flow [W]                      |
/// | mechanical3d | Motion3d | Motion3d          | Load3d                             |
/// | signal       | any numbers, without energy                                    |
enum class Domain { translation, rotation, hydraulic, electrical, thermal, mechanical3d, signal };

enum class Causality {
  force_in,   ///< forces come in, the component reports the motion: a mass, a body, a volume
  motion_in,  ///< motion comes in, the component reports the force: a spring, an orifice; one axis only
  input,      ///< a signal comes in
  output,     ///< a signal goes out
};

/// An interface of a component. Functions refer to it by its index in the list, from 0.
struct InterfaceDeclaration {
  std::string name{};
  Domain domain = Domain::translation;
  Causality causality = Causality::force_in;
  int size = 1;        ///< length of a signal; 1 for all others
  std::string unit{};  ///< of a signal
  std::vector<double>
      start{};  ///< value of a signal input that is not connected: one number, or one per element; empty: 0
};

/// A continuous state. It is recorded under its name.
struct StateDeclaration {
  std::string name{};
  double start = 0.0;  ///< [unit]
  std::string unit{};
  double nominal = 0.0;  ///< scale for tolerances [unit]; 0: the largest value so far
};

/// A number that is recorded in addition to the states and the interfaces.
struct OutputDeclaration {
  std::string name{};
  std::string unit{};
};

/// When an event happens.
enum class Crossing {
  falling,  ///< its function becomes negative
  rising,   ///< its function becomes positive
  both,
};

/// A switching function. Functions refer to it by its index in the list, from 0.
struct EventDeclaration {
  std::string name{};
  Crossing crossing = Crossing::falling;
};

/// Energies of a component [J], for the energy balance of the run.
struct StoredEnergy {
  double kinetic = 0.0;
  double potential = 0.0;  ///< elastic, gravitational, heat
};
/// Powers inside the component at one time [W], without those through its interfaces.
struct InnerPowers {
  double dissipated = 0.0;
  double supplied = 0.0;  ///< by loads and prescribed motions inside
};

/// The interfaces of a component at one time: inputs to read and outputs to set. The functions throw std::logic_error
/// if the call does not fit the domain or causality of the interface; the run then fails with that message.
class TIELINE_PUBLIC Interfaces {
 public:
  /// Force-in, along one axis: the force on the component for the motion that `set_motion` set last.
  [[nodiscard]] virtual double force(int interface) const = 0;
  /// Force-in, in space: the load on the component, in the axes of the component.
  [[nodiscard]] virtual Load3d load(int interface) const = 0;
  /// Motion-in: the velocity of the interface.
  [[nodiscard]] virtual double velocity(int interface) const = 0;
  /// The values of a signal input; `signal_value` is for a signal of length 1.
  [[nodiscard]] virtual std::span<const double> signal(int interface) const = 0;
  [[nodiscard]] double signal_value(int interface) const { return signal(interface).front(); }
  /// Whether a connection joins the interface, or an open end prescribes its value.
  [[nodiscard]] virtual bool is_connected(int interface) const = 0;

  /// Force-in, along one axis: sets the motion.
  virtual void set_motion(int interface, double position, double velocity) = 0;
  /// Force-in, in space: sets the motion in the axes of the component. The placement in the model is applied to it.
  virtual void set_motion(int interface, const Motion3d& motion) = 0;
  /// Optional: sets the rate of the velocity, [m/s^2] for translation. By default it is found by finite differences.
  virtual void set_acceleration(int interface, double acceleration) = 0;
  virtual void set_acceleration(int interface, const Vector& acceleration, const Vector& angular_acceleration) = 0;
  /// Motion-in: sets the position, and the force on the component at the present velocity. For a damper to the ground,
  /// force = c * velocity.
  virtual void set_force(int interface, double position, double force) = 0;
  /// Sets the values of a signal output; their number is its declared size.
  virtual void set_signal(int interface, std::span<const double> values) = 0;
  void set_signal_value(int interface, double value) { set_signal(interface, std::span<const double>(&value, 1)); }

 protected:
  ~Interfaces() = default;
};

/// A component described by the equations dx/dt = f(t, x, inputs), which the solvers of Tieline integrate.
///
/// Called once: `interfaces`, `states`, `outputs`, `events`, whose results must not change; then `start`.
/// Called at every evaluation, in this order:
///   `motion`       sets the motion of force-in interfaces from t and x alone
///   `forces`       sets the forces of motion-in interfaces; called several times if they depend on the velocity
///   `derivatives`  computes dx/dt; all forces and velocities are known
///   `signals`, `record`, `powers`, `event_functions` as needed
/// These functions may depend only on t, x and the inputs: a solver calls them in any order, also for times and states
/// that it rejects later. Called between steps: `on_event` and `on_time_event`. They may change x and members of the
/// class; `save` and `restore` must cover such members.
///
/// An object is called from one thread at a time, different objects concurrently. An exception ends the run with its
/// message. After a derivative that is not finite, the solver tries a shorter step.
class TIELINE_PUBLIC Equations {
 public:
  virtual ~Equations() = default;

  [[nodiscard]] virtual std::vector<InterfaceDeclaration> interfaces() const = 0;
  [[nodiscard]] virtual std::vector<StateDeclaration> states() const { return {}; }
  [[nodiscard]] virtual std::vector<OutputDeclaration> outputs() const { return {}; }
  [[nodiscard]] virtual std::vector<EventDeclaration> events() const { return {}; }

  /// The run starts at t0 [s]. x contains the start values of `states` and may be changed.
  virtual void start(double t0, std::span<double> x) { (void)t0, (void)x; }
  virtual void motion(double t, std::span<const double> x, Interfaces& at) { (void)t, (void)x, (void)at; }
  virtual void forces(double t, std::span<const double> x, Interfaces& at) { (void)t, (void)x, (void)at; }
  /// Computes dx. May also call `at.set_acceleration`.
  virtual void derivatives(double t, std::span<const double> x, Interfaces& at, std::span<double> dx) {
    (void)t, (void)x, (void)at, (void)dx;
  }
  virtual void signals(double t, std::span<const double> x, Interfaces& at) { (void)t, (void)x, (void)at; }
  virtual void record(double t, std::span<const double> x, const Interfaces& at, std::span<double> outputs) {
    (void)t, (void)x, (void)at, (void)outputs;
  }

  virtual void event_functions(double t, std::span<const double> x, const Interfaces& at, std::span<double> values) {
    (void)t, (void)x, (void)at, (void)values;
  }
  /// The function of `event` crossed zero at t [s]; its value is slightly beyond zero.
  virtual void on_event(int event, double t, std::span<double> x) { (void)event, (void)t, (void)x; }
  /// The time of the next scheduled event after t [s]; infinity: none. Called at the start and after every event.
  [[nodiscard]] virtual double next_time_event(double t) const {
    return (void)t, std::numeric_limits<double>::infinity();
  }
  virtual void on_time_event(double t, std::span<double> x) { (void)t, (void)x; }

  /// The stored energy [J]; std::nullopt leaves the component out of the energy balance.
  [[nodiscard]] virtual std::optional<StoredEnergy> energy(double t, std::span<const double> x) const {
    return (void)t, (void)x, std::nullopt;
  }
  [[nodiscard]] virtual InnerPowers powers(double t, std::span<const double> x, const Interfaces& at) const {
    return (void)t, (void)x, (void)at, InnerPowers{};
  }

  /// Saves the members that events change, for checkpoints and gluing. x is saved automatically.
  [[nodiscard]] virtual std::vector<double> save() const { return {}; }
  virtual void restore(std::span<const double> saved) { (void)saved; }
  /// Why the component cannot be saved, as a sentence; empty if it can.
  [[nodiscard]] virtual std::string snapshot_obstacle() const { return {}; }
};

/// The inputs of a component with its own solver, at any time up to the limit of its present step. The functions throw
/// std::logic_error as those of `Interfaces` do, and for a time beyond that limit.
class TIELINE_PUBLIC StageInputs {
 public:
  /// Force-in, along one axis: the force on the component at t [s] while it moves with this velocity. Call it at every
  /// stage and every iteration; a call evaluates one polynomial.
  [[nodiscard]] virtual double force(int interface, double t, double velocity) const = 0;
  /// Force-in, in space: the load on the component, in the axes of the component.
  [[nodiscard]] virtual Load3d load(int interface, double t, const Motion3d& motion) const = 0;
  /// Motion-in: the velocity of the interface at t [s] while this force acts on the component.
  [[nodiscard]] virtual double velocity(int interface, double t, double force) const = 0;
  [[nodiscard]] virtual std::vector<double> signal(int interface, double t) const = 0;
  [[nodiscard]] double signal_value(int interface, double t) const { return signal(interface, t).front(); }
  [[nodiscard]] virtual bool is_connected(int interface) const = 0;

 protected:
  ~StageInputs() = default;
};

/// A component with its own solver.
///
///   start(t0) ─> report ─> ┌─> step(t, limit) ─> report(t) ─┐
///                          └────────────────────────────────┘   restore, at any time between steps
///
/// An object is called from one thread at a time, different objects concurrently. An exception ends the run with its
/// message.
class TIELINE_PUBLIC OwnSteps {
 public:
  virtual ~OwnSteps() = default;

  [[nodiscard]] virtual std::vector<InterfaceDeclaration> interfaces() const = 0;
  [[nodiscard]] virtual std::vector<OutputDeclaration> outputs() const { return {}; }

  /// The run starts at t0 [s].
  virtual void start(double t0) = 0;
  /// Takes one step from the present time t and returns the time reached, t < time <= limit [s]. The limit is at most
  /// one window ahead, and never passes a known discontinuity of an input.
  [[nodiscard]] virtual double step(double t, double limit, const StageInputs& at) = 0;
  /// Reports every interface at the time reached: call `set_motion`, `set_force` (`velocity` returns the velocity under
  /// the force set last) and `set_signal`. Set accelerations always or never.
  virtual void report(double t, Interfaces& at) = 0;
  /// Writes the values of `outputs` at the time reached.
  virtual void record(double t, std::span<double> outputs) const { (void)t, (void)outputs; }

  /// Whether `save` and `restore` work, which checkpoints and gluing need. The saved numbers must contain everything
  /// that determines the next steps.
  [[nodiscard]] virtual bool can_restore() const { return false; }
  [[nodiscard]] virtual std::vector<double> save() const { return {}; }
  virtual void restore(double t, std::span<const double> saved) { (void)t, (void)saved; }
};

/// A parameter of a kind: an attribute of its element, or a <Parameter> of the component.
struct ParameterDeclaration {
  std::string name{};  ///< letters, digits and '_', not starting with a digit
  std::string unit{};
  std::string description{};
  std::optional<double> value{};      ///< default [unit]; without this and `text`, the parameter is required
  bool is_text = false;               ///< a text, not a number; only as an attribute
  std::optional<std::string> text{};  ///< default of a text
  double least = -std::numeric_limits<double>::infinity();  ///< [unit]
  double most = std::numeric_limits<double>::infinity();    ///< [unit]
};

/// An element inside the element of the kind, which may occur any number of times: <Ball mass="1"/>.
struct ElementDeclaration {
  std::string name{};
  std::string description{};
  std::vector<ParameterDeclaration> parameters{};
  bool is_required = false;
};

/// The attributes and elements of components of a kind. Models are checked against it.
struct KindDeclaration {
  std::string name{};         ///< as in kind="my_bearing"
  std::string description{};  ///< one sentence
  std::vector<ParameterDeclaration> parameters{};
  std::vector<ElementDeclaration> elements{};
  std::string element{};  ///< its element in <Component>; empty: the name in CamelCase, <MyBearing>
};

/// The parameters of one component from its model; contains all that its kind declares.
class KindParameters {
 public:
  /// Both throw std::out_of_range if the kind declares no such parameter.
  [[nodiscard]] double number(const std::string& name) const { return find(numbers, name); }
  [[nodiscard]] const std::string& text(const std::string& name) const { return find(texts, name); }
  /// The elements of that name, in the order of the model.
  [[nodiscard]] const std::vector<KindParameters>& elements(const std::string& name) const {
    static const std::vector<KindParameters> none;
    const auto found = children.find(name);
    return found == children.end() ? none : found->second;
  }

  std::string component{};  ///< full name in the model
  std::map<std::string, double> numbers{};
  std::map<std::string, std::string> texts{};
  std::map<std::string, std::vector<KindParameters>> children{};

 private:
  template <class Value>
  static const Value& find(const std::map<std::string, Value>& among, const std::string& name) {
    const auto found = among.find(name);
    if (found == among.end()) throw std::out_of_range("the kind declares no parameter '" + name + "'");
    return found->second;
  }
};

/// Creates a component from its parameters. Called when a model is checked and when a run is built, from any thread. An
/// exception is reported as a problem of the model, at the position of the component in its file.
using EquationsFactory = std::function<std::unique_ptr<Equations>(const KindParameters&)>;
using OwnStepsFactory = std::function<std::unique_ptr<OwnSteps>(const KindParameters&)>;

/// Registers a kind: models loaded later in this process may use it. Throws std::invalid_argument if the name is taken
/// or the declaration is not valid. Thread-safe.
TIELINE_PUBLIC void register_kind(const KindDeclaration& kind, EquationsFactory factory);
TIELINE_PUBLIC void register_kind(const KindDeclaration& kind, OwnStepsFactory factory);
/// A kind without parameters: register_kind("my_bearing", factory).
template <class Name, class Factory>
requires std::convertible_to<const Name&, std::string>
void register_kind(const Name& name, Factory factory) {
  register_kind(KindDeclaration{.name = name}, std::move(factory));
}

}  // namespace tieline
