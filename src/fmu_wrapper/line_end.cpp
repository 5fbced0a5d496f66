#include "fmu_wrapper/line_end.hpp"

#include <algorithm>
#include <cmath>

#include "wave/track.hpp"

namespace tieline::fmu_wrapper {
namespace {

/// What a host may miss of a flow within a step, as a share of the largest one so far.
constexpr double kShownError = 1e-8;

}  // namespace

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

void LineEnd::add_needed(double from, double to, double gap, std::vector<double>& times) {
  for (const wave::Sample& sample : samples_) largest_flow_ = std::max(largest_flow_, std::abs(sample.flow));
  split(at(from), at(to), gap, times);
}

void LineEnd::split(const wave::Sample& from, const wave::Sample& to, double gap, std::vector<double>& times) const {
  if (to.t - from.t < 2.0 * gap) return;
  const wave::Piece piece(wave::Interpolation::motion, {from.t, from.position, from.flow, 0.0},
                          {to.t, to.position, to.flow, 0.0});
  const double middle = 0.5 * (from.t + to.t);
  const wave::Sample* split_at = nullptr;
  bool is_off = false;
  for (const wave::Sample& sample : samples_) {
    if (sample.t < from.t + gap || sample.t > to.t - gap) continue;
    is_off = is_off || std::abs(piece.at(sample.t).value - sample.flow) > kShownError * largest_flow_;
    if (split_at == nullptr || std::abs(sample.t - middle) < std::abs(split_at->t - middle)) split_at = &sample;
  }
  if (!is_off) return;
  times.push_back(split_at->t);
  split(from, *split_at, gap, times);
  split(*split_at, to, gap, times);
}

LineEnd::Memory LineEnd::memory() const {
  Memory memory{.has_last = !samples_.empty(), .largest_flow = largest_flow_};
  if (memory.has_last) memory.last = samples_.back();
  return memory;
}

void LineEnd::recall(const Memory& memory) {
  samples_.clear();
  if (memory.has_last) samples_.push_back(memory.last);
  largest_flow_ = memory.largest_flow;
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
