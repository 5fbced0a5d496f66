#include "cli/model_view.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "tieline/simulation.hpp"

#include "cli/settings.hpp"
#include "report/diagram.hpp"
#include "results/reader.hpp"
#include "results/run_report.hpp"
#include "simulation/assembly.hpp"
#include "simulation/connection_figures.hpp"

namespace tieline::cli {
namespace {

using simulation::CheckedModel;

int complain(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return kBadInput;
}

int port_index(const CheckedModel& checked, const model::Endpoint& end) {
  const auto& blueprint = checked.blueprints[static_cast<std::size_t>(end.component)];
  const auto& interfaces = blueprint->interfaces;
  return static_cast<int>(
      std::find_if(interfaces.begin(), interfaces.end(), [&](const auto& i) { return i.name == end.interface; }) -
      interfaces.begin());
}

int show_model(const std::filesystem::path& file) {
  document::Diagnostics diagnostics;
  const auto checked = simulation::check_model(file, {}, diagnostics);
  if (!checked) return complain(diagnostics.describe());
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
      fmt::print("    {:<18} {}{}{}\n", interface.name, core::names_of(interface.domain).domain,
                 is_signal ? " " : ", takes ", core::name_of(interface.causality));
    }
  }
  if (!model.connections.empty()) fmt::print("\nConnections\n");
  for (const model::Connection& connection : model.connections) {
    fmt::print("  {:<20} {} {} {}\n", connection.name, model.describe(connection.from),
               connection.coupling == model::Coupling::signal ? "->" : "--", model.describe(connection.to));
    fmt::print("    {}\n", simulation::describe_connection(*checked, connection));
  }
  fmt::print("\nSimulation from {:g} s to {:g} s\n", model.simulation.start, model.simulation.stop);
  if (diagnostics.has_errors())
    fmt::print("\nThe model has {} errors: see `tieline check`.\n", diagnostics.error_count());
  return diagnostics.has_errors() ? kBadInput : kDone;
}

int show_results(const std::filesystem::path& source) {
  const auto folder = std::filesystem::is_directory(source) ? source : source.parent_path();
  if (const auto report = results::read_report(folder / results::kReportFileName)) {
    fmt::print("Run of '{}': {}, t = {:g} s of {:g} s, {:.3g} s wall time\n", report->model,
               results::name_of(report->outcome), report->reached, report->stop, report->wall_seconds);
    if (report->error) fmt::print("{}\n", report->error->describe());
    for (const std::string& warning : report->warnings) fmt::print("warning: {}\n", warning);
    fmt::print("\n{}\n", results::statistics_table(*report));
  } else {
    fmt::print("There is no readable report.json: the run goes on, or was killed.\n");
  }
  auto reader = results::ResultReader::open(source);
  if (!reader) return complain(reader.error().describe());
  fmt::print("Variables\n");
  for (std::size_t i = 0; i < reader->tables().size(); ++i) {
    const results::TableInfo& table = reader->tables()[i];
    const auto rows = reader->rows(i);
    fmt::print("  {} ({} rows)\n", table.owner, rows ? *rows : 0);
    for (const core::Column& column : table.columns)
      fmt::print("    {}.{} [{}]\n", table.owner, column.name, column.unit.empty() ? "-" : column.unit);
  }
  return kDone;
}

}  // namespace

bool is_result_source(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) || path.extension() == ".h5";
}

int info(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file))
    return complain(fmt::format("tieline: there is no file or folder '{}'", file.string()));
  return is_result_source(file) ? show_results(file) : show_model(file);
}

int check(const std::filesystem::path& file, const std::vector<std::string>& set) {
  std::vector<model::Override> overrides;
  try {
    for (const auto& [name, value] : parse_settings(set)) overrides.push_back({name, value});
  } catch (const ModelError& error) {
    return complain(error.what());
  }
  document::Diagnostics diagnostics;
  auto checked = simulation::check_model(file, overrides, diagnostics);
  // Building finds what reading cannot: schedules that disagree, windows longer than delays.
  if (checked && !diagnostics.has_errors()) (void)simulation::assemble(*checked, std::nullopt, diagnostics);
  fmt::print("{}", diagnostics.describe());
  fmt::print("{}: {} errors, {} warnings\n", file.string(), diagnostics.error_count(), diagnostics.warning_count());
  return diagnostics.has_errors() ? kBadInput : kDone;
}

int draw_diagram(const PlotArguments& arguments) {
  document::Diagnostics diagnostics;
  const auto checked = simulation::check_model(arguments.source, {}, diagnostics);
  if (!checked || diagnostics.has_errors()) return complain(diagnostics.describe());
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
    const auto style = connection.coupling == model::Coupling::line      ? report::EdgeStyle::line
                       : connection.coupling == model::Coupling::sampled ? report::EdgeStyle::sampled
                                                                         : report::EdgeStyle::signal;
    const bool is_named = connection.declaration.has("name");
    diagram.edges.push_back({static_cast<std::size_t>(connection.from.component),
                             static_cast<std::size_t>(port_index(*checked, connection.from)),
                             static_cast<std::size_t>(connection.to.component),
                             static_cast<std::size_t>(port_index(*checked, connection.to)),
                             is_named ? connection.name : "", style});
  }
  const std::filesystem::path out = arguments.out.empty() ? "diagram.svg" : arguments.out;
  if (auto written = report::write_diagram(diagram, out); !written) return complain(written.error().describe());
  fmt::print("{}\n", out.string());
  return kDone;
}

int schema(bool as_reference) {
  const auto kinds = simulation::kind_descriptions();
  fmt::print("{}", as_reference ? model::reference(kinds) : model::schema(kinds));
  return kDone;
}

}  // namespace tieline::cli
