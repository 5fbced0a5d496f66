#pragma once

#include <numbers>

#include "bearings/geometry.hpp"

/// Bearings whose figures are known from elsewhere.
namespace tieline::bearings::test {

inline constexpr double kDegree = std::numbers::pi / 180.0;

/// The deep groove bearing of the grinding spindle [Fritzson2007], inferred from its ball, masses and tolerances.
inline Bearing spindle_bearing() {
  Bearing b;
  b.name = "6214";
  b.balls = 11;
  b.ball_diameter = 16.669e-3;
  b.pitch_diameter = 97.5e-3;
  b.inner_conformity = b.outer_conformity = 0.515;
  b.clearance = 20e-6;
  b.bore = 70e-3;
  b.outside_diameter = 125e-3;
  b.width = 24e-3;
  b.inner_shoulder_diameter = 86.68e-3;
  b.outer_shoulder_diameter = 107.69e-3;
  return b;
}

/// Two rows back to back, as in a wheel hub.
inline Bearing hub_bearing() {
  Bearing b;
  b.name = "hub";
  b.design = Design::angular_contact;
  b.arrangement = Arrangement::back_to_back;
  b.balls = 13;
  b.ball_diameter = 12.7e-3;
  b.pitch_diameter = 62e-3;
  b.inner_conformity = 0.515;
  b.outer_conformity = 0.525;
  b.contact_angle = 36.0 * kDegree;
  b.preload = 20e-6;
  b.row_spacing = 24e-3;
  return b;
}

}  // namespace tieline::bearings::test
