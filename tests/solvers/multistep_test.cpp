// What the multistep methods owe their owners beyond the rules for all steppers: new starts after jumps, answers within
// a step, sparse matrices, starts far from time zero, and a word where they cannot help.
#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>

#include "solvers/test_systems.hpp"

namespace tieline::solvers {
namespace multistep_test {

using namespace testing;

StepperOptions options_for(double tolerance, std::vector<int> classes = {}) {
  StepperOptions options;
  options.relative_tolerance = tolerance;
  options.scale_class = std::move(classes);
  return options;
}

/// Heat along a rod with cold ends: a sine over its length decays with the rate of its mode.
struct Rod : OdeSystem {
  Rod(int points, bool gives_sparse_jacobian) : n(points), is_sparse(gives_sparse_jacobian) {
    std::vector<std::pair<int, int>> entries;
    for_entries([&](int row, int column, double) { entries.emplace_back(row, column); });
    matrix.set_pattern(n, 0, entries);
  }
  template <class Visit>
  void for_entries(Visit visit) const {
    const double k = (n + 1.0) * (n + 1.0);
    for (int i = 0; i < n; ++i) {
      visit(i, i, -2.0 * k);
      if (i > 0) visit(i, i - 1, k);
      if (i + 1 < n) visit(i, i + 1, k);
    }
  }
  [[nodiscard]] int size() const override { return n; }
  bool rhs(double, wave::Side, std::span<const double> y, std::span<double> ydot) override {
    std::ranges::fill(ydot, 0.0);
    for_entries([&](int row, int column, double a) {
      ydot[static_cast<std::size_t>(row)] += a * y[static_cast<std::size_t>(column)];
    });
    return true;
  }
  [[nodiscard]] SparseJacobian* sparse_jacobian() override { return is_sparse ? &matrix : nullptr; }
  bool evaluate_sparse_jacobian(double, std::span<const double>) override {
    matrix.clear();
    for_entries([&](int row, int column, double a) { matrix.add_a(row, column, a); });
    return true;
  }
  /// Of the longest wave [1/s].
  [[nodiscard]] double decay() const {
    const double half_angle = 0.5 * std::numbers::pi / (n + 1.0);
    return 4.0 * (n + 1.0) * (n + 1.0) * std::sin(half_angle) * std::sin(half_angle);
  }
  [[nodiscard]] std::vector<double> longest_wave() const {
    std::vector<double> y;
    for (int i = 1; i <= n; ++i) y.push_back(std::sin(std::numbers::pi * i / (n + 1.0)));
    return y;
  }

  int n;
  bool is_sparse;
  SparseJacobian matrix;
};

TEST(Multistep, StiffRodCoolsAsItsModeDoesWithEitherMatrix) {
  for (const Method method : {Method::cvode_bdf, Method::ida}) {
    for (const bool is_sparse : {false, true}) {
      Rod rod(40, is_sparse);
      const auto stepper = make_stepper(method, rod, options_for(1e-8));
      const std::vector<double> begin = rod.longest_wave();
      ASSERT_TRUE(stepper->start(0.0, begin));
      run_to(*stepper, 0.2);
      const double share = std::exp(-0.2 * rod.decay());
      for (std::size_t i = 0; i < begin.size(); ++i) {
        EXPECT_NEAR(stepper->state()[i], share * begin[i], 1e-6) << name_of(method) << is_sparse;
      }
      // The fastest mode decays within 0.15 ms: an explicit method would take more than a thousand steps.
      EXPECT_LT(stepper->statistics().steps, 250u) << name_of(method) << is_sparse;
      EXPECT_GT(stepper->statistics().jacobian_calls, 0u) << name_of(method) << is_sparse;
    }
  }
}

TEST(Multistep, StartsAnewAfterJumps) {
  // y' = -y, and y rises by one every second.
  for (const Method method : kMultistepMethods) {
    FunctionSystem system(1, [](double, wave::Side, auto y, auto ydot) {
      ydot[0] = -y[0];
      return true;
    });
    const auto stepper = make_stepper(method, system, options_for(1e-9));
    double exact = 1.0;
    for (int k = 0; k < 10; ++k) {
      ASSERT_TRUE(stepper->start(k, std::array{k == 0 ? 1.0 : stepper->state()[0] + 1.0}));
      EXPECT_EQ(stepper->step_start(), stepper->time());
      const auto orders_before = stepper->statistics().order_sum;
      ASSERT_TRUE(stepper->step(k + 1.0));
      EXPECT_EQ(stepper->statistics().order_sum - orders_before, 1) << name_of(method) << ": the first order";
      run_to(*stepper, k + 1.0);
      exact *= std::exp(-1.0);
      EXPECT_NEAR(stepper->state()[0], exact, 1e-7) << name_of(method) << " " << k;
      exact += 1.0;
    }
  }
}

TEST(Multistep, InterpolationJoinsTheStepsItLiesBetween) {
  for (const Method method : kMultistepMethods) {
    Oscillator system(1.0);
    const auto stepper = make_stepper(method, system, options_for(1e-8, {0, 1}));
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
    std::array<double, 2> y{};
    while (stepper->time() < 10.0) {
      const std::vector<double> begin(stepper->state().begin(), stepper->state().end());
      ASSERT_TRUE(stepper->step(10.0));
      const double h = stepper->time() - stepper->step_start();
      for (std::size_t i = 0; i < 2; ++i) {
        stepper->interpolate(stepper->step_start(), y);
        EXPECT_EQ(y[i], begin[i]) << name_of(method);
        stepper->interpolate(stepper->step_start() + 1e-9 * h, y);
        EXPECT_NEAR(y[i], begin[i], 1e-8) << name_of(method);
        stepper->interpolate(stepper->time(), y);
        EXPECT_EQ(y[i], stepper->state()[i]) << name_of(method);
      }
    }
  }
}

TEST(Multistep, StartsFarFromTimeZero) {
  // A microsecond's motion at a million seconds, where times are known to 0.1 ns: the first steps that the tolerance
  // asks for are lost in that.
  const double begin = 1e6;
  const double omega = 1e6;
  for (const Method method : kMultistepMethods) {
    Oscillator system(omega);
    const auto stepper = make_stepper(method, system, options_for(1e-6, {0, 1}));
    ASSERT_TRUE(stepper->start(begin, std::array{1.0, 0.0}));
    const double end = begin + 4e-6;
    while (stepper->time() < end) {
      const auto step = stepper->step(end);
      ASSERT_TRUE(step) << step.error().describe();
    }
    EXPECT_NEAR(stepper->state()[0], std::cos(omega * (end - begin)), 0.02) << name_of(method);
  }
}

TEST(Multistep, RefusesManifoldsThatItCannotKeep) {
  struct Constrained : Oscillator {
    using Oscillator::Oscillator;
    [[nodiscard]] bool has_constraints() const override { return true; }
  };
  for (const Method method : kMultistepMethods) {
    Constrained system(1.0);
    const auto stepper = make_stepper(method, system, options_for(1e-6, {0, 1}));
    const auto started = stepper->start(0.0, std::array{1.0, 0.0});
    ASSERT_EQ(started.has_value(), method == Method::cvode_bdf) << name_of(method);
    if (started) continue;
    EXPECT_EQ(started.error().message.find(name_of(method)), 0u) << started.error().message;
  }
}

}  // namespace multistep_test
}  // namespace tieline::solvers
