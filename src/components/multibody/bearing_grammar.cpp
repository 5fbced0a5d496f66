#include "components/multibody/bearing_grammar.hpp"

#include "bearings/catalogue.hpp"
#include "components/grammar_rules.hpp"

namespace tieline::components {
namespace {

using document::AttributeRule;
using document::AttributeType;
using document::ElementRule;
using rules::choice;
using rules::name;
using rules::number;
using rules::of_type;
using rules::required;

AttributeRule numbers(const std::string& attribute, const std::string& description, const std::string& otherwise = "") {
  return of_type(AttributeType::numbers, attribute, description, otherwise);
}

void append(std::vector<AttributeRule>& attributes, std::vector<AttributeRule> others) {
  for (AttributeRule& rule : others) attributes.push_back(std::move(rule));
}

/// The attributes of a <Bearing>, which states the same geometry.
std::vector<AttributeRule> geometry() {
  std::vector<AttributeRule> result;
  const document::Grammar grammar = bearings::grammar();
  for (const AttributeRule& rule : grammar.rules.front().attributes) {
    if (rule.name != "name") result.push_back(rule);
  }
  for (AttributeRule& rule : result) rule.is_required = false;
  return result;
}

AttributeRule bearing_class() {
  return of_type(AttributeType::name, "class", "Class of `Defaults` that applies to the element.");
}

ElementRule ball_bearing() {
  ElementRule rule{
      .name = "BallBearing",
      .description =
          "A ball bearing of one or two rows whose balls and cages move ([theory](bearings.md#motion)). Its rings are "
          "frames of bodies, or bodies that the element makes from the geometry: `NAME.outer_ring` and "
          "`NAME.inner_ring`. The x axes of both frames are the axes of the rings. At the start, balls are in balance "
          "between the rings as these lie, and roll without slip as these turn.",
      .attributes = {name("Name in results."), bearing_class(),
                     of_type(AttributeType::reference, "outer",
                             "Frame in the middle of the outer ring, x along the axis; without it, the element makes "
                             "the ring."),
                     of_type(AttributeType::reference, "inner", "The same of the inner ring."),
                     choice("model",
                            "Moving balls and cages, or a `BearingStiffness` of the same geometry, to compare or to "
                            "compute faster.",
                            {"moving", "stiffness"}, "moving")},
      .children = {"Defect"}};
  append(rule.attributes, geometry());
  append(
      rule.attributes,
      {of_type(AttributeType::text, "position",
               "x, y, z of rings that the element makes [m]; without it, those of the other ring.", "0, 0, 0"),
       of_type(AttributeType::text, "angles", "Rotations of these rings about x, then y, then z of fixed axes [rad].",
               "0, 0, 0"),
       number("inner_speed", "Angular velocity at the start of an inner ring that the element makes [rad/s].", "0"),
       number("outer_speed", "The same of the outer ring.", "0"),
       numbers("start_load",
               "Load on the inner ring for whose balance a ring that the element makes is placed: Fx, Fy, Fz [N] "
               "with parallel rings, or with My, Mz [N m]."),
       number("inner_mass", "Mass of an inner ring that the element makes [kg].", "by its section"),
       numbers("inner_inertia", "Its moments of inertia about the axis and about a diameter [kg m^2].",
               "by its section"),
       number("outer_mass", "The same of the outer ring.", "by its section"),
       numbers("outer_inertia", "The same of the outer ring.", "by its section"),
       number("first_ball", "Angle of the first ball of a row, about x from y of the outer ring's frame [rad].", "0"),
       number("damping", "Damping of ball and groove: the normal force is K d^1.5 (1 + damping d') [s/m].", "0.5"),
       choice("traction",
              "Law of friction between ball and groove: friction tanh(u / slip_speed) of the slip u, or (a + b s) "
              "exp(-c s) + d of the ratio s of slip to rolling speed.",
              {"smooth", "slide_roll"}, "smooth"),
       number("friction", "Coefficient of friction of `smooth`.", "0.06"),
       number("slip_speed", "Slip at which friction has 76 % of its full size [m/s].", "0.1"),
       numbers("traction_coefficients", "a, b, c, d of `slide_roll`."),
       number("slices", "Slices of a contact ellipse in which slip and friction are computed, from 1 to 41.", "7"),
       choice("cage", "Whether each row has a cage with a spherical pocket for every ball.", {"yes", "no"}, "yes"),
       number("cage_mass", "Mass of the cage of a row [kg].", "0.385 of that of its balls in steel"),
       numbers("cage_inertia", "Its moments of inertia about its axis and about a diameter [kg m^2].",
               "of a thin ring on the pitch circle"),
       number("pocket_clearance", "Radial clearance of a ball in its pocket [m].", "0.009 of the ball diameter"),
       number("cage_stiffness", "Stiffness of the contacts of a cage [N/m].", "2e6"),
       number("cage_damping", "Their damping [N s/m].", "30"),
       number("cage_friction", "Their coefficient of friction.", "0.05"),
       number("cage_slip_speed", "Slip at which that has 76 % of its full size [m/s].", "0.05"),
       choice("cage_guidance", "What guides the cage, beside its balls.", {"balls", "outer_ring", "inner_ring"},
              "balls"),
       number("land_clearance", "Diametral clearance between a guided cage and the shoulder of the ring [m].",
              "0.04 of the ball diameter"),
       number("drag_density", "Density of the oil and air that the balls move through [kg/m^3].", "0"),
       number("drag_coefficient", "Drag coefficient of a ball.", "0.4"),
       number("virtual_balls", "Number of virtual balls in a row; with `model=\"stiffness\"`.", "that of the balls"),
       number("radial_damping", "Radial damping [N s/m]; with `model=\"stiffness\"`.", "2000"),
       number("axial_damping", "Axial damping [N s/m]; with `model=\"stiffness\"`.", "4000"),
       number("tilting_damping", "Damping of tilting [N m s/rad]; with `model=\"stiffness\"`.",
              "that of the axial damping on the circle of the grooves"),
       choice("record", "What is recorded of each ball: all, its place with forces and contact angles, or nothing.",
              {"all", "loads", "summary"}, "all")});
  return rule;
}

ElementRule defect() {
  return {.name = "Defect",
          .description = "A flat spot on a part of a ball bearing. It is deepest in its middle.",
          .attributes = {choice("on", "Part with the defect.", {"inner_ring", "outer_ring", "ball"}, "outer_ring"),
                         number("row", "Row, from 1.", "1"), number("ball", "Ball of the row, from 1.", "1"),
                         number("angle",
                                "Place on a ring: about x from y of its frame [rad]; on a ball: from the inner contact "
                                "at the start, in the direction of rolling.",
                                "0"),
                         required(number("length", "Length along the groove [m].")),
                         required(number("depth", "Depth in the middle [m]; negative: a bump."))}};
}

ElementRule stiffness() {
  ElementRule rule{
      .name = "BearingStiffness",
      .description =
          "A ball bearing without states: forces and moments between two frames by their five relative displacements, "
          "with virtual balls that do not move ([theory](bearings.md#stiffness)) or a matrix. The frame `inner` may "
          "turn about x freely.",
      .attributes = {
          name("Name in results."), bearing_class(),
          required(
              of_type(AttributeType::reference, "outer", "Frame in the middle of the outer ring, x along the axis.")),
          required(
              of_type(AttributeType::reference, "inner", "The same of the inner ring; results are the force on it.")),
          choice("law", "Virtual balls, or the stiffness matrix at `load`.", {"balls", "matrix"}, "balls"),
          numbers("load", "Load on the inner ring at which the matrix holds: Fx, Fy, Fz [N], or with My, Mz [N m].",
                  "0, 0, 0, 0, 0"),
          numbers("stiffness",
                  "A matrix of your own, of x, y, z and tilting about y, z: 5 numbers for its diagonal or 15 "
                  "for its upper triangle, row by row [N/m], [N], [N m/rad].")}};
  append(rule.attributes, geometry());
  append(rule.attributes, {number("virtual_balls", "Number of virtual balls in a row.", "that of the balls"),
                           number("radial_damping", "Radial damping [N s/m].", "2000"),
                           number("axial_damping", "Axial damping [N s/m].", "4000"),
                           number("tilting_damping", "Damping of tilting [N m s/rad].",
                                  "that of the axial damping on the circle of the grooves")});
  return rule;
}

}  // namespace

std::vector<ElementRule> bearing_rules() { return {ball_bearing(), defect(), stiffness()}; }

}  // namespace tieline::components
