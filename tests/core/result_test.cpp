#include "core/result.hpp"

#include <gtest/gtest.h>

#include "core/article.hpp"
#include "core/domain.hpp"
#include "core/nearest_name.hpp"
#include "core/sampling.hpp"
#include "core/statistics.hpp"

namespace tieline::core {
namespace result_test {

TEST(Result, HoldsAValueOrAnError) {
  Result<int> good = 3;
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, 3);
  Result<int> bad = Error{.message = "no"};
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "no");
  Result<void> done;
  EXPECT_TRUE(done);
  Result<void> failed = Error{.message = "why"};
  EXPECT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "why");
}

TEST(Error, DescribesItsPlace) {
  EXPECT_EQ(Error{.message = "stopped"}.describe(), "stopped");
  const Error full{.message = "not finite", .component = "rotor", .port = "seat", .time = 0.125};
  EXPECT_EQ(full.describe(), "component 'rotor', port 'seat', t = 0.125 s: not finite");
  EXPECT_EQ((Error{.message = "late", .time = 2.0}.describe()), "t = 2 s: late");
}

TEST(NearestName, FindsSlipsAndNothingElse) {
  const std::vector<std::string> known{"stiffness", "damping", "delay"};
  EXPECT_EQ(nearest_name("stifness", known), "stiffness");
  EXPECT_EQ(nearest_name("dealy", known), "delay");
  EXPECT_EQ(nearest_name("temperature", known), "");
  EXPECT_EQ(nearest_name("delay", {}), "");
}

TEST(NearestName, IsNearRelativeToItsLength) {
  const std::vector<std::string> known{"h", "kp", "mass", "stiffness", "K"};
  EXPECT_EQ(nearest_name("v", known), "");
  EXPECT_EQ(nearest_name("k", known), "K");
  EXPECT_EQ(nearest_name("kx", known), "");
  EXPECT_EQ(nearest_name("h2", known), "h");
  EXPECT_EQ(nearest_name("pk", known), "kp");
  EXPECT_EQ(nearest_name("Kp", known), "kp");
  EXPECT_EQ(nearest_name("mas", known), "mass");
  EXPECT_EQ(nearest_name("base", known), "");
  EXPECT_EQ(nearest_name("stifnes", known), "stiffness");
  EXPECT_EQ(nearest_name("thickness", known), "");
}

TEST(Article, FollowsTheFirstLetter) {
  EXPECT_EQ(with_article("hydraulic"), "a hydraulic");
  EXPECT_EQ(with_article("electrical"), "an electrical");
  EXPECT_EQ(with_article("input"), "an input");
}

TEST(Names, OfDomainsAndSchedulesGoBothWays) {
  for (const auto name : all_domain_names()) EXPECT_EQ(names_of(*domain_from_name(name)).domain, name);
  EXPECT_FALSE(domain_from_name("magnetic").has_value());
  for (const auto name : all_extrapolation_names()) EXPECT_EQ(name_of(*extrapolation_from_name(name)), name);
  for (const auto name : all_schedule_names()) EXPECT_EQ(name_of(*schedule_from_name(name)), name);
  EXPECT_FALSE(schedule_from_name("random").has_value());
  EXPECT_EQ(names_of(Domain::rotation).effort, "torque");
  EXPECT_EQ(names_of(Domain::translation).effort_unit, "N");
}

TEST(Statistics, AddUp) {
  Statistics sum{.steps = 10, .rhs_calls = 60, .order_sum = 50.0};
  sum.add({.steps = 30, .rhs_calls = 40, .order_sum = 30.0, .seconds_rhs = 0.5});
  EXPECT_EQ(sum.steps, 40U);
  EXPECT_EQ(sum.rhs_calls, 100U);
  EXPECT_EQ(sum.mean_order(), 2.0);
  EXPECT_EQ(sum.seconds_rhs, 0.5);
  EXPECT_EQ(Statistics{}.mean_order(), 0.0);
}

}  // namespace result_test
}  // namespace tieline::core
