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
  return {.name = "Fmu",
          .description = "How a component of kind `fmu` is run.",
          .attributes = {
              choice("mode", "Who solves its equations: the FMU itself, or one of our solvers.",
                     {"co_simulation", "model_exchange"}, "model_exchange where it offers that"),
              choice("scheme",
                     "Of co-simulation: how forces follow its motion within a step: at every call back of its solver, "
                     "as a polynomial, as a mean that is implicit in the velocity, or held.",
                     {"auto", "intermediate", "derivatives", "substeps", "hold"}, "auto: the best that it allows"),
              number("effective_mass", "Of scheme `substeps`: mass that its interfaces seem to have [kg], [kg m^2].",
                     "found by trying"),
              choice("schedule",
                     "Of co-simulation FMUs that nothing but signals without delay joins: each steps with what those "
                     "before it have found, or all with what was known at the step's begin. One says it for all of "
                     "them.",
                     {"gauss_seidel", "jacobi"}, "gauss_seidel"),
              choice("inputs", "Of a co-simulation FMU that has signals only: how what comes in goes on within a step.",
                     {"hold", "linear"}, "hold"),
              choice("record", "Which variables are recorded beside its interfaces.", {"outputs", "all", "none"},
                     "outputs, with states"),
              choice("logging", "It writes what it does to its log.", {"true", "false"}, "false"),
              choice("visible", "It may show windows of its own.", {"true", "false"}, "false")}};
}

ElementRule variable_map() {
  ElementRule rule{.name = "Map",
                   .description =
                       "Of kind `fmu`: the variables that make up an interface: names with commas between "
                       "them, or the name of an array. What is not stated is found by terminals or names "
                       "only where there is no `Map`."};
  const auto add = [&](const char* name, const char* description) {
    rule.attributes.push_back(text(name, description));
  };
  add("position", "Position [m]; three numbers in space.");
  add("velocity", "Velocity [m/s].");
  add("acceleration", "Acceleration [m/s^2], where it tells it.");
  add("force", "Force on it [N].");
  add("angle", "Angle of a rotation [rad].");
  add("angular_velocity", "Angular velocity [rad/s].");
  add("angular_acceleration", "Angular acceleration [rad/s^2], where it tells it.");
  add("torque", "Torque on it [N m].");
  add("orientation", "In space: nine numbers by rows, from its axes to those of the world.");
  add("orientation_transposed", "In space: nine numbers by columns, as in frames of Modelica.");
  add("quaternion", "In space: w, x, y, z instead.");
  add("angles", "In space: a1, a2, a3 instead, as of `Placement`.");
  rule.attributes.push_back(
      choice("axes", "In space: axes of angular velocity and torque.", {"world", "body"}, "world"));
  add("pressure", "Pressure [Pa].");
  add("flow", "Volume flow into it [m^3/s].");
  add("voltage", "Voltage [V].");
  add("current", "Current into it [A].");
  add("temperature", "Temperature [K].");
  add("heat_flow", "Heat flow into it [W].");
  add("wave", "The wave that comes in, instead of a force: it applies the law inside.");
  add("impedance", "With `wave`: the impedance; in space also that of rotation.");
  add("value", "Of a signal: its values.");
  return rule;
}

ElementRule start_value() {
  return {.name = "Start",
          .description =
              "Of kind `fmu`: a value that a variable starts with, a parameter as a rule; `--set "
              "component.variable=value` replaces it.",
          .attributes = {required(text("variable", "Its name, or that of an element of an array.")),
                         required(text("value",
                                       "A number, an expression in braces, a text, true or false, or an "
                                       "item of an enumeration; of arrays one for all or as many as it "
                                       "has."))}};
}

}  // namespace

std::vector<model::OwnElement> fmu_elements() {
  return {{.rule = fmu_settings()},
          {.rule = start_value(), .may_repeat = true},
          {.rule = variable_map(), .is_in_interface = true}};
}

}  // namespace tieline::kinds
