#include "interchange/translate.hpp"

#include <gtest/gtest.h>

#include "interchange/foreign_files.hpp"

namespace tieline::interchange {
namespace translate_test {

using document::Element;
using test::ForeignFile;

/// A composite model of OMTLMSimulator with everything that the format has.
constexpr const char* kEverything = R"(<?xml version='1.0' encoding='ISO-8859-1'?>
<Model Name="Everything">
  <SubModels>
    <SubModel Name="arm" StartCommand="StartTLMOpenModelica" ModelFile="arm.mo" ExactStep="1"
              GeometryFile="arm.stl" Position="0.25,0,-1" Angle321="0.1,0.2,0.3">
      <Annotation Origin="{-46,8}" Visible="true"/>
      <InterfacePoint Name="tip" Dimensions="6" Causality="Bidirectional" Domain="Mechanical"
                      Position="1,2,3" Angle321="0,0,1.5"/>
      <InterfacePoint Name="oil" Dimensions="1" Causality="Bidirectional" Domain="Hydraulic"/>
      <InterfacePoint Name="command" Dimensions="1" Causality="Input" Domain="Signal"/>
      <Parameter Name="inertia.J" Value="0.5"/>
      <Parameter Name="mode" Value="fast"/>
    </SubModel>
    <SubModel Name="base" StartCommand="StartTLMFmiWrapper" ModelFile="base.fmu">
      <InterfacePoint Name="tip" Dimensions="6" Causality="Bidirectional" Domain="Mechanical"/>
      <InterfacePoint Name="oil" Dimensions="1" Causality="Bidirectional" Domain="Hydraulic"/>
      <InterfacePoint Name="target" Dimensions="1" Causality="Output" Domain="Signal"/>
    </SubModel>
  </SubModels>
  <Connections>
    <Connection From="arm.tip" To="base.tip" Delay="2e-4" Zf="2000" Zfr="100" alpha="0.2">
      <Annotation Points="{{1,2},{3,4}}"/>
    </Connection>
    <Connection From="base.oil" To="arm.oil" Delay="1e-4" Zf="1e8" alpha="0.4"/>
    <Connection From="arm.command" To="base.target" Delay="1e-3"/>
  </Connections>
  <SimulationParams ManagerPort="11113" StartTime="0.5" StopTime="3" WriteTimeStep="0.001"/>
</Model>
)";

Element component(const Element& root, std::string_view name) {
  for (const auto& element : root.child("Components").children("Component")) {
    if (element.get("name") == name) return element;
  }
  return {};
}

Element named(const Element& parent, std::string_view child, std::string_view name) {
  for (const auto& element : parent.children(child)) {
    if (element.get("name") == name) return element;
  }
  return {};
}

TEST(Translate, KnowsFormatsByTheirRoots) {
  document::Diagnostics diagnostics;
  const auto format = [&](const std::string& text) {
    return detect(*document::Document::parse(text, "m.xml", diagnostics));
  };
  EXPECT_EQ(format(test::kMetaModel), Format::meta_model);
  EXPECT_EQ(format(kEverything), Format::omtlm);
  EXPECT_EQ(format("<CompositeModel name=\"m\"/>"), std::nullopt);
}

TEST(Translate, MetaModelReadsWithAWarningForEachLineWithoutImpedance) {
  ForeignFile file(test::kMetaModel);
  const auto document = file.load();
  ASSERT_TRUE(document);
  EXPECT_FALSE(file.diagnostics.has_errors()) << file.said();
  EXPECT_EQ(file.diagnostics.warning_count(), 2u);
  EXPECT_NE(file.said().find("23:79: warning: zf=\"0\""), std::string::npos) << file.said();

  const Element root = document->root();
  EXPECT_EQ(root.get("name"), "BeastHubInAdamsCar");
  const Element hub = component(root, "BeastHubUnit");
  EXPECT_EQ(hub.get("kind"), "process");
  // What starts a tool is a matter of the site.
  EXPECT_EQ(hub.get("tool"), "start-beast");
  EXPECT_FALSE(hub.has("command"));
  EXPECT_EQ(hub.get("file"), "CarCorner.in");
  EXPECT_EQ(hub.child("Description").text(), "A complete Beast hub-unit");
  EXPECT_EQ(named(hub, "Interface", "p2").get("domain"), "mechanical3d");
  const Element joint = root.child("Connections").children("Connection").front();
  EXPECT_EQ(joint.get("from"), "AdamsCar.p1");
  EXPECT_EQ(joint.get("delay"), "0.001");
  EXPECT_EQ(joint.get("enabled"), "0");
  EXPECT_EQ(joint.get("impedance"), "0");
  EXPECT_EQ(root.child("Simulation").get("stop"), "1");
}

TEST(Translate, LosesNothingOfACompositeModel) {
  ForeignFile file(kEverything);
  const auto document = file.load();
  ASSERT_TRUE(document);
  EXPECT_FALSE(file.diagnostics.has_errors()) << file.said();
  // Whatever is in the foreign file is in ours: as its own word, or as a property.
  document::Diagnostics diagnostics;
  const auto foreign = document::Document::load(file.path(), diagnostics);
  const std::function<void(const Element&)> look_for = [&](const Element& element) {
    for (const auto& attribute : element.attributes()) {
      const std::string value = element.get(attribute);
      const bool has_word = (attribute == "Domain" && value != "Electric") || attribute == "Dimensions" ||
                            attribute == "Causality" || attribute == "Position" || attribute == "Angle321";
      if (has_word) continue;
      EXPECT_NE(document->source().find(value + "\""), std::string::npos) << attribute << " = " << value;
    }
    for (const auto& child : element.children()) look_for(child);
  };
  look_for(foreign->root());

  const Element root = document->root();
  const Element arm = component(root, "arm");
  EXPECT_EQ(arm.get("geometry"), "arm.stl");
  EXPECT_EQ(arm.child("Placement").get("position"), "0.25, 0, -1");
  EXPECT_EQ(arm.child("Placement").get("angles"), "0.1, 0.2, 0.3");
  const Element tip = named(arm, "Interface", "tip");
  EXPECT_EQ(tip.get("position"), "1, 2, 3");
  EXPECT_EQ(tip.get("angles"), "0, 0, 1.5");
  EXPECT_EQ(tip.get("causality"), "force");
  EXPECT_EQ(named(arm, "Interface", "oil").get("domain"), "hydraulic");
  EXPECT_EQ(named(arm, "Interface", "command").get("causality"), "input");
  EXPECT_EQ(named(arm, "Parameter", "inertia_J").get("value"), "0.5");
  EXPECT_EQ(named(arm, "Parameter", "inertia_J").get("description"), "inertia.J");
  EXPECT_EQ(named(arm, "Property", "Parameter.mode").get("value"), "fast");
  EXPECT_EQ(arm.get("exact_step"), "true");
  EXPECT_EQ(named(arm, "Property", "Annotation.Origin").get("value"), "{-46,8}");

  const auto connections = root.child("Connections").children("Connection");
  ASSERT_EQ(connections.size(), 3u);
  EXPECT_EQ(connections[0].get("impedance"), "2000");
  EXPECT_EQ(connections[0].get("impedance_rotation"), "100");
  EXPECT_EQ(connections[0].get("damping"), "0.2");
  EXPECT_FALSE(connections[1].has("impedance_rotation"));
  // A signal goes from its source to its reader.
  EXPECT_EQ(connections[2].get("from"), "base.target");
  EXPECT_EQ(connections[2].get("to"), "arm.command");
  EXPECT_FALSE(connections[2].has("coupling"));

  const Element simulation = root.child("Simulation");
  EXPECT_EQ(simulation.get("start"), "0.5");
  EXPECT_EQ(simulation.get("write_interval"), "0.001");
  EXPECT_EQ(named(simulation, "Property", "ManagerPort").get("value"), "11113");
}

TEST(Translate, NotesWhatIsKeptButNotUsed) {
  ForeignFile file(kEverything);
  ASSERT_TRUE(file.load());
  EXPECT_NE(file.said().find("4:5: note: kept of <SubModel>, but not used here: Annotation.Origin, "
                             "Annotation.Visible"),
            std::string::npos)
      << file.said();
  EXPECT_NE(file.said().find("note: parameter 'mode' = 'fast'"), std::string::npos) << file.said();
}

TEST(Translate, ASubModelWhoseFileIsOursIsNative) {
  ForeignFile file(R"(<Model Name="m"><SubModels>
<SubModel Name="mass" StartCommand="StartTLMOpenModelica" ModelFile="mass.xml">
  <InterfacePoint Name="end" Dimensions="1" Domain="Mechanical"/> <Parameter Name="m" Value="3"/> </SubModel>
<SubModel Name="other" StartCommand="start" ModelFile="other.xml"/>
</SubModels><Connections/><SimulationParams StartTime="0" StopTime="1"/></Model>)");
  file.write("mass.xml", "<Network/>");
  file.write("other.xml", "<Something/>");
  const auto document = file.load();
  ASSERT_TRUE(document);
  const Element mass = component(document->root(), "mass");
  EXPECT_EQ(mass.get("kind"), "network");
  EXPECT_EQ(mass.get("file"), "mass.xml");
  EXPECT_FALSE(mass.has("command"));
  // The content must have what the foreign file declares, whatever it is solved for.
  EXPECT_EQ(named(mass, "Interface", "end").get("domain"), "translation");
  EXPECT_FALSE(named(mass, "Interface", "end").has("causality"));
  EXPECT_EQ(named(mass, "Property", "StartCommand").get("value"), "StartTLMOpenModelica");
  EXPECT_EQ(component(document->root(), "other").get("kind"), "process");
  // Whatever was looked into has been read, and can be shown.
  EXPECT_EQ(file.diagnostics.files_read().size(), 3u);
}

TEST(Translate, HowAProgramIsStartedIsKept) {
  ForeignFile file(R"(<Model Name="m"><SubModels>
<SubModel Name="a" StartCommand="start {x} 'b c'" StartMethod="beast --serial" ExactStep="false"
          SimulationFiles="a.in, grid.txt; b.txt"/>
<SubModel Name="b" StartCommand="s" ExactStep="perhaps" ModelFile="b.mo"/>
<SubModel Name="c" StartMethod="s" ExactStep="1" ModelFile="mass.xml"/>
</SubModels><Connections/><SimulationParams StartTime="0" StopTime="1"/></Model>)");
  file.write("mass.xml", "<Network/>");
  const auto document = file.load();
  ASSERT_TRUE(document);
  const Element a = component(document->root(), "a");
  EXPECT_EQ(a.get("command"), "start {{x}} 'b c'");  // there braces have no meaning
  EXPECT_EQ(a.get("tool"), "beast --serial");
  EXPECT_EQ(a.get("exact_step"), "false");
  EXPECT_EQ(a.get("file"), "a.in");
  ASSERT_EQ(a.children("InputFile").size(), 2u);
  EXPECT_EQ(a.children("InputFile")[1].get("path"), "b.txt");
  const Element b = component(document->root(), "b");
  EXPECT_EQ(b.get("command"), "s");
  EXPECT_FALSE(b.has("exact_step"));
  EXPECT_EQ(named(b, "Property", "ExactStep").get("value"), "perhaps");
  const Element c = component(document->root(), "c");
  EXPECT_FALSE(c.has("tool") || c.has("exact_step"));
  EXPECT_EQ(named(c, "Property", "StartMethod").get("value"), "s");
  EXPECT_EQ(named(c, "Property", "ExactStep").get("value"), "1");
}

TEST(Translate, PathsFollowTheTranslation) {
  ForeignFile file(kEverything);
  document::Diagnostics diagnostics;
  const auto foreign = document::Document::load(file.path(), diagnostics);
  const auto all = test::kinds();
  const auto translation = translate(*foreign, file.folder() / "below", all, diagnostics);
  EXPECT_NE(translation.text.find("file=\"../arm.mo\""), std::string::npos) << translation.text;
  EXPECT_NE(translation.text.find("geometry=\"../arm.stl\""), std::string::npos) << translation.text;
  EXPECT_NE(translation.text.find("folder=\"../\""), std::string::npos) << translation.text;
}

TEST(Translate, ReportsEveryProblemInTheForeignFile) {
  ForeignFile file(R"(<Model Name="m">
<SubModels>
<SubModel ModelFile="a.mo"/>
<SubModel Name="b" ModelFile="b{1}.mo" Position="1,2">
<InterfacePoint Name="p" Dimensions="3" Domain="Mechanical"/>
<InterfacePoint Name="q" Domain="Hydralic" Dimensions="1"/>
<InterfacePoint Name="r" Causality="Inptu"/>
</SubModel>
</SubModels>
<Connections>
<Connection From="b.p"/>
<Connection From="b.p" To="b.q" Dealy="1e-3" Zf="soft"/>
</Connections>
<SimulationParams StartTime="0"/>
</Model>)");
  ASSERT_TRUE(file.load());
  const std::string said = file.said();
  for (const char* expected : {
           "3:1: error: a <SubModel> needs a Name",
           "4:20: error: the path 'b{1}.mo' contains a brace",
           "4:40: error: Position=\"1,2\" must be three numbers, separated by commas",
           "5:26: error: Dimensions=\"3\" of a Mechanical interface must be 1 (translation along one axis) or 6",
           "6:26: error: unknown domain 'Hydralic' (did you mean 'Hydraulic'?)",
           "7:26: error: unknown causality 'Inptu' (did you mean 'Input'?)",
           "11:1: error: a <Connection> needs From and To",
           "12:1: error: a <Connection> needs a Delay",
           "12:33: warning: <Connection> has no attribute 'Dealy' (did you mean 'Delay'?)",
           "12:46: error: Zf=\"soft\" is not a number",
           "14:1: error: <SimulationParams> needs a StopTime",
       }) {
    EXPECT_NE(said.find(expected), std::string::npos) << expected << "\nnot in\n" << said;
  }
}

TEST(Translate, AJointWithoutImpedanceAgainstRotationIsFree) {
  ForeignFile file(R"(<Model Name="m"><SubModels>
<SubModel Name="a" StartCommand="x" ModelFile="a.mo"> <InterfacePoint Name="p"/> </SubModel>
<SubModel Name="b" StartCommand="x" ModelFile="b.mo"> <InterfacePoint Name="p"/> </SubModel>
</SubModels><Connections> <Connection From="a.p" To="b.p" Delay="2e-4" Zf="2000" Zfr="0"/> </Connections>
<SimulationParams StartTime="0" StopTime="1"/></Model>)");
  const auto document = file.load();
  ASSERT_TRUE(document);
  const Element joint = document->root().child("Connections").child("Connection");
  EXPECT_EQ(joint.get("free_axes"), "rx, ry, rz");
  EXPECT_FALSE(joint.has("impedance_rotation"));
}

TEST(Translate, NamesThatAreNotOursAreKeptBeside) {
  ForeignFile file(R"(<Model Name="my model"><SubModels>
<SubModel Name="a.b" StartCommand="x" ModelFile="a.mo"> <InterfacePoint Name="p[1]"/> </SubModel>
<SubModel Name="c" StartCommand="x" ModelFile="c.mo"> <InterfacePoint Name="p"/> </SubModel>
</SubModels><Connections> <Connection From="a.b.p[1]" To="c.p" Delay="1" Zf="1"/> </Connections>
<SimulationParams StartTime="0" StopTime="1"/></Model>)");
  const auto document = file.load();
  ASSERT_TRUE(document);
  EXPECT_FALSE(file.diagnostics.has_errors()) << file.said();
  const Element root = document->root();
  EXPECT_EQ(root.get("name"), "my_model");
  EXPECT_EQ(named(root.child("Properties"), "Property", "Name").get("value"), "my model");
  EXPECT_EQ(root.child("Connections").child("Connection").get("from"), "a_b.p_1_");
  const Element part = component(root, "a_b");
  EXPECT_EQ(named(part, "Property", "Name").get("value"), "a.b");
  EXPECT_EQ(named(part, "Property", "InterfacePoint.p[1].Name").get("value"), "p[1]");
  // Where no impedance of rotation is given, that of translation serves.
  EXPECT_EQ(root.child("Connections").child("Connection").get("impedance_rotation"), "1");
}

TEST(Translate, SignalsKeepTheirDimensions) {
  std::string text = kEverything;
  for (const std::string name : {"command", "target"}) {
    const std::string written = "Name=\"" + name + "\" Dimensions=\"1\"";
    const auto at = text.find(written);
    ASSERT_NE(at, text.npos);
    text.replace(at, written.size(), "Name=\"" + name + "\" Dimensions=\"4\"");
  }
  ForeignFile file(text);
  const auto document = file.load();
  ASSERT_TRUE(document);
  EXPECT_FALSE(file.diagnostics.has_errors()) << file.said();
  EXPECT_EQ(named(component(document->root(), "arm"), "Interface", "command").get("size"), "4");
  EXPECT_EQ(named(component(document->root(), "base"), "Interface", "target").get("size"), "4");
}

}  // namespace translate_test
}  // namespace tieline::interchange
