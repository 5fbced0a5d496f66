// Events of FMUs: of their states, of time, and those that they ask for.

#include <cmath>
#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_events_test {

/// A ball from 1 m, each bounce with 0.7 of the speed of the one before.
struct Bounces {
  static constexpr double g = 9.81, e = 0.7;  // [m/s2], [-]

  double begin = 0.0;            ///< of the present flight [s]
  double speed = 0.0;            ///< upwards at its start [m/s]
  int count = 0;                 ///< so far
  double height = 0.0, v = 0.0;  ///< at t

  explicit Bounces(double t) {
    double end = std::sqrt(2.0 / g);
    height = 1.0 - 0.5 * g * t * t, v = -g * t;
    for (double next = e * g * end; t >= end; next *= e) {
      begin = end, speed = next;
      ++count;
      end += 2.0 * speed / g;
      const double s = t - begin;
      height = speed * s - 0.5 * g * s * s, v = speed - g * s;
    }
  }
};

// Each bounce is found to the solver's tolerance; 1e-8 of a second at 5 m/s.
TEST(FmuEvents, ABallBouncesAsItShould) {
  for (const int version : {1, 2, 3}) {
    for (const char* solver : {"dopri5", "cvode-bdf"}) {
      // Up to the seventh bounce, long before it comes to rest.
      const RunRecord run = run_text(
          composite(fmu_component("ball", fmu_file("bouncing_ball", version), ""), "",
                    fmt::format("stop=\"2\" tolerance=\"1e-10\" write_interval=\"0.0137\" solver=\"{}\"", solver)));
      SCOPED_TRACE(fmt::format("FMI {}, {}", version, solver));
      EXPECT_LE(largest_deviation(run, "ball.h.value", [](double t) { return Bounces(t).height; }), 1e-7);
      EXPECT_LE(largest_deviation(run, "ball.v.value", [](double t) { return Bounces(t).v; }), 1e-6);
      EXPECT_EQ(largest_deviation(run, "ball.bounces.value", [](double t) { return Bounces(t).count; }), 0.0);
    }
  }
}

// The indicator is exactly zero after each bounce, from where it rises and falls within one step.
TEST(FmuEvents, ABallThatStartsOnTheGroundIsNotLost) {
  for (const int version : {1, 2, 3}) {
    for (const char* solver : {"dopri5", "radau5", "rk4", "cvode-bdf", "cvode-adams", "ida"}) {
      const RunRecord run = run_text(composite(
          fmu_component("ball", fmu_file("bouncing_ball", version), start("h_bounce", "0"), "largest_step=\"1\""), "",
          fmt::format("stop=\"2\" tolerance=\"1e-10\" write_interval=\"0.0137\" solver=\"{}\" {}", solver,
                      solver == std::string("rk4") ? "step=\"0.3\"" : "")));
      SCOPED_TRACE(fmt::format("FMI {}, {}", version, solver));
      EXPECT_LE(largest_deviation(run, "ball.h.value", [](double t) { return Bounces(t).height; }), 1e-6);
      EXPECT_EQ(largest_deviation(run, "ball.bounces.value", [](double t) { return Bounces(t).count; }), 0.0);
    }
  }
}

// The indicator is below zero by next to nothing after a bounce, and has to rise through zero before it falls again:
// long steps must not see neither.
TEST(FmuEvents, ABallThatLeavesTheGroundByAnEventIsNotLost) {
  for (const int version : {1, 2, 3}) {
    for (const char* hysteresis : {"1e-14", "1e-9"}) {
      for (const char* solver : {"dopri5", "radau5", "rk4", "cvode-bdf", "cvode-adams", "ida"}) {
        const RunRecord run =
            run_text(composite(fmu_component("ball", fmu_file("bouncing_ball", version),
                                             start("hysteresis", hysteresis), "largest_step=\"1\""),
                               "",
                               fmt::format("stop=\"2\" tolerance=\"1e-10\" write_interval=\"0.0137\" "
                                           "solver=\"{}\" {}",
                                           solver, solver == std::string("rk4") ? "step=\"0.3\"" : "")));
        SCOPED_TRACE(fmt::format("FMI {}, {}, {}", version, hysteresis, solver));
        EXPECT_LE(largest_deviation(run, "ball.h.value", [](double t) { return Bounces(t).height; }), 1e-6);
        EXPECT_EQ(largest_deviation(run, "ball.bounces.value", [](double t) { return Bounces(t).count; }), 0.0);
      }
    }
  }
}

