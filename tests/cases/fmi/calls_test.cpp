// How often an FMU is called: what a run of so many steps asks of it, and no more.

#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_calls_test {

constexpr int kSteps = 100;
constexpr double kStep = 0.01;  // [s]
// Calls at the start, whatever the number of steps: what inputs start with, and what outputs are once it is
// initialized.
constexpr double kMostAtStart = 8.0;

std::string meter(const std::string& name, int version, const std::string& isolate, const std::string& record) {
  return fmt::format(
      "<Component name=\"{}\" kind=\"fmu\" file=\"{}\" isolate=\"{}\" step=\"{}\"><Fmu mode=\"co_simulation\" "
      "record=\"{}\"/></Component>\n",
      name, fmu_file("meter", version).string(), isolate, kStep, record);
}

double last(const RunRecord& run, const std::string& variable) { return run.values(variable + ".value").back(); }

TEST(FmuCalls, OneReadingOfAllOutputsForEachRow) {
  for (const int version : {2, 3}) {
    for (const char* isolate : {"false", "true"}) {
      SCOPED_TRACE(fmt::format("FMI {}, isolate {}", version, isolate));
      const RunRecord run = run_text(composite(meter("m", version, isolate, "outputs"), "", "stop=\"1\""));
      EXPECT_EQ(last(run, "m.steps"), kSteps);
      EXPECT_GE(last(run, "m.gets"), kSteps + 1);
      EXPECT_LE(last(run, "m.gets"), kSteps + 1 + kMostAtStart);
      EXPECT_EQ(last(run, "m.sets"), 0.0);
      EXPECT_EQ(last(run, "m.saves"), 0.0);
      EXPECT_NEAR(last(run, "m.y"), 1.0, 1e-12);
    }
  }
}

TEST(FmuCalls, NothingIsReadBetweenRows) {
  for (const int version : {2, 3}) {
    const RunRecord run =
        run_text(composite(meter("m", version, "false", "outputs"), "", "stop=\"1\" write_interval=\"0.1\""));
    EXPECT_EQ(last(run, "m.steps"), kSteps);
    EXPECT_LE(last(run, "m.gets"), 11 + kMostAtStart);
  }
}

// Rows between points need the points on both sides, of which one is the other side of the next row only by chance.
TEST(FmuCalls, RowsBetweenPointsReadTheTwoPointsAroundThem) {
  const RunRecord run =
      run_text(composite(meter("m", 3, "false", "outputs"), "", "stop=\"1\" write_interval=\"0.095\""));
  EXPECT_LE(last(run, "m.gets"), 2 * 11 + kMostAtStart);
}

// A chain: each number is set once a step, and read once, also where it is recorded.
TEST(FmuCalls, ConnectedNumbersAreReadAndSetOnceAStep) {
  for (const int version : {2, 3}) {
    for (const char* isolate : {"false", "true"}) {
      SCOPED_TRACE(fmt::format("FMI {}, isolate {}", version, isolate));
      const RunRecord run =
          run_text(composite(meter("a", version, isolate, "none") + meter("b", version, isolate, "none"),
                             "<Connection from=\"a.y\" to=\"b.u\"/>", "stop=\"1\""));
      // Of a, y for the connection and the counters for the row; of b, the outputs for the row.
      EXPECT_LE(last(run, "a.gets"), 2 * kSteps + 2 + kMostAtStart);
      EXPECT_LE(last(run, "b.gets"), kSteps + 1 + kMostAtStart);
      EXPECT_EQ(last(run, "a.sets"), 0.0);
      EXPECT_LE(last(run, "b.sets"), kSteps + kMostAtStart);
      EXPECT_NEAR(last(run, "b.y"), 2.0, 1e-12);
      EXPECT_EQ(last(run, "b.saves"), 0.0);
    }
  }
}

}  // namespace fmi_calls_test
}  // namespace tieline::support
