#include "transport/pause_watch.hpp"

#include <gtest/gtest.h>

namespace tieline::transport {
namespace pause_watch_test {

using std::chrono::milliseconds;

TEST(PauseWatch, SeesWhatIsLongerThanUsual) {
  PauseWatch watch;
  const auto begin = Clock::now();
  EXPECT_EQ(watch.look(begin), Clock::duration::zero());
  EXPECT_EQ(watch.look(begin + milliseconds(200)), Clock::duration::zero());
  EXPECT_EQ(watch.look(begin + milliseconds(5200)), milliseconds(5000));
  EXPECT_EQ(watch.look(begin + milliseconds(5400)), Clock::duration::zero());
}

TEST(PauseWatch, LeavesDeadlinesAloneThatNeverCome) {
  PauseWatch watch;
  auto never = Clock::time_point::max();
  (void)watch.look(Clock::now() - std::chrono::hours(1));
  watch.extend(never);
  EXPECT_EQ(never, Clock::time_point::max());
  auto soon = Clock::now();
  const auto before = soon;
  (void)watch.look(Clock::now() - std::chrono::hours(1));
  watch.extend(soon);
  EXPECT_GE(soon - before, std::chrono::hours(1));
}

}  // namespace pause_watch_test
}  // namespace tieline::transport
