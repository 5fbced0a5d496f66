#include "interchange/modelica_writer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

#include "core/installation.hpp"
#include "document/expression.hpp"
#include "interchange/modelica_model_writer.hpp"
#include "interchange/relative_path.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

using modelica::as_string;
using modelica::quoted_identifier;

void ModelicaModelWriter::write_parameters() {
  for (const auto& parameter : model_.child("Parameters").children("Parameter")) {
    const std::string unit = parameter.get("unit");
    const auto value = number_to_modelica(parameter.get("value"), names_);
    const std::string name = parameter.get("name");
    if (!value) {
      // It needs parameters of the model around, which a class of Modelica does not know.
      file_.report.kept("parameters", name);
      kept_parameters_.push_back(file_.verbatim(parameter, "Parameters"));
      continue;
    }
    file_.report.translated("parameters");
    const std::string written = modelica_unit(unit);
    std::string text = "parameter Real " + parameters_.at(name);
    auto others = name_if_other(name, parameters_.at(name));
    if (unit_back(written) != unit) others.push_back("unit=" + as_string(unit));
    if (!unit.empty()) text += "(unit=" + as_string(written) + ")";
    text += " = " + *value;
    if (parameter.has("description")) text += " " + as_string(parameter.get("description"));
    const std::string own = vendor({}, {}, others);
    line(text + (own.empty() ? "" : " annotation(" + own + ")") + ";");
  }
}

/// What the base class is told; what `experiment` can say is left to it.
std::string ModelicaModelWriter::settings() {
  const XmlElement simulation = model_.child("Simulation");
  if (!simulation.exists()) return "";
  const auto& parameters = file_.library.parameters("Tieline.BaseModel");
  std::vector<std::string> modifications;
  for (const auto& name : simulation.attributes()) {
    const std::string value = simulation.get(name);
    const bool is_of_experiment = name == "start" || name == "stop" || name == "tolerance" || name == "write_interval";
    if (is_of_experiment && document::parse_number(value)) continue;
    const auto parameter = parameters.find(name);
    std::optional<std::string> text;
    if (parameter != parameters.end()) {
      text =
          parameter->second.second == LibraryClasses::Type::text ? as_string(value) : number_to_modelica(value, names_);
    }
    if (text) {
      modifications.push_back(parameter->second.first + "=" + *text);
    } else {
      file_.report.kept("run settings", name);
      kept_settings_.emplace_back(name, value);
    }
  }
  file_.report.translated("run settings");
  return bracketed(modifications);
}

std::string ModelicaModelWriter::model_annotation(const std::string& identifier) {
  std::vector<std::string> items;
  const XmlElement simulation = model_.child("Simulation");
  std::vector<std::string> experiment;
  static constexpr std::array<std::pair<const char*, const char*>, 4> kWords{
      {{"start", "StartTime"}, {"stop", "StopTime"}, {"tolerance", "Tolerance"}, {"write_interval", "Interval"}}};
  for (const auto& [ours, theirs] : kWords) {
    if (!simulation.exists() || !document::parse_number(simulation.get(ours))) continue;
    experiment.push_back(fmt::format("{}={}", theirs, document::trimmed(simulation.get(ours))));
  }
  if (!experiment.empty()) items.push_back("experiment" + bracketed(experiment));
  std::vector<std::pair<std::string, std::string>> attributes;
  for (const auto& name : model_.attributes()) {
    if (name != "name") attributes.emplace_back(name, model_.get(name));
  }
  std::vector<std::string> elements;
  for (const auto& child : model_.children()) {
    const std::string_view name = child.name();
    if (name != "Properties" && name != "Libraries" && name != "Gluing" && name != "Layers") continue;
    file_.report.kept("elements of models", name);
    elements.push_back(file_.verbatim(child, "CompositeModel"));
  }
  std::vector<std::string> of_simulation;
  for (const auto& child : simulation.exists() ? simulation.children() : std::vector<XmlElement>{}) {
    file_.report.kept("elements of run settings", child.name());
    of_simulation.push_back(file_.verbatim(child, "Simulation"));
  }
  std::vector<std::string> others;
  if (modelica::name_of(identifier) != model_.get("name")) others.push_back("name=" + as_string(model_.get("name")));
  if (!kept_parameters_.empty()) others.push_back("parameters=" + text_list(kept_parameters_));
  std::vector<std::string> settings;
  for (const auto& [name, text] : kept_settings_) settings.push_back(name + "=" + as_string(text));
  if (!settings.empty()) others.push_back("settings" + bracketed(settings));
  if (!of_simulation.empty()) others.push_back("simulation=" + text_list(of_simulation));
  const std::string own = vendor(attributes, elements, others);
  if (!own.empty()) items.push_back(own);
  return items.empty() ? "" : "annotation" + bracketed(items) + ";";
}

