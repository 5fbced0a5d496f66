#include "fmi/mobility.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tieline::fmi {
namespace mobility_test {

TEST(Mobility, IsLearntBesideWhateverElseActs) {
  Mobility mobility(2);
  Eigen::VectorXd effort(2), rise(2);
  for (int k = 0; k < 200; ++k) {
    const double t = 0.01 * k;
    effort << std::sin(7.0 * t), 30.0 * std::cos(5.0 * t);
    // A weight, and a load that grows slowly.
    rise << effort[0] / 4.0 - 9.81, effort[1] / 0.5 + 0.2 * t;
    mobility.learn(effort, rise);
  }
  EXPECT_EQ(mobility.source(), MassSource::learnt);
  EXPECT_NEAR(mobility.mass(0).value_or(0.0), 4.0, 1e-9);
  EXPECT_NEAR(mobility.mass(1).value_or(0.0), 0.5, 1e-2);
  EXPECT_LT(mobility.uncertainty(0), 1e-6);
  EXPECT_EQ(mobility.matrix()(0, 1), 0.0);
}

TEST(Mobility, NoiseShowsAsUncertainty) {
  Mobility mobility(1);
  Eigen::VectorXd effort(1), rise(1);
  double noise = 0.37;
  for (int k = 0; k < 500; ++k) {
    noise = std::fmod(997.0 * noise + 0.1234, 1.0);
    effort[0] = std::sin(0.3 * k);
    rise[0] = effort[0] / 2.0 + 0.05 * (noise - 0.5);
    mobility.learn(effort, rise);
  }
  const double error = std::abs(mobility.mass(0).value_or(0.0) / 2.0 - 1.0);
  EXPECT_GT(mobility.uncertainty(0), 1e-3);
  EXPECT_LT(error, 5.0 * mobility.uncertainty(0));
}

TEST(Mobility, WhatWasStatedOrProbedStays) {
  Mobility stated(1), probed(1);
  stated.state(8.0);
  probed.set_probed(Eigen::MatrixXd::Constant(1, 1, 0.25));
  Eigen::VectorXd effort(1), rise(1);
  for (int k = 0; k < 10; ++k) {
    effort[0] = k, rise[0] = 3.0 * k;
    EXPECT_FALSE(stated.learn(effort, rise));
    EXPECT_FALSE(probed.learn(effort, rise));
  }
  EXPECT_EQ(stated.mass(0).value_or(0.0), 8.0);
  EXPECT_EQ(probed.mass(0).value_or(0.0), 4.0);
  EXPECT_EQ(probed.uncertainty(0), 0.0);
}

TEST(Mobility, SteadyEffortsTeachNothing) {
  Mobility mobility(1);
  const Eigen::VectorXd effort = Eigen::VectorXd::Constant(1, 5.0), rise = Eigen::VectorXd::Constant(1, 1.0);
  for (int k = 0; k < 10; ++k) EXPECT_FALSE(mobility.learn(effort, rise));
  EXPECT_EQ(mobility.source(), MassSource::unknown);
  EXPECT_FALSE(mobility.mass(0).has_value());
}

}  // namespace mobility_test
}  // namespace tieline::fmi
