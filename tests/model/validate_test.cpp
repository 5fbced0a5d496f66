#include "model/validate.hpp"

#include <gtest/gtest.h>

#include "model/model_files.hpp"

namespace tieline::model {
namespace validate_test {

using document::Diagnostics;
using test::component_text;
using test::model_text;
using test::ModelFolder;

class Validate : public ::testing::Test {
 protected:
  /// All problems of a model, notes included.
  std::string check(const std::string& text) {
    Diagnostics diagnostics;
    const auto kinds = test::kinds();
    const auto model = read_model(folder.write("model.xml", text), {}, kinds, diagnostics);
    if (model) validate(*model, test::interfaces_of(*model), diagnostics);
    return folder.shown(diagnostics);
  }
  /// The problems of one connection between the interfaces of two components.
  std::string check_connection(const std::string& attributes) {
    return check(model_text(component_text("a", {"x", "m:motion", "u:input", "y:output", "r:rotation"}) +
                                component_text("b", {"x", "m:motion", "u:input", "y:output", "r:rotation"}),
                            "<Connection " + attributes + "/>\n"));
  }
  static std::string errors(const std::string& shown) {
    std::string result;
    std::istringstream lines(shown);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(": note: ") == line.npos) result += line + "\n";
    }
    return result;
  }

  ModelFolder folder;
};

TEST_F(Validate, AGoodModelHasOnlyNotesOfItsFreeEnds) {
  EXPECT_EQ(
      check(model_text(component_text("a", {"left", "right", "u:input", "y:output"}) + component_text("b", {"left"}),
                       "<Connection from=\"a.right\" to=\"b.left\" coupling=\"line\" delay=\"1\" impedance=\"2\"/>")),
      "model.xml:3:1: note: 'a.left' is not connected: a free end\n"
      "model.xml:3:1: note: 'a.u' is not connected: it keeps its start value\n");
}

TEST_F(Validate, AcceptsEveryPairThatALawAllows) {
  for (const auto* attributes :
       {R"(from="a.x" to="b.x" coupling="line" delay="1" stiffness="1")",
        R"(from="a.x" to="b.m" coupling="line" delay="1" stiffness="1")",
        R"(from="a.m" to="b.m" coupling="line" impedance="1" delay="1" damping="0.99" initial_force="-1")",
        R"(from="a.r" to="b.r" coupling="line" youngs_modulus="1" area="1" length="1" sound_speed="1")",
        R"(from="a.x" to="b.x" coupling="line" youngs_modulus="1" length="1" sound_speed="1")",
        R"(from="a.x" to="b.m" coupling="sampled")", R"(from="a.m" to="b.x" coupling="sampled" extrapolation="hold")",
        R"(from="a.m" to="b.m" coupling="sampled" schedule="jacobi" step="1e-3")", R"(from="a.y" to="b.u")",
        R"(from="a.y" to="a.u" delay="0")", R"(from="a.y" to="b.u" delay="1")",
        R"(from="a.x" to="a.m" coupling="line" delay="1" stiffness="1")"}) {
    EXPECT_EQ(errors(check_connection(attributes)), "") << attributes;
  }
}

