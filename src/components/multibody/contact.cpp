// Contacts press along one normal in one point, with the force N = K p^e (1 + c p') of the overlap p [Hunt1975], never
// pulling, and rub with Coulomb's friction.
//
//   v      slip: velocity of `to` against `from` in the point, along the surfaces
//   vs, d  slip speed and stick distance
//   z      deflection of the bristles, as a share of what they bear; own states, in the axes of `from`
//
// Surfaces that slip: friction mu N v / sqrt(v^2 + vs^2), which alone would let a loaded body creep for ever.
// Surfaces that are slow enough to stick are held by bristles, as in [Dupont2002]:
//   friction mu N (z + (1 - |z|) v / sqrt(v^2 + vd^2)),   z' = (v - a(|z|) |v| z) / d,
// with a = 0 up to kElastic, and rising to 1 at |z| = 1. It never exceeds mu N. Below kElastic the bristles are
// springs, mu N / d, with a damper beside them: a load that they can bear is held at rest, and one that varies does not
// wander. Above, they yield, and slip along with the friction mu N. The damper's speed vd = sqrt(mu g d) / 4 makes it
// stronger than critical for a body that its own weight presses on, so that one that begins to stick does not
// overshoot.

#include <algorithm>
#include <cmath>

#include "components/multibody/pair_force.hpp"

namespace tieline::components {
namespace {

using Eigen::Vector3d;

constexpr double kSamePoint = 1e-15;  ///< [m]
// Bristles hold below this many slip speeds, and let go above that many.
constexpr double kHoldsBelow = 1.0;
constexpr double kLetsGoAbove = 4.0;
constexpr double kElastic = 0.8;
// Friction changes over as short ways [m].
constexpr double kSmoothContact = 1e-7;
constexpr double kAtRest = 1e-3;         ///< of the damper's speed
constexpr double kWeightPerMass = 9.81;  ///< [m/s^2]

class Contact final : public PairForce {
 public:
  explicit Contact(const ContactSpec& spec)
      : PairForce(spec.name, spec.from, spec.to),
        spec_(spec),
        damper_speed_(0.25 * std::sqrt(spec.friction * kWeightPerMass * spec.stick_distance)) {}

  [[nodiscard]] PairWrench wrench(const FrameMotion& from, const FrameMotion& to,
                                  std::span<const double> own) const override {
    const Touch touch = look(from, to);
    if (touch.overlap <= 0.0) return {};
    const Vector3d force = force_of(touch, bristles(from, touch, own));
    return {force, (touch.point - to.x).cross(force)};
  }
  [[nodiscard]] double potential(const FrameMotion& from, const FrameMotion& to,
                                 std::span<const double>) const override {
    const double p = std::max(0.0, look(from, to).overlap);
    return spec_.stiffness * std::pow(p, spec_.exponent + 1.0) / (spec_.exponent + 1.0);
  }
  [[nodiscard]] double smooth_length(const FrameMotion&, const FrameMotion&) const override { return kSmoothContact; }
  [[nodiscard]] double dissipation(const FrameMotion& from, const FrameMotion& to,
                                   std::span<const double> own) const override {
    const Touch touch = look(from, to);
    if (touch.overlap <= 0.0) return 0.0;
    // What is lost is what goes in and is not stored.
    const double closing = -touch.normal.dot(touch.slip);
    return -force_of(touch, bristles(from, touch, own)).dot(touch.slip) - elastic(touch) * closing;
  }

  [[nodiscard]] std::size_t state_count() const override { return has_friction() ? 3 : 0; }
  void rates(const FrameMotion& from, const FrameMotion& to, std::span<const double> own,
             std::span<double> rates) const override {
    if (!has_friction()) return;
    Eigen::Map<Vector3d> rate(rates.data());
    rate.setZero();
    if (!is_held_) return;
    const Touch touch = look(from, to);
    const Vector3d v = touch.sliding(), z = bristles(from, touch, own);
    rate = from.A.transpose() * Vector3d(v - yielding(z.norm()) * v.norm() * z) / spec_.stick_distance;
  }

  [[nodiscard]] int guard_count() const override { return has_friction() ? 1 : 0; }
  void choose_mode(const FrameMotion& from, const FrameMotion& to) override {
    is_held_ = look(from, to).sliding().norm() < kHoldsBelow * spec_.slip_speed;
  }
  void guards(const FrameMotion& from, const FrameMotion& to, std::span<double> values) const override {
    const double speed = look(from, to).sliding().norm() / spec_.slip_speed;
    values[0] = is_held_ ? kLetsGoAbove - speed : speed - kHoldsBelow;
  }
  void change(int, std::span<double> own) override {
    is_held_ = !is_held_;
    std::fill(own.begin(), own.end(), 0.0);
  }
  [[nodiscard]] bool holds_at_rest(const FrameMotion& from, const FrameMotion& to) const override {
    const Touch touch = look(from, to);
    return has_friction() && is_held_ && touch.overlap > 0.0 && touch.sliding().norm() < kAtRest * damper_speed_;
  }
  [[nodiscard]] Vector3d slip_acceleration(const FrameMotion& from, const FrameMotion& to,
                                           const core::SpatialMotion& from_motion,
                                           const core::SpatialMotion& to_motion) const override {
    const Touch touch = look(from, to);
    const Vector3d a = to_motion.acceleration + to_motion.angular_acceleration.cross(touch.point - to.x) -
                       from_motion.acceleration - from_motion.angular_acceleration.cross(touch.point - from.x);
    return from.A.transpose() * Vector3d(a - touch.normal * touch.normal.dot(a));
  }
  void save(core::ArchiveWriter& archive) const override { archive.put(is_held_); }
  void restore(core::ArchiveReader& archive) override { archive.get(is_held_); }

