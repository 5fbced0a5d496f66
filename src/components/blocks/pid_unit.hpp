#pragma once

#include "components/blocks/unit.hpp"

namespace tieline::components {

/// A PID controller with limits and anti-windup by conditional integration.
///
///   v = kp e + I + D,  D = kd (e - f) / Tf,  f' = (e - f) / Tf,  value = v limited to [lower, upper].
/// The filter starts at the first e, so that a constant error has no derivative.
///
/// I' = ki e, except while v is beyond a limit and ki e would drive it further: then I rests (conditional integration,
/// [Astrom2006]). On the limit itself both rules can send v back to the other side (the rest lets v fall
/// below the limit, integrating lifts it): the solution then slides along the limit, with I' such that v' = 0
/// [Filippov1988]. Without this mode the guards would chatter. A jump of e may take v over a limit, or off it, at once:
/// then it does not slide, and I is left alone.
class PidUnit final : public Unit {
 public:
  explicit PidUnit(const PidBlock& block);

  [[nodiscard]] int state_count() const override { return count_; }
  [[nodiscard]] int guard_count() const override { return is_limited_ ? 3 : 0; }
  void begin(const UnitView& view, std::span<double> x) override;
  [[nodiscard]] double value(const UnitView& view) const override;
  [[nodiscard]] double a(int state, int by_state) const override;
  [[nodiscard]] double b(int state) const override;
  [[nodiscard]] double c(int state) const override;
  [[nodiscard]] double d(int input, const UnitView& view) const override;
  [[nodiscard]] bool needs_rates() const override { return mode_ == Mode::sliding; }
  void derivatives(const UnitView& view, std::span<double> x_rate) const override;
  void guards(const UnitView& view, std::span<double> values) const override;
  void change(int guard, const UnitView& view, std::span<double> x) override;
  void save(core::ArchiveWriter& archive) const override;
  void restore(core::ArchiveReader& archive) override;

 private:
  enum class Mode : unsigned char {
    inside,     ///< within the limits
    resting,    ///< beyond a limit, the integral rests
    unwinding,  ///< beyond a limit, the error points back, the integral follows it
    sliding,    ///< on a limit
  };

  [[nodiscard]] double unlimited(const UnitView& view) const;
  /// v' with a resting integral.
  [[nodiscard]] double resting_rate(const UnitView& view) const;
  /// How far v is beyond the limit at which the unit is, and which way ki e points there (positive: outwards).
  [[nodiscard]] double beyond(const UnitView& view) const { return side_ * (unlimited(view) - limit()); }
  [[nodiscard]] double outwards(const UnitView& view) const { return side_ * block_.ki * view.u[0]; }
  [[nodiscard]] double limit() const { return side_ > 0.0 ? block_.upper : block_.lower; }
  /// Whether v is on the limit but for the errors of steps; where it has jumped it is not.
  [[nodiscard]] double on_limit_margin(const UnitView& view) const;
  [[nodiscard]] bool is_on_limit(const UnitView& view) const { return on_limit_margin(view) >= 0.0; }
  void leave_inside(const UnitView& view);
  /// Ends sliding: what v has drifted from the limit meanwhile is taken out of the integral, so that v is just beyond
  /// the limit (direction +1) or just inside it (-1), as the next mode's guards expect.
  void leave_limit(const UnitView& view, double direction, std::span<double> x);

  PidBlock block_;
  int integral_ = -1;  ///< states, or -1
  int filter_ = -1;
  int count_ = 0;
  bool is_limited_ = false;
  Mode mode_ = Mode::inside;
  double side_ = 1.0;  ///< +1 at the upper limit, -1 at the lower one
};

}  // namespace tieline::components
