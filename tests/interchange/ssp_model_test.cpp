#include "interchange/ssp_model.hpp"

#include <gtest/gtest.h>

#include "interchange/ssp_archives.hpp"

namespace tieline::interchange {
namespace ssp_model_test {

namespace fs = std::filesystem;
using namespace test;

const std::string kReal = "<ssc:Real/>", kMillimetres = "<ssc:Real unit=\"mm\"/>";

TEST(SspModel, IsRecognised) {
  const support::TemporaryFolder folder;
  const auto is_it = [](const fs::path& file) {
    Source source(file);
    const Importer* const importer = find_importer(source);
    return importer != nullptr && importer->name == "ssp";
  };
  const std::string structure = structure_of(system("", ""));
  EXPECT_TRUE(is_it(support::write_file(folder.path() / "a.ssp", "damaged")));
  EXPECT_TRUE(is_it(support::write_file(folder.path() / "b.SSD", "damaged")));
  EXPECT_TRUE(is_it(support::write_file(folder.path() / "c.xml", structure)));
  EXPECT_TRUE(is_it(support::write_file(folder.path() / "d.zip",
                                        support::zip_of({{.name = "SystemStructure.ssd", .content = "x"}}))));
  support::write_file(folder.path() / "e/SystemStructure.ssd", structure);
  EXPECT_TRUE(is_it(folder.path() / "e"));
  EXPECT_FALSE(is_it(support::write_file(folder.path() / "f.xml", "<CompositeModel name=\"m\"/>")));
}

TEST(SspModel, SystemsAreNestedModels) {
  const std::string inner = system(part("a.b"), wire("v", "a.b.u"),
                                   connector("v", "input", kReal) + connector("w w", "output", kReal), "", "in");
  // "a.b" has a point in its name, which `wire` does not know.
  std::string text =
      structure_of(system(inner + part("c"), wire("c.y", "in.v") + wire("in.w w", "c.u") + wire("c.o", "out"),
                          connector("out", "output", "<ssc:Integer/>")));
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace(
      R"(endElement="a" endConnector="b.u" ></ssd:Connection>)",
      R"(endElement="a.b" endConnector="u"/><ssd:Connection startElement="a.b" startConnector="y" endConnector="w w"/>)");
  const SspArchive ssp(text);
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Component name="in" kind="composite">)")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(<Component name="a_b" kind="fmu")"));
  EXPECT_TRUE(ssp.has(R"(<Interface name="v" of="a_b.u"/>)"));
  EXPECT_TRUE(ssp.has(R"(<Interface name="w_w" of="a_b.y"/>)"));
  EXPECT_TRUE(ssp.has(R"(<Connection from="c.y" to="in.v"/>)"));
  EXPECT_TRUE(ssp.has(R"(<Connection from="in.w_w" to="c.u"/>)"));
  EXPECT_TRUE(ssp.has(R"(<Interface name="out" of="c.o"/>)"));
  EXPECT_TRUE(ssp.has(R"(<Simulation start="1" stop="3"/>)"));
  const auto place = ssp.model->document->root().child("Components").child("Component").place();
  EXPECT_TRUE(place.file.ends_with("m.ssp/SystemStructure.ssd")) << place.file;
}

TEST(SspModel, UnitsAndTransformationsAreOneFunction) {
  // 1 m is 1000 mm in the connector of the system; then 2 v + 1 [mm] into metres again.
  const std::string inner = system(part("a"), wire("v", "a.u"), connector("v", "input", kMillimetres), "", "in");
  const SspArchive ssp(structure_of(
      system(inner + part("c"), wire("c.y", "in.v", R"(<ssc:LinearTransformation factor="2" offset="1"/>)"))));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Connection from="c.y" to="in.v" scale="2" offset="0.001"/>)")) << ssp.text();
}

TEST(SspModel, UnitsOfDifferentQuantitiesAreNamed) {
  const auto read = [](const std::string& unit, const std::string& inside) {
    const std::string typed = connector("u", "input", unit);
    return SspArchive(structure_of(system(
                          part("a", "", typed) + part("c", "", connector("z", "output", "<ssc:Real unit=\"K\"/>")),
                          "\n" + wire("c.z", "a.u", inside))))
        .said();
  };
  EXPECT_NE(read(kMillimetres, "").find("SystemStructure.ssd:6:1: error: unit 'K' cannot be converted to 'mm'"),
            std::string::npos)
      << read(kMillimetres, "");
  // By the description of the FMU alone.
  EXPECT_NE(read(kReal, "").find("SystemStructure.ssd:6:1: warning: unit 'K' cannot be converted to 'm'"),
            std::string::npos)
      << read(kReal, "");
  EXPECT_EQ(read(kReal, "<ssc:LinearTransformation factor=\"2\"/>"), "");
}

