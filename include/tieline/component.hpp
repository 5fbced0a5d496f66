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

/// Components written in C++ by a program that uses the library: derive from `Equations` (our solvers integrate it) or
/// from `OwnSteps` (it brings its own solver), call `register_kind` once, and models may use the kind like any other.
/// docs/components-in-cpp.md shows a complete program. SI units; C++20.
namespace tieline {

/// What an interface carries. In every domain one quantity is the same on both sides of an ideal joint and one sums to
/// zero there; the functions below name them after mechanics:
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
  force_in,   ///< forces come in, the component gives the motion: a mass, a body, a volume
  motion_in,  ///< motion comes in, the component gives the force: the end of a spring, an orifice; one axis only
  input,      ///< a signal comes in
  output,     ///< a signal goes out
};

/// An interface of a component; it is known by its place in the list, from 0.
struct InterfaceDeclaration {
  std::string name{};
  Domain domain = Domain::translation;
  Causality causality = Causality::force_in;
  int size = 1;        ///< numbers of a signal; 1 for all others
  std::string unit{};  ///< of a signal
  std::vector<double>
      start{};  ///< of a signal input at which nothing arrives: one number for all, or one each; empty: 0
};

/// A continuous state. It is recorded under its name.
struct StateDeclaration {
  std::string name{};
  double start = 0.0;  ///< [unit]
  std::string unit{};
  double nominal = 0.0;  ///< size that tolerances count from [unit]; 0: the largest value so far
};

/// A number that is recorded beside the states and what interfaces do.
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

/// A switching function; it is known by its place in the list, from 0.
struct EventDeclaration {
  std::string name{};
  Crossing crossing = Crossing::falling;
};

/// Energies of a component [J], for the energy balance of the run.
struct StoredEnergy {
  double kinetic = 0.0;
  double potential = 0.0;  ///< elastic, gravitational, heat
};
/// What the component does with energy at a moment [W], beside what passes its interfaces.
struct InnerPowers {
  double dissipated = 0.0;
  double supplied = 0.0;  ///< by loads and driven motions inside
};

/// The interfaces of a component at one time: what arrives at them, and what the component reports. The functions throw
/// std::logic_error where an interface is of another kind than the call expects; the run then fails with that sentence.
class TIELINE_PUBLIC Interfaces {
 public:
  /// Force-in, along one axis: what acts on the component while it moves as `set_motion` said.
  [[nodiscard]] virtual double force(int interface) const = 0;
  /// Force-in, in space, in the component's axes.
  [[nodiscard]] virtual Load3d load(int interface) const = 0;
  /// Motion-in: how it moves.
  [[nodiscard]] virtual double velocity(int interface) const = 0;
  /// A signal input; the second for one of a single number.
  [[nodiscard]] virtual std::span<const double> signal(int interface) const = 0;
  [[nodiscard]] double signal_value(int interface) const { return signal(interface).front(); }
  /// Whether anything is connected, or an open end gives it a value.
  [[nodiscard]] virtual bool is_connected(int interface) const = 0;

  /// Force-in, along one axis.
  virtual void set_motion(int interface, double position, double velocity) = 0;
  /// Force-in, in space, in the component's axes: the model's placement is applied to it.
  virtual void set_motion(int interface, const Motion3d& motion) = 0;
  /// The rate of the velocity, if it is known: otherwise it is found by differences. [m/s^2] and alike
  virtual void set_acceleration(int interface, double acceleration) = 0;
  virtual void set_acceleration(int interface, const Vector& acceleration, const Vector& angular_acceleration) = 0;
  /// Motion-in: where it is, and the force on the component that goes with the velocity. A damper to the ground has
  /// force = c velocity.
  virtual void set_force(int interface, double position, double force) = 0;
  /// A signal output, as many numbers as it has.
  virtual void set_signal(int interface, std::span<const double> values) = 0;
  void set_signal_value(int interface, double value) { set_signal(interface, std::span<const double>(&value, 1)); }

 protected:
  ~Interfaces() = default;
};

