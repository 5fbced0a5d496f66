#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "components/model_driver.hpp"
#include "components/network/grammar.hpp"
#include "components/network/network.hpp"
#include "components/network/reader.hpp"
#include "components/reader_support.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::components {
namespace network_reader_test {

struct ReadNetwork : Reading<decltype(&read_network)> {
  explicit ReadNetwork(const std::string& text) : Reading(text, network_grammar(), &read_network) {}
};

TEST(NetworkReader, ReadsEveryPart) {
  const ReadNetwork read(R"(<Network>
  <Description>all parts</Description>
  <Parameters> <Parameter name="k" value="{2*base}"/> <Parameter name="base" value="50"/> </Parameters>
  <Mass name="m" mass="2" position="0.1" velocity="{base/100}"/>
  <Inertia name="rotor" inertia="0.5" angle="1" angular_velocity="2"/>
  <Node name="tip" position="0.3"/>
  <Node name="driven"/>
  <Ground name="wall" position="-1"/>
  <Ground name="housing" domain="rotation"/>
  <Spring name="s" from="wall" to="m" stiffness="{k}"/>
  <Spring name="s2" from="wall" to="tip" stiffness="1" free_length="1.5"/>
  <Damper name="d" from="housing" to="rotor" damping="0.2"/>
  <Clearance name="play" from="m" to="tip" stiffness="1e3" damping="2" gap="0.4" offset="0.1"/>
  <BumpStop name="stop" from="wall" to="m" stiffness="1e4" lower="-2" upper="3"/>
  <HertzContact name="contact" from="driven" to="m" stiffness="1e5" damping="0.1" gap="-0.5"/>
  <Table name="f" x="0, 1, {1+1}" y="0,10,0"/>
  <Load name="push" node="m" force="{f(t) + u}"/>
  <Load name="turn" node="rotor" torque="3"/>
  <Motion name="drive" node="driven" velocity="{sin(t)}"/>
  <Interface name="end" node="m"/>
  <Interface name="free" node="tip" causality="force"/>
  <SignalInput name="u" start="0.5"/>
  <SignalOutput name="speed" of="m.velocity"/>
  <SignalOutput name="turned" of="rotor.angle"/>
  <SignalOutput name="load" of="s.force"/>
</Network>)");
  ASSERT_FALSE(read.diagnostics.has_errors()) << read.diagnostics.describe();
  const NetworkSpec& spec = read.spec;
  ASSERT_EQ(spec.nodes.size(), 6U);
  EXPECT_EQ(spec.nodes[0].velocity, 0.5);
  EXPECT_EQ(spec.nodes[1].domain, core::Domain::rotation);
  ASSERT_EQ(spec.elements.size(), 6U);
  EXPECT_EQ(spec.elements[0].stiffness, 100.0);
  EXPECT_FALSE(spec.elements[0].free_length);
  EXPECT_EQ(*spec.elements[1].free_length, 1.5);
  EXPECT_NEAR(spec.elements[3].lower, -0.1, 1e-15);
  EXPECT_NEAR(spec.elements[3].upper, 0.3, 1e-15);
  EXPECT_EQ(spec.elements[5].exponent, 1.5);
  EXPECT_EQ(spec.elements[5].lower, -0.5);
  EXPECT_EQ(spec.outputs[1].quantity, NetworkSignalOutput::Quantity::position);

  const auto interfaces = interfaces_of(spec);
  ASSERT_EQ(interfaces.size(), 6U);
  EXPECT_EQ(interfaces[0].causality, core::Causality::takes_force);
  EXPECT_EQ(interfaces[1].causality, core::Causality::takes_force);
  EXPECT_EQ(interfaces[2].name, "u");
  EXPECT_EQ(interfaces[3].domain, core::Domain::signal);

  Network network(spec);
  network.ports()[1].law.impedance = 10.0;
  ModelDriver driver(network, 0.0);
  driver.run_to(0.5, 1e-3);
  EXPECT_NEAR(driver.value("push.force"), 5.5, 1e-12);
}

TEST(NetworkReader, ComponentsParametersComeBeforeTheFilesOwn) {
  document::Diagnostics diagnostics;
  const auto document = document::Document::parse(
      R"(<Network><Parameters><Parameter name="m" value="1"/><Parameter name="k" value="{3*m}"/></Parameters>
         <Mass name="a" mass="{m}"/><Mass name="b" mass="{k}"/></Network>)",
      "part.xml", diagnostics);
  document::Scope model;
  model.set("k", 100.0);  // of the model around: the file's own default hides it
  document::Scope component = model.nested();
  component.set("m", 7.0);
  const NetworkSpec spec = read_network(document->root(), component, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  EXPECT_EQ(spec.nodes[0].inertia, 7.0);
  EXPECT_EQ(spec.nodes[1].inertia, 21.0);
}

TEST(NetworkReader, ReportsEveryProblemAtItsPlace) {
  const ReadNetwork read(R"(<Network>
  <Mass name="body" mass="-1"/>
  <Mass name="body" mass="1"/>
  <Inertia name="rotor" inertia="1"/>
  <Node name="loose"/>
  <Ground name="wall"/>
  <Spring name="s" from="wall" to="bdy" stiffness="1"/>
  <Spring name="same" from="wall" to="wall" stiffness="1"/>
  <Damper name="mixed" from="wall" to="rotor" damping="1"/>
  <BumpStop name="stop" from="wall" to="body" stiffness="1" lower="2" upper="1"/>
  <Load name="l" node="wall" force="1"/>
  <Load name="wrong" node="rotor" force="1"/>
  <Motion name="drive" node="body" velocity="1"/>
  <Interface name="end" node="body" causality="motion"/>
  <SignalOutput name="out" of="body.velocty"/>
  <SignalOutput name="none" of="nowhere.force"/>
  <Table name="f" x="0,0" y="1,2"/>
  <Mass name="energy" mass="1"/>
  <HertzContact name="soft" from="wall" to="body" stiffness="1" exponent="0.5"/>
  <Spring name="far" from="wall" to="body" stiffness="{missing}"/>
</Network>)");
  read.expect_error(2, {"mass = -1", "greater than 0"});
  read.expect_error(3, {"'body' is already used", "line 2"});
  read.expect_error(5, {"nothing determines", "'loose'", "Damper"});
  read.expect_error(7, {"no node 'bdy'", "'body'"});
  read.expect_error(8, {"'same'", "with itself"});
  read.expect_error(9, {"translation", "rotation"});
  read.expect_error(10, {"lower = 2 is above upper = 1"});
  read.expect_error(11, {"ground", "no effect"});
  read.expect_error(12, {"takes a torque"});
  read.expect_error(13, {"massless", "'body' is a mass"});
  read.expect_error(14, {"takes force"});
  read.expect_error(15, {"'velocty'", "velocity"});
  read.expect_error(16, {"no node or element 'nowhere'"});
  read.expect_error(17, {"x"});
  read.expect_error(18, {"'energy'", "results"});
  read.expect_error(19, {"exponent = 0.5", "at least 1"});
  read.expect_error(20, {"missing"});
  EXPECT_EQ(read.diagnostics.error_count(), 17U) << read.diagnostics.describe();
}

TEST(NetworkReader, LoadsOnDrivenNodesAndDoubleMotionsAreErrors) {
  const ReadNetwork read(R"(<Network>
  <Node name="base"/>
  <Load name="push" node="base" force="1"/>
  <Motion name="one" node="base" velocity="1"/>
  <Motion name="two" node="base" position="{t}"/>
  <Motion name="three" node="base"/>
</Network>)");
  read.expect_error(3, {"'push' has no effect", "'one'"});
  read.expect_error(5, {"already driven by 'one'"});
  read.expect_error(6, {"velocity, a position"});
}

TEST(NetworkReader, UnknownAttributesComeFromTheGrammar) {
  const ReadNetwork read("<Network>\n<Mass name=\"a\" mas=\"1\"/>\n<Sprung name=\"s\"/>\n</Network>");
  read.expect_error(2, {"'mas'", "mass"});
  read.expect_error(3, {"<Sprung>", "Spring"});
}

TEST(NetworkReader, SpringsInSeriesNeedMoreThanStiffness) {
  const std::string parts = R"(<Mass name="m" mass="1"/> <Ground name="g"/> <Node name="n"/>
    <Spring name="a" from="g" to="n" stiffness="1"/> <Spring name="b" from="n" to="m" stiffness="1"/>)";
  EXPECT_TRUE(ReadNetwork("<Network>" + parts + "</Network>").diagnostics.has_errors());
  const ReadNetwork damped("<Network>" + parts + R"(<Damper name="d" from="g" to="n" damping="0.1"/></Network>)");
  EXPECT_FALSE(damped.diagnostics.has_errors()) << damped.diagnostics.describe();
}

