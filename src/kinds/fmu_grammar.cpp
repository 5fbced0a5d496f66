#include "document/rules.hpp"
#include "kinds/fmu_options.hpp"

namespace tieline::kinds {
namespace {

using document::ElementRule;
using document::rules::choice;
using document::rules::number;
using document::rules::required;
using document::rules::text;

ElementRule fmu_settings() {
  return {
      .name = "Fmu",
      .description = "Settings of a component of kind `fmu`.",
      .attributes = {
          choice("mode", "Whether the FMU solves its equations itself, or a solver of Tieline does.",
                 {"co_simulation", "model_exchange"}, "model_exchange if the FMU supports it"),
          choice("scheme",
                 "For co-simulation: how forces follow the motion within a step. `intermediate`: at every callback of "
                 "its solver; `derivatives`: as a polynomial; `substeps`: as a mean that is implicit in the velocity; "
                 "`hold`: constant.",
                 {"auto", "intermediate", "derivatives", "substeps", "hold"}, "auto: the best that the FMU supports"),
          number("effective_mass", "For scheme `substeps`: effective mass at its interfaces [kg], [kg m^2].",
                 "found by trial steps"),
          choice("schedule",
                 "For co-simulation FMUs that only signals without delay connect: `gauss_seidel` steps one after the "
                 "other with the newest values, `jacobi` steps all with the values at the start of the step. One of "
                 "them states it for all.",
                 {"gauss_seidel", "jacobi"}, "gauss_seidel"),
          choice("inputs", "For a co-simulation FMU with signals only: extrapolation of its inputs within a step.",
                 {"hold", "linear"}, "hold"),
          choice(
              "start",
              "`as_stated` by its start values, or in `equilibrium`, together with all others that start so. With "
              "model "
              "exchange it starts where all its states rest under the forces at its interfaces. With co-simulation it "
              "stays where it starts, and lines start with the forces that keep it there, found by trial steps. Needs "
              "isolate=\"false\".",
              {"as_stated", "equilibrium"}, "as_stated"),
          text("record",
               "Variables to record in addition to its interfaces: `outputs`, `all`, `none`, or patterns of their "
               "names, separated by commas (`*` for any characters, `?` for one).",
               "outputs, and states"),
          choice("logging", "Whether the FMU writes a log.", {"true", "false"}, "false"),
          choice("visible", "Whether the FMU may open windows.", {"true", "false"}, "false")}};
}

ElementRule variable_map() {
  ElementRule rule{.name = "Map",
                   .description =
                       "For kind `fmu`: the variables of an interface, as names separated by commas or the name of an "
                       "array. Without a `Map` they are found by terminals or names."};
  const auto add = [&](const char* name, const char* description) {
    rule.attributes.push_back(text(name, description));
  };
  add("position", "Position [m]; three numbers in space.");
  add("velocity", "Velocity [m/s].");
  add("acceleration", "Acceleration [m/s^2], if the FMU has it.");
  add("force", "Force on the FMU [N].");
  add("angle", "Angle of a rotation [rad].");
  add("angular_velocity", "Angular velocity [rad/s].");
  add("angular_acceleration", "Angular acceleration [rad/s^2], if the FMU has it.");
  add("torque", "Torque on the FMU [N m].");
  add("orientation", "In space: rotation matrix from its axes to world axes, nine numbers by rows.");
  add("orientation_transposed", "In space: the same by columns, as in Modelica frames.");
  add("quaternion", "In space: w, x, y, z; instead of a matrix.");
  add("angles", "In space: a1, a2, a3 as in `Placement`; instead of a matrix.");
  rule.attributes.push_back(
      choice("axes", "In space: axes of angular velocity and torque.", {"world", "body"}, "world"));
  rule.attributes.push_back(choice(
      "sign", "Along one axis: -1 where the FMU counts position, velocity and force the other way.", {"1", "-1"}, "1"));
  add("offset",
      "Along one axis: what is added to the FMU's position [m] or angle [rad], where it counts from another zero.");
  add("pressure", "Pressure [Pa].");
  add("flow", "Volume flow into the FMU [m^3/s].");
  add("voltage", "Voltage [V].");
  add("current", "Current into the FMU [A].");
  add("temperature", "Temperature [K].");
  add("heat_flow", "Heat flow into the FMU [W].");
  add("wave", "Incoming wave, instead of a force: the FMU applies the line equation itself.");
  add("impedance", "With `wave`: impedance; in space also the rotational one.");
  add("value", "Values of a signal.");
  return rule;
}

ElementRule start_value() {
  return {.name = "Start",
          .description =
              "For kind `fmu`: start value of a variable, usually a parameter; `--set component.variable=value` "
              "overrides it.",
          .attributes = {required(text("variable", "Name of the variable, or of an element of an array.")),
                         required(text("value",
                                       "A number, an expression in braces, a text, true or false, or an item of an "
                                       "enumeration; for an array one value for all, or one for each element."))}};
}

}  // namespace

std::vector<model::OwnElement> fmu_elements() {
  return {{.rule = fmu_settings()},
          {.rule = start_value(), .may_repeat = true},
          {.rule = variable_map(), .is_in_interface = true}};
}

}  // namespace tieline::kinds
