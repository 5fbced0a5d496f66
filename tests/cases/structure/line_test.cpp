// Structures on lines: against the structure in one piece, their energy balance, their start, and the bits of their
// results.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

#include "support/model_run.hpp"

namespace tieline::support {
namespace structure_line_test {

const std::string kStock =
    "<Material name='steel' youngs_modulus='210e9' density='7800'/><Section name='bar' radius='0.02'/>";
const std::string kPush = "<Load node='tip' force='0, {100*smoothstep(t,0,0.02)}, {50*sin(60*t)}' torque='5, 0, 0'/>";

std::string half(const std::string& name, double from, double step, const std::string& more,
                 const std::string& attributes = "") {
  return fmt::format(
      "<Component name='{0}' kind='structure' step='{1}'><Placement position='{2}, 0, 0'/><Structure {5}>{3}"
      "<Node name='root' position='0, 0, 0'/><Node name='tip' position='0.5, 0, 0'/>"
      "<Beam name='bar1' from='root' to='tip' section='bar' material='steel' elements='4'/>"
      "<Sensor name='end' node='tip'/>{4}</Structure></Component>",
      name, step, from, kStock, more, attributes);
}

/// A cantilever of two halves with a line between them.
std::string halves(double left_step, double right_step, const std::string& load = kPush,
                   const std::string& attributes = "", double stop = 0.1) {
  return "<CompositeModel name='halves'><Components>" +
         half("left", 0.0, left_step, "<Support node='root'/><Interface name='seat' node='tip'/>", attributes) +
         half("right", 0.5, right_step, "<Interface name='seat' node='root'/>" + load, attributes) +
         fmt::format(
             "</Components><Connections><Connection name='joint' from='left.seat' to='right.seat' coupling='line' "
             "delay='2e-5' stiffness='2e9' stiffness_rotation='2e7'/></Connections><Simulation stop='{}' "
             "write_interval='1e-3'/></CompositeModel>",
             stop);
}

/// In one piece, with the line's mass k T^2 in the middle.
std::string whole(const std::string& load = kPush) {
  return "<CompositeModel name='whole'><Components><Component name='bar' kind='structure' step='1e-5'><Structure>" +
         kStock +
         "<Node name='root' position='0, 0, 0'/><Node name='tip' position='1, 0, 0'/><Support node='root'/>"
         "<Beam name='bar1' from='root' to='tip' section='bar' material='steel' elements='8'/>"
         "<Sensor name='end' node='tip'/><PointMass node='bar1.node4' mass='0.8' inertia='8e-3, 8e-3, 8e-3'/>" +
         load + "</Structure></Component></Components><Simulation stop='0.1' write_interval='1e-3'/></CompositeModel>";
}

TEST(StructureOnALine, MovesAsTheWholeDoes) {
  const RunRecord joined = run_text(halves(1e-5, 1e-5)), one = run_text(whole());
  for (const char* axis : {"y", "z"}) {
    const auto& expected = one.values(fmt::format("bar.end.displacement.{}", axis));
    const auto& found = joined.values(fmt::format("right.end.displacement.{}", axis));
    ASSERT_EQ(found.size(), expected.size());
    const double size = largest_value(one, fmt::format("bar.end.displacement.{}", axis));
    // The line is a spring in series, 1e-3 of the bar's own compliance: half of that in frequency, over ten radians.
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-2 * size) << axis << i;
  }
}

// The means of steps carry exactly what the structures take and give; steps of other lengths average waves out.
TEST(StructureOnALine, EnergyOfTheLineBalances) {
  const RunRecord even = run_text(halves(1e-5, 1e-5));
  EXPECT_LT(even.connection("joint").energy_residual_relative, 1e-10);
  for (const auto& [left, right] : {std::pair{1e-5, 3e-6}, std::pair{2e-6, 1e-5}}) {
    const RunRecord uneven = run_text(halves(left, right));
    EXPECT_LT(uneven.connection("joint").energy_residual_relative, 2e-3);
    const double size = largest_value(even, "right.end.displacement.y");
    EXPECT_LT(largest_difference(even, uneven, "right.end.displacement.y"), 2e-3 * size);
  }
}

// Shocks excite all that the steps do not resolve; nothing may grow of it.
TEST(StructureOnALine, StaysStableWhateverTheSteps) {
  const std::string shock = "<Load node='tip' force='0, {100*step(t-0.005)}, 0' torque='0, {3*step(t-0.007)}, 0'/>";
  const RunRecord fine = run_text(halves(1e-6, 1e-6, shock, "", 0.3));
  for (const auto& [left, right] : {std::pair{1e-5, 1e-5}, std::pair{1e-5, 2.1e-6}, std::pair{3e-6, 1e-5}}) {
    const RunRecord run = run_text(halves(left, right, shock, "", 0.3));
    EXPECT_LT(largest_value(run, "right.end.displacement.y"), 1.05 * largest_value(fine, "right.end.displacement.y"));
    EXPECT_LT(largest_value(run, "right.energy.kinetic"), 1.2 * largest_value(fine, "right.energy.kinetic"));
  }
}

TEST(StructureOnALine, StartsInEquilibriumUndisturbed) {
  const RunRecord run = run_text(halves(1e-5, 5e-6, "", "start='equilibrium' gravity='0, 0, -9.81'", 0.02));
  const auto& sag = run.values("right.end.displacement.z");
  const double q = 9.81 * 7800 * std::numbers::pi * 4e-4, EI = 210e9 * std::numbers::pi / 4.0 * 1.6e-7;
  EXPECT_NEAR(sag.front(), -q / (8.0 * EI), 5e-3 * q / (8.0 * EI));
  for (const double value : sag) EXPECT_NEAR(value, sag.front(), 1e-9 * std::abs(sag.front()));
}

TEST(StructureOnALine, ResultsDoNotDependOnThreadsOrOrder) {
  const RunRecord one = run_text(halves(1e-5, 3e-6), {.threads = 1}),
                  four = run_text(halves(1e-5, 3e-6), {.threads = 4});
  EXPECT_TRUE(have_same_bits(one, four));
}

// A structure and a rigid body with a solver of its own: the body is carried as a point mass would be, with that of
// the line, 0.4 kg.
TEST(StructureOnALine, CarriesABody) {
  const std::string left = half("left", 0.0, 1e-5,
                                "<Support node='root'/><Interface name='seat' node='tip'/>"
                                "<Load node='tip' force='0, {100*smoothstep(t,0,0.01)}, 0'/>");
  const RunRecord joined = run_text(
      "<CompositeModel name='m'><Components>" + left +
      "<Component name='body' kind='multibody'><Placement position='0.5, 0, 0'/><Multibody><Body name='b' mass='3' "
      "inertia='0.01, 0.01, 0.01'/><Interface name='seat' frame='b'/></Multibody></Component></Components>"
      "<Connections><Connection from='left.seat' to='body.seat' coupling='line' delay='2e-5' stiffness='1e9' "
      "stiffness_rotation='1e7'/></Connections><Simulation stop='0.1' write_interval='1e-3'/></CompositeModel>");
  const RunRecord alone = run_text("<CompositeModel name='m'><Components>" +
                                   half("left", 0.0, 1e-5,
                                        "<Support node='root'/><PointMass node='tip' mass='3.4' inertia='0.014, "
                                        "0.014, 0.014'/><Load node='tip' force='0, {100*smoothstep(t,0,0.01)}, 0'/>") +
                                   "</Components><Simulation stop='0.1' write_interval='1e-3'/></CompositeModel>");
  const double size = largest_value(alone, "left.end.displacement.y");
  EXPECT_GT(size, 1e-4);
  EXPECT_LT(largest_difference(joined, alone, "left.end.displacement.y"), 0.02 * size);
}

}  // namespace structure_line_test
}  // namespace tieline::support
