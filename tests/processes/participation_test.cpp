#include "processes/participation.hpp"

#include <gtest/gtest.h>

namespace tieline::processes {
namespace participation_test {

TEST(Standings, NameWhoHoldsOthersUp) {
  EXPECT_EQ(describe_standings({{"idle", "", true}, {"wall", "rod"}, {"rod", "tool"}, {"busy", ""}, {"tool", ""}}),
            "'tool' computes; 'wall' waits for 'rod'; 'rod' waits for 'tool'");
}

TEST(Standings, NameAllThatComputeWhereNobodyWaits) {
  EXPECT_EQ(describe_standings({{"a", ""}, {"done", "", true}, {"b", ""}}), "'a' computes; 'b' computes");
}

TEST(Standings, NameARingOfThoseThatWait) {
  EXPECT_EQ(describe_standings({{"a", "b"}, {"b", "a"}, {"c", "", true}}), "'a' waits for 'b'; 'b' waits for 'a'");
}

TEST(Standings, AreFew) {
  std::vector<Standing> all{{"tool", ""}};
  for (int i = 0; i < 100; ++i) all.push_back({"n" + std::to_string(i), "tool"});
  EXPECT_EQ(describe_standings(all),
            "'tool' computes; 'n0' waits for 'tool'; 'n1' waits for 'tool'; 'n2' waits for 'tool'; 'n3' waits for "
            "'tool'; 'n4' waits for 'tool'; and 95 more");
}

}  // namespace participation_test
}  // namespace tieline::processes
