#include "processes/participant_description.hpp"

#include <algorithm>

#include "kinds/process_options.hpp"

namespace tieline::processes {
namespace {

namespace fs = std::filesystem;
using participant::Parameter;

fs::path absolute_path(const fs::path& path) {
  std::error_code failure;
  const fs::path whole = fs::absolute(path, failure);
  return failure ? path : whole.lexically_normal();
}

/// The parameters of the component and its types, in the order of their statements; the nearest unit counts.
std::vector<Parameter> parameters_of(const model::Component& component) {
  std::vector<Parameter> parameters;
  const auto add = [&](const document::Element& element) {
    const std::string name = element.get("name");
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& parameter) { return parameter.name == name; });
    if (known != parameters.end()) {
      if (known->unit.empty()) known->unit = element.get("unit");
      return;
    }
    document::Diagnostics already_reported;
    const auto value = component.scope.value_of(name, element.place(), already_reported);
    if (value) parameters.push_back({name, *value, element.get("unit")});
  };
  for (const auto& statement : component.statements) {
    for (const auto& element : statement.element.children("Parameter")) add(element);
    for (const auto& element : statement.element.child("Parameters").children("Parameter")) add(element);
  }
  return parameters;
}

}  // namespace

participant::Description describe_participant(const model::CompositeModel& model, const model::Component& component,
                                              const fs::path& run_folder) {
  participant::Description description{.name = component.name,
                                       .kind = component.kind,
                                       .start = model.simulation.start,
                                       .stop = model.simulation.stop,
                                       .largest_step = component.settings.largest_step,
                                       .exact_step = model::options_as<kinds::ProcessOptions>(component).exact_step,
                                       .parameters = parameters_of(component),
                                       .placement = component.placement};
  if (component.has_own_file) description.model_file = absolute_path(component.content_file);
  for (const auto& file : component.input_files) description.input_files.push_back(absolute_path(file));
  for (const auto& declared : component.declared_interfaces) {
    description.interfaces.push_back(
        {declared.name, declared.domain, declared.causality, declared.size, declared.pose});
  }
  if (!run_folder.empty()) description.run_folder = absolute_path(run_folder);
  return description;
}

}  // namespace tieline::processes
