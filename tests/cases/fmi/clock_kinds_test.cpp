// Clocks of FMI 3.0 that tick by time, of every kind, by model exchange and by co-simulation, isolated and not, against
// the times that the standard demands (section 2.2.8.3). The FMU refuses to be asked for intervals and shifts where the
// standard does not allow it.

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_clock_kinds_test {

constexpr double kStop = 2.07;

struct ClockWay {
  const char* mode;
  const char* isolate;
};
constexpr ClockWay kClockWays[] = {
    {"model_exchange", "false"}, {"model_exchange", "true"}, {"co_simulation", "false"}, {"co_simulation", "true"}};

std::vector<double> every(double interval, double from, double to = kStop) {
  std::vector<double> ticks;
  for (int k = 0; from + k * interval < to; ++k) ticks.push_back(from + k * interval);
  return ticks;
}

/// When each clock ticks [s], by its name.
std::vector<std::pair<std::string, std::vector<double>>> expected_ticks() {
  // The period becomes 0.1 s at 0.7 s: from there on, not from the tick at 0.6 s.
  std::vector<double> tunable{0.0, 0.3, 0.6}, changing;
  for (const double t : every(0.1, 0.8)) tunable.push_back(t);
  for (double t = 0.1; t < kStop; t += changing.size() % 2 == 1 ? 0.4 : 0.1) changing.push_back(t);
  return {{"constant", every(0.25, 0.1)},
          {"fixed", every(0.2, 0.05)},
          {"tunable", tunable},
          {"changing", changing},
          {"countdown", every(0.5, 0.38)}};
}

class ClockedModel {
 public:
  explicit ClockedModel(const ClockWay& way, double stop = kStop, const std::string& simulation = "")
      : files_(composite(component(way, "counter", "counter") + component(way, "c", "clocks"),
                         "<Connection from=\"c.beat\" to=\"counter.tick\"/>"
                         "<Connection from=\"c.fixed.moment\" to=\"counter.u\" from_unit=\"s\" to_unit=\"s\"/>" +
                             fmt::format("<Open interface=\"c.period\" as=\"signal\" file=\"{}\" "
                                         "variable=\"period\"/>",
                                         (folder_.path() / "rows.csv").string()),
                         fmt::format("stop=\"{}\" write_interval=\"0.03\" {}", stop, simulation))) {
    std::ofstream(folder_.path() / "rows.csv") << "time,period\n0,0.3\n0.7,0.3\n0.7,0.1\n3,0.1\n";
  }
  [[nodiscard]] std::filesystem::path path() const { return files_.path(); }

 private:
  static std::string component(const ClockWay& way, const std::string& name, const std::string& fmu) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"fmu\" file=\"{}\" isolate=\"{}\"><Fmu mode=\"{}\"/></Component>\n", name,
        fmu_file(fmu, 3).string(), way.isolate, way.mode);
  }
  TemporaryFolder folder_;
  ModelFiles files_;
};

/// Calls check(ticks so far, time of the last one, value) for each row that is not at a tick, where both sides are
/// recorded, but for rounding.
template <class Check>
void for_rows(const RunRecord& run, const std::string& variable, const std::vector<double>& ticks, Check&& check) {
  const auto& times = run.times(variable);
  ASSERT_FALSE(times.empty());
  for (std::size_t i = 0; i < times.size(); ++i) {
    double count = 0.0, last = 0.0;
    bool is_at_tick = false;
    for (const double tick : ticks) {
      is_at_tick = is_at_tick || std::abs(tick - times[i]) < 1e-9;
      if (tick < times[i]) ++count, last = tick;
    }
    if (!is_at_tick) check(count, last, run.values(variable)[i]);
  }
}

TEST(FmuClockKinds, TickWhenTheStandardDemands) {
  for (const ClockWay& way : kClockWays) {
    SCOPED_TRACE(fmt::format("{}, isolate {}", way.mode, way.isolate));
    const ClockedModel model(way);
    const RunRecord run = run_model(model.path());
    for (const auto& [kind, ticks] : expected_ticks()) {
      SCOPED_TRACE(kind);
      for_rows(run, fmt::format("c.{}.count.value", kind), ticks,
               [](double count, double, double value) { EXPECT_EQ(value, count); });
      for_rows(run, fmt::format("c.{}.moment.value", kind), ticks,
               [](double, double last, double value) { EXPECT_NEAR(value, last, 1e-12); });
      EXPECT_EQ(run.values(fmt::format("c.{}.count.value", kind)).back(), static_cast<double>(ticks.size()));
    }
    // The output clock makes the other FMU count at the same instants, with what is there.
    const auto fixed = every(0.2, 0.05);
    for_rows(run, "counter.count.value", fixed, [](double count, double, double value) { EXPECT_EQ(value, count); });
    for_rows(run, "counter.moment.value", fixed,
             [](double, double last, double value) { EXPECT_NEAR(value, last, 1e-12); });
    double sum = 0.0;
    for (const double tick : fixed) sum += tick;
    EXPECT_NEAR(run.values("counter.sum.value").back(), sum, 1e-11);
  }
}

TEST(FmuClockKinds, AreInCheckpoints) {
  for (const ClockWay& way : kClockWays) {
    SCOPED_TRACE(fmt::format("{}, isolate {}", way.mode, way.isolate));
    const ClockedModel model(way, 2.0, "save_interval=\"0.5\"");
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

}  // namespace fmi_clock_kinds_test
}  // namespace tieline::support
