#include "solvers/known_part.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "wave/track.hpp"

namespace tieline::solvers {
namespace known_part_test {

constexpr double kMass = 3.0, kImpedance = 40.0;

/// A mass at the end of a line: m v' = w - Z v, x' = v, under a wave of many knots, none of them a break.
class MassOnWave final : public OdeSystem {
 public:
  explicit MassOnWave(bool is_known) : is_known_(is_known), wave_(wave::Interpolation::cubic) {
    for (int k = 0; k <= 400; ++k) {
      const double t = 0.0025 * k;
      wave_.push({t, 0.0, 100.0 * std::sin(9.0 * t) + 10.0 * (k % 3), 0.0});
    }
  }
  [[nodiscard]] const wave::Track& wave() const { return wave_; }
  [[nodiscard]] int size() const override { return 2; }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override {
    ydot[0] = y[1];
    ydot[1] = (wave_.at(t, side).value - kImpedance * y[1]) / kMass;
    return true;
  }
  [[nodiscard]] std::vector<Motion> known_motions() const override {
    return is_known_ ? std::vector<Motion>{{.position = 0, .flow = 1}} : std::vector<Motion>{};
  }
  void known_part(double t0, double t, wave::Side side, std::span<wave::TrackValue> motions) override {
    const wave::TrackIntegrals sums = wave_.integrals(t0, t, side);
    motions[0] = {sums.first / kMass, sums.value / kMass, sums.second / kMass};
  }

 private:
  bool is_known_;
  wave::Track wave_;
};

struct End {
  double x = 0.0, v = 0.0;
  std::uint64_t steps = 0;
  double momentum_error = 0.0;  ///< largest of m v + Z x - impulse of the wave, at steps and between
};

End run(MassOnWave& system, Method method, double tolerance, double fixed_step = 0.0) {
  const auto stepper = make_stepper(method, system, {.relative_tolerance = tolerance, .fixed_step = fixed_step});
  const std::vector<double> start{0.2, -1.0};
  const double momentum = kMass * start[1] + kImpedance * start[0];
  EXPECT_TRUE(stepper->start(0.0, start));
  End end;
  std::vector<double> y(2);
  while (stepper->time() < 1.0) {
    EXPECT_TRUE(stepper->step(1.0));
    const double t = stepper->step_start() + 0.3 * (stepper->time() - stepper->step_start());
    for (const double at : {t, stepper->time()}) {
      stepper->interpolate(at, y);
      const double kept = kMass * y[1] + kImpedance * y[0] - system.wave().at(at, wave::Side::left).integral;
      end.momentum_error = std::max(end.momentum_error, std::abs(kept - momentum));
    }
  }
  end.x = stepper->state()[0], end.v = stepper->state()[1];
  end.steps = stepper->statistics().steps;
  return end;
}

// Each step spans several knots, which stages do not see.
TEST(KnownPart, LosesLessOfTheWavesMomentum) {
  MassOnWave known(true), plain(false);
  for (const double step : {0.01, 0.02}) {
    const double kept = run(known, Method::rk4, 1e-3, step).momentum_error,
                 lost = run(plain, Method::rk4, 1e-3, step).momentum_error;
    EXPECT_LT(kept, 0.05 * lost) << step << " " << kept << " " << lost;
  }
}

TEST(KnownPart, TakesFewerStepsForLessError) {
  MassOnWave known(true), plain(false);
  const End exact = run(plain, Method::dopri5, 1e-13);
  for (const Method method : {Method::dopri5, Method::radau5}) {
    for (const double tolerance : {1e-5, 1e-8}) {
      const End with = run(known, method, tolerance), without = run(plain, method, tolerance);
      EXPECT_LT(with.steps, without.steps) << name_of(method) << " " << tolerance;
      EXPECT_NEAR(with.v, exact.v, 100.0 * tolerance) << name_of(method);
      EXPECT_NEAR(with.x, exact.x, 100.0 * tolerance) << name_of(method);
    }
  }
}

TEST(KnownPart, ContinuesWithTheSameBitsFromASnapshot) {
  MassOnWave system(true);
  for (const Method method : {Method::dopri5, Method::radau5}) {
    const auto one = make_stepper(method, system, {.relative_tolerance = 1e-6}),
               other = make_stepper(method, system, {.relative_tolerance = 1e-6});
    const std::vector<double> start{0.2, -1.0};
    ASSERT_TRUE(one->start(0.0, start));
    for (int k = 0; k < 5; ++k) ASSERT_TRUE(one->step(1.0));
    core::ArchiveWriter writer;
    one->save(writer);
    core::ArchiveReader reader(writer.bytes());
    other->restore(reader);
    EXPECT_EQ(one->state()[1], other->state()[1]);
    for (int k = 0; k < 5; ++k) {
      ASSERT_TRUE(one->step(1.0));
      ASSERT_TRUE(other->step(1.0));
      EXPECT_EQ(one->time(), other->time());
      EXPECT_EQ(one->state()[0], other->state()[0]);
      EXPECT_EQ(one->state()[1], other->state()[1]);
    }
  }
}

}  // namespace known_part_test
}  // namespace tieline::solvers
