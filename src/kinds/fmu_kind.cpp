#include "kinds/fmu_kind.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <system_error>

#include "components/ode_component.hpp"
#include "core/sampling.hpp"
#include "core/signal_members.hpp"
#include "fmi/cs_component.hpp"
#include "fmi/cs_system.hpp"
#include "fmi/fmu_reader.hpp"
#include "fmi/interface_exchange.hpp"
#include "fmi/launch.hpp"
#include "fmi/me_model.hpp"
#include "fmi/scalar_name.hpp"
#include "kinds/far_component.hpp"
#include "kinds/fmu_options.hpp"

namespace tieline::kinds {
namespace {

fmi::FmuRequest request_of(const model::Component& component) {
  const auto& options = model::options_as<FmuOptions>(component);
  fmi::FmuRequest request{.file = component.content_file,
                          .place = component.declaration.place(),
                          .mode = options.mode,
                          .scheme = options.scheme,
                          .record = options.record,
                          .step = component.settings.step.value_or(0.0),
                          .tolerance = component.settings.tolerance,
                          .effective_mass = options.effective_mass,
                          .is_logging = options.is_logging,
                          .is_visible = options.is_visible};
  for (const model::DeclaredInterface& declared : component.declared_interfaces) {
    request.interfaces.push_back({.name = declared.name,
                                  .domain = declared.domain,
                                  .pose = declared.pose,
                                  .map = options.map_of(declared.name),
                                  .place = declared.declaration.place()});
  }
  for (const StartValue& start : options.starts) {
    request.starts.push_back({start.variable, start.text, start.number, start.place});
  }
  request.used = component.used_interfaces;
  return request;
}

/// The range of a type of whole numbers, and the items of an enumeration.
void set_range(const fmi::Description& description, const fmi::Variable& variable, model::SignalNumber& number) {
  number.is_whole = !fmi::is_float(variable.type);
  if (!number.is_whole) return;
  const auto [least, most] = fmi::range_of(variable.type);
  number.least = least, number.most = most;
  if (variable.type != fmi::Type::enumeration || variable.declared_type == fmi::kNone) return;
  for (const fmi::EnumerationItem& item : description.types[variable.declared_type].items) {
    number.words.emplace_back(item.name, static_cast<double>(item.value));
  }
}

/// What is known of the numbers of a signal; nothing of what is no signal.
std::vector<model::SignalNumber> signal_numbers(const fmi::Description& description, const fmi::InterfaceMap& map) {
  std::vector<model::SignalNumber> numbers;
  for (std::size_t k = 0; k < map.values.size(); ++k) {
    const fmi::Variable& variable = description.variables[map.values[k].variable];
    model::SignalNumber& number = numbers.emplace_back();
    number.is_held = fmi::changes_in_steps(variable);
    number.unit = variable.unit;
    set_range(description, variable, number);
    const std::string own = fmi::scalar_name(description, map.values[k]);
    if (map.values.size() > 1 && own != map.shape.name) number.name = own;
  }
  return numbers;
}

const fmi::InterfaceFacts& facts_of(const fmi::FmuSpec& spec) {
  if (spec.is_model_exchange) return *spec.description->model_exchange;
  return *spec.description->co_simulation;
}

core::Capabilities capabilities_of(const fmi::FmuSpec& spec) {
  const fmi::InterfaceFacts& facts = facts_of(spec);
  // Without memory of its own the states of a model-exchange FMU, which our solver has, are all that there is.
  const bool is_plain =
      spec.is_model_exchange && !facts.can_get_and_set_state && !fmi::keeps_discrete_state(*spec.description);
  core::Capabilities result;
  result.can_snapshot = facts.can_get_and_set_state || is_plain;
  result.can_save_at_save_points = (facts.can_get_and_set_state && facts.can_serialize_state) || is_plain;
  if (!result.can_snapshot) {
    result.snapshot_obstacle = "the FMU cannot save and restore its state (canGetAndSetFMUState)";
  } else if (!result.can_save_at_save_points) {
    result.snapshot_obstacle = "the FMU cannot serialize its state (canSerializeFMUState)";
  }
  return result;
}

/// Which outputs follow which inputs at once, as the FMU declares it.
std::function<Feed(const std::string&, const std::string&)> feed_of(const std::shared_ptr<const fmi::FmuSpec>& spec) {
  std::map<std::string, std::uint32_t> variables;  // by the names of signals' members
  for (const fmi::InterfaceMap& map : spec->interfaces) {
    for (std::size_t k = 0; k < map.values.size(); ++k) {
      variables[core::member_name(map.shape.name, map.shape.size, static_cast<int>(k) + 1)] = map.values[k].variable;
    }
  }
  return [spec, variables](const std::string& input, const std::string& output) {
    const auto in = variables.find(input), out = variables.find(output);
    if (in == variables.end() || out == variables.end()) return Feed::unknown;
    for (const fmi::Unknown& unknown : spec->description->structure.outputs) {
      if (unknown.variable != out->second) continue;
      if (!unknown.dependencies) return Feed::unknown;
      const bool depends =
          std::any_of(unknown.dependencies->begin(), unknown.dependencies->end(),
                      [&](const fmi::Dependency& dependency) { return dependency.variable == in->second; });
      return depends ? Feed::direct : Feed::none;
    }
    return Feed::unknown;
  };
}

/// Triggered clocks that come in, and that nothing ticks.
void warn_of_resting_clocks(const fmi::FmuSpec& spec, const document::Place& place,
                            const std::vector<bool>& is_connected, document::Diagnostics& diagnostics) {
  const bool has_events = spec.is_model_exchange || spec.description->co_simulation->has_event_mode;
  for (std::size_t i = 0; i < spec.interfaces.size() && has_events; ++i) {
    const fmi::InterfaceMap& map = spec.interfaces[i];
    if (map.shape.causality != core::Causality::input || (i < is_connected.size() && is_connected[i])) continue;
    for (const fmi::Scalar& scalar : map.values) {
      const fmi::Variable& variable = spec.description->variables[scalar.variable];
      if (variable.type != fmi::Type::clock) continue;
      diagnostics.warning(place, fmt::format("clock '{}' of the FMU is never activated: what it triggers is not "
                                             "computed; connect an output clock of another FMU to it",
                                             variable.name));
    }
  }
}

/// Of one component; those that say more than this say it at every call.
constexpr int kMostMessages = 1000;

fmi::RunFacts facts_of(const BuildRequest& request) {
  fmi::RunFacts facts{.name = request.name,
                      .stop = request.stop,
                      .tolerance = request.choice.relative_tolerance,
                      .window = request.choice.window_hint};
  if (request.on_message) {
    facts.on_message = [name = request.name, on_message = request.on_message,
                        count = 0](const std::string& line) mutable {
      if (++count <= kMostMessages) on_message(fmt::format("{}: {}", name, line));
      if (count == kMostMessages) on_message(fmt::format("{}: (further messages are not shown)", name));
      count = std::min(count, kMostMessages + 1);
    };
  }
  return facts;
}

/// Steps of a run for which nobody states one.
constexpr double kStepsWithoutStates = 1000.0;

/// Without states nothing limits the steps of a solver, and whatever the FMU does between them would be missed: its
/// default experiment does, or else a share of the run.
components::SolverChoice choice_of(const fmi::FmuSpec& spec, const BuildRequest& request, const fmi::RunFacts& facts) {
  components::SolverChoice choice = request.choice;
  if (!spec.description->structure.derivatives.empty() || std::isfinite(choice.largest_step)) return choice;
  const auto& suggested = spec.description->experiment.step_size;
  if (suggested && *suggested > 0.0) {
    choice.largest_step = *suggested;
  } else if (request.stop > request.start) {
    choice.largest_step = (request.stop - request.start) / kStepsWithoutStates;
    if (facts.on_message) {
      facts.on_message(
          fmt::format("note: the FMU has no states and suggests no step; it is evaluated every {:g} s (set "
                      "largest_step to change it)",
                      choice.largest_step));
    }
  }
  return choice;
}

/// Interfaces are where connections in space end.
std::shared_ptr<const fmi::FmuSpec> with_arms(fmi::FmuSpec spec, const std::vector<Blueprint::EndFrame>& ends) {
  for (const Blueprint::EndFrame& end : ends) {
    for (fmi::InterfaceMap& map : spec.interfaces) {
      if (map.shape.name == end.interface) map.arm = core::RigidArm(end.pose);
    }
  }
  return std::make_shared<const fmi::FmuSpec>(std::move(spec));
}

/// A force at a lever is a torque as well, which has to reach the FMU.
std::string obstacle_of_arm(const fmi::FmuSpec& spec, const std::string& interface) {
  for (const fmi::InterfaceMap& map : spec.interfaces) {
    if (map.shape.name != interface) continue;
    if (map.takes_wave())
      return "the FMU has the law of a line inside, which holds at its own frame; expected an interface there, or an "
             "FMU "
             "that takes force";
    if (map.torque.empty()) return "its FMU has no torque there, which a force at another point amounts to";
    if (map.orientation.empty())
      return "its FMU reports no orientation there, so that nobody knows where another frame is";
  }
  return "";
}

}  // namespace

std::optional<Blueprint> read_fmu_component(const model::Component& component, fmi::FmuShelf& shelf,
                                            document::Diagnostics& diagnostics) {
  if (!component.has_own_file) {
    diagnostics.error(component.declaration.place(),
                      fmt::format("component '{}' is an FMU and has no file: state file=\"NAME.fmu\"", component.name));
    return std::nullopt;
  }
  std::error_code failure;
  if (!std::filesystem::exists(component.content_file, failure)) return std::nullopt;  // reported with its place
  diagnostics.reads(component.content_file);
  auto read = fmi::read_fmu(request_of(component), shelf, diagnostics);
  if (!read) return std::nullopt;
  const auto spec = std::make_shared<const fmi::FmuSpec>(std::move(*read));
  Blueprint blueprint;
  std::vector<core::InterfaceShape> shapes;
  const std::size_t declared = component.declared_interfaces.size();
  for (const fmi::InterfaceMap& map : spec->interfaces) {
    const bool takes_force = map.shape.causality == core::Causality::takes_force;
    blueprint.interfaces.push_back({.name = map.shape.name,
                                    .domain = map.shape.domain,
                                    .causality = map.shape.causality,
                                    .pose = map.pose,
                                    .size = map.shape.size,
                                    .part = map.shape.name,
                                    .motion_obstacle = takes_force ? "the FMU takes force there" : "",
                                    .is_undeclared = blueprint.interfaces.size() >= declared,
                                    .starts = fmi::stated_starts(*spec, map),
                                    .numbers = signal_numbers(*spec->description, map)});
    shapes.push_back(map.shape);
  }
  blueprint.check = [spec, place = component.declaration.place()](const std::vector<bool>& is_connected,
                                                                  document::Diagnostics& found) {
    warn_of_resting_clocks(*spec, place, is_connected, found);
  };
  if (facts_of(*spec).can_be_instantiated_only_once_per_process) blueprint.once_per_process = component.content_file;
  const auto& options = model::options_as<FmuOptions>(component);
  const bool extrapolates = options.inputs == "linear";
  // Of co-simulation no states can be set: the loads that keep it where it starts are found by steps that are taken
  // back.
  const bool can_try = spec->is_model_exchange || facts_of(*spec).can_get_and_set_state;
  blueprint.starts_in_equilibrium = options.start == "equilibrium" && can_try;
  if (!blueprint.starts_in_equilibrium)
    blueprint.equilibrium_obstacle = "it starts as its FMU says, without start=\"equilibrium\" in its <Fmu>";
  if (options.start == "equilibrium" && !can_try) {
    diagnostics.error(
        component.declaration.place(),
        fmt::format("component '{}' cannot start in equilibrium: it is an FMU for co-simulation that "
                    "cannot save and restore its state (canGetAndSetFMUState), so that no steps can be "
                    "tried; expected {}an FMU that starts at rest by itself",
                    component.name, spec->description->model_exchange ? "mode=\"model_exchange\", or " : ""));
  }
  const auto schedule = core::schedule_from_name(options.schedule).value_or(core::Schedule::furthest_behind);
  blueprint.end_frame_obstacle = [spec](const std::string& interface) { return obstacle_of_arm(*spec, interface); };
  blueprint.build = [spec, extrapolates, schedule, in_equilibrium = blueprint.starts_in_equilibrium](
                        const BuildRequest& request) -> std::unique_ptr<core::Component> {
    const auto own = request.end_frames.empty() ? spec : with_arms(*spec, request.end_frames);
    if (own->is_model_exchange) {
      std::vector<fmi::MeMember> members;
      members.push_back({*own, request.placement, facts_of(request), in_equilibrium});
      const components::SolverChoice choice = choice_of(*own, request, members.front().facts);
      auto equations = std::make_unique<fmi::MeModel>(std::move(members));
      return std::make_unique<components::OdeComponent>(request.name, std::move(equations), choice);
    }
    // Its steps follow the laws of ports where there are any.
    if (!request.has_signals_only) {
      auto made = std::make_unique<fmi::CsComponent>(*own, request.placement, facts_of(request));
      if (in_equilibrium) made->start_at_rest();
      return made;
    }
    std::vector<fmi::CsPart> parts;
    parts.push_back({*own, request.placement, facts_of(request), extrapolates, schedule});
    return std::make_unique<fmi::CsSystem>(request.name, std::move(parts));
  };
  blueprint.feed = feed_of(spec);
  blueprint.schedule = options.schedule;
  blueprint.is_isolated_by_default = true;
  blueprint.starts_programs = facts_of(*spec).needs_execution_tool;
  blueprint.unpack = [spec] { return fmi::unpack(*spec); };
  blueprint.joining = spec->is_model_exchange ? Joining::equations : Joining::steps;
  blueprint.build_far = [spec, shapes](const std::string& name) -> std::unique_ptr<core::Component> {
    return std::make_unique<FarComponent>(name, shapes, fmi::columns_of(*spec, core::InterfaceSet(shapes)),
                                          capabilities_of(*spec));
  };
  return blueprint;
}

}  // namespace tieline::kinds
