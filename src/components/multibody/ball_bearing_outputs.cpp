// What a ball bearing records, and what it looks like.

#include <Eigen/Geometry>
#include <algorithm>
#include <fmt/format.h>
#include <numbers>

#include "components/multibody/ball_bearing.hpp"
#include "components/multibody/ring_displacement.hpp"
#include "core/spatial_columns.hpp"

namespace tieline::components {

using bearings::BallState;
using bearings::ContactDetails;
using Eigen::Vector3d;
using Record = BallBearingSpec::Record;

namespace {

constexpr std::array<const char*, 2> kRingNames{"outer", "inner"};
/// A cage is drawn as a ring of this share of the ball's size.
constexpr double kDrawnHeight = 0.15, kDrawnWidth = 0.6;

std::string numbered(const char* what, std::size_t index, std::size_t count) {
  return count > 1 ? fmt::format("{}{}", what, index + 1) : what;
}

}  // namespace

std::vector<core::Column> BallBearing::columns() const {
  std::vector<core::Column> columns;
  const std::string& name = spec_.name;
  core::add_vector(columns, name + ".displacement", "m");
  for (const char* axis : {"y", "z"}) columns.push_back({fmt::format("{}.tilt.{}", name, axis), "rad"});
  for (const char* ring : {"", ".outer"}) {
    core::add_vector(columns, name + ring + ".force", "N");
    core::add_vector(columns, name + ring + ".torque", "N m");
  }
  columns.push_back({name + ".friction_torque", "N m"});
  columns.push_back({name + ".loss", "W"});
  for (const char* part : {"inner", "outer"}) columns.push_back({fmt::format("{}.loss.{}", name, part), "W"});
  if (cages_ > 0) columns.push_back({name + ".loss.cage", "W"});
  columns.push_back({name + ".largest_force", "N"});
  for (std::size_t row = 0; row < cages_; ++row) {
    const std::string cage = name + "." + numbered("cage", row, cages_);
    core::add_motion(columns, cage);
    columns.push_back({cage + ".speed", "rad/s"});
    columns.push_back({cage + ".pocket_force", "N"});
    if (is_guided()) columns.push_back({cage + ".guide_force", "N"});
  }
  if (spec_.record == Record::summary) return columns;
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    const std::string prefix = fmt::format("{}.ball{}", name, ball + 1);
    core::add_vector(columns, prefix + ".position", "m");
    for (const char* ring : kRingNames) {
      columns.push_back({fmt::format("{}.{}.force", prefix, ring), "N"});
      columns.push_back({fmt::format("{}.{}.angle", prefix, ring), "rad"});
    }
    if (spec_.record == Record::loads) continue;
    core::add_vector(columns, prefix + ".velocity", "m/s");
    core::add_vector(columns, prefix + ".angular_velocity", "rad/s");
    columns.push_back({prefix + ".orbit_speed", "rad/s"});
    if (cages_ > 0) columns.push_back({prefix + ".pocket_force", "N"});
    for (const char* ring : kRingNames) {
      const std::string contact = prefix + "." + ring;
      columns.push_back({contact + ".pressure", "Pa"});
      columns.push_back({contact + ".half_length", "m"});
      columns.push_back({contact + ".half_width", "m"});
      columns.push_back({contact + ".slip", "m/s"});
      columns.push_back({contact + ".slip_power", "W/m^2"});
      columns.push_back({contact + ".rolling_speed", "m/s"});
    }
  }
  return columns;
}

void BallBearing::record(const FrameMotion& outer, const FrameMotion& inner, std::span<const double> own,
                         const Vector3d& origin, std::span<double> values) const {
  core::RowWriter row(values);
  const RingDisplacement displacement = ring_displacement(outer, inner);
  for (const double part : displacement.value) row.put(part);
  for (const Ring ring : {kInner, kOuter}) row.put(loads_[ring].force), row.put(loads_[ring].torque);
  // What must be overcome to turn the rings against each other.
  const Vector3d axis = rings_[kOuter].x;
  const double turning = (inner.omega - outer.omega).dot(axis);
  row.put((turning < 0.0 ? 1.0 : -1.0) * loads_[kInner].torque.dot(axis));
  row.put(lost_power());
  for (const Contact contact : {kAtInner, kAtOuter}) row.put(lost_[contact]);
  if (cages_ > 0) row.put(lost_[kAtPocket]);
  std::vector<std::array<ContactDetails, 2>>& details = details_;
  double largest = 0.0;
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    const BallState state = ball_of(own, ball);
    for (std::size_t ring = 0; ring < 2; ++ring) {
      const bearings::GrooveContact& contact = contacts_[row_of(ball)][ring];
      const bearings::BallSpot spot =
          spots_.empty() ? bearings::BallSpot{} : spot_at(ball, contact, rings_[ring], state, own);
      details[ball][ring] = contact.details(rings_[ring], state, spot);
      largest = std::max(largest, details[ball][ring].normal);
    }
  }
  row.put(largest);
  for (std::size_t cage = 0; cage < cages_; ++cage) {
    const bearings::CageMotion& motion = cage_motions_[cage];
    const double* p = own.data() + first_of_cage(cage) + BodyStates::kQuaternion;
    row.put(Vector3d(origin + motion.centre));
    row.put(Eigen::Quaterniond(p[0], p[1], p[2], p[3]).normalized());
    row.put(motion.velocity);
    row.put(motion.spin);
    row.put(motion.spin.dot(axis));
    double pocket = 0.0;
    for (std::size_t k = 0; k < per_row_; ++k) pocket = std::max(pocket, ball_loads_[cage * per_row_ + k].at_pocket);
    row.put(pocket);
    if (is_guided()) row.put(guides_[cage].normal);
  }
  if (spec_.record == Record::summary) return;
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    const BallState state = ball_of(own, ball);
    row.put(Vector3d(origin + state.place));
    for (const ContactDetails& contact : details[ball]) row.put(contact.normal), row.put(contact.angle);
    if (spec_.record == Record::loads) continue;
    row.put(state.velocity);
    row.put(state.spin);
    const Vector3d q = state.place - rings_[kOuter].centre, radial = q - q.dot(axis) * axis;
    row.put(axis.dot(q.cross(state.velocity - rings_[kOuter].velocity)) / radial.squaredNorm());
    if (cages_ > 0) row.put(ball_loads_[ball].at_pocket);
    for (const ContactDetails& c : details[ball]) {
      for (const double value : {c.pressure, c.half_length, c.half_width, c.slip, c.slip_power, c.rolling}) {
        row.put(value);
      }
    }
  }
}

void BallBearing::add_to(core::Scene& scene) const {
  const Eigen::Quaterniond along_x(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitY()));
  const double radius = law_.ball_radius, middle = 0.5 * spec_.bearing.pitch_diameter;
  for (std::size_t row = 0; row < cages_; ++row) {
    core::SceneBody cage{.name = spec_.name + "." + numbered("cage", row, cages_)};
    cage.shapes.push_back(
        {{Vector3d::Zero(), along_x},
         core::Tube{middle + kDrawnHeight * radius, middle - kDrawnHeight * radius, 2.0 * kDrawnWidth * radius}});
    scene.bodies.push_back(std::move(cage));
  }
  if (spec_.record == Record::summary) return;
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    core::SceneBody body{.name = fmt::format("{}.ball{}", spec_.name, ball + 1)};
    body.shapes.push_back({{}, core::Sphere{radius}});
    scene.bodies.push_back(std::move(body));
  }
}

}  // namespace tieline::components
