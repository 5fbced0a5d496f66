// What components state of the processes that compute them.

#include "model/model_reader.hpp"
#include "model/settings_reader.hpp"

namespace tieline::model {

void ModelReader::read_process(Component& component, const Scope& around) {
  auto& process = component.process;
  if (const Statement* statement = stating(component.statements, "transport"))
    process.transport = transport_from_name(statement->element.get("transport"));
  if (const Statement* statement = stating(component.statements, "start_deadline")) {
    const Scope& scope = scope_of(component, *statement, around);
    process.start_deadline = read_optional(statement->element, "start_deadline", scope, *diagnostics_);
  }
}

}  // namespace tieline::model
