// The parts that steppers share: scales, the look ahead, Jacobians, factorisations.
#include <complex>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

#include "solvers/dense_lu.hpp"
#include "solvers/error_scale.hpp"
#include "solvers/jacobian.hpp"
#include "solvers/start_probe.hpp"
#include "solvers/test_systems.hpp"

namespace tieline::solvers {
namespace parts_test {

using namespace testing;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ErrorScale, FollowsTheLargestValueSeen) {
  ErrorScale scale(3, 1e-3, std::array{5, 5, 9});
  EXPECT_FALSE(scale.is_known());
  scale.note(std::array{-4.0, 0.0, 1e-9});
  EXPECT_TRUE(scale.is_known());
  scale.note(std::array{1.0, 0.0, 0.0});
  EXPECT_DOUBLE_EQ(scale.scale(0), 4.0);
  EXPECT_DOUBLE_EQ(scale.scale(1), 4.0 * kScaleShare);  // at rest beside a moving one
  EXPECT_DOUBLE_EQ(scale.scale(2), 1e-9);
  EXPECT_DOUBLE_EQ(scale.tolerance(0, 1.0, 1.0), 4e-3);
  EXPECT_DOUBLE_EQ(scale.tolerance(0, -8.0, 1.0), 8e-3);
}

TEST(ErrorScale, SuggestionsAreForUnknownClassesOnly) {
  ErrorScale scale(3, 1e-3, std::array{0, 1, 1});
  scale.note(std::array{2.0, 0.0, 0.0});
  scale.suggest(std::array{100.0, 3.0, 1.0});
  EXPECT_DOUBLE_EQ(scale.scale(0), 2.0);
  EXPECT_DOUBLE_EQ(scale.scale(1), 3.0);
  EXPECT_DOUBLE_EQ(scale.scale(2), 1.0);
  EXPECT_TRUE(scale.is_known());
}

TEST(ErrorScale, NormNamesTheWorstState) {
  ErrorScale scale(2, 1e-2, {});
  scale.note(std::array{1.0, 1.0});
  const ScaledError error = scale.norm(std::array{1e-3, -5e-2}, std::array{1.0, 1.0}, 1.0);
  EXPECT_DOUBLE_EQ(error.value, 5.0);
  EXPECT_EQ(error.worst, 1);
  EXPECT_TRUE(std::isnan(scale.norm(std::array{kNan, 1.0}, std::array{1.0, 1.0}, 1.0).value));
}

TEST(StartProbe, FindsTheSizesThatAMassFromRestReaches) {
  const double omega = 1e3;
  FunctionSystem system(2, [omega](double, wave::Side, auto y, auto ydot) {
    ydot[0] = y[1];
    ydot[1] = 5.0 - omega * omega * y[0];
    return true;
  });
  core::Statistics statistics;
  StartProbe probe(system, statistics);
  ErrorScale scale(2, 1e-8, std::array{0, 1});
  const double range = probe.look_ahead(0.0, std::array{0.0, 0.0}, 10.0, scale);
  EXPECT_GT(range * omega, 0.2);
  EXPECT_LT(range * omega, 8.0);
  EXPECT_GT(scale.scale(0), 0.01 * 5.0 / (omega * omega));
  EXPECT_LT(scale.scale(0), 20.0 * 5.0 / (omega * omega));
  EXPECT_GT(scale.scale(1), 0.05 * 5.0 / omega);
  EXPECT_LT(scale.scale(1), 10.0 * 5.0 / omega);
}

TEST(StartProbe, LooksNoFurtherThanTheHorizon) {
  double latest = 0.0;
  FunctionSystem system(1, [&](double t, wave::Side, auto, auto ydot) {
    latest = std::max(latest, t);
    ydot[0] = 1.0;
    return true;
  });
  core::Statistics statistics;
  StartProbe probe(system, statistics);
  ErrorScale scale(1, 1e-8, {});
  EXPECT_DOUBLE_EQ(probe.look_ahead(3.0, std::array{0.0}, 0.125, scale), 0.125);
  EXPECT_LE(latest, 3.125);
}

TEST(JacobianSource, DifferencesFollowTheScales) {
  // The second state is zero now; its scale is that of its class.
  FunctionSystem system(2, [](double, wave::Side, auto y, auto ydot) {
    ydot[0] = std::sin(1e6 * y[1]);
    ydot[1] = y[0] * y[0];
    return true;
  });
  core::Statistics statistics;
  JacobianSource source(system, statistics);
  ErrorScale scale(2, 1e-8, std::array{0, 1});
  scale.note(std::array{3.0, 1e-6});
  const std::array y{3.0, 0.0};
  std::array<double, 2> f{};
  system.rhs(0.0, wave::Side::left, y, f);
  std::array<double, 4> columns{};
  ASSERT_TRUE(source.evaluate(0.0, wave::Side::left, y, f, scale, columns));
  EXPECT_NEAR(columns[0], 0.0, 1e-12);
  EXPECT_NEAR(columns[1], 6.0, 1e-6);
  EXPECT_NEAR(columns[2], 1e6, 1.0);
  EXPECT_NEAR(columns[3], 0.0, 1e-6);
  EXPECT_EQ(statistics.jacobian_calls, 1u);
  EXPECT_EQ(statistics.rhs_calls, 2u);
}

RC_GTEST_PROP(DenseLu, SolvesRandomSystems, ()) {
  const int n = *rc::gen::inRange(1, 12);
  const auto entries = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(n * n), rc::gen::inRange(-9, 10));
  const auto right = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(2 * n), rc::gen::inRange(-9, 10));
  const std::vector<double> jacobian(entries.begin(), entries.end());
  const std::complex<double> shift(10.5 * n, 3.25);  // dominant diagonal: well conditioned

  DenseLu real(n);
  RC_ASSERT(real.factorise(jacobian, shift.real()));
  std::vector<double> x(right.begin(), right.begin() + n);
  real.solve(x);
  DenseComplexLu complex(n);
  RC_ASSERT(complex.factorise(jacobian, shift.real(), shift.imag()));
  std::vector<double> re(right.begin(), right.begin() + n), im(right.begin() + n, right.end());
  complex.solve(re, im);
  for (int i = 0; i < n; ++i) {
    double sum = shift.real() * x[i];
    std::complex<double> complex_sum = shift * std::complex(re[i], im[i]);
    for (int j = 0; j < n; ++j) {
      sum -= jacobian[j * n + i] * x[j];
      complex_sum -= jacobian[j * n + i] * std::complex(re[j], im[j]);
    }
    RC_ASSERT(std::abs(sum - right[i]) < 1e-12);
    RC_ASSERT(std::abs(complex_sum - std::complex<double>(right[i], right[n + i])) < 1e-12);
  }
}

TEST(DenseLu, PivotsAndRefusesSingularMatrices) {
  DenseLu lu(2);
  ASSERT_TRUE(lu.factorise(std::array{0.0, -1.0, -2.0, 0.0}, 0.0));  // [0 2; 1 0]
  std::array b{4.0, 3.0};
  lu.solve(b);
  EXPECT_DOUBLE_EQ(b[0], 3.0);
  EXPECT_DOUBLE_EQ(b[1], 2.0);
  EXPECT_FALSE(lu.factorise(std::array{1.0, 1.0, 1.0, 1.0}, 0.0));
  EXPECT_FALSE(lu.factorise(std::array{kNan, 0.0, 0.0, 1.0}, 0.0));
}

}  // namespace parts_test
}  // namespace tieline::solvers
