#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace tieline::coupling {

/// What a connection carries in one direction over a run: the scale that its defects are measured against.
///
/// A defect d(t) of an effort f(t) matters by its integral, an impulse, against what f itself brings about. For an
/// oscillation of amplitude A and angular frequency w that is 2 A / w. By the range R of f, its variation V (the sum of
/// all rises and falls) and the duration D, A = R / 2 and w = pi V / (2 A D), so that 2 A / w = R^2 D / (pi V). A
/// constant load moves nothing against the springs that hold it, and does not count; where f comes in pulses the swing
/// of its integral is smaller, and counts. At rest, where f does not change, a trace of f itself is the scale.
/// Trivially copyable.
class Carried {
 public:
  /// Share of the range up to which rises and falls do not count in the variation.
  static constexpr double kRipple = 0.05;
  /// Share of a constant load that counts: smaller changes of it are rest.
  static constexpr double kRest = 1e-5;

  void note(double t, double value) {
    if (notes_++ == 0) {
      least_ = largest_ = value;
    } else if (t > t_) {
      duration_ += t - t_;
      integral_ += 0.5 * (t - t_) * (value_ + value);
      size_ += 0.5 * (t - t_) * (std::abs(value_) + std::abs(value));
      least_integral_ = std::min(least_integral_, integral_);
      largest_integral_ = std::max(largest_integral_, integral_);
    }
    least_ = std::min(least_, value), largest_ = std::max(largest_, value);
    // Ripples that are small against the range are no oscillation.
    if (notes_ == 1) turned_ = value;
    if (std::abs(value - turned_) > kRipple * range()) {
      variation_ += std::abs(value - turned_);
      turned_ = value;
    }
    t_ = t, value_ = value;
  }

  [[nodiscard]] double range() const { return largest_ - least_; }
  [[nodiscard]] double variation() const { return variation_; }
  [[nodiscard]] double duration() const { return duration_; }  ///< [s]
  [[nodiscard]] double size() const { return size_; }          ///< integral of |f| [f s]
  [[nodiscard]] double largest() const { return std::max(std::abs(largest_), std::abs(least_)); }
  /// What f brings about, as above [f s].
  [[nodiscard]] double impulse() const {
    const double swing = largest_integral_ - least_integral_;
    const double moved = variation_ > 0.0 ? range() / variation_ * range() * duration_ / std::numbers::pi : 0.0;
    return std::max(std::min(swing, moved), kRest * size_);
  }

 private:
  friend struct AxisAuditState;
  double t_ = 0.0, value_ = 0.0, duration_ = 0.0, variation_ = 0.0, size_ = 0.0;
  double least_ = 0.0, largest_ = 0.0, turned_ = 0.0;
  double integral_ = 0.0, least_integral_ = 0.0, largest_integral_ = 0.0;
  std::uint64_t notes_ = 0;
};

}  // namespace tieline::coupling
