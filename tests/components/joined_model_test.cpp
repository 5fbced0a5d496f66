#include "components/joined_model.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "components/blocks/blocks.hpp"

namespace tieline::components {
namespace joined_model_test {

/// o = gain x + offset
std::unique_ptr<OdeModel> line(double gain, double offset) {
  BlocksSpec spec;
  spec.blocks.push_back({.name = "x", .kind = InputBlock{}});
  spec.blocks.push_back({.name = "c", .kind = ConstantBlock{offset}});
  spec.blocks.push_back({.name = "g", .kind = GainBlock{gain}, .inputs = {0}});
  spec.blocks.push_back({.name = "s", .kind = SumBlock{{1.0, 1.0}}, .inputs = {1, 2}});
  spec.outputs.push_back({"o", 3});
  return std::make_unique<Blocks>(std::move(spec));
}

/// Two lines that feed each other.
JoinedModel circle(double first, double second, double offset) {
  std::vector<std::unique_ptr<OdeModel>> members;
  members.push_back(line(first, offset));
  members.push_back(line(second, 0.0));
  return JoinedModel(std::move(members), {{0, 1, 1, 0, "there"}, {1, 1, 0, 0, "back"}});
}

double output(JoinedModel& model) {
  std::vector<PortOutput> outputs(model.ports().size());
  model.observe(0.0, wave::Side::right, {}, {}, outputs);
  return outputs[1].flow;
}

TEST(JoinedModel, SignalsSolveTheirEquations) {
  for (const auto& [first, second] : {std::pair{1.0, -2.0}, {1.0, 0.5}, {-30.0, 40.0}, {1e6, 1e3}}) {
    JoinedModel model = circle(first, second, 1.0);
    ASSERT_TRUE(model.begin(0.0)) << first;
    const double exact = 1.0 / (1.0 - first * second);
    // The output is 1 less something: it has the rounding of 1.
    EXPECT_NEAR(output(model), exact, 1e-12 * std::abs(exact) + 1e-15) << first << " and " << second;
    EXPECT_FALSE(model.failure());
  }
}

TEST(JoinedModel, WhatHasNoSolutionIsNamed) {
  JoinedModel model = circle(1.0, 1.0, 1.0);
  const auto started = model.begin(0.0);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("'back', 'there'"), std::string::npos) << started.error().message;
}

TEST(JoinedModel, PortsAreOneRowAndColumnsFollowTheMembers) {
  JoinedModel model = circle(1.0, -2.0, 1.0);
  ASSERT_EQ(model.ports().size(), 4U);
  EXPECT_EQ(model.ports_of(1).data(), model.ports().data() + 2);
  EXPECT_EQ(model.ports_of(1)[0].name, "x");
  EXPECT_EQ(model.first_column(1), 5U);
  EXPECT_EQ(model.columns().size(), 10U);
}

TEST(JoinedModel, SnapshotsKeepTheBits) {
  JoinedModel model = circle(-30.0, 40.0, 1.0);
  ASSERT_TRUE(model.begin(0.0));
  core::ArchiveWriter writer;
  model.save_modes(writer);
  const double kept = output(model);
  JoinedModel other = circle(-30.0, 40.0, 1.0);
  ASSERT_TRUE(other.begin(0.0));
  core::ArchiveReader reader(writer.bytes());
  other.restore_modes(reader);
  EXPECT_EQ(output(other), kept);
}

}  // namespace joined_model_test
}  // namespace tieline::components
