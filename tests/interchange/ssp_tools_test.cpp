// Archives as tools write them: with more, less and other things than the standard has.

#include <gtest/gtest.h>
#include <map>

#include "interchange/ssp_archives.hpp"
#include "interchange/ssp_model.hpp"

namespace tieline::interchange {
namespace ssp_tools_test {

using namespace test;

std::string parameter_file(const std::string& parameters) {
  return R"(<?xml version="1.0" encoding="UTF-8"?><ssv:ParameterSet )" + kSspSpaces +
         R"( version="2.0" name="parameters"><ssv:Parameters>)" + parameters + "</ssv:Parameters></ssv:ParameterSet>";
}

TEST(SspOfTools, MappingsThatAreToBeFilledInAreLeftOut) {
  const std::string mapping = R"(<ssm:ParameterMapping )" + kSspSpaces + R"( version="1.0">
<ssm:MappingEntry source="" target="a.k"/><ssm:MappingEntry source="" target="a.n"/>
<ssm:MappingEntry source="length" target="a.k"><ssc:LinearTransformation factor="4" offset="5"/></ssm:MappingEntry>
</ssm:ParameterMapping>)";
  const std::string bound =
      R"(<ssd:ParameterBinding source="resources/p.ssv"><ssd:ParameterMapping source="resources/p.ssm"/></ssd:ParameterBinding>)";
  const SspArchive ssp(structure_of(system(part("a"), "", "", bindings(bound))),
                       {{.name = "resources/", .content = ""},
                        {.name = "resources/p.ssv", .content = parameter_file(value("length", "Real", "3"))},
                        {.name = "resources/p.ssm", .content = mapping}});
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(variable="k" value="17")")) << ssp.text();
  bool is_named = false;
  for (const auto& each : ssp.diagnostics.all()) {
    is_named = is_named || each.message.find("2 entries have no source") != std::string::npos;
  }
  EXPECT_TRUE(is_named);
}

TEST(SspOfTools, ListsThatAreWrittenTwiceCountTwice) {
  const SspArchive ssp(structure_of(
      system(part("a") + "</ssd:Elements><ssd:Elements>" + part("c"), "", "",
             bindings(binding(value("a.k", "Real", "3"))) + bindings(binding(value("c.k", "Real", "4"))))));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(variable="k" value="3")")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(variable="k" value="4")")) << ssp.text();
}

TEST(SspOfTools, EmptyAttributesAreAsGoodAsNone) {
  std::string inner = system(part("a"), wire("v", "a.u"), connector("v", "input", "<ssc:Real unit=\"\"/>"), "", "in");
  inner.replace(inner.find("startConnector=\"v\""), 0, "startElement=\"\" ");
  // A system without anything inside, as a placeholder.
  const std::string empty = R"(<ssd:System name="later"><ssd:Connectors>)" + connector("i", "input", "<ssc:Real/>") +
                            R"(</ssd:Connectors><ssd:Elements/><ssd:Connections/></ssd:System>)";
  const SspArchive ssp(structure_of(system(inner + empty + part("c"), wire("c.y", "in.v"))));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Connection from="c.y" to="in.v"/>)")) << ssp.text();
}

TEST(SspOfTools, UnitsThatAreNotDefinedAreNamedOnce) {
  const std::string ohm = "<ssc:Real unit=\"Ohm\"/>";
  const SspArchive ssp(structure_of(system(part("a", "", connector("u", "input", ohm) + connector("t", "input", ohm)) +
                                               part("c", "", connector("u", "input", ohm)),
                                           "")));
  const std::string said = ssp.said();
  const std::size_t first = said.find("unit 'Ohm' is not defined in <Units> of this file");
  EXPECT_NE(first, said.npos) << said;
  EXPECT_EQ(said.find("unit 'Ohm'", first + 1), said.npos) << said;
}

TEST(SspOfTools, ProxiesOfThisMachineAreTheirFmus) {
  const auto proxy = [](const std::string& uri) {
    return "<ssd:Component name=\"a\" source=\"" + uri + "\"><ssd:Connectors>" + connector("u", "input") +
           "</ssd:Connectors></ssd:Component>";
  };
  const SspArchive ssp(structure_of(system(proxy("proxy-fmu://localhost?file=resources/f.fmu"), "")));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has("kind=\"fmu\"")) << ssp.text();
  const SspArchive remote(structure_of(system(proxy("proxy-fmu://far:9090?file=f.fmu"), "")));
  EXPECT_NE(remote.said().find("'proxy-fmu:' is not supported"), std::string::npos) << remote.said();
  const SspArchive escaping(structure_of(system(proxy("proxy-fmu://localhost?file=../f.fmu"), "")));
  EXPECT_NE(escaping.said().find("leads out of the archive"), std::string::npos) << escaping.said();
}