/// A component given by equations, dx/dt = f(t, x, inputs), which our solvers integrate.
///
/// Once: `interfaces`, `states`, `outputs`, `events`, whose answers must not change; `start`.
/// At every evaluation, in this order:
///   `motion`       how force-in interfaces move, from t and x alone
///   `forces`       which forces motion-in interfaces exert; called more than once where they depend on the velocity
///   `derivatives`  with all forces and velocities known
///   `signals`, `record`, `powers`, `event_functions` where they are needed
/// These are functions of t, x and what interfaces say: a solver calls them for times and states that it may reject, in
/// any order. Between steps only: `on_event`, `on_time_event`, which may change x and members of the class; such
/// members belong to `save` and `restore`.
///
/// One thread at a time; different objects at the same time. An exception ends the run with its text. A derivative that
/// is not finite makes the solver try a shorter step.
class TIELINE_PUBLIC Equations {
 public:
  virtual ~Equations() = default;

  [[nodiscard]] virtual std::vector<InterfaceDeclaration> interfaces() const = 0;
  [[nodiscard]] virtual std::vector<StateDeclaration> states() const { return {}; }
  [[nodiscard]] virtual std::vector<OutputDeclaration> outputs() const { return {}; }
  [[nodiscard]] virtual std::vector<EventDeclaration> events() const { return {}; }

  /// The run starts at t0 [s]; x has the start values of `states` and may be changed.
  virtual void start(double t0, std::span<double> x) { (void)t0, (void)x; }
  virtual void motion(double t, std::span<const double> x, Interfaces& at) { (void)t, (void)x, (void)at; }
  virtual void forces(double t, std::span<const double> x, Interfaces& at) { (void)t, (void)x, (void)at; }
  /// May also call `at.set_acceleration`.
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
  /// The function of `event` has crossed zero at t, and is slightly beyond.
  virtual void on_event(int event, double t, std::span<double> x) { (void)event, (void)t, (void)x; }
  /// The first time after t at which something happens by the clock [s]; infinity: never. Asked at the start and after
  /// every event.
  [[nodiscard]] virtual double next_time_event(double t) const {
    return (void)t, std::numeric_limits<double>::infinity();
  }
  virtual void on_time_event(double t, std::span<double> x) { (void)t, (void)x; }

  /// Kinetic and potential energy; nothing: the component is left out of the energy balance.
  [[nodiscard]] virtual std::optional<StoredEnergy> energy(double t, std::span<const double> x) const {
    return (void)t, (void)x, std::nullopt;
  }
  [[nodiscard]] virtual InnerPowers powers(double t, std::span<const double> x, const Interfaces& at) const {
    return (void)t, (void)x, (void)at, InnerPowers{};
  }

  /// Members that events change, as numbers, for checkpoints and gluing; x is saved without this.
  [[nodiscard]] virtual std::vector<double> save() const { return {}; }
  virtual void restore(std::span<const double> saved) { (void)saved; }
  /// Why it cannot be saved, as a sentence; empty where it can.
  [[nodiscard]] virtual std::string snapshot_obstacle() const { return {}; }
};

/// The inputs of a component with its own solver, at any time up to the limit of its present step. They throw
/// std::logic_error like `Interfaces`, and where a time is beyond that limit.
class TIELINE_PUBLIC StageInputs {
 public:
  /// Force-in, along one axis: what acts on the component at t while it moves with this velocity. Ask again at every
  /// stage and every iteration; it costs a polynomial.
  [[nodiscard]] virtual double force(int interface, double t, double velocity) const = 0;
  /// Force-in, in space, in the component's axes.
  [[nodiscard]] virtual Load3d load(int interface, double t, const Motion3d& motion) const = 0;
  /// Motion-in: how it moves at t while this force acts on the component.
  [[nodiscard]] virtual double velocity(int interface, double t, double force) const = 0;
  [[nodiscard]] virtual std::vector<double> signal(int interface, double t) const = 0;
  [[nodiscard]] double signal_value(int interface, double t) const { return signal(interface, t).front(); }
  [[nodiscard]] virtual bool is_connected(int interface) const = 0;

 protected:
  ~StageInputs() = default;
};

