// Windows, steps and delays of all proportions: a component's window, its longest step and the ratio of delays are
// matters of cost, not of the result.

#include <gtest/gtest.h>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace pair_on_line_windows_test {

PairModel pushed_pair() {
  PairModel model;
  model.line = Line::from_stiffness(1e10, 1e-5);
  model.pair.mass1 = 10.0;
  model.pair.mass2 = 5.0;
  model.pair.load2 = Load::constant(1000.0);
  model.tolerance = 1e-10;
  model.stop = 100.0 * model.line.delay;
  model.write_interval = 0.37 * model.line.delay;
  return model;
}

void expect_exact_with_windows(double share1, double share2) {
  PairModel model = pushed_pair();
  const PairSolution exact = solve_on_line(model.pair, model.line);
  model.body1_settings = fmt::format("window=\"{:.17g}\"", share1 * model.line.delay);
  model.body2_settings = fmt::format("window=\"{:.17g}\"", share2 * model.line.delay);
  for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"}) {
    model.solver = solver;
    const RunRecord run = run_text(model.text());
    const PairErrors errors = errors_of(run, model.pair, exact);
    const std::string what = fmt::format("windows of {} and {} delays, {}", share1, share2, solver);
    EXPECT_LE(errors.displacement, 1e-6) << what;
    EXPECT_LE(errors.force, 1e-4) << what;
    EXPECT_LE(run.connection("rod").energy_residual_relative, 2e-6) << what;
    // A front passes each body every other delay.
    for (const auto& component : run.report.components) EXPECT_GE(component.statistics.breaks, 49U) << what;
  }
}

TEST(Windows, OfBinaryProportionGiveTheExactSolution) {
  expect_exact_with_windows(1.0, 1.0);
  expect_exact_with_windows(1.0, 0.25);
  expect_exact_with_windows(0.125, 0.5);
}

// Fronts then lie between the ends of windows, or within rounding of them.
TEST(Windows, OfAnyProportionGiveTheExactSolution) {
  expect_exact_with_windows(1.0 / 3.0, 1.0);
  expect_exact_with_windows(0.3, 0.5);
  expect_exact_with_windows(0.1, 1.0);
  expect_exact_with_windows(std::sqrt(0.5), 1.0);
  expect_exact_with_windows(0.9, 0.0499999);
}

TEST(Windows, LongerThanADelayAreRefused) {
  PairModel model = pushed_pair();
  model.body1_settings = "window=\"1.1e-5\"";
  const ModelFiles files(model.text());
  Simulation simulation = Simulation::load(files.path());
  try {
    simulation.advance_to(1e-4);
    FAIL() << "the window was accepted";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("component 'body1': the window of 1.1e-05 s"), std::string::npos)
        << error.what();
  }
}

TEST(Windows, LargestStepIsKept) {
  PairModel model = pushed_pair();
  const PairSolution exact = solve_on_line(model.pair, model.line);
  const double largest = model.line.delay / 7.0;
  model.simulation_settings = fmt::format("largest_step=\"{:.17g}\"", largest);
  for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"}) {
    model.solver = solver;
    const RunRecord run = run_text(model.text());
    for (const auto& component : run.report.components) {
      EXPECT_GE(static_cast<double>(component.statistics.steps) * largest, model.stop) << solver;
    }
    const PairErrors errors = errors_of(run, model.pair, exact);
    EXPECT_LE(errors.displacement, 1e-6) << solver;
    EXPECT_LE(errors.force, 1e-4) << solver;
  }
}

// Three masses in a row on two lines.
std::string row_of_three(double delay1, double delay2, double tolerance) {
  const auto mass = [](const std::string& name, const std::string& content) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"network\"><Network><Mass name=\"body\" mass=\"5\"/><Interface name=\"left\" "
        "node=\"body\"/><Interface name=\"right\" node=\"body\"/>{}</Network></Component>",
        name, content);
  };
  return fmt::format(
      "<CompositeModel name=\"row\"><Components>{}{}{}</Components><Connections><Connection name=\"first\" "
      "from=\"a.right\" to=\"b.left\" coupling=\"line\" stiffness=\"1e9\" delay=\"{:.17g}\"/><Connection "
      "name=\"second\" from=\"b.right\" to=\"c.left\" coupling=\"line\" stiffness=\"1e9\" delay=\"{:.17g}\"/>"
      "</Connections><Simulation stop=\"1.7e-3\" tolerance=\"{:.17g}\" write_interval=\"3.7e-6\"/></CompositeModel>",
      mass("a", "<Load name=\"push\" node=\"body\" force=\"1000\"/>"), mass("b", ""), mass("c", ""), delay1, delay2,
      tolerance);
}

TEST(Windows, DelaysNeedNoCommonMeasure) {
  const std::vector<std::pair<double, double>> delays{{1e-5, 1.7e-5}, {1e-5, std::sqrt(3.0) * 1e-5}, {1e-5, 3.3e-4}};
  for (const auto& [delay1, delay2] : delays) {
    const RunRecord coarse = run_text(row_of_three(delay1, delay2, 1e-9));
    const RunRecord fine = run_text(row_of_three(delay1, delay2, 1e-12));
    for (const char* variable : {"a.body.position", "b.body.position", "c.body.position"}) {
      EXPECT_LE(largest_difference(fine, coarse, variable), 1e-6 * largest_value(fine, variable))
          << variable << ", second delay " << delay2;
    }
    for (const char* line : {"first", "second"}) {
      EXPECT_LE(fine.connection(line).energy_residual_relative, 1e-7) << line << ", second delay " << delay2;
      EXPECT_LE(fine.connection(line).drift_relative, 1e-7) << line << ", second delay " << delay2;
    }
    // The centre of mass knows nothing of the lines, save for their own momentum.
    const ModelFiles files(row_of_three(delay1, delay2, 1e-10));
    Simulation simulation = Simulation::load(files.path());
    simulation.advance_to(simulation.stop_time());
    const double momentum = 5.0 * (simulation.get("a.body.velocity") + simulation.get("b.body.velocity") +
                                   simulation.get("c.body.velocity")) +
                            simulation.get("connections.first.momentum") +
                            simulation.get("connections.second.momentum");
    EXPECT_NEAR(momentum, 1000.0 * simulation.stop_time(), 1e-8 * momentum) << "second delay " << delay2;
  }
}

}  // namespace pair_on_line_windows_test
}  // namespace tieline::support
