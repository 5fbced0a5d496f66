// Mass properties of what surfaces enclose, against closed forms; and the errors for files without such a surface.

#include "components/multibody/mesh.hpp"

#include <gtest/gtest.h>
#include <numbers>

#include "components/mesh_shapes.hpp"
#include "components/multibody_files.hpp"

namespace tieline::components {
namespace mesh_test {

using Eigen::Matrix3d;
using Eigen::Vector3d;

void expect_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance * b.mass);
  EXPECT_LT((a.center - b.center).norm(), tolerance * (1.0 + b.center.norm()));
  EXPECT_LT((a.inertia - b.inertia).norm(), tolerance * b.inertia.norm());
}

core::Mesh parsed(const std::string& bytes, MeshFormat format) {
  std::string problem;
  auto mesh = parse_mesh(bytes, format, problem);
  EXPECT_TRUE(mesh) << problem;
  return mesh.value_or(core::Mesh{});
}

std::string problem_of(const std::string& bytes, MeshFormat format) {
  std::string problem;
  const auto mesh = parse_mesh(bytes, format, problem);
  return mesh ? surface_defect(*mesh) : problem;
}

TEST(Mesh, BoxIsABox) { expect_same(solid_of(box_mesh({2.0, 0.3, 0.5}), 700.0), box({2.0, 0.3, 0.5}, 700.0), 1e-14); }

TEST(Mesh, TetrahedronHasItsClosedForm) {
  const double a = 0.3, b = 0.7, c = 1.1, density = 2700.0, m = density * a * b * c / 6.0;
  MassProperties expected{.mass = m, .center = Vector3d(a, b, c) / 4.0};
  const double k = m / 80.0;
  expected.inertia << 3.0 * k * (b * b + c * c), k * a * b, k * a * c,  //
      k * a * b, 3.0 * k * (a * a + c * c), k * b * c,                  //
      k * a * c, k * b * c, 3.0 * k * (a * a + b * b);
  const core::Mesh mesh = tetrahedron_mesh(a, b, c);
  EXPECT_EQ(surface_defect(mesh), "");
  expect_same(solid_of(mesh, density), expected, 1e-14);
}

// Halving the triangles divides what lacks to the ball by four.
TEST(Mesh, BallIsApproachedWithOrderTwo) {
  const MassProperties ball = sphere(1.0, 1000.0);
  double mass_before = 0.0, inertia_before = 0.0;
  for (int halvings = 3; halvings <= 6; ++halvings) {
    const MassProperties solid = solid_of(ball_mesh(halvings), 1000.0);
    const double mass = 1.0 - solid.mass / ball.mass, inertia = (solid.inertia - ball.inertia).norm();
    EXPECT_LT(solid.center.norm(), 1e-13);
    if (halvings > 3) {
      EXPECT_NEAR(std::log2(mass_before / mass), 2.0, 0.1);
      EXPECT_NEAR(std::log2(inertia_before / inertia), 2.0, 0.1);
    }
    mass_before = mass, inertia_before = inertia;
  }
}

// Far from the origin and turned, no digits are lost but those of the corners themselves.
TEST(Mesh, TurnsAndMovesAsItsPropertiesDo) {
  const core::Pose pose{{3.0, -40.0, 0.5}, core::rotation_from_angles({0.3, -1.2, 2.5})};
  const core::Mesh mesh = tetrahedron_mesh(0.3, 0.7, 1.1);
  core::Mesh moved = mesh;
  for (Vector3d& vertex : moved.vertices) vertex = pose.position + pose.orientation * vertex;
  expect_same(solid_of(moved, 2700.0), solid_of(mesh, 2700.0).placed(pose), 1e-12);
}

TEST(Mesh, AHollowIsSubtracted) {
  core::Mesh mesh = box_mesh({2.0, 2.0, 2.0});
  core::Mesh hollow = box_mesh({1.0, 1.0, 1.0});
  turn_inside_out(hollow);
  for (const auto& [a, b, c] : hollow.triangles) mesh.triangles.push_back({a + 8, b + 8, c + 8});
  mesh.vertices.insert(mesh.vertices.end(), hollow.vertices.begin(), hollow.vertices.end());
  EXPECT_EQ(surface_defect(mesh), "");
  const MassProperties solid = solid_of(mesh, 1.0);
  EXPECT_NEAR(solid.mass, 7.0, 1e-13);
  EXPECT_NEAR(solid.inertia(0, 0), (8.0 * 8.0 - 2.0) / 12.0, 1e-13);
}