TEST(SspModel, WhatIsConvertedIsNotConvertedAgain) {
  // Both FMUs state units, which the model would convert by itself.
  const SspArchive ssp(
      structure_of(system(part("a") + part("c"), wire("c.z", "a.u", "<ssc:LinearTransformation factor=\"2\"/>"))));
  EXPECT_TRUE(ssp.has(R"(<Connection from="c.z" to="a.u" scale="2" from_unit="m/m" to_unit="m/m"/>)")) << ssp.text();
}

TEST(SspModel, AnOffsetOfAUnitIsConverted) {
  const std::string celsius = connector("t", "input", "<ssc:Real unit=\"degC\"/>");
  const SspArchive ssp(structure_of(system(part("a", "", celsius) + part("c"), wire("c.z", "a.t"))));
  EXPECT_TRUE(ssp.has(R"(<Connection from="c.z" to="a.t" offset="-273.15"/>)")) << ssp.text();
  EXPECT_NE(ssp.said().find("the unit of the connector is used"), std::string::npos);
  const SspArchive kept(structure_of(
      system(part("a", "", celsius) + part("c"), wire("c.z", "a.t", "", "suppressUnitConversion=\"true\""))));
  EXPECT_TRUE(kept.has(R"(<Connection from="c.z" to="a.t"/>)")) << kept.text();
}

TEST(SspModel, MappingsAreTables) {
  const SspArchive ssp(structure_of(system(
      part("a") + part("c"),
      wire(
          "c.o", "a.i",
          R"(<ssc:IntegerMappingTransformation><ssc:MapEntry source="1" target="5"/><ssc:MapEntry source="2" target="2"/></ssc:IntegerMappingTransformation>)") +
          wire(
              "c.mode", "a.gear",
              R"(<ssc:EnumerationMappingTransformation><ssc:MapEntry source="off" target="on"/></ssc:EnumerationMappingTransformation>)"))));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(input="u" x="0, 1, 2" y="0, 4, 0")")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(input="u" x="0, 1, 2" y="0, 1, 0")"));
  EXPECT_TRUE(ssp.has(R"(inputs="u, step1_table")"));
}

TEST(SspModel, OuterAndLaterBindingsCount) {
  const std::string inner = system(part("a", bindings(binding(value("k", "Real", "1") + value("n", "Integer", "1")))),
                                   "", "", bindings(binding(value("a.k", "Real", "2"))), "in");
  const SspArchive ssp(structure_of(
      system(inner, "", "",
             bindings(binding(value("in.a.k", "Real", "3") + value("in.a.b", "Boolean", "true")) +
                      binding(value("a.k", "Real", "4") + value("a.s", "String", "x y"), "", "prefix=\"in.\"")))));
  EXPECT_EQ(ssp.said(), "");
  for (const char* start : {R"(variable="k" value="4")", R"(variable="n" value="1")", R"(variable="b" value="true")",
                            R"(variable="s" value="x y")"}) {
    EXPECT_TRUE(ssp.has(start)) << start << ssp.text();
  }
}

TEST(SspModel, ValuesGetUnitsAndTypesOfTheirVariables) {
  const std::string units =
      R"(<ssv:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="1e-3"/></ssc:Unit></ssv:Units>)";
  const SspArchive ssp(structure_of(
      system(part("a", bindings(binding(value("k", "Real", "500", "unit=\"mm\"") + value("n", "Real", "3.0") +
                                            value("b", "Integer", "1") + value("gear0", "Enumeration", "on"),
                                        "", "", units))),
             "")));
  EXPECT_EQ(ssp.said(), "");
  for (const char* start : {R"(variable="k" value="0.5")", R"(variable="n" value="3")", R"(variable="b" value="true")",
                            R"(variable="gear0" value="on")"}) {
    EXPECT_TRUE(ssp.has(start)) << start << ssp.text();
  }
}

