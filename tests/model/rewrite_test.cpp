#include "model/rewrite.hpp"

#include <gtest/gtest.h>

#include "model/model_files.hpp"

namespace tieline::model {
namespace rewrite_test {

using document::Diagnostics;
using test::ModelFolder;

constexpr const char* kModel = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- A comment that says why. -->
<CompositeModel name="kept">
  <Description>Text &amp; more.</Description>
  <Parameters>
    <Parameter name="k"   value = '1e6' unit="N/m"/> <!-- per metre -->
    <Parameter name="T" value="1e-4" description="a &lt; b"/>
  </Parameters>
  <Components>
    <Component name="left" kind="network" icon="left.svg" geometry="left.stl" diagram_x="10" diagram_y="20">
      <Description>Body.</Description><InputFile path="left.csv"/>
      <Parameter name="m" value="{2*T}"/>
      <Network><Mass name="body" mass="{m}"/><!-- inside --><Interface name="end"/></Network>
    </Component>
    <Repeat index="i" count="2">
      <Component name="link{i}" kind="network" file="link.xml" solver="rk4" step="1e-6"/>
    </Repeat>
  </Components>
  <Connections>
    <Connection name="rod{1}" from="left.end" to="link0.end" coupling="line" delay="{T}" stiffness="{k}" damping="0.25" initial_force="3"/>
    <Connection from="link0.far" to="link1.end" coupling="sampled" schedule="gauss_seidel" step="{T/3}" first="to"/>
    <Connection from="link0.y" to="link1.u" delay="0.1"/>
  </Connections>
  <FutureElement of="another version" ><Deep/></FutureElement>
  <Simulation start="0" stop="{1/3}" tolerance="1e-9"><Record variables="left.*" interval="1e-3"/><Exclude variables="*.energy"/></Simulation>
</CompositeModel>
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(Rewrite, SetsAParameterAndKeepsEveryOtherByte) {
  ModelFolder folder;
  Diagnostics diagnostics;
  const auto in = folder.write("in.xml", kModel);
  const auto out = folder.path("out.xml");
  ASSERT_TRUE(set_parameter_in_file(in, out, "k", "2e6", diagnostics)) << diagnostics.describe();
  EXPECT_EQ(folder.read("out.xml"), replaced(kModel, "'1e6'", "'2e6'"));
  ASSERT_TRUE(set_parameter_in_file(out, out, "left.m", "{3*T}", diagnostics));
  EXPECT_EQ(folder.read("out.xml"), replaced(replaced(kModel, "'1e6'", "'2e6'"), "{2*T}", "{3*T}"));
  ASSERT_TRUE(set_parameter_in_file(out, out, "k", "1e6", diagnostics));
  ASSERT_TRUE(set_parameter_in_file(out, out, "left.m", "{2*T}", diagnostics));
  EXPECT_EQ(folder.read("out.xml"), kModel);
}

TEST(Rewrite, SetsAttributesOfComponents) {
  ModelFolder folder;
  Diagnostics diagnostics;
  const auto in = folder.write("in.xml", kModel);
  const auto out = folder.path("out.xml");
  ASSERT_TRUE(set_component_attribute_in_file(in, out, "left", "diagram_x", "11", diagnostics));
  ASSERT_TRUE(set_component_attribute_in_file(out, out, "link{i}", "icon", "a&b.svg", diagnostics));
  EXPECT_EQ(folder.read("out.xml"), replaced(replaced(kModel, "diagram_x=\"10\"", "diagram_x=\"11\""),
                                             "step=\"1e-6\"/>", "step=\"1e-6\" icon=\"a&amp;b.svg\"/>"));
}

TEST(Rewrite, NamesTheNearestAndLeavesTheFileAlone) {
  ModelFolder folder;
  Diagnostics diagnostics;
  const auto in = folder.write("in.xml", kModel);
  EXPECT_FALSE(set_parameter_in_file(in, in, "left.n", "1", diagnostics));
  EXPECT_FALSE(set_component_attribute_in_file(in, in, "lefft", "icon", "x", diagnostics));
  EXPECT_FALSE(set_parameter_in_file(in, folder.path("no/such/folder.xml"), "k", "1", diagnostics));
  EXPECT_EQ(folder.shown(diagnostics),
            "in.xml: error: the file contains no parameter 'left.n' (did you mean 'left.m'?)\n"
            "in.xml: error: the file contains no component 'lefft' (did you mean 'left'?)\n"
            "no/such/folder.xml: error: cannot write 'no/such/folder.xml': No such file or directory\n");
  EXPECT_EQ(folder.read("in.xml"), kModel);
}

/// Everything of a flattened model that a run depends on.
std::string essence(const CompositeModel& model) {
  std::ostringstream text;
  text.precision(17);
  const auto number = [&](std::optional<double> value) { text << (value ? *value : -77.0) << ' '; };
  text << model.name << '|' << model.description << '\n';
  for (const auto& p : model.parameters) text << p.name << '=' << p.value << p.unit << p.description << '\n';
  for (const auto& c : model.components) {
    text << c.name << ' ' << c.kind << ' ' << c.description << ' ' << c.icon << c.geometry << ' '
         << c.settings.solver.value_or("") << ' ';
    for (const auto& file : c.input_files) text << file;
    for (const auto value : {c.settings.tolerance, c.settings.step, c.settings.largest_step, c.settings.window,
                             c.settings.write_interval, c.diagram_x, c.diagram_y})
      number(value);
    Diagnostics unused;
    for (const auto& name : c.scope.visible_names())
      text << name << '=' << c.scope.value_of(name, {}, unused).value_or(-77.0) << ' ';
    text << c.content.children().size() << '\n';
  }
  for (const auto& c : model.connections) {
    text << c.name << ' ' << model.describe(c.from) << ' ' << model.describe(c.to) << ' ' << name_of(c.coupling) << ' ';
    for (const auto value : {c.delay, c.line.stiffness, c.line.impedance, c.line.area, c.sampled.step}) number(value);
    text << c.line.damping << ' ' << c.line.initial_force << ' ' << core::name_of(c.sampled.extrapolation)
         << core::name_of(c.sampled.schedule) << static_cast<int>(c.sampled.first) << '\n';
  }
  for (const auto& i : model.interfaces) text << i.name << ' ' << model.describe(i.of) << '\n';
  text << model.simulation.start << ' ' << model.simulation.stop << '\n';
  for (const auto& rule : model.simulation.record) {
    text << rule.is_exclusion << rule.patterns.size() << rule.patterns[0];
    number(rule.interval);
  }
  return text.str();
}

TEST(Rewrite, TheResolvedModelReadsBackAsItself) {
  ModelFolder folder;
  Diagnostics diagnostics;
  const auto kinds = test::kinds();
  folder.write(
      "link.xml",
      "<Network><Parameters><Parameter name=\"L\" value=\"{i+0.1}\"/></Parameters><Interface name=\"end\"/></Network>");
  std::string text = replaced(kModel, "  <FutureElement of=\"another version\" ><Deep/></FutureElement>\n", "");
  text = replaced(text, "</Components>",
                  "</Components><Interfaces><Interface name=\"tip\" of=\"link1.far\"/></Interfaces>");
  const auto model = read_model(folder.write("in.xml", text), {}, kinds, diagnostics);
  ASSERT_TRUE(model && !diagnostics.has_errors()) << diagnostics.describe();
  const std::string resolved = resolved_model_xml(*model);
  EXPECT_EQ(resolved.find("Repeat"), std::string::npos);
  EXPECT_NE(resolved.find("<!-- inside -->"), std::string::npos);
  const auto again = read_model(folder.write("elsewhere/out.xml", resolved), {}, kinds, diagnostics);
  ASSERT_TRUE(again && !diagnostics.has_errors()) << diagnostics.describe() << resolved;
  EXPECT_EQ(essence(*again), essence(*model));
  EXPECT_EQ(resolved_model_xml(*again), resolved);
}

TEST(Rewrite, AddsInterfacesAndKeepsEveryOtherByte) {
  const std::string tag = "<Interface name=\"hub\" domain=\"rotation\" causality=\"force\"/>";
  const std::vector<std::string> tags{tag, replaced(tag, "hub", "rim")};
  const auto with_interfaces = [&](const std::string& component, const std::string& name) {
    ModelFolder folder;
    Diagnostics diagnostics;
    const auto in =
        folder.write("in.xml", "<CompositeModel>\n  <Components>\n" + component + "</Components></CompositeModel>");
    EXPECT_TRUE(add_interfaces_in_file(in, in, name, tags, diagnostics)) << diagnostics.describe();
    return folder.read("in.xml");
  };
  const std::string head = "<CompositeModel>\n  <Components>\n", tail = "</Components></CompositeModel>";
  EXPECT_EQ(with_interfaces("    <Component name=\"a\" kind=\"process\" />\n", "a"),
            head + "    <Component name=\"a\" kind=\"process\" >\n      " + tags[0] + "\n      " + tags[1] +
                "\n    </Component>\n" + tail);
  EXPECT_EQ(with_interfaces(
                "    <Component name=\"a\">\n      <Parameter name=\"m\"/> <!-- why -->\n    </Component>\n", "a"),
            head + "    <Component name=\"a\">\n      <Parameter name=\"m\"/> <!-- why -->\n      " + tags[0] +
                "\n      " + tags[1] + "\n    </Component>\n" + tail);
  EXPECT_EQ(
      with_interfaces("    <Component name=\"a\"></Component>\n", "a"),
      head + "    <Component name=\"a\">\n      " + tags[0] + "\n      " + tags[1] + "\n    </Component>\n" + tail);
}

}  // namespace rewrite_test
}  // namespace tieline::model
