#include "wave/ring.hpp"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace tieline::wave {
namespace ring_test {

// Whatever is appended and dropped, in any order, a ring holds what a queue would.
RC_GTEST_PROP(Ring, HoldsWhatAQueueHolds, ()) {
  Ring<int> ring;
  std::deque<int> queue;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
  for (const int step : steps) {
    if (step < 70) {
      ring.append() = step;
      queue.push_back(step);
    } else {
      const auto count = std::min(queue.size(), static_cast<std::size_t>(step - 70));
      ring.pop_front(count);
      queue.erase(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(count));
    }
    RC_ASSERT(ring.size() == queue.size());
    for (std::size_t i = 0; i < queue.size(); ++i) RC_ASSERT(ring[i] == queue[i]);
  }
}

TEST(Ring, TakesGivenValues) {
  Ring<int> ring;
  ring.append() = 7;
  const std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  ring.assign(values);
  ASSERT_EQ(ring.size(), values.size());
  EXPECT_EQ(ring.front(), 1);
  EXPECT_EQ(ring.back(), 10);
  ring.clear();
  EXPECT_TRUE(ring.empty());
}

}  // namespace ring_test
}  // namespace tieline::wave