TEST_F(Validate, NamesWhatIsWrongWithAConnection) {
  const auto only = [&](const char* attributes) {
    const std::string shown = errors(check_connection(attributes));
    EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 1) << shown;
    return shown.substr(0, shown.find('\n'));
  };
  EXPECT_EQ(only(R"(from="a.x" to="b.zz" coupling="line" delay="1" stiffness="1")"),
            "model.xml:7:24: error: component 'b' has no interface 'zz' (known: x, m, u, y, r)");
  EXPECT_EQ(only(R"(from="a.x" to="b.r" coupling="line" delay="1" stiffness="1")"),
            "model.xml:7:24: error: 'a.x' is translation that takes force, but 'b.r' is rotation that takes force");
  EXPECT_EQ(only(R"(from="a.x" to="b.u" coupling="line" delay="1" stiffness="1")"),
            "model.xml:7:24: error: 'a.x' is translation that takes force, but 'b.u' is a signal input");
  EXPECT_EQ(only(R"(from="a.x" to="b.x" coupling="sampled")"),
            "model.xml:7:33: error: a sampled coupling needs a side that takes motion, but both take force; use a line "
            "or glue, or causality=\"motion\" on one side");
  EXPECT_EQ(
      only(R"(from="a.x" to="b.x")"),
      "model.xml:7:1: error: 'a.x' and 'b.x' are not signals: coupling=\"line\", \"sampled\" or \"glue\" is needed");
  EXPECT_EQ(only(R"(from="a.y" to="b.u" coupling="sampled")"),
            "model.xml:7:33: error: signals are connected without a coupling; remove this attribute");
  EXPECT_EQ(only(R"(from="a.u" to="b.y")"),
            "model.xml:7:13: error: 'a.u' is a signal input; 'from' must be an output (swap 'from' and 'to')");
  EXPECT_EQ(only(R"(from="a.y" to="b.y")"), "model.xml:7:24: error: 'b.y' is a signal output; 'to' must be an input");
  EXPECT_EQ(only(R"(from="a.x" to="a.x" coupling="line" delay="1" stiffness="1")"),
            "model.xml:7:24: error: 'a.x' is connected to itself");
  EXPECT_EQ(only(R"(from="a.y" to="b.u" delay="-1")"), "model.xml:7:33: error: delay = -1 must be at least 0");
  EXPECT_EQ(only(R"(from="a.y" to="b.u" stiffness="1")"),
            "model.xml:7:33: error: 'stiffness' does not apply to a connection without coupling");
  EXPECT_EQ(only(R"(from="a.x" to="b.x" coupling="line" delay="1" stiffness="1" schedule="jacobi")"),
            "model.xml:7:73: error: 'schedule' does not apply to coupling=\"line\"");
  EXPECT_EQ(only(R"(from="a.x" to="b.m" coupling="sampled" delay="1")"),
            "model.xml:7:52: error: 'delay' does not apply to coupling=\"sampled\"");
  EXPECT_EQ(only(R"(from="a.x" to="b.m" coupling="sampled" schedule="jacobi")"),
            "model.xml:7:52: error: schedule=\"jacobi\" needs a step");
  EXPECT_EQ(only(R"(from="a.x" to="b.m" coupling="sampled" step="1")"),
            "model.xml:7:1: error: 'step' is only valid with schedule=\"jacobi\" or \"gauss_seidel\", \"layers\" or "
            "\"spatiotemporal\"");
  EXPECT_EQ(only(R"(from="a.x" to="b.m" coupling="sampled" schedule="jacobi" step="1" first="to")"),
            "model.xml:7:79: error: 'first' is only valid with schedule=\"gauss_seidel\" or \"layers\"");
  EXPECT_EQ(only(R"(from="a.y" to="b.u" first="to")"),
            "model.xml:7:33: error: 'first' does not apply to a connection without coupling");
}

