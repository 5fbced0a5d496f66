#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain.hpp"
#include "core/gluing.hpp"
#include "core/sampling.hpp"
#include "core/sandbox_level.hpp"
#include "core/spatial.hpp"
#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"
#include "model/kind_options.hpp"
#include "model/process.hpp"

/// The composite model after reading: nested models are flattened, repeats are expanded, every expression that belongs
/// to the composite model itself is a number. Plain data, constant while a model runs. The position of a number or a
/// name in its file is in the `declaration` beside it (`declaration.place_of("delay")`).
namespace tieline::model {

/// One description of a component: its <Component>, its type, or a type that this one extends.
struct Statement {
  document::Element element{};
  std::filesystem::path file{};  ///< what paths in it are relative to
};
/// All that describe one component, the nearest first; the nearest that states something counts.
using Statements = std::vector<Statement>;

/// The nearest statement with an attribute; null if none has it.
[[nodiscard]] const Statement* stating(const Statements& statements, std::string_view attribute);

/// A parameter of the outermost model, with the value it has after all overrides.
struct Parameter {
  std::string name{};
  double value = 0.0;
  std::string unit{};
  std::string description{};
};

/// How a component is solved and written. Empty means: not stated by the component, nor by a nested model around it,
/// nor by the simulation.
struct Settings {
  std::optional<std::string> solver{};
  std::optional<double> tolerance{};            ///< relative, scaled by the largest value of each state
  std::optional<double> step{};                 ///< of fixed-step solvers [s]
  std::optional<double> largest_step{};         ///< of variable-step solvers [s]
  std::optional<bool> controls_efforts{};       ///< the tolerance applies to efforts at lines, not to states alone
  std::optional<double> window{};               ///< [s]
  std::optional<double> write_interval{};       ///< [s]; 0: every accepted step
  std::optional<bool> isolate{};                ///< in a process of its own
  std::optional<core::SandboxLevel> sandbox{};  ///< of third-party code
  std::optional<std::string> host{};            ///< of the site, that computes it

  /// Fills what is empty from `other`.
  void inherit(const Settings& other);
};

/// <Interface> of a component or a type: what a kind that cannot describe its interfaces itself has.
struct DeclaredInterface {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  core::Causality causality = core::Causality::takes_force;
  int size = 1;       ///< of a signal: how many numbers; in space: how many points
  core::Pose pose{};  ///< in the component
  document::Element declaration{};
};

struct Component {
  std::string name{};  ///< full: "sub.arm" is component "arm" of the nested model "sub"
  std::string kind{};
  std::string type{};               ///< "library.Type"; empty: none
  Statements statements{};          ///< all that describe it, <Component> first
  document::Scope scope{};          ///< its parameters, and outwards those of the models around it
  document::Element declaration{};  ///< <Component>
  document::Element content{};      ///< its inline element or the root of its file; absent where the file is not XML
  /// The component's file, or the file that holds the inline content: what paths in `content` are relative to.
  std::filesystem::path content_file{};
  bool has_own_file = false;  ///< the content is in a file of its own
  Settings settings{};
  std::vector<DeclaredInterface> declared_interfaces{};
  std::vector<std::string> used_interfaces{};  ///< named at ends of connections, open ends and exports, as written
  int frame = -1;                              ///< index into CompositeModel::frames
  core::Pose placement{};                      ///< in the world; known once `place_components` has run

