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
#include <array>
#include <cmath>
#include <numbers>

#include "bearings/contact_lanes.hpp"
#include "bearings/mechanics.hpp"

namespace tieline::bearings {
namespace {

using std::numbers::pi;

formulas::Balls<double> one_ball(const BallState& ball, const GrooveDip& dip, const BallSpot& spot) {
  return {{ball.place.x(), ball.place.y(), ball.place.z()},
          {ball.velocity.x(), ball.velocity.y(), ball.velocity.z()},
          {ball.spin.x(), ball.spin.y(), ball.spin.z()},
          dip.depth + spot.depth,
          dip.tilt,
          spot.rate};
}

}  // namespace

double tanh_ratio(double x) { return x > 0.0 ? formulas::tanh_over<double>(x) : 1.0; }

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

GrooveContact::GrooveContact(Groove groove, const Traction& traction, const SliceRule& slices)
    : groove_(std::move(groove)), traction_(traction), slices_(slices) {}

Vector3 GrooveContact::normal(const RingMotion& ring, const BallState& ball) const {
  const Vector3 q = ball.place - ring.centre;
  const double along = q.dot(ring.x);
  const Vector3 radial = q - along * ring.x;
  const double radius = radial.norm(), x = along - groove_.axial, r = radius - groove_.circle;
  return (r / radius * radial + x * ring.x) / std::max(1e-9, std::sqrt(x * x + r * r));
}

ContactLoad GrooveContact::load(const RingMotion& ring, const BallState& ball, BallSpot spot) const {
  const std::array<double, 9> numbers{ball.place.x(),    ball.place.y(),    ball.place.z(),
                                      ball.velocity.x(), ball.velocity.y(), ball.velocity.z(),
                                      ball.spin.x(),     ball.spin.y(),     ball.spin.z()};
  ContactLoad load;
  load_row({groove_, traction_, slices_, ring, numbers, {&spot, 1}}, {&load, 1}, 1);
  return load;
}

void GrooveContact::load(const RingMotion& ring, std::span<const double> balls, std::span<const BallSpot> spots,
                         std::span<ContactLoad> loads) const {
  load_row({groove_, traction_, slices_, ring, balls, spots}, loads, widest_lanes());
}

ContactDetails GrooveContact::details(const RingMotion& ring, const BallState& ball, BallSpot spot) const {
  ContactDetails details;
  const formulas::Balls<double> balls = one_ball(ball, dip_at(groove_, ring, ball.place), spot);
  details.approach = formulas::approach_of<double>(groove_, ring, balls.place) - balls.dip;
  const Vector3 n = normal(ring, ball), q = ball.place - ring.centre, outwards = q - q.dot(ring.x) * ring.x;
  // Both angles are those of the line of contact, from inner to outer ring.
  const double side = n.dot(outwards) < 0.0 ? -1.0 : 1.0;
  details.angle = std::atan2(side * n.dot(ring.x), side * n.dot(outwards) / outwards.norm());
  const formulas::Touches<double> c = formulas::touch<double>(groove_, ring, balls);
  if (!(c.approach > 0.0)) return details;
  details.normal = c.normal;
  details.half_length = groove_.length_factor * c.root_of_approach;
  details.half_width = details.half_length / groove_.ellipticity;
  details.pressure = 1.5 * c.normal / (pi * details.half_length * details.half_width);
  details.rolling = formulas::rolling_speed<double>(ring, balls, c);
  const double w_n = c.spin.dot(c.n), w_b = c.spin.dot(c.b), v_t = c.velocity.dot(c.t);
  for (const double place : slices_.place) {
    const double y = place * details.half_length, h = c.arm - 0.5 * groove_.curvature * y * y;
    const double slip = std::hypot(v_t + w_b * h - w_n * y, c.velocity.dot(c.b) - c.spin.dot(c.t) * h);
    const double pressure = details.pressure * std::sqrt(std::max(0.0, 1.0 - place * place));
    details.slip = std::max(details.slip, slip);
    const double friction = formulas::friction_over_slip<double>(traction_, slip + formulas::kNoSlip, details.rolling);
    details.slip_power = std::max(details.slip_power, friction * slip * slip * pressure);
  }
  return details;
}

}  // namespace tieline::bearings