TEST_F(Validate, ChecksTheNumbersOfALine) {
  const auto line = [&](const std::string& numbers) {
    return errors(check_connection("from=\"a.x\" to=\"b.x\" coupling=\"line\" " + numbers));
  };
  for (const auto* numbers :
       {R"(delay="0" stiffness="1")", R"(delay="-1e-9" stiffness="1")", R"(delay="1" stiffness="0")",
        R"(delay="1" impedance="-3")", R"(delay="1" stiffness="1" damping="1")",
        R"(delay="1" stiffness="1" damping="-0.1")", R"(youngs_modulus="1" area="0" length="1" sound_speed="1")",
        R"(youngs_modulus="1" length="1" sound_speed="0")", R"(delay="{0/1}" stiffness="1")",
        R"(delay="{0/0}" stiffness="1")", R"(delay="nan" stiffness="1")"}) {
    EXPECT_NE(line(numbers).find("error"), std::string::npos) << numbers;
  }
  for (const auto* numbers :
       {"", R"(stiffness="1")", R"(delay="1")", R"(delay="1" stiffness="1" impedance="1")",
        R"(delay="1" youngs_modulus="1" length="1" sound_speed="1")", R"(youngs_modulus="1" area="1" length="1")"}) {
    EXPECT_NE(line(numbers).find("model.xml:7:1: error: a line is given by exactly one of"), std::string::npos)
        << numbers;
  }
  EXPECT_NE(line(R"(delay="1" stiffness="1" impedance="1")").find("; stated: stiffness, impedance, delay"),
            std::string::npos);
}

TEST_F(Validate, AnInterfaceIsUsedOnceAndAnInputHasOneSource) {
  EXPECT_EQ(errors(check(model_text(
                component_text("a", {"x", "y:output", "z:output"}) + component_text("b", {"x", "u:input", "v:input"}) +
                    component_text("c", {"x"}),
                "<Connection name=\"one\" from=\"a.x\" to=\"b.x\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>\n"
                "<Connection name=\"two\" from=\"c.x\" to=\"b.x\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>\n"
                "<Connection name=\"three\" from=\"a.y\" to=\"b.u\"/>\n"
                "<Connection name=\"three\" from=\"a.y\" to=\"b.v\"/>\n"
                "<Connection from=\"a.z\" to=\"b.u\"/>\n"))),
            "model.xml:9:35: error: interface 'b.x' is already used by connection 'one' of line 8\n"
            "model.xml:11:13: error: another connection already has the name 'three' (in a <Repeat>, use the index in "
            "the name)\n"
            "model.xml:12:24: error: signal input 'b.u' already has a source: connection 'three' of line 10; state "
            "adds=\"true\" on all of them for a sum\n");
}

