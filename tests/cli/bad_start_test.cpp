#include <gtest/gtest.h>

#include "program.hpp"

namespace tieline::cli {
namespace bad_start_test {

// The right-hand side is not finite at the start; delays that no clock can
// count.
TEST(BadStart, IsAFailureThatNamesTheComponent) {
  const Workplace work;
  work.write("pole.xml", pair_model("{1/t}"));
  const Outcome outcome = work.tieline({"run", "pole.xml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("component 'left', t = 0 s"), std::string::npos) << outcome.err;
}

TEST(BadStart, RefusesMoreWindowsThanCanBeCounted) {
  const Workplace work;
  work.write("pair.xml", pair_model());
  const Outcome outcome = work.tieline({"run", "pair.xml", "--set", "T=1e-30"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("delay"), std::string::npos) << outcome.err;
}

}  // namespace bad_start_test
}  // namespace tieline::cli
