#include "kinds/process_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "document/rules.hpp"
#include "kinds/launch_plan.hpp"
#include "model/tag_text.hpp"

namespace tieline::kinds {

std::string ProcessOptions::attributes() const {
  std::string text;
  model::append_attribute(text, "command", command);
  return text;
}

std::vector<document::AttributeRule> process_attributes() {
  using document::rules::choice;
  using document::rules::text;
  return {
      text("command",
           "For kind `process`: command that starts it, a program and its arguments. It runs without a shell; "
           "`{words}` in braces are replaced, each within one argument."),
      text("folder", "For kind `process`: working folder, relative to this file.",
           "folder of the tool, or of the file that states the command"),
      choice("exact_step",
             "For kind `process`: whether its steps end where others need its values, so that nothing is interpolated.",
             {"true", "false"}, "false"),
      choice("start",
             "For kind `process`: `as_stated` by the program, or in `equilibrium`: it stays where it starts, and lines "
             "start with the forces that keep it there, found by trial steps. The program has to save and restore its "
             "state, and is computed step by step by the master.",
             {"as_stated", "equilibrium"}, "as_stated")};
}

std::shared_ptr<const model::KindOptions> read_process_options(const model::OptionsRequest& request) {
  const model::Statements& statements = request.component.statements;
  auto options = std::make_shared<ProcessOptions>();
  if (const auto* statement = stating(statements, "command")) options->command = statement->element.get("command");
  if (const auto* statement = stating(statements, "folder")) {
    const std::string written = statement->element.get("folder");
    const auto place = statement->element.place_of("folder");
    const auto text = request.scope_of(*statement).interpolate(written, place, request.diagnostics);
    if (text && !written.empty()) options->folder = model::resolve_path(statement->file, *text);
  }
  if (const auto* statement = stating(statements, "exact_step"))
    options->exact_step = statement->element.get("exact_step") == "true";
  if (const auto* statement = stating(statements, "start"))
    options->starts_at_rest = statement->element.get("start") == "equilibrium";
  for (const model::Statement& statement : statements) {
    for (auto& variable : model::read_environment(statement.element, request.diagnostics)) {
      const auto& known = options->environment;
      const bool is_known =
          std::any_of(known.begin(), known.end(), [&](const auto& nearer) { return nearer.name == variable.name; });
      if (!is_known) options->environment.push_back(std::move(variable));
    }
  }
  return options;
}

void check_process_options(const model::Component& component, document::Diagnostics& diagnostics) {
  const auto& options = model::options_as<ProcessOptions>(component);
  std::error_code failure;
  if (!options.folder.empty() && !std::filesystem::is_directory(options.folder, failure)) {
    diagnostics.error(stating(component.statements, "folder")->element.place_of("folder"),
                      fmt::format("there is no folder '{}'", options.folder.string()));
  }
  // What a tool's command makes of the component is known where the run is; its own can be tried at once.
  if (!options.command.empty()) (void)launch_plan({}, component, {}, {}, diagnostics);
}

}  // namespace tieline::kinds
