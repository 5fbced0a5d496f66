#include "components/multibody/rail_grammar.hpp"

#include "components/grammar_rules.hpp"

namespace tieline::components {

using document::AttributeType;
using document::ElementRule;
using rules::choice;
using rules::name;
using rules::number;
using rules::of_type;
using rules::required;

std::vector<ElementRule> rail_rules() {
  const auto needed = [](document::AttributeRule rule) {
    rule.otherwise = "required, here or in `Defaults`";
    return rule;
  };
  return {
      {.name = "WheelRail",
       .description =
           "A wheel of a wheelset on a rail ([theory](rail.md#wheel-and-rail)): the place of contact from the "
           "profiles, "
           "the normal force from the approach, creep forces from Kalker's coefficients with the saturation of Shen, "
           "Hedrick and Elkins. The axes of the rail's frame are x forwards, y to the left, z upwards.",
       .attributes =
           {name("Name in results."),
            required(of_type(AttributeType::reference, "from",
                             "Frame of the rail, where the wheel touches it when the wheelset is centred.")),
            required(of_type(AttributeType::reference, "to",
                             "Frame in the middle of the wheelset's axle, y along it; results are the force on it.")),
            of_type(AttributeType::name, "class", "Class of `Defaults` that applies to the element."),
            needed(choice("side", "Rail that the wheel runs on.", {"left", "right"}, "")),
            needed(number("radius", "Radius of the wheel in the middle of its tread [m].")),
            needed(number("half_span", "Distance from the middle of the axle to the middle of the tread [m].")),
            number("speed",
                   "Speed at which the axes of the component travel along the track [m/s]. With 0 the wheelset moves "
                   "in the world and needs a velocity at the start.",
                   "0"),
            choice("spin",
                   "Whether the wheel turns at speed / radius on top of its frame's own rotation, or with its frame "
                   "alone.",
                   {"prescribed", "of_frame"}, "prescribed"),
            number("friction", "Coefficient of friction.", "0.3"),
            choice("normal",
                   "Stiffness of the contact: Zhai's formula of a worn or of a conical tread, or Hertz's theory for "
                   "the curvatures of the profiles.",
                   {"worn", "cone", "hertz"}, "worn"),
            number("conicity", "Equivalent conicity of profiles of arcs.", "0.1"),
            number("contact_angle", "Angle of their contact in the middle [rad]; equal to the conicity: a cone.",
                   "0.05, or the conicity if that is smaller"),
            number("rail_radius", "Radius of the rail head [m].", "0.3"),
            number("flange_angle", "Angle of the flange [rad].", "1.2"),
            number("flange_clearance", "Displacement of the wheelset at which the flange takes over [m].", "0.008"),
            of_type(AttributeType::name, "wheel_profile",
                    "`Table` of heights of the wheel [m] over the lateral coordinate [m], which counts from the point "
                    "of contact in the middle away from the flange; in place of arcs."),
            of_type(AttributeType::name, "rail_profile", "The same of the rail, away from the middle of the track."),
            of_type(AttributeType::file, "irregularities",
                    "Table of `tieline irregularity`, over distance: heights and lateral positions of the rail."),
            number("distance", "Distance in that table at the start [m].", "0")}},
  };
}

}  // namespace tieline::components
