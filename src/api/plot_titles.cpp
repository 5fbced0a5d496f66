#include "api/plot_titles.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "document/xml.hpp"
#include "results/run_report.hpp"

namespace tieline::api {
namespace {

namespace fs = std::filesystem;

/// With more runs a title has no room for what each of them is.
constexpr std::size_t kMostRunsInATitle = 3;
/// Runs that differ in more than this are distinguished by their labels.
constexpr std::size_t kMostParameters = 2;

/// What a run records about its model.
struct TitledRun {
  std::string model{};
  std::string label{};
  std::map<std::string, std::string> parameters{};  ///< "T" -> "1e-05 s", "left.m" -> "2"
};

void add_parameters(const document::Element& owner, const std::string& prefix, TitledRun& run) {
  for (const document::Element& parameter : owner.child("Parameters").children("Parameter")) {
    const std::string unit = parameter.get("unit");
    run.parameters[prefix + parameter.get("name")] = parameter.get("value") + (unit.empty() ? "" : " " + unit);
  }
}

TitledRun describe(const PlottedRun& run) {
  TitledRun described{.model = run.label, .label = run.label};
  const fs::path& path = run.results->path();
  std::error_code failure;
  const fs::path folder = fs::is_directory(path, failure) ? path : path.parent_path();
  const auto report = results::read_report(folder / results::kReportFileName);
  if (!report || report->model.empty()) return described;
  described.model = report->model;
  document::Diagnostics diagnostics;
  const auto model = document::Document::parse(report->resolved_model, "model", diagnostics);
  if (!model) return described;
  add_parameters(model->root(), "", described);
  for (const document::Element& component : model->root().child("Components").children("Component")) {
    add_parameters(component, component.get("name") + ".", described);
  }
  return described;
}

/// Names of parameters that all runs have, with different values.
std::vector<std::string> differing_parameters(const std::vector<TitledRun>& runs) {
  std::vector<std::string> names;
  for (const auto& [name, value] : runs.front().parameters) {
    bool differs = false;
    for (const TitledRun& run : runs) {
      const auto found = run.parameters.find(name);
      if (found == run.parameters.end()) return {};
      differs = differs || found->second != value;
    }
    if (differs) names.push_back(name);
  }
  return names;
}

}  // namespace

std::string title_of(std::span<const PlottedRun> plotted) {
  std::vector<TitledRun> runs;
  std::vector<std::string> models;
  for (const PlottedRun& run : plotted) {
    runs.push_back(describe(run));
    if (std::find(models.begin(), models.end(), runs.back().model) == models.end()) models.push_back(runs.back().model);
  }
  if (models.size() > 1 || runs.size() < 2) return fmt::format("{}", fmt::join(models, ", "));
  const auto names = differing_parameters(runs);
  if (names.size() > kMostParameters || (runs.size() > kMostRunsInATitle && names.empty())) return models.front();
  if (runs.size() > kMostRunsInATitle)
    return fmt::format("{}: runs with different {}", models.front(), fmt::join(names, " and "));
  std::vector<std::string> parts;
  for (const TitledRun& run : runs) {
    std::vector<std::string> values;
    for (const std::string& name : names) values.push_back(fmt::format("{} = {}", name, run.parameters.at(name)));
    parts.push_back(values.empty() ? run.label : fmt::format("{} ({})", fmt::join(values, ", "), run.label));
  }
  return fmt::format("{}: {}", models.front(), fmt::join(parts, ", "));
}

}  // namespace tieline::api
