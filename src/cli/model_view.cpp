#include "cli/model_view.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "assembly/assembly.hpp"
#include "assembly/connection_figures.hpp"
#include "cli/console.hpp"
#include "cli/settings.hpp"
#include "core/command_line.hpp"
#include "kinds/launch_plan.hpp"
#include "kinds/process_options.hpp"
#include "kinds/registry.hpp"
#include "model/site.hpp"
#include "report/diagram.hpp"

namespace tieline::cli {
namespace {

using assembly::CheckedModel;

std::size_t port_index(const CheckedModel& checked, const model::Endpoint& end) {
  const auto& blueprint = checked.blueprints[static_cast<std::size_t>(end.component)];
  return static_cast<std::size_t>(assembly::part_at(checked, end).interface - blueprint->interfaces.data());
}

report::EdgeStyle style_of(model::Coupling coupling) {
  switch (coupling) {
    case model::Coupling::line:
      return report::EdgeStyle::line;
    case model::Coupling::sampled:
      return report::EdgeStyle::sampled;
    case model::Coupling::glue:
      return report::EdgeStyle::glue;
    case model::Coupling::signal:
      break;
  }
  return report::EdgeStyle::signal;
}

/// Every file that reading the model opens, and those that its components say they will read.
std::vector<std::filesystem::path> files_of(const model::CompositeModel& model,
                                            const document::Diagnostics& diagnostics) {
  const auto read = diagnostics.files_read();
  std::vector<std::filesystem::path> files(read.begin(), read.end());
  const auto add = [&](const std::filesystem::path& file) {
    if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  };
  for (const model::Component& component : model.components) {
    if (component.has_own_file) add(component.content_file);
    for (const auto& file : component.input_files) add(file);
    add(component.icon);
    add(component.geometry);
  }
  return files;
}

/// Tells what a run of the model would start here. Where no site file says how tools are started, a tool that one
/// should know is no error: the model may be meant for another machine.
void show_launches(const CheckedModel& checked, const std::filesystem::path& stated_site,
                   document::Diagnostics& diagnostics) {
  const auto is_program = [](const auto& blueprint) { return blueprint && blueprint->is_program; };
  if (std::none_of(checked.blueprints.begin(), checked.blueprints.end(), is_program) && stated_site.empty()) return;
  const std::size_t errors = diagnostics.error_count();
  const model::Site site = model::load_site(stated_site, diagnostics);
  if (diagnostics.error_count() > errors) return;
  for (std::size_t i = 0; i < checked.model.components.size(); ++i) {
    if (!is_program(checked.blueprints[i])) continue;
    const model::Component& component = checked.model.components[i];
    document::Diagnostics problems;
    const auto plan = kinds::launch_plan(checked.model.simulation, component, site, {}, problems);
    for (const auto& problem : problems.all()) {
      if (site.file.empty() && model::options_as<kinds::ProcessOptions>(component).command.empty())
        diagnostics.warning(problem.place, problem.message);
      else
        diagnostics.error(problem.place, problem.message);
    }
    if (!plan) continue;
    if (plan->is_awaited()) {
      fmt::print("awaits {}\n", component.name);
    } else {
      fmt::print("starts {}: {} (in {})\n", component.name, core::join_command(plan->command), plan->folder.string());
    }
  }
}

}  // namespace

int show_model(const std::filesystem::path& file) {
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(file, {}, diagnostics);
  if (!checked) return complain_of_model(diagnostics.describe());
  const model::CompositeModel& model = checked->model;
  fmt::print("Composite model '{}' ({})\n", model.name, file.string());
  if (!model.description.empty()) fmt::print("{}\n", model.description);
  if (!model.parameters.empty()) fmt::print("\nParameters\n");
  for (const auto& p : model.parameters) {
    fmt::print("  {:<20} {:>14.6g} {:<8} {}\n", p.name, p.value, p.unit, p.description);
  }
  fmt::print("\nComponents\n");
  for (std::size_t i = 0; i < model.components.size(); ++i) {
    const model::Component& c = model.components[i];
    fmt::print("  {:<20} {}, solver {}\n", c.name, c.kind, c.settings.solver.value_or("auto"));
    if (!checked->blueprints[i]) continue;
    for (const auto& interface : checked->blueprints[i]->interfaces) {
      const bool is_signal = interface.domain == core::Domain::signal;
      const std::string size = interface.size == 1 ? ""
                               : is_signal         ? fmt::format(" of size {}", interface.size)
                                                   : fmt::format(", {} points", interface.size);
      fmt::print("    {:<18} {}{}{}{}\n", interface.name, core::names_of(interface.domain).domain,
                 is_signal ? " " : ", takes ", core::name_of(interface.causality), size);
    }
  }
  if (!model.connections.empty()) fmt::print("\nConnections\n");
  for (std::size_t i = 0; i < model.connections.size(); ++i) {
    const model::Connection& connection = model.connections[i];
    fmt::print("  {:<20} {} {} {}\n", connection.name, model.describe(connection.from),
               connection.coupling == model::Coupling::signal ? "->" : "--", model.describe(connection.to));
    fmt::print("    {}\n", assembly::describe_connection(*checked, i));
  }
  fmt::print("\nFiles\n");
  for (const auto& path : files_of(model, diagnostics)) fmt::print("  {}\n", path.string());
  fmt::print("\nSimulation from {:g} s to {:g} s\n", model.simulation.start, model.simulation.stop);
  if (diagnostics.has_errors())
    fmt::print("\nThe model has {}: see `tieline check {}`.\n", count(diagnostics.error_count(), "error"),
               file.string());
  return diagnostics.has_errors() ? kBadInput : kDone;
}

int check(const CheckArguments& arguments) {
  if (!takes_mode(arguments.model, arguments.mode)) return kUsage;
  std::vector<model::Override> overrides;
  for (const auto& [name, value] : parse_settings(arguments.set, arguments.mode)) overrides.push_back({name, value});
  document::Diagnostics diagnostics;
  auto checked = assembly::check_model(arguments.model, overrides, diagnostics);
  // Building finds what reading cannot: schedules that disagree, windows longer than delays.
  if (checked && !diagnostics.has_errors()) (void)assembly::assemble(*checked, {}, diagnostics);
  if (checked) {
    for (const auto& path : files_of(checked->model, diagnostics)) fmt::print("reads {}\n", path.string());
    show_launches(*checked, arguments.site, diagnostics);
  }
  fmt::print("{}{}: {}, {}\n", diagnostics.describe(), arguments.model.string(),
             count(diagnostics.error_count(), "error"), count(diagnostics.warning_count(), "warning"));
  return diagnostics.has_errors() ? kBadInput : kDone;
}

int draw_diagram(const PlotArguments& arguments) {
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(arguments.source, {}, diagnostics);
  if (!checked || diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  const model::CompositeModel& model = checked->model;
  report::Diagram diagram;
  diagram.title = arguments.title.empty() ? model.name : arguments.title;
  for (std::size_t i = 0; i < model.components.size(); ++i) {
    const model::Component& c = model.components[i];
    report::DiagramNode node{.label = c.name, .kind = c.kind};
    for (const auto& interface : checked->blueprints[i]->interfaces) node.ports.push_back(interface.name);
    if (c.diagram_x && c.diagram_y) node.position = report::DiagramPosition{*c.diagram_x, *c.diagram_y};
    diagram.nodes.push_back(std::move(node));
  }
  for (const model::Connection& connection : model.connections) {
    const bool is_named = connection.declaration.has("name");
    diagram.edges.push_back({static_cast<std::size_t>(connection.from.component), port_index(*checked, connection.from),
                             static_cast<std::size_t>(connection.to.component), port_index(*checked, connection.to),
                             is_named ? connection.name : "", style_of(connection.coupling)});
  }
  const std::filesystem::path named = arguments.out.empty() ? "diagram.svg" : arguments.out;
  const auto out = output_file(named);
  if (!out) return complain(out.error().describe());
  if (auto written = report::write_diagram(diagram, *out); !written) return complain(written.error().describe());
  fmt::print("{}\n", named.string());
  return kDone;
}

int schema(bool as_reference) {
  const auto descriptions = kinds::kind_descriptions();
  fmt::print("{}", as_reference ? model::reference(descriptions) : model::schema(descriptions));
  return kDone;
}

}  // namespace tieline::cli
