#include <algorithm>
#include <gtest/gtest.h>

#include "program.hpp"

namespace tieline::cli {
namespace check_test {

constexpr const char* kMistakes = R"(<?xml version="1.0" encoding="UTF-8"?>
<CompositeModel name="mistakes">
  <Parameters>
    <Parameter name="k" value="1e6"/>
    <Parameter name="a" value="{2*b}"/>
    <Parameter name="b" value="{a/2}"/>
    <Parameter name="broken" value="{3*(k+}"/>
  </Parameters>
  <Components>
    <Component name="left" kind="network" colour="red">
      <Network>
        <Mass name="body" mass="-2"/>
        <Spring name="spring" from="body" to="boddy" stiffness="{k}"/>
        <Interface name="end" node="body"/>
      </Network>
    </Component>
    <Component name="right" kind="network">
      <Network>
        <Mass name="body" mass="1"/>
        <Node name="loose"/>
        <Interface name="end" node="body"/>
      </Network>
    </Component>
    <Component name="right" kind="network" file="twin.xml"/>
    <Component name="disc" kind="network">
      <Network>
        <Inertia name="drum" inertia="1"/>
        <SignalInput name="torque"/>
        <Load name="drive" node="drum" torque="{torque}"/>
        <Interface name="flange" node="drum"/>
      </Network>
    </Component>
    <Component name="control" kind="blocks">
      <Blocks>
        <Constant name="one" value="1"/>
        <Output name="u" of="one"/>
        <Output name="v" of="one"/>
      </Blocks>
    </Component>
    <Component name="free" kind="network">
      <Network>
        <Mass name="body" mass="1"/>
        <Interface name="end" node="body"/>
        <Interface name="other" node="body"/>
      </Network>
    </Component>
    <Component name="far" kind="network" file="nowhere.xml"/>
  </Components>
  <Connections>
    <Connection name="rod" from="left.end" to="right.end" coupling="line" stiffness="{k}" delay="-1e-4"/>
    <Connection name="mixed" from="free.end" to="disc.flange" coupling="line" stiffness="{k}" delay="1e-4"/>
    <Connection name="first" from="control.u" to="disc.torque"/>
    <Connection name="second" from="control.v" to="disc.torque"/>
  </Connections>
  <Simulation start="0" stop="0.1"/>
</CompositeModel>
)";

/// Line of the model that holds a text, counted from 1.
int line_of(std::string_view text) {
  const std::string_view model = kMistakes;
  return static_cast<int>(
             std::count(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(model.find(text)), '\n')) +
         1;
}

/// The reported problem of that line.
std::string problem_at(const std::string& said, int line) {
  const std::string begin = "mistakes.xml:" + std::to_string(line) + ":";
  const auto found = said.find(begin);
  return found == std::string::npos ? "" : said.substr(found, said.find('\n', found) - found);
}

TEST(Check, NamesEveryPlantedMistakeWithItsLine) {
  const Workplace work;
  work.write("mistakes.xml", kMistakes);
  work.write("twin.xml", R"(<Network> <Mass name="body" mass="1"/> </Network>)");
  const Outcome outcome = work.tieline({"check", "mistakes.xml"});
  EXPECT_EQ(outcome.exit_code, 1);

  const std::pair<const char*, const char*> planted[] = {
      {"value=\"{2*b}\"", "depends on itself: a -> b -> a"},
      {"{3*(k+}", "{3*(k+}"},
      {"colour=\"red\"", "no attribute 'colour'"},
      {"mass=\"-2\"", "must be greater than 0"},
      {"to=\"boddy\"", "no node 'boddy' (did you mean 'body'?)"},
      {"\"loose\"", "massless node 'loose'"},
      {"file=\"twin.xml\"", "already has the name 'right'"},
      {"nowhere.xml", "'nowhere.xml' does not exist"},
      {"delay=\"-1e-4\"", "greater than 0"},
      {"name=\"mixed\"", "translation"},
      {"name=\"second\"", "'disc.torque' already has a source"},
  };
  for (const auto& [text, message] : planted) {
    const std::string problem = problem_at(outcome.out, line_of(text));
    EXPECT_NE(problem.find(message), std::string::npos) << text << ": " << problem << "\nin\n" << outcome.out;
    EXPECT_NE(problem.find(": error: "), std::string::npos) << problem;
  }
  EXPECT_NE(outcome.out.find("mistakes.xml: 11 errors"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("note: 'free.other' is not connected"), std::string::npos) << outcome.out;

  const Outcome run = work.tieline({"run", "mistakes.xml", "--out", "results"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_FALSE(problem_at(run.err, line_of("nowhere.xml")).empty());
  EXPECT_FALSE(std::filesystem::exists(work.path("results")));
}

TEST(Check, FindsNothingWrongInTheExamples) {
  const Workplace work;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(example(""))) {
    if (entry.path().extension() != ".xml") continue;
    const std::string text = text_of(entry.path());
    // The file of a component is checked with the model that names it.
    if (text.find("<CompositeModel") == text.npos && text.find("<Model") == text.npos) continue;
    if (text.find("kind=\"fmu\"") != text.npos) continue;         // FMUs have to be built first
    if (text.find("kind=\"my_bearing\"") != text.npos) continue;  // known to its own program, which tests/install runs
    const Outcome outcome = work.tieline({"check", entry.path().string()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
    EXPECT_NE(outcome.out.find(": no errors, "), std::string::npos) << outcome.out;
    // The lines of another program's cases are heavy, as they are shipped, and those of the spindle as published;
    // nothing else is doubtful there.
    const bool is_foreign =
        text.find("<CompositeModel") == text.npos || entry.path().parent_path().filename() == "grinding-spindle";
    std::size_t heavy = 0, warnings = 0;
    for (std::size_t at = 0; (at = outcome.out.find(" warning: ", at)) != std::string::npos; ++at) ++warnings;
    for (std::size_t at = 0; (at = outcome.out.find("the line's own ", at)) != std::string::npos; ++at) ++heavy;
    EXPECT_EQ(warnings, is_foreign ? heavy : 0U) << outcome.out;
  }
}

TEST(Check, AcceptsTheSchemaInEveryKindOfFile) {
  const std::string schema =
      " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:noNamespaceSchemaLocation=\"tieline.xsd\"";
  const Workplace place;
  place.write("network.xml", "<Network" + schema + "><Mass name=\"a\" mass=\"1\"/></Network>");
  place.write("blocks.xml", "<Blocks" + schema + "><Constant name=\"a\" value=\"1\"/></Blocks>");
  place.write("bodies.xml", "<Multibody" + schema + "><SubModel name=\"s\" file=\"part.xml\"/></Multibody>");
  place.write("part.xml", "<Multibody" + schema + "><Body name=\"a\" mass=\"1\" inertia=\"1, 1, 1\"/></Multibody>");
  place.write("structure.xml", "<Structure" + schema + R"(>
      <Material name="steel" youngs_modulus="2e11" poissons_ratio="0.3" density="7800"/>
      <Section name="rod" radius="0.01"/><Node name="a" position="0, 0, 0"/><Node name="b" position="1, 0, 0"/>
      <Beam name="ab" from="a" to="b" section="rod" material="steel"/><Support node="a"/></Structure>)");
  place.write("inner.xml", "<CompositeModel" + schema + " name=\"inner\"><Components/></CompositeModel>");
  place.write("shelf.xml",
              "<Library" + schema + R"( name="shelf"><Type name="T" kind="network" file="network.xml"/></Library>)");
  place.write("model.xml", "<CompositeModel" + schema + R"( name="m"><Libraries><Uses library="shelf.xml"/></Libraries>
      <Components><Component name="n" kind="network" file="network.xml"/>
      <Component name="b" kind="blocks" file="blocks.xml"/><Component name="m" kind="multibody" file="bodies.xml"/>
      <Component name="s" kind="structure" step="1e-3" file="structure.xml"/>
     <Component name="c" kind="composite" file="inner.xml"/>
      <Component name="t" type="shelf.T"/></Components><Simulation stop="1"/></CompositeModel>)");
  const Outcome outcome = place.tieline({"check", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

// Rules of whole models come with the mistakes in its components, not after these are mended.
TEST(Check, ReportsRulesOfTheModelTogetherWithAllElse) {
  const Workplace place;
  place.write("model.xml", R"(<CompositeModel name="m">
  <Components>
    <Component name="a" kind="multibody"> <Multibody>
      <Body name="b" mass="-1" inertia="1, 1, 1"/> <Interface name="p" frame="b"/>
    </Multibody> </Component>
    <Component name="c" kind="multibody" window="1"> <Multibody>
      <Body name="b" mass="1" inertia="1, 1, 1"/> <Interface name="p" frame="b"/>
      <Interface name="q" frame="b"/>
    </Multibody> </Component>
    <Component name="d" kind="network" window="1"> <Network>
      <Mass name="b" mass="1"/> <Interface name="p" node="b"/> <SignalOutput name="v" of="b.velocity"/>
    </Network> </Component>
    <Component name="e" kind="network" solver="cvode-bdf"> <Network>
      <SignalInput name="v"/> <Mass name="b" mass="1"/> <Load name="l" node="b" force="{v}"/> <Interface name="p" node="b"/>
    </Network> </Component>
    <Component name="far" kind="network" file="nowhere.xml"/>
  </Components>
  <Connections>
    <Connection name="one" from="a.p" to="c.p" coupling="line" delay="1e-4" stiffness="1e5"/>
    <Connection name="two" from="a.none" to="c.q" coupling="line" delay="1e-4" stiffness="1e5"/>
    <Connection name="three" from="d.p" to="e.p" coupling="line" heat_capacity="1" resistance="1"/>
    <Connection name="four" from="d.v" to="e.v"/>
  </Connections>
  <Simulation stop="1"/>
</CompositeModel>)");
  for (const char* command : {"check", "run"}) {
    const Outcome outcome = place.tieline({command, "model.xml"});
    const std::string said = outcome.out + outcome.err;
    EXPECT_EQ(outcome.exit_code, 1);
    for (const char* expected :
         {"mass = -1 kg must be at least 0 kg", "nowhere.xml", "connection 'one': the line's rotation is missing",
          "connection 'two': the line's rotation is missing",
          "connection 'three': 'heat_capacity' does not apply to a line of domain translation",
          "component 'e' is connected to others without delay, where its solver cvode-bdf cannot be used"}) {
      EXPECT_NE(said.find(expected), std::string::npos) << command << ": " << expected << "\n" << said;
    }
  }
  // With all lines determined, windows are compared with their delays, whatever else is wrong.
  std::string text = text_of(place.path("model.xml"));
  for (const char* line : {"name=\"one\"", "name=\"two\""}) text.insert(text.find(line), "stiffness_rotation=\"1\" ");
  text.replace(text.find("a.none"), 6, "a.p");
  text.replace(text.find("heat_capacity=\"1\" resistance"), 28, "delay=\"1e-4\" impedance");
  place.write("model.xml", text);
  const Outcome outcome = place.tieline({"check", "model.xml"});
  EXPECT_NE(outcome.out.find("the window of 1 s is longer than the shortest delay"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("mass = -1 kg must be at least 0 kg"), std::string::npos) << outcome.out;
}

TEST(Check, SaysWhatToWriteInsteadOfUnits) {
  const Workplace place;
  place.write("model.xml", R"(<CompositeModel name="m">
  <Parameters> <Parameter name="L" value="2 cm"/> </Parameters>
  <Components> <Component name="a" kind="network"> <Network> <Mass name="b" mass="350 kg"/> </Network> </Component>
  </Components>
  <Simulation stop="10 ms"/>
</CompositeModel>)");
  const Outcome outcome = place.tieline({"check", "model.xml"});
  for (const char* expected : {"model.xml:2:36: error: '2 cm' has a unit; write 0.02 (SI units: m)",
                               "model.xml:3:77: error: '350 kg' has a unit; write 350 (SI units: kg)",
                               "model.xml:5:15: error: '10 ms' has a unit; write 0.01 (SI units: s)", "3 errors"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out;
  }
  const Outcome set = place.tieline({"check", "model.xml", "--set", "L=3 mm"});
  EXPECT_NE(set.out.find("'3 mm' has a unit; write 0.003 (SI units: m)"), std::string::npos) << set.out;
}

TEST(Check, DoubtsTemperaturesOfOpenEnds) {
  const Workplace place;
  place.write("model.xml", R"(<CompositeModel name="m">
  <Components> <Component name="a" kind="network"> <Network>
    <Node name="wall" domain="thermal"/> <HeatCapacity name="b" heat_capacity="10"/>
    <ThermalResistance name="r" from="wall" to="b" resistance="1"/> <Interface name="face" node="wall"/>
  </Network> </Component> </Components>
  <Connections> <Open interface="a.face" as="motion" value="{25 + t}"/> </Connections>
  <Simulation stop="0.1"/>
</CompositeModel>)");
  const Outcome outcome = place.tieline({"check", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("model.xml:6:54: warning: temperature = 25 K is -248.15 degrees Celsius; for 25 degrees "
                             "Celsius write 298.15"),
            std::string::npos)
      << outcome.out;
}

TEST(Check, GoesByTheSettings) {
  const Workplace work;
  work.write("pair.xml", pair_model());
  EXPECT_EQ(work.tieline({"check", "pair.xml"}).exit_code, 0);
  EXPECT_EQ(work.tieline({"check", "pair.xml", "--set", "left.m=3"}).exit_code, 0);
  const Outcome outcome = work.tieline({"check", "pair.xml", "--set", "left.m=-3", "--set", "T=0"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("2 errors"), std::string::npos) << outcome.out;
}

}  // namespace check_test
}  // namespace tieline::cli
