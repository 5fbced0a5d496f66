#include "components/structure/resolution_check.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tieline::components {
namespace resolution_check_test {

/// What is estimated of one freedom that moves as stated, with so much energy exchanged in each step [J] and a kinetic
/// energy of half a joule in the mean.
template <class Motion>
double found_error(double h, int steps, double exchanged, const Motion& motion) {
  ResolutionCheck check({false});
  const auto at = [&](double t) { return Eigen::VectorXd::Constant(1, motion(t)); };
  check.start(at(0.0));
  for (int n = 1; n <= steps; ++n) {
    check.note(h, at(n * h), exchanged);
    if (check.wants_energy()) check.note_energy(0.5);
  }
  return check.errors().estimate;
}

double vibration(double t) { return std::sin(t); }

TEST(ResolutionCheck, FreeVibrationHasTheMethodsErrorOfPhase) {
  // Mean acceleration: the frequency is wrong by h^2 / 12, the phase by that many times the time.
  for (const double h : {0.02, 0.05, 0.1}) {
    const double phase = h * h / 12.0 * 100.0;
    EXPECT_NEAR(found_error(h, static_cast<int>(100.0 / h), 0.0, vibration), phase, 0.2 * phase) << h;
  }
}

TEST(ResolutionCheck, DrivenVibrationDoesNotAccumulateErrors) {
  // A load that exchanges the whole energy in a radian.
  const double h = 0.05;
  const double brief = found_error(h, 2000, h, vibration), lengthy = found_error(h, 200'000, h, vibration);
  EXPECT_NEAR(brief, lengthy, 0.05 * brief);
  EXPECT_LT(lengthy, h * h);
}

TEST(ResolutionCheck, SmallVibrationsFasterThanTheStepsCountByTheirSize) {
  // 1 per cent of the motion alternates from step to step.
  const double h = 0.01;
  const auto mixed = [&](double t) { return vibration(t) + 0.01 * std::cos(std::numbers::pi * t / h); };
  EXPECT_NEAR(found_error(h, 1000, h, mixed), found_error(h, 1000, h, vibration), 1e-5);
}

TEST(ResolutionCheck, RestIsNoVibration) {
  EXPECT_EQ(found_error(0.1, 1000, 0.0, [](double) { return 0.0; }), 0.0);
  // Alternating roundings of a deformed structure.
  EXPECT_LT(found_error(0.1, 1000, 0.0, [](double t) { return 1.0 + 1e-16 * std::sin(1e3 * t); }), 1e-6);
}

TEST(ResolutionCheck, ContinuesFromASnapshot) {
  ResolutionCheck whole({false}), first({false}), second({false});
  const auto at = [](int n) { return Eigen::VectorXd::Constant(1, std::sin(0.3 * n)); };
  whole.start(at(0)), first.start(at(0));
  for (int n = 1; n <= 50; ++n) {
    whole.note(0.3, at(n), 0.01);
    if (n <= 21) first.note(0.3, at(n), 0.01);
  }
  core::ArchiveWriter writer;
  first.save(writer);
  core::ArchiveReader reader(writer.bytes());
  second.restore(reader);
  for (int n = 22; n <= 50; ++n) second.note(0.3, at(n), 0.01);
  EXPECT_EQ(second.errors().estimate, whole.errors().estimate);
  EXPECT_GT(whole.errors().estimate, 0.0);
}

}  // namespace resolution_check_test
}  // namespace tieline::components
