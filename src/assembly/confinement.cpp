#include "assembly/confinement.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tieline::assembly {

using core::SandboxLevel;

SandboxLevel sandbox_of(const CheckedModel& checked, int component, SandboxLevel least) {
  const auto index = static_cast<std::size_t>(component);
  const auto& blueprint = checked.blueprints[index];
  if (!blueprint || !(blueprint->is_program || blueprint->is_isolated_by_default)) return SandboxLevel::no;
  const SandboxLevel usual = blueprint->is_program ? SandboxLevel::no : SandboxLevel::standard;
  return std::max(least, checked.model.components[index].settings.sandbox.value_or(usual));
}

SandboxLevel sandbox_of(const CheckedModel& checked, std::span<const int> components, SandboxLevel least) {
  SandboxLevel strictest = SandboxLevel::no;
  for (const int component : components) strictest = std::max(strictest, sandbox_of(checked, component, least));
  return strictest;
}

void refuse_impossible_sandboxes(const CheckedModel& checked, SandboxLevel least, document::Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < checked.model.components.size(); ++i) {
    const model::Component& component = checked.model.components[i];
    if (!checked.blueprints[i] || !checked.blueprints[i]->is_isolated_by_default) continue;
    const SandboxLevel level = sandbox_of(checked, static_cast<int>(i), least);
    const bool is_here = !component.settings.isolate.value_or(true);
    const bool is_demanded = component.settings.sandbox.has_value() || least != SandboxLevel::no;
    if (is_here && is_demanded && level != SandboxLevel::no) {
      diagnostics.error(component.declaration.place(),
                        fmt::format("the FMU '{}' cannot have sandbox=\"{}\", because isolate=\"false\" runs it in the "
                                    "main program; remove isolate=\"false\", or choose sandbox=\"no\"",
                                    component.name, core::name_of(level)));
    } else if (level == SandboxLevel::strict && checked.blueprints[i]->starts_programs) {
      diagnostics.error(component.declaration.place(),
                        fmt::format("the FMU '{}' starts the tool that exported it (needsExecutionTool), which "
                                    "sandbox=\"strict\" does not allow; choose sandbox=\"standard\"",
                                    component.name));
    }
  }
}

}  // namespace tieline::assembly
