// Triggered clocks from FMU to FMU (FMI 3.0), by model exchange and by co-simulation, isolated and not. The FMUs of
// these tests refuse to be asked for, or given, a variable whose clock does not tick.

#include <cmath>
#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_clocks_test {

struct Way {
  const char* mode;
  const char* isolate;
};
constexpr Way kWays[] = {
    {"model_exchange", "false"}, {"model_exchange", "true"}, {"co_simulation", "false"}, {"co_simulation", "true"}};

std::string member(const Way& way, const std::string& name, const std::string& fmu, const std::string& content = "") {
  return fmt::format(
      "<Component name=\"{}\" kind=\"fmu\" file=\"{}\" isolate=\"{}\"><Fmu mode=\"{}\"/>{}</Component>\n", name,
      fmu_file(fmu, 3).string(), way.isolate, way.mode, content);
}

std::string signal(const std::string& from, const std::string& to) {
  return fmt::format("<Connection from=\"{}\" to=\"{}\"/>", from, to);
}

/// Of rows that are not at a tick itself, where both sides are recorded.
double deviation(const RunRecord& run, const std::string& variable, double period,
                 const std::function<double(double t)>& expected) {
  double largest = 0.0;
  const auto& times = run.times(variable);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::abs(times[i] / period - std::round(times[i] / period)) < 1e-6) continue;
    largest = std::max(largest, std::abs(run.values(variable)[i] - expected(times[i])));
  }
  return largest;
}

// A distance of 2 m/s ticks every 0.5 m, so every 0.25 s; the counter adds up the marks, and every third tick of it
// makes another counter count at the same instant.
TEST(FmuClocks, TickFromFmuToFmuAtTheSameInstant) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(fmt::format("{}, isolate {}", way.mode, way.isolate));
    const RunRecord run = run_text(composite(
        member(way, "third", "counter") + member(way, "counter", "counter") + member(way, "sampler", "sampler"),
        signal("sampler.tick", "counter.tick") + signal("sampler.mark", "counter.u") +
            signal("counter.carry", "third.tick") + signal("counter.sum", "third.u"),
        "stop=\"2.1\" write_interval=\"0.03\" tolerance=\"1e-9\""));
    const auto ticks = [](double t) { return std::floor(t / 0.25); };
    const auto thirds = [&](double t) { return std::floor(ticks(t) / 3.0); };
    EXPECT_EQ(deviation(run, "sampler.tick.value", 0.25, ticks), 0.0);
    EXPECT_EQ(deviation(run, "counter.count.value", 0.25, ticks), 0.0);
    EXPECT_EQ(deviation(run, "third.count.value", 0.25, thirds), 0.0);
    EXPECT_LE(deviation(run, "sampler.mark.value", 0.25, [&](double t) { return 0.5 * ticks(t); }), 1e-9);
    EXPECT_LE(deviation(run, "counter.moment.value", 0.25, [&](double t) { return 0.25 * ticks(t); }), 1e-9);
    EXPECT_LE(deviation(run, "third.moment.value", 0.25, [&](double t) { return 0.75 * thirds(t); }), 1e-9);
    const auto sum = [](double n) { return 0.25 * n * (n + 1.0); };  // of the marks
    EXPECT_LE(deviation(run, "counter.sum.value", 0.25, [&](double t) { return sum(ticks(t)); }), 1e-8);
    EXPECT_NEAR(run.values("third.sum.value").back(), sum(3.0) + sum(6.0), 1e-8);
  }
}

// From its third tick on the counter asks for a double pitch, which is that of the marks after the next one.
TEST(FmuClocks, WhatFollowsATickComesBackAtTheSameInstant) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(fmt::format("{}, isolate {}", way.mode, way.isolate));
    const RunRecord run =
        run_text(composite(member(way, "sampler", "sampler") +
                               member(way, "counter", "counter", start("limit", "3") + start("wish_late", "2")),
                           signal("sampler.tick", "counter.tick") + signal("sampler.mark", "counter.u") +
                               signal("counter.wish", "sampler.factor"),
                           "stop=\"2.1\" write_interval=\"0.03\" tolerance=\"1e-9\""));
    // Marks at 0.5, 1, 1.5, 2, 3, 4 m: ticks at 0.25, 0.5, 0.75, 1, 1.5, 2 s.
    const auto ticks = [](double t) { return t < 1.0 ? std::floor(t / 0.25) : 4.0 + std::floor((t - 1.0) / 0.5); };
    EXPECT_EQ(deviation(run, "counter.count.value", 0.25, ticks), 0.0);
    EXPECT_NEAR(run.values("counter.sum.value").back(), 0.5 + 1.0 + 1.5 + 2.0 + 3.0 + 4.0, 1e-8);
    EXPECT_NEAR(run.values("counter.moment.value").back(), 2.0, 1e-9);
  }
}

