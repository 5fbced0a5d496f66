// Signals: delayed ones between components that run apart, undelayed ones in groups.

#include <gtest/gtest.h>
#include <numbers>

#include "support/model_run.hpp"

namespace tieline::support {
namespace signals_signals_test {

std::string blocks(const std::string& name, const std::string& content, const std::string& settings = "") {
  return fmt::format("<Component name=\"{}\" kind=\"blocks\" {}><Blocks>{}</Blocks></Component>", name, settings,
                     content);
}

std::string model(const std::string& components, const std::string& connections, const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"signals\"><Components>{}</Components><Connections>{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      components, connections, simulation);
}

std::string source(const std::string& function) {
  return blocks("source", "<Source name=\"s\" value=\"{" + function + "}\"/><Output name=\"y\" of=\"s\"/>");
}

std::string follower(const std::string& name, double gain) {
  return blocks(name, fmt::format("<Input name=\"u\"/><Gain name=\"g\" input=\"u\" gain=\"{}\"/>", gain));
}

TEST(Signals, DelayShiftsExactly) {
  for (const double delay : {1e-3, 1.7e-3, 0.02}) {
    // A cubic is carried exactly by cubic pieces; its rate is differenced.
    const RunRecord run = run_text(model(source("5 + t^3") + follower("f", 2.0),
                                         fmt::format("<Connection from=\"source.y\" to=\"f.u\" delay=\"{}\"/>", delay),
                                         "stop=\"0.1\" write_interval=\"1.3e-4\""));
    const auto shifted = [&](double t) { return 2.0 * (5.0 + std::pow(std::max(0.0, t - delay), 3)); };
    EXPECT_LE(largest_deviation(run, "f.g.value", shifted), 1e-10) << delay;
  }
}

TEST(Signals, DelayedSineHasTheErrorOfItsPieces) {
  const double omega = 2.0 * std::numbers::pi * 50.0;
  const double delay = 1e-3;
  const RunRecord run = run_text(model(source("sin(2*pi*50*t)") + follower("f", 1.0),
                                       fmt::format("<Connection from=\"source.y\" to=\"f.u\" delay=\"{}\"/>", delay),
                                       "stop=\"0.1\" write_interval=\"1.3e-4\""));
  // Cubic Hermite pieces of half a delay: at most (omega h)^4 / 384.
  const double allowed = std::pow(omega * 0.5 * delay, 4) / 384.0;
  EXPECT_LE(
      largest_deviation(run, "f.g.value", [&](double t) { return t < delay ? 0.0 : std::sin(omega * (t - delay)); }),
      1.01 * allowed);
}

constexpr double kLongDelay = 0.02;
constexpr double kTolerance = 1e-8;
const std::string kLongRun = fmt::format("stop=\"0.1\" write_interval=\"1.3e-4\" tolerance=\"{}\"", kTolerance);

double delayed_sine(double frequency, double t) {
  return t < kLongDelay ? 0.0 : std::sin(2.0 * std::numbers::pi * frequency * (t - kLongDelay));
}

/// Error of what arrives in f, in tolerances, where y of a component is sin(2 pi f t) and is sent over a long delay.
double arriving_error(const std::string& components, const std::string& sender, double frequency) {
  const RunRecord run =
      run_text(model(components + follower("f", 1.0),
                     fmt::format("<Connection from=\"{}.y\" to=\"f.u\" delay=\"{}\"/>", sender, kLongDelay), kLongRun));
  for (const auto& connection : run.report.connections) EXPECT_TRUE(connection.warnings.empty()) << connection.name;
  return largest_deviation(run, "f.g.value", [&](double t) { return delayed_sine(frequency, t); }) / kTolerance;
}

// Windows of 0.01 s: half a period, whole ones, and many. A piece may be off by 4 tolerances.
TEST(Signals, LongDelaysCarryFastSignals) {
  for (const double frequency : {33.3, 50.0, 100.0, 800.0, 2000.0}) {
    const std::string sine = fmt::format("sin(2*pi*{}*t)", frequency);
    EXPECT_LE(arriving_error(source(sine), "source", frequency), 10.0) << frequency;
    // A network without states.
    EXPECT_LE(arriving_error("<Component name=\"shaker\" kind=\"network\"><Network><Ground name=\"ground\"/><Node "
                             "name=\"table\"/><Motion name=\"drive\" node=\"table\" position=\"{" +
                                 sine +
                                 "}\"/><Spring name=\"spring\" from=\"ground\" to=\"table\" stiffness=\"1\"/>"
                                 "<SignalOutput name=\"y\" of=\"spring.force\"/></Network></Component>",
                             "shaker", frequency),
              10.0)
        << frequency;
    // A component whose only state is slow.
    EXPECT_LE(arriving_error(blocks("mixer", "<Source name=\"s\" value=\"{" + sine +
                                                 "}\"/><Constant name=\"zero\" value=\"0\"/><Integrator name=\"i\" "
                                                 "input=\"zero\"/><Sum name=\"both\" inputs=\"s,i\"/><Output "
                                                 "name=\"y\" of=\"both\"/>"),
                             "mixer", frequency),
              10.0)
        << frequency;
  }
}

// Through a group: what is joined without delay is published as finely.
TEST(Signals, LongDelaysCarryFastSignalsOutOfNestedGroups) {
  for (const double frequency : {50.0, 800.0}) {
    ModelFiles files;
    files.write("inner.xml",
                "<CompositeModel name=\"inner\"><Components>" + source(fmt::format("sin(2*pi*{}*t)", frequency)) +
                    blocks("twice",
                           "<Input name=\"u\"/><Gain name=\"g\" input=\"u\" gain=\"2\"/><Output name=\"y\" "
                           "of=\"g\"/>") +
                    "</Components><Interfaces><Interface name=\"y\" of=\"twice.y\"/></Interfaces><Connections>"
                    "<Connection from=\"source.y\" to=\"twice.u\"/></Connections></CompositeModel>");
    const auto outer =
        files.write("outer.xml", model("<Component name=\"inner\" kind=\"composite\" file=\"inner.xml\"/>" +
                                           follower("near", 0.5) + follower("far", 0.5),
                                       fmt::format("<Connection from=\"inner.y\" to=\"near.u\"/><Connection "
                                                   "from=\"inner.y\" to=\"far.u\" delay=\"{}\"/>",
                                                   kLongDelay),
                                       kLongRun));
    const RunRecord run = run_model(outer);
    for (const auto& connection : run.report.connections) EXPECT_TRUE(connection.warnings.empty()) << connection.name;
    // Published twice, off by 4 tolerances at most each time.
    EXPECT_LE(largest_deviation(run, "far.g.value", [&](double t) { return delayed_sine(frequency, t); }),
              10.0 * kTolerance)
        << frequency;
    EXPECT_LE(largest_deviation(run, "near.g.value",
                                [&](double t) { return std::sin(2.0 * std::numbers::pi * frequency * t); }),
              10.0 * kTolerance)
        << frequency;
  }
}

TEST(Signals, LongDelaysCarryJumpsOfFastSignals) {
  const double jump = 0.0321;
  const RunRecord run =
      run_text(model(source("sin(2*pi*50*t) + 3*step(t - 0.0321)") +
                         blocks("f", "<Input name=\"u\"/><Integrator name=\"i\" input=\"u\"/>"),
                     fmt::format("<Connection from=\"source.y\" to=\"f.u\" delay=\"{}\"/>", kLongDelay), kLongRun));
  const double omega = 100.0 * std::numbers::pi;
  const auto integral = [&](double t) {
    const double since = std::max(0.0, t - kLongDelay);
    return (1.0 - std::cos(omega * since)) / omega + 3.0 * std::max(0.0, since - jump);
  };
  // The signal has a size of 4 and arrives for 0.08 s.
  EXPECT_LE(largest_deviation(run, "f.i.value", integral), 10.0 * kTolerance * 4.0 * 0.08);
}

TEST(Signals, TooFastASignalIsReported) {
  const RunRecord run = run_text(
      model(source("sin(2*pi*1e6*t)") + follower("f", 1.0),
            fmt::format("<Connection name=\"hum\" from=\"source.y\" to=\"f.u\" delay=\"{}\"/>", kLongDelay), kLongRun));
  ASSERT_EQ(run.report.warnings.size(), 1U);
  EXPECT_NE(run.report.warnings[0].find("connection 'hum': the signal changed too fast"), std::string::npos);
  EXPECT_NE(run.report.warnings[0].find("largest_step for component 'source'"), std::string::npos);
}

TEST(Signals, JumpArrivesAsAJump) {
  const double delay = 1e-3;
  const RunRecord run = run_text(
      model(source("3*step(t - 4.321e-3)") + blocks("f", "<Input name=\"u\"/><Integrator name=\"i\" input=\"u\"/>"),
            fmt::format("<Connection from=\"source.y\" to=\"f.u\" delay=\"{}\"/>", delay),
            "stop=\"0.02\" write_interval=\"1e-4\""));
  EXPECT_LE(largest_deviation(run, "f.i.value", [&](double t) { return 3.0 * std::max(0.0, t - delay - 4.321e-3); }),
            1e-15);
}

TEST(Signals, OneOutputFeedsManyInputs) {
  const RunRecord run =
      run_text(model(source("t") + follower("a", 1.0) + follower("b", 2.0) + follower("c", 3.0),
                     "<Connection from=\"source.y\" to=\"a.u\" delay=\"1e-3\"/><Connection from=\"source.y\" "
                     "to=\"b.u\" delay=\"2e-3\"/><Connection from=\"source.y\" to=\"c.u\" delay=\"5e-3\"/>",
                     "stop=\"0.02\" write_interval=\"1e-4\""));
  EXPECT_LE(largest_deviation(run, "a.g.value", [](double t) { return std::max(0.0, t - 1e-3); }), 1e-14);
  EXPECT_LE(largest_deviation(run, "b.g.value", [](double t) { return 2.0 * std::max(0.0, t - 2e-3); }), 1e-14);
  EXPECT_LE(largest_deviation(run, "c.g.value", [](double t) { return 3.0 * std::max(0.0, t - 5e-3); }), 1e-14);
  const RunRecord joined =
      run_text(model(source("t") + follower("a", 1.0) + follower("b", 2.0) + follower("c", 3.0),
                     "<Connection from=\"source.y\" to=\"a.u\"/><Connection from=\"source.y\" to=\"b.u\"/><Connection "
                     "from=\"source.y\" to=\"c.u\"/>",
                     "stop=\"0.02\" write_interval=\"1e-4\""));
  EXPECT_LE(largest_deviation(joined, "b.g.value", [](double t) { return 2.0 * t; }), 1e-14);
  EXPECT_LE(largest_deviation(joined, "c.g.value", [](double t) { return 3.0 * t; }), 1e-14);
}

TEST(Signals, OneOutputFeedsItsGroupAndOthers) {
  const RunRecord run = run_text(
      model(source("t") + follower("a", 1.0) + follower("b", 2.0),
            "<Connection from=\"source.y\" to=\"a.u\"/><Connection from=\"source.y\" to=\"b.u\" delay=\"1e-3\"/>",
            "stop=\"0.02\" write_interval=\"1e-4\""));
  EXPECT_LE(largest_deviation(run, "a.g.value", [](double t) { return t; }), 1e-14);
  EXPECT_LE(largest_deviation(run, "b.g.value", [](double t) { return 2.0 * std::max(0.0, t - 1e-3); }), 1e-14);
}

/// x' = -x(t - T) with x = 1 up to t = 0: sum over k of (-1)^k (t - (k-1) T)^k / k! while the bracket is positive.
double delayed_decay(double t, double T) {
  double sum = 1.0;
  for (int k = 1; t - (k - 1) * T > 0.0; ++k) {
    double term = k % 2 == 0 ? 1.0 : -1.0;
    for (int j = 1; j <= k; ++j) term *= (t - (k - 1) * T) / j;
    sum += term;
  }
  return sum;
}

/// Error of a plant and its feedback in two components, with a delay on each way.
double decay_error(double there, double back) {
  const std::string text =
      model(blocks("plant",
                   "<Input name=\"rate\"/><Integrator name=\"x\" input=\"rate\" start=\"1\"/><Output name=\"y\" "
                   "of=\"x\"/>") +
                blocks("feedback",
                       "<Input name=\"u\" start=\"1\"/><Gain name=\"g\" input=\"u\" gain=\"-1\"/><Output name=\"y\" "
                       "of=\"g\"/>"),
            fmt::format("<Connection name=\"there\" from=\"plant.y\" to=\"feedback.u\" delay=\"{}\"/><Connection "
                        "name=\"back\" from=\"feedback.y\" to=\"plant.rate\" delay=\"{}\"/>",
                        there, back),
            "stop=\"8\" write_interval=\"0.07\" tolerance=\"1e-9\" largest_step=\"0.02\"");
  return largest_deviation(run_text(text), "plant.x.value", [&](double t) { return delayed_decay(t, there + back); });
}

// Cubic pieces of 0.02 s carry the signal: (0.02)^4 / 384 = 4e-10 times the fourth derivative, which is below 2.
TEST(Signals, LoopWithDelaysSolvesADelayEquation) { EXPECT_LE(decay_error(0.5, 0.5), 1e-8); }

TEST(Signals, LoopWithUnequalDelaysSolvesADelayEquation) {
  EXPECT_LE(decay_error(0.4, 0.6), 1e-8);
  EXPECT_LE(decay_error(0.1, 0.93), 1e-7);
}

/// A mass whose velocity is held by a PI controller: v'' + 6 v' + 25 v = 25, v(0) = 0, v'(0) = 6.
std::string control_loop(const std::string& simulation) {
  return model(
      blocks("controller",
             "<Input name=\"v\"/><Constant name=\"wanted\" value=\"1\"/><Sum name=\"e\" inputs=\"wanted,-v\"/><Pid "
             "name=\"pid\" input=\"e\" kp=\"6\" ki=\"25\"/><Output name=\"u\" of=\"pid\"/>") +
          "<Component name=\"plant\" kind=\"network\"><Network><Mass name=\"body\" mass=\"1\"/><SignalInput "
          "name=\"u\"/><Load name=\"force\" node=\"body\" force=\"{u}\"/><SignalOutput name=\"v\" "
          "of=\"body.velocity\"/></Network></Component>",
      "<Connection from=\"controller.u\" to=\"plant.u\"/><Connection from=\"plant.v\" to=\"controller.v\"/>",
      simulation);
}

double loop_error(const std::string& simulation) {
  return largest_deviation(run_text(control_loop(simulation)), "plant.body.velocity", [](double t) {
    return 1.0 - std::exp(-3.0 * t) * (std::cos(4.0 * t) - 0.75 * std::sin(4.0 * t));
  });
}

TEST(Signals, UndelayedLoopFollowsTheClosedForm) {
  for (const char* solver : {"auto", "dopri5", "radau5"}) {
    const auto run = [&](double step) {
      return loop_error(fmt::format(
          "stop=\"2\" write_interval=\"0.01\" tolerance=\"1e-9\" solver=\"{}\" largest_step=\"{}\"", solver, step));
    };
    EXPECT_LE(run(5e-3), 1e-6) << solver;
    // With steps so short that each of them is one piece of the signals: third order at least.
    EXPECT_GE(run(2.5e-3) / run(1.25e-3), 6.0) << solver;
  }
}

}  // namespace signals_signals_test
}  // namespace tieline::support
