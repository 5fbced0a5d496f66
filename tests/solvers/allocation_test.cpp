// The step path allocates nothing once a stepper is made.
#include <gtest/gtest.h>

#include "solvers/test_systems.hpp"
#include "support/allocation_count.hpp"

namespace tieline::solvers {
namespace allocation_test {

using namespace testing;

TEST(StepPath, AllocatesNothing) {
  for (const Method method : kAllMethods) {
    FunctionSystem system(
        2,
        [](double t, wave::Side, auto y, auto ydot) {
          ydot[0] = y[1];
          ydot[1] = 20.0 * (1.0 - y[0] * y[0]) * y[1] - y[0] + std::sin(t);
          return true;
        },
        1, [](double, auto y, auto values) { values[0] = 1.0 - y[0]; });
    StepperOptions options;
    options.fixed_step = 0.01;
    const auto stepper = make_stepper(method, system, options);
    const std::array start{2.0, 0.0};
    ASSERT_TRUE(stepper->start(0.0, start));
    std::array<double, 2> y{};
    const std::size_t before = allocation_count;
    for (int k = 0; k < 500; ++k) {
      if (k == 250) {
        ASSERT_TRUE(stepper->start(stepper->time(), start));
      }
      if (k % 7 == 0) {
        ASSERT_TRUE(stepper->note_break());
      }
      const auto step = stepper->step(1e3);
      ASSERT_TRUE(step);
      stepper->interpolate(stepper->step_start(), y);
    }
    EXPECT_EQ(allocation_count, before) << name_of(method);
  }
}

}  // namespace allocation_test
}  // namespace tieline::solvers