TEST(Mesh, AllFormatsAgree) {
  const core::Mesh mesh = box_mesh({2.0, 0.5, 0.25});  // exact in single precision
  const MassProperties expected = solid_of(mesh, 10.0);
  expect_same(solid_of(parsed(as_text_stl(mesh), MeshFormat::stl), 10.0), expected, 1e-14);
  expect_same(solid_of(parsed(as_binary_stl(mesh), MeshFormat::stl), 10.0), expected, 1e-14);
  expect_same(solid_of(parsed(as_obj(mesh), MeshFormat::obj), 10.0), expected, 1e-14);
  // A binary file that begins like a text.
  std::string misleading = as_binary_stl(mesh);
  misleading.replace(0, 10, "solid part");
  expect_same(solid_of(parsed(misleading, MeshFormat::stl), 10.0), expected, 1e-14);
  EXPECT_EQ(parsed(as_binary_stl(mesh), MeshFormat::stl).vertices.size(), 8u);
}

TEST(Mesh, ObjHasPolygonsAndCountsBack) {
  const std::string vertices = "v 0 0 0 1\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nvn 0 0 1\n";
  const core::Mesh forward = parsed(
      vertices +
          "g sides\nusemtl steel\nf 4 3 2 1\nf 5//1 6//1 7//1 8//1\nf 1/1 2/2 6/3 5/4\nf 3 4 8 7\nf 2 3 7 6 # x\n"
          "f 4 1 5 8\n",
      MeshFormat::obj);
  const core::Mesh backward =
      parsed(vertices + "f -5 -6 -7 -8\nf -4 -3 -2 -1\nf -8 -7 -3 -4\nf -6 -5 -1 -2\nf -7 -6 -2 -3\nf -5 -8 -4 -1\n",
             MeshFormat::obj);
  for (const core::Mesh& mesh : {forward, backward}) {
    EXPECT_EQ(surface_defect(mesh), "");
    EXPECT_NEAR(volume_of(mesh), 1.0, 1e-15);
  }
  // An L-shaped prism: its ends are not convex.
  const core::Mesh bent = parsed(
      "v 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 5\nv 1 2 5\nv 0 2 5\nv 0 0 5\nv 2 0 5\nv 2 1 5\n"
      "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n",
      MeshFormat::obj);
  EXPECT_EQ(surface_defect(bent), "");
  EXPECT_NEAR(volume_of(bent), 15.0, 1e-13);
}

TEST(Mesh, ReportsWhereASurfaceIsOpen) {
  core::Mesh mesh = box_mesh({2.0, 2.0, 2.0});
  mesh.triangles.erase(mesh.triangles.begin());
  EXPECT_EQ(surface_defect(mesh),
            "the surface is not closed: 3 edges are in one triangle only, for example the one from (-1, -1, -1) to "
            "(-1, 1, -1)");
  mesh = box_mesh({2.0, 2.0, 2.0});
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  EXPECT_EQ(surface_defect(mesh),
            "some triangles face outwards and others inwards: 3 edges are between two that do not agree, for example "
            "the one from (-1, -1, -1) to (-1, 1, -1)");
  mesh = box_mesh({2.0, 2.0, 2.0});
  mesh.triangles.push_back(mesh.triangles[0]);
  EXPECT_NE(surface_defect(mesh).find("3 edges are in more than two triangles"), std::string::npos);
  EXPECT_EQ(surface_defect({}), "it has no triangles");
  EXPECT_EQ(surface_defect(box_mesh({1.0, 1.0, 0.0})), "the surface encloses no volume");
  EXPECT_EQ(surface_defect(box_mesh({1e200, 1e200, 1e200})), "it is too large: its mass properties are not finite");
}

