#include "fmu_export/description.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "core/installation.hpp"
#include "core/xml_text.hpp"
#include "document/units.hpp"

namespace tieline::fmu_export {
namespace {

constexpr std::array<const char*, 5> kCategories{"logAll", "logStatusError", "logStatusWarning", "logEvents",
                                                 "logInfo"};

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, core::xml_escaped(std::string(value)));
}

std::string number(double value) { return fmt::format("{}", value); }

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + fmt::format("{}", value);
  return text;
}

std::string_view causality_of(const ExportedVariable& variable, int version) {
  if (variable.is_parameter) return "parameter";
  if (variable.is_structural && version == 3) return "structuralParameter";
  switch (variable.role) {
    case Role::time:
      return "independent";
    case Role::parameter:
      return "parameter";
    case Role::input:
    case Role::wave:
    case Role::impedance:
      return "input";
    case Role::output:
    case Role::leaving:
      return "output";
    case Role::state:
    case Role::derivative:
    case Role::indicator:
      return "local";
  }
  return "";
}

std::string_view variability_of(const ExportedVariable& variable) {
  if (variable.role == Role::parameter || variable.is_parameter) return "fixed";
  if (variable.is_discrete) return "discrete";
  return "continuous";
}

/// Units that are known, with what they are in base units.
std::string units_of(const Manifest& manifest) {
  std::set<std::string> names;
  for (const ExportedVariable& variable : manifest.variables) {
    if (!variable.unit.empty()) names.insert(variable.unit);
  }
  std::string text = "  <UnitDefinitions>\n";
  for (const std::string& name : names) {
    text += "    <Unit" + attribute("name", name) + ">";
    if (const auto unit = document::parse_unit(name)) {
      static constexpr std::array<const char*, 6> kBase{"m", "kg", "s", "A", "K", "rad"};
      text += "<BaseUnit";
      for (std::size_t i = 0; i < kBase.size(); ++i) {
        if (unit->powers[i] != 0) text += fmt::format(" {}=\"{}\"", kBase[i], unit->powers[i]);
      }
      if (unit->factor != 1.0) text += attribute("factor", number(unit->factor));
      if (unit->offset != 0.0) text += attribute("offset", number(unit->offset * unit->factor));
      text += "/>";
    }
    text += "</Unit>\n";
  }
  return names.empty() ? "" : text + "  </UnitDefinitions>\n";
}

std::string categories() {
  std::string text = "  <LogCategories>\n";
  for (const char* const name : kCategories) text += fmt::format("    <Category name=\"{}\"/>\n", name);
  return text + "  </LogCategories>\n";
}

std::string experiment(const Manifest& manifest) {
  std::string text = "  <DefaultExperiment" + attribute("startTime", number(manifest.start)) +
                     attribute("stopTime", number(manifest.stop));
  if (manifest.step) text += attribute("stepSize", number(*manifest.step));
  return text + "/>\n";
}

std::string head(const Manifest& manifest, std::string_view token_name) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription" +
         attribute("fmiVersion", fmt::format("{}.0", manifest.fmi_version)) +
         attribute("modelName", manifest.model_name) + attribute(token_name, manifest.token) +
         attribute("description", manifest.description) +
         attribute("generationTool", fmt::format("Tieline {}", core::version())) + " variableNamingConvention=\"flat\"";
}

std::string flags(const Manifest& manifest, std::string_view get_and_set, std::string_view serialize) {
  std::string text = attribute("modelIdentifier", manifest.identifier);
  if (manifest.can_save) text += fmt::format(" {}=\"true\" {}=\"true\"", get_and_set, serialize);
  return text;
}

/// Numbers that each state of model exchange has among the variables.
std::vector<std::size_t> places_of(const Manifest& manifest, Role role) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < manifest.variables.size(); ++i) {
    if (manifest.variables[i].role == role) places.push_back(i);
  }
  return places;
}

