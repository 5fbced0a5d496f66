// Co-simulation FMUs that signals join without delay.

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "fmi/cs_systems.hpp"

namespace tieline::fmi {
namespace cs_system_test {

core::Window window(double begin, double end) { return {.begin = begin, .end = end, .horizon = end}; }

double value(CsSystem& system, const std::string& column, std::size_t skip = 0) {
  const auto columns = system.columns();
  std::vector<double> values(columns.size());
  system.current_values(values);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].name == column && skip-- == 0) return values[k];
  }
  throw std::out_of_range(column);
}

std::size_t count(const Plan& plan, PlanStep::Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(plan.begin(), plan.end(), [&](const PlanStep& step) { return step.kind == kind; }));
}

// Two FMUs that feed each other through different variables: output 0 of each follows its input 1, which nobody feeds.
SignalNet crossed() {
  SignalNet net{.members = 2};
  net.outputs = {{0, {}}, {1, {}}};
  net.inputs = {{0, 1}, {1, 0}};
  return net;
}

TEST(ExchangePlan, CrossedSignalsTakeOneCallEachWay) {
  const std::vector<bool> both{true, true}, none{false, false};
  for (const auto schedule : {core::Schedule::jacobi, core::Schedule::gauss_seidel}) {
    const SignalNet net = crossed();
    const Plan plan = stepping_plan(net, both, schedule, order_of(net), none);
    EXPECT_EQ(count(plan, PlanStep::Kind::get), 2U);
    EXPECT_EQ(count(plan, PlanStep::Kind::set), 2U);
    EXPECT_EQ(count(plan, PlanStep::Kind::advance), 2U);
    EXPECT_EQ(count(plan, PlanStep::Kind::loop), 0U);
  }
}

TEST(ExchangePlan, ChainsThatFollowAtOnceAreReadInTheirOrder) {
  // c follows b follows a; a follows nothing. Listed in the wrong order.
  SignalNet net{.members = 3};
  net.outputs = {{0, {0}}, {1, {1}}, {2, {}}};
  net.inputs = {{0, 1}, {1, 2}};
  EXPECT_EQ(order_of(net), (std::vector<std::uint32_t>{2, 1, 0}));
  const std::vector<bool> all{true, true, true}, none{false, false, false};
  // One after the other nothing is read twice.
  const Plan swept = stepping_plan(net, all, core::Schedule::gauss_seidel, order_of(net), none);
  EXPECT_EQ(count(swept, PlanStep::Kind::get), 3U);
  EXPECT_EQ(count(swept, PlanStep::Kind::set), 2U);
  EXPECT_EQ(count(settling_plan(net, all), PlanStep::Kind::loop), 0U);
}

TEST(ExchangePlan, LoopsAreFoundByVariable) {
  SignalNet net{.members = 2};
  net.outputs = {{0, {0}}, {1, {1}}, {0, {}}};
  net.inputs = {{0, 1}, {1, 0}, {1, 2}};
  const Plan plan = settling_plan(net, {true, true});
  const auto loop =
      std::find_if(plan.begin(), plan.end(), [](const PlanStep& step) { return step.kind == PlanStep::Kind::loop; });
  ASSERT_NE(loop, plan.end());
  EXPECT_EQ(loop->numbers, (std::vector<std::uint32_t>{0, 1}));
}

TEST(ExchangePlan, WhatComesFromOutsideIsPassedThrough) {
  SignalNet net{.members = 2};
  net.outputs = {{0, {0}}, {1, {1}}};
  net.inputs = {{0, SignalNet::kOutside}, {1, 0}};
  const Plan plan = refreshing_plan(net, {true, true});
  EXPECT_EQ(count(plan, PlanStep::Kind::set), 2U);
  EXPECT_EQ(count(plan, PlanStep::Kind::get), 2U);
  EXPECT_TRUE(refreshing_plan(crossed(), {true, true}).empty());
}