TEST(NetworkReader, ReportedNodeNeedsAMasslessNodeOfTheSameDomain) {
  const ReadNetwork read(R"(<Network>
  <Mass name="ball" mass="1"/> <Node name="floor"/> <Inertia name="rotor" inertia="1"/>
  <Interface name="good" node="floor" reported_node="ball"/>
  <Interface name="turned" node="floor" reported_node="rotor"/>
  <Interface name="heavy" node="ball" reported_node="floor"/>
</Network>)");
  EXPECT_EQ(read.spec.interfaces[0].reported_node, 0);
  read.expect_error(4, {"'rotor' is of rotation"});
  read.expect_error(5, {"'ball' is not one"});
}

TEST(NetworkReader, ReportedNodeHasAFormerName) {
  const ReadNetwork read(R"(<Network>
  <Mass name="ball" mass="1"/> <Node name="floor"/>
  <Interface name="former" node="floor" tells="ball"/>
  <Interface name="both" node="floor" tells="ball" reported_node="ball"/>
</Network>)");
  EXPECT_EQ(read.spec.interfaces[0].reported_node, 0);
  read.expect_error(4, {"'tells' is the former name of 'reported_node'"});
}

TEST(NetworkReader, TableFilesStandBesideTheDocument) {
  const support::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  std::ofstream(folder / "load.csv") << "t, force\n0, 0\n1, 4 # peak\n\n2, 0\n";
  std::ofstream(folder / "bad.csv") << "0, 0\n1, x\n";
  std::ofstream(folder / "part.xml") << R"(<Network><Mass name="m" mass="1"/>
    <Table name="f" file="load.csv"/> <Load name="l" node="m" force="{f(t)}"/>
    <Table name="bad" file="bad.csv"/>
    <Table name="none" file="missing.csv"/></Network>)";
  document::Diagnostics diagnostics;
  const auto document = document::Document::load(folder / "part.xml", diagnostics);
  ASSERT_TRUE(document);
  const NetworkSpec spec = read_network(document->root(), document::Scope{}, diagnostics);
  EXPECT_NEAR(spec.loads.at(0).force.value(0.5, {}), 2.0, 1e-15);
  EXPECT_EQ(diagnostics.error_count(), 2U) << diagnostics.describe();
  EXPECT_NE(diagnostics.describe().find("bad.csv:2:1"), std::string::npos) << diagnostics.describe();
  EXPECT_NE(diagnostics.describe().find("missing.csv' cannot be read"), std::string::npos);
}

