#include "kinds/registry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "components/blocks/blocks.hpp"
#include "components/blocks/grammar.hpp"
#include "components/blocks/reader.hpp"
#include "components/multibody/grammar.hpp"
#include "components/multibody/joint_coordinates.hpp"
#include "components/multibody/multibody.hpp"
#include "components/multibody/reader.hpp"
#include "components/network/grammar.hpp"
#include "components/network/network.hpp"
#include "components/network/reader.hpp"
#include "components/structure/grammar.hpp"
#include "components/structure/reader.hpp"
#include "components/structure/structure.hpp"
#include "kinds/fmu_kind.hpp"
#include "kinds/fmu_options.hpp"
#include "kinds/led_bodies.hpp"
#include "kinds/process_options.hpp"
#include "model/fmu_mode.hpp"
#include "model/process.hpp"
#include "participant/tool_component.hpp"
#include "railway/reader.hpp"
#include "railway/track.hpp"

namespace tieline::kinds {
namespace {

std::vector<model::InterfaceInfo> as_model_interfaces(const std::vector<components::InterfaceInfo>& interfaces) {
  std::vector<model::InterfaceInfo> result;
  for (const auto& interface : interfaces) {
    result.push_back({.name = interface.name,
                      .domain = interface.domain,
                      .causality = interface.causality,
                      .size = interface.size,
                      .part = interface.part,
                      .motion_obstacle = interface.motion_obstacle,
                      .starts = interface.starts});
  }
  return result;
}

/// What is known of a component whose content has errors. Sizes of signals may be among these.
Blueprint incomplete(const std::vector<components::InterfaceInfo>& interfaces) {
  Blueprint blueprint;
  blueprint.is_complete = false;
  blueprint.interfaces = as_model_interfaces(interfaces);
  std::erase_if(blueprint.interfaces, [](const auto& known) { return known.domain == core::Domain::signal; });
  return blueprint;
}

/// A component whose equations are an OdeModel built from a spec.
template <class Equations, class Spec>
auto ode_builder(std::shared_ptr<const Spec> spec) {
  return [spec = std::move(spec)](const BuildRequest& request) -> std::unique_ptr<core::Component> {
    return std::make_unique<components::OdeComponent>(request.name, std::make_unique<Equations>(*spec), request.choice);
  };
}

std::optional<Blueprint> read_network_component(const model::Component& component, document::Diagnostics& diagnostics) {
  components::NetworkSpec spec = components::read_network(component.content, component.scope, diagnostics);
  if (diagnostics.has_errors()) {
    std::erase_if(spec.interfaces, [](const auto& interface) { return interface.node < 0; });
    return incomplete(components::interfaces_of(spec));
  }
  Blueprint blueprint;
  blueprint.interfaces = as_model_interfaces(components::interfaces_of(spec));
  const auto shared = std::make_shared<const components::NetworkSpec>(std::move(spec));
  blueprint.check = [shared, place = component.declaration.place(), name = component.name](
                        const std::vector<bool>& is_connected, document::Diagnostics& problems) {
    for (const int node : components::undetermined_nodes(*shared, is_connected)) {
      problems.error(place,
                     fmt::format("component '{}': nothing determines the motion of the massless node '{}': connect "
                                 "its interface, drive it with a Motion, join a Damper, or give it a mass",
                                 name, shared->nodes[static_cast<std::size_t>(node)].name));
    }
  };
  blueprint.build = ode_builder<components::Network>(shared);
  blueprint.can_be_joined = true;
  blueprint.feed = [shared](const std::string&, const std::string& output) {
    return components::may_feed_through(*shared, output) ? Feed::unknown : Feed::none;
  };
  return blueprint;
}

std::optional<Blueprint> read_blocks_component(const model::Component& component, document::Diagnostics& diagnostics) {
  const components::BlocksSpec spec = components::read_blocks(component.content, component.scope, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  Blueprint blueprint;
  blueprint.interfaces = as_model_interfaces(components::interfaces_of(spec));
  blueprint.check = [](const std::vector<bool>&, document::Diagnostics&) {};
  blueprint.build = ode_builder<components::Blocks>(std::make_shared<const components::BlocksSpec>(spec));
  blueprint.can_be_joined = true;
  blueprint.feed = [pairs = components::feedthrough_pairs(spec)](const std::string& input, const std::string& output) {
    return pairs.contains({input, output}) ? Feed::direct : Feed::none;
  };
  blueprint.switches = [pairs = components::switching_pairs(spec)](const std::string& input,
                                                                   const std::string& output) {
    return pairs.contains({input, output});
  };
  return blueprint;
}

/// Reports what shows only when the system is put together: quantities that outputs name, joints that do not fit.
void check_assembly(const model::Component& component, const components::MultibodySpec& spec,
                    document::Diagnostics& diagnostics) {
  components::Multibody system(spec);
  std::vector<std::string> known;
  for (const core::Column& column : system.columns()) known.push_back(column.name);
  for (const auto& output : spec.outputs) {
    if (system.column_index(output.quantity) >= 0) continue;
    diagnostics.error(component.declaration.place(),
                      fmt::format("component '{}': output '{}' reports '{}', which does not exist{}", component.name,
                                  output.name, output.quantity, document::suggestion(output.quantity, known)));
  }
  const auto started = system.begin(0.0);
  if (!started) {
    diagnostics.error(component.declaration.place(),
                      fmt::format("component '{}': {}", component.name, started.error().message));
  }
  for (const std::string& doubt : system.doubts()) {
    diagnostics.warning(component.declaration.place(), fmt::format("component '{}': {}", component.name, doubt));
  }
}

/// A system in its place, with its interfaces where lines join them.
components::MultibodySpec placed_system(components::MultibodySpec spec, const BuildRequest& request) {
  for (const Blueprint::EndFrame& end : request.end_frames) {
    for (components::MultibodyInterface& interface : spec.interfaces) {
      if (interface.name != end.interface || interface.frame < 0) continue;
      components::FrameSpec frame = spec.frames[static_cast<std::size_t>(interface.frame)];
      frame.name = interface.name + ".end";
      frame.local = core::compose(frame.local, end.pose);
      frame.record = components::FrameSpec::Record::nothing;
      interface.frame = static_cast<int>(spec.frames.size());
      spec.frames.push_back(std::move(frame));
    }
  }
  return components::placed(std::move(spec), request.placement);
}

std::optional<Blueprint> read_multibody_component(const model::Component& component,
                                                  document::Diagnostics& diagnostics) {
  components::MultibodySpec spec = components::read_multibody(component.content, component.scope, diagnostics);
  if (!diagnostics.has_errors()) check_assembly(component, spec, diagnostics);
  if (!diagnostics.has_errors()) components::check_start(spec, diagnostics);
  if (diagnostics.has_errors()) {
    std::erase_if(spec.interfaces, [](const auto& interface) { return interface.frame < 0; });
    return incomplete(components::interfaces_of(spec));
  }
  Blueprint blueprint;
  blueprint.has_bodies = !spec.bodies.empty();
  // Behind a path an interface cannot be put, since the path's own axes are before it.
  blueprint.end_frame_obstacle = [spec](const std::string& interface) -> std::string {
    for (const components::MultibodyInterface& end : spec.interfaces) {
      if (end.name != interface || end.frame < 0) continue;
      if (spec.frames[static_cast<std::size_t>(end.frame)].path)
        return "its frame moves by functions of time, and others are where these put it; expected a Frame there";
    }
    return "";
  };
  blueprint.interfaces = as_model_interfaces(components::interfaces_of(spec));
  for (std::size_t i = 0; i < spec.interfaces.size(); ++i) {
    if (spec.interfaces[i].frame >= 0) {
      blueprint.interfaces[i].pose = components::start_pose(spec, spec.interfaces[i].frame);
      blueprint.interfaces[i].can_be_led = blueprint.interfaces[i].motion_obstacle.empty();
    }
  }
  blueprint.check = [](const std::vector<bool>&, document::Diagnostics&) {};
  blueprint.build = [spec](const BuildRequest& request) -> std::unique_ptr<core::Component> {
    components::MultibodySpec placed = placed_system(spec, request);
    placed.flavour =
        components::chosen_flavour(placed, request.choice.method && solvers::is_implicit(*request.choice.method));
    std::string problem;  // has been reported
    placed = components::led(std::move(placed), request.motions, request.start, problem);
    return std::make_unique<components::OdeComponent>(
        request.name, std::make_unique<components::Multibody>(std::move(placed)), request.choice);
  };
  blueprint.motion_problem = [spec](const BuildRequest& request) {
    std::string problem;
    const components::MultibodySpec placed = placed_system(spec, request);
    (void)components::led(placed, request.motions, request.start, problem);
    return problem.empty() ? contradiction_of_motions(placed, request) : problem;
  };
  blueprint.feed = [spec](const std::string&, const std::string& output) {
    return components::may_feed_through(spec, output) ? Feed::unknown : Feed::none;
  };
  return blueprint;
}

std::optional<Blueprint> read_structure_component(const model::Component& component,
                                                  document::Diagnostics& diagnostics) {
  components::StructureSpec spec = components::read_structure(component.content, component.scope, diagnostics);
  if (spec.analysis == components::StructureSpec::Analysis::dynamic && !component.settings.step) {
    diagnostics.error(
        component.declaration.place(),
        fmt::format(
            "component '{}' is a dynamic structure, which needs a step: set step=\"...\" [s] here or in <Simulation>",
            component.name));
  }
  if (diagnostics.has_errors()) {
    std::erase_if(spec.interfaces, [](const auto& interface) {
      return interface.nodes.empty() || std::count(interface.nodes.begin(), interface.nodes.end(), -1) > 0;
    });
    return incomplete(components::interfaces_of(spec));
  }
  Blueprint blueprint;
  blueprint.interfaces = as_model_interfaces(components::interfaces_of(spec));
  for (std::size_t i = 0; i < spec.interfaces.size(); ++i) {
    blueprint.interfaces[i].pose.position =
        spec.nodes[static_cast<std::size_t>(spec.interfaces[i].nodes.front())].position;
  }
  blueprint.check = [](const std::vector<bool>&, document::Diagnostics&) {};
  blueprint.build = [spec](const BuildRequest& request) -> std::unique_ptr<core::Component> {
    return std::make_unique<components::Structure>(request.name, spec, request.choice.fixed_step, request.placement);
  };
  return blueprint;
}

std::optional<Blueprint> read_track_component(const model::Component& component, document::Diagnostics& diagnostics) {
  const railway::TrackSpec spec = railway::read_track(component.content, component.scope, diagnostics);
  const model::Settings& settings = component.settings;
  if (!settings.step || (settings.solver != "rk4" && settings.solver != "zhai")) {
    diagnostics.error(component.declaration.place(),
                      fmt::format("component '{}' is a track, which takes explicit steps of one length: set "
                                  "solver=\"zhai\" (or rk4) and step=\"5e-5\" [s] here",
                                  component.name));
  }
  if (diagnostics.has_errors()) return incomplete(railway::interfaces_of(spec));
  Blueprint blueprint;
  blueprint.interfaces = as_model_interfaces(railway::interfaces_of(spec));
  for (std::size_t i = 0; i < spec.wheels.size(); ++i) blueprint.interfaces[i].pose.position = spec.wheels[i].position;
  blueprint.check = [](const std::vector<bool>&, document::Diagnostics&) {};
  blueprint.build = ode_builder<railway::Track>(std::make_shared<const railway::TrackSpec>(spec));
  return blueprint;
}

std::optional<Blueprint> read_aero_component(const model::Component& component, document::Diagnostics& diagnostics) {
  const railway::AeroSpec spec = railway::read_aero(component.content, component.scope, diagnostics);
  Blueprint blueprint;
  blueprint.interfaces = as_model_interfaces({{.name = spec.interface_name,
                                               .domain = core::Domain::mechanical3d,
                                               .causality = core::Causality::takes_motion}});
  blueprint.interfaces.front().pose.position = spec.position;
  blueprint.is_complete = !diagnostics.has_errors();
  if (diagnostics.has_errors()) return blueprint;
  blueprint.check = [](const std::vector<bool>&, document::Diagnostics&) {};
  blueprint.build = ode_builder<railway::Aero>(std::make_shared<const railway::AeroSpec>(spec));
  return blueprint;
}

/// What a program of its own offers is known from its <Interface> elements alone.
std::optional<Blueprint> read_process_component(const model::Component& component, document::Diagnostics& diagnostics) {
  if (component.declared_interfaces.empty()) {
    diagnostics.warning(
        component.declaration.place(),
        fmt::format("component '{}' is a process and declares no <Interface>, so nothing can be connected to it; "
                    "'tieline info' with --component and --write asks the program and adds them",
                    component.name));
  }
  check_process_options(component, diagnostics);
  Blueprint blueprint;
  blueprint.is_program = true;
  blueprint.starts_in_equilibrium = model::options_as<ProcessOptions>(component).starts_at_rest;
  if (!blueprint.starts_in_equilibrium)
    blueprint.equilibrium_obstacle = "it is a program without start=\"equilibrium\"";
  for (const auto& interface : component.declared_interfaces) {
    const bool takes_force = interface.causality == core::Causality::takes_force;
    blueprint.interfaces.push_back({.name = interface.name,
                                    .domain = interface.domain,
                                    .causality = interface.causality,
                                    .pose = interface.pose,
                                    .size = interface.size,
                                    .part = interface.name,
                                    .motion_obstacle = takes_force ? "the program takes force there" : ""});
  }
  blueprint.check = [](const std::vector<bool>&, document::Diagnostics&) {};
  participant::ToolSettings settings{.largest_step = component.settings.largest_step.value_or(0.0),
                                     .exact_step = model::options_as<ProcessOptions>(component).exact_step,
                                     .starts_at_rest = blueprint.starts_in_equilibrium};
  for (const auto& interface : component.declared_interfaces) {
    settings.declared.push_back({.name = interface.name,
                                 .domain = interface.domain,
                                 .causality = interface.causality,
                                 .size = static_cast<std::uint32_t>(interface.size)});
  }
  blueprint.end_frame_obstacle = [](const std::string&) { return std::string(); };
  blueprint.build = [settings](const BuildRequest& request) -> std::unique_ptr<core::Component> {
    participant::ToolSettings own = settings;
    own.name = request.name;
    return std::make_unique<participant::ToolComponent>(std::move(own));
  };
  return blueprint;
}

/// FMUs of one model, each file read once.
ReadComponent fmu_reader() {
  return [shelf = std::make_shared<fmi::FmuShelf>()](const model::Component& component,
                                                     document::Diagnostics& diagnostics) {
    return read_fmu_component(component, *shelf, diagnostics);
  };
}

const std::vector<Kind>& native_kinds() {
  static const std::vector<Kind> kinds{
      {{"network", "A lumped 1-D network: mechanical, hydraulic, electrical and thermal.",
        components::network_grammar()},
       read_network_component},
      {{"blocks", "A block diagram of signals, for controllers.", components::blocks_grammar()}, read_blocks_component},
      {{"multibody", "Rigid bodies and beams in space, with forces and joints.", components::multibody_grammar()},
       read_multibody_component},
      {{"structure", "A linear finite-element structure of beams in space.", components::structure_grammar()},
       read_structure_component},
      {{"track", "A slab track under a train.", railway::track_grammar()}, read_track_component},
      {{"aero", "The flow around a car of a train, by coefficients.", railway::aero_grammar()}, read_aero_component},
      {{.name = std::string(model::kProcessKind),
        .description = "A program that takes part through the plug-in; its interfaces are declared.",
        .own_attributes = process_attributes(),
        .own_elements = {{.rule = model::environment_rule(), .may_repeat = true}},
        .read_options = read_process_options},
       read_process_component},
      {{.name = std::string(model::kFmuKind),
        .description = "An FMU of FMI 1.0, 2.0 or 3.0.",
        .own_elements = fmu_elements(),
        .read_options = read_fmu_options},
       [](const model::Component& component, document::Diagnostics& diagnostics) {
         return fmu_reader()(component, diagnostics);
       },
       false,
       fmu_reader},
  };
  return kinds;
}

/// Kinds that programs add, by name: their order does not depend on who came first.
struct AddedKinds {
  std::mutex adding;  ///< held from the check of a kind until it is there
  std::shared_mutex mutex;
  std::map<std::string, std::unique_ptr<const Kind>, std::less<>> kinds;
};
AddedKinds& added_kinds() {
  static AddedKinds added;
  return added;
}

}  // namespace

std::vector<const Kind*> all_kinds() {
  std::vector<const Kind*> all;
  for (const Kind& kind : native_kinds()) all.push_back(&kind);
  const std::shared_lock lock(added_kinds().mutex);
  for (const auto& [name, kind] : added_kinds().kinds) all.push_back(kind.get());
  return all;
}

const Kind* find_kind(std::string_view name) {
  const auto& kinds = native_kinds();
  const auto native =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.description.name == name; });
  if (native != kinds.end()) return &*native;
  const std::shared_lock lock(added_kinds().mutex);
  const auto found = added_kinds().kinds.find(name);
  return found == added_kinds().kinds.end() ? nullptr : found->second.get();
}

core::Result<void> add_kind(Kind kind) {
  const auto refuse = [](std::string message) {
    return core::Error{.code = core::ErrorCode::bad_input, .message = std::move(message)};
  };
  const std::lock_guard adding(added_kinds().adding);
  const std::string name = kind.description.name;
  if (name == "composite" || find_kind(name) != nullptr) {
    return refuse(fmt::format("a kind with the name '{}' already exists", name));
  }
  const document::Grammar known = model::grammar(kind_descriptions());
  for (const document::ElementRule& rule : kind.description.grammar.rules) {
    if (known.find(rule.name) == nullptr) continue;
    return refuse(fmt::format("kind '{}': the element <{}> already exists in model files", name, rule.name));
  }
  const std::unique_lock lock(added_kinds().mutex);
  added_kinds().kinds.emplace(name, std::make_unique<const Kind>(std::move(kind)));
  return {};
}

std::vector<model::ComponentKind> kind_descriptions() {
  std::vector<model::ComponentKind> descriptions;
  for (const Kind* kind : all_kinds()) descriptions.push_back(kind->description);
  return descriptions;
}

}  // namespace tieline::kinds
