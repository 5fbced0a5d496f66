#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "railway/aero.hpp"
#include "railway/beam_functions.hpp"
#include "railway/track_model.hpp"

namespace tieline::railway {
namespace {

using Eigen::VectorXd;

constexpr double kWheelLoad = 67640.0;  // [N]

/// Deflection of a field of a rail at a place, downwards.
double deflection(const TrackModel& model, const VectorXd& q, int field, double x) {
  Eigen::MatrixX3d shape(model.modes(), 3);
  model.shapes(x, shape);
  return -model.norm(field) * shape.col(0).dot(q.segment(field * model.modes(), model.modes()));
}

/// Of a beam on an even elastic bed [Winkler]: P beta / (2 k), beta = (k / 4 E I)^(1/4).
double winkler(const TrackSpec& spec, double load) {
  const double k = spec.fastener.vertical_stiffness / spec.fastener.pitch;
  const double beta = std::pow(k / (4.0 * spec.rail.youngs_modulus * spec.rail.vertical_inertia), 0.25);
  return load * beta / (2.0 * k);
}

TrackSpec rigid_bed() {
  TrackSpec spec;
  spec.slabs = 12, spec.is_rigid_below = true, spec.speed = 350.0 / 3.6;
  spec.rail_modes = spec.fasteners() * 3 / 2;
  return spec;
}

TEST(BeamFunctions, are_orthonormal_modes_of_a_free_beam) {
  EXPECT_NEAR(BeamFunctions::root(1), 4.730040745, 1e-9);
  EXPECT_NEAR(BeamFunctions::root(4), 14.13716549, 1e-8);
  const BeamFunctions f(6, 4.93);
  EXPECT_LT((f.products(0, f, 0, 0.0, 4.93) - Eigen::MatrixXd::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-10);
  // Their curvatures are orthogonal, too, with the fourth powers of the wavenumbers.
  const Eigen::MatrixXd bent = f.products(2, f, 2, 0.0, 4.93);
  for (int i = 2; i < 6; ++i) {
    const double wave4 = std::pow(BeamFunctions::root(i - 1) / 4.93, 4);
    EXPECT_NEAR(bent(i, i), wave4, 1e-8 * wave4);
    EXPECT_NEAR(bent(i, 2 + (i - 1) % 4), 0.0, 1e-6 * wave4);
  }
  // Derivatives are those of the functions.
  constexpr double h = 1e-5;
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR((f.at(i, 1.3 + h) - f.at(i, 1.3 - h)) / (2.0 * h), f.at(i, 1.3, 1), 1e-6);
    EXPECT_NEAR((f.at(i, 1.3 + h, 1) - f.at(i, 1.3 - h, 1)) / (2.0 * h), f.at(i, 1.3, 2), 1e-5);
  }
}

TEST(TrackModel, a_rail_at_rest_bends_as_on_winklers_bed) {
  const TrackSpec spec = rigid_bed();
  const TrackModel model(spec);
  // Between two fasteners, and on one; an even bed lies between.
  const double middle = 30.0, on = middle + 0.5 * spec.fastener.pitch;
  double mean = 0.0;
  for (const double x : {middle, on}) {
    mean += 0.5 * deflection(model, model.at_rest({{0, x, -kWheelLoad}}), TrackModel::kVertical, x);
  }
  EXPECT_NEAR(winkler(spec, kWheelLoad), 0.557e-3, 1e-6);
  EXPECT_NEAR(mean, winkler(spec, kWheelLoad), 0.02 * mean);
  EXPECT_LT(std::abs(deflection(model, model.at_rest({{0, on, -kWheelLoad}}), TrackModel::kVertical + 1, on)), 1e-12);
}

TEST(TrackModel, what_is_at_rest_stays_at_rest) {
  TrackSpec spec;
  spec.slabs = 6, spec.rail_modes = spec.fasteners();
  const TrackModel model(spec);
  const double x = 14.0;
  const VectorXd q = model.at_rest({{0, x, -kWheelLoad}, {1, x + 2.5, -kWheelLoad}});
  VectorXd a = VectorXd::Zero(model.size());
  model.add_forces(q, VectorXd::Zero(model.size()), a);
  Eigen::MatrixX3d shape(model.modes(), 3);
  for (int rail = 0; rail < 2; ++rail) {
    model.shapes(x + 2.5 * rail, shape);
    a.segment(rail * model.modes(), model.modes()) -= model.norm(0) * kWheelLoad * shape.col(0);
  }
  EXPECT_LT(a.cwiseAbs().maxCoeff(), 1e-6 * model.norm(0) * kWheelLoad);
  // The slab and its bed give way, too.
  EXPECT_GT(deflection(model, q, TrackModel::kVertical, x), 1.05 * winkler(spec, kWheelLoad));
}

TEST(TrackModel, forces_are_those_of_a_potential_and_damping_takes_energy) {
  TrackSpec spec;
  spec.slabs = 3, spec.rail_modes = 20;
  const TrackModel model(spec);
  srand(7);
  const VectorXd a = VectorXd::Random(model.size()), b = VectorXd::Random(model.size());
  const VectorXd zero = VectorXd::Zero(model.size());
  const auto force = [&](const VectorXd& q, const VectorXd& v) {
    VectorXd f = zero;
    model.add_forces(q, v, f);
    return f;
  };
  const double ab = a.dot(force(b, zero)), ba = b.dot(force(a, zero));
  EXPECT_NEAR(ab, ba, 1e-10 * std::abs(ab) + 1e-10 * model.potential(a));
  EXPECT_GT(model.potential(a), 0.0);
  EXPECT_GT(model.lost_power(a), 0.0);
  EXPECT_NEAR(a.dot(force(zero, b)), b.dot(force(zero, a)), 1e-10 * model.lost_power(a));
}

TEST(TrackModel, a_load_that_travels_bends_the_rail_as_much_as_winkler_says) {
  TrackSpec spec = rigid_bed();
  const TrackModel model(spec);
  const double V = spec.speed, dt = 5e-5, x0 = 18.0;
  VectorXd q = model.at_rest({{0, x0, -kWheelLoad}}), v = VectorXd::Zero(model.size());
  Eigen::MatrixX3d shape(model.modes(), 3);
  const auto rates = [&](double t, const VectorXd& place, const VectorXd& speed) {
    VectorXd a = VectorXd::Zero(model.size());
    model.shapes(x0 + V * t, shape);
    a.head(model.modes()) -= model.norm(0) * kWheelLoad * shape.col(0);
    model.add_forces(place, speed, a);
    return a;
  };
  double mean = 0.0;
  int count = 0;
  constexpr int kSteps = 4000;
  for (int i = 0; i < kSteps; ++i) {
    const double t = dt * i;
    const VectorXd a1 = rates(t, q, v), v2 = v + 0.5 * dt * a1;
    const VectorXd a2 = rates(t + 0.5 * dt, q + 0.5 * dt * v, v2), v3 = v + 0.5 * dt * a2;
    const VectorXd a3 = rates(t + 0.5 * dt, q + 0.5 * dt * v2, v3), v4 = v + dt * a3;
    const VectorXd a4 = rates(t + dt, q + dt * v3, v4);
    q += dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4), v += dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    if (i < kSteps / 2) continue;
    mean += deflection(model, q, TrackModel::kVertical, x0 + V * (t + dt)), ++count;
  }
  mean /= count;
  // The train is slower than the critical speed of 871 m/s by far: (V/Vc)^2 is 1.2 %.
  EXPECT_NEAR(mean, winkler(spec, kWheelLoad), 0.03 * mean);
}

TEST(TrackModel, the_window_moves_on_without_changing_the_motion) {
  TrackSpec spec;
  spec.slabs = 10, spec.rail_modes = spec.fasteners() * 3 / 2;
  const TrackModel model(spec);
  const double x = 25.0, on = spec.slab_pitch();
  const VectorXd before = model.at_rest({{0, x, -kWheelLoad}, {1, x, -kWheelLoad}});
  VectorXd after = before;
  model.shift(after);
  for (double at = 10.0; at < 40.0; at += 0.37) {
    EXPECT_NEAR(deflection(model, after, TrackModel::kVertical, at - on),
                deflection(model, before, TrackModel::kVertical, at), 1e-7);
  }
  EXPECT_NEAR(model.potential(after), model.potential(before), 1e-3 * model.potential(before));
}

TEST(Aero, cross_wind_on_a_car_that_stands_still_gives_constants) {
  AeroSpec spec{.speed = 350.0 / 3.6, .lag = 0.13, .is_frozen = true, .winds = {{.speed = 5.0}}};
  Aero aero(spec);
  const auto y = aero.begin(0.0);
  ASSERT_TRUE(y);
  std::vector<double> rates(2), row(aero.columns().size());
  ASSERT_TRUE(aero.rhs(1.0, wave::Side::right, *y, rates));
  EXPECT_EQ(rates[0], 0.0);
  aero.record(1.0, wave::Side::right, *y, rates, row);
  const double q = 0.5 * 1.225 * 11.2 * (std::pow(350.0 / 3.6, 2) + 25.0);
  const double beta = std::atan2(5.0, 350.0 / 3.6) * 180.0 / std::numbers::pi;
  EXPECT_NEAR(beta, 2.94, 0.01);
  EXPECT_NEAR(row[1], q * 0.07 * beta, 1e-9 * q);
  EXPECT_NEAR(row[1], 13.4e3, 0.05e3);
  EXPECT_NEAR(row[2], q * (0.04 * beta - 0.02), 1e-9 * q);
}

TEST(Aero, trains_that_meet_push_twice) {
  const double V = 350.0 / 3.6;
  AeroSpec spec{.speed = V, .meetings = {{.speed = V, .ahead = 60.0}}};
  const Aero aero(spec);
  double most = 0.0, yaw = 0.0, when[2]{}, largest[2]{};
  const double between = (60.0 + 38.0) / (2.0 * V);  // the middle of the other train passes
  for (double t = 0.0; t < 1.0; t += 1e-4) {
    const core::Wrench load = aero.meeting_load(t);
    most = std::max(most, std::abs(load.force.y())), yaw = std::max(yaw, std::abs(load.torque.z()));
    const int wave = t < between ? 0 : 1;
    if (std::abs(load.torque.z()) > largest[wave]) largest[wave] = std::abs(load.torque.z()), when[wave] = t;
  }
  EXPECT_NEAR(most, 12.9e3, 0.5e3);
  EXPECT_NEAR(yaw, 126e3, 6e3);
  EXPECT_NEAR(when[1] - when[0], 76.0 / (2.0 * V), 2e-3);
}

}  // namespace
}  // namespace tieline::railway
