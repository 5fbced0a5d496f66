#include "coupling/collocation.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace tieline::coupling {
namespace collocation_test {

using core::Compatibility;

TEST(Collocation, FollowsPolynomialsOfItsDegree) {
  const auto f = [](double x) { return 2.0 - 3.0 * x + 0.5 * x * x; };
  const auto integral = [](double x) { return 2.0 * x - 1.5 * x * x + x * x * x / 6.0; };
  for (const auto compatibility : {Compatibility::velocity, Compatibility::acceleration}) {
    const Collocation shape(compatibility, core::ForceShape::quadratic);
    std::vector<double> values;
    for (const double x : shape.nodes()) values.push_back(f(x));
    for (const double x : {0.0, 0.1, 0.5, 0.7, 1.0, 1.8}) {
      EXPECT_NEAR(shape.value(x, values, f(0.0)), f(x), 1e-13);
      EXPECT_NEAR(shape.slope(x, values, f(0.0)), -3.0 + x, 1e-13);
      EXPECT_NEAR(shape.integral(x, values, f(0.0)), integral(x), 1e-13);
    }
    EXPECT_EQ(shape.nodes().back(), 1.0);
  }
}

TEST(Collocation, HasTheNodesOfRadauWithVelocities) {
  // Quadrature at these nodes is exact for polynomials of degree 4.
  const Collocation shape(Compatibility::velocity, core::ForceShape::quadratic);
  for (int power = 0; power <= 4; ++power) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      std::array<double, 3> unit{};
      unit[i] = 1.0;
      sum += shape.integral(1.0, unit, 0.0) * std::pow(shape.nodes()[i], power);
    }
    EXPECT_NEAR(sum, 1.0 / (power + 1.0), 1e-14) << power;
  }
  EXPECT_FALSE(shape.is_continuous());
}

TEST(Collocation, OfCubicForcesFollowsCubics) {
  const auto f = [](double x) { return 1.0 + x * (2.0 - x * (3.0 - 0.5 * x)); };
  for (const auto compatibility : {Compatibility::velocity, Compatibility::acceleration}) {
    const Collocation shape(compatibility, core::ForceShape::cubic);
    std::vector<double> values;
    for (const double x : shape.nodes()) values.push_back(f(x));
    for (const double x : {0.0, 0.1, 0.5, 0.7, 1.0, 1.8}) {
      EXPECT_NEAR(shape.value(x, values, f(0.0)), f(x), 1e-12);
      EXPECT_NEAR(shape.slope(x, values, f(0.0)), 2.0 - x * (6.0 - 1.5 * x), 1e-12);
      EXPECT_NEAR(shape.integral(x, values, f(0.0)), x * (1.0 + x * (1.0 - x * (1.0 - 0.125 * x))), 1e-12);
    }
    // The highest part of a cubic integrates to zero against all of lower degree.
    std::vector<double> part(shape.size());
    shape.highest_part(values, f(0.0), part);
    if (!shape.is_continuous()) {
      EXPECT_NEAR(shape.integral(1.0, part, 0.0), 0.0, 1e-13);
    }
    EXPECT_NEAR(part.back(), 0.5 * 0.05, 1e-12);
  }
  // Quadrature at Radau's four nodes is exact for polynomials of degree 6, at Lobatto's four for those of degree 5.
  const Collocation radau(Compatibility::velocity, core::ForceShape::cubic);
  for (int power = 0; power <= 6; ++power) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      std::array<double, 4> unit{};
      unit[i] = 1.0;
      sum += radau.integral(1.0, unit, 0.0) * std::pow(radau.nodes()[i], power);
    }
    EXPECT_NEAR(sum, 1.0 / (power + 1.0), 1e-14) << power;
  }
  const Collocation lobatto(Compatibility::acceleration, core::ForceShape::cubic);
  for (int power = 1; power <= 5; ++power) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      std::array<double, 3> unit{};
      unit[i] = 1.0;
      sum += lobatto.integral(1.0, unit, 0.0) * std::pow(lobatto.nodes()[i], power);
    }
    EXPECT_NEAR(sum, 1.0 / (power + 1.0), 1e-14) << power;
  }
}

TEST(Collocation, ContinuesFromTheLastStepWithAccelerations) {
  const Collocation shape(Compatibility::acceleration, core::ForceShape::linear);
  EXPECT_TRUE(shape.is_continuous());
  EXPECT_EQ(shape.size(), 1U);
  const std::array<double, 1> end{3.0};
  EXPECT_EQ(shape.value(0.0, end, 1.0), 1.0);
  EXPECT_EQ(shape.value(1.0, end, 1.0), 3.0);
  EXPECT_DOUBLE_EQ(shape.value(0.25, end, 1.0), 1.5);
}

TEST(Collocation, EstimatesTheErrorOfALowerDegree) {
  const Collocation shape(Compatibility::velocity, core::ForceShape::quadratic);
  std::array<double, 3> line{}, square{}, part{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double x = shape.nodes()[i];
    line[i] = 4.0 - x;
    square[i] = x * x;
  }
  shape.highest_part(line, 0.0, part);
  for (const double p : part) EXPECT_NEAR(p, 0.0, 1e-13);
  shape.highest_part(square, 0.0, part);
  EXPECT_NEAR(shape.integral(1.0, part, 0.0), 0.0, 1e-14);
  EXPECT_NEAR(part[2], 1.0 / 6.0, 1e-13);
}

}  // namespace collocation_test
}  // namespace tieline::coupling
