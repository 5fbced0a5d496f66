// The head of modelDescription.xml: who made the FMU, and in which ways it can be run.

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "fmi/description_parts.hpp"

namespace tieline::fmi {
namespace {

using AttributeNames = std::span<const std::string_view>;

constexpr std::array<std::string_view, 12> kRootAttributes1{"fmiVersion",
                                                            "modelName",
                                                            "modelIdentifier",
                                                            "guid",
                                                            "description",
                                                            "author",
                                                            "version",
                                                            "generationTool",
                                                            "generationDateAndTime",
                                                            "variableNamingConvention",
                                                            "numberOfContinuousStates",
                                                            "numberOfEventIndicators"};
constexpr std::array<std::string_view, 13> kRootAttributes{"fmiVersion",
                                                           "modelName",
                                                           "guid",
                                                           "instantiationToken",
                                                           "description",
                                                           "author",
                                                           "version",
                                                           "copyright",
                                                           "license",
                                                           "generationTool",
                                                           "generationDateAndTime",
                                                           "variableNamingConvention",
                                                           "numberOfEventIndicators"};
constexpr std::array<std::string_view, 6> kRootElements1{"UnitDefinitions",   "TypeDefinitions", "DefaultExperiment",
                                                         "VendorAnnotations", "ModelVariables",  "Implementation"};
constexpr std::array<std::string_view, 11> kRootElements{"ModelExchange",     "CoSimulation",      "ScheduledExecution",
                                                         "UnitDefinitions",   "TypeDefinitions",   "LogCategories",
                                                         "DefaultExperiment", "VendorAnnotations", "Annotations",
                                                         "ModelVariables",    "ModelStructure"};

constexpr std::array<std::string_view, 8> kModelExchange2{"modelIdentifier",
                                                          "needsExecutionTool",
                                                          "completedIntegratorStepNotNeeded",
                                                          "canBeInstantiatedOnlyOncePerProcess",
                                                          "canNotUseMemoryManagementFunctions",
                                                          "canGetAndSetFMUstate",
                                                          "canSerializeFMUstate",
                                                          "providesDirectionalDerivative"};
constexpr std::array<std::string_view, 11> kCoSimulation2{"modelIdentifier",
                                                          "needsExecutionTool",
                                                          "canHandleVariableCommunicationStepSize",
                                                          "canInterpolateInputs",
                                                          "maxOutputDerivativeOrder",
                                                          "canRunAsynchronuously",
                                                          "canBeInstantiatedOnlyOncePerProcess",
                                                          "canNotUseMemoryManagementFunctions",
                                                          "canGetAndSetFMUstate",
                                                          "canSerializeFMUstate",
                                                          "providesDirectionalDerivative"};
constexpr std::array<std::string_view, 10> kModelExchange3{"modelIdentifier",
                                                           "needsExecutionTool",
                                                           "canBeInstantiatedOnlyOncePerProcess",
                                                           "canGetAndSetFMUState",
                                                           "canSerializeFMUState",
                                                           "providesDirectionalDerivatives",
                                                           "providesAdjointDerivatives",
                                                           "providesPerElementDependencies",
                                                           "needsCompletedIntegratorStep",
                                                           "providesEvaluateDiscreteStates"};
constexpr std::array<std::string_view, 17> kCoSimulation3{"modelIdentifier",
                                                          "needsExecutionTool",
                                                          "canBeInstantiatedOnlyOncePerProcess",
                                                          "canGetAndSetFMUState",
                                                          "canSerializeFMUState",
                                                          "providesDirectionalDerivatives",
                                                          "providesAdjointDerivatives",
                                                          "providesPerElementDependencies",
                                                          "canHandleVariableCommunicationStepSize",
                                                          "fixedInternalStepSize",
                                                          "maxOutputDerivativeOrder",
                                                          "recommendedIntermediateInputSmoothness",
                                                          "providesIntermediateUpdate",
                                                          "mightReturnEarlyFromDoStep",
                                                          "canReturnEarlyAfterIntermediateUpdate",
                                                          "hasEventMode",
                                                          "providesEvaluateDiscreteStates"};
constexpr std::array<std::string_view, 2> kInterfaceElements{"SourceFiles", "Annotations"};

void read_common(const ElementReader& element, bool is_v2, InterfaceFacts& facts) {
  facts.model_identifier = element.text("modelIdentifier");
  facts.needs_execution_tool = element.flag("needsExecutionTool");
  facts.can_be_instantiated_only_once_per_process = element.flag("canBeInstantiatedOnlyOncePerProcess");
  facts.can_not_use_memory_management_functions = element.flag("canNotUseMemoryManagementFunctions");
  facts.can_get_and_set_state = element.flag(is_v2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
  facts.can_serialize_state = element.flag(is_v2 ? "canSerializeFMUstate" : "canSerializeFMUState");
  facts.provides_directional_derivatives =
      element.flag(is_v2 ? "providesDirectionalDerivative" : "providesDirectionalDerivatives");
  facts.provides_adjoint_derivatives = element.flag("providesAdjointDerivatives");
  facts.provides_per_element_dependencies = element.flag("providesPerElementDependencies");
  facts.provides_evaluate_discrete_states = element.flag("providesEvaluateDiscreteStates");
}

ModelExchangeFacts read_model_exchange(const ElementReader& element, bool is_v2) {
  element.check_attributes(is_v2 ? AttributeNames(kModelExchange2) : AttributeNames(kModelExchange3));
  element.check_children(kInterfaceElements);
  ModelExchangeFacts facts;
  read_common(element, is_v2, facts);
  facts.needs_completed_integrator_step =
      is_v2 ? !element.flag("completedIntegratorStepNotNeeded") : element.flag("needsCompletedIntegratorStep");
  return facts;
}

CoSimulationFacts read_co_simulation(const ElementReader& element, bool is_v2) {
  element.check_attributes(is_v2 ? AttributeNames(kCoSimulation2) : AttributeNames(kCoSimulation3));
  element.check_children(kInterfaceElements);
  CoSimulationFacts facts;
  read_common(element, is_v2, facts);
  facts.can_handle_variable_step_size = element.flag("canHandleVariableCommunicationStepSize");
  facts.can_interpolate_inputs = element.flag("canInterpolateInputs");
  facts.can_run_asynchronously = element.flag("canRunAsynchronuously");  // the standard's spelling
  facts.max_output_derivative_order = element.reference("maxOutputDerivativeOrder").value_or(0);
  facts.fixed_internal_step_size = element.finite("fixedInternalStepSize");
  if (const auto smoothness = element.integer("recommendedIntermediateInputSmoothness")) {
    facts.recommended_intermediate_input_smoothness = static_cast<int>(std::clamp<std::int64_t>(*smoothness, -1, 100));
  }
  facts.provides_intermediate_update = element.flag("providesIntermediateUpdate");
  facts.might_return_early_from_do_step = element.flag("mightReturnEarlyFromDoStep");
  facts.can_return_early_after_intermediate_update = element.flag("canReturnEarlyAfterIntermediateUpdate");
  facts.has_event_mode = element.flag("hasEventMode");
  return facts;
}

pugi::xml_node single_child(const DescriptionParts& parts, const char* name) {
  const auto first = parts.root.child(name);
  if (const auto second = first.next_sibling(name)) {
    parts.findings.warn(second, "elements that appear twice",
                        fmt::format("<{}> appears twice; only the first is used", name));
  }
  return first;
}

void check_identifiers(DescriptionParts& parts) {
  Description& description = parts.description;
  std::string* exchange = description.model_exchange ? &description.model_exchange->model_identifier : nullptr;
  std::string* simulation = description.co_simulation ? &description.co_simulation->model_identifier : nullptr;
  for (std::string* own : {exchange, simulation}) {
    if (own == nullptr || own->empty() || is_file_name(*own)) continue;
    const char* element = own == exchange ? "ModelExchange" : "CoSimulation";
    parts.findings.error(parts.root.child(element),
                         fmt::format("<{}>: modelIdentifier is '{}', but must be the name of a file in the folder of "
                                     "binaries, without '/', '\\' or '..'",
                                     element, *own));
  }
  for (std::string* own : {exchange, simulation}) {
    if (own == nullptr || !own->empty()) continue;
    const std::string* other = own == exchange ? simulation : exchange;
    const char* element = own == exchange ? "ModelExchange" : "CoSimulation";
    if (other == nullptr || other->empty()) {
      parts.findings.error(parts.root.child(element),
                           fmt::format("<{}> has no modelIdentifier, which names the binary", element));
    } else {
      *own = *other;
      parts.findings.warn(parts.root.child(element), "missing identifiers",
                          fmt::format("<{}> has no modelIdentifier; '{}' is assumed", element, *other));
    }
  }
}

void read_interfaces(DescriptionParts& parts) {
  if (parts.is_v1()) return read_interface_1(parts);
  Description& description = parts.description;
  if (const auto node = single_child(parts, "ModelExchange")) {
    description.model_exchange = read_model_exchange({node, parts.findings}, parts.is_v2());
  }
  if (const auto node = single_child(parts, "CoSimulation")) {
    description.co_simulation = read_co_simulation({node, parts.findings}, parts.is_v2());
  }
  description.has_scheduled_execution = static_cast<bool>(parts.root.child("ScheduledExecution"));
  if (!description.model_exchange && !description.co_simulation) {
    parts.findings.error(parts.root, description.has_scheduled_execution
                                         ? "the FMU offers scheduled execution only, which is not supported; export "
                                           "it for co-simulation or model exchange"
                                         : "the FMU offers neither <ModelExchange> nor <CoSimulation>");
  }
  check_identifiers(parts);
}

void read_experiment(DescriptionParts& parts) {
  const auto node = single_child(parts, "DefaultExperiment");
  if (!node) return;
  static constexpr std::array<std::string_view, 4> kKnown{"startTime", "stopTime", "tolerance", "stepSize"};
  const ElementReader element(node, parts.findings);
  element.check_attributes(kKnown);
  DefaultExperiment& experiment = parts.description.experiment;
  experiment.start_time = element.finite("startTime");
  experiment.stop_time = element.finite("stopTime");
  experiment.tolerance = element.finite("tolerance");
  experiment.step_size = element.finite("stepSize");
  const auto drop_unless_positive = [&](std::optional<double>& value, const char* name) {
    if (!value || *value > 0.0) return;
    parts.findings.warn(
        node, "invalid default experiments",
        fmt::format("<DefaultExperiment>: {} is {}, but must be greater than 0; it is ignored", name, *value));
    value.reset();
  };
  drop_unless_positive(experiment.tolerance, "tolerance");
  drop_unless_positive(experiment.step_size, "stepSize");
  if (experiment.stop_time && *experiment.stop_time < experiment.start_time.value_or(0.0)) {
    parts.findings.warn(node, "invalid default experiments",
                        fmt::format("<DefaultExperiment>: it would stop at {} s, before its start; stopTime is ignored",
                                    *experiment.stop_time));
    experiment.stop_time.reset();
  }
}

void read_names(DescriptionParts& parts) {
  Description& description = parts.description;
  const ElementReader root(parts.root, parts.findings);
  root.check_attributes(parts.is_v1() ? AttributeNames(kRootAttributes1) : AttributeNames(kRootAttributes));
  root.check_children(parts.is_v1() ? AttributeNames(kRootElements1) : AttributeNames(kRootElements));
  description.model_name = root.text("modelName");
  description.description = root.text("description");
  description.author = root.text("author");
  description.model_version = root.text("version");
  description.copyright = root.text("copyright");
  description.license = root.text("license");
  description.generation_tool = root.text("generationTool");
  description.generation_time = root.text("generationDateAndTime");
  const char* own = parts.is_v3() ? "instantiationToken" : "guid";
  const char* other = parts.is_v3() ? "guid" : "instantiationToken";
  description.token = root.text(root.has(own) ? own : other);
  if (!root.has(own)) {
    parts.findings.warn(parts.root, "missing tokens",
                        fmt::format("the attribute {} is missing; the binary may refuse to start", own));
  }
  const std::string_view naming = root.text("variableNamingConvention");
  description.has_structured_names = naming == "structured";
  if (!naming.empty() && naming != "structured" && naming != "flat") {
    parts.findings.warn(parts.root, "unknown naming conventions",
                        fmt::format("variableNamingConvention is '{}'; 'flat' is assumed", naming));
  }
  if (!parts.is_v3()) description.event_indicator_count = root.reference("numberOfEventIndicators").value_or(0);
}

}  // namespace

bool is_file_name(std::string_view name) {
  return name.find_first_of("/\\") == std::string_view::npos && name.find("..") == std::string_view::npos;
}

void read_header(DescriptionParts& parts) {
  read_names(parts);
  read_interfaces(parts);
  if (parts.description.model_name.empty()) {
    const auto& exchange = parts.description.model_exchange;
    const auto& simulation = parts.description.co_simulation;
    parts.description.model_name = exchange     ? exchange->model_identifier
                                   : simulation ? simulation->model_identifier
                                                : "";
    parts.findings.warn(parts.root, "missing names", "the attribute modelName is missing");
  }
  read_experiment(parts);
  for (const auto node : single_child(parts, "LogCategories").children("Category")) {
    const ElementReader element(node, parts.findings);
    parts.description.log_categories.push_back(
        {std::string(element.text("name")), std::string(element.text("description"))});
  }
}

}  // namespace tieline::fmi
