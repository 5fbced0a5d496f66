#include "engine/group.hpp"

#include <gtest/gtest.h>

#include "engine/scripted_component.hpp"

namespace tieline::engine {
namespace group_test {

/// Two members that send each other a signal.
struct PairOfMembers {
  explicit PairOfMembers(GroupOptions options, double step_a, double step_b,
                         core::Extrapolation extrapolation = core::Extrapolation::hold) {
    auto first = std::make_unique<ScriptedComponent>("a", 1, 1, step_a);
    auto second = std::make_unique<ScriptedComponent>("b", 1, 1, step_b);
    a = first.get();
    b = second.get();
    b->value = [](double t) { return 100.0 + t; };
    std::vector<std::unique_ptr<core::Component>> members;
    members.push_back(std::move(first));
    members.push_back(std::move(second));
    std::vector<GroupLink> links(2);
    links[0] = {.name = "ab",
                .member_a = 0,
                .member_b = 1,
                .port_a = &a->port("out0"),
                .port_b = &b->port("in0"),
                .extrapolation = extrapolation};
    links[1] = {.name = "ba",
                .member_a = 1,
                .member_b = 0,
                .port_a = &b->port("out0"),
                .port_b = &a->port("in0"),
                .extrapolation = extrapolation};
    group = std::make_unique<Group>("a+b", std::move(members), std::move(links), options);
    EXPECT_TRUE(group->start(0.0));
  }
  void advance(double begin, double end, bool is_save_point = false) {
    EXPECT_TRUE(group->advance({.begin = begin, .end = end, .horizon = end, .is_save_point = is_save_point}));
  }

  ScriptedComponent* a = nullptr;
  ScriptedComponent* b = nullptr;
  std::unique_ptr<Group> group;
};

TEST(Group, TheOneFurthestBehindStepsNext) {
  PairOfMembers pair({}, 0.25, 0.5);
  pair.advance(0.0, 1.0);
  EXPECT_EQ(pair.a->steps, (std::vector<double>{0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(pair.b->steps, (std::vector<double>{0.5, 1.0}));
  EXPECT_EQ(pair.group->time(), 1.0);
  // a first (lower number), then b sees a's 0.25 and a sees b's 0 until b has stepped.
  EXPECT_EQ(pair.a->seen[0][0], 100.0);
  EXPECT_EQ(pair.b->seen[0][0], 0.25);
  // Then a is behind: it interpolates between b's 0 and 0.5, holding the earlier value.
  EXPECT_EQ(pair.a->seen[1][0], 100.0);
  EXPECT_EQ(pair.a->seen[2][0], 100.5);
}

TEST(Group, JacobiUsesValuesOfTheStepsStart) {
  PairOfMembers pair({core::Schedule::jacobi, 0.5}, 10.0, 10.0);
  pair.advance(0.0, 1.0);
  EXPECT_EQ(pair.a->steps, (std::vector<double>{0.5, 1.0}));
  EXPECT_EQ(pair.a->seen[0][0], 100.0);
  EXPECT_EQ(pair.b->seen[0][0], 0.0);
  EXPECT_EQ(pair.a->seen[1][0], 100.5);
  EXPECT_EQ(pair.b->seen[1][0], 0.5);
}

TEST(Group, GaussSeidelSeesWhoCameBefore) {
  PairOfMembers pair({core::Schedule::gauss_seidel, 0.5}, 10.0, 10.0, core::Extrapolation::linear);
  pair.advance(0.0, 1.0);
  EXPECT_DOUBLE_EQ(pair.b->seen[0][0], 0.5);  // a has published it
  EXPECT_DOUBLE_EQ(pair.b->seen[1][0], 1.0);
  EXPECT_DOUBLE_EQ(pair.a->seen[1][0], 101.0);  // extrapolated from 100 and 100.5
}

TEST(Group, MacroStepsCountFromTheStartWhateverTheWindows) {
  PairOfMembers pair({core::Schedule::jacobi, 0.4}, 10.0, 10.0);
  pair.advance(0.0, 0.5);
  pair.advance(0.5, 1.0);
  pair.advance(1.0, 1.3);
  EXPECT_EQ(pair.a->steps, (std::vector<double>{0.4, 0.5, 2 * 0.4, 1.0, 3 * 0.4, 1.3}));
}

TEST(Group, StartsUntilItsOutputsHaveSettled) {
  PairOfMembers pair({}, 0.5, 0.5);
  EXPECT_GE(pair.a->starts, 2);
  EXPECT_EQ(pair.a->port("in0").w(0.0, wave::Side::right).value, 100.0);
  EXPECT_EQ(pair.b->port("in0").w(0.0, wave::Side::right).value, 0.0);
}

TEST(Group, NamesTheMemberThatCannotBeSaved) {
  PairOfMembers pair({}, 0.5, 0.5);
  EXPECT_TRUE(pair.group->capabilities().can_snapshot);
  pair.b->is_copyable = false;
  const core::Capabilities can = pair.group->capabilities();
  EXPECT_FALSE(can.can_snapshot);
  EXPECT_NE(can.snapshot_obstacle.find("member 'b': the script forbids it"), std::string::npos);
}

TEST(Group, PassesOnAnErrorOfAMember) {
  PairOfMembers pair({core::Schedule::jacobi, 0.5}, 10.0, 10.0);
  pair.b->fails_at = 0.75;
  auto outcome = pair.group->advance({.begin = 0.0, .end = 1.0, .horizon = 1.0});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().component, "b");
}

TEST(Group, ContinuesFromASnapshot) {
  for (const auto& options : {GroupOptions{}, GroupOptions{core::Schedule::gauss_seidel, 0.4}}) {
    PairOfMembers first(options, 0.3, 0.2, core::Extrapolation::linear);
    first.advance(0.0, 1.0);
    core::ArchiveWriter writer;
    ASSERT_TRUE(first.group->save(writer));
    PairOfMembers second(options, 0.3, 0.2, core::Extrapolation::linear);
    core::ArchiveReader reader(writer.bytes());
    ASSERT_TRUE(second.group->restore(reader));
    EXPECT_TRUE(reader.at_end());
    first.a->steps.clear(), first.a->seen.clear();
    first.advance(1.0, 2.0);
    second.advance(1.0, 2.0);
    EXPECT_EQ(first.a->steps, second.a->steps);
    EXPECT_EQ(first.a->seen, second.a->seen);
  }
}

}  // namespace group_test
}  // namespace tieline::engine
