#include "assembly/variables.hpp"

#include <gtest/gtest.h>

namespace tieline::assembly {
namespace variables_test {

using Columns = std::vector<core::Column>;

TEST(VariableIndex, FindsColumnsOfOwners) {
  VariableIndex index;
  const Columns columns{{"body.position", "m"}, {"body.velocity", "m/s"}};
  index.add("mass1", columns, {.component = 1});
  index.add("mass0", columns, {.component = 0});
  const auto found = index.find("mass0.body.velocity");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->component, 0);
  EXPECT_EQ(found->column, 1);
  for (const char* name : {"mass0", "mass0.", "mass0.body", "mass2.body.position", "", "."}) {
    EXPECT_FALSE(index.find(name)) << name;
  }
}

TEST(VariableIndex, OwnersAndColumnsMayContainDots) {
  VariableIndex index;
  index.add("car", Columns{{"wheel.angle", "rad"}}, {.component = 0});
  index.add("car.wheel", Columns{{"torque", "N m"}}, {.component = 1});
  index.add("connections.a.b", Columns{{"energy", "J"}}, {.connection = 2});
  EXPECT_EQ(index.find("car.wheel.angle")->component, 0);
  EXPECT_EQ(index.find("car.wheel.torque")->component, 1);
  EXPECT_EQ(index.find("connections.a.b.energy")->connection, 2);
  EXPECT_EQ(index.names(), (std::vector<std::string>{"car.wheel.angle", "car.wheel.torque", "connections.a.b.energy"}));
}

}  // namespace variables_test
}  // namespace tieline::assembly
