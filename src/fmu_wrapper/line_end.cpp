#include "fmu_wrapper/line_end.hpp"

#include <algorithm>

#include "wave/track.hpp"

namespace tieline::fmu_wrapper {

void LineEnd::begin(double from, double value, double rate, Ask ask) {
  from_ = from;
  value_ = value;
  rate_ = rate;
  ask_ = std::move(ask);
  if (samples_.size() > 1) samples_.erase(samples_.begin(), samples_.end() - 1);
}

double LineEnd::wave(double t) { return ask_ ? ask_(t) : value_ + rate_ * (t - from_); }

std::optional<double> LineEnd::straight_rate() const { return ask_ ? std::nullopt : std::optional(rate_); }

void LineEnd::take(const std::vector<wave::Sample>& samples) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
}

wave::Sample LineEnd::at(double t) const {
  if (samples_.empty()) return {};
  const auto next = std::lower_bound(samples_.begin(), samples_.end(), t,
                                     [](const wave::Sample& sample, double time) { return sample.t < time; });
  if (next == samples_.end()) return samples_.back();
  if (next == samples_.begin() || next->t == t) return *next;
  const wave::Sample& before = *(next - 1);
  const wave::Piece flow(wave::Interpolation::cubic, {before.t, before.position, before.flow, before.flow_rate},
                         {next->t, next->position, next->flow, next->flow_rate});
  const wave::TrackValue value = flow.at(t);
  wave::Sample result = before;
  result.t = t;
  result.flow = value.value;
  result.position = value.integral;
  result.effort += (next->effort - before.effort) * (t - before.t) / (next->t - before.t);
  return result;
}

}  // namespace tieline::fmu_wrapper
