#include <gtest/gtest.h>

#include "components/network/flow_balance.hpp"

namespace tieline::components {
namespace network_flow_balance_test {

TEST(FlowBalance, JoinedNodesShareABlockAndSatisfyTheBalance) {
  // 0 known; 1-2-3 in a row of dampers from 0; 4 alone on an impedance; 5 known, joined to 3.
  const std::vector<int> unknown{4, 1, 2, 3};
  const std::vector<FlowBalance::Link> links{{0, 1}, {1, 2}, {3, 2}, {3, 5}};
  const std::vector<double> damping{2.0, 3.0, 5.0, 7.0};
  const std::vector<double> impedance{0.0, 0.5, 0.0, 1.5, 4.0, 0.0};
  const std::vector<double> drive{9.0, 1.0, -2.0, 3.0, 8.0, 9.0};
  std::vector<double> v{0.3, 0.0, 0.0, 0.0, 0.0, -0.6};
  FlowBalance balance;
  balance.build(6, unknown, links);
  ASSERT_TRUE(balance.factor(damping, impedance));
  balance.solve(damping, drive, v);
  EXPECT_NEAR(drive[1] + 2.0 * (v[0] - v[1]) + 3.0 * (v[2] - v[1]) - 0.5 * v[1], 0.0, 1e-14);
  EXPECT_NEAR(drive[2] + 3.0 * (v[1] - v[2]) + 5.0 * (v[3] - v[2]), 0.0, 1e-14);
  EXPECT_NEAR(drive[3] + 5.0 * (v[2] - v[3]) + 7.0 * (v[5] - v[3]) - 1.5 * v[3], 0.0, 1e-14);
  EXPECT_DOUBLE_EQ(v[4], 2.0);
  EXPECT_EQ(v[0], 0.3);
  EXPECT_EQ(v[5], -0.6);
}

TEST(FlowBalance, SaysWhereAFlowIsNotDetermined) {
  FlowBalance balance;
  balance.build(2, std::vector<int>{0, 1}, std::vector<FlowBalance::Link>{{0, 1}});
  const std::vector<double> damping{1.0};
  EXPECT_FALSE(balance.factor(damping, std::vector<double>{0.0, 0.0}));
  EXPECT_TRUE(balance.factor(damping, std::vector<double>{0.0, 1.0}));
  balance.build(1, std::vector<int>{0}, {});
  EXPECT_FALSE(balance.factor({}, std::vector<double>{0.0}));
}

}  // namespace network_flow_balance_test
}  // namespace tieline::components