TEST(NetworkReader, AnUnreadableTableIsOneProblem) {
  const support::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  std::ofstream(folder / "good.txt") << "0 1\n1 2\n";
  std::ofstream(folder / "garbage.txt") << "\x01\xff\x7f\n\xfe{x}\n";
  std::ofstream(folder / "part.xml") << R"(<Network><Mass name="m" mass="1"/>
    <Table name="none" file="missing.txt"/> <Table name="bad" file="garbage.txt"/> <Table name="f" file="good.txt"/>
    <Table name="place" file="."/>
    <Load name="l" node="m" force="{none(t) + bad(t) + f(t) + place(t)}"/></Network>)";
  document::Diagnostics diagnostics;
  const auto document = document::Document::load(folder / "part.xml", diagnostics);
  ASSERT_TRUE(document);
  (void)read_network(document->root(), document::Scope{}, diagnostics);
  EXPECT_EQ(diagnostics.error_count(), 3U) << diagnostics.describe();
  EXPECT_NE(diagnostics.describe().find("missing.txt' cannot be read: it does not exist"), std::string::npos);
  EXPECT_NE(diagnostics.describe().find("garbage.txt:2:1: error: expected two numbers (x, y), found '?{x}'"),
            std::string::npos)
      << diagnostics.describe();
  const auto read = diagnostics.files_read();
  EXPECT_EQ((std::vector<std::filesystem::path>(read.begin(), read.end())),
            (std::vector<std::filesystem::path>{folder / "part.xml", folder / "good.txt"}));
}

