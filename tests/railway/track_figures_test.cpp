// Natural frequencies and stiffnesses of the slab track, beside closed forms and figures of others.

#include <Eigen/Eigenvalues>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "railway/track_model.hpp"

namespace tieline::railway {
namespace track_figures_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kLoad = 67640.0, kPi = std::numbers::pi;

TrackSpec on_rigid_ground() {
  TrackSpec spec{.slabs = 12, .is_rigid_below = true};
  spec.rail_modes = spec.fasteners() * 3 / 2;
  return spec;
}

/// The stiffness between some coordinates, which have unit mass [1/s^2].
MatrixXd stiffness(const TrackModel& model, int first, int count) {
  MatrixXd K(count, count);
  const VectorXd zero = VectorXd::Zero(model.size());
  for (int i = 0; i < count; ++i) {
    VectorXd force = zero;
    model.add_forces(VectorXd::Unit(model.size(), first + i), zero, force);
    K.col(i) = -force.segment(first, count);
  }
  return K;
}

double hertz(double eigenvalue) { return std::sqrt(std::max(0.0, eigenvalue)) / (2.0 * kPi); }

std::vector<double> frequencies(const MatrixXd& K) {
  const VectorXd values = Eigen::SelfAdjointEigenSolver<MatrixXd>(K).eigenvalues();
  std::vector<double> result;
  for (const double value : values) result.push_back(hertz(value));
  return result;
}

VectorXd shape_at(const TrackModel& model, double x) {
  Eigen::MatrixX3d shape(model.modes(), 3);
  model.shapes(x, shape);
  return model.norm(0) * shape.col(0);
}

TEST(TrackFigures, ARailSwingsOnItsPadsAndBetweenThem) {
  const TrackSpec spec = on_rigid_ground();
  const TrackModel model(spec);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solved(stiffness(model, 0, model.modes()));
  // As a whole: sqrt(k / m) of an even bed.
  EXPECT_NEAR(hertz(solved.eigenvalues()[0]), 183.0, 2.0);
  // With nodes at the fasteners, half a wave between two of them.
  const RailBeam& rail = spec.rail;
  const double pinned = std::pow(kPi / spec.fastener.pitch, 2) *
                        std::sqrt(rail.youngs_modulus * rail.vertical_inertia / rail.mass) / (2.0 * kPi);
  EXPECT_NEAR(pinned, 1329.0, 1.0);
  double least = 1.0, frequency = 0.0;  // of the mode that moves least at fasteners, beside what it moves between them
  for (int k = 0; k < model.modes(); ++k) {
    const VectorXd mode = solved.eigenvectors().col(k);
    double at = 0.0, between = 0.0;
    for (int i = 20; i < 76; ++i) {
      at += std::pow(shape_at(model, (i + 0.5) * spec.fastener.pitch).dot(mode), 2);
      between += std::pow(shape_at(model, i * spec.fastener.pitch).dot(mode), 2);
    }
    if (at < least * between) least = at / between, frequency = hertz(solved.eigenvalues()[k]);
  }
  // Modes of a window of n fasteners are 2/n apart there.
  EXPECT_LT(least, 0.2);
  EXPECT_NEAR(frequency, pinned, 2.0 / spec.fasteners() * pinned);
}

TEST(TrackFigures, AWheelStandsOnTheStiffnessOfBeamAndFasteners) {
  const TrackSpec spec = on_rigid_ground();
  const TrackModel model(spec);
  const double on = 30.0 + 0.5 * spec.fastener.pitch;
  const double sag = -shape_at(model, on).dot(model.at_rest({{0, on, -kLoad}}).head(model.modes()));
  EXPECT_NEAR(kLoad / sag, 121e6, 0.02 * 121e6);
  EXPECT_NEAR(spec.fastener.vertical_stiffness * sag / kLoad, 0.41, 0.01);
  // Half a wheelset on it, through the contact's tangent: P2.
  MatrixXd K = MatrixXd::Zero(model.modes() + 1, model.modes() + 1);
  K.topLeftCorner(model.modes(), model.modes()) = stiffness(model, 0, model.modes());
  constexpr double kContact = 1.44e9, kHalfWheelset = 0.5 * 1850.0;
  VectorXd g(model.modes() + 1);
  g << shape_at(model, on), -1.0 / std::sqrt(kHalfWheelset);
  const double p2 = frequencies(K + kContact * g * g.transpose()).front();
  EXPECT_GT(p2, 53.0);
  EXPECT_LT(p2, 56.0);
}

TEST(TrackFigures, SlabsBendAndStandOnMortar) {
  TrackSpec spec{.slabs = 1};
  spec.rail_modes = 8;
  spec.fastener.vertical_stiffness = spec.fastener.lateral_stiffness = 1e-3;
  spec.base.density = 1e9;  // does not move
  const auto slab = [&] {
    const TrackModel model(spec);
    return frequencies(stiffness(model, model.rail_size(), model.plate_size()));
  };
  EXPECT_NEAR(slab().front(), 365.0, 1.0);
  EXPECT_NEAR(std::sqrt(spec.slab.layer_stiffness / (spec.slab.density * spec.slab.height)) / (2.0 * kPi), 365.0, 1.0);
  spec.slab.layer_stiffness = 1e-3;
  const auto free = slab();
  // Three motions as a whole, then the first bending along: as a beam, stiffer by what a plate's width prevents.
  EXPECT_LT(free[2], 0.1);
  EXPECT_GT(free[3], 30.5 * 0.995);
  EXPECT_LT(free[3], 30.5 / std::sqrt(1.0 - 0.2 * 0.2) * 1.005);
}

TEST(TrackFigures, TrainsPassFastenersAndSlabsFarBelowTheCriticalSpeed) {
  const TrackSpec spec = on_rigid_ground();
  const double speed = 350.0 / 3.6;
  EXPECT_NEAR(speed / spec.fastener.pitch, 155.6, 0.1);
  EXPECT_NEAR(speed / TrackSpec{}.slab.length, 19.7, 0.05);
  // Waves on an even bed: sqrt(2 sqrt(k EI) / m).
  const double k = spec.fastener.vertical_stiffness / spec.fastener.pitch;
  const double critical =
      std::sqrt(2.0 * std::sqrt(k * spec.rail.youngs_modulus * spec.rail.vertical_inertia) / spec.rail.mass);
  EXPECT_NEAR(critical, 871.0, 2.0);
}

}  // namespace track_figures_test
}  // namespace tieline::railway