/// On what an output depends, as an attribute; empty: on everything. `first` is the number of the first variable.
std::string dependencies_of(const Manifest& manifest, const ExportedVariable& output, std::size_t first) {
  // What an output is at a communication point follows from the inputs up to there, not from those of that point.
  if (!manifest.is_exchange) return " dependencies=\"\"";
  if (!output.followed) return "";
  std::string text;
  for (std::size_t i = 0; i < manifest.variables.size(); ++i) {
    const ExportedVariable& variable = manifest.variables[i];
    const bool is_followed =
        std::find(output.followed->begin(), output.followed->end(), variable.reference) != output.followed->end();
    if (variable.role != Role::state && !is_followed) continue;
    text += (text.empty() ? "" : " ") + fmt::format("{}", i + first);
  }
  return fmt::format(" dependencies=\"{}\"", text);
}

bool is_output(const ExportedVariable& variable) {
  return variable.role == Role::output || variable.role == Role::leaving;
}

/// What follows from the rest when the initialization ends.
bool is_unknown_at_start(const ExportedVariable& variable) {
  return is_output(variable) || variable.role == Role::state || variable.role == Role::derivative;
}

std::string_view initial_of(const ExportedVariable& variable) {
  if (variable.role == Role::parameter || variable.is_parameter) return " initial=\"exact\"";
  if (variable.role == Role::state || variable.role == Role::derivative) return " initial=\"calculated\"";
  return "";
}

std::string interface_2(const Manifest& manifest) {
  std::string text = flags(manifest, "canGetAndSetFMUstate", "canSerializeFMUstate");
  text += " canNotUseMemoryManagementFunctions=\"true\"";
  if (!manifest.is_exchange) {
    return "  <CoSimulation" + text +
           " canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\"/>\n";
  }
  if (manifest.has_derivatives) text += " providesDirectionalDerivative=\"true\"";
  return "  <ModelExchange" + text + "/>\n";
}

std::string description_2(const Manifest& manifest) {
  std::string text = head(manifest, "guid") +
                     fmt::format(" numberOfEventIndicators=\"{}\">\n", manifest.indicator_count) +
                     interface_2(manifest);
  text += units_of(manifest) + categories() + experiment(manifest) + "  <ModelVariables>\n";
  const std::vector<std::size_t> states = places_of(manifest, Role::state);
  std::string outputs, derivatives, unknowns;
  std::size_t index = 0;
  for (const ExportedVariable& variable : manifest.variables) {
    ++index;
    text += fmt::format("    <ScalarVariable{} valueReference=\"{}\"{} causality=\"{}\" variability=\"{}\"{}><Real{}",
                        attribute("name", variable.name), variable.reference,
                        attribute("description", variable.description), causality_of(variable, manifest.fmi_version),
                        variability_of(variable), initial_of(variable), attribute("unit", variable.unit));
    if (!variable.start.empty()) text += attribute("start", numbers(variable.start));
    if (variable.role == Role::derivative)
      text += fmt::format(" derivative=\"{}\"", states[static_cast<std::size_t>(variable.number)] + 1);
    text += "/></ScalarVariable>\n";
    const std::string unknown = fmt::format("      <Unknown index=\"{}\"", index);
    if (is_output(variable)) outputs += unknown + dependencies_of(manifest, variable, 1) + "/>\n";
    if (variable.role == Role::derivative) derivatives += unknown + "/>\n";
    if (is_unknown_at_start(variable)) unknowns += unknown + "/>\n";
  }
  const auto list = [](std::string_view name, const std::string& unknowns_of) {
    return unknowns_of.empty() ? "" : fmt::format("    <{0}>\n{1}    </{0}>\n", name, unknowns_of);
  };
  return text + "  </ModelVariables>\n  <ModelStructure>\n" + list("Outputs", outputs) +
         list("Derivatives", derivatives) + list("InitialUnknowns", unknowns) +
         "  </ModelStructure>\n</fmiModelDescription>\n";
}

