#include "studies/advise.hpp"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <numbers>

#include "support/temporary_folder.hpp"

namespace tieline::studies {
namespace advise_test {

ModelAdvice advice_on(const std::filesystem::path& file) {
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(file, {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  const auto advice = advise(*checked, diagnostics);
  EXPECT_TRUE(advice.has_value()) << diagnostics.describe();
  return advice.value_or(ModelAdvice{});
}

TEST(Advise, KnowsTheTwoBodies) {
  const ModelAdvice advice = advice_on(TIELINE_SOURCE_DIR "/examples/two-bodies/two-bodies.xml");
  ASSERT_EQ(advice.connections.size(), 1U);
  ASSERT_TRUE(advice.connections[0].line.has_value());
  const coupling::LineAdvice& line = *advice.connections[0].line;
  EXPECT_NEAR(line.masses.from, 10.0, 1e-9);
  EXPECT_NEAR(line.masses.to, 5.0, 1e-9);
  EXPECT_NEAR(line.options[0].mass_ratio, 1e7 * 1e-10 / 5.0, 1e-12);
  EXPECT_TRUE(advice.connections[0].warnings.empty());

  ASSERT_EQ(advice.components.size(), 2U);
  // Body 1 on its spring and damper to the ground: k1 = 1e6, c1 = 1e3, m1 = 10; body 2 swings by itself on nothing.
  const double omega = std::sqrt(1e6 / 10.0 - std::pow(1e3 / 20.0, 2));
  ASSERT_EQ(advice.components[0].frequencies.size(), 1U);
  EXPECT_NEAR(advice.components[0].frequencies[0], omega / (2.0 * std::numbers::pi), 1e-6);
  EXPECT_TRUE(advice.components[1].frequencies.empty());
  // With the line body 2 feels Z = k T = 100 N s/m: an eigenvalue of -Z / m2 = -20 / s.
  EXPECT_NEAR(advice.components[1].explicit_step, 3.3 / 20.0, 1e-9);
  EXPECT_DOUBLE_EQ(advice.components[1].window, 0.5e-5);
  EXPECT_DOUBLE_EQ(advice.components[1].shortest_delay, 1e-5);
}

TEST(Advise, DistinguishesMasslessAndPrescribedEnds) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / "ends.xml";
  std::ofstream(file) << R"(<CompositeModel name="ends">
  <Components>
    <Component name="driven" kind="network"><Network>
      <Node name="hand"/> <Motion name="shake" node="hand" velocity="{sin(t)}"/> <Interface name="end" node="hand"/>
    </Network></Component>
    <Component name="light" kind="network"><Network>
      <Ground name="wall"/> <Node name="plate"/> <Damper name="oil" from="wall" to="plate" damping="3"/>
      <Interface name="end" node="plate"/>
    </Network></Component>
  </Components>
  <Connections>
    <Connection name="rod" from="driven.end" to="light.end" coupling="line" stiffness="1e4" delay="1e-3"/>
  </Connections>
  <Simulation start="0" stop="1"/>
</CompositeModel>)";
  const ModelAdvice advice = advice_on(file);
  ASSERT_TRUE(advice.connections.size() == 1 && advice.connections[0].line);
  EXPECT_TRUE(std::isinf(advice.connections[0].line->masses.from));
  EXPECT_EQ(advice.connections[0].line->masses.to, 0.0);
  EXPECT_TRUE(std::isnan(advice.connections[0].line->pair_frequency));
}

}  // namespace advise_test
}  // namespace tieline::studies