TEST_F(Validate, ChecksSettingsAndFiles) {
  EXPECT_EQ(
      errors(check(R"(<CompositeModel name="m">
<Components>
<Component name="a" kind="external" file="a.fmu" icon="i.svg" geometry="g.stl" tolerance="0" window="-1"><InputFile path="d/x.csv"/></Component>
<Component name="b" kind="network" solver="rk4"><Network/></Component>
<Component name="b" kind="network"><Network/></Component>
</Components>
<Simulation start="2" stop="{4/2}" tolerance="1" write_interval="-1" save_interval="0"><Record variables="*" interval="-1"/></Simulation>
</CompositeModel>)")),
      "model.xml:3:37: error: the file 'a.fmu' does not exist\n"
      "model.xml:3:50: error: the file 'i.svg' does not exist\n"
      "model.xml:3:63: error: the file 'g.stl' does not exist\n"
      "model.xml:3:80: error: tolerance = 0 must be greater than 0 and below 1\n"
      "model.xml:3:94: error: window = -1 must be greater than 0\n"
      "model.xml:3:117: error: the file 'd/x.csv' does not exist\n"
      "model.xml:4:36: error: component 'b' is solved by rk4, which needs a step\n"
      "model.xml:5:12: error: another component already has the name 'b' (in a <Repeat>, use the index in the name)\n"
      "model.xml:7:23: error: stop = 2 must be greater than start = 2\n"
      "model.xml:7:36: error: tolerance = 1 must be greater than 0 and below 1\n"
      "model.xml:7:50: error: write_interval = -1 must be at least 0\n"
      "model.xml:7:70: error: save_interval = 0 must be greater than 0\n"
      "model.xml:7:110: error: interval = -1 must be at least 0\n");
  EXPECT_EQ(check("<CompositeModel name=\"m\"><Components/></CompositeModel>"),
            "model.xml: error: the model has no <Simulation>, which gives the stop time\n");
}

// Ten mistakes that users make, one per line, each of which must be named with its line.
TEST_F(Validate, NamesTenPlantedMistakesWithTheirLines) {
  const std::string text = R"(<CompositeModel name="ten">
  <Parameters>
    <Parameter name="k" value="1e6"/>
    <Parameter name="a" value="{b}"/>
    <Parameter name="b" value="{2*a}"/>
    <Parameter name="Z" value="{k*(1+}"/>
  </Parameters>
  <Components>
    <Component name="left" kind="network"><Network><Interface name="end"/><Interface name="y" domain="signal" causality="output"/></Network></Component>
    <Component name="right" kind="network"><Network><Interface name="end"/><Interface name="u" domain="signal" causality="input"/></Network></Component>
    <Component name="shaft" kind="network"><Network><Interface name="end" domain="rotation"/><Interface name="far" domain="rotation"/></Network></Component>
    <Component name="left" kind="network"><Network/></Component>
    <Component name="data" kind="network" file="nowhere.xml"/>
    <Componnent name="typo" kind="network"/>
  </Components>
  <Connections>
    <Connection name="one" from="left.end" to="right.end" coupling="line" delay="-1e-5" stiffness="{k}"/>
    <Connection name="two" from="left.y" to="right.u"/>
    <Connection name="three" from="left.y" to="right.u"/>
    <Connection name="four" from="shaft.end" to="rigth.end" coupling="line" delay="1e-5" stiffness="{k}"/>
    <Connection name="five" from="shaft.far" to="shaft.ende" coupling="line" delay="1e-5" stifness="{k}" impedance="1"/>
  </Connections>
  <Simulation start="0" stop="{0-1}"/>
</CompositeModel>
)";
  const std::string shown = errors(check(text));
  const std::vector<std::pair<int, std::string>> planted{
      {4, "'a' depends on itself: a -> b -> a"},
      {6, "in '{k*(1+}': "},
      {12, "another component already has the name 'left'"},
      {13, "the file 'nowhere.xml' does not exist"},
      {14, "<Componnent> is not allowed in <Components> (did you mean 'Component'?)"},
      {17, "delay = -1e-05 must be greater than 0"},
      {19, "signal input 'right.u' already has a source"},
      {20, "unknown component 'rigth' (did you mean 'right'?)"},
      {21, "component 'shaft' has no interface 'ende' (did you mean 'end'?)"},
      {21, "<Connection> has no attribute 'stifness' (did you mean 'stiffness'?)"},
      {23, "stop = -1 must be greater than start = 0"},
  };
  std::istringstream lines(shown);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const bool is_planted = std::any_of(planted.begin(), planted.end(), [&](const auto& mistake) {
      return line.starts_with("model.xml:" + std::to_string(mistake.first) + ":") &&
             line.find(mistake.second) != line.npos;
    });
    EXPECT_TRUE(is_planted) << "not planted: " << line;
  }
  EXPECT_EQ(count, planted.size()) << shown;
}

TEST_F(Validate, SignalsOfUnequalSizesDoNotMeet) {
  const auto said = [&](const std::string& from, const std::string& to) {
    return errors(check(model_text(component_text("a", {"y:output:3", "one:output", "x"}) +
                                       component_text("b", {"u:input:2", "v:input:3", "one:input"}),
                                   "<Connection from=\"" + from + "\" to=\"" + to + "\"/>\n")));
  };
  for (const auto& [from, to] : {std::pair("a.y", "b.v"),
                                 {"a.y[3]", "b.u[2]"},
                                 {"a.y[1]", "b.one"},
                                 {"a.one", "b.one"},
                                 {"a.one[1]", "b.v[1]"},
                                 {"a.one", "b.one[1]"}}) {
    EXPECT_EQ(said(from, to), "") << from << " " << to;
  }
  EXPECT_EQ(said("a.y", "b.u"),
            "model.xml:7:24: error: 'a.y' is a signal of size 3, but 'b.u' is one of size 2; connect equal sizes, or "
            "members such as 'a.y[1]'\n");
  EXPECT_EQ(said("a.one", "b.v"),
            "model.xml:7:26: error: 'a.one' is a signal of size 1, but 'b.v' is one of size 3; connect equal sizes, or "
            "members such as 'b.v[1]'\n");
  EXPECT_EQ(said("a.y[4]", "b.one"), "model.xml:7:13: error: 'a.y' is a signal of size 3: it has no member 4\n");
  EXPECT_EQ(said("a.x[1]", "b.one"),
            "model.xml:7:13: error: 'a.x' is neither a signal nor in space: only such interfaces have members\n");
  EXPECT_EQ(said("a.yy[1]", "b.one"),
            "model.xml:7:13: error: component 'a' has no interface 'yy[1]' (known: y, one, x)\n");
}

