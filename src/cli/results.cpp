#include <algorithm>
#include <cstdio>
#include <deque>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/model_view.hpp"
#include "report/plot_results.hpp"
#include "results/compare.hpp"
#include "results/export_csv.hpp"
#include "results/reader.hpp"

namespace tieline::cli {
namespace {

int complain(const core::Error& error) {
  fmt::print(stderr, "tieline: {}\n", error.describe());
  return kBadInput;
}

std::string label_of(const std::filesystem::path& folder) {
  const auto name = folder.filename();
  return (name.empty() ? folder.parent_path().filename() : name).string();
}

}  // namespace

int export_results(const ExportArguments& arguments) {
  auto reader = results::ResultReader::open(arguments.folder);
  if (!reader) return complain(reader.error());
  if (auto written = results::export_csv(*reader, arguments.variables, arguments.step, arguments.csv); !written) {
    return complain(written.error());
  }
  fmt::print("{}\n", arguments.csv.string());
  return kDone;
}

int plot(const PlotArguments& arguments) {
  if (!is_result_source(arguments.source)) return draw_diagram(arguments);
  std::vector<std::filesystem::path> sources{arguments.source};
  sources.insert(sources.end(), arguments.overlaid.begin(), arguments.overlaid.end());
  std::deque<results::ResultReader> readers;
  std::vector<report::Run> runs;
  for (const auto& source : sources) {
    auto reader = results::ResultReader::open(source);
    if (!reader) return complain(reader.error());
    readers.push_back(std::move(*reader));
    runs.push_back({&readers.back(), label_of(source)});
  }
  if (arguments.variables.empty()) {
    fmt::print(stderr, "tieline: which variables? `tieline info {}` lists them\n", arguments.source.string());
    return kUsage;
  }
  const std::filesystem::path out = arguments.out.empty() ? "plot.svg" : arguments.out;
  const std::string title = arguments.title.empty() ? label_of(arguments.source) : arguments.title;
  if (auto plotted = report::plot_results(runs, arguments.variables, title, out); !plotted) return complain(plotted.error());
  fmt::print("{}\n", out.string());
  return kDone;
}

int compare(const CompareArguments& arguments) {
  auto a = results::ResultReader::open(arguments.a);
  if (!a) return complain(a.error());
  auto b = results::ResultReader::open(arguments.b);
  if (!b) return complain(b.error());
  auto comparison = results::compare(*a, *b, arguments.variables);
  if (!comparison) return complain(comparison.error());
  fmt::print("{}", results::comparison_table(*comparison));
  if (comparison->differences.empty()) return kDone;

  // The plot shows what both runs have, most different first, as many as fit a page.
  constexpr std::size_t kMostCurves = 8;
  std::vector<results::Difference> worst = comparison->differences;
  std::stable_sort(worst.begin(), worst.end(), [](const auto& x, const auto& y) { return x.relative > y.relative; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostCurves, worst.size()); ++i) names.push_back(worst[i].name);
  const std::filesystem::path out = arguments.out.empty() ? "compare.svg" : arguments.out;
  const std::vector<report::Run> runs{{&*a, label_of(arguments.a)}, {&*b, label_of(arguments.b)}};
  if (auto plotted = report::plot_results(runs, names, label_of(arguments.a) + " and " + label_of(arguments.b), out);
      !plotted) {
    return complain(plotted.error());
  }
  fmt::print("{}\n", out.string());
  return kDone;
}

}  // namespace tieline::cli