void ModelicaModelWriter::write(const std::string& identifier, const std::vector<std::string>& declared_parameters,
                                std::map<std::string, std::string> offered_identifiers) {
  for (const auto& [name, offered] : offered_identifiers) used_.insert(modelica::name_of(offered));
  reserve_names();
  for (const auto& offered : model_.child("Interfaces").children("Interface")) {
    auto& known = offered_identifiers[offered.get("name")];
    if (known.empty()) known = unique(offered.get("name"));
  }
  settle_connectors();
  const std::string description = model_.child("Description").text();
  out_ += indent_ + "model " + identifier + (description.empty() ? "" : " " + as_string(description)) + "\n";
  line("extends Tieline.BaseModel" + settings() + ";");
  for (const auto& each : declared_parameters) out_ += each + "\n";
  write_parameters();
  write_components();
  for (const auto& offered : model_.child("Interfaces").children("Interface")) {
    Connector known{.kind = interface_of(offered.get("of")), .is_declared = true};
    const auto at = reference(offered.get("of"));
    if (!at) {
      file_.diagnostics.error(offered.place(), fmt::format("the interface '{}' of '{}' cannot be written in Modelica",
                                                           offered.get("name"), offered.get("of")));
      continue;
    }
    if (known.kind.size > 1) known.size_text = std::to_string(known.kind.size);
    file_.report.translated("interfaces of models");
    known.identifier = offered_identifiers[offered.get("name")];
    write_connectors({{offered.get("name"), known}}, indent_ + "  ");
    connect(*at, known.identifier, position_of(offered.get("of")), {}, known.kind.domain);
  }
  write_connections();
  if (!equations_.empty()) out_ += indent_ + "equation\n";
  for (const auto& equation : equations_) line(equation);
  if (const std::string annotation = model_annotation(identifier); !annotation.empty()) line(annotation);
  out_ += indent_ + "end " + identifier + ";\n";
}

namespace {

std::size_t count_comments(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find("<!--"); at != text.npos; at = text.find("<!--", at + 4)) ++count;
  return count;
}

}  // namespace

core::Result<void> write_text(const ExportRequest& request, std::string_view text) {
  std::ofstream stream(request.temporary, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (stream) return {};
  return core::Error{
      .code = core::ErrorCode::input_output,
      .message = fmt::format("cannot write '{}': {}", request.file.string(), std::generic_category().message(errno))};
}

core::Result<void> write_modelica_model(const ExportRequest& request, document::Diagnostics& diagnostics) {
  ConversionReport unasked;
  const XmlElement root = request.model.document->root();
  const std::filesystem::path to = request.file.parent_path();
  ModelicaFile file{.request = request,
                    .diagnostics = diagnostics,
                    .report = request.report != nullptr ? *request.report : unasked,
                    .grammar = model::grammar(request.kinds),
                    .from = request.model.importer == nullptr ? request.model.document->file().parent_path() : to,
                    .to = to};
  const std::string name = root.get("name");
  if (!modelica::can_be_identifier(name)) {
    diagnostics.error(root.place_of("name"), fmt::format("'{}' cannot be the name of a model in Modelica", name));
    return {};
  }
  if (file.library.parameters("Tieline.Components.BaseComponent").empty()) {
    diagnostics.error({.file = core::data_path("tieline/library/modelica").string()},
                      "the library Tieline in Modelica, which comes with the program, is not there");
    return {};
  }
  std::string text =
      fmt::format("// The package Tieline, which this model uses, is in share/tieline/library/modelica.\n");
  ModelicaModelWriter(file, root, "", 0, text).write(quoted_identifier(name), {}, {});
  for (std::size_t i = 0; i < count_comments(request.model.document->source()); ++i) file.report.lost("comments");
  return write_text(request, text);
}

}  // namespace tieline::interchange
