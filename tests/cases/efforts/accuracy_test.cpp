// Errors of efforts at the ends of lines, in units of the tolerance: masses whose waves are much larger than the forces
// between them, and pipes whose ends have no states. References are exact: the delay equations of two masses, and for
// pipes the recursion that gives the pressure at a valve from that one round trip ago.

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace effort_accuracy_test {

const std::vector<std::string> kSolvers{"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"};

// Steps that follow the velocities alone leave errors of 1.5e-2, 4e-3 and 2e-5 of the force here: the waves that masses
// reflect have been drawn between the ends of steps, and velocities have been known to a share of themselves, Z v being
// thirty times the force. Errors of five hundred echoes add up; at 1e-10 rounding of positions does, Z x being 5000
// times the force's impulse over a step.
TEST(EffortAccuracy, ForcesBetweenMassesFollowTheTolerance) {
  PairModel model;
  model.line = Line::from_stiffness(1e10, 1e-5);
  model.pair.mass1 = 10.0, model.pair.mass2 = 5.0;
  model.pair.load2 = Load::constant(1000.0);
  model.stop = 500.0 * model.line.delay;
  model.write_interval = 0.37 * model.line.delay;
  const PairSolution exact = solve_on_line(model.pair, model.line);
  for (const std::string& solver : kSolvers) {
    model.solver = solver;
    const bool is_one_step = solver == "dopri5" || solver == "radau5";
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      model.tolerance = tolerance;
      const PairErrors errors = errors_of(run_text(model.text()), model.pair, exact);
      EXPECT_LE(errors.force, (is_one_step ? 200.0 : 2000.0) * tolerance + 5e-7)
          << solver << ", tolerance " << tolerance;
      EXPECT_LE(errors.displacement, (is_one_step ? 1.0 : 1e2) * tolerance) << solver << ", tolerance " << tolerance;
    }
  }
}

/// A reservoir, a pipe, and a valve to a tank that opens and closes quickly; with Y = 1 / Z,
///   g(p, t) + Y p = w(t),   w(t) = 2 Y p0 - (Y p - g)(t - 2 T),
/// and over the first round trip what the line was filled with.
struct Hammer {
  double supply = 0.0;      ///< p0 [Pa]
  double admittance = 0.0;  ///< Y [m^3/s/Pa]
  double delay = 0.0;       ///< T [s]
  double flow = 0.0;        ///< at the start [m^3/s]
  double coefficient = 0.0, transition = 0.0;
  std::function<double(double)> opening{};

  [[nodiscard]] double valve_flow(double p, double t) const {
    return opening(t) * coefficient * p / std::sqrt(std::hypot(p, transition));
  }
  template <class F>
  [[nodiscard]] static double root(double low, double high, F&& f) {
    for (int i = 0; i < 120; ++i) {
      const double middle = 0.5 * (low + high);
      (f(middle) > 0.0 ? high : low) = middle;
    }
    return 0.5 * (low + high);
  }
  [[nodiscard]] double start_pressure() const {
    return root(0.0, 10.0 * supply, [&](double p) { return valve_flow(p, 0.0) - flow; });
  }
  [[nodiscard]] double wave(double t, double start) const {
    const double T = delay, Y = admittance;
    if (t <= T) return flow + Y * (start + (supply - start) * t / T);
    if (t <= 2.0 * T) return 2.0 * Y * supply + flow - Y * (supply + (start - supply) * (t - T) / T);
    const double p = pressure(t - 2.0 * T, start);
    return 2.0 * Y * supply - (Y * p - valve_flow(p, t - 2.0 * T));
  }
  [[nodiscard]] double pressure(double t, double start) const {
    const double w = wave(t, start);
    return root(-10.0 * supply, 10.0 * supply, [&](double p) { return valve_flow(p, t) + admittance * p - w; });
  }
};

TEST(EffortAccuracy, PressureAtAValveFollowsTheTolerance) {
  constexpr double kImpedance = 1.5e8, kFrequency = 60.0;
  Hammer hammer{.supply = 1.5e6, .admittance = 1.0 / kImpedance, .delay = 0.11, .flow = 0.03, .transition = 2e3};
  hammer.coefficient = 0.65 * 1.2e-3 * std::sqrt(2.0 / 900.0);
  hammer.opening = [](double t) { return 1.0 - 0.4 * std::pow(std::sin(2.0 * std::numbers::pi * kFrequency * t), 2); };
  const double start = hammer.start_pressure();
  for (const std::string& solver : kSolvers) {
    for (const double tolerance : {1e-6, 1e-8}) {
      const std::string text = fmt::format(
          "<CompositeModel name=\"hammer\"><Components><Component name=\"source\" kind=\"network\"><Network>"
          "<PressureSource name=\"p\" pressure=\"{}\"/><Interface name=\"e\" node=\"p\"/></Network></Component>"
          "<Component name=\"valve\" kind=\"network\"><Network><Node name=\"n\" domain=\"hydraulic\"/><Tank "
          "name=\"t\"/>"
          "<Valve name=\"v\" from=\"n\" to=\"t\" area=\"1.2e-3\" discharge=\"0.65\" density=\"900\" transition=\"2e3\" "
          "opening=\"{{1 - 0.4*sin(2*pi*60*t)^2}}\"/><Interface name=\"e\" node=\"n\"/></Network></Component>"
          "</Components><Connections><Connection name=\"pipe\" from=\"source.e\" to=\"valve.e\" coupling=\"line\" "
          "impedance=\"{}\" delay=\"{}\" initial_flow=\"{}\"/></Connections><Simulation stop=\"2\" tolerance=\"{}\" "
          "solver=\"{}\" write_interval=\"0.0137\"/></CompositeModel>",
          hammer.supply, kImpedance, hammer.delay, hammer.flow, tolerance, solver);
      const RunRecord run = run_text(text);
      const double error =
          largest_deviation(run, "valve.e.pressure", [&](double t) { return hammer.pressure(t, start); });
      EXPECT_LE(error, 100.0 * tolerance * largest_value(run, "valve.e.pressure"))
          << solver << ", tolerance " << tolerance;
    }
  }
}

}  // namespace effort_accuracy_test
}  // namespace tieline::support
