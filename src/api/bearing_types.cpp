#include "api/bearing_types.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tieline {
namespace api {
namespace {

/// Both have the same members; one is filled from the other.
template <class To, class From>
void copy_members(const From& from, To& to) {
  to.name = from.name;
  to.description = from.description;
  to.balls = from.balls;
  to.ball_diameter = from.ball_diameter;
  to.pitch_diameter = from.pitch_diameter;
  to.inner_conformity = from.inner_conformity;
  to.outer_conformity = from.outer_conformity;
  to.clearance = from.clearance;
  to.contact_angle = from.contact_angle;
  to.preload = from.preload;
  to.row_spacing = from.row_spacing;
  to.bore = from.bore;
  to.outside_diameter = from.outside_diameter;
  to.width = from.width;
  to.inner_shoulder_diameter = from.inner_shoulder_diameter;
  to.outer_shoulder_diameter = from.outer_shoulder_diameter;
  to.design = static_cast<decltype(to.design)>(from.design);
  to.arrangement = static_cast<decltype(to.arrangement)>(from.arrangement);
  const auto material = [](const auto& source, auto& target) {
    target = {source.youngs_modulus, source.poissons_ratio, source.density};
  };
  material(from.ring_material, to.ring_material);
  material(from.ball_material, to.ball_material);
}

/// JSON has no infinity.
nlohmann::json number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr); }

nlohmann::json json_of(const HertzContact& contact, double angle) {
  return {{"force", contact.force},           {"contact_angle", angle},
          {"approach", contact.approach},     {"half_length", contact.half_length},
          {"half_width", contact.half_width}, {"pressure", contact.pressure}};
}

nlohmann::json json_of(const BallBearing& b) {
  const auto name_of = [](const auto& names, auto value) { return names[static_cast<std::size_t>(value)]; };
  return {{"name", b.name},
          {"design", name_of(bearings::kDesignNames, b.design)},
          {"arrangement", name_of(bearings::kArrangementNames, b.arrangement)},
          {"balls", b.balls},
          {"ball_diameter", b.ball_diameter},
          {"pitch_diameter", b.pitch_diameter},
          {"inner_conformity", b.inner_conformity},
          {"outer_conformity", b.outer_conformity},
          {"clearance", b.clearance},
          {"contact_angle", b.contact_angle},
          {"preload", b.preload},
          {"row_spacing", b.row_spacing},
          {"bore", b.bore},
          {"outside_diameter", b.outside_diameter},
          {"width", b.width}};
}

nlohmann::json json_of(const BearingLife& life) {
  return {{"dynamic_rating", life.dynamic_rating},          {"static_rating", life.static_rating},
          {"equivalent_load", life.equivalent_load},        {"basic_turns", number(life.basic_turns)},
          {"basic_hours", number(life.basic_hours)},        {"inner_ball_rating", life.inner_ball_rating},
          {"outer_ball_rating", life.outer_ball_rating},    {"inner_ball_load", life.inner_ball_load},
          {"outer_ball_load", life.outer_ball_load},        {"reference_turns", number(life.reference_turns)},
          {"reference_hours", number(life.reference_hours)}};
}

}  // namespace

bearings::Material inner_material(const BearingMaterial& material) {
  return {material.youngs_modulus, material.poissons_ratio, material.density};
}

bearings::Bearing inner_bearing(const BallBearing& bearing) {
  bearings::Bearing inner;
  copy_members(bearing, inner);
  return inner;
}

BallBearing outer_bearing(const bearings::Bearing& bearing) {
  BallBearing outer;
  copy_members(bearing, outer);
  return outer;
}

HertzContact contact_of(const bearings::PointContact& contact, const bearings::LoadedContact& loaded) {
  return {contact.curvature_sum, contact.ellipticity, contact.stiffness, loaded.force,
          loaded.approach,       loaded.half_length,  loaded.half_width, loaded.pressure};
}

PassingFrequencies frequencies_of(const bearings::PassingFrequencies& f) {
  return {f.shaft, f.cage, f.outer_ring, f.inner_ring, f.ball_spin};
}

}  // namespace api

std::string bearing_json(const BallBearing& bearing, const BearingLoad& load, const BearingState& state) {
  nlohmann::json json;
  json["bearing"] = api::json_of(bearing);
  json["speed"] = load.speed;
  json["is_parallel"] = load.is_parallel;
  json["displacement"] = state.displacement;
  json["load"] = state.load;
  json["stiffness"] = state.stiffness;
  json["contact_angle"] = state.contact_angle;
  for (const BallLoad& ball : state.balls) {
    json["balls"].push_back({{"row", ball.row + 1},
                             {"angle", ball.angle},
                             {"inner", api::json_of(ball.inner, ball.inner_angle)},
                             {"outer", api::json_of(ball.outer, ball.outer_angle)},
                             {"centrifugal_force", ball.centrifugal_force},
                             {"gyroscopic_moment", ball.gyroscopic_moment},
                             {"orbit_speed", ball.orbit_speed},
                             {"spin_speed", ball.spin_speed},
                             {"is_cut", ball.is_cut}});
  }
  const PassingFrequencies& f = state.frequencies;
  json["frequencies"] = {{"shaft", f.shaft},
                         {"cage", f.cage},
                         {"outer_ring", f.outer_ring},
                         {"inner_ring", f.inner_ring},
                         {"ball_spin", f.ball_spin}};
  json["life"] = api::json_of(state.life);
  json["warnings"] = state.warnings;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tieline
