#include "transport/bell.hpp"

#include <gtest/gtest.h>
#include <thread>

#include "transport/waiter.hpp"

namespace tieline::transport {
namespace bell_test {

using namespace std::chrono_literals;

TEST(Bell, EndsAWaitOfAnotherThread) {
  const Bell bell;
  Waiter waiter;
  const auto place = waiter.add(bell.waitable());
  EXPECT_EQ(*waiter.wait({Clock::now()}), Waiter::Outcome::deadline);
  std::thread other([&] { bell.ring(); });
  EXPECT_EQ(*waiter.wait(Until::in(100s)), Waiter::Outcome::ready);
  EXPECT_TRUE(waiter.is_ready(place));
  other.join();
}

TEST(Bell, IsSilencedOnceForAllRings) {
  const Bell bell;
  Waiter waiter;
  (void)waiter.add(bell.waitable());
  bell.silence();  // does not wait for a ring
  for (int i = 0; i < 3; ++i) bell.ring();
  EXPECT_EQ(*waiter.wait({Clock::now()}), Waiter::Outcome::ready);
  EXPECT_EQ(*waiter.wait({Clock::now()}), Waiter::Outcome::ready) << "until it is silenced";
  bell.silence();
  EXPECT_EQ(*waiter.wait({Clock::now()}), Waiter::Outcome::deadline);
}

}  // namespace bell_test
}  // namespace tieline::transport
