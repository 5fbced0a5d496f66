#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "bearings/geometry.hpp"

/// A ball that moves in a groove: normal force, and friction from the slip in slices of the contact ellipse.
namespace tieline::bearings {

using Vector3 = Eigen::Vector3d;

/// Friction of surfaces that roll on each other.
struct Traction {
  enum class Law {
    smooth,      ///< mu = coefficient tanh(u / slip_speed): oil, or dry surfaces with other numbers
    slide_roll,  ///< mu = (a + b s) exp(-c s) + d with s = slip speed / rolling speed, as measured on lubricated discs
  };
  Law law = Law::smooth;
  double coefficient = 0.06;
  double slip_speed = 0.1;  ///< [m/s]; `slide_roll`: below it, the law is led to zero as of `smooth`
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
};

/// Where slices lie along the long axis, from -1 to 1, and which share of the load they carry. The shares follow the
/// pressure of Hertz, so that sums over few slices are exact for slip that varies as a polynomial (Gauss's rule with
/// the weight 1 - s^2 [Abramowitz1964, ch. 25]).
struct SliceRule {
  explicit SliceRule(int slices);
  std::vector<double> place{}, share{};
};

/// A flat spot in a groove: its depth is that at its middle, and passes smoothly into the groove.
struct GrooveDefect {
  double angle = 0.0;   ///< about the ring's axis, from its y axis [rad]
  double length = 0.0;  ///< from end to end along the groove [m]
  double depth = 0.0;   ///< [m]
};

/// One groove, as its contacts need it.
struct Groove {
  double axial = 0.0;          ///< of the circle of groove centres, along the ring's axis from its frame [m]
  double circle = 0.0;         ///< radius of that circle [m]
  double reach = 0.0;          ///< from that circle to the centre of a ball that just touches [m]
  double ball_radius = 0.0;    ///< [m]
  double stiffness = 0.0;      ///< K_h [N/m^1.5]
  double length_factor = 0.0;  ///< half the length of the ellipse: a = length_factor sqrt(approach) [m^0.5]
  double ellipticity = 1.0;    ///< a/b
  double curvature = 0.0;      ///< of the deformed surface along the ellipse [1/m]
  double damping = 0.0;        ///< factor of the rate of approach [s/m]
  double edge_angle = 0.0;     ///< contact angle at the groove's edge [rad]
  std::vector<GrooveDefect> defects{};
};

/// The grooves of a row; positions along the axis count from the middle of the bearing.
struct RowGrooves {
  Groove inner{};
  Groove outer{};
};
[[nodiscard]] std::vector<RowGrooves> grooves_of(const Bearing& bearing, double damping);

/// A ring at one time, in axes that need not be its own.
struct RingMotion {
  Vector3 centre, velocity, spin;
  Vector3 x, y, z;  ///< its axes; x is that of the bearing
};

/// Centre and motion of a ball, in the same axes.
struct BallState {
  Vector3 place, velocity, spin;
};

/// A flat spot on the ball where it meets the groove: its depth there, and how fast that changes.
struct BallSpot {
  double depth = 0.0;  ///< [m]
  double rate = 0.0;   ///< [m/s]
};

/// On the ball, about its centre. The ring gets the opposite in the same point.
struct ContactLoad {
  Vector3 force = Vector3::Zero();   ///< [N]
  Vector3 moment = Vector3::Zero();  ///< [N m]
  double elastic = 0.0;              ///< energy [J]
  double lost = 0.0;                 ///< power of friction and damping [W]
};

/// What is recorded of a contact.
struct ContactDetails {
  double normal = 0.0;    ///< [N]
  double angle = 0.0;     ///< contact angle, positive where the ring is loaded along its x axis by an inner ring [rad]
  double pressure = 0.0;  ///< largest [Pa]
  double half_length = 0.0;  ///< [m]
  double half_width = 0.0;   ///< [m]
  double slip = 0.0;         ///< largest of all slices [m/s]
  double slip_power = 0.0;   ///< largest friction power per area [W/m^2]
  double rolling = 0.0;      ///< mean of both surfaces' speeds relative to the contact: that which draws oil in [m/s]
  double approach = 0.0;     ///< [m]; negative: a gap
};

/// The law of a groove's contacts. Constant after construction; neither allocates nor throws; any thread.
class GrooveContact {
 public:
  GrooveContact(Groove groove, const Traction& traction, const SliceRule& slices);

  [[nodiscard]] const Groove& groove() const { return groove_; }
  [[nodiscard]] ContactLoad load(const RingMotion& ring, const BallState& ball, BallSpot spot = {}) const;
  /// Of all balls of a row: `balls` has place, velocity and spin of each, `spots` one for each or none.
  void load(const RingMotion& ring, std::span<const double> balls, std::span<const BallSpot> spots,
            std::span<ContactLoad> loads) const;
  [[nodiscard]] ContactDetails details(const RingMotion& ring, const BallState& ball, BallSpot spot = {}) const;
  /// From the ball towards the groove.
  [[nodiscard]] Vector3 normal(const RingMotion& ring, const BallState& ball) const;

 private:
  Groove groove_;
  Traction traction_;
  SliceRule slices_;
};

/// tanh(x)/x for x >= 0, to a few roundings.
[[nodiscard]] double tanh_ratio(double x);
/// 1 in the middle of a flat spot, 0 at its ends and beyond; `at` from -1 to 1. And its slope.
[[nodiscard]] double spot_shape(double at);
[[nodiscard]] double spot_slope(double at);

}  // namespace tieline::bearings