TEST(SspOfTools, TheNamespaceOfTheStructureMayBeTheDefaultAndAMarkMayComeFirst) {
  const SspArchive ssp(
      std::string("\xEF\xBB\xBF"
                  R"(<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:v="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="2.0" name="demo" generationTool="x" generationDateAndTime="2025-01-01T00:00:00Z">
<DefaultExperiment stopTime="3"/>
<System name="root"><ParameterBindings><ParameterBinding prefix="a."><ParameterValues><v:ParameterSet version="2.0" name="p"><v:Parameters><v:Parameter name="k"><v:Float64 value="2.5"/></v:Parameter></v:Parameters></v:ParameterSet></ParameterValues></ParameterBinding></ParameterBindings>
<Elements><Component name="a" source="./resources/f.fmu" implementation="any"><Connectors><Connector name="u" kind="input"/><Connector name="y" kind="output"><c:Float64 unit="m"/></Connector></Connectors></Component></Elements>
<Connections><Connection startElement="a" startConnector="y" endElement="a" endConnector="u"/></Connections></System>
<Units><c:Unit name="m"><c:BaseUnit m="1"/></c:Unit></Units></SystemStructureDescription>)"));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Connection from="a.y" to="a.u"/>)")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(variable="k" value="2.5")"));
  EXPECT_TRUE(ssp.has(R"(<Simulation start="0" stop="3"/>)"));
}

TEST(SspOfTools, AConnectorThatIsConnectedToItselfIsLeftAlone) {
  const SspArchive ssp(structure_of(system(part("a"), wire("a.y", "a.y"))));
  EXPECT_NE(ssp.said().find("warning: 'a.y' is connected to itself, which has no effect"), std::string::npos)
      << ssp.said();
  EXPECT_FALSE(ssp.diagnostics.has_errors());
}

TEST(SspOfTools, TextsAtTheRootAreValuesAndNoSignals) {
  const std::string text = "<ssc:String/>";
  SspArchive ssp(structure_of(system(part("a", "", connector("text", "input", text) + connector("y", "output")),
                                     wire("t", "a.text") + wire("a.y", "y"),
                                     connector("t", "input", text) + connector("y", "output"))));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Interface name="y" of="a.y"/>)")) << ssp.text();
  EXPECT_FALSE(ssp.has("a.text")) << ssp.text();
  const std::vector<model::Override> given{{"t", "words"}};
  ssp.read({.overrides = given});
  EXPECT_TRUE(ssp.has(R"(<Start variable="text" value="words"/>)")) << ssp.text();
}

TEST(SspOfTools, UnitsOfOneNameAreOneUnit) {
  // As tools define them that have never used their factors.
  const std::string units = R"(<ssv:Units><ssc:Unit name="m"><ssc:BaseUnit s="1" factor="60"/></ssc:Unit></ssv:Units>)";
  const std::string bound = binding(value("k", "Real", "3", "unit=\"m\""), "", "", units);
  const std::string own = R"(<ssd:Units><ssc:Unit name="m"><ssc:BaseUnit m="1" factor="57"/></ssc:Unit></ssd:Units>)";
  const std::string metres = "<ssc:Real unit=\"m\"/>";
  const SspArchive ssp(structure_of(
      system(part("a", bindings(bound), connector("y", "output", metres)) + part("c", "", connector("u", "input")),
             wire("a.y", "c.u")),
      own));
  EXPECT_FALSE(ssp.diagnostics.has_errors()) << ssp.said();
  EXPECT_NE(ssp.said().find("unit 'm' is defined here otherwise than in the FMU of 'a'"), std::string::npos)
      << ssp.said();
  EXPECT_TRUE(ssp.has(R"(variable="k" value="3")")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(<Connection from="a.y" to="c.u"/>)")) << ssp.text();
}

TEST(SspOfTools, ComponentsWithoutASourceGiveWhatTheyAreBoundTo) {
  const std::string annotation =
      R"(<ssd:Annotations><ssc:Annotation type="com.avl.model.connect.ssp.component.constant"><mc:SpecificData><mc:Real value="3.5"/></mc:SpecificData></ssc:Annotation></ssd:Annotations>)";
  const std::string metres =
      "<ssd:Connectors>" + connector("out", "output", "<ssc:Real unit=\"mm\"/>") + "</ssd:Connectors>";
  const SspArchive ssp(
      structure_of(system("<ssd:Component name=\"c\" source=\"\" type=\"application/avl-mcx-constant\">" + metres +
                              annotation + "</ssd:Component><ssd:Component name=\"d\">" + metres +
                              bindings(binding(value("out", "Real", "7"))) + "</ssd:Component>" + part("a") + part("b"),
                          wire("c.out", "a.u") + wire("d.out", "b.u"))));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(variable="u" value="0.0035")")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(variable="u" value="0.007")")) << ssp.text();
}

