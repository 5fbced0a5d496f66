// What components state of the processes that compute them.

#include <fmt/format.h>

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
  const auto read_need = [&](const char* attribute, double& value) {
    const Statement* const statement = stating(component.statements, attribute);
    if (statement == nullptr) return;
    const auto stated =
        read_optional(statement->element, attribute, scope_of(component, *statement, around), *diagnostics_);
    if (!stated) return;
    if (*stated > 0.0) {
      value = *stated;
    } else {
      diagnostics_->error(statement->element.place_of(attribute),
                          fmt::format("{} must be positive, got {:g}", attribute, *stated));
    }
  };
  read_need("cores", process.cores);
  read_need("memory", process.memory);
}

}  // namespace tieline::model
