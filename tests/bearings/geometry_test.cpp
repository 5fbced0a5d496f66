#include "bearings/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "bearings/test_bearings.hpp"

namespace tieline::bearings {
namespace geometry_test {

TEST(Geometry, OfTheSpindleBearing) {
  const Bearing bearing = test::spindle_bearing();
  EXPECT_TRUE(problems_of(bearing).empty());
  const DerivedGeometry g = derive(bearing);
  EXPECT_NEAR(g.gamma, 0.17096, 5e-6);
  EXPECT_NEAR(g.inner_groove_radius, 8.5845e-3, 1e-7);
  EXPECT_NEAR(g.curvature_distance, 0.50007e-3, 5e-9);
  EXPECT_NEAR(g.free_contact_angle, 11.48 * test::kDegree, 0.005 * test::kDegree);
  EXPECT_NEAR(g.inner_centre_radius, 48.995e-3, 1e-6);
  EXPECT_NEAR(g.outer_centre_radius, 48.505e-3, 1e-6);
  EXPECT_NEAR(g.axial_clearance / 2, 99.5e-6, 0.05e-6);
  EXPECT_NEAR(g.inner_shoulder_angle, 49 * test::kDegree, 0.5 * test::kDegree);
  EXPECT_NEAR(g.ball_mass, 0.018916, 1e-6);
  EXPECT_NEAR(g.ball_inertia, 5.256e-7, 1e-10);
  // Its rings are as heavy as those of the paper.
  ASSERT_TRUE(g.inner_ring && g.outer_ring);
  EXPECT_NEAR(g.inner_ring->mass, 0.330, 5e-4);
  EXPECT_NEAR(g.inner_ring->axial_inertia, 4.998e-4, 0.005e-4);
  EXPECT_NEAR(g.inner_ring->radial_inertia, 2.678e-4, 0.005e-4);
  EXPECT_NEAR(g.outer_ring->mass, 0.510, 5e-4);
  EXPECT_NEAR(g.outer_ring->axial_inertia, 1.765e-3, 0.005e-3);
  EXPECT_NEAR(g.outer_ring->radial_inertia, 9.10e-4, 0.01e-4);
}

TEST(Geometry, RingsWithoutGrooveAreTubes) {
  // A groove that the shoulder hardly reaches takes nothing away.
  Bearing bearing = test::spindle_bearing();
  bearing.inner_shoulder_diameter = bearing.pitch_diameter - bearing.ball_diameter + 1e-9;
  const RingMass ring = *derive(bearing).inner_ring;
  const double r = 0.5 * bearing.inner_shoulder_diameter, w = bearing.width, b = 0.5 * bearing.bore;
  const double mass = 7800 * std::numbers::pi * (r * r - b * b) * w;
  EXPECT_NEAR(ring.mass / mass, 1.0, 1e-4);
  EXPECT_NEAR(ring.axial_inertia / (0.5 * mass * (r * r + b * b)), 1.0, 1e-4);
  EXPECT_NEAR(ring.radial_inertia / (mass * (3 * (r * r + b * b) + w * w) / 12), 1.0, 1e-4);
}

TEST(Geometry, EveryProblemIsReportedAtOnce) {
  Bearing bearing;
  bearing.balls = 2;
  bearing.ball_diameter = -1.0;
  bearing.pitch_diameter = std::numeric_limits<double>::quiet_NaN();
  bearing.inner_conformity = 0.5;
  bearing.outer_conformity = 1.2;
  bearing.clearance = std::numeric_limits<double>::infinity();
  bearing.bore = -0.1;
  bearing.ring_material.youngs_modulus = 0.0;
  bearing.ball_material.poissons_ratio = 0.5;
  std::vector<std::string> names;
  for (const GeometryProblem& problem : problems_of(bearing)) names.push_back(problem.attribute);
  for (const char* name : {"balls", "ball_diameter", "pitch_diameter", "inner_conformity", "outer_conformity",
                           "clearance", "bore", "ring_youngs_modulus", "ball_poissons_ratio"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
}

struct Flaw {
  const char* attribute;
  const char* words;
  void (*make)(Bearing&);
};

TEST(Geometry, FlawsAreNamedWithWhatWouldBeRight) {
  const Flaw flaws[]{{"balls", "at most 18", [](Bearing& b) { b.balls = 19; }},
                     {"inner_conformity", "greater than 0.5", [](Bearing& b) { b.inner_conformity = 0.499; }},
                     {"contact_angle", "deep groove", [](Bearing& b) { b.contact_angle = 0.2; }},
                     {"contact_angle", "must be greater than 0",
                      [](Bearing& b) {
                        b.design = Design::angular_contact;
                        b.clearance = 0.0;
                        b.contact_angle = -0.3;
                      }},
                     {"clearance", "60 degrees", [](Bearing& b) { b.clearance = 0.6e-3; }},
                     {"clearance", "dented", [](Bearing& b) { b.clearance = -0.2e-3; }},
                     {"preload", "opposed rows", [](Bearing& b) { b.preload = 1e-6; }},
                     {"row_spacing", "would touch",
                      [](Bearing& b) {
                        b.arrangement = Arrangement::tandem;
                        b.row_spacing = 0.01;
                      }},
                     {"row_spacing", "single row", [](Bearing& b) { b.row_spacing = 0.02; }},
                     {"bore", "bottom of the inner groove", [](Bearing& b) { b.bore = 0.085; }},
                     {"outside_diameter", "bottom of the outer groove", [](Bearing& b) { b.outside_diameter = 0.11; }},
                     {"width", "for these balls", [](Bearing& b) { b.width = 0.005; }},
                     {"pitch_diameter", "greater than the ball", [](Bearing& b) { b.pitch_diameter = 0.01; }},
                     {"inner_shoulder_diameter", "between", [](Bearing& b) { b.inner_shoulder_diameter = 0.2; }}};
  for (const Flaw& flaw : flaws) {
    Bearing bearing = test::spindle_bearing();
    flaw.make(bearing);
    const auto problems = problems_of(bearing);
    const bool found = std::any_of(problems.begin(), problems.end(), [&](const GeometryProblem& problem) {
      return problem.attribute == flaw.attribute && problem.message.find(flaw.words) != std::string::npos;
    });
    EXPECT_TRUE(found) << flaw.attribute << ": " << flaw.words;
  }
}

TEST(Geometry, InterferenceLeavesNoFreeAngle) {
  Bearing bearing = test::spindle_bearing();
  bearing.clearance = -10e-6;
  EXPECT_TRUE(problems_of(bearing).empty());
  EXPECT_EQ(derive(bearing).free_contact_angle, 0.0);
}

}  // namespace geometry_test
}  // namespace tieline::bearings