TEST(SspOfTools, AnnotationsNameVariablesAndSteps) {
  const std::string port =
      R"(<ssd:Annotations><ssc:Annotation type="com.avl.model.connect.ssp.port"><mc:Port nameInModel="y"><mc:Real/></mc:Port></ssc:Annotation></ssd:Annotations>)";
  const std::string hint =
      R"(<ssd:Annotations><ssc:Annotation type="com.opensimulationplatform"><osp:StepSizeHint value="0.05"/></ssc:Annotation></ssd:Annotations>)";
  const SspArchive ssp(structure_of(system(
      part("a", hint, R"(<ssd:Connector name="out" kind="output"><ssc:Real/>)" + port + "</ssd:Connector>") + part("c"),
      wire("a.out", "c.u"))));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Connection from="a.y" to="c.u"/>)")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(step="0.05")")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(mode="co_simulation")")) << ssp.text();
}

TEST(SspOfTools, AnotherStructureOfTheArchiveCanBeNamed) {
  const SspArchive archive(structure_of(system(part("a"), "")),
                           {{.name = "Fast.ssd", .content = structure_of(system(part("quick"), ""))}});
  bool is_named = false;
  for (const auto& each : archive.diagnostics.all()) {
    is_named = is_named || each.message.find(
                               "the archive contains other structures: Fast.ssd; one of them is read as "
                               "'m.ssp#NAME'") != std::string::npos;
  }
  EXPECT_TRUE(is_named) << archive.diagnostics.describe();
  EXPECT_TRUE(archive.has("name=\"a\""));
  const SspArchive fast(std::filesystem::path(archive.path().string() + "#Fast.ssd"));
  EXPECT_TRUE(fast.has("name=\"quick\"")) << fast.diagnostics.describe();
  const SspArchive wrong(std::filesystem::path(archive.path().string() + "#Fats.ssd"));
  EXPECT_NE(wrong.diagnostics.describe().find("no structure 'Fats.ssd' (did you mean 'Fast.ssd'?)"), std::string::npos)
      << wrong.diagnostics.describe();
}

TEST(SspOfTools, TheReportCountsWhatHasNoMeaningHere) {
  const std::string geometry =
      R"(<ssd:SystemGeometry x1="0" y1="0" x2="1" y2="1"/><ssd:GraphicalElements><ssd:Note text="x"/></ssd:GraphicalElements>)";
  std::string text = structure_of(
      system(part("a", bindings(binding(value("k", "Real", "3")))) + R"(<ssd:Component name="later"/>)" + part("c"),
             wire("c.y", "a.u", "<ssd:ConnectionGeometry pointsX=\"1\" pointsY=\"2\"/>")));
  text.insert(text.rfind("</ssd:System>"), geometry);
  const SspArchive ssp(text);
  ASSERT_TRUE(ssp.model);
  std::map<std::string, std::pair<std::size_t, std::size_t>> rows;  // translated, lost
  for (const auto& row : ssp.model->report.rows()) rows[row.what] = {row.translated, row.lost};
  using Row = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(rows["FMUs"], Row(2, 0));
  EXPECT_EQ(rows["systems"], Row(1, 0));
  EXPECT_EQ(rows["connectors"], Row(16, 0));
  EXPECT_EQ(rows["connections"], Row(1, 0));
  EXPECT_EQ(rows["parameter values"], Row(1, 0));
  EXPECT_EQ(rows["components without a source"], Row(0, 1));
  EXPECT_EQ(rows["paths of connections"], Row(0, 1));
  EXPECT_EQ(rows["sizes of diagrams"], Row(0, 1));
  EXPECT_EQ(rows["other graphics"], Row(0, 1));
}

}  // namespace ssp_tools_test
}  // namespace tieline::interchange
