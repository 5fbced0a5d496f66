#include "tieline/fmu.hpp"

#include "api/errors.hpp"
#include "fmi/description.hpp"
#include "fmi/fmu_file.hpp"
#include "participant/sandbox.hpp"

namespace tieline {

static_assert(static_cast<int>(FmuCausality::independent) == static_cast<int>(fmi::Causality::independent));
static_assert(static_cast<int>(FmuVariability::continuous) == static_cast<int>(fmi::Variability::continuous));

namespace {

void copy_abilities(const fmi::InterfaceFacts& facts, FmuAbilities& abilities) {
  abilities.can_get_and_set_state = facts.can_get_and_set_state;
  abilities.can_serialize_state = facts.can_serialize_state;
  abilities.provides_directional_derivatives = facts.provides_directional_derivatives;
  abilities.provides_adjoint_derivatives = facts.provides_adjoint_derivatives;
  abilities.needs_execution_tool = facts.needs_execution_tool;
  abilities.can_be_instantiated_only_once_per_process = facts.can_be_instantiated_only_once_per_process;
}

FmuModelExchange model_exchange_of(const fmi::Description& description) {
  FmuModelExchange result;
  copy_abilities(*description.model_exchange, result);
  for (const auto& unknown : description.structure.derivatives) {
    result.states += unknown.variable == fmi::kNone ? 1 : description.variables[unknown.variable].element_count();
  }
  result.event_indicators = description.event_indicator_count;
  return result;
}

FmuCoSimulation co_simulation_of(const fmi::CoSimulationFacts& facts) {
  FmuCoSimulation result;
  copy_abilities(facts, result);
  result.can_handle_variable_step_size = facts.can_handle_variable_step_size;
  result.can_interpolate_inputs = facts.can_interpolate_inputs;
  result.max_output_derivative_order = facts.max_output_derivative_order;
  result.fixed_internal_step_size = facts.fixed_internal_step_size;
  result.has_event_mode = facts.has_event_mode;
  result.provides_intermediate_update = facts.provides_intermediate_update;
  result.might_return_early_from_do_step = facts.might_return_early_from_do_step;
  return result;
}

FmuVariable variable_of(const fmi::Description& description, const fmi::Variable& variable) {
  FmuVariable result{.name = variable.name,
                     .description = variable.description,
                     .unit = variable.unit,
                     .type = std::string(fmi::name_of(variable.type)),
                     .causality = static_cast<FmuCausality>(variable.causality),
                     .variability = static_cast<FmuVariability>(variable.variability),
                     .start = variable.start};
  if (variable.declared_type != fmi::kNone) result.declared_type = description.types[variable.declared_type].name;
  for (const fmi::Dimension& dimension : variable.dimensions) result.dimensions.push_back(dimension.size);
  return result;
}

FmuTerminal terminal_of(const fmi::Description& description, const fmi::Terminal& terminal) {
  const auto name = [&](std::uint32_t variable) {
    return variable == fmi::kNone ? std::string("?") : description.variables[variable].name;
  };
  FmuTerminal result{.name = terminal.name, .kind = terminal.kind, .matching_rule = terminal.matching_rule};
  for (const auto& member : terminal.members) {
    result.members.push_back({member.name, name(member.variable), member.kind});
  }
  for (const auto& stream : terminal.streams) {
    result.streams.push_back(
        {stream.inflow_name, name(stream.inflow_variable), stream.outflow_name, name(stream.outflow_variable)});
  }
  for (const auto& inner : terminal.terminals) result.terminals.push_back(terminal_of(description, inner));
  return result;
}

}  // namespace

bool is_fmu(const std::filesystem::path& path) { return fmi::looks_like_fmu(path); }

FmuInfo describe_fmu(const std::filesystem::path& path) {
  document::Diagnostics diagnostics;
  auto archive = fmi::open_fmu(path, diagnostics);
  const auto read = archive ? fmi::read_description(*archive, diagnostics) : std::nullopt;
  if (!read) api::throw_model_error(diagnostics);
  FmuInfo info{.model_name = read->model_name,
               .description = read->description,
               .fmi_version = read->version_text,
               .generation_tool = read->generation_tool,
               .generation_time = read->generation_time,
               .model_version = read->model_version,
               .author = read->author,
               .copyright = read->copyright,
               .license = read->license,
               .has_scheduled_execution = read->has_scheduled_execution,
               .experiment = {read->experiment.start_time, read->experiment.stop_time, read->experiment.step_size,
                              read->experiment.tolerance}};
  if (read->model_exchange) info.model_exchange = model_exchange_of(*read);
  if (read->co_simulation) info.co_simulation = co_simulation_of(*read->co_simulation);
  for (const fmi::Platform& platform : fmi::platforms_of(*archive)) info.platforms.push_back(platform.name);
  info.variables.reserve(read->variables.size());
  for (const fmi::Variable& variable : read->variables) info.variables.push_back(variable_of(*read, variable));
  for (const fmi::TypeDefinition& type : read->types) {
    if (type.items.empty()) continue;
    auto& items = info.enumerations[type.name];
    for (const auto& item : type.items) items.push_back({item.name, item.value});
  }
  for (const fmi::Terminal& terminal : read->terminals) info.terminals.push_back(terminal_of(*read, terminal));
  info.sandbox = participant::describe_sandbox(core::SandboxLevel::standard);
  info.problems = api::problems_of(diagnostics);
  return info;
}

}  // namespace tieline
