// Tools that meet over links, against the exact solution of what they are.

#include <thread>

#include "plugin/fake_master.hpp"
#include "plugin/tools.hpp"
#include "support/exact_pair.hpp"

namespace tieline::plugin {
namespace free_run_test {

constexpr double kDelay = 0.01, kImpedance = 20.0, kStop = 0.2;

transport::Setup setup(const std::string& name) {
  return {.component = name, .start = 0.0, .stop = kStop, .interfaces = {{.name = "axle", .is_connected = true}}};
}

transport::ConnectionMessage line() {
  return {.kind = transport::ConnectionMessage::Kind::line,
          .name = "bar",
          .delay = kDelay,
          .impedance = kImpedance,
          .row_interval = kDelay,
          .columns = {0, 1, 2}};
}

struct Outcome {
  double error = 0.0;  ///< of the end positions and velocities
  double residual = 0.0, drift = 0.0;
  std::array<MassTool, 2> tools{};
};

support::Pair pair() {
  support::Pair pair;
  pair.mass1 = 1.0, pair.mass2 = 2.0;
  pair.velocity1 = 0.5, pair.velocity2 = -0.1;
  pair.ground_stiffness = 400.0;
  return pair;
}

std::array<MassTool, 2> tools(double step) {
  std::array<MassTool, 2> tools;
  tools[0] = {.mass = 1.0, .step = step, .v = 0.5, .ground_stiffness = 400.0};
  tools[1] = {.mass = 2.0, .step = step, .v = -0.1};
  return tools;
}

/// Reads the force a whole window beyond where the step may end; true if that fails.
bool looks_at_the_horizon(tieline_session* session, int id, double t) {
  double limit = 0.0, force = 0.0;
  if (tieline_step_limit(session, t, &limit) != TIELINE_OK) return true;
  const double window = 0.5 * kDelay, end = (std::floor(t / window + 1e-9) + 2.0) * window;
  return tieline_get_force(session, id, std::min(end, kStop), 0.0, &force) != TIELINE_OK;
}

Outcome run(double step, bool reports_acceleration, double save_interval = 0.0, bool looks_ahead = false) {
  Outcome outcome;
  outcome.tools = tools(step);
  for (MassTool& tool : outcome.tools) tool.reports_acceleration = reports_acceleration;
  if (looks_ahead) {
    for (MassTool& tool : outcome.tools) tool.before_step = looks_at_the_horizon;
  }
  FakeMaster master({setup("a"), setup("b")});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i, options = master.options(i)] { outcome.tools[i].run(options); });
  }
  master.meet();
  master.join_two(kStop, kDelay, {line()}, save_interval, 0.01);
  master.begin();
  master.go(master.stop_tick());
  const auto parked = master.parked();
  EXPECT_TRUE(parked) << (parked ? "" : parked.error().describe());
  master.fleet().dismiss();
  for (std::thread& thread : threads) thread.join();
  for (const MassTool& tool : outcome.tools) EXPECT_EQ(tool.answer, TIELINE_STOP) << tool.error;
  const auto exact = support::solve_on_line(pair(), {kImpedance, kDelay}).at(kStop);
  const auto& [a, b] = outcome.tools;
  outcome.error = std::max({std::abs(a.x - exact.x1), std::abs(b.x - exact.x2), 0.01 * std::abs(a.v - exact.v1),
                            0.01 * std::abs(b.v - exact.v2)});
  const std::vector<double> rows = master.table("connections.bar");
  EXPECT_GE(rows.size(), 4U * 19U);
  for (std::size_t k = 0; k + 3 < rows.size(); k += 4) {
    outcome.residual = std::max(outcome.residual, std::abs(rows[k + 2]));
    outcome.drift = std::max(outcome.drift, std::abs(rows[k + 3]));
  }
  const std::vector<double> of_a = master.table("a");
  EXPECT_EQ(of_a.size(), 4U * 21U);
  if (of_a.size() >= 84) {
    EXPECT_EQ(of_a[80], kStop);
    EXPECT_DOUBLE_EQ(of_a[81], a.x);
    EXPECT_EQ(of_a[1], 0.0);
  }
  return outcome;
}

TEST(FreeRun, ConvergesToTheExactSolution) {
  const Outcome coarse = run(2.5e-3, false), fine = run(1.25e-3, false);
  EXPECT_LT(coarse.error, 1e-5);
  EXPECT_GT(coarse.error / fine.error, 5.0) << coarse.error << " " << fine.error;
}

TEST(FreeRun, AccelerationsMakeItBetter) {
  const Outcome coarse = run(2.5e-3, true), fine = run(1.25e-3, true);
  EXPECT_LT(coarse.error, 1e-6);
  EXPECT_GT(coarse.error / fine.error, 10.0) << coarse.error << " " << fine.error;
}

