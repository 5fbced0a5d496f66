// What owners rely on: limits, breaks, sides, scales, snapshots, statistics, failures.
#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <rapidcheck/gtest.h>

#include "solvers/test_systems.hpp"

namespace tieline::solvers {
namespace stepping_test {

using namespace testing;

StepperOptions options_for(double tolerance, double fixed_step = 0.01) {
  StepperOptions options;
  options.relative_tolerance = tolerance;
  options.scale_class = {0, 1};
  options.fixed_step = fixed_step;
  return options;
}

/// Error of a method of second order, by the square of the step.
constexpr double kSecondOrder = 0.01 * 0.01;

bool is_bit_equal(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

TEST(Methods, NamesGoBothWays) {
  EXPECT_EQ(all_method_names().size(), kAllMethods.size());
  for (const Method method : kAllMethods) {
    EXPECT_EQ(method_from_name(name_of(method)), method);
    Oscillator system(1.0);
    const auto stepper = make_stepper(method, system, options_for(1e-8));
    EXPECT_EQ(stepper->name(), name_of(method));
    EXPECT_EQ(stepper->statistics().solver, name_of(method));
    EXPECT_EQ(stepper->is_copyable(), !is_multistep(method));
    EXPECT_EQ(stepper->prefers_running_on(), is_multistep(method));
    EXPECT_EQ(stepper->preferred_interpolation(),
              is_multistep(method) ? wave::Interpolation::cubic : wave::Interpolation::quintic);
  }
  EXPECT_FALSE(method_from_name("euler"));
}

// Owners then need not evaluate there again.
TEST(RatesAtTheEnd, AreWhatTheSystemWasAskedForLast) {
  struct Call {
    double t = -1.0;
    wave::Side side = wave::Side::right;
    std::vector<double> y{}, ydot{};
  } last;
  bool is_guarded = false;
  const auto f = [&](double t, wave::Side side, auto y, auto ydot) {
    ydot[0] = y[1], ydot[1] = -100.0 * y[0] - y[0] * y[0];
    last = {t, side, {y.begin(), y.end()}, {ydot.begin(), ydot.end()}};
    return true;
  };
  for (const Method method : kAllMethods) {
    for (is_guarded = false;; is_guarded = true) {
      FunctionSystem system(2, f, is_guarded ? 1 : 0, [](double, auto, auto values) { values[0] = 1.0; });
      const auto stepper = make_stepper(method, system, options_for(1e-6));
      ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
      EXPECT_TRUE(stepper->rates_at_end().empty());
      for (double limit = 0.05; limit < 0.5; limit += 0.05) {
        while (stepper->time() < limit) ASSERT_TRUE(stepper->step(limit));
        const auto rates = stepper->rates_at_end();
        const bool is_explicit = method == Method::dopri5 || method == Method::rk4;
        ASSERT_EQ(!rates.empty(), is_explicit && !is_guarded) << name_of(method);
        if (rates.empty()) continue;
        EXPECT_EQ(last.t, stepper->time());
        EXPECT_EQ(last.side, wave::Side::left);
        EXPECT_TRUE(is_bit_equal(last.y, stepper->state()));
        EXPECT_TRUE(is_bit_equal(last.ydot, rates));
      }
      ASSERT_TRUE(stepper->note_break());
      EXPECT_TRUE(stepper->rates_at_end().empty());
      if (is_guarded) break;
    }
  }
}

TEST(Limits, AreHitExactlyAndNeverPassed) {
  for (const Method method : kAllMethods) {
    double latest = 0.0;
    FunctionSystem system(2, [&](double t, wave::Side, auto y, auto ydot) {
      latest = std::max(latest, t);
      ydot[0] = y[1];
      ydot[1] = -y[0];
      return true;
    });
    const auto stepper = make_stepper(method, system, options_for(1e-8));
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
    for (int window = 1; window <= 100; ++window) {
      const double limit = window * 0.037;
      while (stepper->time() < limit) {
        const auto step = stepper->step(limit);
        ASSERT_TRUE(step) << step.error().describe();
        EXPECT_EQ(step->t, stepper->time());
      }
      EXPECT_EQ(stepper->time(), limit);
      EXPECT_LE(latest, limit) << name_of(method);
    }
    EXPECT_NEAR(stepper->state()[0], std::cos(3.7), method == Method::zhai ? kSecondOrder : 1e-5);
  }
}

TEST(Statistics, CountTheCallsOfFailedTries) {
  for (const Method method : kVariableMethods) {
    // A slope that changes where no one expects it.
    FunctionSystem system(1, [](double t, wave::Side, std::span<const double>, std::span<double> ydot) {
      ydot[0] = t < 1.2345 ? 0.01 * t : 5.0;
      return true;
    });
    const auto stepper = make_stepper(method, system, options_for(1e-6));
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0}));
    run_to(*stepper, 2.0);
    const core::Statistics& counts = stepper->statistics();
    const std::uint64_t failures = counts.failed_error_tests + counts.failed_convergence;
    EXPECT_GT(failures, 0U) << name_of(method);
    EXPECT_GE(counts.unsuccessful_rhs_calls, failures) << name_of(method);
    EXPECT_LT(counts.unsuccessful_rhs_calls + counts.steps, counts.rhs_calls + 1) << name_of(method);
  }
}

