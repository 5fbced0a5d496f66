#include "components/signal_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tieline::components {
namespace {

// What a piece may be off by, in tolerances of the signal's size: the solver's own interpolation is hardly better.
constexpr double kAllowedTolerances = 4.0;
// The second point looked at, as a share of the stretch: (3 - sqrt 3) / 6. A piece over whole periods may meet the
// signal in the middle; here it swings out furthest.
constexpr double kAside = 0.21132486540518713;
constexpr std::size_t kMostLevels = 20;
// A piece is calm where it is off by no more than this share of what is allowed; after so many of them one look is
// enough.
constexpr double kCalmShare = 0.1;
constexpr int kCalmStretches = 8;
// Halving a stretch that is resolved lowers the deviation to a sixteenth; rounding of rates, to a half. A signal whose
// deviation has fallen by no more than this over so many levels cannot be followed.
constexpr std::size_t kStubbornLevels = 12;
constexpr double kLeastFall = 1.0 / 16384.0;
// So often may one stretch have parts that cannot be followed, before the rest of it is left as it is.
constexpr int kMostTimesLeft = 2;
// What rounding makes of a signal is measured with states that are off by this share.
constexpr double kDisturbance = 16.0 * std::numeric_limits<double>::epsilon();

}  // namespace

void SignalSampler::start(std::span<core::Port> ports, double relative_tolerance) {
  relative_tolerance_ = relative_tolerance;
  port_of_.clear();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ports[i].coarseness = 0.0;
    const bool is_signal = ports[i].causality == core::Causality::output && !ports[i].is_bundled;
    if (is_signal && ports[i].is_connected) port_of_.push_back(i);
  }
  const std::size_t count = port_of_.size();
  size_.assign(count, 0.0);
  unfollowed_.assign(count, 0.0);
  noise_.assign(count, {});
  times_left_.assign(count, 0);
  calm_stretches_ = 0;
  outputs_.assign(ports.size(), {});
  for (Instant* instant : {&published_, &end_, &aside_, &disturbed_}) instant->signals.assign(count, {});
  levels_.resize(count > 0 ? kMostLevels : 0);
  for (Level& level : levels_) {
    level.middle.signals.assign(count, {});
    level.deviation.assign(count, 0.0);
    level.is_off.assign(count, 0);
  }
}

void SignalSampler::note(double t, std::span<const PortOutput> outputs) {
  published_.t = t;
  for (std::size_t s = 0; s < port_of_.size(); ++s) {
    const PortOutput& out = outputs[port_of_[s]];
    published_.signals[s] = {out.flow, out.flow_rate};
    size_[s] = std::max(size_[s], std::abs(out.flow));
  }
}

void SignalSampler::sample(double t, std::span<const PortOutput> outputs, std::span<core::Port> ports,
                           const Look& look) {
  ports_ = ports;
  look_ = &look;
  end_.t = t;
  for (std::size_t s = 0; s < port_of_.size(); ++s) {
    const PortOutput& out = outputs[port_of_[s]];
    end_.signals[s] = {out.flow, out.flow_rate};
    size_[s] = std::max(size_[s], std::abs(out.flow));
  }
  std::fill(times_left_.begin(), times_left_.end(), 0);
  is_noise_known_ = false;
  if (calm_stretches_ >= kCalmStretches && is_calm()) return;
  ++calm_stretches_;
  refine(published_, end_, 0);
  report_coarseness(ports);
}

void SignalSampler::report_coarseness(std::span<core::Port> ports) const {
  for (std::size_t s = 0; s < port_of_.size(); ++s) {
    if (unfollowed_[s] > 0.0) ports[port_of_[s]].coarseness = unfollowed_[s] / std::max(size_[s], unfollowed_[s]);
  }
}

bool SignalSampler::is_calm() {
  // Now in the middle, now aside, so that no period escapes for long.
  const double share = calm_stretches_ % 2 == 0 ? 0.5 : kAside;
  look_at(published_.t + share * (end_.t - published_.t), 0.0, aside_);
  for (std::size_t s = 0; s < port_of_.size(); ++s) {
    if (!(deviation(s, published_, end_, aside_) <= kCalmShare * allowed(s, end_.t - published_.t))) return false;
  }
  calm_stretches_ = calm_stretches_ == kCalmStretches ? kCalmStretches + 1 : kCalmStretches;
  return true;
}

