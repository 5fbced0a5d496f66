#include "document/time_analysis.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numbers>

#include "document/time_function.hpp"

namespace tieline::document {
namespace time_analysis_test {

TimeFunction compile(const std::string& text) {
  Diagnostics diagnostics;
  auto function = TimeFunction::compile("{" + text + "}", {"a.xml", 1, 1}, Scope(), {}, {}, diagnostics);
  EXPECT_TRUE(function.has_value()) << diagnostics.describe();
  return function.value_or(TimeFunction());
}

/// Integral of a function that is constant between its breaks, and how many there are.
struct Pieces {
  double integral = 0.0;
  int breaks = 0;
};

Pieces integrate(TimeFunction function, double from, double to) {
  Pieces result;
  function.update_switches(from, {});
  for (double t = from; t < to;) {
    const double next = std::min(function.next_break(t), to);
    result.integral += (next - t) * function.value(0.5 * (t + next), {});
    if (next < to) ++result.breaks;
    function.update_switches(next, {});
    t = next;
  }
  return result;
}

TEST(TimeAnalysis, CombsAreFoundToothByTooth) {
  // sin(a) > s over (pi - 2 asin s) of each turn.
  const double share = (std::numbers::pi - 2.0 * std::asin(0.999)) / (2.0 * std::numbers::pi);
  for (const double frequency : {3.0, 1000.0, 1e5}) {
    const double stop = 40.0 / frequency;
    const auto pieces = integrate(compile(fmt::format("step(sin(2*pi*{}*t)-0.999)", frequency)), 0.0, stop);
    EXPECT_NEAR(pieces.integral, share * stop, 1e-11 * stop) << frequency;
    EXPECT_EQ(pieces.breaks, 80) << frequency;
  }
}

TEST(TimeAnalysis, TwoCombsWithoutACommonPeriodAreFound) {
  const std::string text = "(sin(70*t) > 0.99) * (cos(70*sqrt(2)*t) > 0.95) + 2*(sin(31*t) > 0.999)";
  auto function = compile(text);
  const auto pieces = integrate(function, 0.0, 3.0);
  // Against looking at it a million times.
  double sum = 0.0;
  constexpr int kLooks = 1'000'000;
  for (int k = 0; k < kLooks; ++k) {
    const double t = 3.0 * (k + 0.5) / kLooks;
    sum += (std::sin(70 * t) > 0.99) * (std::cos(70 * std::numbers::sqrt2 * t) > 0.95) + 2 * (std::sin(31 * t) > 0.999);
  }
  EXPECT_NEAR(pieces.integral, 3.0 * sum / kLooks, 3e-4 * pieces.integral);
}

TEST(TimeAnalysis, NestedChoicesBreakWhereTheyChange) {
  const auto nested = compile("t<1 ? (t<0.5 ? 1 : (t^2<0.49 ? 2 : 3)) : 0");
  EXPECT_EQ(nested.next_break(0.0), 0.5);
  EXPECT_NEAR(nested.next_break(0.5), 0.7, 1e-15);
  EXPECT_NEAR(integrate(nested, 0.0, 2.0).integral, 0.5 * 1 + 0.2 * 2 + 0.3 * 3, 1e-14);
  const auto sines = compile("t<1 ? 0 : (sin(50*t)>0 ? 4 : 5)");
  EXPECT_NEAR(sines.next_break(1.0), 16.0 * std::numbers::pi / 50.0, 1e-14);
}

TEST(TimeAnalysis, JumpsAtTheStartBelongToTheRightSide) {
  const auto falling = compile("step(sin(2*pi*1000*(t+0.0005)))");  // falls through zero at t = 0
  EXPECT_NEAR(integrate(falling, 0.0, 0.0005).integral, 0.0, 1e-15);
  auto square = compile("step(0 - t^2 + 0*t)");  // touches zero at t = 0 alone
  square.update_switches(0.0, {});
  EXPECT_EQ(square.value(1e-3, {}), 0.0);
  const auto pieces = integrate(compile("step(sin(2*pi*1000*t))"), 0.0, 0.002);
  EXPECT_NEAR(pieces.integral, 0.001, 1e-15);
}

TEST(TimeAnalysis, AnswersDoNotDependOnWhatWasAskedBefore) {
  const std::string text = "step(sin(40*t)+sin(40*sqrt(3)*t)-1.9)";
  const auto asked = compile(text);
  std::vector<double> breaks;
  for (double t = asked.next_break(0.0); t < 20.0; t = asked.next_break(t)) breaks.push_back(t);
  ASSERT_GT(breaks.size(), 4U);
  for (std::size_t i = 1; i < breaks.size(); ++i) {
    const auto fresh = compile(text);
    EXPECT_EQ(fresh.next_break(breaks[i - 1]), breaks[i]);
    EXPECT_EQ(fresh.next_break(std::nextafter(breaks[i], 0.0)), breaks[i]);
  }
}

TEST(TimeAnalysis, AStepOverAShortPulseHidesSomething) {
  const auto pulse = compile("exp(-((t-0.6180339)/0.001)^2)");
  EXPECT_GT(pulse.unseen(0.0, 1.0, 1e-6), 1.0);
  EXPECT_GT(pulse.unseen(0.61, 0.63, 1e-6), 1.0);
  EXPECT_LE(pulse.unseen(0.6180, 0.6182, 1e-6), 1.0);
  EXPECT_LE(pulse.unseen(0.0, 0.5, 1e-6), 1.0);
  const auto small = compile("100 + 0.01*exp(-((t-3)/0.0001)^2)");
  EXPECT_GT(small.unseen(2.0, 4.0, 1e-6), 1.0);
  const auto train = compile("exp(-50*(1-cos(2*pi*1000*t)))");
  EXPECT_GT(train.unseen(0.0, 0.1, 1e-6), 1.0);
  const auto hidden = compile("smoothstep(t,3,3.001)-smoothstep(t,3.002,3.003)");
  EXPECT_EQ(hidden.next_break(0.0), 3.0);
  EXPECT_NEAR(hidden.next_break(3.0), 3.001, 1e-15);
}

TEST(TimeAnalysis, ASpikeOfATableIsNotSteppedOver) {
  const std::map<std::string, Table> tables{
      {"spike", {{-1.0, 0.5, 0.501, 0.502, 1.0}, {0.0, 0.0, 1.0, 0.0, 0.0}, Table::Join::linear}},
      {"hill", {{-1.0, 0.5, 0.501, 0.502, 1.0}, {0.0, 0.0, 1.0, 0.0, 0.0}, Table::Join::smooth}}};
  for (const char* text : {"{spike(sin(t))}", "{hill(sin(t))}", "{hill(t)}"}) {
    Diagnostics diagnostics;
    const auto function = TimeFunction::compile(text, {"a.xml", 1, 1}, Scope(), {}, tables, diagnostics);
    ASSERT_TRUE(function) << diagnostics.describe();
    EXPECT_GT(function->unseen(0.3, 0.8, 1e-6), 1.0) << text;
    EXPECT_LE(function->unseen(0.1, 0.4, 1e-6), 1.0) << text;
  }
}

TEST(TimeAnalysis, SmoothFunctionsAllowStepsOfATurn) {
  // A solver of order 5 takes about a tenth of a turn at a tolerance of 1e-8.
  for (const char* text : {"sin(10*t)", "3+2*cos(10*t)^2", "exp(-t)*sin(10*t)", "t^3-2*t", "5/(2+sin(10*t))"}) {
    const auto function = compile(text);
    EXPECT_LE(function.unseen(0.3, 0.3 + 0.03, 1e-8), 1.0) << text;
    EXPECT_TRUE(function.has_bounds()) << text;
  }
  EXPECT_FALSE(compile("atan2(sin(t), cos(t))").has_bounds());
}

}  // namespace time_analysis_test
}  // namespace tieline::document
