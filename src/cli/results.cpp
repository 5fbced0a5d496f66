#include <algorithm>
#include <cstdio>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/model_view.hpp"
#include "fmi/fmu_file.hpp"
#include "report/plot_results.hpp"
#include "report/plot_table.hpp"
#include "results/compare.hpp"
#include "results/export_csv.hpp"
#include "results/export_mat.hpp"
#include "results/reader.hpp"
#include "results/run_report.hpp"
#include "studies/sweep.hpp"

namespace tieline::cli {
namespace {

namespace fs = std::filesystem;
using results::ResultReader;

/// A table with more rows than this is a mistyped step rather than a wish; it would fill the disk.
constexpr double kMostRows = 1e8;

/// The result folder or file that a path means; none for a model.
std::optional<fs::path> result_source(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure) || path.extension() == ".h5") return path;
  if (path.filename() == results::kReportFileName) return path.has_parent_path() ? path.parent_path() : fs::path(".");
  return std::nullopt;
}

/// A folder that a sweep left; its runs are in folders inside.
bool is_sweep(const fs::path& path) {
  std::error_code failure;
  return fs::exists(path / studies::kSweepTableName, failure);
}

/// What is wrong with a pattern that fits no variable of any run, with the nearest name; none where all fit.
std::optional<std::string> unknown_variable(std::span<const ResultReader* const> runs,
                                            std::span<const std::string> patterns) {
  for (const std::string& pattern : patterns) {
    const auto fits = [&](const ResultReader* run) { return run->select(std::span(&pattern, 1)).has_value(); };
    if (std::any_of(runs.begin(), runs.end(), fits)) continue;
    return fmt::format("{}; `tieline info {}` lists them",
                       runs.front()->select(std::span(&pattern, 1)).error().describe(), runs.front()->path().string());
  }
  return std::nullopt;
}

std::string label_of(const fs::path& folder) {
  const auto path = fs::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

void show_report(const results::RunReport& report) {
  fmt::print("Run of '{}': {}, t = {:g} s of {:g} s, {:.3g} s wall time\n", report.model,
             results::name_of(report.outcome), report.reached, report.stop, report.wall_seconds);
  fmt::print("{}", results::resumption_line(report));
  if (report.error) fmt::print("{}\n", report.error->describe());
  for (const std::string& warning : report.warnings) fmt::print("warning: {}\n", warning);
  fmt::print("\n{}\n", results::statistics_table(report));
  if (const std::string told = results::told_table(report); !told.empty()) fmt::print("{}\n", told);
  if (const std::string energies = results::energies_table(report); !energies.empty()) fmt::print("{}\n", energies);
  if (!report.gluings.empty()) fmt::print("{}\n", results::gluings_table(report));
}

int show_table(const ResultReader& reader, std::size_t index) {
  const results::TableInfo& table = reader.tables()[index];
  const auto rows = reader.rows(index);
  if (!rows) return complain(rows.error().describe());
  const auto last = reader.read_rows(index, {*rows > 0 ? *rows - 1 : 0, *rows});
  if (!last) return complain(last.error().describe());
  fmt::print("  {} ({}{})\n", table.owner, count(*rows, "row"),
             *rows > 0 ? fmt::format(", the last at t = {:g} s", last->front()) : "");
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const core::Column& column = table.columns[i];
    const std::string name =
        fmt::format("{}.{} [{}]", table.owner, column.name, column.unit.empty() ? "-" : column.unit);
    if (*rows > 0) {
      fmt::print("    {:<48} {:>14.6g}\n", name, (*last)[i + 1]);
    } else {
      fmt::print("    {}\n", name);
    }
  }
  return kDone;
}

int show_results(const fs::path& source) {
  auto reader = ResultReader::open(source);
  if (!reader) return complain(reader.error().describe());
  const fs::path folder = fs::is_directory(source) ? source : source.parent_path();
  if (const auto report = results::read_report(folder / results::kReportFileName)) {
    show_report(*report);
  } else {
    fmt::print("There is no {} yet: the run goes on, or was killed. What follows was written so far.\n\n",
               results::kReportFileName);
  }
  fmt::print("Variables, with their last values\n");
  for (std::size_t i = 0; i < reader->tables().size(); ++i) {
    if (const int code = show_table(*reader, i); code != kDone) return code;
  }
  return kDone;
}

