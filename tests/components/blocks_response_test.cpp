// Signal blocks against closed forms: lags, controllers, limits, sampling, tables, and their rates and derivatives.

#include <cmath>
#include <gtest/gtest.h>

#include "components/blocks/blocks.hpp"
#include "components/model_driver.hpp"

namespace tieline::components {
namespace blocks_response_test {

/// Short ways to write diagrams; each function returns the index of the block that it added.
struct Diagram {
  BlocksSpec spec{};

  int add(std::string name, Block::Kind kind, std::vector<int> inputs = {}) {
    spec.blocks.push_back({std::move(name), std::move(kind), std::move(inputs)});
    return static_cast<int>(spec.blocks.size()) - 1;
  }
  int constant(double value) { return add("c" + std::to_string(spec.blocks.size()), ConstantBlock{value}); }
  int source(const std::string& text) {
    document::Diagnostics diagnostics;
    auto function = document::TimeFunction::compile(text, {}, document::Scope{}, {}, {}, diagnostics);
    EXPECT_TRUE(function) << diagnostics.describe();
    return add("s" + std::to_string(spec.blocks.size()), SourceBlock{function.value_or(document::TimeFunction{})});
  }
  void output(int block) { spec.outputs.push_back({"out" + std::to_string(spec.outputs.size()), block}); }
};

TEST(Blocks, FirstOrderLagFollowsItsStepResponse) {
  Diagram d;
  const int lag = d.add("lag", TransferFunctionBlock{{3.0}, {0.2, 1.0}}, {d.constant(2.0)});
  d.output(lag);
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(0.5, 1e-3);
  EXPECT_NEAR(driver.value("lag.value"), 6.0 * (1.0 - std::exp(-2.5)), 1e-9);
  EXPECT_NEAR(driver.outputs().back().flow_rate, 6.0 / 0.2 * std::exp(-2.5), 1e-8);
}

TEST(Blocks, BiproperTransferFunctionPassesItsInputOn) {
  // (2 s + 1) / (s + 4) = 2 - 7 / (s + 4)
  Diagram d;
  const int lead = d.add("lead", TransferFunctionBlock{{2.0, 1.0}, {1.0, 4.0}}, {d.source("{t}")});
  d.output(lead);
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(0.6, 1e-3);
  const double lagged = 0.6 / 4.0 - (1.0 - std::exp(-2.4)) / 16.0;
  EXPECT_NEAR(driver.value("lead.value"), 1.2 - 7.0 * lagged, 1e-9);
  EXPECT_NEAR(driver.outputs().back().flow_rate, 2.0 - 7.0 * (1.0 - std::exp(-2.4)) / 4.0, 1e-8);
}

TEST(Blocks, SecondOrderTransferFunctionOscillates) {
  // omega^2 / (s^2 + omega^2) on a unit step: 1 - cos(omega t)
  Diagram d;
  d.add("osc", TransferFunctionBlock{{9.0}, {1.0, 0.0, 9.0}}, {d.constant(1.0)});
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(1.0, 1e-3);
  EXPECT_NEAR(driver.value("osc.value"), 1.0 - std::cos(3.0), 1e-9);
}

TEST(Blocks, PidRespondsToARamp) {
  // e = t: kp t + ki t^2 / 2 + kd (1 - exp(-t / Tf))
  Diagram d;
  const int pid = d.add("pid", PidBlock{.kp = 2.0, .ki = 3.0, .kd = 0.5, .filter = 0.1}, {d.source("{t}")});
  d.output(pid);
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(0.4, 1e-3);
  EXPECT_NEAR(driver.value("pid.value"), 0.8 + 3.0 * 0.08 + 0.5 * (1.0 - std::exp(-4.0)), 1e-9);
  EXPECT_NEAR(driver.outputs().back().flow_rate, 2.0 + 3.0 * 0.4 + 5.0 * std::exp(-4.0), 1e-8);
}

TEST(Blocks, PidIntegralRestsWhileTheErrorPushesBeyondTheLimit) {
  // e = 1 until t = 2, then -1: the value reaches its limit 1.5 at t = 0.5, the integral stays at 0.5, and the value
  // leaves the limit at once when the error turns: -1 + 0.5 - (t - 2).
  Diagram d;
  const int pid = d.add("pid", PidBlock{.kp = 1.0, .ki = 1.0, .upper = 1.5}, {d.source("{1-2*step(t-2)}")});
  d.output(pid);
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(0.25, 0.01);
  EXPECT_NEAR(driver.value("pid.value"), 1.25, 1e-9);
  driver.run_to(1.9, 0.01);
  EXPECT_DOUBLE_EQ(driver.value("pid.value"), 1.5);
  EXPECT_EQ(driver.outputs().back().flow_rate, 0.0);
  driver.run_to(2.5, 0.01);
  EXPECT_NEAR(driver.value("pid.value"), -1.0 + 0.5 - 0.5, 1e-9);
}

TEST(Blocks, PidSlidesAlongItsLimitWithoutChattering) {
  // e = exp(-t): with kp = 1, ki = 2 the unlimited value is e + 2 (1 - e) = 2 - e, which reaches 1.5 at e = 0.5. There
  // a resting integral would let the value fall, an integrating one lift it: I' = -e' keeps it there until ki e < -e',
  // which never comes; so the integral follows 1.5 - e.
  Diagram d;
  d.add("pid", PidBlock{.kp = 1.0, .ki = 2.0, .upper = 1.5}, {d.source("{exp(-t)}")});
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(3.0, 1e-2);
  EXPECT_EQ(driver.events, 1);
  EXPECT_DOUBLE_EQ(driver.value("pid.value"), 1.5);
  EXPECT_NEAR(driver.y()[0], 1.5 - std::exp(-3.0), 1e-6);
}

TEST(Blocks, PidLeavesItsSlideWhereTheErrorFallsFaster) {
  // e = 1 - t^2/2: sliding from ki e + e' > 0 ends where 2 (1 - t^2/2) = t.
  Diagram d;
  d.add("pid", PidBlock{.kp = 1.0, .ki = 2.0, .upper = 1.5}, {d.source("{1-t*t/2}")});
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  const double leaves = 0.5 * (-1.0 + std::sqrt(9.0));
  driver.run_to(leaves - 0.01, 1e-3);
  EXPECT_DOUBLE_EQ(driver.value("pid.value"), 1.5);
  driver.run_to(leaves + 0.5, 1e-3);
  EXPECT_EQ(driver.events, 2);
  // Afterwards the integral follows the error again.
  const double t = leaves + 0.5;
  const auto integral = [](double s) { return 2.0 * (s - s * s * s / 6.0); };
  const auto error = [](double s) { return 1.0 - s * s / 2.0; };
  EXPECT_NEAR(driver.value("pid.value"), error(t) + 1.5 - error(leaves) + integral(t) - integral(leaves), 1e-6);
}

// A step of the error throws the derivative over the limit: v = 2 + I + 2 exp(-20 s), s after the step, is beyond 3.5
// until s = ln(4/3) / 20, and for that long the integral rests. Then it is the PID without limits, less 3 times that.
TEST(Blocks, PidComesBackFromAJumpOverItsLimit) {
  for (const double side : {1.0, -1.0}) {
    Diagram d;
    const int error = d.source(side > 0.0 ? "{step(t-0.5)}" : "{-step(t-0.5)}");
    PidBlock block{.kp = 2.0, .ki = 3.0, .kd = 0.1, .filter = 0.05};
    d.add("free", block, {error});
    (side > 0.0 ? block.upper : block.lower) = side * 3.5;
    d.add("limited", block, {error});
    Blocks blocks(d.spec);
    ModelDriver driver(blocks, 0.0);
    driver.run_to(0.505, 1e-3);
    EXPECT_DOUBLE_EQ(driver.value("limited.value"), side * 3.5);
    const double rest = 0.05 * std::log(4.0 / 3.0);
    for (const double s : {0.05, 0.28, 0.5}) {
      driver.run_to(0.5 + s, 1e-3);
      const double free = 2.0 + 3.0 * s + 2.0 * std::exp(-20.0 * s);
      EXPECT_NEAR(driver.value("free.value"), side * free, 1e-8) << s;
      EXPECT_NEAR(driver.value("limited.value"), side * (free - 3.0 * rest), 1e-6) << s;
    }
    // At the limit the integral stops for good, and an error that turns is answered at once.
    driver.run_to(1.4, 1e-3);
    EXPECT_DOUBLE_EQ(driver.value("limited.value"), side * 3.5);
  }
}

// e jumps while the value slides along its limit, or rests beyond it: off the limit it is what the sum says.
TEST(Blocks, PidFollowsJumpsOffItsLimit) {
  Diagram d;
  // As in the slide above until t = 2, I = 1.5 - exp(-2); then e = 0.9 more or less.
  d.add("down", PidBlock{.kp = 1.0, .ki = 2.0, .upper = 1.5}, {d.source("{exp(-t)-0.9*step(t-2)}")});
  d.add("up", PidBlock{.kp = 1.0, .ki = 2.0, .upper = 1.5}, {d.source("{exp(-t)+0.9*step(t-2)-0.9*step(t-3)}")});
  // Beyond the limit from the start, with I = 0; at t = 1 well inside, the error still pointing outwards.
  d.add("rests", PidBlock{.kp = 1.0, .ki = 0.1, .upper = 1.5}, {d.source("{2-step(t-1)}")});
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(1.5, 1e-2);
  EXPECT_NEAR(driver.value("rests.value"), 1.0 + 0.1 * 0.5, 1e-8);
  driver.run_to(2.1, 1e-2);
  const double e = std::exp(-2.1), integral = 2.0 * (std::exp(-2.0) - e) - 2.0 * 0.9 * 0.1;
  EXPECT_NEAR(driver.value("down.value"), (e - 0.9) + (1.5 - std::exp(-2.0)) + integral, 1e-6);
  EXPECT_DOUBLE_EQ(driver.value("up.value"), 1.5);
  // Until t = 3 the sum was beyond the limit and the integral rested; then it is e + I again, inside the limit.
  driver.run_to(3.05, 1e-2);
  const double now = std::exp(-3.05), since = 2.0 * (std::exp(-3.0) - now);
  EXPECT_NEAR(driver.value("up.value"), now + (1.5 - std::exp(-2.0)) + since, 1e-6);
}

TEST(Blocks, IntegratorRestsAtItsLimits) {
  // The integral of cos(t) from 0.5, kept within [-0.2, 1].
  Diagram d;
  d.add("i", IntegratorBlock{.start = 0.5, .lower = -0.2, .upper = 1.0}, {d.source("{cos(t)}")});
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(1.5, 1e-3);
  EXPECT_DOUBLE_EQ(driver.value("i.value"), 1.0);
  driver.run_to(2.5, 1e-3);  // turns back at pi/2, from 1
  EXPECT_NEAR(driver.value("i.value"), std::sin(2.5), 1e-8);
  driver.run_to(4.0, 1e-3);
  EXPECT_DOUBLE_EQ(driver.value("i.value"), -0.2);
  driver.run_to(6.0, 1e-3);  // turns at 3 pi/2
  EXPECT_NEAR(driver.value("i.value"), -0.2 + std::sin(6.0) + 1.0, 1e-8);
}

TEST(Blocks, LimiterAndItsRate) {
  Diagram d;
  const int limiter = d.add("l", LimiterBlock{-0.5, 0.7}, {d.source("{sin(t)}")});
  d.output(limiter);
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  for (const double t : {0.3, 1.2, 2.9, 4.0, 6.2}) {
    driver.run_to(t, 0.05);
    EXPECT_NEAR(driver.value("l.value"), std::clamp(std::sin(t), -0.5, 0.7), 1e-12);
    const bool is_inside = std::sin(t) < 0.7 && std::sin(t) > -0.5;
    EXPECT_NEAR(driver.outputs().back().flow_rate, is_inside ? std::cos(t) : 0.0, 1e-8);
  }
}

TEST(Blocks, TablesKeepTheirPieceUntilAGuardFires) {
  using Join = document::Table::Join;
  for (const Join join : {Join::hold, Join::linear, Join::smooth}) {
    const document::Table table{.x = {-0.5, 0.0, 0.6}, .y = {1.0, 3.0, -2.0}, .join = join};
    Diagram d;
    const int block = d.add("f", TableBlock{table}, {d.source("{sin(t)}")});
    d.add("i", IntegratorBlock{}, {block});
    d.output(block);
    Blocks blocks(d.spec);
    ModelDriver driver(blocks, 0.0);
    for (const double t : {0.3, 1.2, 2.9, 3.5, 4.5, 6.2}) {
      driver.run_to(t, 0.01);
      EXPECT_NEAR(driver.value("f.value"), table.value(std::sin(t)), 1e-12);
      EXPECT_NEAR(driver.outputs().back().flow_rate, table.slope(std::sin(t)) * std::cos(t), 1e-7);
    }
    if (join == Join::hold) {
      // 3 up to asin 0.6, -2 between, 3 back to pi.
      const double edge = std::asin(0.6);
      Blocks again(d.spec);
      ModelDriver integral(again, 0.0);
      integral.run_to(3.0, 0.01);
      EXPECT_NEAR(integral.value("i.value"), 3.0 * edge - 2.0 * (M_PI - 2.0 * edge) + 3.0 * (3.0 - M_PI + edge), 1e-8);
    }
  }
}

TEST(Blocks, SampleHoldTakesItsInputAtMultiplesOfItsPeriod) {
  Diagram d;
  const int hold = d.add("h", SampleHoldBlock{.period = 0.1, .offset = 0.03}, {d.source("{t*t}")});
  d.output(hold);
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  EXPECT_EQ(driver.value("h.value"), 0.0) << "taken at the start";
  driver.run_to(0.02, 0.004);
  EXPECT_EQ(driver.value("h.value"), 0.0);
  EXPECT_DOUBLE_EQ(blocks.next_break(0.02), 0.03);
  driver.run_to(0.05, 0.004);
  EXPECT_NEAR(driver.value("h.value"), 0.0009, 1e-15);
  driver.run_to(7.25, 0.03);
  EXPECT_NEAR(driver.value("h.value"), 7.23 * 7.23, 1e-12);
  EXPECT_EQ(driver.outputs().back().flow_rate, 0.0);
  for (int k = 0; k < 1000; ++k) {
    const double instant = k * 0.1 + 0.03;
    ASSERT_EQ(blocks.next_break(instant), (k + 1) * 0.1 + 0.03);
    ASSERT_EQ(blocks.next_break(std::nextafter(instant, 0.0)), instant);
  }
}

TEST(Blocks, SampleHoldsInARowTakeTheirInputsAtOneInstant) {
  Diagram d;
  d.spec.blocks.resize(2);
  const int source = d.source("{t}");
  d.spec.blocks[0] = {"second", SampleHoldBlock{0.5}, {1}};
  d.spec.blocks[1] = {"first", SampleHoldBlock{0.5}, {source}};
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(0.7, 0.1);
  EXPECT_EQ(driver.value("first.value"), 0.5);
  EXPECT_EQ(driver.value("second.value"), 0.5);
}

TEST(Blocks, SampledControllerMatchesItsDifferenceEquation) {
  // Plant x' = u with u = -k x held over the period h: x_(n+1) = (1 - k h) x_n.
  Diagram d;
  d.spec.blocks.resize(1);
  const int hold = d.add("hold", SampleHoldBlock{0.1}, {0});
  const int gain = d.add("gain", GainBlock{-4.0}, {hold});
  d.spec.blocks[0] = {"x", IntegratorBlock{.start = 1.0}, {gain}};
  Blocks blocks(d.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(1.05, 0.02);
  EXPECT_NEAR(driver.value("x.value"), std::pow(0.6, 10) * (1.0 - 4.0 * 0.05), 1e-12);
}

TEST(Blocks, InputsUseTheirStartValueUntilSomethingComes) {
  Diagram d;
  const int input = d.add("in", InputBlock{2.5});
  const int sum = d.add("sum", SumBlock{{1.0, -1.0}}, {input, d.constant(1.0)});
  d.output(sum);
  Blocks blocks(d.spec);
  ASSERT_EQ(blocks.ports().size(), 2U);
  EXPECT_EQ(blocks.ports()[0].causality, core::Causality::input);
  ModelDriver driver(blocks, 0.0);
  EXPECT_EQ(driver.outputs()[1].flow, 1.5);
  blocks.ports()[0].incoming.push({.t = 0.0, .value = 4.0, .rate = 2.0});
  blocks.ports()[0].incoming.push({.t = 1.0, .value = 6.0, .rate = 2.0});
  driver.run_to(0.5, 0.1);
  EXPECT_NEAR(driver.outputs()[1].flow, 4.0, 1e-14);
  EXPECT_NEAR(driver.outputs()[1].flow_rate, 2.0, 1e-14);
}

/// A closed loop: PID with a filter, limits that are not reached, a plant of order 2, a smooth table.
BlocksSpec control_loop() {
  Diagram d;
  d.spec.blocks.resize(1);
  const int plant = d.add("plant", TransferFunctionBlock{{4.0}, {1.0, 0.8, 2.0}}, {0});
  const int bent =
      d.add("bent",
            TableBlock{{.x = {-5.0, 0.0, 1.0, 6.0}, .y = {-4.0, 0.0, 1.5, 3.0}, .join = document::Table::Join::smooth}},
            {plant});
  const int error = d.add("error", SumBlock{{1.0, -1.0}}, {d.source("{sin(3*t)+0.5}"), bent});
  d.spec.blocks[0] = {
      "pid", PidBlock{.kp = 2.0, .ki = 1.5, .kd = 0.3, .filter = 0.05, .lower = -50.0, .upper = 50.0}, {error}};
  const int integral = d.add("integral", IntegratorBlock{}, {error});
  d.output(0), d.output(plant), d.output(integral);
  return d.spec;
}

TEST(Blocks, RatesOfALoopAreThoseOfTheTrajectory) {
  Blocks blocks(control_loop());
  ModelDriver driver(blocks, 0.0);
  driver.run_to(0.7, 1e-2);
  const double h = 1e-5;
  const auto before = driver.outputs();
  driver.run_to(0.7 + h, h);
  const auto middle = driver.outputs();
  driver.run_to(0.7 + 2.0 * h, h);
  const auto after = driver.outputs();
  for (std::size_t p = 0; p < middle.size(); ++p) {
    EXPECT_NEAR(middle[p].flow_rate, (after[p].flow - before[p].flow) / (2.0 * h), 1e-5);
  }
}

TEST(Blocks, JacobianAgreesWithDifferences) {
  Blocks blocks(control_loop());
  ModelDriver driver(blocks, 0.0);
  driver.run_to(0.7, 1e-2);
  const auto y = driver.y();
  const std::size_t n = y.size();
  std::vector<double> columns(n * n), up(n), down(n);
  ASSERT_TRUE(blocks.jacobian(0.7, y, columns));
  for (std::size_t c = 0; c < n; ++c) {
    const double h = 1e-6;
    auto shifted = y;
    shifted[c] = y[c] + h;
    blocks.rhs(0.7, wave::Side::left, shifted, up);
    shifted[c] = y[c] - h;
    blocks.rhs(0.7, wave::Side::left, shifted, down);
    for (std::size_t r = 0; r < n; ++r) {
      const double expected = (up[r] - down[r]) / (2.0 * h);
      EXPECT_NEAR(columns[c * n + r], expected, 1e-5 * (1.0 + std::abs(expected))) << r << ", " << c;
    }
  }
}

TEST(Blocks, OrderInTheFileDoesNotMatter) {
  const BlocksSpec spec = control_loop();
  BlocksSpec reversed;
  const int last = static_cast<int>(spec.blocks.size()) - 1;
  for (int b = last; b >= 0; --b) {
    reversed.blocks.push_back(spec.blocks[b]);
    for (int& input : reversed.blocks.back().inputs) input = last - input;
  }
  Blocks one(spec), other(reversed);
  ModelDriver first(one, 0.0), second(other, 0.0);
  first.run_to(1.0, 0.01), second.run_to(1.0, 0.01);
  EXPECT_EQ(first.value("plant.value"), second.value("plant.value"));
}

TEST(Blocks, RestoredModesContinueAlike) {
  Diagram d;
  const int source = d.source("{2*sin(3*t)*step(t-0.1)}");
  const int limiter = d.add("l", LimiterBlock{-0.5, 0.7}, {source});
  const int hold = d.add("h", SampleHoldBlock{0.13}, {source});
  const int sum = d.add("sum", SumBlock{{1.0, 1.0}}, {limiter, hold});
  const int pid = d.add("pid", PidBlock{.kp = 1.0, .ki = 2.0, .lower = -1.0, .upper = 1.0}, {sum});
  d.add("i", IntegratorBlock{.lower = -0.1, .upper = 0.1}, {pid});
  Blocks one(d.spec), other(d.spec);
  ModelDriver driver(one, 0.0);
  ASSERT_TRUE(other.begin(0.0));
  driver.run_to(0.5, 0.01);
  core::ArchiveWriter writer;
  one.save_modes(writer);
  core::ArchiveReader reader(writer.bytes());
  other.restore_modes(reader);
  EXPECT_TRUE(reader.at_end());
  std::vector<double> expected(one.columns().size()), found(expected.size());
  const std::vector<double> ydot(driver.y().size());
  one.record(0.5, wave::Side::right, driver.y(), ydot, expected);
  other.record(0.5, wave::Side::right, driver.y(), ydot, found);
  EXPECT_EQ(expected, found);
}

TEST(Blocks, AlgebraicLoopsAreFoundInTheOrderOfTheSignals) {
  Diagram d;
  d.add("a", GainBlock{1.0}, {2});
  d.add("b", GainBlock{1.0}, {0});
  d.add("c", GainBlock{1.0}, {1});
  const EvaluationOrder found = evaluation_order(d.spec);
  EXPECT_EQ(found.loop, (std::vector<int>{1, 2, 0}));
  EXPECT_FALSE(Blocks(d.spec).begin(0.0));
  d.spec.blocks[1].kind = IntegratorBlock{};
  EXPECT_TRUE(evaluation_order(d.spec).loop.empty());
}

}  // namespace blocks_response_test
}  // namespace tieline::components
