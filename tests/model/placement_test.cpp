#include "model/placement.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "model/model_files.hpp"
#include "model/reader.hpp"

namespace tieline::model {
namespace placement_test {

using test::model_text;
using test::ModelFolder;

constexpr double kRounding = 1e-14;

class Placed : public ::testing::Test {
 protected:
  CompositeModel read(const std::string& text) {
    diagnostics = {};
    const auto kinds = test::kinds();
    auto model = read_model(folder.write("model.xml", text), {}, kinds, diagnostics).value_or(CompositeModel{});
    const auto source = [&model](int index) {
      ComponentInterfaces known;
      for (const auto& i : model.components[static_cast<std::size_t>(index)].declared_interfaces) {
        known.interfaces.push_back({i.name, i.domain, i.causality, i.pose, i.size});
      }
      return known;
    };
    place_components(model, source, diagnostics);
    check_coincidence(model, source, diagnostics);
    return model;
  }
  /// A component with a 3-D interface "p" at the given place.
  static std::string body(const std::string& name, const std::string& attributes, const std::string& interface,
                          const std::string& rest = "") {
    return "<Component name=\"" + name + "\" kind=\"external\" " + attributes + ">" + rest +
           "<Interface name=\"p\" domain=\"mechanical3d\" " + interface + "/></Component>\n";
  }
  static std::string line(const std::string& from, const std::string& to) {
    return "<Connection name=\"joint\" from=\"" + from + "\" to=\"" + to +
           "\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>";
  }
  static void expect_at(const core::Pose& pose, double x, double y, double z) {
    EXPECT_NEAR(pose.position.x(), x, kRounding);
    EXPECT_NEAR(pose.position.y(), y, kRounding);
    EXPECT_NEAR(pose.position.z(), z, kRounding);
  }