/// A component with a solver of its own.
///
///   start(t0) ─> report ─> ┌─> step(t, limit) ─> report(t) ─┐
///                          └────────────────────────────────┘   restore, at any time between steps
///
/// One thread at a time; different objects at the same time. An exception ends the run with its text.
class TIELINE_PUBLIC OwnSteps {
 public:
  virtual ~OwnSteps() = default;

  [[nodiscard]] virtual std::vector<InterfaceDeclaration> interfaces() const = 0;
  [[nodiscard]] virtual std::vector<OutputDeclaration> outputs() const { return {}; }

  /// The run starts at t0 [s].
  virtual void start(double t0) = 0;
  /// One accepted step from t, where it is, to a time of its choice, t < time <= limit, which it returns. The limit is
  /// never more than a window away, and lies on every known break of an input.
  [[nodiscard]] virtual double step(double t, double limit, const StageInputs& at) = 0;
  /// How every interface moves, or acts, at the time reached: `set_motion`, `set_force` (`velocity` tells how it moves
  /// under the force set last), `set_signal`. Accelerations, where it knows them, always or never.
  virtual void report(double t, Interfaces& at) = 0;
  /// The outputs at the time reached.
  virtual void record(double t, std::span<double> outputs) const { (void)t, (void)outputs; }

  /// Whether `save` and `restore` work: for checkpoints and gluing. Whatever decides on the next steps belongs to it.
  [[nodiscard]] virtual bool can_restore() const { return false; }
  [[nodiscard]] virtual std::vector<double> save() const { return {}; }
  virtual void restore(double t, std::span<const double> saved) { (void)t, (void)saved; }
};

/// A parameter of a kind: an attribute of its element, or a <Parameter> of the component.
struct ParameterDeclaration {
  std::string name{};  ///< letters, digits and '_', not starting with a digit
  std::string unit{};
  std::string description{};
  std::optional<double> value{};      ///< default [unit]; neither this nor `text`: the model must state it
  bool is_text = false;               ///< a word, not a number; only as an attribute
  std::optional<std::string> text{};  ///< default of a text
  double least = -std::numeric_limits<double>::infinity();  ///< [unit]
  double most = std::numeric_limits<double>::infinity();    ///< [unit]
};

/// Elements inside the kind's own element, any number of each: <Ball mass="1"/>.
struct ElementDeclaration {
  std::string name{};
  std::string description{};
  std::vector<ParameterDeclaration> parameters{};
  bool is_required = false;
};

/// What models may say about components of a kind; they are checked against it.
struct KindDeclaration {
  std::string name{};         ///< as in kind="my_bearing"
  std::string description{};  ///< one sentence
  std::vector<ParameterDeclaration> parameters{};
  std::vector<ElementDeclaration> elements{};
  std::string element{};  ///< its element in <Component>; empty: the name in another spelling, <MyBearing>
};

/// The parameters of one component, as its model states them; all that its kind declares are there.
class KindParameters {
 public:
  /// Both throw std::out_of_range where the kind declares no such parameter.
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

/// Makes a component from its parameters. Called when a model is checked and when a run is built, from any thread; an
/// exception is reported as a problem of the model, at the component's place.
using EquationsFactory = std::function<std::unique_ptr<Equations>(const KindParameters&)>;
using OwnStepsFactory = std::function<std::unique_ptr<OwnSteps>(const KindParameters&)>;

/// From now on models may use this kind, in this process, until it ends. Throws std::invalid_argument where the name is
/// taken, or the declaration is not valid. Safe from any thread; register before models are loaded.
TIELINE_PUBLIC void register_kind(const KindDeclaration& kind, EquationsFactory factory);
TIELINE_PUBLIC void register_kind(const KindDeclaration& kind, OwnStepsFactory factory);
/// A kind without parameters: register_kind("my_bearing", factory).
template <class Name, class Factory>
requires std::convertible_to<const Name&, std::string>
void register_kind(const Name& name, Factory factory) {
  register_kind(KindDeclaration{.name = name}, std::move(factory));
}

}  // namespace tieline