TEST(Limits, ThatCutAStepDoNotShortenTheNextOne) {
  for (const Method method : {Method::dopri5, Method::radau5}) {
    Oscillator system(1.0);
    const auto stepper = make_stepper(method, system, options_for(1e-8));
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
    run_to(*stepper, 10.0);
    ASSERT_TRUE(stepper->step(100.0));
    const double usual = stepper->time() - stepper->step_start();
    ASSERT_TRUE(stepper->step(stepper->time() + 1e-6 * usual));
    ASSERT_TRUE(stepper->step(100.0));
    EXPECT_GT(stepper->time() - stepper->step_start(), 0.8 * usual) << name_of(method);
  }
}

TEST(Limits, LeaveNoTinyLastStep) {
  for (const Method method : kAllMethods) {
    Oscillator system(1.0);
    const auto stepper = make_stepper(method, system, options_for(1e-8));
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
    run_to(*stepper, 5.0);
    double last = stepper->time() - stepper->step_start();
    for (int k = 1; k <= 40; ++k) {
      const double limit = 5.0 + k * 0.4321;
      while (stepper->time() < limit) {
        ASSERT_TRUE(stepper->step(limit));
        const double h = stepper->time() - stepper->step_start();
        EXPECT_GT(h, 0.35 * last) << name_of(method);
        last = h;
      }
    }
  }
}

TEST(Limits, WithinRoundingOfTheTimeAreReached) {
  for (const Method method : kAllMethods) {
    Oscillator system(1.0);
    const auto stepper = make_stepper(method, system, options_for(1e-8));
    ASSERT_TRUE(stepper->start(1.0, std::array{1.0, 0.0}));
    for (const double limit : {1.0 + 4e-16, 1.0 + 1e-15, 1.0 + 1e-13, 1.5}) {
      while (stepper->time() < limit) {
        const auto step = stepper->step(limit);
        ASSERT_TRUE(step) << name_of(method) << " " << step.error().describe();
      }
      EXPECT_EQ(stepper->time(), limit);
    }
    EXPECT_NEAR(stepper->state()[0], std::cos(0.5), method == Method::zhai ? kSecondOrder : 1e-6);
    EXPECT_FALSE(stepper->step(1.5)) << "a limit that is not ahead is an error";
  }
}

TEST(Limits, LargestStepHolds) {
  for (const Method method : kVariableMethods) {
    Oscillator system(1.0);
    StepperOptions options = options_for(1e-3);
    options.largest_step = 0.01;
    const auto stepper = make_stepper(method, system, options);
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
    while (stepper->time() < 2.0) {
      ASSERT_TRUE(stepper->step(2.0));
      EXPECT_LT(stepper->time() - stepper->step_start(), 0.01 * (1.0 + 1e-8)) << name_of(method);
    }
  }
}

TEST(Limits, FixedStepsAreEqualAndLand) {
  Oscillator system(1.0);
  const auto stepper = make_stepper(Method::rk4, system, options_for(1.0, 0.1));
  ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
  for (int k = 1; k <= 10; ++k) run_to(*stepper, k * 0.3);  // three steps each, whatever 0.3 / 0.1 rounds to
  EXPECT_EQ(stepper->statistics().steps, 30u);
  run_to(*stepper, 3.25);  // ceil(2.5) = 3 steps
  EXPECT_EQ(stepper->statistics().steps, 33u);
  EXPECT_NEAR(stepper->time() - stepper->step_start(), 0.25 / 3.0, 1e-12);
  EXPECT_EQ(stepper->statistics().rhs_calls, 4u * 33u + 1u);
  const auto without_step = make_stepper(Method::rk4, system, StepperOptions{});
  EXPECT_FALSE(without_step->start(0.0, std::array{1.0, 0.0}));
}

