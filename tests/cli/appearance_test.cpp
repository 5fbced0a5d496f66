#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "results/scene_file.hpp"

// Icons in diagrams and geometries in animations.

namespace tieline::cli {
namespace appearance_test {

// A tetrahedron, as a CAD program would write it.
const std::string kTetrahedron = R"(v 0 0 0
v 0.3 0 0
v 0 0.2 0
v 0 0 0.1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
)";

/// A pendulum with an arm, and a program's place taken by a plain mass; attributes of both as given.
std::string model(const std::string& swing, const std::string& plain = "") {
  return fmt::format(R"(<CompositeModel name="looks">
  <Components>
    <Component name="swing" kind="multibody" {}>
      <Multibody gravity="0, 0, -9.81">
        <Body name="arm" mass="1" inertia="0.1, 0.1, 0.1" position="1, 0, 0"><Frame name="hinge" position="-1, 0, 0" angles="{{pi/2}}, 0, 0"/></Body>
        <Body name="other" position="3, 0, 0"><Sphere radius="0.1" density="1000"/></Body>
        <Frame name="bearing" angles="{{pi/2}}, 0, 0"/>
        <Joint name="pin" kind="revolute" from="bearing" to="arm.hinge"/>
      </Multibody>
    </Component>
    <Component name="plain" kind="network" {}>
      <Network><Mass name="body" mass="1"/></Network>
    </Component>
  </Components>
  <Simulation start="0" stop="0.1"/>
</CompositeModel>
)",
                     swing, plain);
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Appearance : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(work_.path("cad"));
    work_.write("cad/arm.obj", kTetrahedron);
    work_.write("cad/arm.svg",
                "<svg xmlns='http://www.w3.org/2000/svg'><circle r='5'/><script>alert(1)</script></svg>");
  }
  Workplace work_;
};

TEST_F(Appearance, IconsAreDrawnInDiagrams) {
  work_.write("looks.xml", model("icon=\"cad/arm.svg\""));
  for (const std::string file : {"x.svg", "x.html"}) {
    const Outcome outcome = work_.tieline({"plot", "looks.xml", "-o", file});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    const std::string text = text_of(work_.path(file));
    EXPECT_TRUE(holds(text, "<image ") && holds(text, "data:image/svg+xml;base64,"));
    EXPECT_FALSE(holds(text, "<script")) << text;
  }
  // What a picture of pixels cannot show is said, and the box is as before.
  const Outcome outcome = work_.tieline({"plot", "looks.xml", "-o", "x.png"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.err, "looks.xml:3:46: warning: the icon of component 'swing' is an SVG")) << outcome.err;
}

TEST_F(Appearance, UnknownPicturesAreWarnedOf) {
  work_.write("looks.xml", model("icon=\"cad/arm.obj\""));
  const Outcome outcome = work_.tieline({"plot", "looks.xml", "-o", "x.svg"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(holds(outcome.err, "looks.xml:3:46: warning: the icon of component 'swing' is not drawn: '"))
      << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "expected an SVG or a PNG file")) << outcome.err;
  EXPECT_FALSE(holds(text_of(work_.path("x.svg")), "<image "));
  const Outcome checked = work_.tieline({"check", "looks.xml"});
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_TRUE(holds(checked.out + checked.err, "looks.xml:3:46: warning: the icon of component 'swing'"));
}

TEST_F(Appearance, GeometryIsShownOnTheFirstBody) {
  work_.write("looks.xml", model("geometry=\"cad/arm.obj\""));
  ASSERT_EQ(work_.tieline({"run", "looks.xml", "--out", "r", "--quiet"}).exit_code, 0);
  const auto scene = results::read_scene(work_.path("r") / results::kSceneFileName);
  ASSERT_TRUE(scene) << scene.error().describe();
  const auto& bodies = scene->components.at(0).scene.bodies;
  ASSERT_EQ(bodies.size(), 2u);
  ASSERT_EQ(bodies[0].shapes.size(), 1u);
  EXPECT_FALSE(bodies[0].has_stand_in);
  const auto* mesh = std::get_if<core::Mesh>(&bodies[0].shapes[0].solid);
  ASSERT_NE(mesh, nullptr);
  ASSERT_EQ(mesh->vertices.size(), 4u);
  EXPECT_EQ(mesh->triangles.size(), 4u);
  EXPECT_EQ(mesh->vertices[1].x(), 0.3);
  EXPECT_TRUE(std::holds_alternative<core::Sphere>(bodies[1].shapes.at(0).solid));
  EXPECT_EQ(work_.tieline({"animate", "r", "-o", "r.html"}).exit_code, 0);
  const std::string page = text_of(work_.path("r.html"));
  EXPECT_TRUE(holds(page, "\"triangles\""));
}

// A component without bodies of ours carries its geometry at its interface.
TEST_F(Appearance, GeometryIsShownAtAnInterface) {
  std::filesystem::copy(TIELINE_TEST_FMUS "/arm_fmi3.fmu", work_.path("arm.fmu"));
  work_.write("cad/arm.stl",
              "solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0.5 0 0\nvertex 0 0.1 0\nendloop\n"
              "endfacet\nendsolid one\n");
  work_.write("arm.xml", R"(<CompositeModel name="arm">
  <Components>
    <Component name="arm" kind="fmu" file="arm.fmu" geometry="cad/arm.stl">
      <Fmu mode="model_exchange"/>
      <Interface name="a" domain="mechanical3d" position="-0.25, 0, 0"/>
      <Interface name="b" domain="mechanical3d" position="0.25, 0, 0"/>
    </Component>
  </Components>
  <Simulation stop="0.1"/>
</CompositeModel>
)");
  const Outcome run = work_.tieline({"run", "arm.xml", "--out", "r"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto scene = results::read_scene(work_.path("r") / results::kSceneFileName);
  ASSERT_TRUE(scene) << scene.error().describe();
  const core::SceneBody& body = scene->components.at(0).scene.bodies.at(0);
  EXPECT_EQ(body.name, "a");
  EXPECT_EQ(std::get<core::Mesh>(body.shapes.at(0).solid).triangles.size(), 1u);
  const Outcome animated = work_.tieline({"animate", "r", "-o", "r.html"});
  EXPECT_EQ(animated.exit_code, 0) << animated.err;
  EXPECT_EQ(animated.err, "");
  EXPECT_TRUE(holds(animated.out, " of 1 body ")) << animated.out;
}

TEST_F(Appearance, GeometriesThatCannotBeShownAreWarnedOf) {
  work_.write("cad/broken.stl", "solid x\nfacet");
  work_.write("looks.xml", model("geometry=\"cad/broken.stl\"", "geometry=\"cad/arm.obj\""));
  const Outcome outcome = work_.tieline({"run", "looks.xml", "--out", "r"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "warning: looks.xml:3:46: the geometry of component 'swing' is not shown: "))
      << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "cad/broken.stl")) << outcome.err;
  EXPECT_TRUE(
      holds(outcome.err, "the geometry of component 'plain' is not shown: it has no body and no interface in space"))
      << outcome.err;
  EXPECT_EQ(work_.tieline({"animate", "r"}).exit_code, 0);
}

}  // namespace appearance_test
}  // namespace tieline::cli