  std::string description{};
  std::string tool{};     ///< that it was made with, and that runs it where it is a process
  std::string version{};  ///< of the component or its type
  OwnProcess process{};
  /// What its kind alone reads (`options_as`); null if it has nothing to read. Shared, since it is constant and of a
  /// type that only the kind knows.
  std::shared_ptr<const KindOptions> options{};
  std::vector<std::filesystem::path> input_files{};
  std::filesystem::path icon{};
  std::filesystem::path geometry{};
  std::optional<double> diagram_x{};
  std::optional<double> diagram_y{};
};

/// What a component states as one of its kind; the defaults where it is of another kind.
template <class Options>
[[nodiscard]] const Options& options_as(const Component& component) {
  static const Options kDefaults{};
  const auto* const own = dynamic_cast<const Options*>(component.options.get());
  return own != nullptr ? *own : kDefaults;
}

struct Endpoint {
  int component = -1;        ///< index into CompositeModel::components; -1 where the name was unknown (reported)
  std::string interface {};  ///< or a member of a signal, or of a set of points: "y[2]"
};

enum class Coupling {
  line,     ///< coupling="line"
  sampled,  ///< coupling="sampled"
  glue,     ///< coupling="glue"
  signal,   ///< no coupling stated: both ends are signals
};

/// A place in the world: of a component, or of a nested model, whose components are placed in it.
struct Frame {
  std::string name{};               ///< full name of the component or nested model
  int parent = -1;                  ///< frame around it; -1: the world
  core::Pose pose{};                ///< in the parent; without a meaning where it is attached
  document::Element declaration{};  ///< <Component>
  std::optional<Endpoint> own{};    ///< the interface in it that must coincide with `target`
  std::optional<Endpoint> target{};
};

/// The numbers of a transmission line as stated; `validate` sees to it that they determine the line exactly once.
struct LineNumbers {
  std::optional<double> stiffness{};       ///< k [N/m] or [N m/rad]
  std::optional<double> impedance{};       ///< Z [N s/m], [N m s/rad], [Pa s/m^3], [ohm] or [K/W]
  std::optional<double> youngs_modulus{};  ///< E [Pa]
  std::optional<double> area{};            ///< A [m^2]; a cube of the material where it is absent
  std::optional<double> length{};          ///< [m]
  std::optional<double> sound_speed{};     ///< [m/s]
  double damping = 0.0;                    ///< alpha, in [0, 1)
  double initial_force =
      0.0;  ///< on the component at the `to` end [N] or [N m]; or what flows into it [m^3/s], [A], [W]
  std::optional<double> bulk_modulus{};        ///< of a fluid [Pa]
  std::optional<double> density{};             ///< of a fluid [kg/m^3]
  std::optional<double> inductance{};          ///< per length [H/m]
  std::optional<double> capacitance{};         ///< per length [F/m]
  std::optional<double> heat_capacity{};       ///< [J/K]
  std::optional<double> resistance{};          ///< [K/W]
  std::optional<double> stiffness_rotation{};  ///< of a line in space [N m/rad]
  std::optional<double> impedance_rotation{};  ///< of a line in space [N m s/rad]
  std::optional<double> damping_rotation{};    ///< of a line in space; absent: `damping`
  core::FreeAxes free_rotation{};              ///< of a line in space
  /// Of a line in space at the start, on the component at the `to` end, in the axes of the `from` interface.
  std::array<double, 3> initial_force_in_space{};  ///< [N]
  std::array<double, 3> initial_torque{};          ///< [N m]
};

struct SampledSettings {
  core::Extrapolation extrapolation = core::Extrapolation::hermite;
  core::Schedule schedule = core::Schedule::furthest_behind;
  std::optional<double> step{};  ///< macro step of jacobi and gauss_seidel [s]
  /// Which end steps first; unstated: as `from`, where other connections do not state the opposite.
  enum class First { unstated, from, to, neither } first = First::unstated;
};

/// What is made of a signal on its way, as stated: scale times the output, in the unit of the input, plus offset.
struct SignalNumbers {
  std::optional<double> scale{};
  std::optional<double> offset{};  ///< in the unit of the input
  std::string from_unit{};         ///< of the output; empty: as its component states, if it does
  std::string to_unit{};           ///< of the input
};

/// What a glued connection in space joins. All of it is said in the axes of the `from` interface.
struct GlueNumbers {
  core::GlueJoint joint = core::GlueJoint::fixed;
  int axis = 2;  ///< of the joint: 0 is x, 1 y, 2 z
};

struct Connection {
  std::string name{};  ///< as stated, or "<from>--<to>"; inside a nested model with its path in front
  Endpoint from{};
  Endpoint to{};
  Coupling coupling = Coupling::signal;
  std::optional<double> delay{};  ///< of a line, or of a signal (absent or 0: undelayed) [s]
  LineNumbers line{};
  SampledSettings sampled{};
  GlueNumbers glue{};
  SignalNumbers signal{};
  /// Of a line in space: where its from and to ends are in their interfaces' frames; absent: there.
  std::array<std::optional<core::Pose>, 2> end_frames{};
  std::string level{};              ///< in front of all names of the model that states it: "sub."; "": the outermost
  document::Element declaration{};  ///< <Connection>
};

/// <Gluing>: how the glued connections of one model, outermost or nested, are made to agree.
struct Gluing {
  std::string level{};  ///< as that of the model's connections
  core::GluingSettings settings{};
  document::Element declaration{};
};

/// <Layers>: how members that are connected without delay keep steps of their own.
struct Layers {
  core::LayerSettings settings{};
  document::Element declaration{};
};

/// <Open>: what an interface gets that no connection joins.
struct OpenEnd {
  Endpoint of{};
  document::Scope scope{};          ///< for its function of time
  std::filesystem::path record{};   ///< file or result folder; empty: none
  document::Element declaration{};  ///< <Open>
};

/// <Record> or <Exclude>. A variable is recorded if some <Record> names it (or no <Record> stands at all) and no
/// <Exclude> does; its interval is that of the last <Record> that names it and states one.
struct RecordRule {
  bool is_exclusion = false;
  std::vector<std::string> patterns{};  ///< globs with * and ? over full result names
  std::optional<double> interval{};     ///< [s]; 0: every accepted step
};

struct SimulationSettings {
  double start = 0.0;  ///< [s]
  double stop = 1.0;   ///< [s]
  Settings defaults{};
  std::optional<double> save_interval{};  ///< between save points [s]
  std::vector<RecordRule> record{};
  ProcessSettings processes{};
  document::Element declaration{};  ///< <Simulation>; absent where the model has none
};

/// An interface of a component, known outside this model under a new name.
struct ExportedInterface {
  std::string name{};
  Endpoint of{};
  document::Element declaration{};
};

struct CompositeModel;

/// One of the components that an <Alternative> offers.
struct Choice {
  std::string name{};
  document::Element declaration{};  ///< <Component>
  /// What it holds where it is not the chosen one: checked, never run. Null if it is chosen. Shared, since it is
  /// constant and a model cannot hold models by value.
  std::shared_ptr<const CompositeModel> part{};
  int component = -1;                            ///< in the model, or in `part`; -1: a nested model
  std::map<std::string, Endpoint> interfaces{};  ///< that a nested model exports
  bool is_readable = true;                       ///< false: what is wrong has been reported
};

/// <Alternative>: one part, modelled in several ways. The chosen one is a component of the model like any other.
struct Alternative {
  std::string name{};  ///< full; that of the component
  document::Element declaration{};
  std::vector<Choice> choices{};
};

struct CompositeModel {
  std::string name{};
  std::string description{};
  std::filesystem::path file{};
  std::vector<Parameter> parameters{};
  std::vector<Component> components{};
  std::vector<Connection> connections{};
  std::vector<std::string> idle_gluings{};  ///< levels with glued connections that are disabled or left out
  std::optional<Layers> layers{};           ///< of the outermost model
  std::vector<Gluing> gluings{};            ///< at most one for each level; defaults hold where there is none
  std::vector<OpenEnd> open_ends{};
  std::vector<ExportedInterface> interfaces{};  ///< of the outermost model
  SimulationSettings simulation{};
  std::vector<Alternative> alternatives{};
  std::vector<Frame> frames{};
  std::vector<std::filesystem::path> files{};  ///< every model file that was read, the outermost first

  [[nodiscard]] int find_component(std::string_view full_name) const;     ///< -1 if there is none
  [[nodiscard]] const Gluing* find_gluing(std::string_view level) const;  ///< null if the level states none
  /// "component.interface" of an end.
  [[nodiscard]] std::string describe(const Endpoint& end) const;
};

/// A path as written in a file, relative to the folder of that file.
[[nodiscard]] std::filesystem::path resolve_path(const std::filesystem::path& written_in, std::string_view path);

[[nodiscard]] std::string_view name_of(Coupling coupling);

}  // namespace tieline::model
