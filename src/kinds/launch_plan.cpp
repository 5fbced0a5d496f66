// How a component's program is started: its own words, or those of its tool in the site file.

#include "kinds/launch_plan.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/command_line.hpp"
#include "document/diagnostics.hpp"
#include "document/grammar_names.hpp"
#include "kinds/process_options.hpp"

namespace tieline::kinds {
namespace {

using document::Diagnostics;
using document::Element;
using document::Place;
using model::Component;
using model::EnvironmentVariable;
using model::Site;
using model::Statement;
using model::Tool;

namespace fs = std::filesystem;

/// What {word} may be beside names of parameters.
constexpr std::array<std::string_view, 6> kWords{"component",  "model_file", "run_folder",
                                                 "start_time", "stop_time",  "largest_step"};

/// Stands for the run folder where no run is meant yet.
constexpr std::string_view kRunFolder = "{run_folder}";

std::string digits(double value) { return fmt::format("{:.17g}", value); }

std::string whole(const fs::path& path) {
  std::error_code failure;
  const fs::path from_root = fs::absolute(path, failure);
  return (failure ? path : from_root).lexically_normal().string();
}

/// Replaces words in braces by what they stand for.
class LaunchText {
 public:
  LaunchText(const model::SimulationSettings& simulation, const Component& component, const fs::path& run_folder,
             Diagnostics& diagnostics)
      : simulation_(simulation), component_(component), run_folder_(run_folder), diagnostics_(diagnostics) {}

  /// Nothing, with a report, where a word is unknown.
  std::optional<std::string> expand(const std::string& text, const Place& place) const {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t brace = std::min(text.find_first_of("{}", at), text.size());
      result += text.substr(at, brace - at);
      if (brace == text.size()) break;
      at = brace + 1;
      if (at < text.size() && text[at] == text[brace]) {
        result += text[at++];
        continue;
      }
      const std::size_t end = text.find('}', at);
      if (text[brace] == '}' || end == std::string::npos) {
        diagnostics_.error(place, fmt::format("'{}' is not matched in '{}' (write {}{} for the brace itself)",
                                              text[brace], text, text[brace], text[brace]));
        return std::nullopt;
      }
      const auto value = value_of(text.substr(at, end - at), place);
      if (!value) return std::nullopt;
      result += *value;
      at = end + 1;
    }
    return result;
  }

 private:
  std::optional<std::string> value_of(const std::string& word, const Place& place) const {
    const auto& largest_step = component_.settings.largest_step;
    if (word == "component") return component_.name;
    if (word == "run_folder") return run_folder_.empty() ? std::string(kRunFolder) : whole(run_folder_);
    if (word == "start_time") return digits(simulation_.start);
    if (word == "stop_time") return digits(simulation_.stop);
    if (word == "model_file")
      return known(component_.has_own_file, whole(component_.content_file), "file", word, place);
    if (word == "largest_step")
      return known(largest_step.has_value(), digits(largest_step.value_or(0.0)), "largest_step", word, place);
    if (document::is_identifier(word) && !is_visible(word)) return report_unknown(word, place);
    return component_.scope.interpolate("{" + word + "}", place, diagnostics_);
  }

