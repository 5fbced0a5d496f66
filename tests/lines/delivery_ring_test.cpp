#include "lines/delivery_ring.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace tieline::lines {
namespace delivery_ring_test {

TEST(DeliveryRing, GivesBackInOrder) {
  DeliveryRing ring(2);
  EXPECT_EQ(ring.capacity(), 2U);
  EXPECT_EQ(ring.front(), nullptr);
  for (const Tick tick : {1, 2}) {
    Delivery* slot = ring.begin_push();
    ASSERT_NE(slot, nullptr);
    slot->end_tick = tick;
    ring.end_push();
  }
  EXPECT_EQ(ring.begin_push(), nullptr);  // full
  EXPECT_EQ(ring.front()->end_tick, 1);
  ring.pop();
  EXPECT_EQ(ring.front()->end_tick, 2);
  ring.pop();
  EXPECT_EQ(ring.front(), nullptr);
}

TEST(DeliveryRing, IsNotSeenBeforeThePushEnds) {
  DeliveryRing ring(2);
  ring.begin_push()->end_tick = 7;
  EXPECT_EQ(ring.front(), nullptr);
  ring.end_push();
  EXPECT_EQ(ring.front()->end_tick, 7);
}

TEST(DeliveryRing, KeepsTheMemoryOfItsSlots) {
  DeliveryRing ring(1);
  const wave::Knot* memory = nullptr;
  for (int i = 0; i < 6; ++i) {
    Delivery* slot = ring.begin_push();
    EXPECT_TRUE(slot->knots.empty());
    slot->knots.resize(100);
    if (i == 2) memory = slot->knots.data();
    if (i == 4) {
      EXPECT_EQ(slot->knots.data(), memory);  // two slots: every other one
    }
    ring.end_push();
    ring.pop();
  }
}

TEST(DeliveryRing, CarriesEverythingBetweenTwoThreads) {
  constexpr Tick kCount = 20000;
  DeliveryRing ring(3);
  std::thread sender([&] {
    for (Tick tick = 1; tick <= kCount;) {
      Delivery* slot = ring.begin_push();
      if (slot == nullptr) {
        std::this_thread::yield();
        continue;
      }
      slot->end_tick = tick;
      slot->knots.assign(static_cast<std::size_t>(tick % 5), wave::Knot{.t = static_cast<double>(tick)});
      ring.end_push();
      ++tick;
    }
  });
  Tick expected = 1;
  bool is_whole = true;
  while (expected <= kCount) {
    Delivery* delivery = ring.front();
    if (delivery == nullptr) {
      std::this_thread::yield();
      continue;
    }
    is_whole = is_whole && delivery->end_tick == expected &&
               delivery->knots.size() == static_cast<std::size_t>(expected % 5) &&
               (delivery->knots.empty() || delivery->knots.back().t == static_cast<double>(expected));
    ring.pop();
    ++expected;
  }
  sender.join();
  EXPECT_TRUE(is_whole);
  EXPECT_EQ(ring.front(), nullptr);
}

}  // namespace delivery_ring_test
}  // namespace tieline::lines
