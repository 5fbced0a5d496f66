#include "lines/windows.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace tieline::lines {
namespace windows_test {

WindowRule rule_of(double stop, double tick, Tick save_interval = 0) {
  return {core::TimeGrid(0.0, stop, tick), save_interval};
}

TEST(WindowRule, EndsAtMultiplesOfTheLength) {
  const WindowRule rule = rule_of(10.0, 1.0);
  EXPECT_EQ(rule.next_bound(0, 3), 3);
  EXPECT_EQ(rule.next_bound(3, 3), 6);
  EXPECT_EQ(rule.next_bound(4, 3), 6);
  EXPECT_EQ(rule.next_bound(9, 3), 10);  // the stop
  EXPECT_EQ(rule.bound_from(6, 3), 6);
  EXPECT_EQ(rule.bound_from(7, 3), 9);
  EXPECT_EQ(rule.bound_from(-5, 3), 0);
}

TEST(WindowRule, EndsAtSavePoints) {
  const WindowRule rule = rule_of(20.0, 1.0, 5);
  std::vector<Tick> bounds{0};
  while (bounds.back() < 20) bounds.push_back(rule.next_bound(bounds.back(), 3));
  EXPECT_EQ(bounds, (std::vector<Tick>{0, 3, 5, 6, 9, 10, 12, 15, 18, 20}));
  EXPECT_TRUE(rule.is_save_point(10));
  EXPECT_FALSE(rule.is_save_point(9));
  EXPECT_FALSE(rule_of(20.0, 1.0).is_save_point(10));
  EXPECT_EQ(rule.next_save_point(4), 5);
  EXPECT_EQ(rule.next_save_point(5), 10);
  EXPECT_EQ(rule_of(18.0, 1.0, 5).next_save_point(16), 18);  // the stop
  EXPECT_EQ(rule_of(20.0, 1.0).next_save_point(4), 20);
}

TEST(WindowRule, LocatesTimesOnTheSchedule) {
  const WindowRule rule = rule_of(0.95, 0.1);
  EXPECT_EQ(rule.locate(0.3).tick, 3);
  EXPECT_EQ(rule.locate(0.3).time, rule.grid.time(3));  // a rounding away from 0.3
  EXPECT_EQ(rule.locate(0.31).tick, 3);
  EXPECT_EQ(rule.locate(0.31).time, 0.31);
  EXPECT_EQ(rule.locate(0.29).tick, 2);
  EXPECT_EQ(rule.locate(0.92).tick, 9);
  EXPECT_EQ(rule.locate(0.95).tick, rule.grid.stop_tick());
  EXPECT_EQ(rule.locate(0.95).time, 0.95);
}

TEST(WindowRule, AnInterruptionCutsWindows) {
  WindowRule rule = rule_of(20.0, 1.0);
  rule.interruption = {9, 9.5};
  // Of what begins before it, no more is certain than that it has come so far.
  EXPECT_EQ(rule.bound_from(9, 4), 9);
  EXPECT_EQ(rule.bound_from(7, 4), 8);
  EXPECT_EQ(rule.bound_from(10, 4), 12);
  EXPECT_EQ(rule.next_bound(9, 4), 12);
  EXPECT_EQ(rule.next_bound(9, 1), 10);
  EXPECT_EQ(rule.time(9), 9.5);
  EXPECT_EQ(rule.time(8), 8.0);
  EXPECT_EQ(rule.time(10), 10.0);
}

RC_GTEST_PROP(WindowRuleProperty, BoundsAdvanceAndCoverTheRun, ()) {
  const Tick stop = *rc::gen::inRange<Tick>(1, 500);
  const Tick length = *rc::gen::inRange<Tick>(1, 60);
  const Tick save = *rc::gen::inRange<Tick>(0, 40);
  const WindowRule rule = rule_of(static_cast<double>(stop), 1.0, save);
  Tick now = 0;
  while (now < stop) {
    const Tick next = rule.next_bound(now, length);
    RC_ASSERT(next > now);
    RC_ASSERT(next - now <= length);
    RC_ASSERT(next <= stop);
    if (save > 0) RC_ASSERT(next / save == now / save || next % save == 0);
    RC_ASSERT(rule.bound_from(next, length) == next);
    now = next;
  }
}

TEST(ScheduledDelay, MapsBoundsToBoundsByIntegers) {
  // In floating point 3 * 0.1 + 0.7 and 10 * 0.1 differ.
  const core::TimeGrid grid(0.0, 100.0, 0.1);
  const ScheduledDelay delay(grid, 0.7);
  EXPECT_TRUE(delay.is_exact);
  EXPECT_EQ(delay.floor_ticks, 7);
  for (Tick tick = 0; tick < 500; ++tick) {
    EXPECT_EQ(delay.arrival(grid, tick, grid.time(tick)), grid.time(tick + 7)) << tick;
  }
}

TEST(ScheduledDelay, OffTheGridIsAddedAsItIs) {
  const core::TimeGrid grid(0.0, 100.0, 0.1);
  const ScheduledDelay delay(grid, 0.75);
  EXPECT_FALSE(delay.is_exact);
  EXPECT_EQ(delay.floor_ticks, 7);
  EXPECT_EQ(delay.arrival(grid, 3, grid.time(3)), grid.time(3) + 0.75);
}

// Otherwise the last window would ask for a time that is known only where the sender happens to be ahead.
TEST(ScheduledDelay, TheStopIsReachedExactly) {
  const core::TimeGrid grid(0.0, 1.65e-3, 1.5e-4);
  ASSERT_EQ(grid.stop_tick(), 11);
  ASSERT_LT(11 * 1.5e-4, 1.65e-3);
  const ScheduledDelay delay(grid, 3e-4);
  EXPECT_EQ(delay.arrival(grid, 9, grid.time(9)), 1.65e-3);
}

RC_GTEST_PROP(ScheduledDelay, NeverArrivesBeforeTheTicksThatItIsCountedFor, ()) {
  const double tick_length = 1e-6 * *rc::gen::inRange(1, 1000);
  const core::TimeGrid grid(0.1 * *rc::gen::inRange(-3, 4), 1e6, tick_length);
  const double share = 1e-9 * *rc::gen::inRange(0, 20) + 1e-3 * *rc::gen::inRange(0, 1000);
  const ScheduledDelay delay(grid, tick_length * (*rc::gen::inRange(1, 50) + share));
  const Tick tick = *rc::gen::inRange(0, 2'000'000'000);
  RC_ASSERT(delay.arrival(grid, tick, grid.time(tick)) >= grid.time(tick + delay.floor_ticks));
}

TEST(ScheduledDelay, StopBetweenTicksIsNotATick) {
  const core::TimeGrid grid(0.0, 0.55, 0.1);
  const ScheduledDelay delay(grid, 0.2);
  EXPECT_EQ(grid.stop_tick(), 6);
  EXPECT_EQ(delay.arrival(grid, 6, grid.time(6)), 0.55 + 0.2);
}

}  // namespace windows_test
}  // namespace tieline::lines
