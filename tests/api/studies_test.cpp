#include "tieline/studies.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "api/pair.hpp"

namespace tieline::api {
namespace studies_test {

TEST(Advice, GivesWhatALineAdds) {
  const PairFolder work;
  const ModelAdvice advice = advise_on_delays(work.model());
  EXPECT_EQ(advice.duration, 0.02);
  ASSERT_EQ(advice.components.size(), 2U);
  EXPECT_EQ(advice.components[0].shortest_delay, 1e-4);
  ASSERT_EQ(advice.connections.size(), 1U);
  EXPECT_FALSE(advice.connections[0].rotates);
  ASSERT_TRUE(advice.connections[0].line);
  const LineAdvice& line = *advice.connections[0].line;
  EXPECT_EQ(line.delay, 1e-4);
  EXPECT_DOUBLE_EQ(line.mass_from, 2.0);
  EXPECT_DOUBLE_EQ(line.mass_to, 1.0);
  // Two masses on a spring: omega^2 = k (1/m1 + 1/m2).
  EXPECT_NEAR(line.pair_frequency, std::sqrt(1e6 * 1.5) / (2.0 * M_PI), 1e-6);
  ASSERT_FALSE(line.options.empty());
  EXPECT_NEAR(line.options.front().parasitic_mass, 1e6 * 1e-8, 1e-12);  // k T^2
  EXPECT_DOUBLE_EQ(line.stiffness, 1e6);
  EXPECT_DOUBLE_EQ(line.first_frequency, 0.5 / 1e-4);
  EXPECT_EQ(line.accuracy, 0.01);
  EXPECT_DOUBLE_EQ(line.recommended_delay, line.longest_delay);
  EXPECT_LT(advise_on_delays(work.model(), {}, 1e-3).connections[0].line->recommended_delay, line.recommended_delay);
  EXPECT_DOUBLE_EQ(advise_on_delays(work.model(), {{"m", "5"}}).connections[0].line->mass_from, 5.0);
}

TEST(NaturalModes, AreThoseOfStructures) {
  const auto modes = natural_modes(example("ladder-frame/whole.xml"), 8);
  ASSERT_FALSE(modes.empty());
  ASSERT_TRUE(modes.front().modes);
  ASSERT_EQ(modes.front().modes->size(), 8U);
  EXPECT_GT(modes.front().modes->front().frequency, 0.0);
  EXPECT_GT(modes.front().modes->back().frequency, modes.front().modes->front().frequency);
  EXPECT_NE(thrown<ModelError>([] { (void)natural_modes(example("ladder-frame/whole.xml"), 1, "nobody"); }), "");
}

TEST(Replay, GivesTheSameValues) {
  const PairFolder work;
  auto simulation = Simulation::load(work.model());
  simulation.record_to(work.path("out"));
  simulation.use_processes({.record_tracks = {"left"}});
  simulation.advance_to(simulation.stop_time());
  simulation.finish();
  const ReplayOutcome outcome = replay(work.path("out"), "left");
  EXPECT_EQ(outcome.node, "left");
  EXPECT_TRUE(outcome.is_whole);
  EXPECT_TRUE(outcome.has_same_values);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_FALSE(outcome.comparison.differences.empty());
  EXPECT_NE(thrown<std::out_of_range>([&] { (void)replay(work.path("out"), "lef"); }).find("did you mean 'left'?"),
            std::string::npos);
}

}  // namespace studies_test
}  // namespace tieline::api
