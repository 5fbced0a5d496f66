// Glued connections and settings of gluing: what is read, what is refused, what is written again.

#include <gtest/gtest.h>
#include <sstream>

#include "model/reading_test.hpp"
#include "model/rewrite.hpp"
#include "model/validate.hpp"

namespace tieline::model {
namespace gluing_test {

using test::component_text;
using test::model_text;

class Gluings : public test::ReadingTest {
 protected:
  /// Errors and warnings of a model, without notes.
  std::string problems_of(const std::string& text) {
    const auto model = try_read(text);
    if (model) validate(*model, test::interfaces_of(*model), diagnostics);
    std::istringstream lines(folder.shown(diagnostics));
    std::string problems;
    for (std::string line; std::getline(lines, line);) {
      if (line.find(": note: ") == line.npos) problems += line + "\n";
    }
    return problems;
  }
  /// Two components with interfaces of each sort, on lines 3 and 4.
  static std::string pair() {
    const std::vector<std::string> interfaces{
        "x", "m:motion", "u:input", "y:output", "r:rotation", "p:mechanical3d", "edge:mechanical3d:3"};
    return component_text("a", interfaces) + component_text("b", interfaces);
  }
  /// Of one connection, on line 7.
  std::string of_connection(const std::string& attributes) {
    return problems_of(model_text(pair(), "<Connection " + attributes + "/>\n"));
  }
  /// Of settings, on line 2, beside one glued connection of two interfaces that take force.
  std::string of_settings(const std::string& attributes) {
    return problems_of(model_text(pair(), R"(<Connection name="seam" from="a.x" to="b.x" coupling="glue"/>)",
                                  "<Gluing " + attributes + "/>\n"));
  }
};

/// A model with a glued pair in it, which exports both ends.
std::string nested_text(const std::string& gluing) {
  return "<CompositeModel name=\"s\"><Parameters><Parameter name=\"h\" value=\"1e-3\"/></Parameters><Components>" +
         component_text("p", {"x", "far"}) + component_text("q", {"x", "far"}) +
         "</Components><Interfaces><Interface name=\"far\" of=\"q.far\"/><Interface name=\"near\" of=\"p.far\"/>"
         "</Interfaces><Connections><Connection name=\"seam\" from=\"p.x\" to=\"q.x\" "
         "coupling=\"glue\"/></Connections>" +
         gluing + "</CompositeModel>";
}

TEST_F(Gluings, AreReadWithEverySetting) {
  const auto model =
      read(model_text(
               pair(),
               "<Connection name=\"hinge\" from=\"a.p\" to=\"b.p\" coupling=\"glue\" joint=\"cylindrical\" axis=\"x\"/>"
               "<Connection name=\"seam\" from=\"a.x\" to=\"b.x\" coupling=\"glue\"/>",
               R"(<Parameters><Parameter name="h" value="1e-3"/></Parameters>
<Gluing step="{h}" step_tolerance="{1e-2*h}" smallest_step="{h/10}" largest_step="{2*h}" compatibility="velocity" forces="quadratic" update="iqn_ils"
 refresh="every_step" iterations="{4*5}" tolerance="1e-9" absolute_tolerance="1e-12" perturbation="0.1" least_perturbation="2"
 most_trials="{4*8}" most_seconds="{1e3*h}"/>
)"),
           {{"h", "2e-3"}});
  ASSERT_EQ(model.gluings.size(), 1U);
  const core::GluingSettings& settings = model.gluings[0].settings;
  EXPECT_EQ(model.gluings[0].level, "");
  EXPECT_EQ(model.gluings[0].declaration.place().line, 3);
  EXPECT_EQ(settings.step, 2e-3);
  EXPECT_EQ(settings.step_tolerance, 1e-2 * 2e-3);
  EXPECT_EQ(settings.smallest_step, 2e-3 / 10);
  EXPECT_EQ(settings.largest_step, 4e-3);
  EXPECT_EQ(settings.compatibility, core::Compatibility::velocity);
  EXPECT_EQ(settings.forces, core::ForceShape::quadratic);
  EXPECT_EQ(settings.update, core::MatrixUpdate::iqn_ils);
  EXPECT_EQ(settings.refresh, core::MatrixRefresh::every_step);
  EXPECT_EQ(settings.iterations, 20);
  EXPECT_EQ(settings.tolerance, 1e-9);
  EXPECT_EQ(settings.absolute_tolerance, 1e-12);
  EXPECT_EQ(settings.perturbation, 0.1);
  EXPECT_EQ(settings.least_perturbation, 2.0);
  EXPECT_EQ(settings.most_trials, 32);
  EXPECT_EQ(settings.most_seconds, 2.0);
  ASSERT_EQ(model.connections.size(), 2U);
  EXPECT_EQ(model.connections[0].coupling, Coupling::glue);
  EXPECT_EQ(model.connections[0].glue.joint, core::GlueJoint::cylindrical);
  EXPECT_EQ(model.connections[0].glue.axis, 0);
  EXPECT_EQ(model.connections[1].glue.joint, core::GlueJoint::fixed);
  EXPECT_EQ(model.connections[1].glue.axis, 2);
}

TEST_F(Gluings, HaveDefaultsWhereNothingIsStated) {
  const std::string seam = R"(<Connection from="a.x" to="b.x" coupling="glue"/>)";
  EXPECT_EQ(read(model_text(pair(), seam)).find_gluing(""), nullptr);
  const auto model = read(model_text(pair(), seam, "<Gluing/>"));
  ASSERT_NE(model.find_gluing(""), nullptr);
  const core::GluingSettings& read = model.find_gluing("")->settings;
  const core::GluingSettings plain;
  EXPECT_FALSE(read.step || read.step_tolerance || read.smallest_step || read.largest_step);
  EXPECT_EQ(read.compatibility, plain.compatibility);
  EXPECT_EQ(read.update, plain.update);
  EXPECT_EQ(read.iterations, plain.iterations);
  EXPECT_EQ(read.least_perturbation, plain.least_perturbation);
  EXPECT_EQ(read.most_trials, plain.most_trials);
  EXPECT_EQ(read.most_seconds, plain.most_seconds);
}

TEST_F(Gluings, BelongToTheModelThatStatesThem) {
  folder.write("sub.xml", nested_text("<Gluing step=\"{h}\"/>"));
  folder.write("plain.xml", nested_text(""));
  const std::string text = model_text(
      "<Component name=\"left\" kind=\"composite\" file=\"sub.xml\"/>"
      "<Component name=\"right\" kind=\"composite\" file=\"sub.xml\"><Parameter name=\"h\" value=\"5\"/></Component>"
      "<Component name=\"plain\" kind=\"composite\" file=\"plain.xml\"/>",
      "<Connection name=\"outer\" from=\"left.far\" to=\"right.near\" coupling=\"glue\"/>"
      "<Connection name=\"more\" from=\"right.far\" to=\"plain.near\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>",
      "<Gluing step=\"0.25\"/>\n");
  const auto model = read(text, {{"left.h", "4"}});
  std::ostringstream levels;
  for (const auto& connection : model.connections) levels << connection.name << '@' << connection.level << ' ';
  EXPECT_EQ(levels.str(), "left.seam@left. right.seam@right. plain.seam@plain. outer@ more@ ");
  ASSERT_EQ(model.gluings.size(), 3U);
  EXPECT_EQ(model.find_gluing("")->settings.step, 0.25);
  EXPECT_EQ(model.find_gluing("left.")->settings.step, 4.0);
  EXPECT_EQ(model.find_gluing("right.")->settings.step, 5.0);
  EXPECT_EQ(model.find_gluing("plain."), nullptr);
  EXPECT_EQ(problems_of(text), "");
}

TEST_F(Gluings, JoinWhateverHasForcesAndMotions) {
  for (const auto* attributes :
       {R"(from="a.x" to="b.x" coupling="glue")", R"(from="a.x" to="b.m" coupling="glue")",
        R"(from="a.m" to="b.m" coupling="glue")", R"(from="a.r" to="b.r" coupling="glue")",
        R"(from="a.p" to="b.p" coupling="glue")", R"(from="a.p" to="b.p" coupling="glue" joint="revolute" axis="y")",
        R"(from="a.p" to="b.p" coupling="glue" joint="spherical")", R"(from="a.x" to="a.m" coupling="glue")",
        R"(from="a.edge" to="b.edge" coupling="glue")", R"(from="a.edge[3]" to="b.p" coupling="glue")",
        R"(from="a.edge" to="b.p" coupling="glue")", R"(from="a.edge[1]" to="a.edge[2]" coupling="glue")",
        R"(from="a.edge[2]" to="b.p" coupling="line" delay="1" stiffness="1" stiffness_rotation="1")"}) {
    EXPECT_EQ(of_connection(attributes), "") << attributes;
  }
}

TEST_F(Gluings, NameWhatIsWrongWithAConnection) {
  EXPECT_EQ(of_connection(R"(from="a.y" to="b.u" coupling="glue")"),
            "model.xml:7:33: error: signals are connected without a coupling; remove this attribute\n");
  EXPECT_EQ(of_connection(R"(from="a.x" to="b.r" coupling="glue")"),
            "model.xml:7:24: error: 'a.x' is translation that takes force, but 'b.r' is rotation that takes force\n");
  EXPECT_EQ(of_connection(R"(from="a.edge" to="b.r" coupling="glue")"),
            "model.xml:7:27: error: 'a.edge' is a set of 3 points of domain mechanical3d that take force, but 'b.r' is "
            "rotation that takes force\n");
  EXPECT_EQ(of_connection(R"(from="a.x" to="b.x" coupling="glue" delay="1" stiffness="1" schedule="jacobi")"),
            "model.xml:7:49: error: 'delay' does not apply to coupling=\"glue\"\n"
            "model.xml:7:59: error: 'stiffness' does not apply to coupling=\"glue\"\n"
            "model.xml:7:73: error: 'schedule' does not apply to coupling=\"glue\"\n");
  EXPECT_EQ(of_connection(R"(from="a.x" to="b.x" coupling="glue" joint="revolute" axis="x")"),
            "model.xml:7:49: error: 'joint' is only valid between interfaces in space (domain mechanical3d)\n"
            "model.xml:7:66: error: 'axis' is only valid between interfaces in space (domain mechanical3d)\n");
  EXPECT_EQ(of_connection(R"(from="a.p" to="b.p" coupling="glue" axis="x")"),
            "model.xml:7:49: error: 'axis' is only valid with joint=\"revolute\", joint=\"prismatic\" or "
            "joint=\"cylindrical\"\n");
  EXPECT_EQ(of_connection(
                R"(from="a.p" to="b.p" coupling="line" delay="1" stiffness="1" joint="fixed" stiffness_rotation="1")"),
            "model.xml:7:73: error: 'joint' does not apply to coupling=\"line\"\n");
  EXPECT_EQ(of_connection(R"(from="a.p" to="b.p" coupling="glue" joint="hinge")"),
            "model.xml:7:49: error: joint=\"hinge\" is not known (known: fixed, revolute, spherical, prismatic, "
            "cylindrical)\n");
  EXPECT_EQ(of_connection(R"(from="a.x" to="a.x" coupling="glue")"),
            "model.xml:7:24: error: 'a.x' is connected to itself\n");
  EXPECT_EQ(of_connection(R"(from="a.edge" to="a.edge[2]" coupling="glue")"),
            "model.xml:7:27: error: 'a.edge[2]' is connected to itself\n");
}

TEST_F(Gluings, TakeSidesInSpaceThatTakeMotion) {
  const std::string prescribed =
      "<Component name=\"led\" kind=\"network\"><Network><Interface name=\"p\" domain=\"mechanical3d\" "
      "causality=\"motion\"/></Network></Component>\n";
  const auto problems = [&](const std::string& attributes, const std::string& gluing = "") {
    return problems_of(
        model_text(component_text("a", {"p:mechanical3d"}) + prescribed,
                   fmt::format("<Connection name=\"j\" from=\"a.p\" to=\"led.p\" {}/>{}\n", attributes, gluing)));
  };
  EXPECT_EQ(problems("coupling=\"glue\" joint=\"revolute\""), "");
  EXPECT_EQ(problems("coupling=\"sampled\""), "");
  EXPECT_NE(problems("coupling=\"line\" delay=\"1\" stiffness=\"1\" stiffness_rotation=\"1\"")
                .find("'led.p' takes motion in space, and a line gives force"),
            std::string::npos);
}

TEST_F(Gluings, LinesJoinSingleMembersOfASet) {
  EXPECT_EQ(
      of_connection(R"(from="a.edge" to="b.edge" coupling="line" delay="1" stiffness="1" stiffness_rotation="1")"),
      "model.xml:7:13: error: 'a.edge' is a set of 3 points: coupling=\"line\" joins single ones, such as "
      "'a.edge[1]'; whole sets can be glued\n"
      "model.xml:7:27: error: 'b.edge' is a set of 3 points: coupling=\"line\" joins single ones, such as "
      "'b.edge[1]'; whole sets can be glued\n");
  EXPECT_EQ(of_connection(R"(from="a.edge[4]" to="b.p" coupling="glue")"),
            "model.xml:7:13: error: 'a.edge' is a set of 3 points: it has no member 4\n");
}

TEST_F(Gluings, SeveralMayMeetAtOneInterface) {
  const auto with = [&](const std::string& connections) {
    return problems_of(
        model_text(component_text("a", {"x"}) + component_text("b", {"x"}) + component_text("c", {"x"}), connections));
  };
  const std::string glue_ab = "<Connection name=\"one\" from=\"a.x\" to=\"b.x\" coupling=\"glue\"/>\n";
  const std::string glue_bc = "<Connection name=\"two\" from=\"b.x\" to=\"c.x\" coupling=\"glue\"/>\n";
  const std::string line_ab =
      "<Connection name=\"one\" from=\"a.x\" to=\"b.x\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>\n";
  const std::string line_bc =
      "<Connection name=\"two\" from=\"b.x\" to=\"c.x\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>\n";
  EXPECT_EQ(with(glue_ab + glue_bc), "");
  EXPECT_EQ(with(line_ab + glue_bc),
            "model.xml:9:24: error: interface 'b.x' cannot be glued: connection 'one' of line 8 joins it with "
            "coupling=\"line\"\n");
  EXPECT_EQ(with(glue_ab + line_bc),
            "model.xml:9:24: error: interface 'b.x' is glued by connection 'one' of line 8; more glued connections may "
            "join it, but none with coupling=\"line\"\n");
  EXPECT_EQ(with(glue_ab + "<Open interface=\"b.x\" as=\"fixed\"/>\n"),
            "model.xml:9:7: error: 'b.x' is not open: connection 'one' joins it\n");
  // A prescribed motion cannot be shared out, wherever the side that takes it is.
  EXPECT_EQ(
      problems_of(
          model_text(component_text("a", {"x"}) + component_text("b", {"x"}) + component_text("c", {"m:motion"}),
                     glue_ab + "<Connection name=\"two\" from=\"b.x\" to=\"c.m\" coupling=\"glue\"/>\n")),
      "model.xml:9:24: error: 'b.x' is also glued by connection 'one' of line 8: where several meet, all sides must "
      "take force, but 'c.m' takes motion\n");
  // What says the same again leaves the forces open.
  EXPECT_EQ(
      with(glue_ab + "<Connection name=\"again\" from=\"b.x\" to=\"a.x\" coupling=\"glue\"/>\n"),
      "model.xml:9:1: error: 'b.x' and 'a.x' are already glued, by connection 'one' of line 8: the forces between "
      "them would be undetermined; remove connection 'again'\n");
  EXPECT_EQ(
      with(glue_ab + glue_bc + "<Connection name=\"ring\" from=\"c.x\" to=\"a.x\" coupling=\"glue\"/>\n"),
      "model.xml:10:1: error: 'c.x' and 'a.x' are already glued, through others: the forces between them would be "
      "undetermined; remove connection 'ring'\n");
}

TEST_F(Gluings, RingsOfSlidingJointsAreNoRepetition) {
  const auto ring = [&](const std::string& joint) {
    std::string connections;
    for (const auto* ends : {"from=\"a.p\" to=\"b.p\"", "from=\"b.p\" to=\"c.p\"", "from=\"c.p\" to=\"a.p\""})
      connections += "<Connection " + std::string(ends) + " coupling=\"glue\" joint=\"" + joint + "\"/>\n";
    return problems_of(model_text(component_text("a", {"p:mechanical3d"}) + component_text("b", {"p:mechanical3d"}) +
                                      component_text("c", {"p:mechanical3d"}),
                                  connections));
  };
  EXPECT_EQ(ring("cylindrical"), "");
  EXPECT_NE(ring("revolute").find("model.xml:10:1: error: 'c.p' and 'a.p' are already glued, through others"),
            std::string::npos);
}

TEST_F(Gluings, ClashesWithNestedModelsNameTheFile) {
  folder.write("sub.xml", "<CompositeModel name=\"s\"><Components>" + component_text("p", {"x"}) +
                              component_text("q", {"x"}) +
                              "</Components><Interfaces><Interface name=\"end\" of=\"q.x\"/></Interfaces><Connections>"
                              "<Connection name=\"seam\" from=\"p.x\" to=\"q.x\" coupling=\"glue\"/></Connections>"
                              "</CompositeModel>");
  const std::string shown = problems_of(
      model_text("<Component name=\"sub\" kind=\"composite\" file=\"sub.xml\"/>" + component_text("a", {"x"}),
                 "<Connection from=\"a.x\" to=\"sub.end\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>\n"));
  EXPECT_EQ(shown,
            "model.xml:6:24: error: interface 'sub.q.x' is glued by connection 'sub.seam' of line 3 of sub.xml; more "
            "glued connections may join it, but none with coupling=\"line\"\n");
}

TEST_F(Gluings, NameWhatIsWrongWithSettings) {
  EXPECT_EQ(of_settings(R"(step="0" tolerance="1" absolute_tolerance="-1" perturbation="0" least_perturbation="-2")"),
            "model.xml:2:9: error: step = 0 must be greater than 0\n"
            "model.xml:2:18: error: tolerance = 1 must be greater than 0 and below 1\n"
            "model.xml:2:32: error: absolute_tolerance = -1 must be at least 0\n"
            "model.xml:2:56: error: perturbation = 0 must be greater than 0\n"
            "model.xml:2:73: error: least_perturbation = -2 must be greater than 0\n");
  EXPECT_EQ(of_settings(R"(step="1" most_trials="2.5")"),
            "model.xml:2:18: error: most_trials = 2.5 must be a whole number from 1 to 1000000\n");
  EXPECT_EQ(of_settings(R"(step="1" most_seconds="0")"),
            "model.xml:2:18: error: most_seconds = 0 must be greater than 0\n");
  EXPECT_EQ(of_settings(R"(step_tolerance="0" smallest_step="-1" largest_step="0")"),
            "model.xml:2:9: error: step_tolerance = 0 must be greater than 0 and below 1\n"
            "model.xml:2:28: error: smallest_step = -1 must be greater than 0\n"
            "model.xml:2:47: error: largest_step = 0 must be greater than 0\n");
  EXPECT_EQ(of_settings(R"(step="1" smallest_step="0.1" largest_step="2")"),
            "model.xml:2:18: error: 'smallest_step' is only valid with step_tolerance, which lets the step change\n"
            "model.xml:2:38: error: 'largest_step' is only valid with step_tolerance, which lets the step change\n");
  EXPECT_EQ(of_settings(R"(step_tolerance="1e-3" step="1" smallest_step="3" largest_step="2")"),
            "model.xml:2:40: error: smallest_step = 3 must not exceed largest_step = 2\n"
            "model.xml:2:40: error: smallest_step = 3 must not exceed step = 1\n");
  EXPECT_EQ(of_settings(R"(step_tolerance="1e-3" step="3" largest_step="2")"),
            "model.xml:2:31: error: step = 3 must not exceed largest_step = 2\n");
  for (const auto* count : {"0", "1001", "2.5", "-3"}) {
    EXPECT_EQ(of_settings("iterations=\"" + std::string(count) + "\""),
              "model.xml:2:9: error: iterations = " + std::string(count) + " must be a whole number from 1 to 1000\n");
  }
  EXPECT_EQ(of_settings(R"(update="newton" steps="1")"),
            "model.xml:2:9: error: update=\"newton\" is not known (known: broyden, iqn_ils, none, aitken)\n"
            "model.xml:2:25: error: <Gluing> has no attribute 'steps' (did you mean 'step'?)\n");
}

TEST_F(Gluings, DisplacementsAgreeWithConstantForcesOnly) {
  for (const std::string forces : {"linear", "quadratic"}) {
    EXPECT_EQ(of_settings("compatibility=\"displacement\" forces=\"" + forces + "\""),
              "model.xml:2:38: error: compatibility=\"displacement\" with forces=\"" + forces +
                  "\" diverges: its velocity gaps grow from step to step; use compatibility=\"velocity\"\n");
    EXPECT_EQ(of_settings("compatibility=\"velocity\" forces=\"" + forces + "\""), "");
    EXPECT_EQ(of_settings("compatibility=\"acceleration\" forces=\"" + forces + "\""), "");
    EXPECT_EQ(of_settings("forces=\"" + forces + "\""), "");
  }
  EXPECT_EQ(of_settings(R"(compatibility="displacement" forces="constant")"), "");
  EXPECT_EQ(of_settings(R"(compatibility="displacement")"), "");
}

TEST_F(Gluings, ASideThatTakesForceLeadsByVelocities) {
  const auto with = [&](const std::string& compatibility, const std::string& leads) {
    return problems_of(model_text(
        pair(), "<Connection name=\"j\" from=\"a.x\" to=\"b.m\" coupling=\"glue\" leads=\"" + leads + "\"/>\n",
        "<Gluing update=\"iqn_ils\"" + compatibility + "/>\n"));
  };
  for (const std::string compatibility : {"displacement", "acceleration"}) {
    const std::string found = with(" compatibility=\"" + compatibility + "\"", "from");
    EXPECT_NE(found.find("model.xml:2:26: error: compatibility=\"" + compatibility +
                         "\" cannot be reached where the side that takes force leads (connection 'j' of line"),
              found.npos)
        << found;
    EXPECT_EQ(with(" compatibility=\"" + compatibility + "\"", "to"), "");
  }
  EXPECT_EQ(with(" compatibility=\"velocity\"", "from"), "");
  EXPECT_EQ(with("", "from"), "");
}

TEST_F(Gluings, RelaxationNeedsMotionOnOneSide) {
  const auto with = [&](const std::string& connections, const std::string& more = "") {
    return problems_of(model_text(pair(), connections, "<Gluing update=\"aitken\"" + more + "/>\n"));
  };
  const std::string good = "<Connection from=\"a.x\" to=\"b.m\" coupling=\"glue\"/>\n";
  const std::string bad = "<Connection name=\"bad\" from=\"a.r\" to=\"b.r\" coupling=\"glue\"/>\n";
  const std::string worse = "<Connection name=\"worse\" from=\"a.p\" to=\"b.p\" coupling=\"glue\"/>\n";
  EXPECT_EQ(with(good), "");
  EXPECT_EQ(with(good + bad + worse),
            "model.xml:2:9: error: update=\"aitken\" needs at each connection a side that takes motion and one that "
            "takes force, which is not the case at 'bad', 'worse'\n");
  EXPECT_EQ(with(good, " refresh=\"once\" perturbation=\"1\""),
            "model.xml:2:25: warning: 'refresh' has no effect with update=\"aitken\", which has no matrix\n"
            "model.xml:2:40: warning: 'perturbation' has no effect with update=\"aitken\", which has no matrix\n");
}

TEST_F(Gluings, SettingsWithoutAnyGluedConnectionAreWarnedOf) {
  folder.write("sub.xml", nested_text(""));
  EXPECT_EQ(problems_of(model_text("<Component name=\"sub\" kind=\"composite\" file=\"sub.xml\"/>", "",
                                   "<Gluing step=\"1\"/>\n")),
            "model.xml:2:1: warning: no connection of this model is glued, so this has no effect\n");
  EXPECT_EQ(problems_of(model_text("", "", "<Gluing/>\n<Gluing/>\n")),
            "model.xml:2:1: warning: no connection of this model is glued, so this has no effect\n"
            "model.xml:3:1: error: <Gluing> appears twice in <CompositeModel>\n");
}

TEST_F(Gluings, SettingsOfADisabledConnectionAreKeptInSilence) {
  const std::string problems = problems_of(model_text(
      pair(), R"(<Connection from="a.p" to="b.p" coupling="glue" enabled="{1 - 1}"/>)", "<Gluing step=\"1\"/>\n"));
  EXPECT_EQ(problems.find("warning"), std::string::npos) << problems;
}

TEST_F(Gluings, AreWrittenAgainAsTheyWereRead) {
  const auto model = read(model_text(
      pair() + "<Component name=\"program\" kind=\"external\"><Interface name=\"skin\" domain=\"mechanical3d\" "
               "size=\"7\"/></Component>\n",
      R"(<Connection name="hinge" from="a.p" to="b.p" coupling="glue" joint="revolute" axis="y"/>
<Connection from="a.edge" to="program.skin" coupling="glue" joint="spherical"/>
<Connection from="a.x" to="b.m" coupling="glue"/>
)",
      R"(<Gluing step="{1/3}" compatibility="acceleration" forces="linear" update="none" refresh="once" iterations="3" absolute_tolerance="1e-7"/>)"));
  const std::string resolved = resolved_model_xml(model);
  const auto again = read(resolved);
  EXPECT_EQ(resolved_model_xml(again), resolved);
  ASSERT_EQ(again.connections.size(), 3U);
  EXPECT_EQ(again.connections[0].glue.joint, core::GlueJoint::revolute);
  EXPECT_EQ(again.connections[0].glue.axis, 1);
  EXPECT_EQ(again.connections[1].glue.joint, core::GlueJoint::spherical);
  EXPECT_EQ(again.connections[2].coupling, Coupling::glue);
  EXPECT_EQ(again.components[2].declared_interfaces.at(0).size, 7);
  ASSERT_NE(again.find_gluing(""), nullptr);
  const core::GluingSettings& settings = again.find_gluing("")->settings;
  EXPECT_EQ(settings.step, 1.0 / 3.0);
  EXPECT_FALSE(settings.largest_step.has_value());
  EXPECT_EQ(settings.compatibility, core::Compatibility::acceleration);
  EXPECT_EQ(settings.forces, core::ForceShape::linear);
  EXPECT_EQ(settings.update, core::MatrixUpdate::none);
  EXPECT_EQ(settings.refresh, core::MatrixRefresh::once);
  EXPECT_EQ(settings.iterations, 3);
  EXPECT_EQ(settings.absolute_tolerance, 1e-7);
  EXPECT_EQ(problems_of(resolved), "");
}

TEST_F(Gluings, ThoseOfNestedModelsAreWrittenWithTheirNames) {
  folder.write("sub.xml", nested_text("<Gluing step=\"{h}\"/>"));
  const std::string resolved =
      resolved_model_xml(read(model_text("<Component name=\"left\" kind=\"composite\" file=\"sub.xml\"/>")));
  EXPECT_NE(resolved.find("  <!-- within left -->\n  <Gluing step=\"0.001\" compatibility=\"auto\""), std::string::npos)
      << resolved;
}

}  // namespace gluing_test
}  // namespace tieline::model