TEST(FreeRun, EnergyOfTheLineBalances) {
  // The tool's motion between its steps is the parabola that its wave is made of, so they close but for rounding.
  const Outcome outcome = run(1.25e-3, false);
  EXPECT_LT(outcome.residual, 1e-12);
  EXPECT_LT(outcome.drift, 1e-12);
}

/// Largest velocity after many delays, of a tool without rates and small steps beside one with rates and large ones.
double speed_after_many_delays(double step) {
  constexpr double kLong = 2.0;
  std::array<MassTool, 2> both;
  both[0].mass = 1.0, both[0].step = step, both[0].v = 0.5, both[0].ground_stiffness = 1000.0;
  both[1].mass = 0.5, both[1].step = 1.0, both[1].reports_acceleration = true;
  const auto long_setup = [](const std::string& name) {
    transport::Setup result = setup(name);
    result.stop = kLong;
    return result;
  };
  FakeMaster master({long_setup("a"), long_setup("b")});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i, options = master.options(i)] { both[i].run(options); });
  }
  master.meet();
  auto rod = line();
  rod.impedance = 100.0;
  master.join_two(kLong, kDelay, {rod});
  master.begin();
  master.go(master.stop_tick());
  EXPECT_TRUE(master.parked());
  master.fleet().dismiss();
  for (std::thread& thread : threads) thread.join();
  return std::max(std::abs(both[0].v), std::abs(both[1].v));
}

TEST(FreeRun, StaysStableBesideAPartnerWithLargeSteps) {
  for (const double step : {1e-3, 1.25e-3, 2e-3, 2.5e-3, 3e-3, 5e-3}) {
    EXPECT_LT(speed_after_many_delays(step), 1.5) << step;
  }
}

TEST(FreeRun, StepsThatDoNotEndWithWindowsAreInterpolated) {
  // 0.7 of a window: hardly any step ends where a window does.
  const Outcome outcome = run(3.5e-3, false);
  EXPECT_LT(outcome.error, 3e-5);
  EXPECT_GT(outcome.tools[0].steps, 50);
}

// Steps need partners within one window only; who reads further waits for them there, and finds the same.
TEST(FreeRun, ForcesBeyondTheLimitAreThereForWhoReadsThem) {
  const Outcome ahead = run(3.5e-3, false, 0.0, true), plain = run(3.5e-3, false);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(ahead.tools[i].t, kStop);
    EXPECT_EQ(ahead.tools[i].x, plain.tools[i].x);
    EXPECT_EQ(ahead.tools[i].v, plain.tools[i].v);
    EXPECT_EQ(ahead.tools[i].steps, plain.tools[i].steps);
  }
}

TEST(FreeRun, SavePointsAreLandedOnAndARunContinuesFromThere) {
  const double save_interval = 0.1;
  const Outcome whole = run(3.5e-3, false, save_interval);
  std::vector<transport::Saved> saved;
  std::vector<std::vector<std::uint64_t>> ends;
  core::Tick tick = 0;
  {
    auto first = tools(3.5e-3);
    FakeMaster master({setup("a"), setup("b")});
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 2; ++i) {
      first[i].can_save = true;
      threads.emplace_back([&, i, options = master.options(i)] { first[i].run(options); });
    }
    master.meet();
    master.join_two(kStop, kDelay, {line()}, save_interval);
    master.begin();
    tick = *master.grid().exact_ticks(save_interval);
    master.go(tick);
    const auto parked = master.parked();
    ASSERT_TRUE(parked) << parked.error().describe();
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ((*parked)[i].tick, tick);
      ends.push_back((*parked)[i].ends);
      saved.push_back(master.save(i));
    }
    master.fleet().dismiss();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(first[0].t, save_interval);
  }
  auto second = tools(3.5e-3);
  FakeMaster master({setup("a"), setup("b")});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    second[i].can_save = true;
    threads.emplace_back([&, i, options = master.options(i)] { second[i].run(options); });
  }
  master.meet();
  master.join_two(kStop, kDelay, {line()}, save_interval);
  master.begin(saved, tick, ends);
  master.go(master.stop_tick());
  const auto parked = master.parked();
  EXPECT_TRUE(parked) << (parked ? "" : parked.error().describe());
  master.fleet().dismiss();
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(second[i].repeats, 1);
    EXPECT_EQ(second[i].x, whole.tools[i].x);
    EXPECT_EQ(second[i].v, whole.tools[i].v);
  }
}

}  // namespace free_run_test
}  // namespace tieline::plugin