/// A mass under a piecewise-linear force with random kinks, one every second.
class KinkedForce : public OdeSystem {
 public:
  explicit KinkedForce(int count) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int i = 0; i <= count; ++i) knots_.push_back(uniform(generator));
  }
  [[nodiscard]] int size() const override { return 2; }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override {
    calls.emplace_back(t, side);
    auto piece = static_cast<std::size_t>(std::floor(t));
    if (side == wave::Side::left && piece > 0 && t == static_cast<double>(piece)) --piece;
    piece = std::min(piece, knots_.size() - 2);
    ydot[0] = y[1];
    ydot[1] = knots_[piece] + (knots_[piece + 1] - knots_[piece]) * (t - static_cast<double>(piece));
    return true;
  }
  /// x and v after k seconds, from rest.
  [[nodiscard]] std::array<double, 2> exact(int k) const {
    std::array<double, 2> y{0.0, 0.0};
    for (int i = 0; i < k; ++i) {
      y[0] += y[1] + knots_[i] / 3.0 + knots_[i + 1] / 6.0;
      y[1] += 0.5 * (knots_[i] + knots_[i + 1]);
    }
    return y;
  }
  std::vector<std::pair<double, wave::Side>> calls;

 private:
  std::vector<double> knots_;
};

TEST(Breaks, AnnouncedKinksCostNoAccuracy) {
  const int count = 50;
  for (const Method method : kAllMethods) {
    KinkedForce system(count);
    const auto stepper = make_stepper(method, system, options_for(1e-10, 0.25));
    ASSERT_TRUE(stepper->start(0.0, std::array{0.0, 0.0}));
    double largest = 0.0;
    double error = 0.0;
    for (int k = 1; k <= count; ++k) {
      run_to(*stepper, k);
      ASSERT_TRUE(stepper->note_break());
      largest = std::max(largest, std::abs(system.exact(k)[0]));
      error = std::max(error, std::abs(stepper->state()[0] - system.exact(k)[0]));
    }
    // The solution is a cubic between kinks, which the one-step methods of third order and more integrate exactly.
    const double allowed = method == Method::zhai ? 0.25 * 0.25 : stepper->is_copyable() ? 1e-13 : 1e-7;
    EXPECT_LT(error, allowed * largest) << name_of(method);
    EXPECT_EQ(stepper->statistics().breaks, static_cast<std::uint64_t>(count));
    if (method == Method::dopri5) {
      EXPECT_LT(stepper->statistics().steps, 8u * count);
    }
  }
}

TEST(Breaks, OnlyTheStartOfAStepIsSeenFromTheRight) {
  for (const Method method : kOneStepMethods) {
    KinkedForce system(10);
    const auto stepper = make_stepper(method, system, options_for(1e-8, 0.25));
    ASSERT_TRUE(stepper->start(0.0, std::array{0.0, 0.0}));
    run_to(*stepper, 1.0);
    for (int k = 2; k < 10; ++k) {
      ASSERT_TRUE(stepper->note_break());
      system.calls.clear();
      const double begin = stepper->time();
      ASSERT_TRUE(stepper->step(k));
      ASSERT_EQ(system.calls.front(), std::pair(begin, wave::Side::right)) << name_of(method);
      for (const auto& [t, side] : system.calls) EXPECT_EQ(side == wave::Side::right, t == begin) << name_of(method);
      run_to(*stepper, k);
    }
  }
}

TEST(Scales, AModelInOtherUnitsTakesTheSameSteps) {
  for (const Method method : kVariableMethods) {
    for (const double preload : {0.0, 1.0}) {
      std::array<std::uint64_t, 2> steps{};
      for (const bool is_small : {false, true}) {
        const double unit = is_small ? std::ldexp(1.0, -30) : 1.0;  // 1e-9, without rounding
        FunctionSystem system(2, [unit](double t, wave::Side, auto y, auto ydot) {
          ydot[0] = y[1];
          ydot[1] = unit * std::sin(2.0 * t) - 9.0 * y[0];
          return true;
        });
        const auto stepper = make_stepper(method, system, options_for(1e-8));
        ASSERT_TRUE(stepper->start(0.0, std::array{unit * preload, 0.0}));
        run_to(*stepper, 10.0);
        steps[is_small] = stepper->statistics().steps;
      }
      EXPECT_EQ(steps[0], steps[1]) << name_of(method) << " from " << preload;
    }
  }
}

