#include "components/wave_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tieline::components {
namespace {

// What a piece may be off by, in tolerances of the effort's size. Errors of all echoes add up.
constexpr double kWaveTolerances = 1.0;
// The effort counts with at least this share of the wave: a body that moves freely has none, and tolerances are not to
// be tightened without bound.
constexpr double kLeastEffortShare = 1e-2;
// Smaller efforts are not followed between steps: what runs ahead of a front through many bodies [N], [Pa], and so on.
constexpr double kLeastEffort = 1e-15;
// The second point looked at, as a share of the stretch; see SignalSampler.
constexpr double kAsidePoint = 0.21132486540518713;
constexpr std::size_t kMostSplits = 16;
// A piece is calm where it is off by no more than this share of what is allowed; after so many of them one look is
// enough.
constexpr double kCalmPart = 0.1;
constexpr int kCalmBefore = 8;
// A knot further from the middle than this share of the stretch makes no good parts.
constexpr double kNearMiddle = 0.45;
// Roundings that the integral of a wave has gone through.
constexpr double kIntegralRoundings = 8.0 * std::numeric_limits<double>::epsilon();

bool carries_wave(const core::Port& port) { return port.is_connected && port.law.a == 1.0 && port.law.impedance > 0.0; }

/// Whether the flow may change as fast as the wave does: without states, without inertia, or as a function has it.
bool is_algebraic(const OdeModel& model, const core::Port& port, std::size_t index) {
  return model.size() == 0 || port.follows_wave || !model.moves_by_states(index);
}

}  // namespace

void WaveSampler::start(OdeModel& model, double relative_tolerance, bool with_states) {
  relative_tolerance_ = relative_tolerance;
  model_ = &model;
  ports_ = model.ports();
  waves_.clear(), units_.clear(), sizes_.clear();
  calm_stretches_ = 0;
  // Those of a line in space are left to the steps: samples of six axes that turn with both ends carry rounding that
  // closer samples would make into waves of their own.
  std::vector<char> is_in_space(ports_.size(), 0);
  for (core::SpatialInterface* interface : model.spatial_interfaces()) {
    const auto first = &interface->axis(0) - ports_.data();
    std::fill_n(is_in_space.begin() + first, core::SpatialInterface::kPorts, char{1});
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (!model.knows_what_moves() || is_in_space[i] || ports_[i].is_bundled) continue;
    if (with_states || is_algebraic(model, ports_[i], i)) add_unit(model, i);
  }
  size_of_.assign(ports_.size(), sizes_.size());
  for (const Wave& wave : waves_) size_of_[wave.port] = wave.size;
  is_end_known_ = false;
  outputs_.assign(ports_.size(), {});
  published_outputs_.assign(ports_.size(), {});
  has_algebraic_ = std::any_of(units_.begin(), units_.end(), [](const Unit& unit) { return unit.is_algebraic; });
  for (Instant* instant : {&published_, &end_, &aside_}) instant->leaving.assign(waves_.size(), {});
  // Where all flows are states, waves are followed one by one.
  levels_.resize(has_algebraic_ ? kMostSplits : 0);
  for (Level& level : levels_) {
    level.split.leaving.assign(waves_.size(), {});
    level.outputs.assign(ports_.size(), {});
    level.is_off.assign(units_.size(), 0);
  }
}

void WaveSampler::add_unit(OdeModel& model, std::size_t port) {
  if (!carries_wave(ports_[port])) return;
  units_.push_back({.first = waves_.size(),
                    .last = waves_.size() + 1,
                    .ports = {port},
                    .is_algebraic = is_algebraic(model, ports_[port], port)});
  waves_.push_back({.port = port, .size = sizes_.size(), .origin = model.position_origin(port)});
  sizes_.emplace_back();
}

double WaveSampler::effort_size(std::size_t port) const {
  if (size_of_[port] == sizes_.size()) return 0.0;
  const Size& of = sizes_[size_of_[port]];
  const double size = std::max(of.effort, kLeastEffortShare * of.wave);
  return size > kLeastEffort ? size : 0.0;
}

void WaveSampler::look_ahead(double until) {
  for (const Wave& wave : waves_) {
    const wave::Track& track = ports_[wave.port].incoming;
    double& size = sizes_[wave.size].wave;
    for (double t = track.next_knot(published_.t); t <= until; t = track.next_knot(t)) {
      size = std::max(size, std::abs(track.at(t, wave::Side::left).value));
      // At the end the right side may have arrived already, or not yet.
      if (t < until) size = std::max(size, std::abs(track.at(t, wave::Side::right).value));
    }
  }
}

