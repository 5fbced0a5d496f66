// Connections of a model, open ends, and what components are attached to: whatever refers to `component.interface`.

#include <fmt/format.h>

#include "core/signal_members.hpp"
#include "model/model_reader.hpp"
#include "model/placement.hpp"
#include "model/settings_reader.hpp"

namespace tieline::model {

int ModelReader::add_frame(const Component& component, Level& level) {
  const Element& element = component.declaration;
  Frame frame{.name = component.name, .parent = level.frame, .declaration = element};
  if (const Element placement = element.child("Placement"); placement.exists()) {
    frame.pose = read_pose(placement, component.scope, *diagnostics_);
    if (element.has("attach")) {
      diagnostics_->error(element.place_of("attach"), "a component has either <Placement> or 'attach', not both");
    }
  }
  if (element.has("attach_at") && !element.has("attach")) {
    diagnostics_->error(element.place_of("attach_at"), "'attach_at' is only valid with 'attach'");
  }
  const int index = static_cast<int>(model_.frames.size());
  if (element.has("attach")) level.attached.push_back({index, component.scope});
  model_.frames.push_back(std::move(frame));
  return index;
}

void ModelReader::resolve_attachments(Level& level) {
  for (const auto& [index, scope] : level.attached) {
    auto& frame = model_.frames[static_cast<std::size_t>(index)];
    const auto target = resolve(level, frame.declaration, "attach", scope);
    note_detached(frame, "attach", target);
    if (!target.end) continue;
    frame.own = own_interface(level, frame, *target.end, scope);
    if (frame.own) frame.target = target.end;
  }
}

void ModelReader::note_detached(const Frame& frame, std::string_view attribute, const Target& target) {
  if (target.left_out.empty()) return;
  diagnostics_->note(
      frame.declaration.place_of(attribute),
      fmt::format("'{}' is not attached, because '{}' is disabled: it is placed where the model around it is",
                  frame.name, target.left_out));
}

std::optional<Endpoint> ModelReader::own_interface(const Level& level, const Frame& frame, const Endpoint& target,
                                                   const Scope& scope) {
  const Element& element = frame.declaration;
  if (element.has("attach_at")) {
    const Place place = element.place_of("attach_at");
    const auto text = scope.interpolate(element.get("attach_at"), place, *diagnostics_);
    if (!text) return std::nullopt;
    const auto own = resolve_text(level, frame.name.substr(level.prefix.size()) + "." + *text, "attach_at", place);
    note_detached(frame, "attach_at", own);
    return own.end;
  }
  const auto is_target = [&](const Endpoint& end) {
    return end.component == target.component && end.interface == target.interface;
  };
  const auto is_own = [&](const Endpoint& end) {
    if (end.component < 0) return false;
    const std::string& full = model_.components[static_cast<std::size_t>(end.component)].name;
    return full == frame.name || full.starts_with(frame.name + ".");
  };
  for (const auto& connection : model_.connections) {
    if (is_target(connection.from) && is_own(connection.to)) return connection.to;
    if (is_target(connection.to) && is_own(connection.from)) return connection.from;
  }
  diagnostics_->error(element.place_of("attach"),
                      fmt::format("no connection joins '{}' with '{}'; name its interface by attach_at", frame.name,
                                  model_.describe(target)));
  return std::nullopt;
}

Target ModelReader::resolve(const Level& level, const Element& element, std::string_view attribute,
                            const Scope& scope) {
  if (!element.has(attribute)) return {};
  const Place place = element.place_of(attribute);
  const auto text = scope.interpolate(element.get(attribute), place, *diagnostics_);
  return text ? resolve_text(level, *text, attribute, place) : Target{};
}

Target ModelReader::resolve_text(const Level& level, const std::string& text, std::string_view attribute,
                                 const Place& place) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) {
    diagnostics_->error(place, fmt::format("{}=\"{}\" must have the form \"component.interface\"", attribute, text));
    return {};
  }
  const std::string component = text.substr(0, dot);
  const std::string interface = text.substr(dot + 1);
  if (const auto found = level.components.find(component); found != level.components.end()) {
    return {.end = Endpoint{found->second, interface}};
  }
  if (level.left_out.contains(component)) return {.left_out = level.prefix + component};
  const auto nested = level.nested.find(component);
  if (nested == level.nested.end()) {
    diagnostics_->error(
        place, fmt::format("unknown component '{}'{}", component, document::suggestion(component, level.names())));
    return {};
  }
  const auto& exports = nested->second;
  // A member of what a nested model exports is that member of what it stands for.
  const std::string whole(core::split_member(interface).interface);
  if (const auto found = exports.interfaces.find(whole); found != exports.interfaces.end())
    return {.end = Endpoint{found->second.component, found->second.interface + interface.substr(whole.size())}};
  if (exports.left_out.contains(whole)) return {.left_out = fmt::format("{}{}", level.prefix, text)};
  if (!exports.is_complete) return {};
  std::vector<std::string> known;
  for (const auto& [name, end] : exports.interfaces) known.push_back(name);
  diagnostics_->error(place, fmt::format("the nested model '{}' exports no interface '{}'{}", component, whole,
                                         document::suggestion(whole, known)));
  return {};
}

void ModelReader::read_connection(Level& level, const Element& element, const Scope& scope) {
  Connection connection;
  connection.declaration = element;
  connection.level = level.prefix;
  const auto from = resolve(level, element, "from", scope);
  const auto to = resolve(level, element, "to", scope);
  connection.from = from.end.value_or(Endpoint{});
  connection.to = to.end.value_or(Endpoint{});
  const bool is_left_out = !from.left_out.empty() || !to.left_out.empty();
  if (element.has("name")) {
    connection.name = level.prefix + read_name(element, scope).value_or("");
  } else if ((from.end && to.end) || is_left_out) {
    const auto text = [&](std::string_view end) {
      return scope.interpolate(element.get(end), {}, *diagnostics_).value_or("");
    };
    connection.name = level.prefix + text("from") + "--" + text("to");
  }
  const bool is_enabled_here = !is_left_out && is_enabled(element, scope, "connection", connection.name);
  if (!is_enabled_here && element.get("coupling") == name_of(Coupling::glue)) {
    model_.idle_gluings.push_back(level.prefix);
  }
  if (is_left_out) {
    diagnostics_->note(element.place(),
                       fmt::format("connection '{}' is left out with the disabled '{}'", connection.name,
                                   from.left_out.empty() ? to.left_out : from.left_out));
    return;
  }
  if (!is_enabled_here) return;
  read_coupling(element, scope, connection, *diagnostics_);
  if (model_.layers && !element.has("schedule") &&
      (connection.coupling == Coupling::sampled || connection.coupling == Coupling::signal)) {
    connection.sampled.schedule = model_.layers->settings.schedule;
  }
  model_.connections.push_back(std::move(connection));
}

void ModelReader::read_open(Level& level, const Element& element, const Scope& scope) {
  const auto target = resolve(level, element, "interface", scope);
  if (!target.left_out.empty()) {
    diagnostics_->note(element.place(), fmt::format("an open end is left out with the disabled '{}'", target.left_out));
  }
  if (!target.end || !is_enabled(element, scope, "open end", model_.describe(*target.end))) return;
  const std::string_view source = element.has("results") ? "results" : "file";
  model_.open_ends.push_back({*target.end, scope, read_path(element, source, level.file, scope).value_or(""), element});
}

}  // namespace tieline::model