void SignalSampler::look_at(double t, double disturbance, Instant& instant) {
  instant.t = t;
  (*look_)(t, disturbance, outputs_);
  for (std::size_t s = 0; s < port_of_.size(); ++s) {
    const PortOutput& out = outputs_[port_of_[s]];
    instant.signals[s] = {out.flow, out.flow_rate};
  }
}

void SignalSampler::refine(const Instant& from, const Instant& to, std::size_t depth) {
  const double middle = 0.5 * (from.t + to.t);
  if (depth == levels_.size() || !(from.t < middle && middle < to.t)) return;
  Level& level = levels_[depth];
  look_at(middle, 0.0, level.middle);
  look_at(from.t + kAside * (to.t - from.t), 0.0, aside_);
  if (!compare(from, to, depth)) return;
  if (!is_noise_known_) {
    measure_noise(level.middle);
    if (!compare(from, to, depth)) return;
  }
  refine(from, level.middle, depth + 1);
  for (std::size_t s = 0; s < port_of_.size(); ++s) {
    if (!level.is_off[s]) continue;
    const Value& signal = level.middle.signals[s];
    ports_[port_of_[s]].outbox.push_back({.t = middle, .flow = signal.value, .flow_rate = signal.rate});
  }
  refine(level.middle, to, depth + 1);
}

bool SignalSampler::compare(const Instant& from, const Instant& to, std::size_t depth) {
  Level& level = levels_[depth];
  bool is_any_off = false;
  for (std::size_t s = 0; s < port_of_.size(); ++s) {
    level.is_off[s] = 0;
    if (depth > 0 && !levels_[depth - 1].is_off[s]) continue;
    const double off = std::max(deviation(s, from, to, level.middle), deviation(s, from, to, aside_));
    const double most = allowed(s, to.t - from.t);
    level.deviation[s] = off;
    if (!(off <= kCalmShare * most)) calm_stretches_ = 0;
    if (!(off > most)) continue;
    if (times_left_[s] == kMostTimesLeft || is_stubborn(s, depth)) {
      times_left_[s] = std::min(times_left_[s] + 1, kMostTimesLeft);
      unfollowed_[s] = std::max(unfollowed_[s], off);
      continue;
    }
    level.is_off[s] = 1;
    is_any_off = true;
  }
  return is_any_off;
}

double SignalSampler::deviation(std::size_t signal, const Instant& from, const Instant& to, const Instant& seen) {
  const wave::Knot a = from.knot(signal), b = to.knot(signal);
  const bool has_rates = std::isfinite(a.rate) && std::isfinite(b.rate);
  const wave::Piece piece(has_rates ? wave::Interpolation::cubic : wave::Interpolation::linear, a, b);
  const double value = seen.signals[signal].value;
  size_[signal] = std::max(size_[signal], std::abs(value));
  return std::abs(piece.at(seen.t).value - value);
}

bool SignalSampler::is_stubborn(std::size_t signal, std::size_t depth) const {
  if (depth + 1 == levels_.size()) return true;
  if (depth < kStubbornLevels) return false;
  const double before = levels_[depth - kStubbornLevels].deviation[signal];
  return levels_[depth].deviation[signal] > kLeastFall * before;
}

double SignalSampler::allowed(std::size_t signal, double length) const {
  const double relative = kAllowedTolerances * relative_tolerance_ * size_[signal];
  if (!is_noise_known_) return relative;
  return std::max(relative, noise_[signal].value + 0.25 * length * noise_[signal].rate);
}

void SignalSampler::measure_noise(const Instant& undisturbed) {
  look_at(undisturbed.t, kDisturbance, disturbed_);
  for (std::size_t s = 0; s < port_of_.size(); ++s) {
    const Value &with = disturbed_.signals[s], &without = undisturbed.signals[s];
    noise_[s] = {std::abs(with.value - without.value), std::abs(with.rate - without.rate)};
  }
  is_noise_known_ = true;
}

void SignalSampler::save(core::ArchiveWriter& archive) const {
  archive.put(published_.t);
  archive.put_span<Value>(published_.signals);
  archive.put_span<double>(size_);
  archive.put_span<double>(unfollowed_);
  archive.put(calm_stretches_);
}

void SignalSampler::restore(core::ArchiveReader& archive, std::span<core::Port> ports) {
  archive.get(published_.t);
  archive.get_span<Value>(published_.signals);
  archive.get_span<double>(size_);
  archive.get_span<double>(unfollowed_);
  archive.get(calm_stretches_);
  report_coarseness(ports);
}

}  // namespace tieline::components