void WaveSampler::fill(double t, wave::Side side, std::span<const PortOutput> outputs, Instant& instant) {
  instant.t = t;
  for (std::size_t k = 0; k < waves_.size(); ++k) {
    const core::Port& port = ports_[waves_[k].port];
    const PortOutput& out = outputs[waves_[k].port];
    const double Z = port.law.impedance;
    const double integral = port.has_position ? 2.0 * Z * out.position - port.w(t, side).integral : 0.0;
    instant.leaving[k] = {t, integral, Z * out.flow - out.effort, Z * out.flow_rate - out.effort_rate};
    Size& size = sizes_[waves_[k].size];
    size.effort = std::max(size.effort, std::abs(out.effort));
    size.wave = std::max(size.wave, std::abs(instant.leaving[k].value));
  }
}

void WaveSampler::note(double t, wave::Side side, std::span<const PortOutput> outputs) {
  // The end of a stretch that was sampled has been filled in already.
  if (is_end_known_ && t == end_.t && side == wave::Side::left) {
    std::swap(published_, end_);
  } else {
    fill(t, side, outputs, published_);
  }
  is_end_known_ = false;
  std::copy(outputs.begin(), outputs.end(), published_outputs_.begin());
}

void WaveSampler::sample(double t, std::span<const PortOutput> outputs, const Look& look, const Publish& publish) {
  look_ = &look;
  publish_ = &publish;
  fill(t, wave::Side::left, outputs, end_);
  is_end_known_ = true;
  end_outputs_ = outputs;
  is_one_piece_ = std::none_of(waves_.begin(), waves_.end(), [&](const Wave& wave) {
    return ports_[wave.port].preferred != wave::Interpolation::quintic ||
           ports_[wave.port].incoming.next_knot(published_.t) < t;
  });
  for (const Unit& unit : units_) {
    if (unit.is_algebraic) continue;
    for (std::size_t k = unit.first; k < unit.last; ++k) {
      draw_rest(waves_[k]);
      follow(waves_[k], published_.leaving[k], end_.leaving[k], 0);
    }
  }
  if (!has_algebraic_ || (calm_stretches_ >= kCalmBefore && is_calm())) return;
  ++calm_stretches_;
  refine(published_, end_, 0);
}

double WaveSampler::allowed(const Wave& wave, double integral, double length) const {
  const Size& size = sizes_[wave.size];
  const core::Port& port = ports_[wave.port];
  // The wave's integral comes from positions, the partner's being about as large as one's own.
  const double place = port.law.impedance * std::abs(wave.origin + published_outputs_[wave.port].position);
  const double rounding = kIntegralRoundings * (std::abs(integral) + place) / length;
  const double effort = std::max({kLeastEffort, size.effort, kLeastEffortShare * size.wave});
  return std::max(kWaveTolerances * relative_tolerance_ * effort, rounding);
}

bool WaveSampler::is_structured(const Wave& wave, const wave::Knot& from, const wave::Knot& to) const {
  const core::Port& port = ports_[wave.port];
  const wave::Piece piece(port.preferred, from, to);
  const double most = allowed(wave, from.integral, to.t - from.t);
  const auto is_far = [&](double t) { return !(std::abs(piece.at(t).value - leaving_at(wave, t).value) <= most); };
  if (is_far(from.t + kAsidePoint * (to.t - from.t))) return true;
  // Where no wave has a knot, both are polynomials that meet in the middle.
  if (is_one_piece_) return false;
  if (is_far(0.5 * (from.t + to.t))) return true;
  for (double t = port.incoming.next_knot(from.t); t < to.t; t = port.incoming.next_knot(t)) {
    if (is_far(t)) return true;
  }
  return false;
}

bool WaveSampler::is_off(const Unit& unit, const Instant& from, const Instant& to, const Instant& seen,
                         double share) const {
  for (std::size_t k = unit.first; k < unit.last; ++k) {
    const core::Port& port = ports_[waves_[k].port];
    const wave::Piece piece(port.preferred, from.leaving[k], to.leaving[k]);
    const double most = allowed(waves_[k], from.leaving[k].integral, to.t - from.t);
    if (!(std::abs(piece.at(seen.t).value - seen.leaving[k].value) <= share * most)) return true;
  }
  return false;
}

double WaveSampler::split_time(double from, double to, std::span<const Wave> waves) const {
  const double middle = 0.5 * (from + to);
  double best = middle, least = kNearMiddle * (to - from);
  for (const Wave& wave : waves) {
    const wave::Track& track = ports_[wave.port].incoming;
    for (double t = track.next_knot(from); t < to; t = track.next_knot(t)) {
      if (std::abs(t - middle) < least) best = t, least = std::abs(t - middle);
    }
  }
  return best;
}

void WaveSampler::follow(const Wave& wave, const wave::Knot& from, const wave::Knot& to, std::size_t depth) {
  if (depth == kMostSplits || wave::Piece::is_one_point(from.t, to.t) || !is_structured(wave, from, to)) return;
  const double t = split_time(from.t, to.t, {&wave, 1});
  if (!(from.t < t && t < to.t)) return;
  const wave::Knot split = leaving_at(wave, t);
  follow(wave, from, split, depth + 1);
  publish_smooth(wave, t);
  follow(wave, split, to, depth + 1);
}