TEST(SspModel, WrongValuesAreNamed) {
  const SspArchive ssp(structure_of(
      system(part("a", "\n" + bindings(binding(value("n", "Real", "2.5") + "\n" + value("gear0", "Enumeration", "onn") +
                                               "\n" + value("s", "Real", "1") + "\n" + value("b", "Boolean", "maybe") +
                                               "\n" + value("kk", "Real", "1")))),
             "")));
  const std::string said = ssp.said();
  EXPECT_NE(said.find("'2.5' of type Real is not a value for variable 'n' of type Int32"), said.npos) << said;
  EXPECT_NE(said.find("variable 'gear0' has no item 'onn' (did you mean 'on'?)"), said.npos) << said;
  EXPECT_NE(said.find("'1' of type Real is not a value for variable 's' of type String"), said.npos) << said;
  EXPECT_NE(said.find("'maybe' is not a value of type Boolean"), said.npos) << said;
}

TEST(SspModel, MappingsOfParameters) {
  const std::string mapping =
      R"(<ssd:ParameterMapping><ssm:ParameterMapping version="1.0"><ssm:MappingEntry source="length" target="a.k"><ssc:LinearTransformation factor="2" offset="1"/></ssm:MappingEntry>
<ssm:MappingEntry source="state" target="a.gear0"><ssc:EnumerationMappingTransformation><ssc:MapEntry source="running" target="on"/></ssc:EnumerationMappingTransformation></ssm:MappingEntry></ssm:ParameterMapping></ssd:ParameterMapping>)";
  const SspArchive ssp(
      structure_of(system(part("a"), "", "",
                          bindings(binding(value("length", "Real", "3") + value("state", "Enumeration", "running") +
                                               value("a.n", "Integer", "9"),
                                           mapping)))));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(variable="k" value="7")")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(variable="gear0" value="on")"));
  EXPECT_FALSE(ssp.has("variable=\"n\"")) << "what is not mapped is not applied";
}

TEST(SspModel, MappingsOfWrongValuesAndToWrongTargets) {
  const auto said_of = [](const std::string& set, const std::string& target) {
    const std::string mapping =
        R"(<ssd:ParameterMapping><ssm:ParameterMapping version="1.0"><ssm:MappingEntry source="length" target=")" +
        target + R"("/></ssm:ParameterMapping></ssd:ParameterMapping>)";
    return SspArchive(structure_of(system(part("a"), "", "", bindings(binding(set, mapping))))).said();
  };
  const std::string bad = said_of(value("length", "Real", "3 mm?"), "a.k");
  EXPECT_NE(bad.find("is not a value of type Real"), bad.npos) << bad;
  EXPECT_EQ(bad.find("has no parameter"), bad.npos) << bad;
  const std::string wrong = said_of(value("length", "Real", "3"), "a.gear00");
  EXPECT_NE(wrong.find("warning: the FMU of 'a' has no variable 'gear00' (did you mean 'gear0'?)"), wrong.npos)
      << wrong;
}

TEST(SspModel, SystemParametersReachFmus) {
  const std::string text = structure_of(system(
      part("a", "", connector("k", "parameter") + connector("u", "input")),
      wire("p", "a.k", R"(<ssc:LinearTransformation factor="0.5"/>)") + wire("v", "a.u"),
      connector("p", "parameter", kReal) + connector("v", "input", kReal), bindings(binding(value("p", "Real", "8")))));
  SspArchive ssp(text);
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(variable="k" value="4")")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(<Interface name="v" of="a.u"/>)"));
  // Settings name what the SSP names.
  const std::vector<model::Override> settings{{"p", "2"}, {"v", "7"}, {"a.n", "5"}};
  ssp.read({.overrides = settings});
  EXPECT_TRUE(ssp.has(R"(variable="k" value="1")")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(variable="u" value="7")"));
  ASSERT_EQ(ssp.model->overrides.size(), 1u);
  EXPECT_EQ(ssp.model->overrides[0].name, "a.n");
}

TEST(SspModel, DictionariesJoinSystems) {
  const std::string entries =
      R"(<ssd:SignalDictionaries><ssd:SignalDictionary name="bus"><ssb:SignalDictionary version="1.0"><ssb:DictionaryEntry name="x"><ssc:Real unit="mm"/></ssb:DictionaryEntry><ssb:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="1e-3"/></ssc:Unit></ssb:Units></ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>)";
  const auto reference = [](const std::string& name, const std::string& kind) {
    return "<ssd:SignalDictionaryReference name=\"" + name + "\" dictionary=\"bus\"><ssd:Connectors>" +
           connector("x", kind) + "</ssd:Connectors></ssd:SignalDictionaryReference>";
  };
  std::string text = structure_of(system(system(part("a") + reference("r", "inout"), wire("r.x", "a.u"), "", "", "in") +
                                             part("c") + reference("w", "inout"),
                                         wire("c.y", "w.x")));
  text.replace(text.rfind("</ssd:System>"), 0, entries);
  const SspArchive ssp(text);
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Connection from="c.y" to="in.a-u"/>)")) << ssp.text();
}

