// A bump stop presses with K R^n of its overlap x, R being the smooth max(x, 0), and damps by C x' as far as R has
// taken hold (by its slope); it never pulls.

#include <algorithm>
#include <cmath>

#include "components/multibody/pair_force.hpp"
#include "components/multibody/point_line.hpp"

namespace tieline::components {
namespace {

// The direction of the line changes smoothly over this share of its length.
constexpr double kStopSmoothShare = 0x1p-9;

using Eigen::Vector3d;

class BumpStop final : public PairForce {
 public:
  explicit BumpStop(const BumpStopSpec& spec)
      : PairForce(spec.name, spec.from, spec.to),
        spec_(spec),
        ramp_{spec.smoothing},
        touch_(spec.length.value_or(0.0)) {}

  void start(const FrameMotion& from, const FrameMotion& to) override {
    if (!spec_.length) touch_ = PointLine(from, to).length - sign() * spec_.gap;
  }
  [[nodiscard]] PairWrench wrench(const FrameMotion& from, const FrameMotion& to,
                                  std::span<const double>) const override {
    const PointLine line(from, to);
    return {sign() * press(line) * line.direction, Vector3d::Zero()};
  }
  [[nodiscard]] double potential(const FrameMotion& from, const FrameMotion& to,
                                 std::span<const double>) const override {
    return spec_.stiffness * ramp_.integral(overlap(PointLine(from, to)), spec_.exponent);
  }
  [[nodiscard]] double smooth_length(const FrameMotion& from, const FrameMotion& to) const override {
    return std::min(kStopSmoothShare * (to.x - from.x).norm(), spec_.smoothing);
  }
  [[nodiscard]] double dissipation(const FrameMotion& from, const FrameMotion& to,
                                   std::span<const double>) const override {
    // What is lost is what goes in and is not stored.
    const PointLine line(from, to);
    return (press(line) - elastic(line)) * closing(line);
  }

  [[nodiscard]] std::vector<core::Column> columns() const override { return {{"overlap", "m"}, {"normal_force", "N"}}; }
  void record(const FrameMotion& from, const FrameMotion& to, std::span<const double>,
              std::span<double> values) const override {
    const PointLine line(from, to);
    values[0] = overlap(line);
    values[1] = press(line);
  }

 private:
  /// 1 where the points are pressed apart, -1 where they are held together.
  [[nodiscard]] double sign() const { return spec_.acts_in_tension ? -1.0 : 1.0; }
  [[nodiscard]] double overlap(const PointLine& line) const { return sign() * (touch_ - line.length); }
  [[nodiscard]] double closing(const PointLine& line) const { return -sign() * line.rate; }
  [[nodiscard]] double elastic(const PointLine& line) const {
    return spec_.stiffness * std::pow(ramp_.value(overlap(line)), spec_.exponent);
  }
  [[nodiscard]] double press(const PointLine& line) const {
    return std::max(0.0, elastic(line) + ramp_.slope(overlap(line)) * spec_.damping * closing(line));
  }

  BumpStopSpec spec_;
  SmoothRamp ramp_;
  double touch_;  ///< distance of the points at which it begins to act [m]
};

}  // namespace

std::unique_ptr<PairForce> make_bump_stop(const BumpStopSpec& spec) { return std::make_unique<BumpStop>(spec); }

}  // namespace tieline::components
