// What a component publishes, and when.

#include "components/ode_component.hpp"

#include <atomic>
#include <cmath>
#include <gtest/gtest.h>

#include "components/blocks/blocks.hpp"

namespace tieline::components {
namespace ode_component_test {

/// A gain with one input and one output, both connected.
struct Follower {
  explicit Follower(double gain) {
    BlocksSpec spec;
    spec.blocks.push_back({"u", InputBlock{}, {}});
    spec.blocks.push_back({"g", GainBlock{gain}, {0}});
    spec.outputs.push_back({"y", 1});
    component = std::make_unique<OdeComponent>("f", std::make_unique<Blocks>(spec), SolverChoice{});
    for (core::Port& port : component->ports()) port.is_connected = true;
  }
  [[nodiscard]] wave::Track& input() { return component->ports()[0].incoming; }
  [[nodiscard]] std::vector<wave::Sample>& published() { return component->ports()[1].outbox; }
  /// Values of the samples at a time, in their order.
  [[nodiscard]] std::vector<double> published_at(double t) {
    std::vector<double> values;
    for (const wave::Sample& sample : published()) {
      if (sample.t == t) values.push_back(sample.flow);
    }
    return values;
  }
  void advance(double begin, double end) {
    const auto advanced = component->advance({.begin = begin, .end = end, .horizon = end});
    EXPECT_TRUE(advanced) << advanced.error().describe();
  }

  std::unique_ptr<OdeComponent> component;
};

TEST(OdeComponent, StopsOnRequestWithinAWindow) {
  Follower follower(2.0);
  follower.input().push({0.0, 0.0, 1.0, 0.0});
  follower.input().push({1.0, 0.0, 1.0, 0.0});
  ASSERT_TRUE(follower.component->start(0.0));
  const std::atomic<bool> cancel = true;
  const auto stopped = follower.component->advance({.begin = 0.0, .end = 1.0, .horizon = 1.0, .cancel = &cancel});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, core::ErrorCode::cancelled);
  EXPECT_LT(follower.component->time(), 1.0);
}

// The right side of a break at a window's end may come with the sender's next window or earlier: what is published in
// the window must not depend on it.
TEST(OdeComponent, ABreakAtAWindowsEndIsPublishedWithTheNextWindow) {
  for (const bool comes_early : {false, true}) {
    Follower follower(2.0);
    follower.input().push({0.0, 0.0, 1.0, 0.0});
    follower.input().push({1.0, 0.0, 1.0, 0.0});
    const auto come = [&] {
      follower.input().push({1.0, 0.0, 5.0, 0.0});
      follower.input().push({2.0, 0.0, 5.0, 0.0});
    };
    if (comes_early) come();
    ASSERT_TRUE(follower.component->start(0.0));
    follower.published().clear();
    follower.advance(0.0, 1.0);
    EXPECT_EQ(follower.published_at(1.0), std::vector<double>{2.0});
    if (!comes_early) come();
    follower.published().clear();
    follower.advance(1.0, 2.0);
    EXPECT_EQ(follower.published_at(1.0), std::vector<double>{10.0});
    EXPECT_EQ(follower.published_at(2.0), std::vector<double>{10.0});
  }
}

TEST(OdeComponent, ABreakWithinAWindowIsPublishedFromBothSides) {
  Follower follower(2.0);
  for (const double value : {1.0, 5.0}) {
    follower.input().push({value == 1.0 ? 0.0 : 0.3, 0.0, value, 0.0});
    follower.input().push({value == 1.0 ? 0.3 : 1.0, 0.0, value, 0.0});
  }
  ASSERT_TRUE(follower.component->start(0.0));
  follower.published().clear();
  follower.advance(0.0, 1.0);
  EXPECT_EQ(follower.published_at(0.3), (std::vector<double>{2.0, 10.0}));
  EXPECT_EQ(follower.published_at(1.0), std::vector<double>{10.0});
}

TEST(OdeComponent, AsksNothingBeyondWhatIsKnown) {
  Follower follower(1.0);
  follower.input().push({0.0, 0.0, 1.0, 0.0});
  follower.input().push({1.0, 0.0, 1.0, 0.0});
  ASSERT_TRUE(follower.component->start(0.0));
  const double beyond = std::nextafter(1.0, 2.0);
  const auto advanced = follower.component->advance({.begin = 0.0, .end = beyond, .horizon = beyond});
  ASSERT_FALSE(advanced);
  EXPECT_EQ(advanced.error().code, core::ErrorCode::beyond_horizon);
  EXPECT_EQ(advanced.error().port, "u");
  const auto stepped = follower.component->step(beyond);
  ASSERT_FALSE(stepped);
  EXPECT_EQ(stepped.error().code, core::ErrorCode::beyond_horizon);
  EXPECT_TRUE(follower.component->step(1.0));
}

}  // namespace ode_component_test
}  // namespace tieline::components
