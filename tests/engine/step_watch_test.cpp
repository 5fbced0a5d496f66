#include "engine/step_watch.hpp"

#include <gtest/gtest.h>

namespace tieline::engine {
namespace step_watch_test {

// The watch itself ends these waits: at its deadline, or when it hears of the other flag.
void wait_for(const StepWatch& watch) {
  while (!watch.flag().load()) std::this_thread::yield();
}

TEST(StepWatch, SetsItsFlagAfterTheDeadline) {
  StepWatch watch;
  watch.arm(nullptr, 1e9);
  EXPECT_FALSE(watch.flag().load());
  watch.arm(nullptr, 1e-3);
  wait_for(watch);
  EXPECT_TRUE(watch.has_expired());
  // The next step has time of its own.
  watch.arm(nullptr, 1e9);
  EXPECT_FALSE(watch.flag().load());
  EXPECT_FALSE(watch.has_expired());
  watch.disarm();
}

TEST(StepWatch, FollowsTheFlagOfTheRun) {
  std::atomic<bool> stop = false;
  StepWatch watch;
  {
    const WatchedScope scope(watch, &stop, 1e9);
    EXPECT_FALSE(watch.flag().load());
    stop = true;
    wait_for(watch);
    EXPECT_FALSE(watch.has_expired());
  }
  const WatchedScope scope(watch, &stop, 1e9);
  EXPECT_TRUE(watch.flag().load());
}

}  // namespace step_watch_test
}  // namespace tieline::engine