TEST(StepGrid, HasACommonMeasure) {
  const auto grid =
      value_or_throw(make_step_grid({{.name = "a", .step = 0.02}, {.name = "b", .step = 0.03}}, 1.0, 0.0, 0.1));
  EXPECT_NEAR(grid.measure, 0.01, 1e-15);
  EXPECT_EQ(grid.turn, 6U);
  EXPECT_EQ(grid.last, 10);
  EXPECT_EQ(grid.time(10), 0.1);
  EXPECT_FALSE(make_step_grid({{.name = "a", .step = 1.0}, {.name = "b", .step = std::sqrt(2.0)}}, 1.0, 0.0, 0.0));
}

TEST(StepGrid, SuggestsStepsThatFit) {
  const auto cut = make_step_grid({{.name = "a", .step = 0.3, .is_stated = true, .is_constant = true}}, 1.0, 0.0, 1.0);
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().message.find("use 0.333333333 s or 0.25 s"), std::string::npos) << cut.error().message;
  const auto suggested =
      value_or_throw(make_step_grid({{.name = "a", .step = 0.3, .is_constant = true}}, 1.0, 0.0, 1.0));
  EXPECT_EQ(suggested.steps.front(), 0.25);
  const auto inner = make_step_grid({{.name = "a", .step = 0.025, .internal_step = 0.01}}, 1.0, 0.0, 0.0);
  ASSERT_FALSE(inner);
  EXPECT_NE(inner.error().message.find("use 0.02 s or 0.03 s"), std::string::npos) << inner.error().message;
}

class CsSystems : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Fmi, CsSystems, testing::Values(1, 2, 3));

/// A mass without a spring of its own that a gain holds: x'' = -100 x from x = 0.1.
std::vector<CsPart> oscillator(int version, double step, double gain_step, double stop) {
  std::vector<CsPart> parts;
  parts.push_back(part("m", read_spec("mass", version, {{"k", "0"}, {"c", "0"}}), step, stop));
  parts.push_back(part("g", read_spec("feedthrough", version, {{"gain", "-100"}}), gain_step, stop));
  return parts;
}

double oscillator_error(int version, double step, core::Schedule schedule, bool extrapolates) {
  auto parts = oscillator(version, step, step, 0.5);
  for (CsPart& each : parts) each.extrapolates = extrapolates;
  parts.front().schedule = schedule;
  const std::vector<SignalLink> links{link(parts, 0, "x", 1, "float64_in"), link(parts, 1, "float64_out", 0, "f")};
  CsSystem system("s", parts, links);
  expect_done(system.start(0.0));
  expect_done(system.advance(window(0.0, 0.5)));
  return std::abs(value(system, "x.value") - 0.1 * std::cos(5.0));
}

TEST_P(CsSystems, HeldInputsAreOfFirstOrderAndStraightOnesOfSecond) {
  for (const auto schedule : {core::Schedule::jacobi, core::Schedule::gauss_seidel}) {
    const double held = oscillator_error(GetParam(), 1e-3, schedule, false);
    EXPECT_NEAR(oscillator_error(GetParam(), 2e-3, schedule, false) / held, 2.0, 0.3);
    const double straight = oscillator_error(GetParam(), 1e-3, schedule, true);
    EXPECT_LT(straight, 0.05 * held);
    EXPECT_GT(oscillator_error(GetParam(), 2e-3, schedule, true) / straight, 3.0);
  }
}

TEST_P(CsSystems, EachHasAStepOfItsOwn) {
  // The gain is asked every tenth step: the force is constant meanwhile, and the motion a parabola.
  auto parts = oscillator(GetParam(), 0.001, 0.01, 1.0);
  const std::vector<SignalLink> links{link(parts, 0, "x", 1, "float64_in"), link(parts, 1, "float64_out", 0, "f")};
  CsSystem system("s", parts, links);
  expect_done(system.start(0.0));
  expect_done(system.advance(window(0.0, 0.01)));
  const double x = 0.1 - 0.5 * 10.0 * 1e-4;
  EXPECT_NEAR(value(system, "x.value"), x, 1e-14);
  EXPECT_NEAR(value(system, "float64_out.value"), -100.0 * x, 1e-12);
  expect_done(system.advance(window(0.01, 0.019)));
  EXPECT_NEAR(value(system, "float64_in.value"), x, 1e-14);
}

