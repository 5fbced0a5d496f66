// Component types on the command line: found, shown, added, exported, and used in a run.

#include <cstdlib>
#include <gtest/gtest.h>

#include "program.hpp"

namespace tieline::cli {
namespace library_test {

constexpr const char* kSprings = R"(<Library name="springs" version="1.2">
  <Description>Springs of ours.</Description>
  <Type name="Soft" extends="mechanics.Support" file="soft.xml">
    <Description>A soft support.</Description>
    <Parameters> <Parameter name="stiffness" value="1e3" unit="N/m"/> </Parameters>
  </Type>
</Library>
)";
constexpr const char* kSoft = R"(<Network>
  <Ground name="ground"/>
  <Mass name="foot" mass="{mass}"/>
  <Spring name="spring" from="ground" to="foot" stiffness="{stiffness}"/>
  <Interface name="top" node="foot"/>
</Network>
)";
constexpr const char* kModel = R"(<CompositeModel name="m">
  <Components>
    <Component name="foot" type="springs.Soft"> <Parameter name="mass" value="2"/> </Component>
    <Component name="body" type="mechanics.Body"> <Parameter name="force" value="10"/> </Component>
  </Components>
  <Connections>
    <Connection from="foot.top" to="body.left" coupling="line" delay="1e-4" stiffness="1e6"/>
  </Connections>
  <Simulation stop="0.01"/>
</CompositeModel>
)";

class LibraryCommand : public ::testing::Test {
 protected:
  LibraryCommand() {
    place.write("springs.xml", kSprings);
    place.write("soft.xml", kSoft);
  }
  /// With a user's folder of its own.
  Outcome tieline(const std::vector<std::string>& arguments) const {
    const std::string home = place.path("home").string();
    return place.tieline(arguments, [home] {
      ::setenv("XDG_DATA_HOME", home.c_str(), 1);
      ::unsetenv("TIELINE_LIBRARY");
    });
  }
  static bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

  Workplace place;
};

