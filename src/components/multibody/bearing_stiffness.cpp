// A bearing without states, by its virtual balls or by a matrix. Forces are those of a potential in the five relative
// displacements, so that nothing is lost or won but by the damping.

#include "bearings/stiffness_bearing.hpp"
#include "components/multibody/pair_force.hpp"
#include "components/multibody/ring_displacement.hpp"

namespace tieline::components {
namespace {

using bearings::Vector5;

class BearingStiffness final : public PairForce {
 public:
  explicit BearingStiffness(const BearingStiffnessSpec& spec) : PairForce(spec.name, spec.from, spec.to), spec_(spec) {
    if (spec.bearing && !spec.matrix) law_.emplace(*spec.bearing, spec.options);
  }

  [[nodiscard]] PairWrench wrench(const FrameMotion& from, const FrameMotion& to,
                                  std::span<const double>) const override {
    const RingDisplacement d = ring_displacement(from, to);
    const Vector5 load = on_inner(d);
    return {from.A * load.head<3>(), from.A * torque_of_moments(d.axis, load[3], load[4])};
  }
  [[nodiscard]] double potential(const FrameMotion& from, const FrameMotion& to,
                                 std::span<const double>) const override {
    const Vector5 u = ring_displacement(from, to).value;
    if (law_) return law_->energy(u);
    const Vector5 moved = u - spec_.at;
    return moved.dot(0.5 * (*spec_.matrix * moved) + spec_.load);
  }
  [[nodiscard]] double dissipation(const FrameMotion& from, const FrameMotion& to,
                                   std::span<const double>) const override {
    const Vector5 rate = ring_displacement(from, to).rate;
    return rate.dot(damping().cwiseProduct(rate));
  }

  [[nodiscard]] std::vector<core::Column> columns() const override {
    return {{"displacement.x", "m"},
            {"displacement.y", "m"},
            {"displacement.z", "m"},
            {"tilt.y", "rad"},
            {"tilt.z", "rad"}};
  }
  void record(const FrameMotion& from, const FrameMotion& to, std::span<const double>,
              std::span<double> values) const override {
    const Vector5 u = ring_displacement(from, to).value;
    std::copy(u.begin(), u.end(), values.begin());
  }

 private:
  [[nodiscard]] const Vector5& damping() const { return law_ ? law_->damping() : spec_.damping; }
  [[nodiscard]] Vector5 on_inner(const RingDisplacement& d) const {
    if (law_) return law_->force_on_inner(d.value, d.rate);
    return -(spec_.load + *spec_.matrix * (d.value - spec_.at) + spec_.damping.cwiseProduct(d.rate));
  }

  BearingStiffnessSpec spec_;
  std::optional<bearings::StiffnessBearing> law_{};
};

}  // namespace

std::unique_ptr<PairForce> make_bearing_stiffness(const BearingStiffnessSpec& spec) {
  return std::make_unique<BearingStiffness>(spec);
}

}  // namespace tieline::components
