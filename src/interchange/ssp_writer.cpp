#include "interchange/ssp_writer.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/name_list.hpp"
#include "interchange/foreign_text.hpp"
#include "interchange/ssp_xml.hpp"
#include "model/fmu_mode.hpp"

namespace tieline::interchange::ssp {
namespace {

using document::Place;

/// Systems around a part, the nearest first.
std::vector<const System*> systems_around(const Part& part) {
  std::vector<const System*> systems;
  for (const System* system = part.parent; system != nullptr; system = system->self->parent) systems.push_back(system);
  return systems;
}

/// The smallest system that contains both.
const System* common_system(const Part& a, const Part& b) {
  const auto around = systems_around(b);
  for (const System* system : systems_around(a)) {
    if (std::find(around.begin(), around.end(), system) != around.end()) return system;
  }
  return nullptr;
}

// A unit of pure numbers: nothing is converted between equal units.
constexpr std::string_view kNoUnit = "m/m";

std::string unit_of(const Part& part, const std::string& variable) {
  const auto scalars = part.fmu->scalars_of(variable);
  const std::uint32_t index =
      scalars.empty() ? part.fmu->index_of(variable.substr(0, variable.rfind('['))) : scalars.front().variable;
  return index != fmi::kNone ? part.fmu->variables[index].unit : "";
}

std::string list_of(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  return text;
}

}  // namespace

void ModelWriter::attribute(std::string_view name, std::string_view value, const Place& place) {
  if (!value.empty()) writer_.attribute(name, value, place);
}

void ModelWriter::number(std::string_view name, double value, const Place& place) {
  writer_.attribute(name, fmt::format("{}", value), place);
}

ModelWriter::Level& ModelWriter::level_of(const System& system) {
  const auto [level, is_new] = levels_.try_emplace(&system);
  if (is_new) {
    for (const auto& element : system.elements) level->second.component_names.insert(element->our_name);
  }
  return level->second;
}

/// Outputs, inputs and tunable parameters are interfaces by themselves; others must be declared.
std::string ModelWriter::own_interface(const Part& part, const std::string& variable, const Place& place) {
  if (variable.find_first_of("{}") != variable.npos) {
    diagnostics_.error(place, fmt::format("variable '{}' of '{}' cannot be connected: its name contains a brace",
                                          variable, part.name));
    return variable;
  }
  const std::string whole = variable.substr(0, variable.find('['));
  const auto scalars = part.fmu->scalars_of(variable);
  const std::uint32_t index = scalars.empty() ? part.fmu->index_of(whole) : scalars.front().variable;
  if (index == fmi::kNone) return variable;
  const fmi::Variable& found = part.fmu->variables[index];
  if (found.causality == fmi::Causality::input || found.causality == fmi::Causality::output ||
      fmi::is_tunable_parameter(found)) {
    return variable;
  }
  auto& declared = declared_[&part];
  if (const auto known = declared.find(variable); known != declared.end()) return known->second;
  std::string name = as_name(variable);
  const auto is_taken = [&](const std::string& wanted) {
    if (wanted != variable && part.fmu->index_of(wanted) != fmi::kNone) return true;
    return std::any_of(declared.begin(), declared.end(), [&](const auto& other) { return other.second == wanted; });
  };
  for (int k = 2; is_taken(name); ++k) name = fmt::format("{}_{}", as_name(variable), k);
  declared.emplace(variable, name);
  return name;
}

std::string ModelWriter::exported(const System& system, const std::string& what, const std::string& wish) {
  Level& level = level_of(system);
  const auto [known, is_new] = level.interface_of.try_emplace(what);
  if (!is_new) return known->second;
  std::string name = as_name(wish);
  for (int k = 2; !level.interface_names.insert(name).second; ++k) name = fmt::format("{}_{}", as_name(wish), k);
  known->second = name;
  level.interfaces.emplace_back(name, what);
  return name;
}

std::string ModelWriter::reference(const System& level, const Part& part, const std::string& variable,
                                   const Route& route) {
  std::string name = own_interface(part, variable, route.place);
  std::string text = part.our_name + "." + name;
  for (const System* system = part.parent; system != &level; system = system->self->parent) {
    const auto passed = route.passed.find(system);
    const std::string wish = passed != route.passed.end() ? passed->second : part.our_name + "-" + name;
    text = system->self->our_name + "." + exported(*system, text, wish);
  }
  return text;
}

/// Puts blocks into a level; returns the component's name.
std::string ModelWriter::converter(const System& system, const Route& route) {
  Level& level = level_of(system);
  const std::string wish =
      route.sink != nullptr ? as_name(route.sink->our_name + "-" + route.sink_variable) : as_name(route.sink_variable);
  std::string name = wish;
  for (int k = 2; !level.component_names.insert(name).second; ++k) name = fmt::format("{}_{}", wish, k);
  level.converters.push_back({name, &route.transformation, route.size, route.place});
  return name;
}

void ModelWriter::plan(const Route& route) {
  const System& root = *structure_.root->system;
  if (route.source == nullptr) {
    const std::string to = reference(root, *route.sink, route.sink_variable, route);
    (void)exported(root, to, route.source_variable);
    return;
  }
  if (route.sink == nullptr) {
    std::string from = reference(root, *route.source, route.source_variable, route);
    if (!route.transformation.is_identity()) {
      const std::string name = converter(root, route);
      level_of(root).connections.push_back({.from = from, .to = name + ".u", .place = route.place});
      from = name + ".y";
    }
    // A source that has several names gets the first.
    (void)exported(root, from, route.sink_variable);
    return;
  }
  const System& system = *common_system(*route.source, *route.sink);
  const std::string from = reference(system, *route.source, route.source_variable, route);
  connect(system, route, from, reference(system, *route.sink, route.sink_variable, route));
}

/// One factor and one number are the connection's own; tables need blocks.
void ModelWriter::connect(const System& level, const Route& route, const std::string& from, const std::string& to) {
  std::vector<Connected>& connections = level_of(level).connections;
  const auto& steps = route.transformation.steps();
  if (steps.empty() || (steps.size() == 1 && steps.front().table.empty())) {
    Connected connected{.from = from, .to = to, .place = route.place};
    if (!steps.empty()) {
      connected.scale = steps.front().factor;
      connected.offset = steps.front().offset;
    }
    const std::string own = unit_of(*route.source, route.source_variable);
    const std::string other = unit_of(*route.sink, route.sink_variable);
    connected.has_units = !own.empty() && !other.empty() && own != other;
    connections.push_back(std::move(connected));
    return;
  }
  const std::string name = converter(level, route);
  level_of(level).connections.push_back({.from = from, .to = name + ".u", .place = route.place});
  level_of(level).connections.push_back({.from = name + ".y", .to = to, .place = route.place});
}

void ModelWriter::write_description(const document::Element& declaration) {
  const std::string text = declaration.get("description");
  if (text.empty()) return;
  writer_.open("Description", declaration.place_of("description"));
  writer_.content(text);
  writer_.close();
}

/// The middle of its box; the axis y of SSP points up, that of diagrams down.
void ModelWriter::write_position(const document::Element& declaration) {
  const document::Element geometry = child_named(declaration, "ElementGeometry");
  if (!geometry.exists()) return;
  document::Diagnostics found;
  const auto x1 = number_of(geometry, "x1", found), x2 = number_of(geometry, "x2", found);
  const auto y1 = number_of(geometry, "y1", found), y2 = number_of(geometry, "y2", found);
  diagnostics_.take(found, true);
  if (!x1 || !x2 || !y1 || !y2) return;
  number("diagram_x", 0.5 * (*x1 + *x2), geometry.place());
  number("diagram_y", 0.0 - 0.5 * (*y1 + *y2), geometry.place());
}

void ModelWriter::write_fmu(const Part& part) {
  const document::Element& declaration = part.declaration;
  attribute("kind", model::kFmuKind, declaration.place());
  attribute("file", part.file, declaration.place_of("source"));
  // A model exchange FMU that is solved here needs no step.
  const bool steps = part.step && part.fmu && part.fmu->co_simulation && part.mode != model::kModelExchange;
  if (steps) number("step", *part.step, declaration.place());
  write_position(declaration);
  attribute("icon", part.icon, declaration.place());
  write_description(declaration);
  const bool both = part.fmu && part.fmu->model_exchange && part.fmu->co_simulation;
  const std::string mode = !part.mode.empty()                                  ? part.mode
                           : both && (structure_.experiment.step || part.step) ? std::string(model::kCoSimulation)
                                                                               : std::string();
  if (!mode.empty()) {
    writer_.open("Fmu", declaration.place());
    attribute("mode", mode, declaration.place_of("implementation"));
    writer_.close();
  }
  if (const auto starts = routes_.starts.find(&part); starts != routes_.starts.end()) {
    for (const Start& start : starts->second) {
      const bool is_text = start.texts.size() > 1 && part.fmu->find(start.variable) != nullptr &&
                           part.fmu->find(start.variable)->type == fmi::Type::string;
      for (std::size_t k = 0; k < (is_text ? start.texts.size() : 1); ++k) {
        std::string text = start.texts[k];
        for (std::size_t j = 1; !is_text && j < start.texts.size(); ++j) text += " " + start.texts[j];
        writer_.open("Start", start.place);
        writer_.attribute("variable", is_text ? fmt::format("{}[{}]", start.variable, k + 1) : start.variable,
                          start.place);
        writer_.attribute("value", text, start.place);
        writer_.close();
      }
    }
  }
  const auto declared = declared_.find(&part);
  if (declared == declared_.end()) return;
  for (const auto& [variable, name] : declared->second) {
    writer_.open("Interface", declaration.place());
    attribute("name", name, declaration.place());
    attribute("domain", "signal", declaration.place());
    attribute("causality", "output", declaration.place());
    writer_.open("Map", declaration.place());
    attribute("value", core::quoted_if_needed(variable), declaration.place());
    writer_.close();
    writer_.close();
  }
}

void ModelWriter::write_part(const Part& part) {
  const bool is_run = (part.what == Part::What::fmu && part.fmu) || part.system;
  if (!is_run) return;
  writer_.open("Component", part.declaration.place());
  writer_.attribute("name", part.our_name, part.declaration.place_of("name"));
  if (part.what == Part::What::fmu) {
    write_fmu(part);
  } else {
    attribute("kind", "composite", part.declaration.place());
    write_position(part.declaration);
    attribute("icon", part.icon, part.declaration.place());
    write_description(part.declaration);
    write_system(part);
  }
  writer_.close();
}

/// Tables are exact at every number that they have, and linear in between: a number that is not whole is none of them.
void ModelWriter::write_converter(const Converter& converter) {
  const Place& place = converter.place;
  writer_.open("Component", place);
  attribute("name", converter.name, place);
  attribute("kind", "blocks", place);
  writer_.open("Blocks", place);
  writer_.open("Input", place);
  attribute("name", "u", place);
  if (converter.size > 1) number("size", static_cast<double>(converter.size), place);
  writer_.close();
  std::string last = "u";
  int count = 0;
  for (const Step& step : converter.transformation->steps()) {
    const std::string name = fmt::format("step{}", ++count);
    if (step.table.empty()) {
      std::string value;
      for (std::size_t k = 1; k <= converter.size; ++k) {
        const std::string input = converter.size == 1 ? last : fmt::format("{}[{}]", last, k);
        value += fmt::format("{}{{{}*{}{}}}", k == 1 ? "" : ", ", step.factor, input,
                             step.offset != 0.0 ? fmt::format("{:+}", step.offset) : "");
      }
      writer_.open("Function", place);
      attribute("name", name, place);
      if (last != "u") attribute("inputs", last, place);
      attribute("value", value, place);
      writer_.close();
    } else {
      if (converter.size > 1) diagnostics_.error(place, "a mapping of values is supported for single numbers only");
      std::map<double, double> change;
      for (const auto& [from, to] : step.table) {
        change.try_emplace(from - 1.0, 0.0);
        change[from] = to - from;
        change.try_emplace(from + 1.0, 0.0);
      }
      std::vector<double> x, y;
      for (const auto& [at, by] : change) {
        x.push_back(at);
        y.push_back(by);
      }
      writer_.open("Table", place);
      attribute("name", name + "_table", place);
      attribute("input", last, place);
      attribute("x", list_of(x), place);
      attribute("y", list_of(y), place);
      writer_.close();
      writer_.open("Sum", place);
      attribute("name", name, place);
      attribute("inputs", fmt::format("{0}, {1}_table", last, name), place);
      writer_.close();
    }
    last = name;
  }
  writer_.open("Output", place);
  attribute("name", "y", place);
  attribute("of", last, place);
  writer_.close();
  writer_.close();
  writer_.close();
}

/// The content of a model, without what only the outermost one has.
void ModelWriter::write_system(const Part& part) {
  const Place place = part.declaration.place();
  const bool is_root = part.parent == nullptr;
  if (!is_root) {
    writer_.open("CompositeModel", place);
    writer_.attribute("name", part.our_name, part.declaration.place_of("name"));
  }
  const Level& level = level_of(*part.system);
  writer_.open("Components", place);
  for (const auto& element : part.system->elements) write_part(*element);
  for (const Converter& each : level.converters) write_converter(each);
  writer_.close();
  if (!level.interfaces.empty()) {
    writer_.open("Interfaces", place);
    for (const auto& [name, what] : level.interfaces) {
      writer_.open("Interface", place);
      writer_.attribute("name", name, place);
      writer_.attribute("of", what, place);
      writer_.close();
    }
    writer_.close();
  }
  if (!level.connections.empty()) {
    writer_.open("Connections", place);
    for (const Connected& each : level.connections) {
      writer_.open("Connection", each.place);
      writer_.attribute("from", each.from, each.place);
      writer_.attribute("to", each.to, each.place);
      if (each.scale != 1.0) number("scale", each.scale, each.place);
      if (each.offset != 0.0) number("offset", each.offset, each.place);
      for (const char* name : {"from_unit", "to_unit"}) {
        if (each.has_units) writer_.attribute(name, kNoUnit, each.place);
      }
      writer_.close();
    }
    writer_.close();
  }
  if (!is_root) writer_.close();
}

void ModelWriter::write_properties() {
  const document::Element& declaration = structure_.declaration;
  bool is_open = false;
  for (const char* name :
       {"author", "fileversion", "copyright", "license", "generationTool", "generationDateAndTime"}) {
    if (declaration.get(name).empty()) continue;
    if (!is_open) writer_.open("Properties", declaration.place());
    is_open = true;
    writer_.open("Property", declaration.place_of(name));
    writer_.attribute("name", name, declaration.place_of(name));
    writer_.attribute("value", declaration.get(name), declaration.place_of(name));
    writer_.close();
  }
  if (is_open) writer_.close();
}

void ModelWriter::write(double start, double stop) {
  for (const Route& route : routes_.routes) plan(route);
  const Place place = structure_.declaration.place();
  const std::string name = structure_.name.empty() ? structure_.root->name : structure_.name;
  writer_.open("CompositeModel", place);
  writer_.attribute("name", name.empty() ? "model" : as_name(name), place);
  write_description(structure_.declaration.get("description").empty() ? structure_.root->declaration
                                                                      : structure_.declaration);
  write_properties();
  write_system(*structure_.root);
  const Experiment& experiment = structure_.experiment;
  const Place of_run = experiment.element.exists() ? experiment.element.place() : place;
  writer_.open("Simulation", of_run);
  number("start", start, of_run);
  number("stop", stop, of_run);
  if (experiment.step) number("step", *experiment.step, of_run);
  if (experiment.tolerance) number("tolerance", *experiment.tolerance, of_run);
  writer_.close();
  writer_.close();
}

}  // namespace tieline::interchange::ssp
