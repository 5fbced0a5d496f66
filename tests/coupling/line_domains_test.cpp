// Lines of other domains than mechanics, from what their users state.

#include <cmath>
#include <gtest/gtest.h>

#include "coupling/line_parameters.hpp"

namespace tieline::coupling {
namespace line_domains_test {

using core::Domain;

LineFigures figures_of(const LineParameters& parameters, Domain domain) {
  std::string problem;
  const auto figures = derive(parameters, domain, problem);
  EXPECT_TRUE(figures.has_value()) << problem;
  return figures.value_or(LineFigures{});
}

std::string problem_of(const LineParameters& parameters, Domain domain) {
  std::string problem;
  EXPECT_FALSE(derive(parameters, domain, problem).has_value());
  return problem;
}

TEST(LineDomains, HydraulicLineFollowsFromTheFluid) {
  const double K = 1.6e9, rho = 900.0, area = 3e-4, length = 2.0, c = std::sqrt(K / rho);
  const auto line = figures_of({.area = area, .length = length, .bulk_modulus = K, .density = rho}, Domain::hydraulic);
  EXPECT_DOUBLE_EQ(line.impedance, rho * c / area);
  EXPECT_DOUBLE_EQ(line.law.impedance, area / (rho * c));
  EXPECT_DOUBLE_EQ(line.law.delay, length / c);
  EXPECT_NEAR(static_figure(line, Domain::hydraulic), rho * length / area, 1e-9 * rho * length / area);
  EXPECT_NEAR(line.parasitic_mass, area * length / K, 1e-12 * area * length / K);
}

TEST(LineDomains, ElectricalLineFollowsFromInductanceAndCapacitance) {
  const auto line = figures_of({.length = 100.0, .inductance = 2.5e-7, .capacitance = 1e-10}, Domain::electrical);
  EXPECT_NEAR(line.impedance, 50.0, 1e-12);
  EXPECT_NEAR(line.law.delay, 5e-7, 1e-20);
  EXPECT_NEAR(static_figure(line, Domain::electrical), 2.5e-5, 1e-16);
  EXPECT_NEAR(line.parasitic_mass, 1e-8, 1e-20);
  EXPECT_EQ(line_names_of(Domain::electrical).static_unit, "H");
}

TEST(LineDomains, ThermalLineHoldsItsHeatCapacity) {
  const auto line = figures_of({.heat_capacity = 4.0, .resistance = 0.5}, Domain::thermal);
  EXPECT_DOUBLE_EQ(line.law.delay, 2.0);
  EXPECT_DOUBLE_EQ(line.impedance, 0.5);
  EXPECT_DOUBLE_EQ(line.parasitic_mass, 4.0);
}

TEST(LineDomains, ImpedanceAndDelayServeEveryDomain) {
  for (const Domain domain : {Domain::hydraulic, Domain::electrical, Domain::thermal}) {
    const auto line = figures_of({.delay = 0.1, .impedance = 8.0, .damping = 0.25}, domain);
    EXPECT_DOUBLE_EQ(line.law.impedance, 0.125);
    EXPECT_DOUBLE_EQ(static_figure(line, domain), 8.0 * 0.1 / 0.75);
  }
  EXPECT_DOUBLE_EQ(figures_of({.delay = 0.1, .impedance = 8.0}, Domain::rotation).law.impedance, 8.0);
}

TEST(LineDomains, WhatBelongsToAnotherDomainIsNamed) {
  EXPECT_NE(problem_of({.delay = 1.0, .stiffness = 1.0}, Domain::hydraulic).find("'stiffness' does not apply"),
            std::string::npos);
  EXPECT_NE(problem_of({.heat_capacity = 1.0, .resistance = 1.0}, Domain::electrical).find("(inductance, capacitance"),
            std::string::npos);
  EXPECT_NE(problem_of({.length = 1.0, .inductance = 1.0}, Domain::electrical).find("expected all of one of"),
            std::string::npos);
  EXPECT_NE(problem_of({.bulk_modulus = 1.0}, Domain::translation).find("'bulk_modulus'"), std::string::npos);
}

}  // namespace line_domains_test
}  // namespace tieline::coupling
