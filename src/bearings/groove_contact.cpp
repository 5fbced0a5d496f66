// A groove is a torus, so that the contact with a ball is found in closed form: the centre of the ball lies c beside
// the circle of groove centres, in the plane of the axis and the ball, and the ball sinks into the groove by |c| + rb -
// rg [Harris2006, ch. 6]. Notation at a contact:
//
//   t, b, n   along the groove (rolling), across it, and from the ball towards the groove; right-handed
//   Q, d      normal force K d^1.5 max(0, 1 + c d') with the damping factor c [Hunt1975], approach d
//   u         slip of the ball against the ring in a slice y = s a across the groove,
//             u_t = v_t + w_b h - w_n y,   u_b = v_b - w_t h,
//             for the relative velocity v and angular velocity w of ball and ring at the ball's centre; the surfaces
//             are curved, h = rb - d/2 - y^2/(2 Rd) with the radius Rd = 2 rg rb/(rg + rb) of the deformed surfaces
//
// so that the slip of Heathcote and the spin about n follow from the motion [Harris2006, advanced concepts ch. 2]. The
// normal force has the potential 2/5 K d^2.5, also over flat spots, whose slope pushes the ball along the groove.

#include "bearings/groove_contact.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "bearings/mechanics.hpp"

namespace tieline::bearings {
namespace {

using std::numbers::pi;

/// Slip below which its direction is that of nothing [m/s].
constexpr double kNoSlip = 1e-9;
/// Rolling speeds below this count as this much, so that the ratio of slip to rolling stays finite [m/s].
constexpr double kSlowRolling = 1e-3;

}  // namespace

double tanh_ratio(double x) {
  if (x < 0.03) {
    const double x2 = x * x;
    return 1.0 - x2 * (1.0 / 3.0 - x2 * (2.0 / 15.0 - x2 * (17.0 / 315.0 - x2 * (62.0 / 2835.0))));
  }
  const double decay = std::exp(-2.0 * x);
  return (1.0 - decay) / ((1.0 + decay) * x);
}

double spot_shape(double at) {
  if (!(std::abs(at) < 1.0)) return 0.0;
  const double c = std::cos(0.5 * pi * at);
  return c * c;
}

double spot_slope(double at) { return std::abs(at) < 1.0 ? -0.5 * pi * std::sin(pi * at) : 0.0; }

SliceRule::SliceRule(int slices) {
  // Nodes are the eigenvalues of the matrix of the recurrence of the polynomials of weight 1 - s^2 [Golub1969].
  const int n = std::max(1, slices);
  Eigen::MatrixXd recurrence = Eigen::MatrixXd::Zero(n, n);
  for (int k = 1; k < n; ++k) {
    recurrence(k, k - 1) = recurrence(k - 1, k) = std::sqrt(k * (k + 2.0) / ((2.0 * k + 1.0) * (2.0 * k + 3.0)));
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(recurrence);
  for (int j = 0; j < n; ++j) {
    // Exactly symmetric, so that what must cancel does.
    place.push_back(0.5 * (modes.eigenvalues()[j] - modes.eigenvalues()[n - 1 - j]));
    const double one = modes.eigenvectors()(0, j), other = modes.eigenvectors()(0, n - 1 - j);
    share.push_back(0.5 * (one * one + other * other));
  }
  for (int j = 0, k = n - 1; j <= k; ++j, --k) {
    const auto first = static_cast<std::size_t>(j), last = static_cast<std::size_t>(k);
    pair_places.push_back(Doubles{place[first], place[last]});
    pair_shares.push_back(Doubles{share[first], first == last ? 0.0 : share[last]});
  }
}

std::vector<RowGrooves> grooves_of(const Bearing& bearing, double damping) {
  const Mechanics mechanics(bearing);
  const DerivedGeometry geometry = derive(bearing);
  const auto groove = [&](const PointContact& contact, double radius, double reach, double edge) {
    Groove g{.reach = reach, .ball_radius = 0.5 * bearing.ball_diameter, .stiffness = contact.stiffness};
    const LoadedContact unit = under_load(contact, 1.0);
    g.length_factor = unit.half_length / std::sqrt(unit.approach);
    g.ellipticity = contact.ellipticity;
    g.curvature = (radius + g.ball_radius) / (2.0 * radius * g.ball_radius);
    g.damping = damping;
    g.edge_angle = edge;
    return g;
  };
  std::vector<RowGrooves> rows;
  for (const Row& row : mechanics.rows) {
    RowGrooves added{groove(geometry.inner_contact, geometry.inner_groove_radius, mechanics.inner_reach,
                            geometry.inner_shoulder_angle),
                     groove(geometry.outer_contact, geometry.outer_groove_radius, mechanics.outer_reach,
                            geometry.outer_shoulder_angle)};
    added.inner.axial = row.arm.x();
    added.inner.circle = row.arm.y();
    added.outer.axial = row.arm.x() - row.distance.x();
    added.outer.circle = row.arm.y() - row.distance.y();
    rows.push_back(added);
  }
  return rows;
}

struct GrooveContact::Touch {
  Vector3 q;              ///< ball from the ring's centre
  Vector3 t, b, n;        ///< axes of the contact
  Vector3 velocity;       ///< of the ball's centre against the ring there
  Vector3 spin;           ///< of the ball against the ring
  double radius = 0.0;    ///< of the ball's centre from the axis [m]
  double approach = 0.0;  ///< [m]
  double tilt = 0.0;      ///< of the groove's bottom along it, from flat spots
  double rate = 0.0;      ///< of the approach [m/s]
  double normal = 0.0;    ///< [N]
};

GrooveContact::GrooveContact(Groove groove, const Traction& traction, const SliceRule& slices)
    : groove_(std::move(groove)), traction_(traction), slices_(slices) {}

GrooveContact::Touch GrooveContact::touch(const RingMotion& ring, const BallState& ball, const BallSpot& spot) const {
  Touch touch;
  touch.q = ball.place - ring.centre;
  const double along = touch.q.dot(ring.x);
  const Vector3 radial = touch.q - along * ring.x;
  touch.radius = radial.norm();
  const double x = along - groove_.axial, r = touch.radius - groove_.circle;
  const double length = std::sqrt(x * x + r * r);
  touch.approach = length - groove_.reach - spot.depth;
  for (const GrooveDefect& defect : groove_.defects) {
    const double turned = std::atan2(radial.dot(ring.z), radial.dot(ring.y)) - defect.angle;
    const double wrapped = std::remainder(turned, 2.0 * pi);
    const double scale = 2.0 * groove_.circle / defect.length, at = wrapped * scale;
    touch.approach -= defect.depth * spot_shape(at);
    touch.tilt -= defect.depth * spot_slope(at) * scale / touch.radius;
  }
  if (!(touch.approach > 0.0)) return touch;
  // In contact the length is at least the reach, and the radius that of the circle, so that both can be divided by.
  const Vector3 outwards = radial / touch.radius;
  touch.n = (r * outwards + x * ring.x) / length;
  touch.t = ring.x.cross(outwards);
  touch.b = touch.n.cross(touch.t);
  touch.velocity = ball.velocity - ring.velocity - ring.spin.cross(touch.q);
  touch.spin = ball.spin - ring.spin;
  touch.rate = touch.velocity.dot(touch.n) + touch.tilt * touch.velocity.dot(touch.t);
  touch.normal = groove_.stiffness * touch.approach * std::sqrt(touch.approach) *
                 std::max(0.0, 1.0 + groove_.damping * (touch.rate - spot.rate));
  return touch;
}

Vector3 GrooveContact::normal(const RingMotion& ring, const BallState& ball) const {
  const Vector3 q = ball.place - ring.centre;
  const double along = q.dot(ring.x);
  const Vector3 radial = q - along * ring.x;
  const double radius = radial.norm(), x = along - groove_.axial, r = radius - groove_.circle;
  return (r / radius * radial + x * ring.x) / std::max(1e-9, std::sqrt(x * x + r * r));
}

Doubles GrooveContact::friction_over_slip(const Doubles& slip, double rolling) const {
  const Doubles faded = tanh_ratio(slip / traction_.slip_speed) / traction_.slip_speed;
  if (traction_.law == Traction::Law::smooth) return traction_.coefficient * faded;
  const Doubles s = slip / std::max(rolling, kSlowRolling);
  const Doubles mu = (traction_.a + traction_.b * s) * (1.0 + exp_less_one(-traction_.c * s)) + traction_.d;
  return larger(mu, both(0.0)) * faded;
}

namespace {

/// Mean speed of both surfaces along the groove, relative to the contact, which moves with the ball.
double rolling_speed(const RingMotion& ring, const BallState& ball, const Vector3& q, const Vector3& t,
                     const Vector3& n, double radius, double arm) {
  const double centre = (ball.velocity - ring.velocity).dot(t);
  const double contact = centre * (1.0 + arm * n.dot(q - q.dot(ring.x) * ring.x) / (radius * radius));
  const double on_ball = centre + ball.spin.cross(arm * n).dot(t);
  const double on_ring = ring.spin.cross(q + arm * n).dot(t);
  return 0.5 * std::abs(on_ball + on_ring - 2.0 * contact);
}

}  // namespace

ContactLoad GrooveContact::load(const RingMotion& ring, const BallState& ball, BallSpot spot) const {
  ContactLoad load;
  const Touch c = touch(ring, ball, spot);
  if (!(c.approach > 0.0)) return load;
  const double root = std::sqrt(c.approach), arm = groove_.ball_radius - 0.5 * c.approach;
  const double v_t = c.velocity.dot(c.t), v_b = c.velocity.dot(c.b);
  const double w_t = c.spin.dot(c.t), w_b = c.spin.dot(c.b), w_n = c.spin.dot(c.n);
  const double half_length = groove_.length_factor * root;
  const double rolling =
      traction_.law == Traction::Law::slide_roll ? rolling_speed(ring, ball, c.q, c.t, c.n, c.radius, arm) : 0.0;
  Doubles force_t{}, force_b{}, moment_t{}, moment_b{}, moment_n{}, lost{};
  for (std::size_t j = 0; j < slices_.pair_places.size(); ++j) {
    const Doubles y = slices_.pair_places[j] * half_length, h = arm - (0.5 * groove_.curvature) * y * y;
    const Doubles u_t = v_t + w_b * h - w_n * y, u_b = v_b - w_t * h;
    const Doubles squares = u_t * u_t + u_b * u_b;
    const Doubles factor =
        slices_.pair_shares[j] * c.normal * friction_over_slip(root_of(squares + kNoSlip * kNoSlip), rolling);
    const Doubles f_t = -factor * u_t, f_b = -factor * u_b;
    force_t += f_t;
    force_b += f_b;
    moment_t -= h * f_b;
    moment_b += h * f_t;
    moment_n -= y * f_t;
    lost += factor * squares;
  }
  const double elastic = groove_.stiffness * c.approach * root;
  load.force = (sum_of(force_t) - c.normal * c.tilt) * c.t + sum_of(force_b) * c.b - c.normal * c.n;
  load.moment = sum_of(moment_t) * c.t + sum_of(moment_b) * c.b + sum_of(moment_n) * c.n;
  load.elastic = 0.4 * elastic * c.approach;
  load.lost = sum_of(lost) + c.normal * c.rate - elastic * (c.rate - spot.rate);
  return load;
}

ContactDetails GrooveContact::details(const RingMotion& ring, const BallState& ball, BallSpot spot) const {
  ContactDetails details;
  const Touch c = touch(ring, ball, spot);
  details.approach = c.approach;
  const Vector3 n = normal(ring, ball), outwards = c.q - c.q.dot(ring.x) * ring.x;
  // Both angles are those of the line of contact, from inner to outer ring.
  const double side = n.dot(outwards) < 0.0 ? -1.0 : 1.0;
  details.angle = std::atan2(side * n.dot(ring.x), side * n.dot(outwards) / c.radius);
  if (!(c.approach > 0.0)) return details;
  details.normal = c.normal;
  details.half_length = groove_.length_factor * std::sqrt(c.approach);
  details.half_width = details.half_length / groove_.ellipticity;
  details.pressure = 1.5 * c.normal / (pi * details.half_length * details.half_width);
  const double arm = groove_.ball_radius - 0.5 * c.approach;
  details.rolling = rolling_speed(ring, ball, c.q, c.t, c.n, c.radius, arm);
  const double w_n = c.spin.dot(c.n), w_b = c.spin.dot(c.b), v_t = c.velocity.dot(c.t);
  for (const double place : slices_.place) {
    const double y = place * details.half_length, h = arm - 0.5 * groove_.curvature * y * y;
    const double slip = std::hypot(v_t + w_b * h - w_n * y, c.velocity.dot(c.b) - c.spin.dot(c.t) * h);
    const double pressure = details.pressure * std::sqrt(std::max(0.0, 1.0 - place * place));
    details.slip = std::max(details.slip, slip);
    details.slip_power = std::max(
        details.slip_power, friction_over_slip(both(slip + kNoSlip), details.rolling)[0] * slip * slip * pressure);
  }
  return details;
}

}  // namespace tieline::bearings
