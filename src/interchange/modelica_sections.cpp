#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "document/expression.hpp"
#include "interchange/modelica_composite.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

using document::Place;
using modelica::Class;

void ModelicaComposite::write_interfaces() {
  if (exposed_.empty()) return;
  auto& writer = shared_.writer;
  writer.open("Interfaces", exposed_.front().second.place);
  std::set<std::string> known;
  for (const auto& [name, end] : exposed_) {
    if (!known.insert(name).second) {
      shared_.diagnostics.error(end.place, fmt::format("the interface '{}' of the model is connected twice inside of "
                                                       "it; it can be one interface of one component",
                                                       name));
      continue;
    }
    shared_.report.translated("interfaces of models");
    writer.open("Interface", end.place);
    writer.attribute("name", name, end.place);
    writer.attribute("of", end.text, end.place);
    writer.close();
  }
  writer.close();
}

void ModelicaComposite::write_connection(const Item& item) {
  auto& writer = shared_.writer;
  if (item.part == nullptr) {
    const bool is_signal = item.from.is_signal || item.to.is_signal;
    shared_.report.translated(is_signal ? "signals" : "connections");
    writer.open("Connection", item.from.place);
    writer.attribute("from", item.from.text, item.from.place);
    writer.attribute("to", item.to.text, item.to.place);
    if (!is_signal) {
      writer.attribute("coupling", "glue", item.from.place);
      shared_.diagnostics.note(item.from.place,
                               fmt::format("'{}' and '{}' are connected without a line between them, so they are glued",
                                           item.from.text, item.to.text));
    }
    writer.close();
    return;
  }
  const Part& part = *item.part;
  if (part.kind == Kind::boundary) return write_boundary(part);
  const Place place = part.member->place();
  const ModelicaRole& role = shared_.roles.of(part.object->type());
  for (int side = 0; side < 2; ++side) {
    if (part.ends[side].size() == 1) continue;
    const std::vector<std::string>& partners = part.ends[side];
    const std::string how = partners.empty() ? "is not connected"
                                             : fmt::format("is connected {} times, to '{}'; expected one interface",
                                                           partners.size(), fmt::join(partners, "', '"));
    shared_.diagnostics.error(
        partners.empty() ? place : part.end_places[side],
        fmt::format("the end '{}' of connection '{}' {}", side == 0 ? role.from : role.to, part.name, how));
  }
  if (part.ends[0].size() != 1 || part.ends[1].size() != 1) return;
  const StatedObject stated = stated_by(*part.object, model_, shared_);
  shared_.report.translated(role.coupling.empty() ? "signals" : "connections");
  writer.open("Connection", place);
  const auto* const vendor = vendor_annotation(part.member->element->comment.annotation);
  if (!annotated_text(vendor, "unnamed")) writer.attribute("name", part.name, place);
  writer.attribute("from", part.ends[0].front(), part.end_places[0]);
  writer.attribute("to", part.ends[1].front(), part.end_places[1]);
  if (!role.coupling.empty()) writer.attribute("coupling", role.coupling, place);
  std::string enabled = enabled_of(*part.member->element, *part.member->declared_in, model_);
  const auto is_zero = [](const StatedAttribute* number) {
    return number != nullptr && document::parse_number(number->text) == 0.0;
  };
  const auto* const impedance = stated.find("impedance");
  const bool is_dead = is_zero(impedance) && enabled.empty();
  if (is_dead) {
    enabled = "0";
    shared_.diagnostics.warning(place, fmt::format("connection '{}' has the impedance 0: a line without impedance "
                                                   "carries no force, so this connection is disabled; give it the "
                                                   "impedance of the joint [N s/m]",
                                                   part.name));
  }
  if (!enabled.empty()) writer.attribute("enabled", enabled, place);
  for (const StatedAttribute& attribute : stated.attributes) {
    if (attribute.name == "n") continue;  // of a signal, which its ends know
    if (attribute.name == "impedance_rotation" && is_zero(&attribute) && !is_dead) {
      writer.attribute("free_axes", "rx, ry, rz", attribute.place);
    } else {
      write_attribute(attribute);
    }
  }
  if (role.coupling == "line" && stated.find("delay") == nullptr && !common_delay_.empty()) {
    writer.attribute("delay", common_delay_, place);
  }
  write_annotated_attributes(*part.object, part.member->element, part.member->declared_in);
  copy_annotated(*part.object, part.member->element, part.member->declared_in, "xml", {},
                 shared_.grammar.find("Connection"));
  writer.close();
}

void ModelicaComposite::write_boundary(const Part& part) {
  auto& writer = shared_.writer;
  const Place place = part.member->place();
  if (part.ends[0].size() != 1) {
    shared_.diagnostics.error(place,
                              fmt::format("the boundary condition '{}' must be connected to one interface", part.name));
    return;
  }
  shared_.report.translated("boundary conditions");
  writer.open("Open", place);
  writer.attribute("interface", part.ends[0].front(), part.end_places[0]);
  const std::string enabled = enabled_of(*part.member->element, *part.member->declared_in, model_);
  if (!enabled.empty()) writer.attribute("enabled", enabled, place);
  for (const StatedAttribute& attribute : stated_by(*part.object, model_, shared_).attributes) {
    if (attribute.name != "n") write_attribute(attribute);
  }
  write_annotated_attributes(*part.object, part.member->element, part.member->declared_in);
  writer.close();
}

