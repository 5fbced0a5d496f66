// The contents of <Track> and <Aero>.

#include "railway/reader.hpp"

#include <cmath>
#include <fmt/format.h>

#include "components/grammar_rules.hpp"
#include "components/reading.hpp"
#include "document/content_rules.hpp"

namespace tieline::railway {

using components::content_scope;
using components::PartNames;
using document::AttributeRule;
using document::AttributeType;
using document::Diagnostics;
using document::Element;
using document::ElementRule;
using document::NumberRule;
using document::Scope;
namespace rules = components::rules;
using rules::choice;
using rules::name;
using rules::number;
using rules::of_type;
using rules::required;

namespace {

// Wheels stay so far from the ends of the window, which reflect waves [m].
constexpr double kEndMargin = 12.0;
constexpr double kMostSlabs = 200.0, kMostModes = 4000.0;

/// Reads numbers into fields, which are the defaults.
class Fields {
 public:
  Fields(const Element& element, const Scope& scope, Diagnostics& diagnostics)
      : element_(element), scope_(scope), diagnostics_(diagnostics) {}

  void positive(const char* attribute, double& field, const char* unit = "") {
    read(attribute, field, {.absent = field, .least = 0.0, .exclusive_least = true, .unit = unit});
  }
  void at_least_zero(const char* attribute, double& field, const char* unit = "") {
    read(attribute, field, {.absent = field, .least = 0.0, .unit = unit});
  }
  void any(const char* attribute, double& field, const char* unit = "") {
    read(attribute, field, {.absent = field, .unit = unit});
  }
  void whole(const char* attribute, int& field, double least, double most) {
    double value = field;
    read(attribute, value, {.absent = value, .least = least, .most = most});
    if (value != std::floor(value)) {
      diagnostics_.error(element_.place_of(attribute),
                         fmt::format("{} must be a whole number, got {}", attribute, value));
    }
    field = static_cast<int>(value);
  }

