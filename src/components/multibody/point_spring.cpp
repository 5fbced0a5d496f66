#include <algorithm>
#include <cmath>

#include "components/multibody/pair_force.hpp"
#include "components/multibody/point_line.hpp"

namespace tieline::components {
namespace {

using Eigen::Vector3d;
using Acts = PointSpringSpec::Acts;

// The direction of the line changes smoothly over this share of its length.
constexpr double kSmoothShare = 0x1p-9;

/// Spring and damper along the line between two points; with a spring in series with the damper where that is given
/// (Maxwell), whose state is the damper's elongation. The damper may have a valve that opens.
class PointSpring final : public PairForce {
 public:
  explicit PointSpring(const PointSpringSpec& spec)
      : PairForce(spec.name, spec.from, spec.to),
        spec_(spec),
        ramp_{spec.smoothing},
        free_length_(spec.free_length.value_or(0.0)) {}

  void start(const FrameMotion& from, const FrameMotion& to) override {
    start_length_ = (to.x - from.x).norm();
    if (!spec_.free_length) free_length_ = start_length_;
  }
  [[nodiscard]] PairWrench wrench(const FrameMotion& from, const FrameMotion& to,
                                  std::span<const double> own) const override {
    const PointLine line(from, to);
    return {-tension(line, own) * line.direction, Vector3d::Zero()};
  }
  [[nodiscard]] double potential(const FrameMotion& from, const FrameMotion& to,
                                 std::span<const double> own) const override {
    const PointLine line(from, to);
    const double x = line.length - free_length_;
    double energy = spec_.preload * x;
    if (spec_.acts == Acts::always)
      energy += 0.5 * spec_.stiffness * x * x;
    else
      energy += spec_.stiffness * ramp_.integral(spec_.acts == Acts::in_tension ? x : -x);
    if (is_maxwell()) {
      const double stretch = series_stretch(line, own);
      energy += 0.5 * *spec_.maxwell_stiffness * stretch * stretch;
    }
    return energy;
  }
  [[nodiscard]] double smooth_length(const FrameMotion& from, const FrameMotion& to) const override {
    const double near = kSmoothShare * (to.x - from.x).norm();
    return spec_.acts == Acts::always ? near : std::min(near, spec_.smoothing);
  }
  [[nodiscard]] double dissipation(const FrameMotion& from, const FrameMotion& to,
                                   std::span<const double> own) const override {
    const PointLine line(from, to);
    if (is_maxwell()) {
      const double force = *spec_.maxwell_stiffness * series_stretch(line, own);
      return force * damper_rate(force);
    }
    return share(line.length - free_length_) * damper_force(line.rate) * line.rate;
  }

  [[nodiscard]] std::size_t state_count() const override { return is_maxwell() ? 1 : 0; }
  void rates(const FrameMotion& from, const FrameMotion& to, std::span<const double> own,
             std::span<double> rates) const override {
    if (is_maxwell()) rates[0] = damper_rate(*spec_.maxwell_stiffness * series_stretch(PointLine(from, to), own));
  }

  [[nodiscard]] std::vector<core::Column> columns() const override { return {{"length", "m"}, {"tension", "N"}}; }
  void record(const FrameMotion& from, const FrameMotion& to, std::span<const double> own,
              std::span<double> values) const override {
    const PointLine line(from, to);
    values[0] = line.length;
    values[1] = tension(line, own);
  }

 private:
  [[nodiscard]] bool is_maxwell() const { return spec_.maxwell_stiffness.has_value(); }
  [[nodiscard]] double series_stretch(const PointLine& line, std::span<const double> own) const {
    return line.length - start_length_ - own[0];
  }
  /// Two straight lines, which meet where the valve opens.
  [[nodiscard]] double damper_force(double rate) const {
    const double closed = spec_.damping * rate, beyond = std::abs(closed) - spec_.valve_force;
    if (!(beyond > 0.0)) return closed;
    return std::copysign(spec_.valve_force + spec_.open_damping * beyond / spec_.damping, rate);
  }
  [[nodiscard]] double damper_rate(double force) const {
    const double beyond = std::abs(force) - spec_.valve_force;
    if (!(beyond > 0.0)) return force / spec_.damping;
    return std::copysign(spec_.valve_force / spec_.damping + beyond / spec_.open_damping, force);
  }
  /// Share of the damper that acts.
  [[nodiscard]] double share(double x) const {
    if (spec_.acts == Acts::always) return 1.0;
    return ramp_.slope(spec_.acts == Acts::in_tension ? x : -x);
  }
  [[nodiscard]] double tension(const PointLine& line, std::span<const double> own) const {
    const double x = line.length - free_length_;
    double result = spec_.preload;
    if (spec_.acts == Acts::always) result += spec_.stiffness * x;
    if (spec_.acts == Acts::in_tension) result += spec_.stiffness * ramp_.value(x);
    if (spec_.acts == Acts::in_compression) result -= spec_.stiffness * ramp_.value(-x);
    return result +
           (is_maxwell() ? *spec_.maxwell_stiffness * series_stretch(line, own) : share(x) * damper_force(line.rate));
  }

  PointSpringSpec spec_;
  SmoothRamp ramp_;
  double free_length_;
  double start_length_ = 0.0;
};

}  // namespace

std::unique_ptr<PairForce> make_point_spring(const PointSpringSpec& spec) {
  return std::make_unique<PointSpring>(spec);
}

}  // namespace tieline::components
