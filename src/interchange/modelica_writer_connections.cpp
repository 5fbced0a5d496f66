#include <algorithm>
#include <fmt/format.h>

#include "interchange/modelica_model_writer.hpp"
#include "interchange/relative_path.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

using modelica::as_string;
using modelica::quoted_identifier;

/// An end of a connection as a reference of Modelica; nothing: its component is not declared here.
std::optional<std::string> ModelicaModelWriter::reference(const std::string& text) const {
  const auto end = parse_end(text);
  if (!end || !positions_.contains(end->component)) return std::nullopt;
  const auto& list = connectors_.at(end->component);
  const auto known =
      std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.first == end->interface; });
  if (known == list.end()) return std::nullopt;
  std::string result = identifiers_.at(end->component) + "." + known->second.identifier;
  if (end->member > 0) result += fmt::format("[{}]", end->member);
  return result;
}

Position ModelicaModelWriter::position_of(const std::string& text) const {
  const auto end = parse_end(text);
  const auto known = end ? positions_.find(end->component) : positions_.end();
  return known != positions_.end() ? known->second : Position{};
}

void ModelicaModelWriter::connect(const std::string& a, const std::string& b, const Position& from, const Position& to,
                                  const std::string& domain) {
  static const std::map<std::string, std::string> kColours{
      {"translation", "0,127,0"}, {"rotation", "95,95,95"}, {"mechanical3d", "120,60,20"}, {"hydraulic", "0,90,200"},
      {"electrical", "0,0,255"},  {"thermal", "191,0,0"},   {"signal", "0,0,127"}};
  const auto colour = kColours.find(domain);
  equations_.push_back(fmt::format("connect({}, {}) annotation(Line(points={{{{{},{}}},{{{},{}}}}}, color={{{}}}));", a,
                                   b, from.x, from.y, to.x, to.y, colour != kColours.end() ? colour->second : "0,0,0"));
}

bool ModelicaModelWriter::write_connection(const XmlElement& connection) {
  const auto from = reference(connection.get("from"));
  const auto to = reference(connection.get("to"));
  if (!from || !to || connection.get("name").find_first_of("{}") != std::string::npos) return false;
  const std::string coupling = connection.get("coupling");
  const bool is_signal = coupling.empty();
  ExportedInterface kind = interface_of(connection.get("from"));
  if (kind.domain.empty()) kind = interface_of(connection.get("to"));
  if (is_signal) kind.domain = "signal";
  file_.report.translated(is_signal ? "signals" : "connections");
  const Position start = position_of(connection.get("from"));
  const Position stop = position_of(connection.get("to"));
  const auto attributes = connection.attributes();
  if (is_signal && attributes.size() == 2 && connection.children().empty()) {
    connect(*from, *to, start, stop, kind.domain);
    return true;
  }
  static const std::map<std::string, std::string> kPackages{
      {"line", "Lines"}, {"sampled", "Sampled"}, {"glue", "Glue"}};
  const auto package = kPackages.find(coupling);
  if (!is_signal && package == kPackages.end()) return false;
  const std::string type = is_signal ? "Tieline.Connections.Signal"
                                     : "Tieline.Connections." + package->second + "." + class_of_domain(kind.domain);
  Declaration declaration;
  add_attributes(connection, type, "Connection", {"name", "from", "to", "coupling", "enabled"}, declaration);
  const bool is_named = connection.has("name");
  const std::string name = unique(is_named ? connection.get("name") : "connection");
  const auto end = parse_end(connection.get("from"));
  if (is_signal && end->member == 0 && kind.size > 1)
    declaration.modifications.push_back(fmt::format("n={}", kind.size));
  for (const auto& child : connection.children()) {
    file_.report.kept("elements of connections", child.name());
    declaration.elements.push_back(file_.verbatim(child, "Connection"));
  }
  std::vector<std::string> others{"unnamed=\"true\""};
  if (is_named) others = name_if_other(connection.get("name"), name);
  const std::string own = vendor(declaration.attributes, declaration.elements, others);
  const Position middle{0.5 * (start.x + stop.x), 0.5 * (start.y + stop.y)};
  line(fmt::format("{} {}{}{} annotation({}{}{});", type, name, bracketed(declaration.modifications),
                   declaration.enabled, placement(middle, 5.0), own.empty() ? "" : ", ", own));
  const bool is_one_number = is_signal && (end->member > 0 || kind.size <= 1);
  connect(*from, name + ".from" + (is_one_number ? "[1]" : ""), start, middle, kind.domain);
  connect(name + ".to" + (is_one_number ? "[1]" : ""), *to, middle, stop, kind.domain);
  return true;
}

bool ModelicaModelWriter::write_open(const XmlElement& open) {
  const auto at = reference(open.get("interface"));
  if (!at) return false;
  ExportedInterface kind = interface_of(open.get("interface"));
  if (open.get("as") == "signal") kind.domain = "signal";
  const bool is_signal = kind.domain == "signal";
  Declaration declaration;
  const std::string type = "Tieline.Boundaries." + (is_signal ? "Signal" : class_of_domain(kind.domain));
  add_attributes(open, type, "Open", {"interface", "enabled"}, declaration);
  const auto end = parse_end(open.get("interface"));
  const bool is_one_number = end->member > 0 || kind.size <= 1;
  if (is_signal && !is_one_number) declaration.modifications.push_back(fmt::format("n={}", kind.size));
  const std::string name = unique("boundary");
  const Position of_end = position_of(open.get("interface"));
  const Position where{of_end.x - 0.5 * kDiagramUnit, of_end.y};
  const std::string own = vendor(declaration.attributes, {});
  file_.report.translated("boundary conditions");
  line(fmt::format("{} {}{}{} annotation({}{}{});", type, name, bracketed(declaration.modifications),
                   declaration.enabled, placement(where, 5.0), own.empty() ? "" : ", ", own));
  connect(name + ".port" + (is_signal && is_one_number ? "[1]" : ""), *at, where, of_end, kind.domain);
  return true;
}

void ModelicaModelWriter::write_connections() {
  int at = 0;
  for (const auto& child : model_.child("Connections").children()) {
    const bool is_written =
        (child.name() == "Connection" && write_connection(child)) || (child.name() == "Open" && write_open(child));
    if (!is_written) write_verbatim(child, "Connections", at);
    ++at;
  }
}

}  // namespace tieline::interchange
