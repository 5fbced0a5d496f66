#include "coupling/point_sets.hpp"

#include <gtest/gtest.h>

namespace tieline::coupling {
namespace point_sets_test {

using Eigen::Vector3d;

TEST(PointSets, PairsCoincidingPointsInAnyOrder) {
  const std::vector<Vector3d> from{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, to{{2, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  std::string problem;
  const auto pairs = pair_points(from, to, problem);
  ASSERT_TRUE(pairs);
  ASSERT_EQ(pairs->size(), 3U);
  for (const PointPair& pair : *pairs) {
    ASSERT_EQ(pair.to.size(), 1U);
    EXPECT_EQ(from[static_cast<std::size_t>(pair.from[0].index)], to[static_cast<std::size_t>(pair.to[0].index)]);
  }
}

TEST(PointSets, InterpolatesLinearMotionExactly) {
  std::vector<Vector3d> few, many;
  for (int i = 0; i < 4; ++i) few.push_back({0.3 * i, 0.1 * i, 0.0});
  for (int i = 0; i < 11; ++i) many.push_back({0.09 * i, 0.03 * i, 0.0});
  const auto motion = [](const Vector3d& x) { return Vector3d(1.0 - x.y(), 2.0 + 3.0 * x.x(), 0.5 * x.x()); };
  for (const bool is_from_smaller : {true, false}) {
    std::string problem;
    const auto pairs = pair_points(is_from_smaller ? few : many, is_from_smaller ? many : few, problem);
    ASSERT_TRUE(pairs) << problem;
    ASSERT_EQ(pairs->size(), few.size());
    for (const PointPair& pair : *pairs) {
      const auto& single = is_from_smaller ? pair.from : pair.to;
      const auto& mean = is_from_smaller ? pair.to : pair.from;
      ASSERT_EQ(single.size(), 1U);
      Vector3d sum = Vector3d::Zero();
      double weights = 0.0;
      for (const WeightedPoint& point : mean) {
        sum += point.weight * motion(many[static_cast<std::size_t>(point.index)]);
        weights += point.weight;
      }
      EXPECT_NEAR(weights, 1.0, 1e-12);
      EXPECT_LT((sum - motion(few[static_cast<std::size_t>(single[0].index)])).norm(), 1e-12);
    }
  }
}

TEST(PointSets, RefusesPointsThatAreNotAmongTheOthers) {
  const std::vector<Vector3d> line{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, off{{0, 0, 0}, {1, 0.2, 0}};
  std::string problem;
  EXPECT_FALSE(pair_points(off, line, problem));
  EXPECT_NE(problem.find("point 2 of the set with 2 points"), std::string::npos) << problem;
}

}  // namespace point_sets_test
}  // namespace tieline::coupling