TEST(Mesh, RefusesWhatIsNoMesh) {
  const core::Mesh box = box_mesh({1.0, 1.0, 1.0});
  const std::string text = as_text_stl(box), binary = as_binary_stl(box);
  EXPECT_EQ(problem_of("", MeshFormat::stl),
            "it is not STL: it does not start with 'solid', and is too short for a binary file");
  EXPECT_EQ(problem_of("", MeshFormat::obj), "it contains no faces: is it an OBJ file?");
  EXPECT_EQ(problem_of(binary.substr(0, binary.size() - 7), MeshFormat::stl),
            "byte 80: the header announces 12 triangles, which take 684 bytes, but the file has 677: it is truncated, "
            "or not STL");
  std::string many = binary;
  many.replace(80, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_NE(problem_of(many, MeshFormat::stl).find("announces 4294967295 triangles"), std::string::npos);
  std::string broken = binary;
  broken.replace(96, 4, std::string("\x00\x00\xC0\x7F", 4));
  EXPECT_EQ(problem_of(broken, MeshFormat::stl), "byte 96: a coordinate is nan, not a finite number");
  EXPECT_EQ(problem_of(text.substr(0, text.find("endfacet")), MeshFormat::stl),
            "line 8: the file ends where 'endfacet' is expected");
  EXPECT_EQ(problem_of("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 nan 0\n", MeshFormat::stl),
            "line 4: expected a finite number, found 'nan'");
  EXPECT_EQ(problem_of("solid x\n\x01z\n", MeshFormat::stl), "line 2: expected 'facet' or 'endsolid', found '?z'");
  EXPECT_EQ(problem_of("v 1 2\n", MeshFormat::obj), "line 1: expected three finite numbers, but the line ends");
  EXPECT_EQ(problem_of("v 1 2 x\n", MeshFormat::obj), "line 1: expected three finite numbers, found 'x'");
  EXPECT_EQ(problem_of("v 0 0 0\nf 1 2 1\n", MeshFormat::obj), "line 2: there is no vertex 2; 1 are known there");
  EXPECT_EQ(problem_of("v 0 0 0\nf 1 0 1\n", MeshFormat::obj), "line 2: there is no vertex 0; 1 are known there");
  EXPECT_EQ(problem_of("v 0 0 0\nf 1 1\n", MeshFormat::obj),
            "line 2: expected three corners or more, but the line ends");
  EXPECT_EQ(problem_of("v 0 0 0\nf 1.5 1 1\n", MeshFormat::obj),
            "line 2: expected the number of a vertex, found '1.5'");
}

using MeshInModel = MultibodyFiles;

TEST_F(MeshInModel, IsScaledTurnedAndPlaced) {
  write("part.stl", as_binary_stl(box_mesh({2000.0, 500.0, 250.0})));
  const MultibodySpec spec = read(
      "<Body name='a'><Mesh file='part.stl' density='{7000+800}' scale='0.001' position='1, 2, 3' "
      "angles='0.1, 0.2, 0.3'/></Body>");
  EXPECT_EQ(said(), "");
  const MassProperties expected =
      box({2.0, 0.5, 0.25}, 7800.0).placed({{1.0, 2.0, 3.0}, core::rotation_from_angles({0.1, 0.2, 0.3})});
  const BodySpec& body = spec.bodies.at(0);
  expect_same({body.mass, body.center, body.inertia}, expected, 1e-13);
  const auto& mesh = std::get<core::Mesh>(body.shapes.at(0).solid);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_NEAR(mesh.vertices.at(0).cwiseAbs().maxCoeff(), 1.0, 1e-15);
  ASSERT_EQ(diagnostics_.files_read().size(), 2u);
  EXPECT_EQ(diagnostics_.files_read()[1].filename(), "part.stl");
}

TEST_F(MeshInModel, InwardTrianglesAreTurned) {
  core::Mesh mesh = box_mesh({1.0, 1.0, 1.0});
  turn_inside_out(mesh);
  write("part.obj", as_obj(mesh));
  const MultibodySpec spec = read("<Body name='a'><Mesh file='part.obj' density='1'/></Body>");
  EXPECT_EQ(
      said(),
      "system.xml:2:22: warning: mesh 'part.obj': its triangles face inwards; they are turned to face outwards\n");
  EXPECT_NEAR(spec.bodies.at(0).mass, 1.0, 1e-14);
  EXPECT_NEAR(volume_of(std::get<core::Mesh>(spec.bodies[0].shapes.at(0).solid)), 1.0, 1e-14);
}

TEST_F(MeshInModel, ProblemsHaveTheirPlaceInTheModelAndInTheMesh) {
  write("part.step", "ISO-10303-21;");
  write("cut.obj", "v 0 0 0\nf 1 2 3\n");
  std::filesystem::create_directory(folder_.path() / "folder.stl");
  (void)read(
      "<Body name='a'><Mesh file='missing.stl' density='1'/></Body>\n<Body name='b'><Mesh file='part.step' "
      "density='1'/></Body>\n<Body name='c'><Mesh file='cut.obj' density='1'/></Body>\n"
      "<Body name='d'><Mesh file='folder.stl' density='1'/></Body>");
  EXPECT_EQ(said(),
            "system.xml:2:22: error: mesh 'missing.stl': the file does not exist\n"
            "system.xml:3:22: error: mesh 'part.step': a mesh is a file whose name ends with .stl or .obj\n"
            "system.xml:4:22: error: mesh 'cut.obj': line 2: there is no vertex 2; 1 are known there\n"
            "system.xml:5:22: error: mesh 'folder.stl': this is not a file\n");
  EXPECT_EQ(diagnostics_.files_read().size(), 1U);  // the system itself: no mesh could be read
}

}  // namespace mesh_test
}  // namespace tieline::components
