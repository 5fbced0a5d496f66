#include "engine/spatiotemporal_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coupling/sampled.hpp"

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Times that differ by this share of a step are one time.
constexpr double kSameControlTime = 1e-9;

}  // namespace

SpatiotemporalSteps::SpatiotemporalSteps(std::span<const std::unique_ptr<core::Component>> members,
                                         std::vector<double> steps, std::span<GroupLink> links, double control_step)
    : steps_(std::move(steps)), taken_(members.size(), 0), direction_of_(links.size()), control_(control_step) {
  for (const auto& member : members) members_.push_back(member.get());
  // eq. "Ctrlstep = min(Min_stepA, Min_stepB, Min_stepC)" in [Zou2016] 4
  if (control_ == 0.0 && !steps_.empty()) control_ = *std::min_element(steps_.begin(), steps_.end());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const GroupLink& link = links[i];
    for (const bool is_from_a : {true, false}) {
      if (!is_from_a && link.is_signal()) continue;
      Direction direction{
          .link = i, .relation = &link.relation_from(is_from_a), .axes = link.axes(), .ports = link.ports()};
      direction.sender = is_from_a ? link.member_a : link.member_b;
      direction.receiver = is_from_a ? link.member_b : link.member_a;
      direction.from = is_from_a ? link.port_a : link.port_b;
      direction.to = is_from_a ? link.port_b : link.port_a;
      const bool is_motion = direction.to->causality == core::Causality::takes_motion;
      direction.given = is_motion || !link.is_in_space() ? link.ports() : link.axes();
      direction.last.resize(direction.ports);
      direction.found.resize(direction.ports);
      direction.received.resize(direction.ports);
      direction.record.resize(direction.ports);
      direction_of_[i][is_from_a ? 0 : 1] = directions_.size();
      directions_.push_back(std::move(direction));
    }
  }
}

wave::Knot SpatiotemporalSteps::knot_of(const Direction& direction, std::size_t port,
                                        const wave::Sample& sample) const {
  if (port >= core::SpatialInterface::kAxes) return {sample.t, sample.position, sample.flow, 0.0};
  return coupling::knot_of(direction.to[port], direction.from[port], sample, *direction.relation);
}

void SpatiotemporalSteps::start(double t0) {
  t0_ = end_ = t0;
  std::fill(taken_.begin(), taken_.end(), 0);
  for (Direction& direction : directions_) {
    for (std::size_t k = 0; k < direction.ports; ++k) {
      const wave::Track& track = direction.to[k].incoming;
      const wave::Knot first = track.empty() ? wave::Knot{.t = t0} : track.back();
      direction.last[k] = {first, first};
      direction.found[k].clear();
      direction.received[k].clear();
      direction.record[k].assign(wave::Interpolation::linear, {});
      direction.record[k].keep_integrals(true);
      direction.record[k].push(first);
    }
  }
}

/// The members whose time the control time has reached first; of these the first one.
std::size_t SpatiotemporalSteps::next_member(double end) const {
  std::size_t next = members_.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const double time = members_[m]->time();
    if (time >= end) continue;
    const double key = control_ > 0.0 ? std::ceil((time - t0_) / control_ - kSameControlTime) : time;
    if (key < least) least = key, next = m;
  }
  return next;
}

void SpatiotemporalSteps::give_inputs(int member, double t) {
  for (Direction& direction : directions_) {
    if (direction.receiver != member) continue;
    for (std::size_t k = 0; k < direction.given; ++k) {
      const auto& [before, last] = direction.last[k];
      wave::Knot knot{t, last.integral, last.value, 0.0};
      if (before.t < last.t) {
        const double x = (t - last.t) / (last.t - before.t);
        knot.value += x * (last.value - before.value);
        knot.integral += x * (last.integral - before.integral);
      }
      wave::Track& track = direction.to[k].incoming;
      track.forget_before(t);
      // The first knot is that of the start.
      if (track.empty() || track.back().t < t) track.push(knot);
      direction.received[k].push_back(knot);
    }
  }
}