std::string interface_3(const Manifest& manifest) {
  std::string text = flags(manifest, "canGetAndSetFMUState", "canSerializeFMUState");
  if (manifest.is_exchange) {
    if (manifest.has_derivatives) text += " providesDirectionalDerivatives=\"true\"";
    return "  <ModelExchange" + text + "/>\n";
  }
  text += " hasEventMode=\"true\" mightReturnEarlyFromDoStep=\"true\" canHandleVariableCommunicationStepSize=\"true\"";
  if (manifest.has_waves()) text += " providesIntermediateUpdate=\"true\" recommendedIntermediateInputSmoothness=\"1\"";
  return "  <CoSimulation" + text + "/>\n";
}

std::string description_3(const Manifest& manifest) {
  const bool has_updates = manifest.has_waves() && !manifest.is_exchange;
  std::string text = head(manifest, "instantiationToken") + ">\n" + interface_3(manifest);
  text += units_of(manifest) + categories() + experiment(manifest) + "  <ModelVariables>\n";
  const std::vector<std::size_t> states = places_of(manifest, Role::state);
  std::string outputs, derivatives, unknowns, indicators;
  for (const ExportedVariable& variable : manifest.variables) {
    text += fmt::format("    <Float64{} valueReference=\"{}\"{} causality=\"{}\" variability=\"{}\"{}",
                        attribute("name", variable.name), variable.reference,
                        attribute("description", variable.description), causality_of(variable, manifest.fmi_version),
                        variability_of(variable), initial_of(variable));
    const bool is_inner = variable.quantity != Quantity::none || !variable.end.empty() || variable.role == Role::wave ||
                          variable.role == Role::impedance || (variable.role == Role::input && !variable.is_discrete);
    if (has_updates && is_inner && variable.role != Role::leaving) text += " intermediateUpdate=\"true\"";
    text += attribute("unit", variable.unit);
    if (!variable.start.empty()) text += attribute("start", numbers(variable.start));
    if (variable.role == Role::derivative) {
      const std::size_t state = states[static_cast<std::size_t>(variable.number)];
      text += fmt::format(" derivative=\"{}\"", manifest.variables[state].reference);
    }
    text += variable.is_array ? fmt::format("><Dimension start=\"{}\"/></Float64>\n", variable.targets.size()) : "/>\n";
    const std::string reference = fmt::format(" valueReference=\"{}\"", variable.reference);
    if (is_output(variable)) outputs += "    <Output" + reference + dependencies_of(manifest, variable, 0) + "/>\n";
    if (variable.role == Role::derivative) derivatives += "    <ContinuousStateDerivative" + reference + "/>\n";
    if (variable.role == Role::indicator) indicators += "    <EventIndicator" + reference + "/>\n";
    if (is_unknown_at_start(variable)) unknowns += "    <InitialUnknown" + reference + "/>\n";
  }
  return text + "  </ModelVariables>\n  <ModelStructure>\n" + outputs + derivatives + unknowns + indicators +
         "  </ModelStructure>\n</fmiModelDescription>\n";
}

}  // namespace

std::string description_of(const Manifest& manifest) {
  return manifest.fmi_version == 3 ? description_3(manifest) : description_2(manifest);
}

std::string terminals_of(const Manifest& manifest) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons fmiVersion=\"3.0\">\n  <Terminals>\n";
  for (const ExportedTerminal& terminal : manifest.terminals) {
    text += "    <Terminal" + attribute("name", terminal.name) + " matchingRule=\"plug\"" +
            attribute("terminalKind", fmt::format("org.tieline.{}", core::names_of(terminal.domain).domain)) + ">\n";
    for (const ExportedTerminal::Member& member : terminal.members) {
      text += "      <TerminalMemberVariable" + attribute("variableName", member.variable) +
              attribute("memberName", member.name) + attribute("variableKind", member.is_inflow ? "inflow" : "signal") +
              "/>\n";
    }
    text += "    </Terminal>\n";
  }
  return text + "  </Terminals>\n</fmiTerminalsAndIcons>\n";
}

}  // namespace tieline::fmu_export
