#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bearings/hertz.hpp"

namespace tieline::bearings {

enum class Design { deep_groove, angular_contact };
inline constexpr std::array<std::string_view, 2> kDesignNames{"deep_groove", "angular_contact"};

/// How two rows stand to each other: the lines of contact meet the axis outside the rows (back to back, "O"), between
/// them (face to face, "X"), or on the same side (tandem).
enum class Arrangement { single, back_to_back, face_to_face, tandem };
inline constexpr std::array<std::string_view, 4> kArrangementNames{"single", "back_to_back", "face_to_face", "tandem"};

/// A ball bearing of one or two rows, as its maker describes it. Lengths [m], angles [rad].
struct Bearing {
  std::string name{};
  std::string description{};
  Design design = Design::deep_groove;
  Arrangement arrangement = Arrangement::single;
  int balls = 0;                         ///< in a row
  double ball_diameter = 0.0;            ///< Dw
  double pitch_diameter = 0.0;           ///< dm
  double inner_conformity = 0.52;        ///< fi: radius of the inner groove to the diameter of the balls
  double outer_conformity = 0.52;        ///< fo
  double clearance = 0.0;                ///< of deep groove bearings: diametral, as mounted; negative: interference
  double contact_angle = 0.0;            ///< of angular contact bearings: where all just touch
  double preload = 0.0;                  ///< of two opposed rows: axial interference of both; negative: axial clearance
  double row_spacing = 0.0;              ///< between the pitch planes of two rows
  double bore = 0.0;                     ///< d; 0: not stated, as the next four
  double outside_diameter = 0.0;         ///< D
  double width = 0.0;                    ///< B
  double inner_shoulder_diameter = 0.0;  ///< d1
  double outer_shoulder_diameter = 0.0;  ///< D1
  Material ring_material{};
  Material ball_material{};

  [[nodiscard]] int rows() const { return arrangement == Arrangement::single ? 1 : 2; }
};

/// What is wrong with one of the numbers of a bearing.
struct GeometryProblem {
  std::string attribute{};  ///< its name in a file
  std::string message{};
};

/// Every problem of a bearing; empty if it can be used.
[[nodiscard]] std::vector<GeometryProblem> problems_of(const Bearing& bearing);

/// Mass and inertia of a ring about its own centre, from its section: a rectangle with a groove (two in two rows).
struct RingMass {
  double mass = 0.0;            ///< [kg]
  double axial_inertia = 0.0;   ///< about the axis of the bearing [kg m^2]
  double radial_inertia = 0.0;  ///< about a diameter [kg m^2]
};

/// What follows from the numbers of a valid bearing.
struct DerivedGeometry {
  double gamma = 0.0;                 ///< Dw/dm
  double inner_groove_radius = 0.0;   ///< [m]
  double outer_groove_radius = 0.0;   ///< [m]
  double curvature_distance = 0.0;    ///< A: between the centres of the grooves where all just touch [m]
  double free_contact_angle = 0.0;    ///< alpha0 [rad]
  double diametral_clearance = 0.0;   ///< Pd [m]
  double axial_clearance = 0.0;       ///< from one end to the other, of one row [m]
  double inner_centre_radius = 0.0;   ///< of the circle of groove centres: Rci [m]
  double outer_centre_radius = 0.0;   ///< Rco [m]
  double inner_shoulder_angle = 0.0;  ///< contact angle at the edge of the groove [rad]
  double outer_shoulder_angle = 0.0;  ///< [rad]
  double ball_mass = 0.0;             ///< [kg]
  double ball_inertia = 0.0;          ///< [kg m^2]
  PointContact inner_contact{};       ///< at the nominal contact angle: 0 of deep groove bearings
  PointContact outer_contact{};
  double series_stiffness = 0.0;         ///< of both contacts [N/m^1.5]
  std::optional<RingMass> inner_ring{};  ///< where bore and width are stated
  std::optional<RingMass> outer_ring{};  ///< where outside diameter and width are stated
};

[[nodiscard]] DerivedGeometry derive(const Bearing& bearing);

/// The contacts of a ball with the two rings, at a contact angle [rad].
struct RacewayContacts {
  PointContact inner{};
  PointContact outer{};
};
[[nodiscard]] RacewayContacts raceway_contacts(const Bearing& bearing, double contact_angle);

}  // namespace tieline::bearings