void SpatiotemporalSteps::collect(int member) {
  for (Direction& direction : directions_) {
    if (direction.sender != member) continue;
    for (std::size_t k = 0; k < direction.ports; ++k) {
      for (const wave::Sample& sample : direction.from[k].outbox) {
        const wave::Knot knot = knot_of(direction, k, sample);
        direction.found[k].push_back(sample);
        direction.record[k].push(knot);
        if (knot.t > direction.last[k][1].t) direction.last[k][0] = direction.last[k][1];
        direction.last[k][1] = knot;
      }
    }
  }
  for (const Direction& direction : directions_) {
    if (direction.sender != member) continue;
    for (std::size_t k = 0; k < direction.ports; ++k) {
      if (!direction.from[k].feeds_outside) direction.from[k].outbox.clear();
    }
  }
}

Result<void> SpatiotemporalSteps::run(const core::Window& window, double end) {
  for (;;) {
    const std::size_t m = next_member(end);
    if (m == members_.size()) break;
    if (core::is_cancelled(window)) return Error{.code = ErrorCode::cancelled, .message = "stopped on request"};
    core::Component& component = *members_[m];
    const double t = component.time();
    give_inputs(static_cast<int>(m), t);
    double limit = end;
    if (steps_[m] > 0.0) {
      const double planned = t0_ + static_cast<double>(taken_[m] + 1) * steps_[m];
      const bool is_cut = planned - end > kSameControlTime * steps_[m];
      if (!is_cut) ++taken_[m];
      limit = planned < end - kSameControlTime * steps_[m] ? planned : end;
    }
    const auto stepped = component.step(limit);
    if (!stepped) return stepped.error();
    if (!(component.time() > t)) {
      return Error{.code = ErrorCode::step_failed,
                   .message = "it does not move on from the present time",
                   .component = component.name(),
                   .time = t};
    }
    collect(static_cast<int>(m));
  }
  end_ = end;
  return {};
}

wave::TrackValue SpatiotemporalSteps::compared(const Direction& direction, std::size_t axis, std::size_t input,
                                               bool is_end) {
  const std::vector<wave::Knot>& received = direction.received[axis];
  const wave::Knot& from = received[input];
  const double t = !is_end ? from.t : input + 1 < received.size() ? received[input + 1].t : end_;
  const wave::TrackValue had = direction.record[axis].at(t, wave::Side::left);
  had_.push({t, had.integral, had.value, had.rate});
  return {from.value, 0.0, from.integral + (t - from.t) * from.value};
}

std::span<const std::vector<wave::Sample>> SpatiotemporalSteps::found(std::size_t link, bool is_from_a) const {
  return directions_[direction_of_[link][is_from_a ? 0 : 1]].found;
}

void SpatiotemporalSteps::forget() {
  for (Direction& direction : directions_) {
    for (std::size_t k = 0; k < direction.ports; ++k) {
      direction.found[k].clear();
      direction.received[k].clear();
      direction.record[k].forget_before(end_);
    }
  }
}

void SpatiotemporalSteps::save(core::ArchiveWriter& archive) const {
  archive.put(t0_), archive.put(end_);
  archive.put_span<std::int64_t>(taken_);
  for (const Direction& direction : directions_) {
    archive.put_span<std::array<wave::Knot, 2>>(direction.last);
    for (const wave::Track& record : direction.record) core::save_track(archive, record);
  }
}

void SpatiotemporalSteps::restore(core::ArchiveReader& archive) {
  archive.get(t0_), archive.get(end_);
  archive.get_span<std::int64_t>(taken_);
  for (Direction& direction : directions_) {
    archive.get_span<std::array<wave::Knot, 2>>(direction.last);
    for (wave::Track& record : direction.record) core::restore_track(archive, record);
    for (auto& samples : direction.found) samples.clear();
    for (auto& knots : direction.received) knots.clear();
  }
}

}  // namespace tieline::engine
