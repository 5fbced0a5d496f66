#include "coupling/layer_plan.hpp"

#include <gtest/gtest.h>

namespace tieline::coupling {
namespace layer_plan_test {

using Order = LayerEdge::Order;

LayerPlan plan(std::vector<double> steps, const std::vector<LayerEdge>& edges) {
  std::vector<LayerMember> members;
  for (const double step : steps) members.push_back({step});
  return plan_layers(members, edges);
}

TEST(LayerPlan, ControlStepsOfATrainComeOutByThemselves) {
  // Vehicle, track and airflow as in [Zou2016] 5.2.
  const LayerPlan train = plan({5e-5, 5e-5, 2e-3}, {{0, 1}, {0, 2}});
  ASSERT_EQ(train.layers.size(), 2U);
  EXPECT_EQ(train.layers[0].control_step, 5e-5);
  EXPECT_EQ(train.layers[0].members, (std::vector<int>{0, 1}));
  EXPECT_EQ(train.layers[1].control_step, 2e-3);
  ASSERT_EQ(train.clusters.size(), 2U);
  EXPECT_EQ(train.clusters[0].members, (std::vector<int>{0, 1}));
  EXPECT_EQ(train.clusters[1].control_step, 2e-3);
  ASSERT_EQ(train.clusters[1].units.size(), 2U);
  EXPECT_EQ(train.clusters[1].units[0].cluster, 0);
  EXPECT_EQ(train.clusters[1].units[1].member, 2);
  EXPECT_LT(train.clusters[1].units[0].stage, train.clusters[1].units[1].stage);
}

TEST(LayerPlan, StepsThatDifferByRoundingAreOneLayer) { EXPECT_EQ(plan({0.3, 0.1 + 0.2}, {{0, 1}}).layers.size(), 1U); }

TEST(LayerPlan, WhoChoosesItsStepsJoinsItsFastestNeighbour) {
  const LayerPlan chosen = plan({0.0, 1e-3, 1e-2}, {{0, 1}, {0, 2}});
  EXPECT_EQ(chosen.layer_of, (std::vector<std::size_t>{0, 0, 1}));
  const LayerPlan none = plan({0.0, 0.0}, {{0, 1}});
  ASSERT_EQ(none.clusters.size(), 1U);
  EXPECT_EQ(none.clusters[0].control_step, 0.0);
}

TEST(LayerPlan, StatedOrdersComeBeforeSpeed) {
  const auto stages = [](Order order) {
    const LayerPlan pair = plan({1e-3, 1e-2}, {{0, 1, true, order}});
    const LayerCluster& all = pair.clusters.back();
    std::vector<std::size_t> by_member(2);
    for (const LayerUnit& unit : all.units) by_member[static_cast<std::size_t>(unit.member)] = unit.stage;
    return by_member;
  };
  EXPECT_EQ(stages(Order::unstated), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(stages(Order::from_first), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(stages(Order::to_first), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(stages(Order::together), (std::vector<std::size_t>{0, 0}));
}

TEST(LayerPlan, SendersOfSignalsGoFirstUnlessTheyAreInALoop) {
  const LayerPlan chain = plan({1e-3, 1e-3, 1e-3}, {{2, 1, false}, {1, 0, false}});
  const LayerCluster& all = chain.clusters.back();
  EXPECT_FALSE(all.has_waiting_units);
  for (const LayerUnit& unit : all.units) EXPECT_EQ(unit.stage, static_cast<std::size_t>(2 - unit.member));
  EXPECT_TRUE(plan({1e-3, 1e-3}, {{0, 1, false}, {1, 0, false}}).clusters.back().has_waiting_units);
}

TEST(LayerPlan, ClustersThatDoNotNeedEachOtherAreApart) {
  // Two fast pairs, each joined to one slow member; members of a long chain wait for their neighbours only.
  const LayerPlan pairs = plan({1e-4, 1e-4, 1e-4, 1e-4, 1e-2}, {{0, 1}, {2, 3}, {0, 4}, {2, 4}});
  ASSERT_EQ(pairs.clusters.size(), 3U);
  EXPECT_EQ(pairs.clusters[2].units.size(), 3U);
  EXPECT_EQ(pairs.clusters[2].stages[0].size(), 2U);
  std::vector<LayerEdge> edges;
  for (int m = 0; m + 1 < 100; ++m) edges.push_back({m, m + 1});
  const LayerPlan chain = plan(std::vector<double>(100, 1e-3), edges);
  EXPECT_EQ(chain.clusters.back().stages.size(), 2U);
  EXPECT_EQ(chain.clusters.back().stages[0].size(), 50U);
}

TEST(LayerPlan, LayersNest) {
  const LayerPlan nested = plan({1e-4, 1e-4, 1e-3, 1e-2}, {{0, 1}, {1, 2}, {2, 3}});
  ASSERT_EQ(nested.clusters.size(), 3U);
  EXPECT_EQ(nested.clusters[1].units[0].cluster, 0);
  EXPECT_EQ(nested.clusters[2].units[0].cluster, 1);
  EXPECT_EQ(nested.clusters[2].units[0].members, (std::vector<int>{0, 1, 2}));
}

}  // namespace layer_plan_test
}  // namespace tieline::coupling