void WaveSampler::draw_rest(const Wave& wave) {
  const PortOutput &from = published_outputs_[wave.port], &to = end_outputs_[wave.port];
  const double first_rate = model_->driven_motion(wave.port, published_.t, published_.t, wave::Side::right).rate;
  const wave::TrackValue last = model_->driven_motion(wave.port, published_.t, end_.t, wave::Side::left);
  rest_ = {ports_[wave.port].preferred,
           {published_.t, from.position, from.flow, from.flow_rate - first_rate},
           {end_.t, to.position - last.integral, to.flow - last.value, to.flow_rate - last.rate}};
}

wave::TrackValue WaveSampler::motion_at(const Wave& wave, double t) const {
  const wave::TrackValue rest = rest_.at(t),
                         driven = model_->driven_motion(wave.port, published_.t, t, wave::Side::left);
  return {rest.value + driven.value, rest.rate + driven.rate, rest.integral + driven.integral};
}

wave::Knot WaveSampler::leaving_at(const Wave& wave, double t) const {
  const core::Port& port = ports_[wave.port];
  const wave::TrackValue motion = motion_at(wave, t), w = port.w(t, wave::Side::left);
  const double twice = 2.0 * port.law.impedance;
  return {t, port.has_position ? twice * motion.integral - w.integral : 0.0, twice * motion.value - w.value,
          twice * motion.rate - w.rate};
}

void WaveSampler::publish_smooth(const Wave& wave, double t) const {
  const core::Port& port = ports_[wave.port];
  const wave::TrackValue motion = motion_at(wave, t), w = port.w(t, wave::Side::left);
  (*publish_)(wave.port, t,
              {.position = motion.integral,
               .flow = motion.value,
               .flow_rate = motion.rate,
               .effort = port.effort_for(motion.value, w.value),
               .effort_rate = w.rate - port.law.impedance * motion.rate});
}

void WaveSampler::look_at(double t, std::span<PortOutput> outputs, Instant& instant) {
  (*look_)(t, outputs);
  fill(t, wave::Side::left, outputs, instant);
}

bool WaveSampler::is_calm() {
  // Now in the middle, now aside, so that no period escapes for long.
  const double share = calm_stretches_ % 2 == 0 ? 0.5 : kAsidePoint;
  look_at(published_.t + share * (end_.t - published_.t), outputs_, aside_);
  for (const Unit& unit : units_) {
    if (unit.is_algebraic && is_off(unit, published_, end_, aside_, kCalmPart)) return false;
  }
  calm_stretches_ = calm_stretches_ == kCalmBefore ? kCalmBefore + 1 : kCalmBefore;
  return true;
}

void WaveSampler::refine(const Instant& from, const Instant& to, std::size_t depth) {
  if (depth == levels_.size()) return;
  Level& level = levels_[depth];
  const double split = split_time(from.t, to.t, waves_);
  if (!(from.t < split && split < to.t) || wave::Piece::is_one_point(from.t, to.t)) return;
  look_at(from.t + kAsidePoint * (to.t - from.t), outputs_, aside_);
  look_at(split, level.outputs, level.split);
  bool is_any_off = false;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const Unit& unit = units_[u];
    level.is_off[u] = unit.is_algebraic && (depth == 0 || levels_[depth - 1].is_off[u]) &&
                      (is_off(unit, from, to, level.split) || is_off(unit, from, to, aside_));
    is_any_off = is_any_off || level.is_off[u];
    if (unit.is_algebraic && is_off(unit, from, to, aside_, kCalmPart)) calm_stretches_ = 0;
  }
  if (!is_any_off) return;
  calm_stretches_ = 0;
  refine(from, level.split, depth + 1);
  for (std::size_t u = 0; u < units_.size(); ++u) {
    if (!level.is_off[u]) continue;
    for (const std::size_t port : units_[u].ports) (*publish_)(port, split, level.outputs[port]);
  }
  refine(level.split, to, depth + 1);
}

void WaveSampler::save(core::ArchiveWriter& archive) const {
  archive.put(published_.t);
  archive.put_span<wave::Knot>(published_.leaving);
  archive.put_span<PortOutput>(published_outputs_);
  archive.put_span<Size>(sizes_);
  archive.put(calm_stretches_);
}

void WaveSampler::restore(core::ArchiveReader& archive) {
  is_end_known_ = false;
  archive.get(published_.t);
  archive.get_span<wave::Knot>(published_.leaving);
  archive.get_span<PortOutput>(published_outputs_);
  archive.get_span<Size>(sizes_);
  archive.get(calm_stretches_);
}

}  // namespace tieline::components
