#include "coupling/line_parameters.hpp"

#include <gtest/gtest.h>

namespace tieline::coupling {
namespace line_parameters_test {

LineFigures figures_of(const LineParameters& parameters, core::Domain domain = core::Domain::translation) {
  std::string problem;
  const auto figures = derive(parameters, domain, problem);
  EXPECT_TRUE(figures.has_value()) << problem;
  return figures.value_or(LineFigures{});
}

std::string problem_of(const LineParameters& parameters) {
  std::string problem;
  EXPECT_FALSE(derive(parameters, core::Domain::translation, problem).has_value());
  return problem;
}

TEST(LineParameters, StiffnessAndDelay) {
  const LineFigures figures = figures_of({.delay = 1e-5, .stiffness = 1e10});
  EXPECT_DOUBLE_EQ(figures.law.impedance, 1e5);
  EXPECT_DOUBLE_EQ(figures.stiffness, 1e10);
  EXPECT_DOUBLE_EQ(figures.parasitic_mass, 1.0);  // k T^2
  EXPECT_DOUBLE_EQ(figures.first_frequency, 5e4);
}

TEST(LineParameters, ImpedanceAndDelay) {
  const LineFigures figures = figures_of({.delay = 2e-4, .impedance = 300.0});
  EXPECT_DOUBLE_EQ(figures.law.impedance, 300.0);
  EXPECT_DOUBLE_EQ(figures.stiffness, 1.5e6);
  EXPECT_DOUBLE_EQ(figures.parasitic_mass, 0.06);
}

TEST(LineParameters, DampingKeepsTheStatedStiffness) {
  const LineFigures figures = figures_of({.delay = 1e-4, .stiffness = 1e6, .damping = 0.5});
  EXPECT_DOUBLE_EQ(figures.stiffness, 1e6);
  EXPECT_DOUBLE_EQ(figures.law.impedance, 200.0);  // k T / (1 - alpha)
  EXPECT_DOUBLE_EQ(figures_of({.delay = 1e-4, .impedance = 200.0, .damping = 0.5}).stiffness, 1e6);
}

// A steel rod: its parasitic mass is its mass, rho A L with rho = E / c^2.
TEST(LineParameters, RodOfAMaterial) {
  const double E = 2.1e11, A = 1e-4, L = 0.5, c = 5172.0;
  const LineFigures figures = figures_of({.youngs_modulus = E, .area = A, .length = L, .sound_speed = c});
  EXPECT_DOUBLE_EQ(figures.law.delay, L / c);
  EXPECT_DOUBLE_EQ(figures.stiffness, E * A / L);
  EXPECT_NEAR(figures.parasitic_mass, E / (c * c) * A * L, 1e-15);
}

TEST(LineParameters, CubeOfAMaterial) {
  const LineFigures figures = figures_of({.youngs_modulus = 2.1e11, .length = 0.1, .sound_speed = 5000.0});
  EXPECT_DOUBLE_EQ(figures.stiffness, 2.1e10);  // E L
  const LineFigures turning =
      figures_of({.youngs_modulus = 2.1e11, .length = 0.1, .sound_speed = 5000.0}, core::Domain::rotation);
  EXPECT_DOUBLE_EQ(turning.stiffness, 2.1e10 * 0.01 / 4.0);
}

TEST(LineParameters, SayWhatIsMissingOrTooMuch) {
  EXPECT_NE(problem_of({}).find("missing"), std::string::npos);
  EXPECT_NE(problem_of({.delay = 1e-5}).find("missing"), std::string::npos);
  EXPECT_NE(problem_of({.stiffness = 1e6}).find("no delay"), std::string::npos);
  EXPECT_NE(problem_of({.delay = 1e-5, .stiffness = 1e6, .impedance = 10.0}).find("over-determined"),
            std::string::npos);
  EXPECT_NE(problem_of({.delay = 1e-5, .youngs_modulus = 1e11, .length = 1.0, .sound_speed = 5e3}).find("no delay"),
            std::string::npos);
  EXPECT_NE(problem_of({.youngs_modulus = 1e11, .sound_speed = 5e3}).find("length"), std::string::npos);
}

TEST(LineParameters, RefuseImpossibleNumbers) {
  EXPECT_NE(problem_of({.delay = 0.0, .stiffness = 1e6}), "");
  EXPECT_NE(problem_of({.delay = -1e-5, .stiffness = 1e6}), "");
  EXPECT_NE(problem_of({.delay = 1e-5, .stiffness = 0.0}), "");
  EXPECT_NE(problem_of({.delay = 1e-5, .stiffness = -1.0}), "");
  EXPECT_NE(problem_of({.delay = 1e-5, .stiffness = 1e6, .damping = 1.0}), "");
  EXPECT_NE(problem_of({.delay = 1e-5, .stiffness = 1e6, .damping = -0.1}), "");
  EXPECT_NE(problem_of({.delay = 1e-5, .stiffness = std::numeric_limits<double>::quiet_NaN()}), "");
}

}  // namespace line_parameters_test
}  // namespace tieline::coupling
