#include "interchange/translate.hpp"

#include <fmt/format.h>

#include "document/expression.hpp"
#include "interchange/foreign_text.hpp"
#include "interchange/sub_models.hpp"

namespace tieline::interchange {
namespace {

using document::Diagnostics;
using document::Element;

bool is_zero(const Found& number) { return document::parse_number(document::trimmed(number.value)) == 0.0; }

/// A joint without impedance against rotation lets its ends turn freely.
void write_rotation(const Found& impedance, bool is_dead, ForeignText& text) {
  if (is_zero(impedance) && !is_dead) {
    text.writer().attribute("free_axes", "rx, ry, rz", impedance.place);
  } else {
    text.number("impedance_rotation", impedance);
  }
}

void write_connection(const Element& element, const Found& common_delay, const SubModels& sub_models,
                      ForeignText& text) {
  Diagnostics& diagnostics = text.diagnostics();
  XmlWriter& writer = text.writer();
  const Found references[] = {find(element, {"From"}), find(element, {"To"})};
  for (const Found& reference : references) {
    if (!reference.exists()) diagnostics.error(reference.place, "a <Connection> needs From and To");
  }
  if (!references[0].exists() || !references[1].exists()) return;
  End from = sub_models.end_of(references[0]);
  End to = sub_models.end_of(references[1]);
  const auto is_signal = [](const End& end) { return end.point != nullptr && end.point->domain == "signal"; };
  // In these formats a signal may be written from its reader to its source.
  const bool is_reversed =
      is_signal(from) && from.point->causality == "input" && is_signal(to) && to.point->causality == "output";
  if (is_reversed) std::swap(from, to);

  const Found own_delay = find(element, {"Delay"});
  const Found& delay = own_delay.exists() ? own_delay : common_delay;
  const Found impedance = find(element, {"Zf", "zf"});
  const Found rotational = find(element, {"Zfr", "zfr"});
  const Found damping = find(element, {"alpha", "Alpha"});
  const bool is_line = !is_signal(from) && !is_signal(to);
  const bool is_dead = is_line && is_zero(impedance);
  const bool is_spatial = is_line && ((from.point != nullptr && from.point->domain == "mechanical3d") ||
                                      (to.point != nullptr && to.point->domain == "mechanical3d"));

  text.report().translated("connections");
  writer.open("Connection", element.place());
  writer.attribute("from", from.reference, from.place);
  writer.attribute("to", to.reference, to.place);
  if (!delay.exists()) {
    diagnostics.error(element.place(), "a <Connection> needs a Delay");
  }
  if (is_line) {
    writer.attribute("coupling", "line", element.place());
    if (!impedance.exists()) diagnostics.error(element.place(), "a <Connection> of physical interfaces needs a Zf");
    if (is_dead) {
      diagnostics.warning(impedance.place,
                          fmt::format("{}=\"0\": a line without impedance carries no force, so this connection is "
                                      "disabled; give it the impedance of the joint [N s/m]",
                                      impedance.name));
      writer.attribute("enabled", "0", impedance.place);
    }
  }
  text.number("delay", delay);
  if (is_line) {
    text.number("impedance", impedance);
    if (is_spatial) write_rotation(rotational.exists() ? rotational : impedance, is_dead, text);
    text.number("damping", damping);
  }
  for (const Found& unused : {impedance, damping}) {
    if (!is_line && unused.exists()) text.keep(unused.name, unused.value, unused.place);
  }
  if (!is_spatial && rotational.exists()) text.keep(rotational.name, rotational.value, rotational.place);
  if (const Found type = find(element, {"iType"}); type.exists() && type.value != "TLM")
    text.keep("iType", type.value, type.place);
  text.keep_rest(element, {"From", "To", "Delay", "Zf", "zf", "Zfr", "zfr", "alpha", "Alpha", "iType"});
  writer.close();
}

void write_simulation(const Element& root, ForeignText& text) {
  const Element parameters = root.child("SimulationParams");
  const Element& holder = parameters.exists() ? parameters : root;
  const Found stop = find(holder, {"StopTime", "EndTime"});
  if (!stop.exists()) {
    text.diagnostics().error(stop.place, parameters.exists() ? "<SimulationParams> needs a StopTime"
                                                             : "the model needs an EndTime, or <SimulationParams>");
  }
  text.report().translated("run settings");
  text.writer().open("Simulation", holder.place());
  text.number("start", find(holder, {"StartTime"}));
  text.number("stop", stop);
  text.number("write_interval", find(holder, {"WriteTimeStep"}));
  if (parameters.exists()) text.keep_rest(parameters, {"StartTime", "StopTime", "EndTime", "WriteTimeStep"});
  text.writer().close();
}

}  // namespace

std::optional<Format> detect(const document::Document& document) {
  const Element root = document.root();
  if (root.name() != "Model") return std::nullopt;
  return root.child("SimulationParams").exists() ? Format::omtlm : Format::meta_model;
}

Translation translate(const document::Document& foreign, const std::filesystem::path& folder,
                      std::span<const model::ComponentKind> kinds, Diagnostics& diagnostics) {
  ForeignText text(foreign, folder, diagnostics);
  SubModels sub_models(text, kinds);
  XmlWriter& writer = text.writer();
  const Element root = foreign.root();
  const Element parts = root.child("SubModels");
  const Element connections = root.child("Connections");
  if (!parts.exists()) diagnostics.error(root.place(), "the model needs <SubModels>");

  const Found name = find(root, {"Name", "name"});
  const std::string our_name = name.value.empty() ? "model" : as_name(name.value);
  writer.open("CompositeModel", root.place());
  writer.attribute("name", our_name, name.place);
  writer.open("Properties", root.place());
  if (name.exists() && our_name != name.value) text.keep(name.name, name.value, name.place);
  text.keep_rest(root, {"Name", "name", "StartTime", "EndTime", "TLMDelay"},
                 {"SubModels", "Connections", "SimulationParams"});
  text.keep_rest(parts, {}, {"SubModel"}, "SubModels.");
  text.keep_rest(connections, {}, {"Connection"}, "Connections.");
  writer.close();

  writer.open("Components", parts.exists() ? parts.place() : root.place());
  for (const auto& part : parts.children("SubModel")) sub_models.declare(part);
  for (const auto& part : parts.children("SubModel")) sub_models.write(part);
  writer.close();
  if (connections.exists()) {
    writer.open("Connections", connections.place());
    const Found common_delay = find(root, {"TLMDelay"});
    for (const auto& connection : connections.children("Connection")) {
      write_connection(connection, common_delay, sub_models, text);
    }
    writer.close();
  }
  write_simulation(root, text);
  writer.close();
  return {*detect(foreign), writer.text(), writer.origins(), std::move(text.report())};
}

}  // namespace tieline::interchange
