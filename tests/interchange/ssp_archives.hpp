#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interchange/importer.hpp"
#include "support/temporary_folder.hpp"
#include "support/zip_bytes.hpp"

namespace tieline::interchange::test {

inline const std::string kSspSpaces =
    R"(xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping" xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary")";

/// Units and enumerations for the content of a structure, behind its <System>.
inline const std::string kSspUnits = R"(
<ssd:Enumerations><ssc:Enumeration name="Gear"><ssc:Item name="low" value="10"/><ssc:Item name="high" value="20"/></ssc:Enumeration></ssd:Enumerations>
<ssd:Units><ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="1e-3"/></ssc:Unit>
<ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit><ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit></ssd:Units>)";

/// A description on one line for each part, so that places are easy to state: the system starts on line 2.
inline std::string structure_of(const std::string& system, const std::string& more = kSspUnits) {
  return "<ssd:SystemStructureDescription " + kSspSpaces + " name=\"demo\" version=\"1.0\">\n" + system + more +
         "<ssd:DefaultExperiment startTime=\"1\" stopTime=\"3\"/></ssd:SystemStructureDescription>";
}

/// An FMU without a binary: u [m], i, gear and t [K] in; y [m], o, mode and z [K] out; parameters k [m], n, b, s,
/// gear0.
inline std::string fmu_bytes() {
  return support::zip_of({{.name = "modelDescription.xml", .content = R"(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="f" guid="1">
  <ModelExchange modelIdentifier="f"/><CoSimulation modelIdentifier="f" canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit><Unit name="K"><BaseUnit K="1"/></Unit></UnitDefinitions>
  <TypeDefinitions><SimpleType name="Mode"><Enumeration><Item name="off" value="1"/><Item name="on" value="2"/></Enumeration></SimpleType></TypeDefinitions>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="1" causality="input"><Real start="0" unit="m"/></ScalarVariable>
    <ScalarVariable name="i" valueReference="2" causality="input" variability="discrete"><Integer start="0"/></ScalarVariable>
    <ScalarVariable name="gear" valueReference="3" causality="input" variability="discrete"><Enumeration declaredType="Mode" start="1"/></ScalarVariable>
    <ScalarVariable name="t" valueReference="4" causality="input"><Real start="0" unit="K"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="5" causality="output"><Real unit="m"/></ScalarVariable>
    <ScalarVariable name="o" valueReference="6" causality="output" variability="discrete"><Integer/></ScalarVariable>
    <ScalarVariable name="mode" valueReference="7" causality="output" variability="discrete"><Enumeration declaredType="Mode"/></ScalarVariable>
    <ScalarVariable name="z" valueReference="8" causality="output"><Real unit="K"/></ScalarVariable>
    <ScalarVariable name="k" valueReference="9" causality="parameter" variability="fixed"><Real start="1" unit="m"/></ScalarVariable>
    <ScalarVariable name="n" valueReference="10" causality="parameter" variability="fixed"><Integer start="1"/></ScalarVariable>
    <ScalarVariable name="b" valueReference="11" causality="parameter" variability="fixed"><Boolean start="false"/></ScalarVariable>
    <ScalarVariable name="s" valueReference="12" causality="parameter" variability="fixed"><String start=""/></ScalarVariable>
    <ScalarVariable name="gear0" valueReference="13" causality="parameter" variability="fixed"><Enumeration declaredType="Mode" start="1"/></ScalarVariable>
    <ScalarVariable name="text" valueReference="14" causality="input" variability="discrete"><String start=""/></ScalarVariable>
    <ScalarVariable name="inner.state" valueReference="15" causality="local"><Real unit="m"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="5"/><Unknown index="6"/><Unknown index="7"/><Unknown index="8"/></Outputs></ModelStructure>
</fmiModelDescription>)"}});
}

inline std::string connector(const std::string& name, const std::string& kind, const std::string& type = "") {
  return "<ssd:Connector name=\"" + name + "\" kind=\"" + kind + "\">" + type + "</ssd:Connector>";
}

/// A component with that FMU, and connectors for all of its inputs and outputs.
inline std::string part(const std::string& name, const std::string& more = "", const std::string& connectors = "") {
  return "<ssd:Component name=\"" + name + "\" source=\"resources/f.fmu\"><ssd:Connectors>" +
         (connectors.empty() ? connector("u", "input") + connector("i", "input") + connector("gear", "input") +
                                   connector("t", "input") + connector("y", "output") + connector("o", "output") +
                                   connector("mode", "output") + connector("z", "output")
                             : connectors) +
         "</ssd:Connectors>" + more + "</ssd:Component>";
}

inline std::string wire(const std::string& from, const std::string& to, const std::string& more = "",
                        const std::string& attributes = "") {
  const auto end = [](const std::string& which, const std::string& text) {
    const std::size_t dot = text.find('.');
    const std::string element = dot == text.npos ? "" : which + "Element=\"" + text.substr(0, dot) + "\" ";
    return element + which + "Connector=\"" + (dot == text.npos ? text : text.substr(dot + 1)) + "\" ";
  };
  return "<ssd:Connection " + end("start", from) + end("end", to) + attributes + ">" + more + "</ssd:Connection>";
}

inline std::string binding(const std::string& parameters, const std::string& more = "",
                           const std::string& attributes = "", const std::string& units = "") {
  return "<ssd:ParameterBinding " + attributes + "><ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" name=\"p\">" +
         "<ssv:Parameters>" + parameters + "</ssv:Parameters>" + units + "</ssv:ParameterSet></ssd:ParameterValues>" +
         more + "</ssd:ParameterBinding>";
}

inline std::string value(const std::string& name, const std::string& type, const std::string& text,
                         const std::string& attributes = "") {
  return "<ssv:Parameter name=\"" + name + "\"><ssv:" + type + " value=\"" + text + "\" " + attributes +
         "/></ssv:Parameter>";
}

inline std::string bindings(const std::string& all) {
  return "<ssd:ParameterBindings>" + all + "</ssd:ParameterBindings>";
}

inline std::string system(const std::string& elements, const std::string& connections,
                          const std::string& connectors = "", const std::string& more = "",
                          const std::string& name = "root") {
  return "<ssd:System name=\"" + name + "\">" +
         (connectors.empty() ? "" : "<ssd:Connectors>" + connectors + "</ssd:Connectors>\n") + more +
         (elements.empty() ? "" : "<ssd:Elements>\n" + elements + "</ssd:Elements>\n") +
         (connections.empty() ? "" : "<ssd:Connections>\n" + connections + "</ssd:Connections>") + "</ssd:System>";
}

/// An archive on the disk, read as a model.
class SspArchive {
 public:
  explicit SspArchive(const std::string& structure, std::vector<support::ZipEntry> more = {}) {
    more.push_back({.name = "SystemStructure.ssd", .content = structure});
    more.push_back({.name = "resources/f.fmu", .content = fmu_bytes()});
    path_ = support::write_file(folder_.path() / "m.ssp", support::zip_of(more));
    read();
  }
  explicit SspArchive(const std::filesystem::path& path) : path_(path) { read(); }

  void read(const ImportRequest& request = {}) {
    diagnostics = {};
    Source source(path_);
    model = import_model(source, request, diagnostics);
  }
  [[nodiscard]] std::string text() const { return model && model->document ? model->document->source() : ""; }
  [[nodiscard]] bool has(const std::string& part) const { return text().find(part) != std::string::npos; }
  /// "m.ssp/SystemStructure.ssd:2:5: error: ..." of all errors and warnings.
  [[nodiscard]] std::string said() const {
    std::string all;
    for (const auto& each : diagnostics.all()) {
      std::string line = each.describe();
      for (std::size_t at; (at = line.find(folder_.path().string() + "/")) != line.npos;) {
        line.erase(at, folder_.path().string().size() + 1);
      }
      if (each.severity != document::Severity::note) all += line + "\n";
    }
    return all;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

  document::Diagnostics diagnostics{};
  std::optional<ImportedModel> model{};

 private:
  support::TemporaryFolder folder_;
  std::filesystem::path path_;
};

}  // namespace tieline::interchange::test