TEST_F(Validate, EachMemberOfASignalHasOneSource) {
  const auto said = [&](const std::string& connections) {
    return check(model_text(component_text("a", {"y:output:3", "one:output"}) + component_text("b", {"v:input:3"}),
                            connections));
  };
  EXPECT_EQ(said("<Connection from=\"a.one\" to=\"b.v[2]\"/>\n"),
            "model.xml:4:1: note: 'b.v[1]' is not connected: it keeps its start value\n"
            "model.xml:4:1: note: 'b.v[3]' is not connected: it keeps its start value\n");
  EXPECT_EQ(said(""), "model.xml:4:1: note: 'b.v' is not connected: it keeps its start value\n");
  EXPECT_EQ(errors(said("<Connection from=\"a.one\" to=\"b.v[2]\"/><Connection from=\"a.y[3]\" to=\"b.v[1]\"/>\n")),
            "");
  EXPECT_EQ(errors(said("<Connection from=\"a.one\" to=\"b.v[2]\"/>\n<Connection from=\"a.y\" to=\"b.v\"/>\n")),
            "model.xml:8:24: error: signal input 'b.v' already has a source: connection 'a.one--b.v[2]' of line 7; "
            "state adds=\"true\" on all of them for a sum\n");
  EXPECT_EQ(errors(said("<Connection from=\"a.one\" to=\"b.v[2]\"/>\n<Open interface=\"b.v\" as=\"free\"/>\n")),
            "model.xml:8:7: error: 'b.v' is not open: connection 'a.one--b.v[2]' joins it\n");
  EXPECT_EQ(said("<Open interface=\"b.v[1]\" as=\"free\"/><Open interface=\"b.v[2]\" as=\"free\"/>\n"),
            "model.xml:4:1: note: 'b.v[3]' is not connected: it keeps its start value\n");
}

TEST_F(Validate, RowsThatNoDiskHoldsAreRefused) {
  const auto said = [&](const std::string& simulation) {
    return errors(check("<CompositeModel name=\"m\"><Components>" + component_text("a", {"x"}) + "</Components>\n" +
                        simulation + "</CompositeModel>"));
  };
  EXPECT_EQ(said("<Simulation stop=\"10\" write_interval=\"1e-8\"/>"), "");
  EXPECT_EQ(said("<Simulation stop=\"10\" write_interval=\"0\"/>"), "");
  const std::string refused = said("<Simulation stop=\"10\" write_interval=\"1e-12\"/>");
  EXPECT_NE(refused.find("error: write_interval = 1e-12 s would record 1e+13 rows in each table over 10 s; expected at "
                         "least 1e-08 s, or 0 for a row after each step"),
            std::string::npos)
      << refused;
  EXPECT_NE(said("<Simulation stop=\"10\"><Record variables=\"*\" interval=\"1e-300\"/></Simulation>")
                .find("error: interval = 1e-300 s would record"),
            std::string::npos);
}

}  // namespace validate_test
}  // namespace tieline::model
