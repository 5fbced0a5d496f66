// What components state of the processes that they run in.

#include <algorithm>

#include "model/model_reader.hpp"
#include "model/settings_reader.hpp"

namespace tieline::model {

void ModelReader::read_process(Component& component, const Scope& around) {
  auto& process = component.process;
  if (const Statement* statement = stating(component.statements, "folder")) {
    const Scope& scope = scope_of(component, *statement, around);
    process.folder = read_path(statement->element, "folder", statement->file, scope).value_or("");
  }
  if (const Statement* statement = stating(component.statements, "exact_step"))
    process.exact_step = statement->element.get("exact_step") == "true";
  if (const Statement* statement = stating(component.statements, "transport"))
    process.transport = transport_from_name(statement->element.get("transport"));
  if (const Statement* statement = stating(component.statements, "start_deadline")) {
    const Scope& scope = scope_of(component, *statement, around);
    process.start_deadline = read_optional(statement->element, "start_deadline", scope, *diagnostics_);
  }
  for (const auto& statement : component.statements) {
    for (auto& variable : read_environment(statement.element, *diagnostics_)) {
      const auto& known = process.environment;
      const bool is_known =
          std::any_of(known.begin(), known.end(), [&](const auto& nearer) { return nearer.name == variable.name; });
      if (!is_known) process.environment.push_back(std::move(variable));
    }
  }
}

}  // namespace tieline::model
