#include "model/reader.hpp"

#include <gtest/gtest.h>

#include "model/reading_test.hpp"

namespace tieline::model {
namespace reader_test {

using test::component_text;
using test::model_text;

using Reader = test::ReadingTest;

TEST_F(Reader, ReadsEverythingOfAModel) {
  folder.write("data/left.xml",
               "<Network><Parameters><Parameter name=\"m\" value=\"1\"/><Parameter name=\"d\" "
               "value=\"{m/2}\"/></Parameters></Network>");
  const auto model = read(R"(<CompositeModel name="two-bodies">
  <Description> Two bodies. </Description>
  <Parameters>
    <Parameter name="Z" value="{k*T}"/>
    <Parameter name="k" value="1e10" unit="N/m" description="stiffness"/>
    <Parameter name="T" value="1e-5"/>
  </Parameters>
  <Components>
    <Component name="left" kind="network" file="data/left.xml" solver="rk4" step="{T/10}" tolerance="1e-9" window="{T/2}" write_interval="0"
               icon="i.svg" geometry="g.stl" diagram_x="1" diagram_y="-2">
      <Description>The left one.</Description>
      <InputFile path="x.csv"/>
      <Parameter name="m" value="{2*k}"/>
    </Component>
    <Component name="right" kind="network"><Network/></Component>
  </Components>
  <Interfaces><Interface name="tip" of="right.tip"/></Interfaces>
  <Connections>
    <Connection from="left.end" to="right.end" coupling="line" delay="{T}" stiffness="{k}" damping="0.1" initial_force="-5"/>
    <Connection name="s" from="left.a" to="right.a" coupling="sampled" extrapolation="linear" schedule="jacobi" step="1e-3"/>
    <Connection name="u" from="left.y" to="right.u" delay="1e-4"/>
  </Connections>
  <Simulation start="0.5" stop="2" solver="dopri5" tolerance="1e-8" largest_step="0.1" write_interval="1e-3" save_interval="0.5">
    <Record variables="left.*, connections.*" interval="1e-5"/><Exclude variables="*.energy*"/>
  </Simulation>
</CompositeModel>)");
  EXPECT_EQ(model.name, "two-bodies");
  EXPECT_EQ(model.description, "Two bodies.");
  ASSERT_EQ(model.parameters.size(), 3U);
  EXPECT_DOUBLE_EQ(model.parameters[0].value, 1e5);
  EXPECT_EQ(model.parameters[1].unit, "N/m");

  ASSERT_EQ(model.components.size(), 2U);
  const auto& left = model.components[0];
  EXPECT_EQ(left.name, "left");
  EXPECT_EQ(left.content.name(), "Network");
  EXPECT_EQ(left.content_file, folder.path("data/left.xml"));
  EXPECT_EQ(left.settings.solver, "rk4");
  EXPECT_DOUBLE_EQ(left.settings.step.value(), 1e-6);
  EXPECT_EQ(left.settings.tolerance, 1e-9);
  EXPECT_EQ(left.settings.largest_step, 0.1);  // from the simulation
  EXPECT_EQ(left.settings.write_interval, 0.0);
  EXPECT_EQ(left.description, "The left one.");
  EXPECT_EQ(left.input_files, std::vector{folder.path("x.csv")});
  EXPECT_EQ(left.icon, folder.path("i.svg"));
  EXPECT_EQ(left.diagram_y, -2.0);
  EXPECT_EQ(value(left, "m"), 2e10);
  EXPECT_EQ(value(left, "d"), 1e10);
  EXPECT_EQ(value(left, "T"), 1e-5);
  EXPECT_EQ(model.components[1].settings.solver, "dopri5");
  EXPECT_EQ(model.components[1].content_file, folder.path("model.xml"));

  ASSERT_EQ(model.connections.size(), 3U);
  const auto& line = model.connections[0];
  EXPECT_EQ(line.name, "left.end--right.end");
  EXPECT_EQ(line.coupling, Coupling::line);
  EXPECT_EQ(line.delay, 1e-5);
  EXPECT_EQ(line.line.stiffness, 1e10);
  EXPECT_EQ(line.line.damping, 0.1);
  EXPECT_EQ(line.line.initial_force, -5.0);
  EXPECT_FALSE(line.line.impedance.has_value());
  EXPECT_EQ(line.from.component, 0);
  EXPECT_EQ(model.describe(line.to), "right.end");
  EXPECT_EQ(line.declaration.place_of("delay").line, 19);
  const auto& sampled = model.connections[1];
  EXPECT_EQ(sampled.coupling, Coupling::sampled);
  EXPECT_EQ(sampled.sampled.extrapolation, core::Extrapolation::linear);
  EXPECT_EQ(sampled.sampled.schedule, core::Schedule::jacobi);
  EXPECT_EQ(sampled.sampled.step, 1e-3);
  EXPECT_EQ(model.connections[2].coupling, Coupling::signal);

  ASSERT_EQ(model.interfaces.size(), 1U);
  EXPECT_EQ(model.describe(model.interfaces[0].of), "right.tip");
  EXPECT_EQ(model.simulation.start, 0.5);
  EXPECT_EQ(model.simulation.stop, 2.0);
  EXPECT_EQ(model.simulation.save_interval, 0.5);
  ASSERT_EQ(model.simulation.record.size(), 2U);
  EXPECT_EQ(model.simulation.record[0].patterns, (std::vector<std::string>{"left.*", "connections.*"}));
  EXPECT_EQ(model.simulation.record[0].interval, 1e-5);
  EXPECT_TRUE(model.simulation.record[1].is_exclusion);
  EXPECT_EQ(model.files, (std::vector{folder.path("model.xml"), folder.path("data/left.xml")}));
}

TEST_F(Reader, ExpandsRepeats) {
  const std::string text = model_text(
      "<Repeat index=\"i\" count=\"{N}\"><Component name=\"mass{i}\" kind=\"network\"><Parameter name=\"m\" "
      "value=\"{10*i}\"/><Network/></Component></Repeat>"
      "<Repeat index=\"i\" count=\"2\"><Repeat index=\"j\" count=\"{i+1}\"><Component name=\"grid{i}-{j}\" "
      "kind=\"network\"><Network/></Component></Repeat></Repeat>",
      "<Repeat index=\"i\" count=\"{N-1}\"><Connection from=\"mass{i}.right\" to=\"mass{i+1}.left\" coupling=\"line\" "
      "delay=\"{1e-3*(i+1)}\" stiffness=\"1\"/></Repeat>",
      "<Parameters><Parameter name=\"N\" value=\"3\"/></Parameters>");
  const auto model = read(text);
  std::vector<std::string> names;
  for (const auto& component : model.components) names.push_back(component.name);
  EXPECT_EQ(names, (std::vector<std::string>{"mass0", "mass1", "mass2", "grid0-0", "grid1-0", "grid1-1"}));
  EXPECT_EQ(value(model.components[2], "m"), 20.0);
  EXPECT_EQ(value(model.components[2], "i"), 2.0);
  ASSERT_EQ(model.connections.size(), 2U);
  EXPECT_EQ(model.connections[1].name, "mass1.right--mass2.left");
  EXPECT_DOUBLE_EQ(model.connections[1].delay.value(), 2e-3);
  EXPECT_EQ(read(text, {{"N", "1"}}).components.size(), 4U);
}

TEST_F(Reader, ReadsThousandsOfRepeatedComponentsQuickly) {
  const auto model =
      read(model_text("<Repeat index=\"i\" count=\"10000\"><Component name=\"mass{i}\" kind=\"network\"><Parameter "
                      "name=\"m\" value=\"{10*i+sqrt(i)}\"/>"
                      "<Network/></Component></Repeat>",
                      "<Repeat index=\"i\" count=\"9999\"><Connection from=\"mass{i}.right\" to=\"mass{i+1}.left\" "
                      "coupling=\"line\" delay=\"{1e-3*(i+1)}\" stiffness=\"1\"/></Repeat>"));
  EXPECT_EQ(model.components.size(), 10'000U);
  EXPECT_EQ(model.describe(model.connections.back().to), "mass9999.left");
}

TEST_F(Reader, FlattensNestedModels) {
  folder.write("parts/arm.xml", R"(<CompositeModel name="arm">
  <Parameters><Parameter name="length" value="2"/><Parameter name="twice" value="{2*length}"/></Parameters>
  <Components>
    <Component name="bar" kind="network"><Parameter name="L" value="{twice + gap}"/><Network/></Component>
    <Component name="hand" kind="network" file="hand.xml"/>
  </Components>
  <Interfaces><Interface name="tip" of="hand.end"/><Interface name="root" of="bar.left"/></Interfaces>
  <Connections><Connection name="wrist" from="bar.right" to="hand.start" coupling="line" delay="1e-3" stiffness="{length}"/></Connections>
  <Simulation stop="99" tolerance="0.1"/>
</CompositeModel>)");
  folder.write("parts/hand.xml", "<Network/>");
  folder.write("robot.xml", R"(<CompositeModel name="robot">
  <Components><Component name="arm" kind="composite" file="parts/arm.xml"><Parameter name="length" value="{reach}"/></Component></Components>
  <Interfaces><Interface name="tool" of="arm.tip"/></Interfaces>
</CompositeModel>)");
  const std::string text = model_text(
      "<Component name=\"robot\" kind=\"composite\" file=\"robot.xml\" solver=\"radau5\"/>" +
          component_text("wall", {"face"}),
      "<Connection from=\"robot.tool\" to=\"wall.face\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>",
      "<Parameters><Parameter name=\"reach\" value=\"7\"/><Parameter name=\"gap\" value=\"0.5\"/></Parameters>");
  auto model = read(text);
  ASSERT_EQ(model.components.size(), 3U);
  EXPECT_EQ(model.components[0].name, "robot.arm.bar");
  EXPECT_EQ(model.components[1].name, "robot.arm.hand");
  EXPECT_EQ(model.components[1].content_file, folder.path("parts/hand.xml"));
  EXPECT_EQ(value(model.components[0], "L"), 14.5);
  EXPECT_EQ(model.components[0].settings.solver, "radau5");
  EXPECT_FALSE(model.components[0].settings.tolerance.has_value());  // a nested <Simulation> does not count
  EXPECT_FALSE(model.components[2].settings.solver.has_value());
  EXPECT_EQ(model.connections[0].name, "robot.arm.wrist");
  EXPECT_EQ(model.connections[0].line.stiffness, 7.0);
  EXPECT_EQ(model.connections[1].name, "robot.tool--wall.face");
  EXPECT_EQ(model.describe(model.connections[1].from), "robot.arm.hand.end");
  EXPECT_EQ(model.simulation.stop, 1.0);

  model = read(text, {{"robot.arm.length", "3"}, {"gap", "0"}});
  EXPECT_EQ(value(model.components[0], "L"), 6.0);
  model = read(text, {{"robot.arm.bar.L", "{10*twice}"}});
  EXPECT_EQ(value(model.components[0], "L"), 140.0);
  model = read(text, {{"robot.arm.twice", "1"}});
  EXPECT_EQ(value(model.components[0], "L"), 1.5);
}

TEST_F(Reader, NestedModelsCanStandInline) {
  const auto model =
      read(model_text("<Component name=\"sub\" kind=\"composite\"><CompositeModel name=\"s\"><Components>" +
                      component_text("a", {"x"}) + "</Components></CompositeModel></Component>"));
  ASSERT_EQ(model.components.size(), 1U);
  EXPECT_EQ(model.components[0].name, "sub.a");
}

TEST_F(Reader, OverridesNameTheNearestParameter) {
  const std::string text = model_text(
      "<Component name=\"left\" kind=\"network\"><Parameter name=\"mass\" value=\"1\"/><Network/></Component>", "",
      "<Parameters><Parameter name=\"k\" value=\"1\"/></Parameters>");
  EXPECT_EQ(errors_of(text, {{"left.mas", "2"}}),
            "--set left.mas=2: error: the model has no parameter 'left.mas' (did you mean 'left.mass'?)\n");
  diagnostics = {};
  EXPECT_EQ(
      errors_of(text, {{"k", "abc"}}),
      "--set k=abc: error: 'abc' is neither a finite number nor an {expression} (a parameter is written '{abc}')\n");
  diagnostics = {};
  EXPECT_EQ(read(text, {{"k", "2"}, {"k", "3"}}).parameters[0].value, 3.0);
}

TEST_F(Reader, AModelThatContainsItselfIsReportedWithTheChain) {
  folder.write("b.xml",
               "<CompositeModel name=\"b\"><Components><Component name=\"c\" kind=\"composite\" "
               "file=\"c.xml\"/></Components></CompositeModel>");
  folder.write("c.xml",
               "<CompositeModel name=\"c\"><Components><Component name=\"b\" kind=\"composite\" "
               "file=\"b.xml\"/></Components></CompositeModel>");
  EXPECT_EQ(errors_of(model_text("<Component name=\"b\" kind=\"composite\" file=\"b.xml\"/>")),
            "c.xml:1:75: error: the model contains itself: model.xml -> b.xml -> c.xml -> b.xml\n");
}

TEST_F(Reader, AnEndlessRepeatIsRefused) {
  EXPECT_EQ(errors_of(model_text("<Repeat index=\"i\" count=\"1e6\"><Repeat index=\"j\" count=\"1e6\"/></Repeat>")),
            "model.xml:3:31: error: the <Repeat> elements of the model repeat more than 4000000 times\n");
  diagnostics = {};
  EXPECT_EQ(errors_of(model_text("<Repeat index=\"i\" count=\"1e9\"/>")),
            "model.xml:3:19: error: count = 1000000000 must be a whole number from 0 to 1000000\n");
  diagnostics = {};
  EXPECT_EQ(errors_of(model_text("<Repeat index=\"i\" count=\"1.5\"/>")),
            "model.xml:3:19: error: count = 1.5 must be a whole number from 0 to 1000000\n");
}

TEST_F(Reader, ReportsWhatIsWrongWithComponents) {
  folder.write("blocks.xml", "<Blocks/>");
  const std::string text = model_text(R"(<Component name="none" kind="network"/>
<Component name="both" kind="network" file="blocks.xml"><Network/></Component>
<Component name="missing" kind="network" file="missing.xml"/>
<Component name="wrong" kind="network" file="blocks.xml"/>
<Component name="other" kind="network"><CompositeModel name="x"><Components/></CompositeModel></Component>
<Component name="twice" kind="network"><Parameter name="p" value="1"/><Parameter name="p" value="2"/><Network/></Component>
<Component name="near" kind="network"><Parameter name="mas" value="1"/><Network><Parameters><Parameter name="mass" value="1"/></Parameters></Network></Component>
<Component name="a.b" kind="network"><Network/></Component>
<Component name="x{1/2}" kind="network"><Network/></Component>
)");
  EXPECT_EQ(errors_of(text),
            "blocks.xml:1:1: error: the root element is <Blocks>, but <Network> is expected\n"
            "model.xml:3:1: error: component 'none' must have either a file or <Network> in it\n"
            "model.xml:4:1: error: component 'both' must have either a file or <Network> in it, not both\n"
            "model.xml:5:42: error: the file 'missing.xml' does not exist\n"
            "model.xml:7:40: error: a component of kind 'network' contains <Network>, not <CompositeModel>\n"
            "model.xml:8:82: error: parameter 'p' appears twice\n"
            "model.xml:9:50: warning: the component declares no parameter 'mas' (did you mean 'mass'?)\n"
            "model.xml:10:12: error: name=\"a.b\" is not a name (letters, digits, '_', '-' and {expressions})\n"
            "model.xml:10:12: error: 'a.b' is not a name (letters, digits, '_' and '-')\n"
            "model.xml:11:12: error: 'x0.5' is not a name (letters, digits, '_' and '-')\n");
}

TEST_F(Reader, ReportsReferencesThatLeadNowhere) {
  folder.write("sub.xml",
               "<CompositeModel name=\"s\"><Components>" + component_text("a", {"x"}) +
                   "</Components><Interfaces><Interface name=\"tip\" of=\"a.x\"/></Interfaces></CompositeModel>");
  EXPECT_EQ(errors_of(model_text(
                "<Component name=\"sub\" kind=\"composite\" file=\"sub.xml\"/>" + component_text("left", {"end"}),
                "<Connection from=\"lfet.end\" to=\"sub.tpi\"/>\n<Connection from=\"left\" to=\"sub.a.x\"/>\n")),
            "model.xml:6:13: error: unknown component 'lfet' (did you mean 'left'?)\n"
            "model.xml:6:29: error: the nested model 'sub' exports no interface 'tpi' (did you mean 'tip'?)\n"
            "model.xml:7:13: error: from=\"left\" must have the form \"component.interface\"\n"
            "model.xml:7:25: error: the nested model 'sub' exports no interface 'a.x' (known: tip)\n");
}

TEST_F(Reader, AnUnreadableNestedModelIsReportedOnce) {
  folder.write("sub.xml", "<CompositeModel name=\"s\">");
  EXPECT_EQ(errors_of(model_text(
                "<Component name=\"sub\" kind=\"composite\" file=\"sub.xml\"/>" + component_text("left", {"end"}),
                "<Connection from=\"left.end\" to=\"sub.tip\"/>\n")),
            "sub.xml:1:1: error: <CompositeModel> is never closed\n");
}

TEST_F(Reader, WhatIsWrongInARepeatIsReportedOnce) {
  EXPECT_EQ(errors_of(model_text("<Repeat index=\"i\" count=\"100\">\n<Component name=\"a{i}\" kind=\"network\" "
                                 "step=\"{i*h}\"><Network/></Component></Repeat>")),
            "model.xml:4:39: error: unknown name 'h' (known: i)\n");
}

TEST_F(Reader, AMissingOrForeignFileHasNoModel) {
  EXPECT_FALSE(try_read("<Zoo/>").has_value());
  EXPECT_EQ(folder.shown(diagnostics),
            "model.xml:1:1: error: the root element is <Zoo>, but <CompositeModel> is expected\n");
  EXPECT_FALSE(read_model(folder.path("none.xml"), {}, {}, diagnostics).has_value());
}

}  // namespace reader_test
}  // namespace tieline::model
