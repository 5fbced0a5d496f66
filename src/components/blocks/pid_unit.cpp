#include "components/blocks/pid_unit.hpp"

#include <cmath>

namespace tieline::components {
namespace {

// Share of the terms of v by which it is put off a limit when sliding ends: well above rounding, below any tolerance.
constexpr double kHair = 1e-14;
// Share of the terms of v within which it is on a limit: what steps are off by, and less than any jump that matters.
constexpr double kOnLimit = 1e-5;

}  // namespace

PidUnit::PidUnit(const PidBlock& block) : block_(block) {
  if (block_.ki != 0.0) integral_ = count_++;
  if (block_.kd != 0.0) filter_ = count_++;
  is_limited_ = std::isfinite(block_.lower) || std::isfinite(block_.upper);
}

void PidUnit::begin(const UnitView& view, std::span<double> x) {
  if (integral_ >= 0) x[integral_] = 0.0;
  if (filter_ >= 0) x[filter_] = view.u[0];
  mode_ = Mode::inside;
}

double PidUnit::unlimited(const UnitView& view) const {
  double v = block_.kp * view.u[0];
  if (integral_ >= 0) v += view.x[integral_];
  if (filter_ >= 0) v += block_.kd * (view.u[0] - view.x[filter_]) / block_.filter;
  return v;
}

double PidUnit::resting_rate(const UnitView& view) const {
  double rate = block_.kp * view.u_rate[0];
  if (filter_ >= 0) {
    rate += block_.kd * (view.u_rate[0] - (view.u[0] - view.x[filter_]) / block_.filter) / block_.filter;
  }
  return rate;
}

double PidUnit::value(const UnitView& view) const { return mode_ == Mode::inside ? unlimited(view) : limit(); }

double PidUnit::a(int state, int by_state) const {
  return state == filter_ && by_state == filter_ ? -1.0 / block_.filter : 0.0;
}

double PidUnit::b(int state) const {
  if (state == filter_) return 1.0 / block_.filter;
  return mode_ == Mode::inside || mode_ == Mode::unwinding ? block_.ki : 0.0;
}

double PidUnit::c(int state) const {
  if (mode_ != Mode::inside) return 0.0;
  return state == filter_ ? -block_.kd / block_.filter : 1.0;
}

double PidUnit::d(int, const UnitView&) const {
  if (mode_ != Mode::inside) return 0.0;
  return block_.kp + (filter_ >= 0 ? block_.kd / block_.filter : 0.0);
}

void PidUnit::derivatives(const UnitView& view, std::span<double> x_rate) const {
  Unit::derivatives(view, x_rate);
  if (mode_ == Mode::sliding) x_rate[integral_] = -resting_rate(view);
}

double PidUnit::on_limit_margin(const UnitView& view) const {
  double size = std::abs(limit()) + std::abs(block_.kp * view.u[0]);
  if (integral_ >= 0) size += std::abs(view.x[integral_]);
  if (filter_ >= 0) size += std::abs(block_.kd * (view.u[0] - view.x[filter_]) / block_.filter);
  return kOnLimit * size - std::abs(beyond(view));
}

void PidUnit::guards(const UnitView& view, std::span<double> values) const {
  values[2] = mode_ == Mode::sliding ? on_limit_margin(view) : 1.0;
  switch (mode_) {
    case Mode::inside:
      values[0] = std::isfinite(block_.upper) ? block_.upper - unlimited(view) : 1.0;
      values[1] = std::isfinite(block_.lower) ? unlimited(view) - block_.lower : 1.0;
      break;
    case Mode::resting:
      values[0] = beyond(view);
      values[1] = outwards(view);
      break;
    case Mode::unwinding:
      values[0] = beyond(view);
      values[1] = -outwards(view);
      break;
    case Mode::sliding:
      // The integral's rate lies between resting and following the error.
      values[0] = -side_ * resting_rate(view);
      values[1] = outwards(view) + side_ * resting_rate(view);
      break;
  }
}

void PidUnit::change(int guard, const UnitView& view, std::span<double> x) {
  switch (mode_) {
    case Mode::inside:
      side_ = guard == 0 ? 1.0 : -1.0;
      leave_inside(view);
      break;
    case Mode::resting:
      if (guard == 1) {
        mode_ = Mode::unwinding;
      } else {
        const bool returns = side_ * resting_rate(view) + outwards(view) > 0.0;
        mode_ = returns && integral_ >= 0 && is_on_limit(view) ? Mode::sliding : Mode::inside;
      }
      break;
    case Mode::unwinding:
      mode_ = guard == 0 ? Mode::inside : Mode::resting;
      break;
    case Mode::sliding:
      if (guard == 2 || !is_on_limit(view)) {
        mode_ = beyond(view) < 0.0 ? Mode::inside : outwards(view) < 0.0 ? Mode::unwinding : Mode::resting;
        break;
      }
      mode_ = guard == 0 ? Mode::resting : Mode::inside;
      leave_limit(view, mode_ == Mode::resting ? 1.0 : -1.0, x);
      break;
  }
}

void PidUnit::leave_inside(const UnitView& view) {
  if (outwards(view) < 0.0) {
    mode_ = Mode::unwinding;
  } else {
    const bool slides = side_ * resting_rate(view) < 0.0 && integral_ >= 0 && is_on_limit(view);
    mode_ = slides ? Mode::sliding : Mode::resting;
  }
}

void PidUnit::leave_limit(const UnitView& view, double direction, std::span<double> x) {
  const double hair = kHair * (std::abs(limit()) + std::abs(block_.kp * view.u[0]) + std::abs(x[integral_]));
  x[integral_] += side_ * (direction * hair - beyond(view));
}

void PidUnit::save(core::ArchiveWriter& archive) const {
  archive.put(mode_);
  archive.put(side_);
}

void PidUnit::restore(core::ArchiveReader& archive) {
  archive.get(mode_);
  archive.get(side_);
}

}  // namespace tieline::components
