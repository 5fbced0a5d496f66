// A wheel on a rail: where they touch by the table of a pair of profiles, the normal force by Hertz's law of the
// approach as [Zhai2009] writes it, N = (d/G)^1.5, and creep forces by Kalker's linear theory with saturation.
//
// All in the axes of the rail: x along it, y to the left, z upwards. s is 1 on the left, -1 on the right rail.
//
//   e        the wheelset's axis, to the left; c the middle of the wheel, l0 from the middle of the axle along it
//   n, t1, t2   normal of contact on the wheel, direction of rolling, across it to the left: t1 x t2 = n
//   d        approach along n; the vertical overlap times cos(angle)
//   w        velocity of the wheel's material against that of the rail in the contact
//
// A wheel that is yawed touches ahead of the axle or behind it: by R tan(angle) e_x, and then lower by half of
// R (tan(angle) e_x)^2 ([Wang1984], to second order).
//
// Own state: the distance travelled along the course of irregularities. Irregularities move the rail's surface but not
// its material, so that they take no part in creepages.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "components/multibody/pair_force.hpp"
#include "components/multibody/spec.hpp"
#include "rail/creep.hpp"

namespace tieline::components {
namespace {

using Eigen::Vector3d;

// Slower wheels creep as if they rolled with this speed [m/s].
constexpr double kLeastRollingSpeed = 0.1;
// Contacts change smoothly over as short ways [m].
constexpr double kSmoothWheelContact = 1e-6;
// Where wheels are lifted, ellipses are those under this load, which bear nothing [N].
constexpr double kLeastEllipseLoad = 1.0;

class WheelRail final : public PairForce {
 public:
  explicit WheelRail(const WheelRailSpec& spec)
      : PairForce(spec.name, spec.from, spec.to),
        spec_(spec),
        sign_(spec.is_left ? 1.0 : -1.0),
        radius_(spec.table->radius()),
        spin_(spec.is_spin_given ? spec.speed / radius_ : 0.0) {
    // [Zhai2009]: G in m/N^(2/3).
    const double g = spec.normal == WheelRailSpec::Normal::zhai_cone ? 4.57e-8 * std::pow(radius_, -0.149)
                                                                     : 3.86e-8 * std::pow(radius_, -0.115);
    zhai_ = std::pow(g, -1.5);
  }

  void initial(std::span<double> own) const override { own[0] = spec_.distance; }
  [[nodiscard]] std::size_t state_count() const override { return 1; }
  [[nodiscard]] bool travels() const override { return true; }
  void rates(const FrameMotion& from, const FrameMotion& to, std::span<const double>,
             std::span<double> rates) const override {
    rates[0] = spec_.speed + from.A.col(0).dot(to.v - from.v);
  }

  [[nodiscard]] PairWrench wrench(const FrameMotion& from, const FrameMotion& to,
                                  std::span<const double> own) const override {
    const Touch touch = look(from, to, own);
    if (touch.normal_force <= 0.0) return {};
    const Vector3d force = from.A * touch.force();
    return {force, (from.A * touch.arm).cross(force) + from.A * (touch.creep.spin_moment * touch.n)};
  }
  [[nodiscard]] double potential(const FrameMotion& from, const FrameMotion& to,
                                 std::span<const double> own) const override {
    const Touch touch = look(from, to, own);
    return 0.4 * touch.normal_force * std::max(0.0, touch.approach);
  }
  [[nodiscard]] double dissipation(const FrameMotion& from, const FrameMotion& to,
                                   std::span<const double> own) const override {
    const Touch touch = look(from, to, own);
    return -touch.rolling_speed * (touch.creep.along * touch.xi.along + touch.creep.across * touch.xi.across +
                                   touch.creep.spin_moment * touch.xi.spin);
  }
  /// By the rail that passes, the wheel that is turned, and the surface that rises.
  [[nodiscard]] double supplied(const FrameMotion& from, const FrameMotion& to,
                                std::span<const double> own) const override {
    const Touch touch = look(from, to, own);
    if (touch.normal_force <= 0.0) return 0.0;
    const Vector3d tangential = touch.force() - touch.normal_force * touch.n;
    const Vector3d given = spin_ * touch.e.cross(touch.arm) + Vector3d(spec_.speed, 0.0, 0.0);
    const rail::TrackPoint height = course_height(own), lateral = course_lateral(own);
    const double v = spec_.speed + from.A.col(0).dot(to.v - from.v);
    return -tangential.dot(given) - touch.creep.spin_moment * spin_ * touch.n.dot(touch.e) +
           touch.normal_force * v * (touch.n.z() * height.slope + touch.n.y() * lateral.slope);
  }
  [[nodiscard]] double smooth_length(const FrameMotion&, const FrameMotion&) const override {
    return kSmoothWheelContact;
  }

