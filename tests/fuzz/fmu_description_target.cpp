#include "fmi/description.hpp"
#include "fmi/description_parts.hpp"
#include "fmi/schema_check.hpp"
#include "fuzz/targets.hpp"

namespace tieline::fuzz {
namespace {

void check_unknowns(const fmi::Description& description, const std::vector<fmi::Unknown>& unknowns) {
  const std::size_t count = description.variables.size();
  for (const fmi::Unknown& unknown : unknowns) {
    if (unknown.variable >= count) __builtin_trap();
    if (!unknown.dependencies) continue;
    for (const fmi::Dependency& dependency : *unknown.dependencies) {
      if (dependency.variable >= count) __builtin_trap();
    }
  }
}

/// Whatever was read, every index leads somewhere, and there are as many start values as elements.
void check_description(const fmi::Description& description) {
  const auto is_index = [](std::uint32_t index, std::size_t count) { return index == fmi::kNone || index < count; };
  const std::size_t count = description.variables.size();
  for (const fmi::Variable& variable : description.variables) {
    if (!is_index(variable.derivative_of, count) || !is_index(variable.previous, count)) __builtin_trap();
    if (!is_index(variable.declared_type, description.types.size())) __builtin_trap();
    if (!is_index(variable.clock, description.clocks.size())) __builtin_trap();
    if ((variable.clock != fmi::kNone) != (variable.type == fmi::Type::clock)) __builtin_trap();
    if (!(variable.min <= variable.max) || !(variable.nominal > 0.0)) __builtin_trap();
    const std::size_t values = fmi::count_of(variable.start);
    if (variable.has_start() && values != 1 && values != variable.element_count()) __builtin_trap();
    for (const std::uint32_t clock : variable.clocks) {
      if (clock >= count || description.variables[clock].type != fmi::Type::clock) __builtin_trap();
    }
    if (description.find(variable.name) == nullptr) __builtin_trap();
    if (variable.element_count() < 1000) (void)description.scalars_of(variable.name + "[1]");
  }
  const fmi::ModelStructure& structure = description.structure;
  for (const auto* list : {&structure.outputs, &structure.derivatives, &structure.discrete_states,
                           &structure.initial_unknowns, &structure.event_indicators}) {
    check_unknowns(description, *list);
  }
}

}  // namespace

void read_fmu_description(std::string_view input) {
  document::Diagnostics diagnostics;
  const auto description = fmi::read_description(std::string(input), "modelDescription.xml", diagnostics);
  document::Diagnostics broken;
  fmi::check_description_rules(std::string(input), broken);
  // It is read, or a reason is reported.
  if (description.has_value() == diagnostics.has_errors()) __builtin_trap();
  if (description) check_description(*description);
  fmi::Description known;
  known.variables.resize(2);
  known.variables[0].name = "h";
  known.variables[1].name = "v";
  known.index_names();
  // Terminals are never a reason to refuse an FMU.
  document::Diagnostics findings;
  fmi::read_terminals(std::string(input), "terminalsAndIcons.xml", known, findings);
  if (findings.has_errors()) __builtin_trap();
  (void)diagnostics.describe();
}

}  // namespace tieline::fuzz
