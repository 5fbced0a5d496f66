// Newmark's method on systems whose motion is known in closed form.

#include "solvers/newmark.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tieline::solvers {
namespace newmark_test {

using Eigen::VectorXd;
using std::numbers::pi;

SparseMatrix diagonal(std::initializer_list<double> entries) {
  const auto n = static_cast<Eigen::Index>(entries.size());
  SparseMatrix matrix(n, n);
  Eigen::Index i = 0;
  for (const double entry : entries) matrix.insert(i, i) = entry, ++i;
  return matrix;
}

/// One mass of 2 kg on a spring, with angular frequency w.
Newmark oscillator(double w, RayleighDamping damping = {}, NewmarkOptions options = {}) {
  return Newmark(diagonal({2.0}), diagonal({2.0 * w * w}), damping, {}, options);
}

// The discrete motion is exactly that of an oscillator with tan(w' h / 2) = w h / 2.
TEST(Newmark, LengthensPeriodsByTheirKnownShare) {
  const double w = 3.0, h = 0.05;
  Newmark solver = oscillator(w);
  solver.place(VectorXd::Ones(1), VectorXd::Zero(1));
  const VectorXd none = VectorXd::Zero(1);
  solver.accelerate(none);
  const double slower = 2.0 / h * std::atan(0.5 * w * h);
  for (int i = 1; i <= 400; ++i) {
    solver.step(h, none);
    EXPECT_NEAR(solver.u()[0], std::cos(slower * i * h), 1e-11);
    EXPECT_NEAR(solver.kinetic_energy() + solver.elastic_energy(), w * w, 1e-12 * w * w);
  }
  EXPECT_NEAR(w / slower - 1.0, w * w * h * h / 12.0, 0.1 * std::pow(w * h, 4));
}

TEST(Newmark, IsOfOrderTwoWithDampingLoadAndImpedance) {
  // u'' + 2 d u' + w^2 u = w^2, from rest; the damping comes from both of Rayleigh's shares and from a point.
  const double w = 4.0, d = 0.7;
  const auto error = [&](int steps) {
    const SparseMatrix M = diagonal({1.0}), K = diagonal({w * w});
    const PointFreedoms point{0, -1, -1, -1, -1, -1};
    Newmark solver(M, K, {.mass = 0.4 * d, .stiffness = 0.8 * d / (w * w)}, std::span(&point, 1));
    Matrix6 Z = Matrix6::Zero();
    Z(0, 0) = 0.8 * d;
    solver.set_impedance(0, Z);
    const VectorXd f = VectorXd::Constant(1, w * w);
    solver.accelerate(f);
    const double T = 1.3, h = T / steps;
    for (int i = 0; i < steps; ++i) solver.step(h, f);
    const double wd = std::sqrt(w * w - d * d);
    return std::abs(solver.u()[0] - (1.0 - std::exp(-d * T) * (std::cos(wd * T) + d / wd * std::sin(wd * T))));
  };
  EXPECT_NEAR(std::log2(error(100) / error(200)), 2.0, 0.05);
  EXPECT_LT(error(200), 1e-3);
}

TEST(Newmark, DampsFastModesWhereGammaIsAboveOneHalf) {
  const double gamma = 0.9, beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
  Newmark solver = oscillator(1e4, {}, {.beta = beta, .gamma = gamma});
  solver.place(VectorXd::Ones(1), VectorXd::Zero(1));
  const VectorXd none = VectorXd::Zero(1);
  solver.accelerate(none);
  const double before = solver.elastic_energy();
  for (int i = 0; i < 50; ++i) solver.step(0.01, none);
  EXPECT_LT(solver.kinetic_energy() + solver.elastic_energy(), 1e-3 * before);
}

TEST(Newmark, CreepsWithoutInertiaAgainstItsImpedance) {
  // Z u' + k u = f, by implicit steps: u_n = f / k (1 - (1 + k h / Z)^-n).
  const PointFreedoms point{-1, 0, -1, -1, -1, -1};
  Newmark solver(diagonal({1.0}), diagonal({5.0}), {}, std::span(&point, 1));
  Matrix6 Z = Matrix6::Zero();
  Z(1, 1) = 2.0;
  solver.set_impedance(0, Z);
  const VectorXd f = VectorXd::Constant(1, 10.0);
  const double h = 0.1;
  for (int i = 1; i <= 20; ++i) {
    solver.creep(h, f);
    EXPECT_NEAR(solver.u()[0], 2.0 * (1.0 - std::pow(1.0 + 5.0 * h / 2.0, -i)), 1e-13);
    EXPECT_DOUBLE_EQ(solver.v()[0], (solver.u()[0] - solver.u_before()[0]) / h);
  }
}

TEST(Newmark, InterpolatesToBothEndsOfAStep) {
  Newmark solver = oscillator(2.0, {.stiffness = 0.01}, {.beta = 0.3, .gamma = 0.55});
  solver.place(VectorXd::Ones(1), VectorXd::Constant(1, 0.3));
  const VectorXd f = VectorXd::Constant(1, 0.7);
  solver.accelerate(f);
  const VectorXd u0 = solver.u(), v0 = solver.v(), a0 = solver.a();
  solver.step(0.1, f);
  VectorXd u, v, a;
  solver.interpolate(0.0, 0.1, u, v, a);
  EXPECT_EQ(u, u0);
  EXPECT_EQ(v, v0);
  EXPECT_EQ(a, a0);
  solver.interpolate(1.0, 0.1, u, v, a);
  EXPECT_NEAR(u[0], solver.u()[0], 1e-15);
  EXPECT_NEAR(v[0], solver.v()[0], 1e-15);
  EXPECT_EQ(a, solver.a());
}

// Lengths that come back are not factorised again; a changed impedance is.
TEST(Newmark, KeepsFactorsOfSeveralLengths) {
  const PointFreedoms point{0, -1, -1, -1, -1, -1};
  Newmark solver(diagonal({1.0}), diagonal({5.0}), {}, std::span(&point, 1));
  const VectorXd f = VectorXd::Ones(1);
  for (int i = 0; i < 10; ++i) {
    for (const double h : {0.1, 0.2, 0.05}) solver.step(h, f);
  }
  EXPECT_EQ(solver.factors().factorisations(), 3u);
  Matrix6 Z = Matrix6::Zero();
  Z(0, 0) = 1.0;
  solver.set_impedance(0, Z);
  solver.step(0.1, f);
  solver.step(0.1, f);
  EXPECT_EQ(solver.factors().factorisations(), 4u);
  for (int i = 1; i <= 20; ++i) solver.step(0.01 * i, f);
  solver.step(0.1, f);
  EXPECT_GT(solver.factors().factorisations(), 20u);
}

}  // namespace newmark_test
}  // namespace tieline::solvers
