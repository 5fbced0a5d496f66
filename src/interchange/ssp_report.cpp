#include "interchange/ssp_report.hpp"

#include <array>

#include "interchange/ssp_xml.hpp"

namespace tieline::interchange::ssp {
namespace {

using Xml = document::Element;

/// Parts of an element that nothing here reads.
void report_unread(const Xml& element, const std::string& name, ConversionReport& report) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kUnread{
      {{"ConnectorGeometry", "places of connectors"},
       {"ConnectionGeometry", "paths of connections"},
       {"SystemGeometry", "sizes of diagrams"},
       {"GraphicalElements", "other graphics"},
       {"MetaData", "metadata"},
       {"Signature", "signatures"}}};
  if (!element.exists()) return;
  for (const Xml& child : element.children()) {
    for (const auto& [local, what] : kUnread) {
      if (local_name(child) == local) report.lost(what, name);
    }
  }
}

void report_part(const Part& part, ConversionReport& report) {
  switch (part.what) {
    case Part::What::fmu:
      report.translated("FMUs");
      break;
    case Part::What::system:
      report.translated("systems");
      break;
    case Part::What::reference:
      report.translated("references to signal dictionaries");
      break;
    case Part::What::nothing:
      report.lost("components without a source", part.name);
      break;
  }
  if (!part.connectors.empty()) report.translated("connectors", part.connectors.size());
  if (!part.assignments.empty()) report.translated("parameter values", part.assignments.size());
  report_unread(part.declaration, part.name, report);
  for (const Connector& connector : part.connectors) {
    report_unread(connector.element, part.name + "." + connector.name, report);
  }
  if (!part.system) return;
  if (!part.system->dictionaries.empty()) {
    report.translated("signal dictionaries", part.system->dictionaries.size());
  }
  for (const auto& element : part.system->elements) report_part(*element, report);
  for (const Connection& connection : part.system->connections) {
    report.translated("connections");
    report_unread(connection.element, connection.start_connector + "--" + connection.end_connector, report);
  }
}

}  // namespace

ConversionReport report_of(const Structure& structure) {
  ConversionReport report;
  report_unread(structure.declaration, structure.name, report);
  if (structure.root) report_part(*structure.root, report);
  report.translated("run settings");
  return report;
}

}  // namespace tieline::interchange::ssp