struct Recorded {
  std::vector<double> times;
  std::vector<double> states;
};

Recorded record(Stepper& stepper, int steps, double limit_distance) {
  Recorded recorded;
  std::array<double, 2> y{};
  for (int k = 0; k < steps; ++k) {
    const auto step = stepper.step(std::floor(stepper.time() / limit_distance + 1.0 + 1e-9) * limit_distance);
    if (!step) throw std::runtime_error(step.error().describe());
    if (k % 5 == 3 && !stepper.note_break()) throw std::runtime_error("note_break");
    stepper.interpolate(0.4 * stepper.step_start() + 0.6 * stepper.time(), y);
    recorded.times.push_back(step->t + step->fired_guard);
    recorded.states.insert(recorded.states.end(), stepper.state().begin(), stepper.state().end());
    recorded.states.insert(recorded.states.end(), y.begin(), y.end());
  }
  return recorded;
}

FunctionSystem nonlinear_system() {
  return {2,
          [](double t, wave::Side, auto y, auto ydot) {
            ydot[0] = y[1];
            ydot[1] = 20.0 * (1.0 - y[0] * y[0]) * y[1] - y[0] + std::sin(t);
            return true;
          },
          1, [](double, auto y, auto values) { values[0] = 1.0 - y[0]; }};
}

RC_GTEST_PROP(Snapshots, OneStepMethodsContinueBitByBit, ()) {
  const Method method = *rc::gen::elementOf(std::vector<Method>(kOneStepMethods.begin(), kOneStepMethods.end()));
  const int before = *rc::gen::inRange(0, 120);
  FunctionSystem system = nonlinear_system();
  const StepperOptions options = options_for(1e-6, 0.003);
  const auto original = make_stepper(method, system, options);
  RC_ASSERT(original->start(0.0, std::array{2.0, 0.0}).has_value());
  record(*original, before, 0.7);
  core::ArchiveWriter writer;
  original->save(writer);

  const auto copy = make_stepper(method, system, options);
  core::ArchiveReader reader(writer.bytes());
  copy->restore(reader);
  RC_ASSERT(reader.at_end());
  RC_ASSERT(copy->time() == original->time());
  const Recorded expected = record(*original, 60, 0.7);
  const Recorded actual = record(*copy, 60, 0.7);
  RC_ASSERT(is_bit_equal(expected.times, actual.times));
  RC_ASSERT(is_bit_equal(expected.states, actual.states));

  // Back to the snapshot in the same object: a trial step leaves no trace.
  core::ArchiveReader again(writer.bytes());
  original->restore(again);
  RC_ASSERT(is_bit_equal(record(*original, 60, 0.7).states, actual.states));
}

TEST(Snapshots, MultistepMethodsContinueAsFromAStart) {
  for (const Method method : kMultistepMethods) {
    FunctionSystem system = nonlinear_system();
    const StepperOptions options = options_for(1e-6);
    const auto original = make_stepper(method, system, options);
    ASSERT_TRUE(original->start(0.0, std::array{2.0, 0.0}));
    record(*original, 50, 0.7);
    const std::vector<double> y(original->state().begin(), original->state().end());
    ASSERT_TRUE(original->start(original->time(), y));
    core::ArchiveWriter writer;
    original->save(writer);
    const auto copy = make_stepper(method, system, options);
    core::ArchiveReader reader(writer.bytes());
    copy->restore(reader);
    EXPECT_TRUE(is_bit_equal(record(*original, 60, 0.7).states, record(*copy, 60, 0.7).states)) << name_of(method);
  }
}

TEST(Snapshots, OfAnotherMethodAreRefused) {
  Oscillator system(1.0);
  const auto one = make_stepper(Method::dopri5, system, options_for(1e-6));
  const auto other = make_stepper(Method::radau5, system, options_for(1e-6));
  ASSERT_TRUE(one->start(0.0, std::array{1.0, 0.0}));
  core::ArchiveWriter writer;
  one->save(writer);
  core::ArchiveReader reader(writer.bytes());
  EXPECT_THROW(other->restore(reader), core::ArchiveError);
}

