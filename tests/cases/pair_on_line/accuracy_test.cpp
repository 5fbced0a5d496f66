// Two masses on a line against the exact solution of the delay equations, for every solver.

#include <gtest/gtest.h>
#include <tuple>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace pair_on_line_accuracy_test {

struct Setting {
  std::string name{};
  Line line{};
  double mass1 = 1.0, mass2 = 1.0;
  Load load{};
  double delays = 0.0;  ///< length of the run
};

// Many periods of the pair. Each echo sharpens the fronts of a step force: after n of them they are thinner than a
// delay by n Z T / m. The fast sines are close to the first modes of their pairs.
const std::vector<Setting>& settings() {
  static const Line stiff = Line::from_stiffness(1e10, 1e-5);
  static const Line soft = Line::from_stiffness(1e6, 1e-4);
  static const std::vector<Setting> all{
      {"stiff_unequal_constant", stiff, 10.0, 5.0, Load::constant(1000.0), 500.0},
      {"stiff_unequal_sine", stiff, 10.0, 5.0, Load::sine(1000.0, 1000.0), 500.0},
      {"stiff_unequal_fast_sine", stiff, 10.0, 5.0, Load::sine(1000.0, 12000.0), 500.0},
      {"stiff_equal_constant", stiff, 1.0, 1.0, Load::constant(1000.0), 500.0},
      {"stiff_equal_sine", stiff, 1.0, 1.0, Load::sine(1000.0, 1000.0), 500.0},
      {"stiff_equal_fast_sine", stiff, 1.0, 1.0, Load::sine(1000.0, 20000.0), 200.0},
      {"soft_unequal_constant", soft, 10.0, 5.0, Load::constant(1000.0), 400.0},
      {"soft_unequal_sine", soft, 10.0, 5.0, Load::sine(1000.0, 100.0), 400.0},
      {"soft_equal_constant", soft, 1.0, 1.0, Load::constant(1000.0), 400.0},
      {"soft_equal_sine", soft, 1.0, 1.0, Load::sine(1000.0, 100.0), 400.0},
  };
  return all;
}

PairModel model_of(const Setting& setting) {
  PairModel model;
  model.line = setting.line;
  model.pair.mass1 = setting.mass1;
  model.pair.mass2 = setting.mass2;
  model.pair.load2 = setting.load;
  model.stop = setting.delays * setting.line.delay;
  // Rows fall on the fronts, beside them, and between.
  model.write_interval = 0.37 * setting.line.delay;
  return model;
}

class PairOnLine : public ::testing::TestWithParam<std::tuple<std::size_t, std::string>> {
 protected:
  void run(double tolerance) {
    PairModel model = model_of(settings()[std::get<0>(GetParam())]);
    model.solver = std::get<1>(GetParam());
    model.tolerance = tolerance;
    record = run_text(model.text());
    errors = errors_of(record, model.pair, solve_on_line(model.pair, model.line));
  }
  RunRecord record{};
  PairErrors errors{};
};

TEST_P(PairOnLine, IsExactAtTolerance1em10) {
  run(1e-10);
  const bool is_automatic = std::get<1>(GetParam()) == "auto";
  EXPECT_LE(errors.displacement, is_automatic ? 1e-8 : 1e-6);
  EXPECT_LE(errors.force, 1e-4);
  EXPECT_LE(record.connection("rod").energy_residual_relative, 2e-6);
  EXPECT_LE(record.connection("rod").drift_relative, 1e-7);
  EXPECT_EQ(warnings_but_of_mass(record.report), std::vector<std::string>{});
}

TEST_P(PairOnLine, IsExactAtTolerance1em12) {
  run(1e-12);
  EXPECT_LE(errors.displacement, 1e-7);
  EXPECT_LE(errors.force, 1e-4);
  EXPECT_LE(record.connection("rod").energy_residual_relative, 1e-7);
  EXPECT_LE(record.connection("rod").drift_relative, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Solvers, PairOnLine,
                         ::testing::Combine(::testing::Range<std::size_t>(0, settings().size()),
                                            ::testing::Values("auto", "dopri5", "radau5", "cvode-bdf", "cvode-adams",
                                                              "ida")),
                         [](const auto& instance) {
                           std::string solver = std::get<1>(instance.param);
                           std::replace(solver.begin(), solver.end(), '-', '_');
                           return settings()[std::get<0>(instance.param)].name + "_" + solver;
                         });

// A front between two steps of a classical Runge–Kutta method would leave an error of first order; steps end on fronts,
// so the order is that of the method. Where most of a motion is given by the wave's own integral, which is exact, terms
// of the next order show.
TEST(PairOnLineFixedStep, HasOrderFour) {
  for (const std::size_t index : {0U, 1U, 6U, 9U}) {
    PairModel model = model_of(settings()[index]);
    const double T = model.line.delay;
    model.stop = 60.0 * T;
    model.solver = "rk4";
    const PairSolution exact = solve_on_line(model.pair, model.line);
    double last = 0.0;
    for (const int parts : {2, 4, 8, 16}) {
      model.step = T / parts;
      const PairErrors errors = errors_of(run_text(model.text()), model.pair, exact);
      if (last > 0.0) {
        EXPECT_GE(last / errors.mean_displacement, 14.0)
            << settings()[index].name << ", " << parts << " steps per delay";
        EXPECT_LE(last / errors.mean_displacement, 24.0)
            << settings()[index].name << ", " << parts << " steps per delay";
      }
      last = errors.mean_displacement;
    }
  }
}

}  // namespace pair_on_line_accuracy_test
}  // namespace tieline::support