void ModelicaComposite::write_gluing() {
  for (const Part& part : parts_) {
    if (part.kind != Kind::gluing || part.object == nullptr) continue;
    shared_.report.translated("settings of gluing");
    shared_.writer.open("Gluing", part.member->place());
    for (const StatedAttribute& attribute : stated_by(*part.object, model_, shared_).attributes) {
      write_attribute(attribute);
    }
    shared_.writer.close();
  }
}

void ModelicaComposite::write_connections() {
  for (Part& part : parts_) {
    if ((part.kind != Kind::connection && part.kind != Kind::boundary) || part.is_queued || part.is_proposed ||
        part.object == nullptr) {
      continue;
    }
    shared_.diagnostics.error(
        part.member->place(),
        fmt::format("the {} '{}' is not connected to anything",
                    part.kind == Kind::connection ? "connection" : "boundary condition", part.name));
  }
  // Elements that Modelica has no word for are where they were among the others.
  std::multimap<std::size_t, std::pair<AnnotatedText, Class*>> verbatim;
  for (const Part& part : parts_) {
    if (part.kind != Kind::verbatim) continue;
    const auto* const vendor = vendor_annotation(part.member->element->comment.annotation);
    const auto at = annotated_text(vendor, "at");
    const auto position = at ? document::parse_number(at->text) : std::nullopt;
    if (!position || *position < 0.0) continue;
    for (AnnotatedText& text : annotated_list(vendor, "xml")) {
      verbatim.emplace(static_cast<std::size_t>(*position), std::pair(std::move(text), part.member->declared_in));
    }
  }
  if (items_.empty() && verbatim.empty()) return;
  shared_.writer.open("Connections", model_.type().place());
  auto next = verbatim.begin();
  std::size_t written = 0;
  const auto write_verbatim = [&](bool writes_all) {
    for (; next != verbatim.end() && (writes_all || next->first <= written); ++next, ++written) {
      const auto document = shared_.parse(next->second.first, *next->second.second);
      if (!document) continue;
      shared_.report.translated("elements kept in annotations");
      shared_.copy(document->root(), shared_.grammar.find("Connections"), *next->second.second);
    }
  };
  for (const Item& item : items_) {
    write_verbatim(false);
    write_connection(item);
    ++written;
  }
  write_verbatim(true);
  shared_.writer.close();
}

void ModelicaComposite::write_simulation(bool is_outermost, const StatedObject& stated) {
  static constexpr std::array<std::string_view, 9> kSettings{"start",         "stop",           "solver",
                                                             "tolerance",     "step",           "largest_step",
                                                             "error_control", "write_interval", "save_interval"};
  std::map<std::string, StatedAttribute> settings;
  const auto take = [&](const std::vector<StatedAttribute>& list) {
    for (const StatedAttribute& each : list) {
      const bool is_setting = std::find(kSettings.begin(), kSettings.end(), each.name) != kSettings.end();
      if (is_setting && !each.is_outer) settings[each.name] = each;
    }
  };
  take(stated.attributes);
  take(stated.inner);
  Place place = model_.type().place();
  // The last class of those that it extends, which is its own, counts.
  std::set<std::string> of_experiment;
  for (Class* const type : shared_.tree.lineage(model_.type())) {
    if (type->definition == nullptr) continue;
    const auto* const experiment = type->definition->comment.annotation.find("experiment");
    if (experiment == nullptr) continue;
    place = type->place_at(experiment->at);
    for (const auto& argument : experiment->modification.arguments) {
      static const std::map<std::string_view, std::string_view> kWords{
          {"StartTime", "start"}, {"StopTime", "stop"}, {"Tolerance", "tolerance"}, {"Interval", "write_interval"}};
      if (argument.name.parts.size() != 1 || !argument.modification.value) continue;
      const auto word = kWords.find(argument.name.parts.front());
      if (word == kWords.end()) {
        shared_.report.lost("settings of experiment", argument.name.parts.front());
        continue;
      }
      const std::string name(word->second);
      const auto known = settings.find(name);
      // What a class states goes before what the classes that it extends state.
      if (known != settings.end() && !known->second.is_default && !of_experiment.contains(name)) continue;
      of_experiment.insert(name);
      const std::string text = shared_.numbers.text({argument.modification.value.get(), &model_, type}, model_);
      if (!text.empty()) settings[name] = {.name = name, .text = text, .place = type->place_at(argument.at)};
    }
  }
  for (Class* const type : shared_.tree.lineage(model_.type())) {
    if (type->definition == nullptr) continue;
    for (const auto& [name, text] :
         annotated_map(vendor_annotation(type->definition->comment.annotation), "settings")) {
      settings[name] = {.name = name, .text = text.text, .place = type->place_at(text.at)};
    }
  }
  bool has_elements = false;
  for (Class* const type : shared_.tree.lineage(model_.type())) {
    if (type->definition == nullptr) continue;
    has_elements =
        has_elements || !annotated_list(vendor_annotation(type->definition->comment.annotation), "simulation").empty();
  }
  if (!is_outermost && !has_elements && !settings.contains("stop")) return;
  if (is_outermost && !settings.contains("stop")) {
    shared_.diagnostics.warning(place,
                                "the model does not state its stop time; it is 1 s. State "
                                "annotation(experiment(StopTime=...))");
    settings["stop"] = {.name = "stop", .text = "1", .place = place};
  }
  auto& writer = shared_.writer;
  shared_.report.translated("run settings");
  writer.open("Simulation", place);
  for (const auto name : kSettings) {
    if (const auto each = settings.find(std::string(name)); each != settings.end()) write_attribute(each->second);
  }
  copy_annotated(model_, nullptr, nullptr, "simulation", {}, shared_.grammar.find("Simulation"));
  writer.close();
}

}  // namespace tieline::interchange