TEST(NetworkReader, DoubtsTemperaturesThatLookLikeDegreesCelsius) {
  const ReadNetwork read(R"(<Network>
    <Parameters> <Parameter name="T" value="25"/> </Parameters>
    <SignalInput name="u"/>
    <HeatCapacity name="a" heat_capacity="1" temperature="20"/> <HeatCapacity name="b" heat_capacity="1"/>
    <TemperatureSource name="c" temperature="{T + 5*sin(t)}"/> <TemperatureSource name="d" temperature="{u}"/>
    <TemperatureSource name="e" temperature="300"/></Network>)");
  EXPECT_FALSE(read.diagnostics.has_errors()) << read.diagnostics.describe();
  EXPECT_EQ(read.diagnostics.describe(),
            "part.xml:4:46: warning: temperature = 20 K is -253.15 degrees Celsius; for 20 degrees Celsius write "
            "293.15\n"
            "part.xml:5:33: warning: temperature = 25 K is -248.15 degrees Celsius; for 25 degrees Celsius write "
            "298.15\n");
}

TEST(NetworkReader, NodesOfOtherDomainsAreNamedWithTheirArticle) {
  const ReadNetwork read(R"(<Network>
    <Volume name="oil" volume="1" bulk_modulus="1e9"/> <Capacitor name="c" capacitance="1"/>
    <CurrentSource name="i" node="oil" current="1"/> <FlowSource name="q" node="c" flow="1"/></Network>)");
  const std::string said = read.diagnostics.describe();
  EXPECT_NE(said.find("'oil' is a hydraulic node; <CurrentSource> needs an electrical node there"), std::string::npos)
      << said;
  EXPECT_NE(said.find("'c' is an electrical node; <FlowSource> needs a hydraulic node there"), std::string::npos)
      << said;
}

TEST(NetworkReader, SignalsHaveAnySize) {
  const ReadNetwork read(R"(<Network>
  <Mass name="m" mass="2" position="0.25" velocity="0.5"/>
  <SignalInput name="u" size="2" start="3, 4"/>
  <SignalInput name="v" start="5"/>
  <Load name="push" node="m" force="{u[1]*u[2] + v}"/>
  <SignalOutput name="y" of="m.velocity, m.position"/>
  <SignalOutput name="z" of="m.velocity"/>
</Network>)");
  ASSERT_FALSE(read.diagnostics.has_errors()) << read.diagnostics.describe();
  const auto interfaces = interfaces_of(read.spec);
  ASSERT_EQ(interfaces.size(), 4U);
  EXPECT_EQ(interfaces[0].name, "u");
  EXPECT_EQ(interfaces[0].size, 2);
  EXPECT_EQ(interfaces[1].size, 1);
  EXPECT_EQ(interfaces[2].name, "y");
  EXPECT_EQ(interfaces[2].size, 2);
  Network network(read.spec);
  ASSERT_EQ(network.ports().size(), 6U);
  EXPECT_EQ(network.ports()[1].name, "u[2]");
  EXPECT_EQ(network.ports()[4].name, "y[2]");
  ModelDriver driver(network, 0.0);
  EXPECT_EQ(driver.value("push.force"), 17.0);
  EXPECT_EQ(driver.value("y[1].value"), 0.5);
  EXPECT_EQ(driver.value("y[2].value"), 0.25);
}

TEST(NetworkReader, ReportsWrongMembersOfSignals) {
  const ReadNetwork read(R"(<Network>
  <Mass name="m" mass="2"/>
  <SignalInput name="u" size="2"/>
  <Load name="push" node="m" force="{u[3]}"/>
  <SignalOutput name="y" of="m.velocity, m.angle"/>
  <SignalOutput name="z" of="m.velocity, "/>
</Network>)");
  read.expect_error(4, {"there is no signal input 'u[3]'"});
  read.expect_error(5, {"'angle'"});
  read.expect_error(6, {"must name a quantity"});
}

}  // namespace network_reader_test
}  // namespace tieline::components