TEST_P(CsSystems, LoopsAreSolvedOrNamed) {
  const auto run = [&](const char* first, const char* second) -> core::Result<void> {
    std::vector<CsPart> parts;
    parts.push_back(part("a", read_spec("feedthrough", GetParam(), {{"gain", first}, {"float64_in", "1"}}), 0.1));
    parts.push_back(part("b", read_spec("feedthrough", GetParam(), {{"gain", second}, {"float64_in", "3"}}), 0.1));
    const std::vector<SignalLink> links{link(parts, 0, "float64_out", 1, "float64_in"),
                                        link(parts, 1, "float64_out", 0, "float64_in")};
    CsSystem system("s", parts, links);
    if (auto started = system.start(0.0); !started) return started;
    if (auto advanced = system.advance(window(0.0, 1.0)); !advanced) return advanced;
    EXPECT_NEAR(value(system, "float64_in.value"), 0.0, 1e-11);
    return {};
  };
  expect_done(run("-3", "0.7"));
  const auto singular = run("2", "0.5");
  ASSERT_FALSE(singular);
  const std::string& message = singular.error().message;
  EXPECT_NE(message.find("a.float64_out to b.float64_in (differs by"), std::string::npos) << message;
  EXPECT_NE(message.find("b.float64_out to a.float64_in"), std::string::npos) << message;
}

TEST_P(CsSystems, TypesAreConverted) {
  // Different variables make no loop: a number, a whole number and a truth value go to and fro.
  std::vector<CsPart> parts;
  parts.push_back(part("a", read_spec("feedthrough", GetParam(), {{"gain", "2"}, {"float64_in", "1.3"}}), 0.1));
  parts.push_back(part("b", read_spec("feedthrough", GetParam(), {{"gain", "3"}, {"boolean_in", "true"}}), 0.1));
  const std::vector<SignalLink> links{link(parts, 0, "float64_out", 1, "int32_in"),
                                      link(parts, 1, "int32_out", 0, "int32_in"),
                                      link(parts, 1, "boolean_out", 0, "boolean_in")};
  CsSystem system("s", parts, links);
  expect_done(system.start(0.0));
  expect_done(system.advance(window(0.0, 1.0)));
  EXPECT_EQ(value(system, "int32_out.value", 0), 3.0);
  EXPECT_EQ(value(system, "int32_out.value", 1), 3.0);
  EXPECT_EQ(value(system, "boolean_out.value", 0), 1.0);
}

TEST_P(CsSystems, ContinueFromASnapshotWithTheSameValues) {
  auto parts = oscillator(GetParam(), 0.01, 0.02, 1.0);
  for (CsPart& each : parts) each.extrapolates = true;
  const std::vector<SignalLink> links{link(parts, 0, "x", 1, "float64_in"), link(parts, 1, "float64_out", 0, "f")};
  CsSystem system("s", parts, links), other("s", parts, links);
  const bool can_save = system.capabilities().can_snapshot && system.capabilities().can_save_at_save_points;
  ASSERT_EQ(can_save, GetParam() > 1) << "FMI 1.0 has no states to save";
  if (!can_save) return;
  expect_done(system.start(0.0));
  expect_done(other.start(0.0));
  expect_done(system.advance(window(0.0, 0.513)));
  core::ArchiveWriter archive;
  expect_done(system.save(archive));
  expect_done(system.advance(window(0.513, 1.0)));
  const double x = value(system, "x.value"), force = value(system, "f.value");
  core::ArchiveReader reader(archive.bytes());
  expect_done(other.restore(reader));
  expect_done(other.advance(window(0.513, 1.0)));
  EXPECT_EQ(value(other, "x.value"), x);
  EXPECT_EQ(value(other, "f.value"), force);
}

