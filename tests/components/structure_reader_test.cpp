// Problems of a structure are reported with their places, all at once.

#include <gtest/gtest.h>

#include "components/reader_support.hpp"
#include "components/structure/grammar.hpp"
#include "components/structure/reader.hpp"

namespace tieline::components {
namespace structure_reader_test {

using StructureReader = Reading<decltype(&read_structure)>;

StructureReader read(const std::string& text) { return {text, structure_grammar(), &read_structure}; }

const std::string kStock = R"(<Structure>
  <Material name="steel" youngs_modulus="210e9" density="7800"/>
  <Section name="bar" radius="0.02"/>
  <Node name="a" position="0, 0, 0"/>
  <Node name="b" position="1, 0, 0"/>
)";

TEST(StructureReader, ReadsPartsInAnyOrder) {
  const auto reading = read(R"(<Structure analysis="static" start="equilibrium" gravity="0, 0, -9.81">
  <Parameters><Parameter name="L" value="2"/></Parameters>
  <Sensor name="s" node="post.node1"/>
  <Interface name="rail" nodes="post.node2, foot"/>
  <Damping mass="1" stiffness="{L/1000}"/>
  <Support node="foot" directions="x, y z"/>
  <Beam name="post" from="foot" to="head" section="box" material="steel" elements="{1+L}" normal="1, 0, 0"/>
  <Node name="foot" position="0, 0, 0"/><Node name="head" position="0, 0, {L}"/>
  <Section name="box" area="1e-3" inertia_y="1e-8" inertia_z="2e-8" torsion_constant="3e-8"/>
  <Material name="steel" youngs_modulus="210e9" shear_modulus="80e9" density="7800"/>
</Structure>)");
  EXPECT_EQ(reading.diagnostics.describe(), "");
  const StructureSpec& spec = reading.spec;
  ASSERT_EQ(spec.nodes.size(), 4u);
  ASSERT_EQ(spec.beams.size(), 1u);
  EXPECT_EQ(spec.beams[0].nodes.size(), 4u);
  EXPECT_NEAR(spec.beams[0].element_length, 2.0 / 3.0, 1e-15);
  EXPECT_EQ(spec.beams[0].axes.col(1), Eigen::Vector3d::UnitX());
  EXPECT_NEAR(spec.beams[0].properties.torsion_stiffness, 80e9 * 3e-8, 1e-9);
  EXPECT_EQ(spec.nodes[static_cast<std::size_t>(spec.sensors[0].node)].name, "post.node1");
  EXPECT_EQ(spec.interfaces[0].nodes.size(), 2u);
  EXPECT_EQ(spec.supports[0].holds, (std::array<bool, 6>{true, true, true, false, false, false}));
  EXPECT_EQ(spec.damping.stiffness, 2e-3);
  EXPECT_TRUE(spec.starts_in_equilibrium);
}

TEST(StructureReader, UnknownNamesAreReportedWithTheNearest) {
  const auto reading = read(kStock + R"(  <Beam name="beam" from="a" to="bb" section="bars" material="stel"/>
  <Support node="c"/>
  <Interface name="i" nodes="a beam.node1"/>
  <Sensor name="s" node="aa"/>
  <Load node="d" force="1, 0, 0"/>
  <PointMass node="e" mass="1"/>
</Structure>)");
  reading.expect_error(6, {"no node 'bb'", "did you mean 'b'"});
  reading.expect_error(6, {"no section 'bars'", "did you mean 'bar'"});
  reading.expect_error(6, {"no material 'stel'", "did you mean 'steel'"});
  reading.expect_error(7, {"no node 'c'"});
  reading.expect_error(8, {"no node 'beam.node1'"});
  reading.expect_error(9, {"no node 'aa'"});
  reading.expect_error(10, {"no node 'd'"});
  reading.expect_error(11, {"no node 'e'"});
}

TEST(StructureReader, ImpossibleNumbersAreRefused) {
  const auto reading = read(R"(<Structure newmark_beta="0.1">
  <Material name="m" youngs_modulus="-1" density="0" poissons_ratio="0.7"/>
  <Section name="s" radius="0.02" inner_radius="0.03"/>
  <Section name="t" radius="0.02" area="1"/>
  <Section name="u" width="0.02"/>
  <Node name="a" position="0, 0, 0"/>
  <Node name="b" position="0, 0, 0"/>
  <Node name="c" position="1, 0, 0"/>
  <Beam name="ab" from="a" to="b" section="s" material="m"/>
  <Beam name="ac" from="a" to="c" section="s" material="m" elements="2.5"/>
  <Beam name="bc" from="b" to="c" section="s" material="m" normal="2, 0, 0"/>
  <Support node="a" directions="x q"/>
  <PointMass node="a" mass="-1" inertia="1, 2"/>
  <Damping mass="-1"/>
  <Load node="a" force="1, 2"/>
  <Load node="a"/>
  <Interface name="i" node="a" nodes="b"/>
  <Interface name="j" nodes="a a"/>
</Structure>)");
  reading.expect_error(1, {"newmark_beta", "at least half"});
  reading.expect_error(2, {"youngs_modulus"});
  reading.expect_error(2, {"density"});
  reading.expect_error(2, {"poissons_ratio"});
  reading.expect_error(3, {"inner_radius must be less than radius"});
  reading.expect_error(4, {"either a radius, or width and height, or its area"});
  reading.expect_error(5, {"height"});
  reading.expect_error(9, {"the beam 'ab' has no length", "'a' and 'b'"});
  reading.expect_error(10, {"whole number"});
  reading.expect_error(11, {"must not be along the beam"});
  reading.expect_error(12, {"'q' is not a direction", "x, y, z, rx, ry, rz, or all"});
  reading.expect_error(13, {"mass"});
  reading.expect_error(13, {"inertia must be 3 or 6 numbers, found 2"});
  reading.expect_error(14, {"mass"});
  reading.expect_error(15, {"three functions"});
  reading.expect_error(16, {"a load needs a force or a torque"});
  reading.expect_error(17, {"either a node, or nodes"});
  reading.expect_error(18, {"'a' appears twice"});
}

TEST(StructureReader, NodesNeedMassAndNamesDiffer) {
  const auto reading = read(kStock + R"(  <Beam name="ab" from="a" to="b" section="bar" material="steel"/>
  <Node name="lost" position="0, 1, 0"/>
  <Node name="ball" position="0, 2, 0"/>
  <Node name="top" position="0, 3, 0"/>
  <PointMass node="ball" mass="1"/>
  <PointMass node="top" mass="1" inertia="1, 1, 1"/>
</Structure>)");
  reading.expect_error(7, {"no beam is connected to the node 'lost'", "motion"});
  reading.expect_error(8, {"no beam is connected to the node 'ball'", "rotation", "inertia"});
  EXPECT_EQ(reading.diagnostics.error_count(), 2u);
  const auto twice = read(kStock + R"(  <Node name="a" position="0, 1, 0"/>
  <Sensor name="steel" node="b"/>
</Structure>)");
  twice.expect_error(6, {"the name 'a' is already used", "line 4"});
  twice.expect_error(7, {"the name 'steel' is already used", "line 2"});
}

}  // namespace structure_reader_test
}  // namespace tieline::components