TEST(FmuEvents, ABallComesToRest) {
  const RunRecord run =
      run_text(composite(fmu_component("ball", fmu_file("bouncing_ball", 3), ""), "", "stop=\"5\" tolerance=\"1e-8\""));
  EXPECT_NEAR(run.values("ball.h.value").back(), 0.0, 1e-12);
  EXPECT_EQ(run.values("ball.v.value").back(), 0.0);
  EXPECT_EQ(run.values("ball.bounces.value").back(), 11.0);  // 4.43 m/s * 0.7^11 is the first below 0.1 m/s
}

TEST(FmuEvents, AStairClimbsOnTime) {
  for (const int version : {1, 2, 3}) {
    const RunRecord run =
        run_text(composite(fmu_component("stair", fmu_file("stair", version), start("interval", "0.25")), "",
                           "stop=\"2.1\" write_interval=\"0.1\""));
    const auto& times = run.times("stair.counter.value");
    const auto& values = run.values("stair.counter.value");
    for (std::size_t i = 0; i < times.size(); ++i) {
      // On an event both sides of it are recorded.
      const double at = times[i] / 0.25, nearest = std::round(at);
      if (std::abs(at - nearest) > 1e-9) {
        EXPECT_EQ(values[i], std::floor(at)) << times[i];
      } else {
        EXPECT_TRUE(values[i] == nearest || values[i] == nearest - 1.0) << times[i];
      }
    }
    EXPECT_EQ(values.back(), 8.0);
  }
}

// Fifty samples after the first, at which the integral grows by ki times the period: u = kp + 50 ki T.
TEST(FmuEvents, ClocksTickOnTime) {
  for (const std::string mode : {"model_exchange", "co_simulation"}) {
    const std::string component =
        fmt::format(R"(<Component name="c" kind="fmu" file="{}"><Fmu mode="{}"/>{}</Component>)",
                    fmu_file("controller_clock", 3).string(), mode, start("r", "1"));
    const RunRecord run = run_text(composite(component, "", "stop=\"0.505\""));
    EXPECT_NEAR(run.values("c.u.value").back(), 2.0 + 0.5, 1e-12) << mode;
  }
}

TEST(FmuEvents, OfOneFmuThatAProcessCanHaveOnceOnly) {
  const auto two = [](const std::string& delay) {
    return composite(
        fmu_component("a", fmu_file("nasty_once", 3), "") + fmu_component("b", fmu_file("nasty_once", 3), ""),
        fmt::format("<Connection from=\"a.x\" to=\"b.u\"{}/>", delay), "stop=\"1\"");
  };
  const RunRecord apart = run_text(two(" delay=\"0.1\""));
  EXPECT_NEAR(apart.values("b.x.value").back(), 0.5 * 0.9 * 0.9, 1e-6);
  const std::string complaint = complaint_of(two(""));
  EXPECT_NE(complaint.find("only once per process"), std::string::npos) << complaint;
}

TEST(FmuEvents, AnFmuMayEndTheRun) {
  for (const int version : {1, 2, 3}) {
    const RunRecord run =
        run_text(composite(fmu_component("stair", fmu_file("stair", version), start("last", "3")), "", "stop=\"5\""));
    ASSERT_TRUE(run.report.ended_by) << version;
    EXPECT_EQ(run.report.ended_by->component, "stair");
    EXPECT_EQ(run.report.ended_by->time, 3.0);
    EXPECT_EQ(run.report.reached, 3.0);
  }
}

// A resumed run knows how often the ball has bounced, and what comes next.
TEST(FmuEvents, AreInCheckpoints) {
  for (const char* name : {"bouncing_ball", "stair", "controller"}) {
    const ModelFiles model(
        composite(fmu_component("f", fmu_file(name, 3), ""), "", "stop=\"2\" save_interval=\"0.5\""));
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
    EXPECT_TRUE(have_same_bits(read_run(unbroken.path()), read_run(broken.path()))) << name;
  }
}

}  // namespace fmi_events_test
}  // namespace tieline::support