TEST_F(LibraryCommand, ListsAndShowsTypes) {
  auto outcome = tieline({"library", "list", "--model", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name : {"springs 1.2  Springs of ours.", "springs.Soft", "mechanics.HardSupport", "control.Pid"}) {
    EXPECT_TRUE(holds(outcome.out, name)) << name << outcome.out;
  }
  outcome = tieline({"library", "show", "springs.Soft", "--model", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part : {"A soft support.", "network", "extends      Support", "soft.xml", "stiffness", "1e3", "mass",
                           "top              translation force"}) {
    EXPECT_TRUE(holds(outcome.out, part)) << part << outcome.out;
  }
}

TEST_F(LibraryCommand, NamesTheNearest) {
  auto outcome = tieline({"library", "show", "mechanics.Suport"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "did you mean 'mechanics.Support'?")) << outcome.err;
  outcome = tieline({"library", "show", "mechanic.Support"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "there is no library 'mechanic' (did you mean 'mechanics'?)")) << outcome.err;
}

TEST_F(LibraryCommand, AddedTypesAreFoundFromAnywhere) {
  ASSERT_EQ(tieline({"library", "add", "springs.xml"}).exit_code, 0);
  EXPECT_EQ(text_of(place.path("home/tieline/library/springs.xml")), kSprings);
  EXPECT_EQ(text_of(place.path("home/tieline/library/soft.xml")), kSoft);
  EXPECT_TRUE(holds(tieline({"library", "add", "springs.xml"}).err, "--replace replaces it"));
  EXPECT_EQ(tieline({"library", "add", "springs.xml", "--replace"}).exit_code, 0);
  std::filesystem::remove(place.path("springs.xml"));
  std::filesystem::remove(place.path("soft.xml"));
  place.write("model.xml", kModel);
  const auto outcome = tieline({"check", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "reads " + place.path("home/tieline/library/soft.xml").string())) << outcome.out;
  EXPECT_EQ(tieline({"run", "model.xml", "--set", "foot.stiffness=2e3", "--quiet"}).exit_code, 0);
}

TEST_F(LibraryCommand, AnAddedLibraryBringsTheFilesOfItsContent) {
  place.write("springs.xml",
              "<Library name=\"springs\">\n<Type name=\"P\" kind=\"network\" file=\"parts/p.xml\"/></Library>");
  std::filesystem::create_directories(place.path("parts"));
  place.write("parts/p.xml", R"(<Network><Table name="push" file="push.txt"/><Mass name="m" mass="1"/></Network>)");
  place.write("parts/push.txt", "0 0\n1 1\n");
  auto outcome = tieline({"library", "add", "springs.xml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(text_of(place.path("home/tieline/library/parts/push.txt")), "0 0\n1 1\n");
  // Another library must not change the files of this one.
  place.write("springs.xml",
              "<Library name=\"others\">\n<Type name=\"P\" kind=\"network\" file=\"parts/p.xml\"/></Library>");
  place.write("parts/push.txt", "0 0\n1 2\n");
  outcome = tieline({"library", "add", "springs.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "parts/p.xml:1")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "push.txt' would be overwritten; --replace replaces it")) << outcome.err;
  EXPECT_EQ(text_of(place.path("home/tieline/library/parts/push.txt")), "0 0\n1 1\n");
}

TEST_F(LibraryCommand, ABadLibraryIsNotAdded) {
  place.write("bad.xml", "<Library name=\"bad\">\n<Type name=\"A\" kind=\"netwrok\"/>\n</Library>");
  const auto outcome = tieline({"library", "add", "bad.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "bad.xml:2:16: error: kind=\"netwrok\" is not known (did you mean 'network'?)"))
      << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(place.path("home/tieline/library/bad.xml")));
}

TEST_F(LibraryCommand, BearingsThatExtendInstalledOnesAreFound) {
  place.write("own.xml", "<Library name=\"own\"><Bearing name=\"A1\" type=\"6214\" clearance=\"11e-6\"/></Library>");
  EXPECT_TRUE(holds(tieline({"bearing", "own.xml"}).out, "diametral clearance 11 um"));
  ASSERT_EQ(tieline({"library", "add", "own.xml"}).exit_code, 0);
  EXPECT_TRUE(holds(tieline({"bearing", "A1"}).out, "diametral clearance 11 um"));
  EXPECT_TRUE(holds(tieline({"bearing", "--list"}).out, "A1"));
  // A bad one is not added; one that is there nevertheless concerns only those who ask for it.
  place.write("bad.xml", "<Library name=\"bad\">\n<Bearing name=\"A2\" type=\"6199\"/></Library>");
  const auto refused = tieline({"library", "add", "bad.xml"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(holds(refused.err, "bad.xml:2:20: error: there is no bearing '6199'")) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(place.path("home/tieline/library/bad.xml")));
  std::filesystem::copy(place.path("bad.xml"), place.path("home/tieline/library/bad.xml"));
  EXPECT_EQ(tieline({"bearing", "6214"}).exit_code, 0);
  EXPECT_EQ(tieline({"bearing", "--list"}).exit_code, 0);
  const auto asked = tieline({"bearing", "A2"});
  EXPECT_EQ(asked.exit_code, 1);
  EXPECT_TRUE(holds(asked.err, "bad.xml:2:20: error: there is no bearing '6199'")) << asked.err;
}

TEST_F(LibraryCommand, AnExportedLibraryStandsAlone) {
  const auto outcome = tieline({"library", "export", "springs.Soft", "-o", "alone.xml", "--model", "model.xml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "alone.xml: 2 types")) << outcome.out;
  std::filesystem::remove(place.path("springs.xml"));
  std::filesystem::remove(place.path("soft.xml"));
  std::string model = kModel;
  model.replace(model.find("springs.Soft"), 12, "alone.Soft");
  place.write("model.xml", model);
  const auto checked = tieline({"check", "model.xml"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
}

TEST_F(LibraryCommand, AnExportedLibraryTakesContentOutOfFilesThatNameTheirSchema) {
  const std::string soft = kSoft;
  place.write("soft.xml",
              "<Network xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
              "         xsi:noNamespaceSchemaLocation=\"tieline.xsd\">" +
                  soft.substr(soft.find('>') + 1));
  const Outcome exported = tieline({"library", "export", "springs.Soft", "-o", "alone.xml", "--model", "model.xml"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const std::string text = text_of(place.path("alone.xml"));
  EXPECT_NE(text.find("<Network>"), std::string::npos) << text;
  EXPECT_EQ(text.find("xsi"), std::string::npos) << text;
}

// A type whose content reads a table, with a picture, and a model that nests another file and uses a type: moved as a
// whole, the export runs where none of the originals is.
TEST_F(LibraryCommand, AnExportedLibraryCanBeMoved) {
  for (const char* folder : {"data", "more", "out"}) std::filesystem::create_directories(place.path(folder));
  place.write("data/push.txt", "0 0\n0.005 8\n0.01 8\n");
  place.write("more/push.txt", "0 1\n0.01 1\n");
  place.write("data/icon.svg", "<svg/>");
  place.write("pushed.xml", R"(<Network>
  <Table name="push" file="data/push.txt"/> <Table name="hold" file="more/push.txt"/>
  <Mass name="foot" mass="{mass}"/> <Load name="f" node="foot" force="{push(t) - hold(t)}"/>
  <Interface name="top" node="foot"/>
</Network>)");
  place.write("inner.xml", R"(<CompositeModel name="inner"><Components>
  <Component name="foot" type="springs.Pushed"/> <Component name="block" kind="network" file="pushed.xml"><Parameter name="mass" value="3"/></Component>
</Components></CompositeModel>)");
  place.write("springs.xml", R"(<Library name="springs">
  <Type name="Pushed" kind="network" file="pushed.xml" icon="data/icon.svg">
    <Parameters> <Parameter name="mass" value="2" unit="kg"/> </Parameters> <InputFile path="more/push.txt"/>
  </Type>
  <Type name="Pair" kind="composite"><CompositeModel name="pair"><Libraries><Uses library="springs.xml"/></Libraries><Components>
    <Component name="one" type="springs.Pushed"/> <Component name="two" kind="composite" file="inner.xml"/>
  </Components></CompositeModel></Type>
</Library>)");
  const std::vector<std::string> command{"library",       "export",  "springs.Pair", "-o",
                                         "out/alone.xml", "--model", "x.xml"};
  auto outcome = tieline(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "alone.xml: 2 types, with 5 files beside it")) << outcome.out;
  outcome = tieline(command);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "'alone.xml', 'inner.xml', 'pushed.xml', 'icon.svg'")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "--replace replaces them")) << outcome.err;

  std::filesystem::rename(place.path("out"), place.path("moved"));
  for (const char* name : {"data", "more", "pushed.xml", "inner.xml", "springs.xml"}) {
    std::filesystem::remove_all(place.path(name));
  }
  EXPECT_FALSE(holds(text_of(place.path("moved/alone.xml")), place.path("").string()));
  place.write("moved/model.xml", R"(<CompositeModel name="m">
  <Components> <Component name="pair" type="alone.Pair"/> </Components>
  <Simulation stop="0.01"/>
</CompositeModel>)");
  outcome = tieline({"run", "moved/model.xml", "--out", "results", "--quiet"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  outcome = tieline({"export", "results", "--csv", "r.csv", "--variables", "pair.*.foot.velocity"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  // The impulse is 8 (5 ms / 2 + 5 ms) - 10 ms.
  const std::string rows = text_of(place.path("r.csv"));
  const std::string last = rows.substr(rows.rfind('\n', rows.size() - 2) + 1);
  double t = 0.0, one = 0.0, foot = 0.0, block = 0.0;
  ASSERT_EQ(std::sscanf(last.c_str(), "%lf,%lf,%lf,%lf", &t, &one, &block, &foot), 4) << rows.substr(0, 200);
  EXPECT_NEAR(one, 0.05 / 2.0, 1e-9);
  EXPECT_NEAR(foot, 0.05 / 2.0, 1e-9);
  EXPECT_NEAR(block, 0.05 / 3.0, 1e-9);
}

TEST_F(LibraryCommand, WhatAnExportCannotTakeIsLocated) {
  place.write("bad.xml", R"(<Library name="bad">
  <Type name="A" kind="network" icon="gone.svg">
    <Network><Table name="x" file="{n}.txt"/><Mass name="m" mass="1"/></Network>
  </Type>
</Library>)");
  const auto outcome = tieline({"library", "export", "bad.A", "-o", "out/alone.xml", "--model", "x.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "bad.xml:2:33: error: the file")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "bad.xml:3:30: error: file=\"{n}.txt\" names a file by an expression")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(place.path("out/alone.xml")));
}

TEST_F(LibraryCommand, AProgramThatIsMissingIsNamed) {
  place.write("model.xml", R"(<CompositeModel name="m">
  <Components>
    <Component name="tool" kind="process" command="start-tool car.cmd">
      <Interface name="end" domain="translation" causality="force"/>
    </Component>
    <Component name="body" type="mechanics.Body"/>
  </Components>
  <Connections> <Connection from="tool.end" to="body.left" coupling="line" delay="1e-4" stiffness="1e6"/> </Connections>
  <Simulation stop="0.01"/>
</CompositeModel>
)");
  auto outcome = tieline({"check", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "starts tool: start-tool car.cmd")) << outcome.out;
  outcome = tieline({"run", "model.xml", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(holds(outcome.err, "component 'tool': cannot start 'start-tool': there is no such program"))
      << outcome.err;
}

TEST_F(LibraryCommand, ToolsAreStartedAsTheSiteFileSays) {
  place.write("car.cmd", "");
  place.write("model.xml", R"(<CompositeModel name="m">
  <Components>
    <Component name="car" kind="process" tool="adams" file="car.cmd"> <Interface name="end"/> </Component>
    <Component name="hand" kind="process"> <Interface name="end"/> </Component>
  </Components>
  <Connections> <Connection from="car.end" to="hand.end" coupling="line" delay="1e-4" stiffness="1e6"/> </Connections>
  <Simulation stop="0.01"/>
</CompositeModel>
)");
  place.write("site.xml",
              "<Site><Tool name=\"adams\" command=\"start-adams {model_file}\" folder=\"{run_folder}\"/></Site>");
  place.write("other.xml", "<Site><Tool name=\"adam\"/></Site>");
  auto outcome = tieline({"check", "model.xml", "--site", "site.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "starts car: start-adams /")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "/car.cmd (in {run_folder})\nawaits hand\n")) << outcome.out;
  outcome = tieline({"check", "model.xml", "--site", "other.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.out,
                    "model.xml:3:42: error: no command is known for tool 'adams' of component 'car': other.xml does "
                    "not describe it (did you mean 'adam'?)"))
      << outcome.out;
  outcome = tieline({"check", "model.xml", "--site", "none.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.out, "none.xml")) << outcome.out;
}

TEST_F(LibraryCommand, SignalsOfSeveralNumbersAreShown) {
  place.write("mixers.xml", R"(<Library name="mixers"> <Type name="Mixer" kind="blocks">
  <Parameters> <Parameter name="n" value="3"/> </Parameters>
  <Interface name="u" domain="signal" causality="input" size="{n}"/>
  <Blocks> <Input name="u" size="{n}"/> <Sum name="s" inputs="u[1], -u[{n}]"/> <Output name="y" of="u, s"/> </Blocks>
</Type> </Library>
)");
  place.write("model.xml", R"(<CompositeModel name="m">
  <Components> <Component name="a" type="mixers.Mixer"> <Parameter name="n" value="2"/> </Component>
    <Component name="b" type="mixers.Mixer"/> </Components>
  <Connections> <Connection name="bus" from="a.y" to="b.u" delay="1e-3"/> </Connections>
  <Simulation stop="0.01"/>
</CompositeModel>
)");
  const auto expect_output = [&](const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    const auto outcome = tieline(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const auto& part : parts) EXPECT_TRUE(holds(outcome.out, part)) << part << outcome.out;
  };
  expect_output({"library", "show", "mixers.Mixer", "--model", "model.xml"},
                {"u                signal input of size {n}"});
  expect_output({"info", "model.xml"},
                {"u                  signal input of size 2", "y                  signal output of size 3",
                 "signal of size 3, delayed by 0.001 s"});
  expect_output({"check", "model.xml"}, {"'a.u' is not connected", "no errors, no warnings"});
  expect_output({"advise", "model.xml"}, {"a.y to b.u: signal of size 3"});
  expect_output({"plot", "model.xml", "-o", "diagram.svg"}, {"diagram.svg"});
  expect_output({"run", "model.xml", "--out", "results", "--verbose"}, {"bus"});
  expect_output({"export", "results", "--csv", "values.csv", "--variables", "b.u[?].value"}, {"values.csv"});
  EXPECT_TRUE(text_of(place.path("values.csv")).starts_with("time,b.u[1].value,b.u[2].value,b.u[3].value\n"));
}

// A type of a multibody system brings the files of its sub-models, and what these name.
TEST_F(LibraryCommand, MultibodyTypesBringSubModelsAndMeshes) {
  for (const char* folder : {"parts/shapes", "out"}) std::filesystem::create_directories(place.path(folder));
  place.write("parts/shapes/block.obj", R"(v 0 0 0
v 0.1 0 0
v 0 0.1 0
v 0 0 0.1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
)");
  place.write("parts/leg.xml", R"(<Multibody>
  <Parameters> <Parameter name="density" value="1000"/> </Parameters>
  <Body name="foot"> <Mesh file="shapes/block.obj" density="{density}"/>
    <Frame name="middle" position="0.025, 0.025, 0.025"/> </Body>
</Multibody>)");
  place.write("walkers.xml", R"(<Library name="walkers">
  <Type name="Pair" kind="multibody">
    <Parameters> <Parameter name="rho" value="6000"/> <Parameter name="g" value="9.81"/> </Parameters>
    <Multibody gravity="0, 0, {-g}">
      <SubModel name="left" file="parts/leg.xml"> <Parameter name="density" value="{rho}"/> </SubModel>
      <SubModel name="right" file="parts/leg.xml"/>
      <Load name="lift" frame="left.foot.middle" force="0, 0, {g}"/>
      <Interface name="foot" frame="left.foot"/>
    </Multibody>
  </Type>
</Library>)");
  const auto model = [&](const std::string& path, const std::string& type) {
    place.write(path, "<CompositeModel name=\"m\"><Components><Component name=\"pair\" type=\"" + type +
                          "\"/></Components><Simulation stop=\"0.5\"/></CompositeModel>");
  };
  auto outcome = tieline({"library", "add", "walkers.xml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(place.path("home/tieline/library/parts/shapes/block.obj")));
  outcome = tieline({"library", "export", "walkers.Pair", "-o", "out/alone.xml", "--model", "x.xml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "alone.xml: 1 type, with 2 files beside it")) << outcome.out;
  std::filesystem::rename(place.path("out"), place.path("moved"));
  for (const char* name : {"parts", "walkers.xml"}) std::filesystem::remove_all(place.path(name));
  model("added.xml", "walkers.Pair");
  model("moved/model.xml", "alone.Pair");
  outcome = tieline({"check", "added.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "reads " + place.path("home/tieline/library/parts/shapes/block.obj").string()));
  for (const char* file : {"added.xml", "moved/model.xml"}) {
    outcome = tieline({"run", file, "--out", "results", "--quiet", "--set", "pair.g=10"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    // A tetrahedron of 6000 kg/m^3 and 0.1 m weighs 1 kg: it is held, and the other falls.
    outcome = tieline({"export", "results", "--csv", "r.csv", "--variables", "pair.*.foot.position.z"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::string rows = text_of(place.path("r.csv"));
    const std::string last = rows.substr(rows.rfind('\n', rows.size() - 2) + 1);
    double t = 0.0, left = 0.0, right = 0.0;
    ASSERT_EQ(std::sscanf(last.c_str(), "%lf,%lf,%lf", &t, &left, &right), 3) << rows.substr(0, 200);
    EXPECT_NEAR(right, -0.5 * 10.0 * 0.25, 1e-6);
    EXPECT_NEAR(left, 0.0, 1e-9);
  }
}

}  // namespace library_test
}  // namespace tieline::cli