  [[nodiscard]] bool is_visible(const std::string& name) const {
    const auto names = component_.scope.visible_names();
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  std::optional<std::string> report_unknown(const std::string& word, const Place& place) const {
    auto names = component_.scope.visible_names();
    names.insert(names.end(), kWords.begin(), kWords.end());
    diagnostics_.error(place, fmt::format("component '{}' has no parameter '{}', and it is not a keyword of commands{}",
                                          component_.name, word, document::suggestion(word, names)));
    return std::nullopt;
  }

  std::optional<std::string> known(bool is_known, std::string value, std::string_view attribute,
                                   const std::string& word, const Place& place) const {
    if (is_known) return value;
    diagnostics_.error(place, fmt::format("the command asks for {{{}}}, but component '{}' has no attribute '{}'", word,
                                          component_.name, attribute));
    return std::nullopt;
  }

  const model::SimulationSettings& simulation_;
  const Component& component_;
  const fs::path& run_folder_;
  Diagnostics& diagnostics_;
};

/// Where a command stands.
struct Source {
  std::string line{};
  fs::path file{};  ///< what a program's path is relative to
  Place place{};
};

bool add_command(const Source& source, const LaunchText& text, LaunchPlan& plan, Diagnostics& diagnostics) {
  const auto words = core::split_command(source.line);
  if (!words) {
    diagnostics.error(source.place, words.error().message);
    return false;
  }
  for (const std::string& word : *words) {
    auto expanded = text.expand(word, source.place);
    if (!expanded) return false;
    plan.command.push_back(std::move(*expanded));
  }
  if (plan.command.empty()) return true;
  std::string& program = plan.command.front();
  if (program.empty()) {
    diagnostics.error(source.place, "the command names no program");
    return false;
  }
  if (program.find('/') != std::string::npos) program = whole(model::resolve_path(source.file, program));
  return true;
}

bool add_environment(const std::vector<EnvironmentVariable>& variables, const LaunchText& text, LaunchPlan& plan) {
  bool is_good = true;
  for (const auto& variable : variables) {
    auto value = text.expand(variable.value, variable.declaration.place_of("value"));
    if (value)
      plan.environment[variable.name] = std::move(*value);
    else
      is_good = false;
  }
  return is_good;
}

void report_unknown_tool(const Component& component, const Site& site, const Statement& statement,
                         Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const Tool& tool : site.tools) known.push_back(tool.name);
  std::string where = "no site file was found";
  if (!site.file.empty()) where = fmt::format("{} does not describe it", site.file.string());
  diagnostics.error(statement.element.place_of("tool"),
                    fmt::format("no command is known for tool '{}' of component '{}': {}{}; describe the tool in a "
                                "site file, or give the component a command",
                                component.tool, component.name, where, document::suggestion(component.tool, known)));
}

}  // namespace

std::optional<LaunchPlan> launch_plan(const model::SimulationSettings& simulation, const Component& component,
                                      const Site& site, const fs::path& run_folder, Diagnostics& diagnostics,
                                      const model::Host* host) {
  const auto& options = model::options_as<ProcessOptions>(component);
  const LaunchText text(simulation, component, run_folder, diagnostics);
  const Statement* of_command = stating(component.statements, "command");
  const Statement* of_tool = stating(component.statements, "tool");
  const Tool* tool = component.tool.empty() ? nullptr : site.find(component.tool, host);
  if (options.command.empty() && tool == nullptr && of_tool != nullptr && !component.tool.empty()) {
    report_unknown_tool(component, site, *of_tool, diagnostics);
    return std::nullopt;
  }
  LaunchPlan plan;
  bool is_good = true;
  Source source{.file = component.statements.front().file};
  if (!options.command.empty()) {
    source = {options.command, of_command->file, of_command->element.place_of("command")};
  } else if (tool != nullptr) {
    source = {tool->command, site.file, tool->declaration.place_of("command")};
  }
  is_good = add_command(source, text, plan, diagnostics);
  fs::path folder = options.folder;
  if (folder.empty() && tool != nullptr && !tool->folder.empty()) {
    const auto stated = text.expand(tool->folder, tool->declaration.place_of("folder"));
    is_good = is_good && stated.has_value();
    if (stated) folder = stated->starts_with(kRunFolder) ? fs::path(*stated) : model::resolve_path(site.file, *stated);
  }
  // A program finds the files beside the model by the names that the model has for them.
  if (folder.empty()) {
    const Statement& of_component = of_command != nullptr ? *of_command : component.statements.front();
    folder = of_component.file.parent_path();
  }
  plan.folder = folder.string().starts_with(kRunFolder) ? folder : fs::path(whole(folder.empty() ? "." : folder));
  if (tool != nullptr) is_good = add_environment(tool->environment, text, plan) && is_good;
  is_good = add_environment(options.environment, text, plan) && is_good;
  if (!is_good) return std::nullopt;
  return plan;
}

}  // namespace tieline::kinds