TEST(SspModel, VariablesThatAreNoOutputsCanBeSources) {
  const std::string local = connector("inner.state", "local");
  const SspArchive ssp(structure_of(system(part("a") + part("c", "", local), wire("c.inner.state", "a.u"))));
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Interface name="inner_state" domain="signal" causality="output">)")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(<Connection from="c.inner_state" to="a.u"/>)"));
}

TEST(SspModel, NestedArchivesAreSystems) {
  const std::string inner =
      structure_of(system(part("a"), wire("v", "a.u"), connector("v", "input", kReal),
                          bindings(binding(value("a.k", "Real", "1") + value("a.n", "Integer", "2")))));
  const std::string archive = support::zip_of({{.name = "SystemStructure.ssd", .content = "<broken"},
                                               {.name = "Other.ssd", .content = inner},
                                               {.name = "resources/f.fmu", .content = fmu_bytes()}});
  const std::string nested =
      "<ssd:Component name=\"sub\" type=\"application/x-ssp-package\" source=\"resources/in%20ner.ssp#Other.ssd\">" +
      bindings(binding(value("a.k", "Real", "5"))) + "</ssd:Component>";
  const SspArchive ssp(structure_of(system(nested + part("c"), wire("c.y", "sub.v"))),
                       {{.name = "resources/in ner.ssp", .content = archive}});
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Connection from="c.y" to="sub.v"/>)")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(variable="k" value="5")"));
  EXPECT_TRUE(ssp.has(R"(variable="n" value="2")"));
}

TEST(SspModel, WhatContainsItselfIsRefused) {
  const std::string again = R"(<ssd:Component name="again" source="#it"/>)";
  std::string text = structure_of(system(again, ""));
  text.replace(text.find("<ssd:System name"), 16, "<ssd:System id=\"it\" name");
  const SspArchive here(text);
  EXPECT_NE(here.said().find("m.ssp/SystemStructure.ssd#it' contains itself"), std::string::npos) << here.said();
  const SspArchive file(structure_of(
      system(R"(<ssd:Component name="again" type="application/x-ssp-definition" source="SystemStructure.ssd"/>)", "")));
  EXPECT_NE(file.said().find("contains itself"), std::string::npos) << file.said();
}

TEST(SspModel, TwoSourcesAreNamedWithBothPlaces) {
  const SspArchive ssp(
      structure_of(system(part("a") + part("c") + part("d"), wire("c.y", "a.u") + "\n" + wire("a.u", "d.y"))));
  const std::string said = ssp.said();
  EXPECT_NE(said.find("m.ssp/SystemStructure.ssd:6:1: error: 'a.u' has two sources: 'd.y' here, and 'c.y' at "),
            said.npos)
      << said;
  EXPECT_NE(said.find("m.ssp/SystemStructure.ssd:5"), said.npos) << said;
}

TEST(SspModel, WhatCannotBeConnectedIsNamed) {
  const SspArchive ssp(structure_of(
      system(part("a", "",
                  connector("u", "input") + connector("text", "input", "<ssc:String/>") + connector("k", "parameter")) +
                 part("c") + part("d", "", connector("text", "input")),
             wire("c.y", "a.u", "", "startIndices=\"0\"") + wire("c.yy", "a.u") + wire("x.y", "a.u") +
                 wire("c.y", "c.z") + wire("c.z", "c.u") + wire("c.y", "a.k") + wire("c.y", "a.text"))));
  const std::string said = ssp.said();
  for (const char* message :
       {"must be indices, counted from 1", "'c' has no connector 'yy', and its FMU no such variable",
        "system 'root' has no element 'x'", "output 'c.y' and output 'c.z' cannot be connected: both give a value",
        "'a.k' is a parameter that must be known before",
        "variable 'text' is of type String, which no connection carries here"}) {
    EXPECT_NE(said.find(message), said.npos) << message << "\n" << said;
  }
}

