#include "coupling/spatial_line.hpp"

#include <gtest/gtest.h>

namespace tieline::coupling {
namespace spatial_line_test {

SpatialParameters stiff() {
  SpatialParameters parameters;
  parameters.translation.stiffness = 1e8;
  parameters.translation.delay = 1e-5;
  parameters.translation.damping = 0.1;
  return parameters;
}

TEST(SpatialFigures, RotationHasTheDelayOfTheTranslation) {
  SpatialParameters parameters = stiff();
  parameters.stiffness_rotation = 1e6;
  std::string problem;
  const auto figures = derive(parameters, problem);
  ASSERT_TRUE(figures) << problem;
  EXPECT_DOUBLE_EQ(figures->translation.law.impedance, 1e3 / 0.9);
  EXPECT_DOUBLE_EQ(figures->rotation.law.impedance, 10.0 / 0.9);
  EXPECT_EQ(figures->rotation.law.delay, 1e-5);
  EXPECT_EQ(figures->rotation.law.damping, 0.1);
  parameters.damping_rotation = 0.0;
  EXPECT_EQ(derive(parameters, problem)->rotation.law.impedance, 1e6 * 1e-5);
}

TEST(SpatialFigures, MaterialGivesBoth) {
  SpatialParameters parameters;
  parameters.translation.youngs_modulus = 2e11;
  parameters.translation.length = 0.05;
  parameters.translation.sound_speed = 5000.0;
  std::string problem;
  const auto figures = derive(parameters, problem);
  ASSERT_TRUE(figures) << problem;
  EXPECT_DOUBLE_EQ(figures->translation.stiffness, 2e11 * 0.05);
  EXPECT_DOUBLE_EQ(figures->rotation.stiffness, 2e11 * 0.05 * 0.05 * 0.05 / 4.0);
  EXPECT_EQ(figures->rotation.law.delay, figures->translation.law.delay);
  // A stated stiffness stands against the material's.
  parameters.stiffness_rotation = 7.0;
  EXPECT_DOUBLE_EQ(derive(parameters, problem)->rotation.stiffness, 7.0);
}

TEST(SpatialFigures, SaysWhatIsMissingOrTooMuch) {
  std::string problem;
  SpatialParameters parameters = stiff();
  EXPECT_FALSE(derive(parameters, problem));
  EXPECT_NE(problem.find("stiffness_rotation or impedance_rotation"), problem.npos) << problem;

  parameters.free_rotation = {true, true, true};
  ASSERT_TRUE(derive(parameters, problem));
  EXPECT_FALSE(derive(parameters, problem)->carries_torque());
  parameters.impedance_rotation = 1.0;
  EXPECT_FALSE(derive(parameters, problem));
  EXPECT_NE(problem.find("do not apply"), problem.npos) << problem;

  parameters.free_rotation = {true, false, false};
  parameters.stiffness_rotation = 1.0;
  EXPECT_FALSE(derive(parameters, problem));
  EXPECT_EQ(problem.rfind("rotation: ", 0), 0U) << problem;
}

TEST(SpatialAudit, AddsAxesUp) {
  SpatialAudit audit;
  std::array<LineBalance, 6> axes{};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = {.t = 2.0, .energy = 1.0 + static_cast<double>(i), .energy_residual = i == 4 ? -5.0 : 1.0};
  }
  axes[0].drift = 3.0, axes[2].drift = -4.0, axes[5].drift = 0.5;
  axes[1].momentum = 7.0, axes[3].momentum = 8.0;
  const SpatialBalance& sum = audit.add(axes);
  EXPECT_EQ(sum.t, 2.0);
  EXPECT_EQ(sum.energy, 21.0);
  EXPECT_EQ(sum.energy_residual, 0.0);
  EXPECT_EQ(sum.drift, 5.0);
  EXPECT_EQ(sum.angular_drift, 0.5);
  EXPECT_EQ(sum.momentum[1], 7.0);
  EXPECT_EQ(sum.angular_momentum[0], 8.0);
  axes.fill({});
  EXPECT_EQ(audit.add(axes).drift, 0.0);
  EXPECT_EQ(audit.largest_drift(), 5.0);
  EXPECT_EQ(audit.largest_energy(), 21.0);
}

}  // namespace spatial_line_test
}  // namespace tieline::coupling