 private:
  void read(const char* attribute, double& field, const NumberRule& rule) {
    field = document::read_number(element_, attribute, scope_, rule, diagnostics_);
  }
  const Element& element_;
  const Scope& scope_;
  Diagnostics& diagnostics_;
};

std::vector<AttributeRule> plate_rules() {
  return {number("length", "Length [m]."),
          number("width", "Width [m]."),
          number("height", "Thickness [m]."),
          number("youngs_modulus", "Young's modulus [Pa].", "3.6e10"),
          number("density", "Density [kg/m^3].", "2500"),
          number("poissons_ratio", "Poisson's ratio.", "0.2"),
          number("layer_stiffness", "Stiffness of the layer below, per area [N/m^3]."),
          number("layer_damping", "Damping of the layer below, per area [N s/m^3].")};
}

void read_plate(const Element& element, SlabPlate& plate, const Scope& scope, Diagnostics& diagnostics) {
  Fields fields(element, scope, diagnostics);
  fields.positive("length", plate.length, "m"), fields.positive("width", plate.width, "m");
  fields.positive("height", plate.height, "m"), fields.positive("youngs_modulus", plate.youngs_modulus, "Pa");
  fields.positive("density", plate.density, "kg/m^3");
  plate.poissons_ratio = document::read_number(
      element, "poissons_ratio", scope, {.absent = plate.poissons_ratio, .least = 0.0, .most = 0.5}, diagnostics);
  fields.positive("layer_stiffness", plate.layer_stiffness, "N/m^3");
  fields.at_least_zero("layer_damping", plate.layer_damping, "N s/m^3");
}

/// The column of a bridge: slabs and beds are longer, the mortar is stiffer, and the deck does not give way.
void stand_on_bridge(TrackSpec& spec) {
  spec.fastener.pitch = 0.65, spec.fasteners_per_slab = 10;
  spec.slab.length = 6.45, spec.slab.width = 2.55, spec.slab.height = 0.20;
  spec.slab.layer_stiffness = 7e9 / 0.04;
  spec.base.length = 6.45, spec.base.width = 2.95, spec.base.height = 0.19;
  spec.base.layer_stiffness = 1e10;
}

void check_window(const Element& content, const TrackSpec& spec, Diagnostics& diagnostics) {
  const double last = spec.length() - kEndMargin - (spec.speed > 0.0 ? spec.slab_pitch() : 0.0);
  for (std::size_t i = 0; i < spec.wheels.size(); ++i) {
    const double at = spec.origin + spec.wheels[i].position.x();
    if (at >= kEndMargin && at <= last) continue;
    diagnostics.error(content.children("Wheel")[i].place(),
                      fmt::format("the wheel '{}' is at {:.4g} m of a window of {:.4g} m, whose ends reflect waves: "
                                  "wheels must be between {:.4g} and {:.4g} m; use more slabs, or another origin",
                                  spec.wheels[i].name, at, spec.length(), kEndMargin, last));
  }
}

void check_modes(const Element& content, TrackSpec& spec, Diagnostics& diagnostics) {
  const int least = spec.fasteners();
  if (spec.rail_modes == 0) spec.rail_modes = least + least / 2;
  if (spec.rail_modes >= least) return;
  diagnostics.warning(content.has("rail_modes") ? content.place_of("rail_modes") : content.place(),
                      fmt::format("{} modes do not bend a rail between two of its {} fasteners; use at least {}",
                                  spec.rail_modes, least, least));
}

void check_plates(const Element& content, const TrackSpec& spec, Diagnostics& diagnostics) {
  if (spec.is_rigid_below) return;
  const auto bad = [&](std::string message) { diagnostics.error(content.place(), std::move(message)); };
  if (spec.slab.length > spec.slab_pitch() || spec.base.length > spec.slab_pitch()) {
    bad(fmt::format("slabs and bases must not be longer than the {:.4g} m of their {} fasteners", spec.slab_pitch(),
                    spec.fasteners_per_slab));
  }
  if (spec.base.width < spec.slab.width || spec.base.length < spec.slab.length) {
    bad("a base must not be smaller than the slab on it");
  }
  if (spec.slab.length < spec.slab_pitch() - spec.fastener.pitch) {
    bad(fmt::format("the outer ones of {} fasteners would stand beside a slab of {:.4g} m", spec.fasteners_per_slab,
                    spec.slab.length));
  }
  if (spec.slab.width < 2.0 * spec.half_gauge)
    bad("the rails would stand beside the slab: width is less than the gauge");
}

}  // namespace

document::Grammar track_grammar() {
  ElementRule track{
      .name = "Track",
      .description =
          "A slab track under a train that travels along it: rails as beams on fasteners, slabs and their bases as "
          "thin "
          "plates on elastic layers ([theory](rail.md#track)). Its axes travel with the train: x forwards, y to the "
          "left, z upwards.",
      .attributes =
          {choice("type",
                  "Dimensions where none are stated: on an embankment or on a bridge; or fasteners on rigid "
                  "ground.",
                  {"roadbed", "bridge", "rigid"}, "roadbed"),
           required(number("speed", "Speed of the train [m/s].")),
           number("slabs", "Number of slabs in the window, which moves with the train.", "14"),
           number("origin", "Place of the train's axes in the window at the start [m].", "middle of the window"),
           number("fasteners_per_slab", "Fasteners of one rail on a slab.", "8; 10 on a bridge"),
           number("rail_modes", "Number of sines in which rails bend and twist.", "1.5 for each fastener"),
           number("slab_functions", "Functions of a free beam along a slab, with its two motions as a whole.", "6"),
           number("cross_functions", "The same across a slab.", "3"),
           number("half_gauge", "Distance of the rails' axes from the middle [m].", "0.7465"),
           number("lateral_ratio", "Lateral to vertical stiffness and damping of the layer below slabs.", "0.4")},
      .children = {"Description", "Parameters", "Rail", "Fastener", "Slab", "Base", "Wheel"},
      .once = {"Description", "Parameters", "Rail", "Fastener", "Slab", "Base"}};
  document::Grammar grammar;
  grammar.rules.push_back(track);
  grammar.rules.push_back(
      {.name = "Rail",
       .description = "The rails.",
       .attributes = {number("youngs_modulus", "Young's modulus [Pa].", "2.059e11"),
                      number("shear_modulus", "Shear modulus [Pa].", "7.92e10"),
                      number("vertical_inertia", "Second moment of area for vertical bending [m^4].", "3.217e-5"),
                      number("lateral_inertia", "The same for lateral bending [m^4].", "5.24e-6"),
                      number("torsion_constant", "Torsion constant [m^4].", "2.151e-6"),
                      number("mass", "Mass per length [kg/m].", "60.64"),
                      number("density", "Density, for twist [kg/m^3].", "7850"),
                      number("head", "Height of the top above the axis [m].", "0.095"),
                      number("foot", "Depth of the foot below the axis [m].", "0.081")}});
  grammar.rules.push_back(
      {.name = "Fastener",
       .description = "What holds a rail at a point.",
       .attributes = {number("pitch", "Distance of fasteners [m].", "0.625; 0.65 on a bridge"),
                      number("vertical_stiffness", "Vertical stiffness [N/m].", "50e6"),
                      number("vertical_damping", "Vertical damping [N s/m].", "7.5e4"),
                      number("lateral_stiffness", "Lateral stiffness [N/m].", "30e6"),
                      number("lateral_damping", "Lateral damping [N s/m].", "7.5e4"),
                      number("half_base", "Lever of its vertical stiffness against twist [m].", "0.075")}});
  grammar.rules.push_back({.name = "Slab", .description = "The slabs, on mortar.", .attributes = plate_rules()});
  grammar.rules.push_back(
      {.name = "Base", .description = "The concrete below the slabs, on the ground.", .attributes = plate_rules()});
  grammar.rules.push_back(
      {.name = "Wheel@Track",
       .description = "An interface in space where a wheel touches a rail. It takes the force of the wheel.",
       .attributes = {
           name("Name in connections."), required(choice("side", "Rail.", {"left", "right"}, "")),
           required(of_type(AttributeType::text, "position", "x, y, z at the start, in the train's axes [m].")),
           number("load",
                  "Force of the wheel at rest, downwards [N]; heights count from where the track "
                  "then rests.",
                  "0")}});
  grammar.rules.front().children.back() = "Wheel@Track";
  grammar.rules.push_back(document::description_rule());
  grammar.add({document::parameter_rules()});
  return grammar;
}

TrackSpec read_track(const Element& content, const Scope& outer, Diagnostics& diagnostics) {
  const Scope scope = content_scope(content, outer);
  const std::size_t errors = diagnostics.error_count();
  TrackSpec spec;
  const std::string type = content.get("type", "roadbed");
  if (type == "bridge") stand_on_bridge(spec);
  spec.is_rigid_below = type == "rigid";
  Fields fields(content, scope, diagnostics);
  fields.at_least_zero("speed", spec.speed, "m/s");
  fields.whole("slabs", spec.slabs, 2.0, kMostSlabs);
  fields.whole("fasteners_per_slab", spec.fasteners_per_slab, 1.0, 100.0);
  fields.whole("rail_modes", spec.rail_modes, content.has("rail_modes") ? 1.0 : 0.0, kMostModes);
  fields.whole("slab_functions", spec.length_functions, 2.0, 12.0);
  fields.whole("cross_functions", spec.width_functions, 2.0, 6.0);
  fields.positive("half_gauge", spec.half_gauge, "m");
  fields.positive("lateral_ratio", spec.lateral_ratio);
  for (const Element& element : content.children("Rail")) {
    Fields rail(element, scope, diagnostics);
    rail.positive("youngs_modulus", spec.rail.youngs_modulus, "Pa");
    rail.positive("shear_modulus", spec.rail.shear_modulus, "Pa");
    rail.positive("vertical_inertia", spec.rail.vertical_inertia, "m^4");
    rail.positive("lateral_inertia", spec.rail.lateral_inertia, "m^4");
    rail.positive("torsion_constant", spec.rail.torsion_constant, "m^4");
    rail.positive("mass", spec.rail.mass, "kg/m"), rail.positive("density", spec.rail.density, "kg/m^3");
    rail.at_least_zero("head", spec.rail.head, "m"), rail.at_least_zero("foot", spec.rail.foot, "m");
  }
  for (const Element& element : content.children("Fastener")) {
    Fields fastener(element, scope, diagnostics);
    fastener.positive("pitch", spec.fastener.pitch, "m");
    fastener.positive("vertical_stiffness", spec.fastener.vertical_stiffness, "N/m");
    fastener.at_least_zero("vertical_damping", spec.fastener.vertical_damping, "N s/m");
    fastener.positive("lateral_stiffness", spec.fastener.lateral_stiffness, "N/m");
    fastener.at_least_zero("lateral_damping", spec.fastener.lateral_damping, "N s/m");
    fastener.positive("half_base", spec.fastener.half_base, "m");
  }
  for (const Element& element : content.children("Slab")) read_plate(element, spec.slab, scope, diagnostics);
  for (const Element& element : content.children("Base")) read_plate(element, spec.base, scope, diagnostics);
  spec.origin = 0.5 * (spec.length() - spec.slab_pitch());
  fields.any("origin", spec.origin, "m");
  PartNames names(scope, diagnostics, {"energy", "travelled"});
  for (const Element& element : content.children("Wheel")) {
    TrackWheel wheel{.name = names.declare(element), .is_left = element.get("side") != "right"};
    wheel.position = Eigen::Vector3d(document::read_vector(element, "position", scope, diagnostics).data());
    Fields(element, scope, diagnostics).at_least_zero("load", wheel.load, "N");
    spec.wheels.push_back(std::move(wheel));
  }
  if (spec.wheels.empty()) diagnostics.error(content.place(), "a track needs at least one <Wheel>, its interface");
  if (diagnostics.error_count() > errors) return spec;
  check_plates(content, spec, diagnostics);
  check_modes(content, spec, diagnostics);
  check_window(content, spec, diagnostics);
  return spec;
}

document::Grammar aero_grammar() {
  document::Grammar grammar;
  grammar.rules.push_back(
      {.name = "Aero",
       .description =
           "The flow around a car by coefficients, a surrogate for a program that computes the flow "
           "([theory](rail.md#flow)): it takes the motion of the car at one interface in space and gives the forces.",
       .attributes =
           {name("Name of the interface."), required(number("speed", "Speed of the train [m/s].")),
            of_type(AttributeType::text, "position",
                    "Reference point at the start: below the middle of the car, at the height of the rails [m].",
                    "0, 0, 0"),
            choice("posture", "Whether forces follow the motion of the car, or are those of a car that stands still.",
                   {"coupled", "frozen"}, "coupled"),
            number("density", "Density of the air [kg/m^3].", "1.225"), number("area", "Reference area [m^2].", "11.2"),
            number("drag", "Coefficient of drag.", "0.15"),
            number("side_slope", "Slope of the side force coefficient [1/degree].", "0.07"),
            number("lift", "Coefficient of lift without wind.", "-0.02"),
            number("lift_slope", "Its slope by the yaw angle [1/degree].", "0.04"),
            number("side_by_roll", "Change of the side force coefficient with roll [1/rad].", "-0.4"),
            number("lift_by_gap", "Change of the lift coefficient with the relative width of the gap.", "-0.5"),
            number("gap", "Gap below the car [m].", "0.376"),
            number("centre_ahead", "Centre of the side force before the reference point [m].", "3"),
            number("centre_height", "Its height above the reference point [m].", "1.94"),
            number("lag", "Time by which forces follow the flow [s].", "12.5 / speed"),
            number("shedding", "Vortices: share of side force and lift that they change.", "0"),
            number("shedding_frequency", "Their frequency [Hz].", "0.1 speed / 3")},
       .children = {"Description", "Parameters", "Wind", "Gust", "Meeting"},
       .once = {"Description", "Parameters"}});
  grammar.rules.push_back({.name = "Wind",
                           .description = "A wind across the track.",
                           .attributes = {required(number("speed", "Speed to the left; negative: to the right [m/s].")),
                                          number("start", "Time at which it starts [s].", "0"),
                                          number("rise", "Time in which it rises smoothly [s].", "0")}});
  grammar.rules.push_back({.name = "Gust",
                           .description = "A gust (1 - cos)/2, on top of the wind.",
                           .attributes = {required(number("speed", "Largest speed [m/s].")),
                                          number("start", "Time at which it starts [s].", "0"),
                                          required(number("duration", "Duration [s]."))}});
  grammar.rules.push_back(
      {.name = "Meeting",
       .description = "Another train that passes on the left, with the pressure waves of its nose and tail.",
       .attributes = {required(number("speed", "Speed of the other train [m/s].")),
                      required(number("ahead", "Distance of its nose before the middle of the car at time 0 [m].")),
                      number("distance", "Distance of the tracks [m].", "5"),
                      number("length", "Length of the other train [m].", "76"),
                      number("pressure", "Peak of the waves at 350 km/h and 5 m [Pa].", "650"),
                      number("wave_length", "Distance of the peak from the nose [m].", "4"),
                      number("car_length", "Length of the car's side [m].", "25"),
                      number("side_height", "Its height [m].", "3")}});
  grammar.rules.push_back(document::description_rule());
  grammar.add({document::parameter_rules()});
  return grammar;
}

AeroSpec read_aero(const Element& content, const Scope& outer, Diagnostics& diagnostics) {
  const Scope scope = content_scope(content, outer);
  AeroSpec spec;
  PartNames names(scope, diagnostics, {"side_coefficient", "lift_coefficient", "yaw_angle", "wind"});
  spec.interface_name = names.declare(content);
  spec.position = Eigen::Vector3d(document::read_vector(content, "position", scope, diagnostics).data());
  spec.is_frozen = content.get("posture") == "frozen";
  Fields fields(content, scope, diagnostics);
  fields.positive("speed", spec.speed, "m/s");
  fields.positive("density", spec.density, "kg/m^3"), fields.positive("area", spec.area, "m^2");
  fields.any("drag", spec.drag), fields.any("side_slope", spec.side_slope), fields.any("lift", spec.lift);
  fields.any("lift_slope", spec.lift_slope), fields.any("side_by_roll", spec.side_by_roll);
  fields.any("lift_by_gap", spec.lift_by_gap), fields.positive("gap", spec.gap, "m");
  fields.any("centre_ahead", spec.centre_ahead, "m"), fields.any("centre_height", spec.centre_height, "m");
  spec.lag = spec.speed > 0.0 ? 12.5 / spec.speed : 0.0;
  spec.shedding_frequency = 0.1 * spec.speed / 3.0;
  fields.at_least_zero("lag", spec.lag, "s"), fields.at_least_zero("shedding", spec.shedding);
  fields.at_least_zero("shedding_frequency", spec.shedding_frequency, "Hz");
  for (const Element& element : content.children("Wind")) {
    CrossWind wind;
    Fields of(element, scope, diagnostics);
    of.any("speed", wind.speed, "m/s"), of.any("start", wind.start, "s"), of.at_least_zero("rise", wind.rise, "s");
    spec.winds.push_back(wind);
  }
  for (const Element& element : content.children("Gust")) {
    Gust gust;
    Fields of(element, scope, diagnostics);
    of.any("speed", gust.speed, "m/s"), of.any("start", gust.start, "s"), of.positive("duration", gust.duration, "s");
    spec.gusts.push_back(gust);
  }
  for (const Element& element : content.children("Meeting")) {
    Meeting meeting;
    Fields of(element, scope, diagnostics);
    of.positive("speed", meeting.speed, "m/s"), of.any("ahead", meeting.ahead, "m");
    of.positive("distance", meeting.distance, "m"), of.positive("length", meeting.length, "m");
    of.at_least_zero("pressure", meeting.pressure, "Pa"), of.positive("wave_length", meeting.wave_length, "m");
    of.positive("car_length", meeting.car_length, "m"), of.positive("side_height", meeting.side_height, "m");
    spec.meetings.push_back(meeting);
  }
  return spec;
}

}  // namespace tieline::railway