/// Rows that exporting at a fixed step would give.
core::Result<double> rows_at_step(const ResultReader& reader, std::span<const std::string> patterns, double step) {
  const auto variables = reader.select(patterns);
  if (!variables) return variables.error();
  std::set<std::size_t> tables;
  for (const results::Variable& variable : *variables) tables.insert(variable.table);
  double longest = 0.0;
  for (const std::size_t table : tables) {
    const auto span = reader.span(table);
    if (!span) return span.error();
    if (*span) longest = std::max(longest, (*span)->last - (*span)->first);
  }
  return longest / step;
}

bool has_log_axis(const PlotArguments& arguments, char axis) {
  return arguments.log_axes.find(axis) != std::string::npos;
}

int plot_runs(const PlotArguments& arguments, const fs::path& first) {
  std::vector<fs::path> sources{first};
  sources.insert(sources.end(), arguments.overlaid.begin(), arguments.overlaid.end());
  std::deque<ResultReader> readers;
  std::vector<const ResultReader*> places;
  std::vector<report::Run> runs;
  std::string title;
  for (const auto& source : sources) {
    auto reader = ResultReader::open(source);
    if (!reader) return complain(reader.error().describe());
    places.push_back(&readers.emplace_back(std::move(*reader)));
    runs.push_back({places.back(), label_of(source)});
    title += (title.empty() ? "" : ", ") + label_of(source);
  }
  if (const auto unknown = unknown_variable(places, arguments.variables)) return complain(*unknown);
  const fs::path named = arguments.out.empty() ? "plot.svg" : arguments.out;
  const auto out = output_file(named);
  if (!out) return complain(out.error().describe());
  if (!arguments.title.empty()) title = arguments.title;
  const auto colours = arguments.is_coloured_by_run ? report::ColourBy::run : report::ColourBy::variable;
  auto figure = report::figure_of(runs, arguments.variables, title, colours);
  if (!figure) return complain(figure.error().describe());
  figure->is_log_x = has_log_axis(arguments, 'x');
  figure->is_log_y = has_log_axis(arguments, 'y');
  if (auto written = report::write_figure(*figure, *out); !written) return complain(written.error().describe());
  fmt::print("{}\n", named.string());
  return kDone;
}

/// Plots columns of sweeps over one of their parameters.
int plot_sweeps(const PlotArguments& arguments) {
  std::vector<fs::path> sources{arguments.source};
  sources.insert(sources.end(), arguments.overlaid.begin(), arguments.overlaid.end());
  std::deque<results::CsvTable> tables;
  std::vector<report::StudyTable> studies;
  report::StudyPlot plot{.columns = arguments.variables,
                         .over = arguments.over,
                         .slopes = arguments.slopes,
                         .is_log_x = has_log_axis(arguments, 'x'),
                         .is_log_y = has_log_axis(arguments, 'y')};
  for (const fs::path& source : sources) {
    auto table = results::read_csv_table(source / studies::kSweepTableName);
    if (!table) return complain(table.error().describe());
    studies.push_back({&tables.emplace_back(std::move(*table)), label_of(source)});
    plot.title += (plot.title.empty() ? "" : ", ") + label_of(source);
  }
  if (!arguments.title.empty()) plot.title = arguments.title;
  const auto figure = report::figure_of_tables(studies, plot);
  if (!figure) return complain(figure.error().describe());
  const fs::path named = arguments.out.empty() ? "plot.svg" : arguments.out;
  const auto out = output_file(named);
  if (!out) return complain(out.error().describe());
  if (auto written = report::write_figure(*figure, *out); !written) return complain(written.error().describe());
  fmt::print("{}\n", named.string());
  return kDone;
}

}  // namespace

int info(const InfoArguments& arguments) {
  const fs::path& file = arguments.file;
  std::error_code failure;
  if (!fs::exists(file, failure)) return complain(fmt::format("there is no file or folder '{}'", file.string()));
  if (!arguments.component.empty()) return ask_program(arguments);
  if (fmi::looks_like_fmu(file)) return show_fmu(file, arguments.shows_all);
  const auto source = result_source(file);
  return source ? show_results(*source) : show_model(file);
}

