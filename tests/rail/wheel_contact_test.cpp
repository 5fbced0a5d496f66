#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "bearings/hertz.hpp"
#include "rail/creep.hpp"
#include "rail/profiles.hpp"

namespace tieline::rail {
namespace {

TEST(Creep, saturation_passes_the_points_of_shen_hedrick_and_elkins) {
  EXPECT_NEAR(saturated(1.0), 1.0 - 1.0 / 3.0 + 1.0 / 27.0, 1e-15);
  EXPECT_NEAR(saturated(1.0), 0.7037, 5e-5);
  EXPECT_DOUBLE_EQ(saturated(3.0), 1.0);
  EXPECT_DOUBLE_EQ(saturated(10.0), 1.0);
  constexpr double h = 1e-6;
  EXPECT_NEAR(saturated(h) / h, 1.0, 1e-6);
  EXPECT_NEAR((saturated(3.0) - saturated(3.0 - h)) / h, 0.0, 1e-6);
}

TEST(Creep, forces_follow_kalkers_linear_theory_where_creepages_are_small) {
  constexpr double a = 6e-3, b = 6e-3, N = 67640.0;
  const double gab = kShearModulus * a * b;
  const CreepForces along = creep_forces({.along = 1e-9}, a, b, N, 0.3);
  EXPECT_NEAR(along.along, -gab * 4.12e-9, 1e-6 * gab * 4.12e-9);
  const CreepForces spin = creep_forces({.spin = 1e-7}, a, b, N, 0.3);
  EXPECT_NEAR(spin.across, -gab * a * 1.47e-7, 1e-4 * gab * a * 1.47e-7);
  const CreepForces across = creep_forces({.across = 1e-9}, a, b, N, 0.3);
  // The coupling of slip and spin is antisymmetric.
  EXPECT_NEAR(across.spin_moment, gab * a * 1.47e-9, 1e-4 * gab * a * 1.47e-9);
}

TEST(Creep, forces_never_exceed_friction_and_oppose_slip) {
  for (const double slip : {1e-4, 1e-3, 1e-2, 0.1}) {
    const CreepForces f = creep_forces({.along = slip, .across = -0.5 * slip}, 6e-3, 5e-3, 7e4, 0.3);
    EXPECT_LE(std::hypot(f.along, f.across), 0.3 * 7e4 * (1.0 + 1e-12));
    EXPECT_LT(f.along * slip - f.across * 0.5 * slip, 0.0);
  }
}

TEST(Creep, coefficients_are_those_of_the_table_and_continuous) {
  EXPECT_DOUBLE_EQ(kalker_coefficients(0.5).c22, 3.01);
  EXPECT_NEAR(kalker_coefficients(1.0 / 0.8).c23, 1.75, 1e-12);
  EXPECT_DOUBLE_EQ(kalker_coefficients(0.01).c33, 8.28);
  EXPECT_NEAR(kalker_coefficients(0.55).c11, 0.5 * (3.62 + 3.72), 1e-12);
  EXPECT_NEAR(kalker_coefficients(1.0 - 1e-9).c11, kalker_coefficients(1.0 + 1e-9).c11, 1e-7);
}

std::shared_ptr<const ContactTable> table_of(const ConeAndFlange& shape) {
  const auto curves = cone_and_flange(shape);
  EXPECT_TRUE(curves) << curves.error().message;
  const auto table = ContactTable::make(*curves, shape.radius);
  EXPECT_TRUE(table) << table.error().message;
  return *table;
}

/// How much the rolling radii of both wheels differ, over twice the displacement of a wheelset in its own balance.
double conicity_of(const ContactTable& table, double half_span, double y) {
  // The wheelset rolls until both wheels touch: overlaps less l0 roll are equal.
  double roll = 0.0;
  for (int i = 0; i < 50; ++i) {
    const double shift = y + table.radius() * std::sin(roll);
    const double left = table.at(shift, roll).overlap, right = table.at(-shift, -roll).overlap;
    roll = 0.5 * (left - right) / half_span;
  }
  const double shift = y + table.radius() * std::sin(roll);
  return 0.5 * (table.at(-shift, -roll).drop - table.at(shift, roll).drop) / y;
}

TEST(ContactTable, profiles_of_arcs_have_the_conicity_asked_for) {
  for (const double conicity : {0.1, 0.2, 0.3}) {
    const ConeAndFlange shape{.conicity = conicity};
    const auto table = table_of(shape);
    for (const double y : {1e-4, 1e-3}) EXPECT_NEAR(conicity_of(*table, shape.half_span, y), conicity, 0.03 * conicity);
  }
}

TEST(ContactTable, a_straight_cone_rolls_on_its_cone) {
  const ConeAndFlange shape{.conicity = 0.05, .contact_angle = 0.0484};
  const auto table = table_of(shape);
  EXPECT_NEAR(table->at(2e-3, 0.0).angle, 0.0484, 2e-3);
  EXPECT_NEAR(conicity_of(*table, shape.half_span, 2e-3), 0.05, 0.03 * 0.05);
}

TEST(ContactTable, the_flange_takes_over_where_its_clearance_ends) {
  const auto table = table_of({});
  EXPECT_NEAR(table->at(0.0, 0.0).angle, 0.05, 1e-4);
  EXPECT_LT(table->at(5e-3, 0.0).angle, 0.12);
  EXPECT_GT(table->at(9e-3, 0.0).angle, 1.15);
  double last = 0.0;
  for (double shift = 0.0; shift < 10e-3; shift += 1e-4) {
    const ContactPlace place = table->at(shift, 0.0);
    EXPECT_GE(place.angle, last - 1e-3) << shift;
    last = place.angle;
  }
  // How the overlap grows with the displacement is the slope of the contact.
  for (const double shift : {1e-3, 4e-3, 7.95e-3, 9e-3}) {
    const double slope = (table->at(shift + 5e-5, 0.0).overlap - table->at(shift - 5e-5, 0.0).overlap) / 1e-4;
    EXPECT_NEAR(slope, std::tan(table->at(shift, 0.0).angle), 0.03 * (0.1 + slope)) << shift;
  }
}

TEST(ContactTable, ellipses_are_those_of_hertz) {
  // A nearly straight tread on a rail head of 300 mm, half axes 6.08 and 4.79 mm under 67.64 kN.
  const auto table = table_of({.conicity = 0.0518, .contact_angle = 0.05});
  const ContactPlace place = table->at(0.0, 0.0);
  const double size = std::cbrt(67640.0);
  EXPECT_NEAR(place.along * size, 6.08e-3, 0.03 * 6.08e-3);
  EXPECT_NEAR(place.across * size, 4.79e-3, 0.03 * 4.79e-3);
}

TEST(ContactTable, profiles_that_do_not_close_are_refused) {
  EXPECT_FALSE(cone_and_flange({.conicity = 0.03, .contact_angle = 0.05}));
  std::vector<double> o, wheel, rail;
  for (double x = -0.03; x < 0.0301; x += 1e-3) o.push_back(x), wheel.push_back(-2.0 * x * x), rail.push_back(0.5 * x);
  // A wheel that bulges less than the rail rises outwards touches it at its edge.
  const auto of_wheel = curve_through(o, wheel, "wheel"), of_rail = curve_through(o, rail, "rail");
  ASSERT_TRUE(of_wheel && of_rail);
  const auto table = ContactTable::make({*of_wheel, *of_rail}, 0.43);
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().message.find("do not close"), std::string::npos);
  EXPECT_FALSE(curve_through(std::vector{0.0, -0.01, 0.01, 0.02}, std::vector{0.0, 0.0, 0.0, 0.0}, "wheel"));
}

TEST(ContactTable, tables_of_the_same_arcs_give_the_same_contacts) {
  const ConeAndFlange shape;
  const auto curves = cone_and_flange(shape);
  ASSERT_TRUE(curves);
  const auto resampled = [](const ProfileCurve& curve) {
    std::vector<double> o, z;
    for (std::size_t i = 0; i < curve.z.size(); i += 5) {
      o.push_back(curve.first + curve.step * static_cast<double>(i)), z.push_back(curve.z[i]);
    }
    return *curve_through(o, z, "profile");
  };
  const auto direct = ContactTable::make(*curves, shape.radius);
  const auto table = ContactTable::make({resampled(curves->wheel), resampled(curves->rail)}, shape.radius);
  ASSERT_TRUE(direct && table);
  for (const double shift : {-3e-3, 0.0, 3e-3}) {
    EXPECT_NEAR((*table)->at(shift, 0.0).overlap, (*direct)->at(shift, 0.0).overlap, 1e-7);
    EXPECT_NEAR((*table)->at(shift, 0.0).angle, (*direct)->at(shift, 0.0).angle, 2e-3);
  }
}

}  // namespace
}  // namespace tieline::rail