  ModelFolder folder;
  document::Diagnostics diagnostics;
};

TEST_F(Placed, PlacementsOfNestedModelsAddUp) {
  const auto model = read(model_text(
      "<Component name=\"sub\" kind=\"composite\"><Placement position=\"1, {2*d}, 0\" angles=\"0, 0, {pi/2}\"/>"
      "<CompositeModel name=\"s\"><Components>" +
          body("a", "", "", "<Placement position=\"3, 0, 0\"/>") + "</Components></CompositeModel></Component>",
      "", "<Parameters><Parameter name=\"d\" value=\"1\"/></Parameters>"));
  EXPECT_EQ(folder.shown(diagnostics), "");
  // A quarter turn about z takes x to y.
  expect_at(model.components.at(0).placement, 1.0, 5.0, 0.0);
}

TEST_F(Placed, EndsThatDoNotMeetAreNamedWithDistanceAndAngle) {
  read(model_text(body("a", "", "position=\"1, 0, 0\"") + body("b", "", "position=\"1, 3, 4\" angles=\"0.5, 0, 0\""),
                  line("a.p", "b.p")));
  const std::string said = folder.shown(diagnostics);
  EXPECT_NE(said.find("error: connection 'joint' of 'a.p' and 'b.p'"), std::string::npos) << said;
  EXPECT_NE(said.find("5 m apart"), std::string::npos) << said;
  EXPECT_NE(said.find("0.5 rad"), std::string::npos) << said;
}

TEST_F(Placed, AttachMakesThemMeet) {
  const std::string target = body("a", "", "position=\"1, 2, 3\" angles=\"0.1, -0.7, 2\"",
                                  "<Placement position=\"-4, 0.5, 1\" angles=\"1, 0.2, -0.3\"/>");
  const auto check = [&](const std::string& text) {
    const auto model = read(text);
    EXPECT_EQ(folder.shown(diagnostics), "");
    EXPECT_GT(model.components.at(1).placement.position.norm(), 0.1);
  };
  const std::string own = "position=\"0.3, 0, -1\" angles=\"0, 1, 1\"";
  check(model_text(target + body("b", "attach=\"a.p\"", own), line("a.p", "b.p")));
  check(model_text(target + body("b", "attach=\"a.p\" attach_at=\"p\"", own), line("b.p", "a.p")));
  // A whole nested model, by an interface of a component inside it.
  check(model_text(
      target + "<Component name=\"sub\" kind=\"composite\" attach=\"a.p\"><CompositeModel name=\"s\"><Components>" +
          body("b", "", own, "<Placement position=\"7, 7, 7\" angles=\"0.5, 0.5, 0.5\"/>") +
          "</Components><Interfaces><Interface name=\"tip\" of=\"b.p\"/></Interfaces></CompositeModel>"
          "</Component>",
      line("a.p", "sub.tip")));
}

TEST_F(Placed, AnAttachmentToWhatIsDisabledIsNoted) {
  auto model = read(model_text(body("a", "enabled=\"0\"", "") + body("b", "attach=\"a.p\"", ""), line("a.p", "b.p")));
  EXPECT_NE(folder.shown(diagnostics).find("model.xml:4:37: note: 'b' is not attached, because 'a' is disabled"),
            std::string::npos)
      << folder.shown(diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  expect_at(model.components.at(0).placement, 0.0, 0.0, 0.0);
  // By an own interface that is left out.
  read(model_text(body("a", "", "") +
                  "<Component name=\"sub\" kind=\"composite\" attach=\"a.p\" attach_at=\"tip\"><CompositeModel "
                  "name=\"s\"><Components>" +
                  body("b", "enabled=\"0\"", "") +
                  "</Components><Interfaces><Interface name=\"tip\" of=\"b.p\"/></Interfaces></CompositeModel>"
                  "</Component>"));
  EXPECT_NE(folder.shown(diagnostics).find("note: 'sub' is not attached, because 'sub.tip' is disabled"),
            std::string::npos)
      << folder.shown(diagnostics);
}

TEST_F(Placed, AttachmentsThatGoWrongAreLocated) {
  read(model_text(body("a", "attach=\"b.p\"", "") + body("b", "attach=\"a.p\"", ""), line("a.p", "b.p")));
  EXPECT_NE(folder.shown(diagnostics).find("depends on itself"), std::string::npos) << folder.shown(diagnostics);
  read(model_text(body("a", "", "") + body("b", "attach=\"a.p\"", "")));
  EXPECT_EQ(folder.shown(diagnostics),
            "model.xml:4:37: error: no connection joins 'b' with 'a.p'; name its interface by attach_at\n");
  read(model_text(body("a", "", "") + body("b", "attach=\"c.p\"", "")));
  EXPECT_EQ(folder.shown(diagnostics), "model.xml:4:37: error: unknown component 'c' (known: a, b)\n");
  read(model_text(body("a", "", "position=\"1, 2\" size=\"0\"", "<Interface name=\"x\" size=\"3\"/>")));
  EXPECT_EQ(folder.shown(diagnostics),
            "model.xml:3:58: error: only signals and interfaces in space (domain mechanical3d) have a size\n"
            "model.xml:3:110: error: position must be three numbers separated by commas, found 2\n"
            "model.xml:3:126: error: size = 0 must be a whole number from 1 to 100000\n");
}

// What a glued joint leaves free need not fit: in the axes of `from`, which is turned here.
TEST_F(Placed, TheEndsOfAGluedJointFitWhereItHolds) {
  const auto problems = [&](const std::string& joint, const std::string& to) {
    read(model_text(body("a", "", "position=\"1, 2, 3\" angles=\"0, 0, {pi/2}\"") + body("b", "", to),
                    "<Connection name=\"joint\" from=\"a.p\" to=\"b.p\" coupling=\"glue\" " + joint + "/>"));
    return diagnostics.error_count();
  };
  const std::string same = "position=\"1, 2, 3\" angles=\"0, 0, {pi/2}\"";  // x of a is y of the world
  const std::string turned_about_z = "position=\"1, 2, 3\" angles=\"0, 0, 2\"";
  const std::string turned_about_x = "position=\"1, 2, 3\" angles=\"0.4, 0, {pi/2}\"";
  const std::string moved_along_z = "position=\"1, 2, 3.5\" angles=\"0, 0, {pi/2}\"";
  const std::string moved_along_x = "position=\"1, 2.5, 3\" angles=\"0, 0, {pi/2}\"";
  const std::string both = "position=\"1, 2, 3.5\" angles=\"0, 0, 2\"";
  const auto expect = [&](const std::string& joint, const std::vector<std::string>& fitting) {
    for (const auto& to : {same, turned_about_z, turned_about_x, moved_along_z, moved_along_x, both}) {
      const bool fits = std::find(fitting.begin(), fitting.end(), to) != fitting.end();
      EXPECT_EQ(problems(joint, to), fits ? 0U : 1U) << joint << ' ' << to;
    }
  };
  expect("", {same});
  expect("joint=\"revolute\"", {same, turned_about_z});
  expect("joint=\"revolute\" axis=\"x\"", {same, turned_about_x});
  expect("joint=\"spherical\"", {same, turned_about_z, turned_about_x});
  expect("joint=\"prismatic\" axis=\"z\"", {same, moved_along_z});
  expect("joint=\"prismatic\" axis=\"x\"", {same, moved_along_x});
  expect("joint=\"cylindrical\"", {same, turned_about_z, moved_along_z, both});
  // The points of a set have places of their own.
  EXPECT_EQ(problems("", moved_along_x + " size=\"3\""), 0U);
}

}  // namespace placement_test
}  // namespace tieline::model