  [[nodiscard]] std::vector<core::Column> columns() const override {
    return {{"overlap", "m"}, {"normal_force", "N"}, {"slip", "m/s"}};
  }
  void record(const FrameMotion& from, const FrameMotion& to, std::span<const double>,
              std::span<double> values) const override {
    const Touch touch = look(from, to);
    values[0] = touch.overlap;
    values[1] = touch.overlap > 0.0 ? pressure(touch) : 0.0;
    values[2] = touch.sliding().norm();
  }

 private:
  struct Touch {
    double overlap = 0.0;
    Vector3d normal = Vector3d::Zero();  ///< in which `to` is pressed
    Vector3d point = Vector3d::Zero();
    Vector3d slip = Vector3d::Zero();  ///< velocity of `to` against `from` in the point

    [[nodiscard]] Vector3d sliding() const { return slip - normal * normal.dot(slip); }  ///< along the surfaces
  };

  [[nodiscard]] bool has_friction() const { return spec_.friction > 0.0; }
  /// z along the surfaces, in world axes.
  [[nodiscard]] Vector3d bristles(const FrameMotion& from, const Touch& touch, std::span<const double> own) const {
    // Who looks at the contact as it is put down has no states.
    if (!is_held_ || own.empty()) return Vector3d::Zero();
    const Vector3d z = from.A * Eigen::Map<const Vector3d>(own.data());
    return z - touch.normal * touch.normal.dot(z);
  }
  /// a(|z|).
  [[nodiscard]] static double yielding(double share) {
    const double x = std::clamp((share - kElastic) / (1.0 - kElastic), 0.0, 1.0);
    return x * x * (3.0 - 2.0 * x);
  }

  [[nodiscard]] Touch look(const FrameMotion& from, const FrameMotion& to) const {
    const Vector3d d = to.x - from.x;
    Touch touch;
    switch (spec_.kind) {
      case ContactSpec::Kind::sphere_plane:
        touch.normal = from.A.col(2);
        touch.overlap = spec_.radius_to - touch.normal.dot(d);
        touch.point = to.x - touch.normal * (spec_.radius_to - 0.5 * touch.overlap);
        break;
      case ContactSpec::Kind::sphere_sphere: {
        const double distance = d.norm();
        if (distance > kSamePoint) touch.normal = d / distance;
        touch.overlap = spec_.radius_from + spec_.radius_to - distance;
        touch.point = from.x + touch.normal * (spec_.radius_from - 0.5 * touch.overlap);
        break;
      }
      case ContactSpec::Kind::cylinder_in_cylinder: {
        const Vector3d axis = from.A.col(2);
        const Vector3d offset = d - axis * axis.dot(d);
        const double distance = offset.norm();
        const Vector3d outwards = distance > kSamePoint ? Vector3d(offset / distance) : Vector3d::Zero();
        touch.normal = -outwards;
        touch.overlap = distance - (spec_.radius_from - spec_.radius_to);
        touch.point = to.x + outwards * (spec_.radius_to - 0.5 * touch.overlap);
        break;
      }
    }
    touch.slip = to.v + to.omega.cross(touch.point - to.x) - from.v - from.omega.cross(touch.point - from.x);
    return touch;
  }
  [[nodiscard]] double elastic(const Touch& touch) const {
    return spec_.stiffness * std::pow(touch.overlap, spec_.exponent);
  }
  [[nodiscard]] double pressure(const Touch& touch) const {
    return std::max(0.0, elastic(touch) * (1.0 - spec_.damping * touch.normal.dot(touch.slip)));
  }
  [[nodiscard]] Vector3d force_of(const Touch& touch, const Vector3d& z) const {
    const double pressing = pressure(touch);
    Vector3d force = pressing * touch.normal;
    if (has_friction()) {
      const Vector3d v = touch.sliding();
      const double rest = std::max(0.0, 1.0 - z.norm());
      const double speed = is_held_ ? damper_speed_ : spec_.slip_speed;
      force -= spec_.friction * pressing * (z + rest / std::hypot(v.norm(), speed) * v);
    }
    return force;
  }

  ContactSpec spec_;
  double damper_speed_;   ///< [m/s]
  bool is_held_ = false;  ///< by bristles
};

}  // namespace

std::unique_ptr<PairForce> make_contact(const ContactSpec& spec) { return std::make_unique<Contact>(spec); }

}  // namespace tieline::components
