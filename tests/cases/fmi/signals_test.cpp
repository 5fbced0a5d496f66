// FMUs that signals join without delay are one system, with loops that are solved; and stiff ones.

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <unsupported/Eigen/MatrixFunctions>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_signals_test {

std::string join(const std::string& from, const std::string& to) {
  return fmt::format("<Connection from=\"{}\" to=\"{}\"/>", from, to);
}

/// A mass on a spring under a sampled PI controller: between samples its force is constant, and its motion exact by an
/// exponential matrix.
class SampledLoop {
 public:
  SampledLoop(double kp, double ki, double period, double r) : kp_(kp), ki_(ki), period_(period), r_(r) {}

  [[nodiscard]] double position(double t) {
    Eigen::Vector2d x(0.0, 0.0);
    double integral = 0.0;
    for (int k = 0;; ++k) {
      const double error = r_ - x[0];
      const double u = kp_ * error + ki_ * integral;
      integral += period_ * error;
      const double left = t - k * period_;
      x = moved(x, u, std::min(left, period_));
      if (left <= period_) return x[0];
    }
  }

 private:
  static Eigen::Vector2d moved(const Eigen::Vector2d& x, double force, double time) {
    constexpr double m = 1.0, k = 100.0, c = 0.5;
    Eigen::Matrix2d a;
    a << 0.0, 1.0, -k / m, -c / m;
    const Eigen::Vector2d rest(force / k, 0.0);
    return rest + (a * time).exp() * (x - rest);
  }
  double kp_, ki_, period_, r_;
};

std::string controlled_mass(int mass_version, int controller_version, const std::string& attributes = "") {
  return composite(
      fmu_component("m", fmu_file("mass", mass_version), start("x", "0"), attributes) +
          fmu_component("c", fmu_file("controller", controller_version),
                        start("r", "1") + start("kp", "20") + start("ki", "30") + start("period", "0.02"), attributes),
      join("m.x", "c.y") + join("c.u", "m.f"),
      "stop=\"1\" write_interval=\"0.013\" tolerance=\"1e-10\" solver=\"dopri5\"");
}

TEST(FmuSignals, ASampledControllerHoldsItsMass) {
  for (const int mass : {1, 2, 3}) {
    for (const int controller : {1, 2, 3}) {
      const RunRecord run = run_text(controlled_mass(mass, controller));
      SampledLoop exact(20.0, 30.0, 0.02, 1.0);
      EXPECT_LE(largest_deviation(run, "m.x.value", [&](double t) { return exact.position(t); }), 1e-8)
          << mass << ", " << controller;
    }
  }
}

// Its clock ticks by time: a controller of FMI 3.0 that samples then does what one with time events does.
TEST(FmuSignals, AClockedControllerHoldsItsMass) {
  const auto controlled = [](const std::string& controller) {
    return composite(
        fmu_component("m", fmu_file("mass", 3), start("x", "0")) +
            fmu_component("c", fmu_file(controller, 3), start("r", "1") + start("kp", "20") + start("ki", "30")),
        join("m.x", "c.y") + join("c.u", "m.f"),
        "stop=\"1\" write_interval=\"0.013\" tolerance=\"1e-10\" solver=\"dopri5\"");
  };
  const RunRecord run = run_text(controlled("controller_clock"));
  SampledLoop exact(20.0, 30.0, 0.01, 1.0);
  EXPECT_LE(largest_deviation(run, "m.x.value", [&](double t) { return exact.position(t); }), 1e-8);
}

TEST(FmuSignals, OfOneSystemHaveTheSameBitsInThisProcess) {
  for (const auto& [mass, controller] : {std::pair(2, 3), std::pair(1, 1)}) {
    EXPECT_TRUE(have_same_bits(run_text(controlled_mass(mass, controller)),
                               run_text(controlled_mass(mass, controller, "isolate=\"false\""))));
  }
}

/// The force on a free mass goes through an amplifier and comes back as its wave: f = gain f - Z v at once.
std::string echo(const std::string& gain) {
  return composite(fmu_component("body", fmu_file("wave_mass", 3), start("v", "1") + start("impedance", "2")) +
                       fmu_component("echo", fmu_file("feedthrough", 2), start("gain", gain)),
                   join("body.force", "echo.float64_in") + join("echo.float64_out", "body.wave"),
                   "stop=\"1\" tolerance=\"1e-10\" solver=\"dopri5\" write_interval=\"0.05\"");
}

TEST(FmuSignals, ALoopIsSolvedAlsoWhereItAmplifies) {
  for (const double gain : {0.5, -3.0, 3.0}) {
    const RunRecord run = run_text(echo(fmt::format("{}", gain)));
    const auto speed = [&](double t) { return std::exp(-2.0 / (1.0 - gain) * t); };
    EXPECT_LE(largest_deviation(run, "body.v.value", speed), 1e-8) << gain;
    EXPECT_LE(largest_deviation(run, "echo.float64_in.value", [&](double t) { return -2.0 / (1.0 - gain) * speed(t); }),
              1e-7)
        << gain;
  }
}

TEST(FmuSignals, ALoopWithoutSolutionIsNamed) {
  const std::string complaint = complaint_of(echo("1"));
  for (const char* word : {"depend on one another at the same time (an algebraic loop) have no solution",
                           "body.force to echo.float64_in", "echo.float64_out to body.wave"}) {
    EXPECT_NE(complaint.find(word), std::string::npos) << complaint;
  }
}

// Delayed, the loop is a chain of samples of its own past; each FMU is then a system of its own.
TEST(FmuSignals, ADelayedSignalIsTheSameLater) {
  const RunRecord run = run_text(composite(fmu_component("oscillator", fmu_file("vanderpol", 3), "") +
                                               fmu_component("echo", fmu_file("feedthrough", 3), start("gain", "2")),
                                           "<Connection from=\"oscillator.x0\" to=\"echo.float64_in\" delay=\"0.25\"/>",
                                           "stop=\"2\" tolerance=\"1e-10\" write_interval=\"0.05\" solver=\"dopri5\""));
  const auto &times = run.times("echo.float64_out.value"), &late = run.values("echo.float64_out.value");
  const auto& now = run.values("oscillator.x0.value");
  for (std::size_t i = 5; i < times.size(); ++i) {
    if (run.times("oscillator.x0.value") != times) break;
    EXPECT_NEAR(late[i], 2.0 * now[i - 5], 1e-6) << times[i];
  }
  EXPECT_EQ(run.times("oscillator.x0.value"), times);
}

TEST(FmuSignals, AllSolversAgreeOnAnOscillator) {
  const auto oscillator = [](int version, const std::string& solver, const std::string& tolerance) {
    return run_text(
        composite(fmu_component("o", fmu_file("vanderpol", version), start("mu", "5")), "",
                  fmt::format("stop=\"10\" write_interval=\"0.1\" solver=\"{}\" tolerance=\"{}\"", solver, tolerance)));
  };
  const RunRecord exact = oscillator(3, "dopri5", "1e-12");
  for (const int version : {1, 2, 3}) {
    for (const char* solver : {"radau5", "cvode-bdf", "cvode-adams"}) {
      const RunRecord run = oscillator(version, solver, "1e-10");
      // Its fast turns amplify errors of time by its largest rate, about 7/s, once in each of the two turns.
      EXPECT_LE(largest_difference(run, exact, "o.x0.value"), 1e-5) << version << ", " << solver;
    }
  }
}

}  // namespace fmi_signals_test
}  // namespace tieline::support
