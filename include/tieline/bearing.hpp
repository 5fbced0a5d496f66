#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/file_error.hpp"
#include "tieline/setting.hpp"
#include "tieline/simulation.hpp"

/// Ball bearings by quasi-static theory: contacts, balance of forces, stiffness, lives and passing frequencies. All
/// units are SI. Axes: x along the axis of the bearing; a ball at the angle psi is in the direction
/// (0, cos psi, sin psi). Functions throw ModelError, with every problem, if a bearing cannot be used, and RunError if
/// no balance is found.
namespace tieline {

struct BearingMaterial {
  double youngs_modulus = 2.08e11;  ///< [Pa]
  double poissons_ratio = 0.3;
  double density = 7800.0;  ///< [kg/m^3]
};

enum class BearingDesign { deep_groove, angular_contact };
enum class RowArrangement { single, back_to_back, face_to_face, tandem };

/// A ball bearing of one or two rows.
struct BallBearing {
  std::string name{};
  std::string description{};
  BearingDesign design = BearingDesign::deep_groove;
  RowArrangement arrangement = RowArrangement::single;
  int balls = 0;                         ///< in a row
  double ball_diameter = 0.0;            ///< [m]
  double pitch_diameter = 0.0;           ///< [m]
  double inner_conformity = 0.52;        ///< radius of the inner groove to the ball diameter
  double outer_conformity = 0.52;        ///< of the outer groove
  double clearance = 0.0;                ///< of deep groove bearings: diametral, as mounted [m]
  double contact_angle = 0.0;            ///< of angular contact bearings, free [rad]
  double preload = 0.0;                  ///< of two opposed rows: axial interference [m]
  double row_spacing = 0.0;              ///< between the pitch planes of two rows [m]
  double bore = 0.0;                     ///< [m]; 0: not known, as below
  double outside_diameter = 0.0;         ///< [m]
  double width = 0.0;                    ///< [m]
  double inner_shoulder_diameter = 0.0;  ///< [m]
  double outer_shoulder_diameter = 0.0;  ///< [m]
  BearingMaterial ring_material{};
  BearingMaterial ball_material{};
};

/// A bearing of a library.
struct BearingInfo {
  BallBearing bearing{};
  std::filesystem::path file{};
};

/// The bearings of all libraries, sorted by name.
[[nodiscard]] TIELINE_PUBLIC std::vector<BearingInfo> list_bearings();

/// A bearing by the name of its type ("6214"), or of a file (.xml) whose root is <Bearing>, or <Library> with one; of a
/// library with several, "file.xml:name". Settings change attributes ("clearance"). Throws ModelError, with the nearest
/// names if there is no such type.
[[nodiscard]] TIELINE_PUBLIC BallBearing find_bearing(const std::string& type,
                                                      const std::vector<Setting>& settings = {});

/// Every problem of a bearing, as "attribute: what is wrong"; empty if it can be used.
[[nodiscard]] TIELINE_PUBLIC std::vector<std::string> check_bearing(const BallBearing& bearing);

/// A contact of two bodies in a point, by Hertz.
struct HertzContact {
  double curvature_sum = 0.0;  ///< [1/m]
  double ellipticity = 1.0;    ///< long axis of the contact ellipse to its short axis
  double stiffness = 0.0;      ///< K of Q = K delta^1.5 [N/m^1.5]
  double force = 0.0;          ///< [N]
  double approach = 0.0;       ///< [m]
  double half_length = 0.0;    ///< of the ellipse [m]
  double half_width = 0.0;     ///< [m]
  double pressure = 0.0;       ///< largest [Pa]
};

/// Both sums of curvatures, in the two principal directions, must be positive [1/m]; std::out_of_range if not.
[[nodiscard]] TIELINE_PUBLIC HertzContact hertz_contact(double curvature, double other_curvature,
                                                        const BearingMaterial& a, const BearingMaterial& b,
                                                        double force);

/// What follows from the numbers of a bearing.
struct BearingGeometry {
  double inner_groove_radius = 0.0;   ///< [m]
  double outer_groove_radius = 0.0;   ///< [m]
  double curvature_distance = 0.0;    ///< between the groove centres where all parts just touch [m]
  double free_contact_angle = 0.0;    ///< [rad]
  double diametral_clearance = 0.0;   ///< [m]
  double axial_clearance = 0.0;       ///< of one row, from end to end [m]
  double inner_centre_radius = 0.0;   ///< of the circle of inner groove centres [m]
  double outer_centre_radius = 0.0;   ///< [m]
  double inner_shoulder_angle = 0.0;  ///< contact angle at the edge of the groove [rad]
  double outer_shoulder_angle = 0.0;  ///< [rad]
  double ball_mass = 0.0;             ///< [kg]
  double ball_inertia = 0.0;          ///< [kg m^2]
  HertzContact inner_contact{};       ///< without load
  HertzContact outer_contact{};       ///< without load
  double series_stiffness = 0.0;      ///< of both contacts [N/m^1.5]
  double inner_ring_mass = 0.0;       ///< [kg]; 0: dimensions are not known
  double outer_ring_mass = 0.0;       ///< [kg]; 0: dimensions are not known
};
[[nodiscard]] TIELINE_PUBLIC BearingGeometry geometry_of(const BallBearing& bearing);

/// Which ring leads the spin of the balls, and takes the friction of gyroscopic moments.
enum class RaceControl { outer, inner, shared };

/// Load of a bearing whose inner ring turns and whose outer ring is at rest.
struct BearingLoad {
  double axial = 0.0;        ///< along x, on the inner ring [N]
  double radial_y = 0.0;     ///< [N]
  double radial_z = 0.0;     ///< [N]
  double moment_y = 0.0;     ///< [N m]
  double moment_z = 0.0;     ///< [N m]
  bool is_parallel = false;  ///< the rings are held parallel, as by a stiff shaft; moments do not count
  double speed = 0.0;        ///< of the inner ring [rad/s]
  RaceControl control = RaceControl::outer;
  double first_ball = 0.0;  ///< angle psi of the first ball [rad]
};

struct BallLoad {
  int row = 0;
  double angle = 0.0;              ///< psi [rad]
  HertzContact inner{};            ///< contact with the inner ring
  HertzContact outer{};            ///< contact with the outer ring
  double inner_angle = 0.0;        ///< contact angle [rad]
  double outer_angle = 0.0;        ///< [rad]
  double centrifugal_force = 0.0;  ///< [N]
  double gyroscopic_moment = 0.0;  ///< [N m]
  double orbit_speed = 0.0;        ///< about the axis of the bearing [rad/s]; 0 at rest
  double spin_speed = 0.0;         ///< about its own axis, relative to the cage [rad/s]
  bool is_cut = false;             ///< its contact ellipse reaches beyond the edge of a groove
};

/// Frequencies [Hz] by rolling without slip.
struct PassingFrequencies {
  double shaft = 0.0;
  double cage = 0.0;
  double outer_ring = 0.0;  ///< balls over a point of the outer ring
  double inner_ring = 0.0;  ///< balls over a point of the inner ring
  double ball_spin = 0.0;   ///< of a ball about its own axis
};
/// Without a contact angle [rad], that of the free bearing. `speed` [rad/s].
[[nodiscard]] TIELINE_PUBLIC PassingFrequencies passing_frequencies(const BallBearing& bearing, double speed,
                                                                    std::optional<double> contact_angle = {});

/// Ratings and lives that nine of ten bearings reach; infinite without load or at rest.
struct BearingLife {
  double dynamic_rating = 0.0;     ///< C of ISO 281 [N]
  double static_rating = 0.0;      ///< C0 of ISO 76 [N]
  double equivalent_load = 0.0;    ///< P of ISO 281 [N]; without moments
  double basic_turns = 0.0;        ///< L10 of ISO 281 [millions of turns]
  double basic_hours = 0.0;        ///< [h]
  double inner_ball_rating = 0.0;  ///< Q_ci of ISO/TS 16281 [N]
  double outer_ball_rating = 0.0;  ///< Q_ce [N]
  double inner_ball_load = 0.0;    ///< Q_ei, of the worst row [N]
  double outer_ball_load = 0.0;    ///< Q_ee [N]
  double reference_turns = 0.0;    ///< L10r of ISO/TS 16281 [millions of turns]
  double reference_hours = 0.0;    ///< [h]
};

/// A bearing in balance. Five numbers are along x, y, z and about y, z.
struct BearingState {
  std::array<double, 5> displacement{};              ///< of the inner ring relative to the outer [m], [rad]
  std::array<double, 5> load{};                      ///< that the balls carry [N], [N m]
  std::array<std::array<double, 5>, 5> stiffness{};  ///< d load/d displacement
  std::vector<BallLoad> balls{};                     ///< row by row
  double contact_angle = 0.0;        ///< mean of the loaded contacts, weighted by their loads [rad]; free without load
  PassingFrequencies frequencies{};  ///< at that angle
  BearingLife life{};
  std::vector<std::string> warnings{};
};

[[nodiscard]] TIELINE_PUBLIC BearingState balance_bearing(const BallBearing& bearing, const BearingLoad& load);

/// The same for a known displacement of the inner ring; of the load, speed, control and first ball count.
[[nodiscard]] TIELINE_PUBLIC BearingState displace_bearing(const BallBearing& bearing,
                                                           const std::array<double, 5>& displacement,
                                                           const BearingLoad& load = {});

/// A bearing without states: forces as functions of displacement and velocity, by virtual balls that stand still.
struct StiffnessBearingOptions {
  int virtual_balls = 0;           ///< in a row; 0: as many as there are
  double radial_damping = 2000.0;  ///< [N s/m]
  double axial_damping = 4000.0;   ///< [N s/m]
  double tilting_damping = -1.0;   ///< [N m s/rad]; negative: from the axial damping
};
struct StiffnessBearingForce {
  std::array<double, 5> force{};                   ///< on the inner ring [N], [N m]
  std::array<std::array<double, 5>, 5> tangent{};  ///< d force/d displacement
};
[[nodiscard]] TIELINE_PUBLIC StiffnessBearingForce stiffness_bearing(const BallBearing& bearing,
                                                                     const std::array<double, 5>& displacement,
                                                                     const std::array<double, 5>& velocity = {},
                                                                     const StiffnessBearingOptions& options = {});

/// Bearing, load and state as JSON.
[[nodiscard]] TIELINE_PUBLIC std::string bearing_json(const BallBearing& bearing, const BearingLoad& load,
                                                      const BearingState& state);

/// Draws the loads of the balls around the bearing into a file (.svg, .png or .html). Throws FileError.
TIELINE_PUBLIC void plot_bearing(const BallBearing& bearing, const BearingState& state,
                                 const std::filesystem::path& file, const std::string& title = {});

}  // namespace tieline