TEST_P(CsSystems, PublishesAtPointsAndAtTheEndsOfWindows) {
  std::vector<CsPart> parts;
  parts.push_back(part("a", read_spec("mass", GetParam(), {{"k", "0"}, {"c", "0"}, {"v", "2"}}), 0.1, 1.0));
  CsSystem system("a", parts);
  core::Port& published = system.interfaces().ports_of(interface_of(parts[0].spec, "x")).front();
  core::Port& taken = system.interfaces().ports_of(interface_of(parts[0].spec, "f")).front();
  published.is_connected = taken.is_connected = true;
  taken.incoming.set_interpolation(wave::Interpolation::linear);
  taken.incoming.push({0.0, 0.0, 0.0, 0.0});
  expect_done(system.start(0.0));
  for (int k = 1; k <= 20; ++k) {
    // Nothing beyond the window is asked.
    taken.incoming.push({0.05 * k, 0.0, 0.0, 0.0});
    expect_done(system.advance(window(0.05 * (k - 1), 0.05 * k)));
    EXPECT_EQ(published.outbox.back().t, 0.05 * k);
  }
  for (const wave::Sample& sample : published.outbox) EXPECT_NEAR(sample.flow, 0.1 + 2.0 * sample.t, 1e-12);
}

TEST_P(CsSystems, ErrorsNameTheFmu) {
  const auto run = [&](const std::string& behaviour) {
    std::vector<CsPart> parts;
    parts.push_back(part("bad", read_spec("nasty", GetParam(), {{"behaviour", behaviour}, {"at", "0.35"}}), 0.1));
    parts.push_back(part("good", read_spec("feedthrough", GetParam(), {}), 0.1));
    const std::vector<SignalLink> links{link(parts, 0, "x", 1, "float64_in")};
    CsSystem system("s", parts, links);
    expect_done(system.start(0.0));
    auto advanced = system.advance(window(0.0, 1.0));
    EXPECT_FALSE(advanced) << behaviour;
    return advanced ? core::Error{} : advanced.error();
  };
  const core::Error nan = run("nan"), failed = run("error"), discarded = run("discard");
  for (const core::Error* error : {&nan, &failed, &discarded}) {
    EXPECT_EQ(error->component, "bad");
    EXPECT_NEAR(error->time, 0.4, 0.11) << error->describe();
  }
  EXPECT_EQ(nan.code, core::ErrorCode::not_finite);
  EXPECT_NE(nan.message.find("'x'"), std::string::npos) << nan.message;
  EXPECT_NE(failed.message.find("as it was told"), std::string::npos) << failed.message;
  EXPECT_NE(discarded.message.find("discards every step"), std::string::npos) << discarded.message;
}

TEST_P(CsSystems, SampledControllersSettleTheirEvents) {
  // A controller that samples by itself holds a mass: x goes to r = 1 with what it integrates.
  std::vector<CsPart> parts;
  parts.push_back(part("m", read_spec("mass", GetParam(), {{"x", "0"}, {"c", "20"}}), 0.005, 20.0));
  parts.push_back(
      part("c", read_spec("controller", GetParam(), {{"r", "1"}, {"kp", "20"}, {"ki", "100"}}), 0.005, 20.0));
  const std::vector<SignalLink> links{link(parts, 0, "x", 1, "y"), link(parts, 1, "u", 0, "f")};
  CsSystem system("s", parts, links);
  expect_done(system.start(0.0));
  expect_done(system.advance(window(0.0, 20.0)));
  EXPECT_NEAR(value(system, "x.value"), 1.0, 1e-3);
}

}  // namespace cs_system_test
}  // namespace tieline::fmi
