#include "components/step_check.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace tieline::components {
namespace step_check_test {

/// Sum of the errors that are found in steps of the classical method for x'' = -x + drive(t).
template <class Drive>
double found_error(double h, int steps, const Drive& drive) {
  StepCheck check;
  check.start(2, {0, 0});
  std::array<double, 2> y{1.0, 0.0};
  const auto f = [&](double t, const std::array<double, 2>& s) {
    return std::array<double, 2>{s[1], -s[0] + drive(t)};
  };
  const auto moved = [](const std::array<double, 2>& s, double a, const std::array<double, 2>& k) {
    return std::array<double, 2>{s[0] + a * k[0], s[1] + a * k[1]};
  };
  check.note(0.0, y, f(0.0, y));
  for (int n = 0; n < steps; ++n) {
    const double t = n * h;
    const auto k1 = f(t, y), k2 = f(t + 0.5 * h, moved(y, 0.5 * h, k1));
    const auto k3 = f(t + 0.5 * h, moved(y, 0.5 * h, k2)), k4 = f(t + h, moved(y, h, k3));
    for (std::size_t i = 0; i < 2; ++i) y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    check.note(t + h, y, f(t + h, y));
  }
  return check.errors().estimate;
}

TEST(StepCheck, ErrorFollowsTheFourthPowerOfTheStep) {
  const auto free = [](double) { return 0.0; };
  const double coarse = found_error(0.1, 100, free), fine = found_error(0.05, 200, free);
  EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.2);
  // The phase of the method is wrong by h^4 t / 120; the rule that checks it has an error of the same order.
  const double phase = 1e-4 * 10.0 / 120.0;
  EXPECT_GT(coarse, 0.3 * phase);
  EXPECT_LT(coarse, 1.5 * phase);
}

TEST(StepCheck, SeesInputsThatAreFasterThanTheSteps) {
  EXPECT_GT(found_error(0.1, 100, [](double t) { return 20.0 * std::sin(50.0 * t); }), 0.1);
}

TEST(StepCheck, ForgetsWhatLiesBeforeABreak) {
  StepCheck check;
  check.start(1, {});
  double t = 0.0;
  const std::array<double, 1> slope{0.0};
  for (const double value : {1.0, 1.0, 5.0, 5.0}) {
    if (value == 5.0) check.forget();
    check.note(t += 0.1, std::array<double, 1>{value}, slope);
  }
  EXPECT_EQ(check.errors().estimate, 0.0);
}

}  // namespace step_check_test
}  // namespace tieline::components
