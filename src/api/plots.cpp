#include "tieline/plots.hpp"

#include <deque>
#include <fmt/format.h>

#include "tieline/program.hpp"

#include "api/errors.hpp"
#include "api/model_files.hpp"
#include "api/plot_titles.hpp"
#include "api/result_reader.hpp"
#include "assembly/connection_figures.hpp"
#include "model/icon.hpp"
#include "report/animation.hpp"
#include "report/diagram.hpp"
#include "report/plot_results.hpp"
#include "report/plot_table.hpp"
#include "results/run_report.hpp"
#include "results/scene_file.hpp"
#include "studies/sweep.hpp"

namespace tieline {
namespace {

namespace fs = std::filesystem;

/// With one variable the title names it, and the curves need only the names of their runs.
void shorten_labels(report::Figure& figure, std::span<const report::Run> runs, std::span<const std::string> patterns) {
  const auto variables = runs.front().reader->select(patterns);
  if (!variables || variables->size() != 1 || figure.panels.size() != 1) return;
  std::size_t curve = 0;
  for (const report::Run& run : runs) {
    if (run.reader->find(variables->front().name)) figure.panels.front().curves[curve++].label = run.label;
  }
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

std::size_t port_index(const assembly::CheckedModel& checked, const model::Endpoint& end) {
  const auto& blueprint = checked.blueprints[static_cast<std::size_t>(end.component)];
  return static_cast<std::size_t>(assembly::part_at(checked, end).interface - blueprint->interfaces.data());
}

report::Diagram diagram_of(const assembly::CheckedModel& checked) {
  const model::CompositeModel& model = checked.model;
  report::Diagram diagram;
  for (std::size_t i = 0; i < model.components.size(); ++i) {
    const model::Component& c = model.components[i];
    report::DiagramNode node{.label = c.name, .kind = c.kind};
    for (const auto& interface : checked.blueprints[i]->interfaces) node.ports.push_back(interface.name);
    if (c.diagram_x && c.diagram_y) node.position = report::DiagramPosition{*c.diagram_x, *c.diagram_y};
    diagram.nodes.push_back(std::move(node));
  }
  for (const model::Connection& connection : model.connections) {
    const bool is_named = connection.declaration.has("name");
    diagram.edges.push_back({static_cast<std::size_t>(connection.from.component), port_index(checked, connection.from),
                             static_cast<std::size_t>(connection.to.component), port_index(checked, connection.to),
                             is_named ? connection.name : "", style_of(connection.coupling)});
  }
  return diagram;
}

void add_icons(const model::CompositeModel& model, bool shows_svg, report::Diagram& diagram,
               document::Diagnostics& doubts) {
  for (std::size_t i = 0; i < model.components.size(); ++i) {
    const model::Component& component = model.components[i];
    if (component.icon.empty()) continue;
    const model::Statement* statement = model::stating(component.statements, "icon");
    const auto place = (statement != nullptr ? statement->element : component.declaration).place_of("icon");
    auto icon = model::read_icon(component.icon);
    if (!icon) {
      doubts.warning(place,
                     fmt::format("the icon of component '{}' is not drawn: {}", component.name, icon.error().message));
    } else if (!shows_svg && icon->media_type != "image/png") {
      doubts.warning(place, fmt::format("the icon of component '{}' is an SVG, which a .png file cannot show: draw the "
                                        "diagram as .svg or .html",
                                        component.name));
    } else {
      diagram.nodes[i].picture = {std::move(icon->media_type), std::move(icon->bytes)};
    }
  }
}

/// What a watcher should know of a run that did not reach its end.
std::vector<std::string> notes_on(const fs::path& folder) {
  const auto report = results::read_report(folder / results::kReportFileName);
  if (!report) return {"The run is still in progress, or was killed: these are the results so far."};
  if (report->outcome == results::Outcome::done) return {};
  return {fmt::format("The run {} at {:g} s of {:g} s{}",
                      report->outcome == results::Outcome::cancelled ? "was stopped" : "failed", report->reached,
                      report->stop, report->error ? ": " + report->error->describe() : ".")};
}

}  // namespace

void plot_runs(std::span<const PlottedRun> runs, std::span<const std::string> patterns, const PlotOptions& options,
               const fs::path& file) {
  if (runs.empty()) throw std::out_of_range("there is no run to plot");
  const fs::path out = writable_file(file);
  std::vector<report::Run> drawn;
  for (const PlottedRun& run : runs) drawn.push_back({&api::reader_of(*run.results), run.label});
  const auto colours = options.colours == ColourBy::run ? report::ColourBy::run : report::ColourBy::variable;
  auto figure = api::or_unknown(
      report::figure_of(drawn, patterns,
                        report::RunPlot{.title = options.title.empty() ? api::title_of(runs) : options.title,
                                        .colours = colours,
                                        .over = options.over,
                                        .from = options.from,
                                        .to = options.to,
                                        .has_differences = options.has_differences,
                                        .allows_missing = options.allows_missing}));
  figure.is_log_x = options.is_log_x;
  figure.is_log_y = options.is_log_y;
  if (options.has_run_labels) shorten_labels(figure, drawn, patterns);
  api::or_file_error(report::write_figure(figure, out));
}

void plot_sweeps(std::span<const PlottedSweep> sweeps, const std::vector<std::string>& columns,
                 const SweepPlotOptions& options, const fs::path& file) {
  std::deque<results::CsvTable> tables;
  std::vector<report::StudyTable> drawn;
  for (const PlottedSweep& sweep : sweeps) {
    tables.push_back(api::or_file_error(results::read_csv_table(sweep.folder / studies::kSweepTableName)));
    drawn.push_back({&tables.back(), sweep.label});
  }
  const auto figure = api::or_unknown(report::figure_of_tables(drawn, {.columns = columns,
                                                                       .over = options.over,
                                                                       .slopes = options.slopes,
                                                                       .is_log_x = options.is_log_x,
                                                                       .is_log_y = options.is_log_y,
                                                                       .title = options.title}));
  api::or_file_error(report::write_figure(figure, writable_file(file)));
}

std::vector<Problem> draw_diagram(const fs::path& model, const fs::path& file, const std::string& title) {
  document::Diagnostics diagnostics, doubts;
  const auto checked = api::sound_model(model, {}, diagnostics);
  report::Diagram diagram = diagram_of(checked);
  diagram.title = title.empty() ? checked.model.name : title;
  add_icons(checked.model, file.extension() != ".png", diagram, doubts);
  api::or_file_error(report::write_diagram(diagram, writable_file(file)));
  return api::problems_of(doubts);
}

Animation animate(const fs::path& results, const fs::path& file, const AnimationOptions& options) {
  std::error_code failure;
  if (!fs::exists(results, failure)) throw FileError(fmt::format("there is no folder '{}'", results.string()));
  // A file of the folder means the folder, which has the scene beside it.
  const fs::path folder = fs::is_directory(results, failure) ? results : fs::absolute(results).parent_path();
  const auto reader = api::or_file_error(results::ResultReader::open(folder));
  const fs::path scene_file = folder / results::kSceneFileName;
  if (!fs::exists(scene_file, failure)) {
    throw FileError(
        fmt::format("'{}' contains no {}: the run has no components of kind=\"multibody\" to show, or was recorded by "
                    "an older version; run the model again",
                    folder.string(), results::kSceneFileName));
  }
  const auto scene = api::or_file_error(results::read_scene(scene_file));
  const fs::path out = writable_file(file);
  const auto facts =
      api::or_unknown(report::write_animation(reader, scene,
                                              {.title = options.title.empty() ? scene.model : options.title,
                                               .notes = notes_on(folder),
                                               .motion = {options.frames, options.from, options.to}},
                                              out));
  return {facts.start, facts.end, facts.frames, facts.bodies, facts.notes};
}

}  // namespace tieline