TEST(SspModel, FilesMustBeThereAndWithin) {
  const auto source = [](const std::string& uri) {
    return "<ssd:Component name=\"" + uri + "\" source=\"" + uri + "\"/>\n";
  };
  const SspArchive ssp(structure_of(system(source("resources/g.fmu") + source("../f.fmu") + source("/etc/passwd") +
                                               source("https://a.b/f.fmu") + source("file:///f.fmu"),
                                           "")));
  const std::string said = ssp.said();
  EXPECT_NE(said.find("SystemStructure.ssd:3:39: error: there is no file 'm.ssp/resources/g.fmu' (did you mean "
                      "'resources/f.fmu'?)"),
            said.npos)
      << said;
  for (const char* line : {":4:", ":5:", ":7:"}) {
    const std::size_t at = said.find("m.ssp/SystemStructure.ssd" + std::string(line));
    ASSERT_NE(at, said.npos) << line << said;
    EXPECT_NE(said.find("leads out of the archive", at), said.npos) << said;
  }
  EXPECT_NE(said.find("'https:' is not supported"), said.npos) << said;
}

TEST(SspModel, WhatTheStandardDoesNotHaveIsNamed) {
  const SspArchive ssp(
      structure_of("<ssd:System name=\"root\" nam=\"x\">\n<ssd:Elements>\n<ssd:Component name=\"a\" source=\"a.mo\" "
                   "type=\"text/x-modelica\"/>"
                   "</ssd:Elements><ssd:Conections/></ssd:System>"));
  const std::string said = ssp.said();
  EXPECT_NE(said.find("<ssd:System> has no attribute 'nam' (did you mean 'name'?)"), said.npos) << said;
  EXPECT_NE(said.find("contains no element 'Conections' (did you mean 'Connections'?)"), said.npos) << said;
  EXPECT_NE(said.find("components of type \"text/x-modelica\" are not supported"), said.npos) << said;
}

TEST(SspModel, ADamagedArchiveIsNamed) {
  const support::TemporaryFolder folder;
  const SspArchive damaged(support::write_file(folder.path() / "a.ssp", "PK damaged"));
  EXPECT_FALSE(damaged.model);
  EXPECT_NE(damaged.said().find("it is truncated"), std::string::npos) << damaged.said();
  const SspArchive empty(
      support::write_file(folder.path() / "b.ssp", support::zip_of({{.name = "a.txt", .content = "a"}})));
  EXPECT_FALSE(empty.model);
  EXPECT_NE(empty.said().find("SystemStructure.ssd"), std::string::npos) << empty.said();
  const SspArchive escaping(
      support::write_file(folder.path() / "c.ssp",
                          support::zip_of({{.name = "SystemStructure.ssd", .content = structure_of(system("", ""))},
                                           {.name = "../x", .content = "x"}})));
  EXPECT_FALSE(escaping.model);
}

TEST(SspModel, StepsOfOtherToolsAreUsed) {
  const SspArchive ssp(
      "<ssd:SystemStructureDescription " + kSspSpaces +
      R"( name="m" version="1.0"><ssd:System name="r"><ssd:Elements>)" + part("a") +
      R"(</ssd:Elements><ssd:Annotations><ssc:Annotation type="org.openmodelica"><oms:SimulationInformation xmlns:oms="o"><oms:FixedStepMaster description="oms-ma" stepSize="0.001"/></oms:SimulationInformation></ssc:Annotation></ssd:Annotations></ssd:System></ssd:SystemStructureDescription>)");
  EXPECT_EQ(ssp.said(), "");
  EXPECT_TRUE(ssp.has(R"(<Simulation start="0" stop="1" step="0.001"/>)")) << ssp.text();
  EXPECT_TRUE(ssp.has(R"(<Fmu mode="co_simulation"/>)"));
}

TEST(SspModel, ConvertedFilesAreCompanions) {
  SspArchive ssp(structure_of(system(part("a"), "")));
  ssp.read({.folder = ssp.folder() / "out"});
  ASSERT_TRUE(ssp.model);
  EXPECT_TRUE(ssp.has("file=\"m/resources/f.fmu\"")) << ssp.text();
  ASSERT_EQ(ssp.model->companions.size(), 1u);
  EXPECT_EQ(ssp.model->companions[0].to, "m/resources/f.fmu");
  EXPECT_TRUE(fs::exists(ssp.model->companions[0].from));
}

}  // namespace ssp_model_test
}  // namespace tieline::interchange
