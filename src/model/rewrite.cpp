#include "model/rewrite.hpp"

#include <fmt/format.h>
#include <map>

#include "core/atomic_file.hpp"
#include "core/xml_text.hpp"
#include "document/editor.hpp"
#include "document/expression.hpp"
#include "document/xml.hpp"
#include "model/tag_text.hpp"

namespace tieline::model {
namespace {

using document::Diagnostics;
using document::Element;

namespace fs = std::filesystem;

bool write_text(const fs::path& file, const std::string& text, Diagnostics& diagnostics) {
  const auto written = core::replace_file(file, text);
  if (!written) diagnostics.error({file.string(), 0, 0}, written.error().message);
  return written.has_value();
}

/// Components of one file, those in repeats included, as they are written there.
void collect_components(const Element& parent, std::vector<Element>& components) {
  for (const auto& child : parent.children()) {
    if (child.name() == "Component") components.push_back(child);
    if (child.name() == "Repeat") collect_components(child, components);
  }
}

std::vector<Element> components_of(const document::Document& document) {
  std::vector<Element> components;
  collect_components(document.root().child("Components"), components);
  return components;
}

std::map<std::string, Element> parameters_of(const document::Document& document) {
  std::map<std::string, Element> parameters;
  for (const auto& element : document.root().child("Parameters").children("Parameter")) {
    parameters[element.get("name")] = element;
  }
  for (const auto& component : components_of(document)) {
    for (const auto& element : component.children("Parameter")) {
      parameters[component.get("name") + "." + element.get("name")] = element;
    }
  }
  return parameters;
}

bool set_in_file(const fs::path& in, const fs::path& out, const std::shared_ptr<const document::Document>& document,
                 const std::map<std::string, Element>& known, std::string_view what, std::string_view name,
                 std::string_view attribute, std::string_view value, Diagnostics& diagnostics) {
  const auto found = known.find(std::string(name));
  if (found == known.end()) {
    std::vector<std::string> names;
    for (const auto& [other, element] : known) names.push_back(other);
    diagnostics.error({in.string(), 0, 0},
                      fmt::format("the file contains no {} '{}'{}", what, name, document::suggestion(name, names)));
    return false;
  }
  document::Editor editor(document);
  editor.set_attribute(found->second, attribute, value);
  return write_text(out, editor.text(), diagnostics);
}

// ---- the resolved model

void append(std::string& tag, std::string_view attribute, std::string_view value) {
  append_attribute(tag, attribute, value);
}

void append(std::string& tag, std::string_view attribute, std::optional<double> value) {
  append_attribute(tag, attribute, value);
}

/// One number along an axis, three in space.
void append_initial_load(std::string& tag, const Connection& connection) {
  const Element& element = connection.declaration;
  const auto three = [](const std::array<double, 3>& v) { return fmt::format("{}, {}, {}", v[0], v[1], v[2]); };
  if (element.has("initial_flow")) append(tag, "initial_flow", connection.line.initial_force);
  if (element.has("initial_force")) {
    const bool is_one = document::split_list(element.get("initial_force")).size() == 1;
    if (is_one) append(tag, "initial_force", connection.line.initial_force);
    if (!is_one) append(tag, "initial_force", three(connection.line.initial_force_in_space));
  }
  if (element.has("initial_torque")) append(tag, "initial_torque", three(connection.line.initial_torque));
}

/// Frames of a connection's ends, as numbers.
void append_end_frames(std::string& tag, const Connection& connection) {
  for (const bool is_to : {false, true}) {
    const auto& frame = connection.end_frames[is_to];
    if (!frame) continue;
    const Eigen::Vector3d x = frame->position, a = core::angles_of(frame->orientation);
    append(tag, is_to ? "to_position" : "from_position", fmt::format("{}, {}, {}", x.x(), x.y(), x.z()));
    append(tag, is_to ? "to_angles" : "from_angles", fmt::format("{}, {}, {}", a.x(), a.y(), a.z()));
  }
}

void append_path(std::string& tag, std::string_view attribute, const fs::path& path) {
  if (!path.empty()) append(tag, attribute, fs::absolute(path).lexically_normal().string());
}

void append_settings(std::string& tag, const Settings& settings) {
  append(tag, "solver", settings.solver.value_or(""));
  append(tag, "tolerance", settings.tolerance);
  append(tag, "step", settings.step);
  append(tag, "largest_step", settings.largest_step);
  if (settings.controls_efforts) append(tag, "error_control", *settings.controls_efforts ? "efforts" : "states");
  append(tag, "window", settings.window);
  append(tag, "write_interval", settings.write_interval);
}

/// Values that the component sees and that the outermost model does not give it.
std::string own_parameters(const CompositeModel& model, const Component& component) {
  std::map<std::string, double> outer;
  for (const auto& parameter : model.parameters) outer[parameter.name] = parameter.value;
  std::string text;
  for (const auto& name : component.scope.visible_names()) {
    Diagnostics already_reported;
    const auto value = component.scope.value_of(name, {}, already_reported);
    if (!value || (outer.contains(name) && outer[name] == *value)) continue;
    text += fmt::format("      <Parameter name=\"{}\" value=\"{}\"/>\n", name, *value);
  }
  return text;
}

/// An element as it is in its source.
std::string source_of(const Element& element) {
  const auto& source = element.document()->source();
  return source.substr(element.offset() - 1, element.end() - element.offset() + 1);
}

std::string comma_list(const Eigen::Vector3d& vector) {
  return fmt::format("{}, {}, {}", vector.x(), vector.y(), vector.z());
}

/// An element with the attributes of a pose; nothing if that is the default.
/// False if it is none.
bool append_pose(std::string& tag, const core::Pose& pose) {
  const core::Pose none;
  if (pose.position == none.position && pose.orientation.coeffs() == none.orientation.coeffs()) return false;
  append(tag, "position", comma_list(pose.position));
  append(tag, "angles", comma_list(core::angles_of(pose.orientation)));
  return true;
}

std::string resolved_pose(std::string tag, const core::Pose& pose) {
  return append_pose(tag, pose) ? tag + "/>\n" : "";
}

/// `start` of a signal with its expressions evaluated.
std::string stated_start(const DeclaredInterface& interface, const document::Scope& scope) {
  document::Diagnostics unused;  // whoever checked the model has reported what is wrong with it
  std::string text;
  for (const std::string& item : document::split_list(interface.declaration.get("start"))) {
    const auto value = scope.evaluate(item, interface.declaration.place_of("start"), unused);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", value.value_or(0.0));
  }
  return text;
}

std::string resolved_interface(const DeclaredInterface& interface, const document::Scope& scope,
                               const std::string& content) {
  std::string text = "      <Interface";
  append(text, "name", interface.name);
  append(text, "domain", core::names_of(interface.domain).domain);
  append(text, "causality", core::name_of(interface.causality));
  if (interface.domain == core::Domain::signal || interface.size > 1)
    append(text, "size", std::optional(double(interface.size)));
  if (interface.declaration.has("start")) append(text, "start", stated_start(interface, scope));
  if (content.empty()) {
    const std::string placed = resolved_pose(text, interface.pose);
    return placed.empty() ? text + "/>\n" : placed;
  }
  append_pose(text, interface.pose);
  return text + ">" + content + "</Interface>\n";
}

std::string resolved_component(const CompositeModel& model, const Component& component) {
  std::string text = "    <Component";
  append(text, "name", component.name);
  append(text, "kind", component.kind);
  if (component.has_own_file) append_path(text, "file", component.content_file);
  if (component.options) text += component.options->attributes();
  append(text, "tool", component.tool);
  append(text, "version", component.version);
  append_settings(text, component.settings);
  append_path(text, "icon", component.icon);
  append_path(text, "geometry", component.geometry);
  append(text, "diagram_x", component.diagram_x);
  append(text, "diagram_y", component.diagram_y);
  text += ">\n";
  if (!component.description.empty())
    text += fmt::format("      <Description>{}</Description>\n", core::xml_escaped(component.description));
  for (const auto& file : component.input_files) {
    text += "      <InputFile";
    append_path(text, "path", file);
    text += "/>\n";
  }
  text += own_parameters(model, component);
  if (component.options) text += component.options->elements();
  for (const auto& interface : component.declared_interfaces) {
    text += resolved_interface(interface, component.scope,
                               component.options ? component.options->elements_of(interface.name) : "");
  }
  text += resolved_pose("      <Placement", component.placement);
  if (component.content.exists() && !component.has_own_file) text += "      " + source_of(component.content) + "\n";
  return text + "    </Component>\n";
}

std::string resolved_connection(const CompositeModel& model, const Connection& connection) {
  std::string text = "    <Connection";
  // A name made of the ends comes back by itself, and is not a name that can be stated.
  if (connection.declaration.has("name")) append(text, "name", connection.name);
  append(text, "from", model.describe(connection.from));
  append(text, "to", model.describe(connection.to));
  if (connection.coupling != Coupling::signal) append(text, "coupling", name_of(connection.coupling));
  append(text, "delay", connection.delay);
  if (connection.coupling == Coupling::line) {
    const auto& line = connection.line;
    append(text, "stiffness", line.stiffness);
    append(text, "impedance", line.impedance);
    append(text, "youngs_modulus", line.youngs_modulus);
    append(text, "area", line.area);
    append(text, "length", line.length);
    append(text, "sound_speed", line.sound_speed);
    append(text, "bulk_modulus", line.bulk_modulus);
    append(text, "density", line.density);
    append(text, "inductance", line.inductance);
    append(text, "capacitance", line.capacitance);
    append(text, "heat_capacity", line.heat_capacity);
    append(text, "resistance", line.resistance);
    append(text, "damping", line.damping);
    append(text, "stiffness_rotation", line.stiffness_rotation);
    append(text, "impedance_rotation", line.impedance_rotation);
    append(text, "damping_rotation", line.damping_rotation);
    if (connection.declaration.has("free_axes")) append(text, "free_axes", connection.declaration.get("free_axes"));
    append_initial_load(text, connection);
  }
  append_end_frames(text, connection);
  if (connection.coupling == Coupling::sampled) {
    append(text, "extrapolation", core::name_of(connection.sampled.extrapolation));
    append(text, "schedule", core::name_of(connection.sampled.schedule));
    append(text, "step", connection.sampled.step);
  }
  if (connection.coupling == Coupling::signal && connection.declaration.has("extrapolation"))
    append(text, "extrapolation", core::name_of(connection.sampled.extrapolation));
  if (connection.coupling == Coupling::sampled || connection.coupling == Coupling::signal) {
    if (connection.declaration.has("first")) append(text, "first", connection.declaration.get("first"));
  }
  append(text, "scale", connection.signal.scale);
  append(text, "offset", connection.signal.offset);
  if (!connection.signal.from_unit.empty()) append(text, "from_unit", connection.signal.from_unit);
  if (!connection.signal.to_unit.empty()) append(text, "to_unit", connection.signal.to_unit);
  // What a connection in space has; others may not state it.
  if (connection.declaration.has("joint")) append(text, "joint", core::name_of(connection.glue.joint));
  if (connection.declaration.has("axis")) append(text, "axis", connection.declaration.get("axis"));
  if (connection.declaration.has("leads")) append(text, "leads", connection.declaration.get("leads"));
  return text + "/>\n";
}

std::string resolved_open_end(const CompositeModel& model, const OpenEnd& open) {
  const Element& element = open.declaration;
  std::string text = "    <Open";
  append(text, "interface", model.describe(open.of));
  for (const auto attribute : {"as", "value", "variable"}) append(text, attribute, element.get(attribute));
  append_path(text, element.has("results") ? "results" : "file", open.record);
  return text + "/>\n";
}

/// The format has no word for the settings of a flattened model: they stand under a comment with its name.
std::string resolved_gluing(const Gluing& gluing) {
  const core::GluingSettings& settings = gluing.settings;
  std::string text;
  if (!gluing.level.empty())
    text = fmt::format("  <!-- within {} -->\n", gluing.level.substr(0, gluing.level.size() - 1));
  text += "  <Gluing";
  append(text, "step", settings.step);
  append(text, "step_tolerance", settings.step_tolerance);
  append(text, "smallest_step", settings.smallest_step);
  append(text, "largest_step", settings.largest_step);
  append(text, "compatibility", core::name_of(settings.compatibility));
  append(text, "forces", core::name_of(settings.forces));
  append(text, "update", core::name_of(settings.update));
  append(text, "refresh", core::name_of(settings.refresh));
  append(text, "iterations", std::optional(double(settings.iterations)));
  append(text, "tolerance", settings.tolerance);
  append(text, "absolute_tolerance", settings.absolute_tolerance);
  append(text, "perturbation", settings.perturbation);
  append(text, "least_perturbation", settings.least_perturbation);
  append(text, "most_trials", std::optional(double(settings.most_trials)));
  append(text, "most_seconds", settings.most_seconds);
  return text + "/>\n";
}

std::string resolved_layers(const Layers& layers) {
  std::string text = "  <Layers";
  append(text, "schedule", core::name_of(layers.settings.schedule));
  append(text, "step", layers.settings.step);
  if (layers.settings.schedule == core::Schedule::layers) {
    append(text, "tolerance", std::optional(layers.settings.tolerance));
    append(text, "corrections", std::optional(double(layers.settings.corrections)));
  }
  return text + "/>\n";
}

std::string resolved_simulation(const SimulationSettings& simulation) {
  std::string text = "  <Simulation";
  append(text, "start", std::optional(simulation.start));
  append(text, "stop", std::optional(simulation.stop));
  append_settings(text, simulation.defaults);
  append(text, "save_interval", simulation.save_interval);
  if (simulation.record.empty()) return text + "/>\n";
  text += ">\n";
  for (const auto& rule : simulation.record) {
    text += rule.is_exclusion ? "    <Exclude" : "    <Record";
    append(text, "variables", fmt::format("{}", fmt::join(rule.patterns, ", ")));
    append(text, "interval", rule.interval);
    text += "/>\n";
  }
  return text + "  </Simulation>\n";
}

}  // namespace

bool set_parameter_in_file(const std::filesystem::path& in, const std::filesystem::path& out, std::string_view name,
                           std::string_view value, document::Diagnostics& diagnostics) {
  const auto document = document::Document::load(in, diagnostics);
  return document &&
         set_in_file(in, out, document, parameters_of(*document), "parameter", name, "value", value, diagnostics);
}

bool set_component_attribute_in_file(const std::filesystem::path& in, const std::filesystem::path& out,
                                     std::string_view component, std::string_view attribute, std::string_view value,
                                     document::Diagnostics& diagnostics) {
  const auto document = document::Document::load(in, diagnostics);
  if (!document) return false;
  std::map<std::string, Element> components;
  for (const auto& element : components_of(*document)) components[element.get("name")] = element;
  return set_in_file(in, out, document, components, "component", component, attribute, value, diagnostics);
}

bool add_interfaces_in_file(const std::filesystem::path& in, const std::filesystem::path& out,
                            std::string_view component, std::span<const std::string> tags,
                            document::Diagnostics& diagnostics) {
  const auto document = document::Document::load(in, diagnostics);
  if (!document) return false;
  for (const auto& element : components_of(*document)) {
    if (element.get("name") != component) continue;
    document::Editor editor(document);
    editor.append_children(element, tags);
    return write_text(out, editor.text(), diagnostics);
  }
  diagnostics.error({in.string(), 0, 0}, fmt::format("the file contains no component '{}'", component));
  return false;
}

std::string resolved_model_xml(const CompositeModel& model) {
  std::string text = "<CompositeModel";
  append(text, "name", model.name);
  text += ">\n";
  if (!model.description.empty())
    text += fmt::format("  <Description>{}</Description>\n", core::xml_escaped(model.description));
  text += "  <Parameters>\n";
  for (const auto& parameter : model.parameters) {
    text += "    <Parameter";
    append(text, "name", parameter.name);
    append(text, "value", std::optional(parameter.value));
    append(text, "unit", parameter.unit);
    append(text, "description", parameter.description);
    text += "/>\n";
  }
  text += "  </Parameters>\n  <Components>\n";
  for (const auto& component : model.components) text += resolved_component(model, component);
  text += "  </Components>\n";
  if (!model.interfaces.empty()) {
    text += "  <Interfaces>\n";
    for (const auto& interface : model.interfaces) {
      text += "    <Interface";
      append(text, "name", interface.name);
      append(text, "of", model.describe(interface.of));
      text += "/>\n";
    }
    text += "  </Interfaces>\n";
  }
  text += "  <Connections>\n";
  for (const auto& connection : model.connections) text += resolved_connection(model, connection);
  for (const auto& open : model.open_ends) text += resolved_open_end(model, open);
  text += "  </Connections>\n";
  for (const auto& gluing : model.gluings) text += resolved_gluing(gluing);
  if (model.layers) text += resolved_layers(*model.layers);
  text += resolved_simulation(model.simulation) + "</CompositeModel>\n";
  text.shrink_to_fit();  // a report keeps it
  return text;
}

}  // namespace tieline::model
