#include "fmu_export/description.hpp"

#include <array>
#include <fmt/format.h>
#include <set>

#include "core/installation.hpp"
#include "core/xml_text.hpp"
#include "document/units.hpp"

namespace tieline::fmu_export {
namespace {

constexpr std::array<const char*, 4> kCategories{"logAll", "logStatusError", "logStatusWarning", "logInfo"};

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, core::xml_escaped(std::string(value)));
}

std::string number(double value) { return fmt::format("{}", value); }

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + fmt::format("{}", value);
  return text;
}

std::string_view causality_of(Role role) {
  switch (role) {
    case Role::time:
      return "independent";
    case Role::parameter:
      return "parameter";
    case Role::input:
    case Role::wave:
    case Role::impedance:
      return "input";
    case Role::output:
      return "output";
  }
  return "";
}

std::string_view variability_of(const ExportedVariable& variable) {
  if (variable.role == Role::parameter) return "fixed";
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
  std::string text =
      attribute("modelIdentifier", manifest.identifier) + " canHandleVariableCommunicationStepSize=\"true\"";
  if (manifest.can_save) text += fmt::format(" {}=\"true\" {}=\"true\"", get_and_set, serialize);
  return text;
}

std::string description_2(const Manifest& manifest) {
  std::string text = head(manifest, "guid") + " numberOfEventIndicators=\"0\">\n  <CoSimulation" +
                     flags(manifest, "canGetAndSetFMUstate", "canSerializeFMUstate") +
                     " canInterpolateInputs=\"true\" canNotUseMemoryManagementFunctions=\"true\"/>\n";
  text += units_of(manifest) + categories() + experiment(manifest) + "  <ModelVariables>\n";
  std::string outputs;
  std::size_t index = 0;
  for (const ExportedVariable& variable : manifest.variables) {
    ++index;
    text += fmt::format("    <ScalarVariable{} valueReference=\"{}\"{} causality=\"{}\" variability=\"{}\"",
                        attribute("name", variable.name), variable.reference,
                        attribute("description", variable.description), causality_of(variable.role),
                        variability_of(variable));
    if (variable.role == Role::parameter) text += " initial=\"exact\"";
    text += "><Real" + attribute("unit", variable.unit);
    if (!variable.start.empty()) text += attribute("start", numbers(variable.start));
    text += "/></ScalarVariable>\n";
    if (variable.role == Role::output) outputs += fmt::format("      <Unknown index=\"{}\"", index);
    if (variable.role == Role::output) outputs += "@/>\n";
  }
  text += "  </ModelVariables>\n  <ModelStructure>\n";
  if (!outputs.empty()) {
    // What an output is at a communication point follows from the inputs up to there, not from those of that point.
    const auto with = [&](std::string_view dependencies) {
      std::string list;
      for (const char c : outputs) list += c == '@' ? std::string(dependencies) : std::string(1, c);
      return list;
    };
    text += "    <Outputs>\n" + with(" dependencies=\"\"") + "    </Outputs>\n";
    text += "    <InitialUnknowns>\n" + with("") + "    </InitialUnknowns>\n";
  }
  return text + "  </ModelStructure>\n</fmiModelDescription>\n";
}

std::string description_3(const Manifest& manifest) {
  const bool has_waves = manifest.has_waves();
  std::string text = head(manifest, "instantiationToken") + ">\n  <CoSimulation" +
                     flags(manifest, "canGetAndSetFMUState", "canSerializeFMUState") + " hasEventMode=\"true\"";
  if (has_waves) text += " providesIntermediateUpdate=\"true\" recommendedIntermediateInputSmoothness=\"1\"";
  text += "/>\n" + units_of(manifest) + categories() + experiment(manifest) + "  <ModelVariables>\n";
  std::string outputs, unknowns;
  for (const ExportedVariable& variable : manifest.variables) {
    text += fmt::format("    <Float64{} valueReference=\"{}\"{} causality=\"{}\" variability=\"{}\"",
                        attribute("name", variable.name), variable.reference,
                        attribute("description", variable.description), causality_of(variable.role),
                        variability_of(variable));
    const bool is_inner = variable.quantity != Quantity::none || !variable.end.empty() || variable.role == Role::wave ||
                          variable.role == Role::impedance || (variable.role == Role::input && !variable.is_discrete);
    if (has_waves && is_inner) text += " intermediateUpdate=\"true\"";
    if (variable.role == Role::parameter) text += " initial=\"exact\"";
    text += attribute("unit", variable.unit);
    if (!variable.start.empty()) text += attribute("start", numbers(variable.start));
    text += variable.is_array ? fmt::format("><Dimension start=\"{}\"/></Float64>\n", variable.targets.size()) : "/>\n";
    if (variable.role != Role::output) continue;
    outputs += fmt::format("    <Output valueReference=\"{}\" dependencies=\"\"/>\n", variable.reference);
    unknowns += fmt::format("    <InitialUnknown valueReference=\"{}\"/>\n", variable.reference);
  }
  return text + "  </ModelVariables>\n  <ModelStructure>\n" + outputs + unknowns +
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
