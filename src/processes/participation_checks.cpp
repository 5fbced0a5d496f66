// What other processes cannot compute, or cannot record, and why.

#include <algorithm>
#include <fmt/format.h>

#include "assembly/confinement.hpp"
#include "kinds/registry.hpp"
#include "processes/participation.hpp"

namespace tieline::processes {

void Participation::refuse_strict_beside_tcp(document::Diagnostics& diagnostics) const {
  const auto over_network = [](const Member& member) { return member.streams->attachments_each() == 0; };
  const auto other = std::find_if(members_.begin(), members_.end(), over_network);
  if (other == members_.end()) return;
  for (const Member& member : members_) {
    if (assembly::sandbox_of(checked_, member.components, options_.sandbox) != core::SandboxLevel::strict) continue;
    const auto& component = checked_.model.components[static_cast<std::size_t>(member.components.front())];
    diagnostics.error(component.declaration.place(),
                      fmt::format("'{}' has sandbox=\"strict\", which allows no network, but '{}' uses the transport "
                                  "'{}'; use shared_memory for all",
                                  member.name, other->name, other->streams->name()));
  }
}

void Participation::refuse_local_kinds(const std::vector<int>& own, document::Diagnostics& diagnostics) const {
  for (const int i : own) {
    const model::Component& component = checked_.model.components[static_cast<std::size_t>(i)];
    const kinds::Kind* const kind = kinds::find_kind(component.kind);
    if (kind == nullptr || !kind->is_local) continue;
    diagnostics.error(
        component.declaration.place(),
        fmt::format("component '{}' cannot be computed by another process: its kind '{}' is known only to this "
                    "program; do not isolate it or a component of its group, and do not record its tracks",
                    component.name, component.kind));
  }
}

void Participation::refuse_fmus_beside_tools(const std::vector<int>& own, document::Diagnostics& diagnostics) const {
  for (const int i : own) {
    const model::Component& component = checked_.model.components[static_cast<std::size_t>(i)];
    const bool is_isolated = checked_.blueprints[static_cast<std::size_t>(i)]->is_isolated_by_default;
    if (!is_isolated || !component.settings.isolate.value_or(true)) continue;
    diagnostics.error(component.declaration.place(),
                      fmt::format("the FMU '{}' is in one group with a program, which is computed here, and cannot run "
                                  "in its own process; set isolate=\"false\", or connect them by a line",
                                  component.name));
  }
}

std::set<int> Participation::recorded_nodes(document::Diagnostics& diagnostics) const {
  std::set<int> nodes;
  const auto& components = checked_.model.components;
  for (const std::string& name : options_.recorded) {
    const auto found = std::find_if(components.begin(), components.end(),
                                    [&](const model::Component& component) { return component.name == name; });
    if (found == components.end()) {
      std::vector<std::string> names;
      for (const model::Component& component : components) names.push_back(component.name);
      diagnostics.error({checked_.model.file.string(), 0, 0},
                        fmt::format("there is no component '{}' whose tracks could be recorded{}", name,
                                    document::suggestion(name, names)));
      continue;
    }
    const int index = checked_.node_of_component[static_cast<std::size_t>(found - components.begin())];
    const assembly::Node& node = checked_.nodes[static_cast<std::size_t>(index)];
    const std::vector<int>& own = node.components;
    const auto tool = std::find_if(own.begin(), own.end(), [&](int i) { return is_program(i); });
    if (tool == own.end() || node.tree.kind == assembly::GroupTree::Kind::single) {
      nodes.insert(index);
      continue;
    }
    diagnostics.error(
        found->declaration.place(),
        fmt::format(
            "the tracks of component '{}' cannot be recorded: with the program '{}' it is in the group '{}', which "
            "is computed step by step, and not through links",
            name, components[static_cast<std::size_t>(*tool)].name, node.name));
  }
  return nodes;
}

}  // namespace tieline::processes
