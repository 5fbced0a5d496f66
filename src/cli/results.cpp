#include "tieline/results.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>

#include "tieline/fmu.hpp"
#include "tieline/plots.hpp"
#include "tieline/studies.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/model_view.hpp"

namespace tieline::cli {
namespace {

namespace fs = std::filesystem;

/// A table with more rows than this is a mistyped step rather than intended; it would fill the disk.
constexpr double kMostRows = 1e8;

/// A folder that a sweep left; its runs are in folders inside.
bool is_sweep(const fs::path& path) {
  std::error_code failure;
  return fs::exists(path / kSweepTableFile, failure);
}

/// Refuses a pattern that fits no variable of any run, with the nearest name.
void require_known(std::span<const Results* const> runs, std::span<const std::string> patterns) {
  for (const std::string& pattern : patterns) {
    const auto fits = [&](const Results* run) { return run->has(pattern); };
    if (std::any_of(runs.begin(), runs.end(), fits)) continue;
    try {
      (void)runs.front()->variables(std::span(&pattern, 1));
    } catch (const std::out_of_range& unknown) {
      throw std::out_of_range(
          fmt::format("{}; `tieline info {}` lists them", unknown.what(), runs.front()->path().string()));
    }
  }
}

/// A name that may contain "=" and "+", as "name=other" of plots takes it.
std::string quoted_name(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string label_of(const fs::path& folder) {
  const auto path = fs::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

void show_report(const RunReport& report) {
  fmt::print("{}", report.brief);
  if (!report.error.empty()) fmt::print("{}\n", report.error);
  for (const std::string& warning : report.warnings) fmt::print("warning: {}\n", warning);
  fmt::print("\n{}\n", report.tables);
}

/// Shows the report of a run, or why there is none.
int show_report_in(const fs::path& folder) {
  try {
    if (const auto report = read_report(folder)) {
      show_report(*report);
      return kDone;
    }
  } catch (const FileError& error) {
    return complain(error.what());
  }
  fmt::print("There is no {} yet: the run is still in progress, or was killed. These are the results so far.\n\n",
             kReportFile);
  return kDone;
}

void show_table(const Results& results, const TableInfo& table) {
  const std::size_t rows = results.rows(table.owner);
  const auto last = results.last_row(table.owner);
  fmt::print("  {} ({}{})\n", table.owner, count(rows, "row"),
             last ? fmt::format(", the last at t = {:g} s", last->time) : "");
  for (const VariableInfo& variable : table.variables) {
    const std::string name = fmt::format("{} [{}]", variable.name, variable.unit.empty() ? "-" : variable.unit);
    if (last) {
      fmt::print("    {:<48} {:>14.6g}\n", name, last->values[variable.column]);
    } else {
      fmt::print("    {}\n", name);
    }
  }
}

int show_results(const fs::path& source) {
  const Results results = Results::open(source);
  const fs::path folder = fs::is_directory(source) ? source : source.parent_path();
  const int code = show_report_in(folder);
  results.verify();
  fmt::print("Variables, with their last values\n");
  for (const TableInfo& table : results.tables()) show_table(results, table);
  return code;
}

/// Rows that exporting at a fixed step would give.
double rows_at_step(const Results& results, std::span<const std::string> patterns, double step) {
  std::set<std::string> owners;
  for (const VariableInfo& variable : results.variables(patterns)) owners.insert(variable.owner);
  double longest = 0.0;
  for (const std::string& owner : owners) {
    if (const auto span = results.span(owner)) longest = std::max(longest, span->last - span->first);
  }
  return longest / step;
}

bool has_log_axis(const PlotArguments& arguments, char axis) {
  return arguments.log_axes.find(axis) != std::string::npos;
}

std::vector<fs::path> sources_of(const PlotArguments& arguments, const fs::path& first) {
  std::vector<fs::path> sources{first};
  sources.insert(sources.end(), arguments.overlaid.begin(), arguments.overlaid.end());
  return sources;
}

/// Plots runs; where a variable is not known, says where to look for names.
void draw_runs(std::span<const PlottedRun> runs, std::span<const std::string> variables, const PlotOptions& options,
               const fs::path& out) {
  try {
    plot_runs(runs, variables, options, out);
  } catch (const std::out_of_range& unknown) {
    if (std::string_view(unknown.what()).find("no variable") == std::string_view::npos) throw;
    const fs::path& path = runs.back().results->path();
    const fs::path folder = path.has_extension() && path.has_parent_path() ? path.parent_path() : path;
    throw std::out_of_range(fmt::format("{}; `tieline info {}` lists them", unknown.what(), folder.string()));
  }
  fmt::print("{}\n", out.string());
}

int overlay_runs(const PlotArguments& arguments, const fs::path& first) {
  std::deque<Results> opened;
  std::vector<PlottedRun> runs;
  for (const auto& source : sources_of(arguments, first)) {
    runs.push_back({&opened.emplace_back(Results::open(source)), label_of(source)});
  }
  draw_runs(runs, arguments.variables,
            {.title = arguments.title,
             .colours = arguments.is_coloured_by_run ? ColourBy::run : ColourBy::variable,
             .is_log_x = has_log_axis(arguments, 'x'),
             .is_log_y = has_log_axis(arguments, 'y'),
             .over = arguments.x,
             .from = arguments.from,
             .to = arguments.to,
             .has_differences = arguments.has_differences},
            arguments.out.empty() ? "plot.svg" : arguments.out);
  return kDone;
}

/// The title that is given, or the names of the sweeps.
std::string title_of(const PlotArguments& arguments, const std::vector<fs::path>& sources) {
  if (!arguments.title.empty()) return arguments.title;
  std::string title;
  for (const auto& source : sources) title += (title.empty() ? "" : ", ") + label_of(source);
  return title;
}

/// Plots columns of sweeps over one of their parameters.
int overlay_sweeps(const PlotArguments& arguments) {
  const std::vector<fs::path> sources = sources_of(arguments, arguments.source);
  std::vector<PlottedSweep> sweeps;
  for (const fs::path& source : sources) sweeps.push_back({source, label_of(source)});
  const fs::path out = arguments.out.empty() ? "plot.svg" : arguments.out;
  plot_sweeps(sweeps, arguments.variables,
              {.title = title_of(arguments, sources),
               .over = arguments.over,
               .slopes = arguments.slopes,
               .is_log_x = has_log_axis(arguments, 'x'),
               .is_log_y = has_log_axis(arguments, 'y')},
              out);
  fmt::print("{}\n", out.string());
  return kDone;
}

int show_diagram(const PlotArguments& arguments) {
  const fs::path out = arguments.out.empty() ? "diagram.svg" : arguments.out;
  for (const Problem& problem : draw_diagram(arguments.source, out, arguments.title)) {
    print_error("{}\n", problem.describe());
  }
  fmt::print("{}\n", out.string());
  return kDone;
}

}  // namespace

int info(const InfoArguments& arguments) {
  const fs::path& file = arguments.file;
  std::error_code failure;
  if (!fs::exists(file, failure)) return complain(fmt::format("there is no file or folder '{}'", file.string()));
  if (!arguments.component.empty()) return show_program(arguments);
  if (arguments.verifies && !is_fmu(file)) {
    return complain(
        fmt::format("'{}' is not an FMU: --verify checks FMUs (`tieline check` checks models)", file.string()));
  }
  if (arguments.verifies) return verify(file, arguments.deadline);
  if (is_fmu(file)) return show_fmu(file, arguments.shows_all);
  const auto source = result_source(file);
  return source ? show_results(*source) : show_model(file);
}

int export_results(const ExportArguments& arguments) {
  const Results results = Results::open(arguments.folder);
  const Results* const runs[] = {&results};
  require_known(runs, arguments.variables);
  if (arguments.step) {
    const double rows = rows_at_step(results, arguments.variables, *arguments.step);
    if (rows > kMostRows) {
      return complain(
          fmt::format("--step {:g} would give {:.2g} rows; the limit is {:g}", *arguments.step, rows, kMostRows));
    }
  }
  const ExportOptions options{.variables = arguments.variables, .step = arguments.step};
  if (!arguments.csv.empty()) {
    results.export_csv(arguments.csv, options);
    fmt::print("{}\n", arguments.csv.string());
  }
  if (!arguments.mat.empty()) {
    results.export_mat(arguments.mat, options);
    fmt::print("{}\n", arguments.mat.string());
  }
  return kDone;
}

int plot(const PlotArguments& arguments) {
  std::error_code failure;
  const auto source = result_source(arguments.source);
  if (!source && !fs::exists(arguments.source, failure)) {
    return complain(fmt::format("there is no file or folder '{}'", arguments.source.string()));
  }
  if (!source && arguments.variables.empty()) return show_diagram(arguments);
  if (!source) {
    return complain(
        fmt::format("'{}' is not a result folder: run the model first, or plot it without variables to draw its "
                    "diagram",
                    arguments.source.string()));
  }
  if (arguments.variables.empty()) {
    return complain(is_sweep(arguments.source)
                        ? fmt::format("name the columns of '{}' to plot", (*source / kSweepTableFile).string())
                        : fmt::format("name the variables to plot; `tieline info {}` lists them", source->string()),
                    kUsage);
  }
  const bool is_of_runs = !arguments.x.empty() || arguments.from || arguments.to || arguments.has_differences;
  if (is_sweep(arguments.source) && is_of_runs) {
    return complain(
        fmt::format(
            "'{}' is the folder of a sweep: --x, --from, --to and --difference are for runs; --over chooses the x axis",
            arguments.source.string()),
        kUsage);
  }
  if (is_sweep(arguments.source)) return overlay_sweeps(arguments);
  if (arguments.has_differences && arguments.overlaid.empty()) {
    return complain("--difference needs another run: --with FOLDER", kUsage);
  }
  if (!arguments.over.empty() || !arguments.slopes.empty()) {
    return complain(fmt::format("'{}' is not the folder of a sweep: --over and --slope are for its table",
                                arguments.source.string()),
                    kUsage);
  }
  return overlay_runs(arguments, *source);
}

int compare(const CompareArguments& arguments) {
  const Results a = Results::open(arguments.a);
  const Results b = Results::open(arguments.b);
  const Results* const both[] = {&a, &b};
  std::vector<std::string> patterns;  // `compare` itself reports what is wrong with two names
  std::copy_if(arguments.variables.begin(), arguments.variables.end(), std::back_inserter(patterns),
               [](const std::string& pattern) { return pattern.find_first_of("=\"") == std::string::npos; });
  require_known(both, patterns);
  const Comparison comparison = tieline::compare(a, b, arguments.variables);
  if (comparison.differences.empty()) {
    return complain(
        fmt::format("'{}' and '{}' have no variable in common to compare; `tieline plot` with --with overlays "
                    "variables of different names",
                    arguments.a.string(), arguments.b.string()));
  }
  fmt::print("{}", comparison.table);

  // The plot shows what both runs have, most different first, as many as fit a page. What the audit of a coupling
  // reports comes last: between good runs its values are rounding, which differs by 100 %.
  constexpr std::size_t kMostCurves = 8;
  std::vector<Difference> worst = comparison.differences;
  std::stable_sort(worst.begin(), worst.end(), [](const auto& x, const auto& y) { return x.relative > y.relative; });
  std::stable_partition(worst.begin(), worst.end(), [](const auto& d) { return !d.name.starts_with("connections."); });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostCurves, worst.size()); ++i) {
    const bool is_renamed = worst[i].other_name != worst[i].name;
    names.push_back(is_renamed ? fmt::format("{}={}", quoted_name(worst[i].name), quoted_name(worst[i].other_name))
                               : worst[i].name);
  }
  const std::vector<PlottedRun> runs{{&a, label_of(arguments.a)}, {&b, label_of(arguments.b)}};
  draw_runs(runs, names,
            {.title = arguments.title,
             .over = arguments.x,
             .from = arguments.from,
             .to = arguments.to,
             .has_differences = arguments.x.empty()},
            arguments.out.empty() ? "compare.svg" : arguments.out);
  return kDone;
}

}  // namespace tieline::cli
