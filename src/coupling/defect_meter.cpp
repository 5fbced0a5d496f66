#include "coupling/defect_meter.hpp"

#include <algorithm>

namespace tieline::coupling {
namespace {

// Steps of the receiver over which a defect is summed with its sign: alternating ones cancel, and a period that the
// steps resolve is still far longer.
constexpr std::uint64_t kStepsOfBlock = 4;

}  // namespace

void DefectMeter::look(const wave::Track& incoming, double reader_time) {
  if (incoming.empty() || reader_time <= reader_time_) return;
  reader_time_ = reader_time;
  end_exchange();
  if (reader_time <= incoming.back().t) return;
  predicted_to_ = reader_time;
  to_ = incoming.back();
  from_ = incoming.size() > 1 ? incoming.knot(incoming.size() - 2) : to_;
  interpolation_ = static_cast<std::uint64_t>(incoming.interpolation());
  value_defect_ = motion_defect_ = 0.0;
}

void DefectMeter::end_exchange() {
  if (++exchanges_ % kStepsOfBlock != 0) return;
  value_bias_ += std::abs(value_block_);
  motion_bias_ += std::abs(motion_block_);
  value_block_ = motion_block_ = 0.0;
}

void DefectMeter::note(const wave::Track& incoming, const wave::TrackValue& used) {
  const wave::Knot& knot = incoming.back();
  carried_.note(knot.t, knot.value);
  const double value = used.value - knot.value, motion = used.integral - knot.integral;
  if (incoming.size() > 1) {
    add(knot.t - incoming.knot(incoming.size() - 2).t, value_defect_, value, motion_defect_, motion);
  }
  value_defect_ = value, motion_defect_ = motion;
}

wave::TrackValue DefectMeter::predicted(double t) const {
  const auto kind = static_cast<wave::Interpolation>(interpolation_);
  const double s = t - to_.t;
  if (kind == wave::Interpolation::hold) return {to_.value, 0.0, to_.integral + s * to_.value};
  if (from_.t < to_.t) return wave::Piece(kind, from_, to_).at(t);
  return {to_.value + s * to_.rate, to_.rate, to_.integral + s * (to_.value + 0.5 * s * to_.rate)};
}

void DefectMeter::add(double length, double value0, double value1, double motion0, double motion1) {
  value_block_ += 0.5 * length * (value0 + value1);
  motion_block_ += 0.5 * length * (motion0 + motion1);
  value_ripple_ += 0.5 * length * (std::abs(value0) + std::abs(value1));
}

void DefectMeter::note(const wave::Track& incoming) {
  const wave::Knot& knot = incoming.back();
  carried_.note(knot.t, knot.value);
  if (incoming.size() < 2) return;
  const wave::Knot& before = incoming.knot(incoming.size() - 2);
  double begin = before.t;
  const bool is_break = knot.t == before.t;
  if (predicted_to_ > begin || (is_break && predicted_to_ >= begin)) {
    const double end = std::min(predicted_to_, knot.t);
    const wave::TrackValue used = predicted(end);
    const wave::TrackValue had =
        end < knot.t ? incoming.at(end, wave::Side::left) : wave::TrackValue{knot.value, knot.rate, knot.integral};
    const double value = used.value - had.value, motion = used.integral - had.integral;
    add(end - begin, value_defect_, value, motion_defect_, motion);
    value_defect_ = value, motion_defect_ = motion;
    begin = end;
  }
  const double whole = knot.t - before.t;
  if (!(begin < knot.t)) return;
  // The rest is interpolated; only a cubic follows the sender.
  const double share = (knot.t - begin) / whole;
  double mean = 0.0;
  if (incoming.interpolation() == wave::Interpolation::hold) mean = 0.5 * (before.value - knot.value);
  if (incoming.interpolation() == wave::Interpolation::linear) mean = whole / 12.0 * (knot.rate - before.rate);
  if (mean == 0.0) return;
  const double motion = whole * mean * share;
  add(share * whole, mean, mean, 0.0, motion);
}

void ResponseFit::note(const wave::Sample& sample) {
  effort_carried_.note(sample.t, sample.effort);
  if (samples_++ > 0 && sample.t > t_) {
    const double x = sample.position - position_, v = sample.flow - flow_, e = sample.effort - effort_;
    // Weighed by time, so that a run of short steps does not outweigh the rest.
    const double w = 1.0 / (sample.t - t_);
    xx_ += w * x * x, xv_ += w * x * v, vv_ += w * v * v, xe_ += w * x * e, ve_ += w * v * e;
  }
  t_ = sample.t, position_ = sample.position, flow_ = sample.flow, effort_ = sample.effort;
}

ResponseFit::Response ResponseFit::response() const {
  // Where positions and flows change alike, only the stiffness can be known.
  constexpr double kAlike = 1e-12;
  const double determinant = xx_ * vv_ - xv_ * xv_;
  if (determinant > kAlike * xx_ * vv_)
    return {std::abs(xe_ * vv_ - ve_ * xv_) / determinant, std::abs(ve_ * xx_ - xe_ * xv_) / determinant};
  return {xx_ > 0.0 ? std::abs(xe_) / xx_ : 0.0, 0.0};
}

}  // namespace tieline::coupling