int export_results(const ExportArguments& arguments) {
  auto reader = ResultReader::open(result_source(arguments.folder).value_or(arguments.folder));
  if (!reader) return complain(reader.error().describe());
  const ResultReader* const runs[] = {&*reader};
  if (const auto unknown = unknown_variable(runs, arguments.variables)) return complain(*unknown);
  if (arguments.step) {
    const auto rows = rows_at_step(*reader, arguments.variables, *arguments.step);
    if (!rows) return complain(rows.error().describe());
    if (*rows > kMostRows) {
      return complain(fmt::format("--step {:g} would give {:.2g} rows; at most {:g} are written", *arguments.step,
                                  *rows, kMostRows));
    }
  }
  const auto write = [&](const fs::path& named, const auto& exporter) {
    if (named.empty()) return kDone;
    const auto out = output_file(named);
    if (!out) return static_cast<ExitCode>(complain(out.error().describe()));
    const core::Result<void> written = exporter(*reader, arguments.variables, arguments.step, *out);
    if (!written) return static_cast<ExitCode>(complain(written.error().describe()));
    fmt::print("{}\n", named.string());
    return kDone;
  };
  const auto to_csv = [](const auto&... given) { return results::export_csv(given...); };
  if (const auto code = write(arguments.csv, to_csv); code != kDone) return code;
  return write(arguments.mat, results::export_mat);
}

int plot(const PlotArguments& arguments) {
  std::error_code failure;
  const auto source = result_source(arguments.source);
  if (!source && !fs::exists(arguments.source, failure)) {
    return complain(fmt::format("there is no file or folder '{}'", arguments.source.string()));
  }
  if (!source && arguments.variables.empty()) return draw_diagram(arguments);
  if (!source) {
    return complain(
        fmt::format("'{}' is no result folder: run the model first, or plot it without variables to draw its "
                    "diagram",
                    arguments.source.string()));
  }
  if (arguments.variables.empty()) {
    return complain(is_sweep(arguments.source)
                        ? fmt::format("which columns of '{}'?", (*source / studies::kSweepTableName).string())
                        : fmt::format("which variables? `tieline info {}` lists them", source->string()),
                    kUsage);
  }
  if (is_sweep(arguments.source)) return plot_sweeps(arguments);
  if (!arguments.over.empty() || !arguments.slopes.empty()) {
    return complain(
        fmt::format("'{}' is no folder of a sweep: --over and --slope are for its table", arguments.source.string()),
        kUsage);
  }
  return plot_runs(arguments, *source);
}

int compare(const CompareArguments& arguments) {
  auto a = ResultReader::open(arguments.a);
  if (!a) return complain(a.error().describe());
  auto b = ResultReader::open(arguments.b);
  if (!b) return complain(b.error().describe());
  const ResultReader* const readers[] = {&*a, &*b};
  std::vector<std::string> patterns;  // `compare` itself tells what is wrong with two names
  std::copy_if(arguments.variables.begin(), arguments.variables.end(), std::back_inserter(patterns),
               [](const std::string& pattern) { return pattern.find('=') == std::string::npos; });
  if (const auto unknown = unknown_variable(readers, patterns)) return complain(*unknown);
  auto comparison = results::compare(*a, *b, arguments.variables);
  if (!comparison) return complain(comparison.error().describe());
  if (comparison->differences.empty()) {
    return complain(
        fmt::format("'{}' and '{}' have no variable in common to compare; `tieline plot` with --with overlays "
                    "variables of different names",
                    arguments.a.string(), arguments.b.string()));
  }
  fmt::print("{}", results::comparison_table(*comparison));

  // The plot shows what both runs have, most different first, as many as fit a page. What the audit of a coupling
  // reports comes last: between good runs its values are rounding, which differs by 100 %.
  constexpr std::size_t kMostCurves = 8;
  std::vector<results::Difference> worst = comparison->differences;
  std::stable_sort(worst.begin(), worst.end(), [](const auto& x, const auto& y) { return x.relative > y.relative; });
  std::stable_partition(worst.begin(), worst.end(), [](const auto& d) { return !d.name.starts_with("connections."); });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostCurves, worst.size()); ++i) {
    names.push_back(worst[i].name);
    if (worst[i].other_name != worst[i].name) names.push_back(worst[i].other_name);
  }
  const fs::path named = arguments.out.empty() ? "compare.svg" : arguments.out;
  const auto out = output_file(named);
  if (!out) return complain(out.error().describe());
  const std::vector<report::Run> runs{{&*a, label_of(arguments.a)}, {&*b, label_of(arguments.b)}};
  if (auto plotted = report::plot_results(runs, names, label_of(arguments.a) + " and " + label_of(arguments.b), *out);
      !plotted) {
    return complain(plotted.error().describe());
  }
  fmt::print("{}\n", named.string());
  return kDone;
}

}  // namespace tieline::cli
