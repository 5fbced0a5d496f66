#include "tieline/model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <system_error>

#include "builder/model_text.hpp"
#include "core/atomic_file.hpp"

namespace tieline {
namespace {

void put_line(ModelElement& element, const LineNumbers& n) {
  element.set("coupling", "line")
      .set_if("delay", n.delay)
      .set_if("stiffness", n.stiffness)
      .set_if("impedance", n.impedance);
  element.set_if("damping", n.damping).set_if("initial_force", n.initial_force).set_if("initial_flow", n.initial_flow);
  element.set_if("initial_torque", n.initial_torque);
  element.set_if("stiffness_rotation", n.stiffness_rotation).set_if("impedance_rotation", n.impedance_rotation);
  element.set_if("damping_rotation", n.damping_rotation).set_if("free_axes", n.free_axes);
  element.set_if("youngs_modulus", n.youngs_modulus).set_if("area", n.area).set_if("length", n.length);
  element.set_if("sound_speed", n.sound_speed).set_if("bulk_modulus", n.bulk_modulus).set_if("density", n.density);
  element.set_if("inductance", n.inductance).set_if("capacitance", n.capacitance);
  element.set_if("heat_capacity", n.heat_capacity).set_if("resistance", n.resistance);
}

}  // namespace

ModelValue::ModelValue(double number) {
  // The shortest text that reads as the same number; what is not finite is refused by the reader, with its place.
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  text_.assign(digits, end.ptr);
}

ModelElement& ModelElement::set(const std::string& attribute, const ModelValue& value) {
  const auto found =
      std::find_if(attributes_.begin(), attributes_.end(), [&](const auto& one) { return one.first == attribute; });
  if (found != attributes_.end()) {
    found->second = value.text();
  } else {
    attributes_.emplace_back(attribute, value.text());
  }
  return *this;
}

ModelElement& ModelElement::set_if(const std::string& attribute, const std::optional<ModelValue>& value) {
  return value ? set(attribute, *value) : *this;
}

ModelElement& ModelElement::add(const std::string& name) { return elements_.emplace_back(name); }

ModelElement& ModelElement::add(ModelElement inner) {
  elements_.push_back(std::move(inner));
  return *this;
}

ModelElement& ModelElement::set_text(std::string text) {
  text_ = std::move(text);
  return *this;
}

ModelElement* ModelElement::find(std::string_view name) {
  for (ModelElement& element : elements_) {
    if (element.name() == name) return &element;
  }
  return nullptr;
}

std::string ModelElement::get(std::string_view attribute) const {
  for (const auto& [name, text] : attributes_) {
    if (name == attribute) return text;
  }
  return {};
}

Model::Model(std::string name) : root_("CompositeModel") { root_.set("name", std::move(name)); }

ModelElement& Model::part(const std::string& name) {
  ModelElement* const known = root_.find(name);
  return known != nullptr ? *known : root_.add(name);
}

void Model::set_description(std::string text) { part("Description").set_text(std::move(text)); }

void Model::add_parameter(const std::string& name, const ModelValue& value, const std::string& unit,
                          const std::string& description) {
  ModelElement& parameter = part("Parameters").add("Parameter").set("name", name).set("value", value);
  if (!unit.empty()) parameter.set("unit", unit);
  if (!description.empty()) parameter.set("description", description);
}

ModelElement& Model::add_component(const std::string& name, const std::string& kind) {
  return part("Components").add("Component").set("name", name).set("kind", kind);
}

ModelElement& Model::add_component_of_type(const std::string& name, const std::string& type) {
  return part("Components").add("Component").set("name", name).set("type", type);
}

ModelElement& Model::add_connection(const std::string& name, const std::string& from, const std::string& to) {
  ModelElement& connection = part("Connections").add("Connection");
  if (!name.empty()) connection.set("name", name);
  return connection.set("from", from).set("to", to);
}

ModelElement& Model::add_line(const std::string& name, const std::string& from, const std::string& to,
                              const LineNumbers& numbers) {
  ModelElement& connection = add_connection(name, from, to);
  put_line(connection, numbers);
  return connection;
}

ModelElement& Model::add_sampled(const std::string& name, const std::string& from, const std::string& to,
                                 const SampledNumbers& numbers) {
  return add_connection(name, from, to)
      .set("coupling", "sampled")
      .set_if("extrapolation", numbers.extrapolation)
      .set_if("schedule", numbers.schedule)
      .set_if("step", numbers.step)
      .set_if("first", numbers.first);
}

ModelElement& Model::add_glue(const std::string& name, const std::string& from, const std::string& to,
                              const GlueNumbers& numbers) {
  return add_connection(name, from, to)
      .set("coupling", "glue")
      .set_if("joint", numbers.joint)
      .set_if("axis", numbers.axis);
}

ModelElement& Model::add_signal(const std::string& name, const std::string& from, const std::string& to,
                                const std::optional<ModelValue>& delay) {
  return add_connection(name, from, to).set_if("delay", delay);
}

ModelElement& Model::add_open_end(const std::string& interface, const std::string& as,
                                  const std::optional<ModelValue>& value) {
  return part("Connections").add("Open").set("interface", interface).set("as", as).set_if("value", value);
}

ModelElement& Model::gluing() { return part("Gluing"); }

ModelElement& Model::set_simulation(const SimulationNumbers& numbers) {
  return part("Simulation")
      .set_if("start", numbers.start)
      .set_if("stop", numbers.stop)
      .set_if("solver", numbers.solver)
      .set_if("tolerance", numbers.tolerance)
      .set_if("step", numbers.step)
      .set_if("largest_step", numbers.largest_step)
      .set_if("error_control", numbers.error_control)
      .set_if("window", numbers.window)
      .set_if("write_interval", numbers.write_interval)
      .set_if("save_interval", numbers.save_interval);
}

void Model::record(const std::string& patterns, const std::optional<ModelValue>& interval) {
  part("Simulation").add("Record").set("variables", patterns).set_if("interval", interval);
}

void Model::exclude(const std::string& patterns) { part("Simulation").add("Exclude").set("variables", patterns); }

std::string Model::to_xml() const { return builder::text_of(*this).text; }

void Model::write(const std::filesystem::path& file) const {
  const auto written = core::replace_file(file, to_xml());
  if (!written) throw std::runtime_error(fmt::format("model '{}': {}", name(), written.error().message));
}

}  // namespace tieline