  [[nodiscard]] std::vector<core::Column> columns() const override {
    return {{"normal_force", "N"},
            {"longitudinal", "N"},
            {"lateral", "N"},
            {"vertical", "N"},
            {"spin_moment", "N m"},
            {"approach", "m"},
            {"contact_angle", "rad"},
            {"rolling_radius", "m"},
            {"shift", "m"},
            {"longitudinal_creepage", "1"},
            {"lateral_creepage", "1"},
            {"spin_creepage", "1/m"},
            {"friction_use", "1"},
            {"derailment", "1"},
            {"distance", "m"}};
  }
  void record(const FrameMotion& from, const FrameMotion& to, std::span<const double> own,
              std::span<double> values) const override {
    const Touch touch = look(from, to, own);
    const Vector3d force = touch.force();
    const double tangential = std::hypot(touch.creep.along, touch.creep.across);
    const bool bears = touch.normal_force > 0.0;
    const double row[] = {touch.normal_force,
                          force.x(),
                          force.y(),
                          force.z(),
                          touch.creep.spin_moment,
                          touch.approach,
                          touch.place.angle,
                          radius_ - touch.place.drop,
                          touch.shift,
                          touch.xi.along,
                          touch.xi.across,
                          touch.xi.spin,
                          bears ? tangential / (spec_.friction * touch.normal_force) : 0.0,
                          bears && force.z() > 0.0 ? std::abs(force.y()) / force.z() : 0.0,
                          own.empty() ? 0.0 : own[0]};
    std::copy(std::begin(row), std::end(row), values.begin());
  }

 private:
  struct Touch {
    rail::ContactPlace place{};
    double shift = 0.0, approach = 0.0, normal_force = 0.0, rolling_speed = 0.0;
    Vector3d e = Vector3d::UnitY(), n = Vector3d::UnitZ(), t1 = Vector3d::UnitX(), t2 = Vector3d::UnitY();
    Vector3d arm = Vector3d::Zero();  ///< from the wheelset's origin to the contact
    rail::Creepages xi{};
    rail::CreepForces creep{};

    /// On the wheel, in the axes of the rail.
    [[nodiscard]] Vector3d force() const { return normal_force * n + creep.along * t1 + creep.across * t2; }
  };

  [[nodiscard]] rail::TrackPoint course_height(std::span<const double> own) const {
    return spec_.course && !own.empty() ? spec_.course->height(own[0]) : rail::TrackPoint{};
  }
  [[nodiscard]] rail::TrackPoint course_lateral(std::span<const double> own) const {
    return spec_.course && !own.empty() ? spec_.course->lateral(own[0]) : rail::TrackPoint{};
  }

  [[nodiscard]] Touch look(const FrameMotion& from, const FrameMotion& to, std::span<const double> own) const {
    Touch touch;
    const Eigen::Matrix3d to_rail = from.A.transpose();
    touch.e = to_rail * to.A.col(1);
    const Vector3d middle = to_rail * (to.x - from.x) + sign_ * spec_.half_span * touch.e;
    const double roll = sign_ * std::atan2(touch.e.z(), touch.e.y());
    const double outwards = sign_ * (middle.y() - course_lateral(own).value);
    touch.shift = outwards + radius_ * std::sin(roll);
    touch.place = spec_.table->at(touch.shift, roll);
    const double angle = touch.place.angle, slope = std::tan(angle), rolling = radius_ - touch.place.drop;
    const double ahead = slope * touch.e.x();
    const double lift = middle.z() - course_height(own).value - radius_ * std::cos(roll);
    const double overlap = touch.place.overlap + 0.5 * rolling * ahead * ahead - lift;
    touch.approach = overlap * std::cos(angle);
    if (touch.approach > 0.0) {
      const double stiffness = spec_.normal == WheelRailSpec::Normal::hertz ? touch.place.hertz : zhai_;
      touch.normal_force = stiffness * touch.approach * std::sqrt(touch.approach);
    }
    touch.n = Vector3d(0.0, -sign_ * std::sin(angle), std::cos(angle));
    touch.t1 = touch.e.cross(touch.n).normalized();
    touch.t2 = touch.n.cross(touch.t1);
    // The point on the wheel, from the middle of the wheel: along its axis, and by its radius downwards.
    const Vector3d down = Vector3d::UnitX().cross(touch.e).normalized() * -rolling;
    touch.arm = sign_ * (spec_.half_span + touch.place.on_wheel) * touch.e + down;
    touch.arm.x() -= sign_ * rolling * ahead;
    creep(from, to, touch);
    return touch;
  }

  void creep(const FrameMotion& from, const FrameMotion& to, Touch& touch) const {
    const Vector3d spin = spin_ * touch.e;
    const Vector3d wheel_turns = from.A.transpose() * to.omega + spin, rail_turns = from.A.transpose() * from.omega;
    const Vector3d apart = from.A.transpose() * (to.x - from.x) + touch.arm;
    const Vector3d between = from.A.transpose() * (to.v - from.v) + Vector3d(spec_.speed, 0.0, 0.0);
    const Vector3d slip = between + wheel_turns.cross(touch.arm) - rail_turns.cross(apart);
    const double rolls = wheel_turns.dot(touch.e) * (radius_ - touch.place.drop);
    touch.rolling_speed = std::max(kLeastRollingSpeed, 0.5 * std::abs(between.dot(touch.t1) + rolls));
    touch.xi = {slip.dot(touch.t1) / touch.rolling_speed, slip.dot(touch.t2) / touch.rolling_speed,
                (wheel_turns - rail_turns).dot(touch.n) / touch.rolling_speed};
    const double size = std::cbrt(std::max(kLeastEllipseLoad, touch.normal_force));
    touch.creep = rail::creep_forces(touch.xi, touch.place.along * size, touch.place.across * size, touch.normal_force,
                                     spec_.friction);
  }

  WheelRailSpec spec_;
  double sign_, radius_, spin_, zhai_ = 0.0;
};

}  // namespace

std::unique_ptr<PairForce> make_wheel_rail(const WheelRailSpec& spec) { return std::make_unique<WheelRail>(spec); }

}  // namespace tieline::components
