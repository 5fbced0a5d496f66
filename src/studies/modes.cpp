#include "studies/modes.hpp"

#include <fmt/format.h>

#include "kinds/registry.hpp"

namespace tieline::studies {

std::optional<std::vector<ComponentModes>> natural_modes(const assembly::CheckedModel& checked, int count,
                                                         const std::string& component,
                                                         document::Diagnostics& diagnostics) {
  std::vector<ComponentModes> result;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < checked.model.components.size(); ++i) {
    const model::Component& of = checked.model.components[i];
    names.push_back(of.name);
    if (!component.empty() && of.name != component) continue;
    ComponentModes& modes_of_component = result.emplace_back();
    modes_of_component.name = of.name;
    modes_of_component.kind = of.kind;
    const kinds::Blueprint& blueprint = *checked.blueprints[i];
    if (blueprint.build_far) continue;  // third-party code is not run for this
    const auto built = blueprint.build(
        {.name = of.name, .choice = {.fixed_step = of.settings.step.value_or(0.0)}, .placement = of.placement});
    if (auto* const vibrating = dynamic_cast<core::Vibrating*>(built.get())) {
      modes_of_component.modes = vibrating->natural_modes(count);
    }
  }
  if (!component.empty() && result.empty()) {
    diagnostics.error({checked.model.file.string(), 0, 0},
                      fmt::format("there is no component '{}'{}", component, document::suggestion(component, names)));
    return std::nullopt;
  }
  return result;
}

}  // namespace tieline::studies