TEST(Statistics, CountWhatTheSystemSees) {
  for (const Method method : kAllMethods) {
    std::uint64_t calls = 0;
    FunctionSystem system(2, [&](double, wave::Side, auto y, auto ydot) {
      ++calls;
      ydot[0] = y[1];
      ydot[1] = -y[0] - 0.1 * y[0] * y[0] * y[0];
      return true;
    });
    const auto stepper = make_stepper(method, system, options_for(1e-8));
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
    std::uint64_t steps = 0;
    for (; stepper->time() < 5.0; ++steps) ASSERT_TRUE(stepper->step(5.0));
    EXPECT_EQ(stepper->statistics().rhs_calls, calls) << name_of(method);
    EXPECT_EQ(stepper->statistics().steps, steps);
    EXPECT_GT(stepper->statistics().mean_order(), 1.0);
    EXPECT_LE(stepper->statistics().mean_order(), 12.0);
  }
}

TEST(Failures, NameANonFiniteRightHandSide) {
  for (const Method method : kAllMethods) {
    FunctionSystem system(2, [](double t, wave::Side, auto y, auto ydot) {
      ydot[0] = y[1];
      ydot[1] = -y[0];
      return t <= 1.0;
    });
    const auto stepper = make_stepper(method, system, options_for(1e-6));
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
    core::Error error;
    while (error.message.empty()) {
      if (const auto step = stepper->step(2.0); !step) error = step.error();
    }
    EXPECT_EQ(error.code, core::ErrorCode::step_failed);
    EXPECT_NE(error.message.find("not finite"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find(name_of(method)), std::string::npos) << error.message;
    EXPECT_NEAR(error.time, 1.0, 1e-3) << name_of(method);
    EXPECT_EQ(error.time, stepper->time());
    EXPECT_NEAR(stepper->state()[0], std::cos(stepper->time()), 1e-3) << "the last good state is kept";
  }
}

TEST(Failures, NameTheErrorTestAndTheWorstState) {
  // The rate of state 1 jumps back and forth however closely one looks: no step size satisfies the error test.
  for (const Method method : kVariableMethods) {
    FunctionSystem system(2, [](double t, wave::Side, auto, auto ydot) {
      ydot[0] = 1.0;
      ydot[1] = t > 2.0 ? ((std::bit_cast<std::uint64_t>(t) * 0x9E3779B97F4A7C15u) >> 63 != 0 ? 1e30 : -1e30) : 1.0;
      return true;
    });
    const auto stepper = make_stepper(method, system, options_for(1e-6));
    ASSERT_TRUE(stepper->start(1.0, std::array{1.0, 1.0}));
    core::Error error;
    for (int k = 0; k < 10000 && error.message.empty(); ++k) {
      if (const auto step = stepper->step(1e3); !step) error = step.error();
    }
    EXPECT_EQ(error.code, core::ErrorCode::step_failed);
    EXPECT_NE(error.message.find("error test"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("state 1"), std::string::npos) << error.message;
    EXPECT_NEAR(error.time, 2.0, 1e-6) << name_of(method);
  }
}

TEST(Failures, NameMissingConvergence) {
  struct BadJacobian : Oscillator {
    using Oscillator::Oscillator;
    bool jacobian(double, std::span<const double>, std::span<double> columns) override {
      std::fill(columns.begin(), columns.end(), std::numeric_limits<double>::quiet_NaN());
      return true;
    }
  };
  BadJacobian system(1.0);
  const auto stepper = make_stepper(Method::radau5, system, options_for(1e-6));
  ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
  const auto step = stepper->step(1.0);
  ASSERT_FALSE(step);
  EXPECT_NE(step.error().message.find("no convergence"), std::string::npos) << step.error().message;
}

TEST(Failures, AreOvercomeWhereASmallerStepHelps) {
  // sqrt of a negative trial value is refused; the solution itself stays positive.
  for (const Method method : kAllMethods) {
    if (method == Method::zhai) continue;  // looks at the end of a step when it is taken
    FunctionSystem system(1, [](double, wave::Side, auto y, auto ydot) {
      if (y[0] < 0.0) return false;
      ydot[0] = -50.0 * std::sqrt(y[0]) * y[0];
      return true;
    });
    StepperOptions options;
    options.relative_tolerance = 1e-6;
    options.fixed_step = 0.5;
    options.initial_step = 0.5;
    const auto stepper = make_stepper(method, system, options);
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0}));
    while (stepper->time() < 1.0) {
      const auto step = stepper->step(1.0);
      ASSERT_TRUE(step) << step.error().describe();
    }
    if (!has_fixed_step(method)) {
      EXPECT_NEAR(stepper->state()[0], 1.0 / (26.0 * 26.0), 1e-4) << name_of(method);
    }
  }
}

}  // namespace stepping_test
}  // namespace tieline::solvers
