#include "assembly/checked_model.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assembly/connection_figures.hpp"
#include "assembly/relations.hpp"
#include "assembly/signal_loops.hpp"

namespace tieline::assembly {
namespace {

ConnectionFigures figures_of(const CheckedModel& checked, const model::Connection& connection) {
  ConnectionFigures figures;
  if (connection.coupling != model::Coupling::line) return figures;
  if (domain_of(checked, connection) != core::Domain::mechanical3d) {
    figures.line = line_figures(checked, connection, figures.problem);
    return figures;
  }
  figures.spatial = spatial_figures(connection, figures.problem);
  if (figures.spatial) figures.line = figures.spatial->translation;
  return figures;
}

bool knows_all_ends(const model::CompositeModel& model) {
  return std::all_of(model.connections.begin(), model.connections.end(), [](const model::Connection& connection) {
    return connection.from.component >= 0 && connection.to.component >= 0;
  });
}

/// Third-party code runs in a process of its own from the very start, and what is in a group with it. Groups with a
/// program are computed by the master.
bool is_hosted(const CheckedModel& checked, const GroupTree& tree) {
  bool has_isolated = false;
  for (const int component : tree.components()) {
    const auto index = static_cast<std::size_t>(component);
    if (!checked.blueprints[index]) continue;
    if (checked.blueprints[index]->is_program) return false;
    has_isolated = has_isolated || (checked.blueprints[index]->is_isolated_by_default &&
                                    checked.model.components[index].settings.isolate.value_or(true));
  }
  return has_isolated;
}

/// Whether a program by itself has open ends where something is prescribed, which the master draws, or starts under
/// loads that trials find: the master then computes it step by step as it does the members of groups.
bool is_driven_alone(const CheckedModel& checked, const GroupTree& tree) {
  if (tree.kind != GroupTree::Kind::single) return false;
  const auto& blueprint = checked.blueprints[static_cast<std::size_t>(tree.component)];
  if (!blueprint || !blueprint->is_program) return false;
  return blueprint->starts_in_equilibrium ||
         std::any_of(checked.prescribed_ends.begin(), checked.prescribed_ends.end(),
                     [&](const PrescribedEnd& end) { return end.of.component == tree.component; });
}

void form_nodes(CheckedModel& checked, document::Diagnostics& diagnostics) {
  const model::CompositeModel& model = checked.model;
  checked.node_of_component.assign(model.components.size(), -1);
  for (GroupTree& tree : form_groups(model)) {
    if (is_driven_alone(checked, tree)) tree = {.kind = GroupTree::Kind::sampled, .members = {tree}};
    join_loops(model, checked.blueprints, tree, diagnostics);
    Node node{.name = name_of(model, tree), .components = tree.components(), .is_hosted = is_hosted(checked, tree)};
    for (const int component : node.components) {
      checked.node_of_component[static_cast<std::size_t>(component)] = static_cast<int>(checked.nodes.size());
    }
    node.tree = std::move(tree);
    checked.nodes.push_back(std::move(node));
  }
  for (std::size_t i = 0; i < model.connections.size(); ++i) {
    const model::Connection& connection = model.connections[i];
    if (!is_undelayed(connection)) continue;
    const int node = checked.node_of_component[static_cast<std::size_t>(connection.from.component)];
    checked.nodes[static_cast<std::size_t>(node)].links.push_back(static_cast<int>(i));
  }
  // By name, so that the order in the file does not matter.
  for (Node& node : checked.nodes) {
    std::sort(node.links.begin(), node.links.end(), [&](int a, int b) {
      return model.connections[static_cast<std::size_t>(a)].name < model.connections[static_cast<std::size_t>(b)].name;
    });
  }
}

/// Reports orders of steps that contradict each other.
void check_stated_orders(const CheckedModel& checked, document::Diagnostics& diagnostics) {
  const model::CompositeModel& model = checked.model;
  for (const Node& node : checked.nodes) {
    const auto place = [&](int component) {
      return std::find(node.components.begin(), node.components.end(), component) - node.components.begin();
    };
    for (const int link : node.links) {
      const model::Connection& connection = model.connections[static_cast<std::size_t>(link)];
      const auto order = stated_order(connection);
      if (!order || place(order->first) < place(order->second)) continue;
      const auto name = [&](int component) { return model.components[static_cast<std::size_t>(component)].name; };
      diagnostics.error(connection.declaration.place_of("first"),
                        fmt::format("connection '{}' requires '{}' to step before '{}', but the other connections of "
                                    "'{}' together require the opposite order; remove 'first' from one of them",
                                    connection.name, name(order->first), name(order->second), node.name));
    }
  }
}

std::set<std::string> files_of(const model::CompositeModel& model, const document::Diagnostics& diagnostics) {
  std::set<std::string> files;
  for (const std::filesystem::path& file : model.files) files.insert(file.string());
  for (const model::Component& component : model.components) {
    files.insert(component.content_file.string());
    for (const std::filesystem::path& file : component.input_files) files.insert(file.string());
  }
  for (const std::filesystem::path& file : diagnostics.files_read()) files.insert(file.string());
  files.erase("");
  return files;
}

}  // namespace

void work_out(CheckedModel& checked, document::Diagnostics& diagnostics) {
  const auto interfaces = [&](int index) -> model::ComponentInterfaces {
    const auto& blueprint = checked.blueprints[static_cast<std::size_t>(index)];
    if (!blueprint) return {.is_known = false};
    return {.is_known = true, .interfaces = blueprint->interfaces};
  };
  checked.prescribed_ends = prescribed_ends(checked.model, interfaces, diagnostics);
  checked.figures.clear();
  checked.figures.reserve(checked.model.connections.size());
  for (const model::Connection& connection : checked.model.connections) {
    checked.figures.push_back(figures_of(checked, connection));
  }
  checked.relations = connection_relations(checked, diagnostics);
  checked.nodes.clear();
  if (knows_all_ends(checked.model)) form_nodes(checked, diagnostics);
  check_stated_orders(checked, diagnostics);
  checked.files = files_of(checked.model, diagnostics);
}

void keep_in_process(CheckedModel& checked) {
  for (model::Component& component : checked.model.components) {
    component.settings.isolate = false;
    component.settings.sandbox = core::SandboxLevel::no;
  }
  for (Node& node : checked.nodes) node.is_hosted = false;
}

}  // namespace tieline::assembly
