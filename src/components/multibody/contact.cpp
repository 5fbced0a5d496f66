// Contacts press along one normal in one point, with the force K p^e (1 + c p') of the overlap p [Hunt1975], never
// pulling, and rub with Coulomb's friction, which grows smoothly up to about the slip speed.

#include <algorithm>
#include <cmath>

#include "components/multibody/pair_force.hpp"

namespace tieline::components {
namespace {

using Eigen::Vector3d;

constexpr double kSamePoint = 1e-15;  ///< [m]

class Contact final : public PairForce {
 public:
  explicit Contact(const ContactSpec& spec) : PairForce(spec.name, spec.from, spec.to), spec_(spec) {}

  [[nodiscard]] PairWrench wrench(const FrameMotion& from, const FrameMotion& to,
                                  std::span<const double>) const override {
    const Touch touch = look(from, to);
    if (touch.overlap <= 0.0) return {};
    const Vector3d force = force_of(touch);
    return {force, (touch.point - to.x).cross(force)};
  }
  [[nodiscard]] double potential(const FrameMotion& from, const FrameMotion& to,
                                 std::span<const double>) const override {
    const double p = std::max(0.0, look(from, to).overlap);
    return spec_.stiffness * std::pow(p, spec_.exponent + 1.0) / (spec_.exponent + 1.0);
  }
  [[nodiscard]] double dissipation(const FrameMotion& from, const FrameMotion& to,
                                   std::span<const double>) const override {
    const Touch touch = look(from, to);
    if (touch.overlap <= 0.0) return 0.0;
    // What is lost is what goes in and is not stored.
    const double closing = -touch.normal.dot(touch.slip);
    return -force_of(touch).dot(touch.slip) - elastic(touch) * closing;
  }

  [[nodiscard]] std::vector<core::Column> columns() const override {
    return {{"overlap", "m"}, {"normal_force", "N"}, {"slip", "m/s"}};
  }
  void record(const FrameMotion& from, const FrameMotion& to, std::span<const double>,
              std::span<double> values) const override {
    const Touch touch = look(from, to);
    values[0] = touch.overlap;
    values[1] = touch.overlap > 0.0 ? pressure(touch) : 0.0;
    values[2] = (touch.slip - touch.normal * touch.normal.dot(touch.slip)).norm();
  }

 private:
  struct Touch {
    double overlap = 0.0;
    Vector3d normal = Vector3d::Zero();  ///< in which `to` is pressed
    Vector3d point = Vector3d::Zero();
    Vector3d slip = Vector3d::Zero();  ///< velocity of `to` against `from` in the point
  };

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
  [[nodiscard]] Vector3d force_of(const Touch& touch) const {
    const double pressing = pressure(touch);
    Vector3d force = pressing * touch.normal;
    if (spec_.friction > 0.0) {
      const Vector3d sliding = touch.slip - touch.normal * touch.normal.dot(touch.slip);
      force -= spec_.friction * pressing / std::hypot(sliding.norm(), spec_.slip_speed) * sliding;
    }
    return force;
  }

  ContactSpec spec_;
};

}  // namespace

std::unique_ptr<PairForce> make_contact(const ContactSpec& spec) { return std::make_unique<Contact>(spec); }

}  // namespace tieline::components
