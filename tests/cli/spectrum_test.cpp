#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

#include "program.hpp"

namespace tieline::cli {
namespace spectrum_test {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A shaft that speeds up from 10 to 30 turns a second within 2 s; what it shakes three times a turn; and a tone.
constexpr const char* kModel = R"(<CompositeModel name="m">
  <Components>
    <Component name="shaft" kind="network" write_interval="0">
      <Network>
        <Inertia name="rotor" inertia="1" angular_velocity="{20*pi}"/>
        <Load name="drive" node="rotor" torque="{20*pi}"/>
      </Network>
    </Component>
    <Component name="seen" kind="blocks">
      <Blocks>
        <Source name="tone" value="{2*sin(2*pi*50*t) + 0.5*sin(2*pi*120*t)}"/>
        <Source name="third" value="{0.7*sin(3*(20*pi*t + 10*pi*t^2))}"/>
      </Blocks>
    </Component>
  </Components>
  <Simulation stop="2" write_interval="1e-3"/>
</CompositeModel>
)";

class SpectrumCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    work_.write("m.xml", kModel);
    const Outcome run = work_.tieline({"run", "m.xml", "--out", "results", "--quiet"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  /// Frequency and value of the largest peak.
  static std::pair<double, double> first_peak(const Outcome& outcome) {
    std::istringstream lines(outcome.out);
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream row(line);
      int place = 0;
      double frequency = 0.0, value = 0.0;
      if (row >> place >> frequency >> value && place == 1) return {frequency, value};
    }
    ADD_FAILURE() << outcome.out << outcome.err;
    return {};
  }
  Workplace work_;
};

TEST_F(SpectrumCommand, FindsAndMarksTones) {
  const Outcome outcome = work_.tieline({"spectrum", "results", "seen.tone.value", "-o", "s.svg", "--window",
                                         "flat_top", "--mark", "mains=50", "--mark", "6214@5000"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto [frequency, value] = first_peak(outcome);
  EXPECT_NEAR(frequency, 50.0, 0.1);
  EXPECT_NEAR(value, 2.0, 0.01);
  EXPECT_TRUE(says(outcome.out, "mains")) << outcome.out;
  EXPECT_TRUE(says(text_of(work_.path("s.svg")), "6214 outer ring"));
}

TEST_F(SpectrumCommand, MarksOnlyWhatAPeakIsNearTo) {
  // Lines are 0.5 Hz apart: 49.2 is more than a line away from 50, and 50.1 less than half of one.
  const Outcome other =
      work_.tieline({"spectrum", "results", "seen.tone.value", "--mark", "elsewhere=49.2", "--highest", "100"});
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_FALSE(says(other.out, "elsewhere")) << other.out;
  std::istringstream lines(other.out);
  int peaks = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream row(line);
    int place = 0;
    double frequency = 0.0;
    if (!(row >> place >> frequency)) continue;
    ++peaks;
    EXPECT_LE(frequency, 100.0) << line;
  }
  EXPECT_GT(peaks, 0);
  const Outcome near = work_.tieline({"spectrum", "results", "seen.tone.value", "--mark", "farther=49.8", "--mark",
                                      "nearer=50.1", "--mark", "6214@3000"});
  EXPECT_FALSE(says(near.out, "farther")) << near.out;
  // 3000 turns a minute are 50 Hz.
  EXPECT_TRUE(says(near.out, "6214 shaft")) << near.out;
}

TEST_F(SpectrumCommand, OrdersFollowTheShaft) {
  const Outcome outcome = work_.tieline({"spectrum", "results", "seen.third.value", "--order",
                                         "shaft.rotor.angular_velocity", "--window", "flat_top", "-o", "o.svg"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto [order, value] = first_peak(outcome);
  EXPECT_NEAR(order, 3.0, 0.02);
  // Cubic curves through 1000 values a second are right to a per cent at 90 Hz.
  EXPECT_NEAR(value, 0.7, 0.02);
}

TEST_F(SpectrumCommand, AveragesDensitiesAndEnvelopes) {
  EXPECT_EQ(work_.tieline({"spectrum", "results", "seen.*", "--density", "--segments", "4", "--log", "xy"}).exit_code,
            0);
  const Outcome envelope =
      work_.tieline({"spectrum", "results", "seen.tone.value", "--envelope", "30:150", "-o", "e.html"});
  ASSERT_EQ(envelope.exit_code, 0) << envelope.err;
  // The two tones beat.
  EXPECT_NEAR(first_peak(envelope).first, 70.0, 0.3);
}

TEST_F(SpectrumCommand, MistakesAreNamed) {
  const auto fails = [&](std::vector<std::string> arguments, int code, const std::string& words) {
    arguments.insert(arguments.begin(), {"spectrum", "results"});
    const Outcome outcome = work_.tieline(arguments);
    EXPECT_EQ(outcome.exit_code, code) << outcome.out << outcome.err;
    EXPECT_TRUE(says(outcome.err + outcome.out, words)) << outcome.err;
  };
  fails({"seen.tone.valu"}, 1, "did you mean 'seen.tone.value'");
  fails({"seen.tone.value", "--order", "seen.tone.value"}, 1, "need a speed [rad/s] or an angle [rad]");
  fails({"seen.tone.value", "--envelope", "100"}, 3, "LOW:HIGH");
  fails({"seen.tone.value", "--envelope", "100:900"}, 1, "half of the sampling rate");
  fails({"seen.tone.value", "--mark", "6214@x"}, 1, "TYPE@RPM");
  fails({"seen.tone.value", "--mark", "6299@100"}, 1, "there is no bearing '6299'");
  fails({"seen.tone.value", "--from", "1.999"}, 1, "too few");
  fails({"seen.tone.value", "--window", "hanning"}, 3, "hanning");
}

}  // namespace spectrum_test
}  // namespace tieline::cli