// The k-th countdown takes k tenths of a second.
TEST(FmuClocks, CountDownAndTickOthers) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(fmt::format("{}, isolate {}", way.mode, way.isolate));
    const RunRecord run = run_text(composite(member(way, "counter", "counter") + member(way, "alarm", "alarm"),
                                             signal("alarm.ring", "counter.tick") + signal("alarm.rings", "counter.u"),
                                             "stop=\"2.3\" write_interval=\"0.07\""));
    const auto rings = [](double t) {
      int k = 0;
      while (0.05 * (k + 1) * (k + 2) <= t) ++k;
      return static_cast<double>(k);
    };
    EXPECT_EQ(deviation(run, "alarm.rings.value", 0.1, rings), 0.0);
    EXPECT_EQ(deviation(run, "counter.count.value", 0.1, rings), 0.0);
    EXPECT_LE(deviation(run, "counter.moment.value", 0.1, [&](double t) { return 0.05 * rings(t) * (rings(t) + 1.0); }),
              1e-9);
    EXPECT_EQ(run.values("counter.sum.value").back(), 1.0 + 2.0 + 3.0 + 4.0 + 5.0 + 6.0);
  }
}

// A connection with a delay carries the number of ticks.
TEST(FmuClocks, TickLaterThroughADelay) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(fmt::format("{}, isolate {}", way.mode, way.isolate));
    const RunRecord run = run_text(composite(member(way, "counter", "counter") + member(way, "sampler", "sampler"),
                                             "<Connection from=\"sampler.tick\" to=\"counter.tick\" delay=\"0.1\"/>",
                                             "stop=\"2.16\" write_interval=\"0.03\""));
    const auto ticks = [](double t) { return std::floor(std::max(t - 0.1, 0.0) / 0.25); };
    double largest = 0.0;
    for (std::size_t i = 0; i < run.times("counter.count.value").size(); ++i) {
      const double t = run.times("counter.count.value")[i], at = (t - 0.1) / 0.25;
      // With co-simulation, inputs from outside are taken at the next communication point.
      if (at - std::floor(at) < (way.mode == std::string("co_simulation") ? 0.4 : 1e-6) || std::ceil(at) - at < 1e-6) {
        continue;
      }
      largest = std::max(largest, std::abs(run.values("counter.count.value")[i] - ticks(t)));
    }
    EXPECT_EQ(largest, 0.0);
    EXPECT_EQ(run.values("counter.count.value").back(), 8.0);
  }
}

// Countdowns of no time at all.
TEST(FmuClocks, ThatTickWithoutEndAreAnError) {
  for (const Way& way : kWays) {
    const std::string complaint =
        complaint_of(composite(member(way, "counter", "counter") + member(way, "alarm", "alarm", start("first", "0")),
                               signal("alarm.ring", "counter.tick"), "stop=\"1\""));
    EXPECT_NE(complaint.find("trigger one another without end"), std::string::npos) << complaint;
  }
}

TEST(FmuClocks, AreInCheckpoints) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(fmt::format("{}, isolate {}", way.mode, way.isolate));
    const ModelFiles model(composite(member(way, "counter", "counter") + member(way, "alarm", "alarm"),
                                     signal("alarm.ring", "counter.tick") + signal("alarm.rings", "counter.u"),
                                     "stop=\"2\" save_interval=\"0.5\""));
    const auto run_to = [&](const std::filesystem::path& folder, double until) {
      Simulation simulation = Simulation::load(model.path());
      simulation.checkpoint_every(0.5);
      simulation.record_to(folder);
      simulation.advance_to(until);
      simulation.finish();
    };
    const TemporaryFolder unbroken, broken;
    run_to(unbroken.path(), 2.0);
    run_to(broken.path(), 1.2);
    Simulation resumed = Simulation::resume(broken.path());
    resumed.advance_to(2.0);
    resumed.finish();
    EXPECT_TRUE(have_same_bits(read_run(unbroken.path()), read_run(broken.path())));
  }
}

TEST(FmuClocks, OneThatNothingTicksIsReported) {
  for (const Way& way : kWays) {
    const ModelFiles model(composite(member(way, "counter", "counter"), "", "stop=\"0.2\""));
    const Simulation simulation = Simulation::load(model.path());
    std::string warnings;
    for (const std::string& warning : simulation.warnings()) warnings += warning + "\n";
    EXPECT_NE(warnings.find("clock 'tick' of the FMU is never activated"), std::string::npos) << warnings;
  }
}

}  // namespace fmi_clocks_test
}  // namespace tieline::support
