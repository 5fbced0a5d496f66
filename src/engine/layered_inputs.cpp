// Members in layers: what they send each other, and how wrong it was where it had to be guessed.

#include <algorithm>
#include <cmath>
#include <limits>

#include "coupling/sampled.hpp"
#include "engine/layered_steps.hpp"

namespace tieline::engine {
namespace {

// Share of the largest size that counts as a range, so that the rounding of a constant load is no error.
constexpr double kRestShare = 1e-5;
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Slope of the parabola through three values at the time of the last or of the middle one.
double slope(double t0, double v0, double t1, double v1, double t2, double v2, bool at_end) {
  const double early = (v1 - v0) / (t1 - t0), late = (v2 - v1) / (t2 - t1);
  const double bend = (late - early) / (t2 - t0);
  return at_end ? late + bend * (t2 - t1) : late - bend * (t2 - t1);
}

/// Where a sender does not know how fast its values change, its samples show it.
template <class Value, class Rate>
void fill_rate(std::vector<wave::Sample>& samples, std::size_t from, const wave::Sample& last, Value value, Rate rate) {
  const auto before = [&](std::size_t i, std::size_t back) -> const wave::Sample* {
    const wave::Sample* found = i >= back ? &samples[i - back] : i + 1 == back ? &last : nullptr;
    return found != nullptr && std::isfinite(found->t) ? found : nullptr;
  };
  for (std::size_t i = from; i < samples.size(); ++i) {
    wave::Sample& own = samples[i];
    if (!std::isnan(own.*rate)) continue;
    const wave::Sample* const one = before(i, 1);
    const wave::Sample* const two = before(i, 2);
    const wave::Sample* const next = i + 1 < samples.size() ? &samples[i + 1] : nullptr;
    own.*rate = 0.0;
    if (one == nullptr || !(one->t < own.t)) continue;
    if (next != nullptr && own.t < next->t) {
      own.*rate = slope(one->t, one->*value, own.t, own.*value, next->t, next->*value, false);
    } else if (two != nullptr && two->t < one->t) {
      own.*rate = slope(two->t, two->*value, one->t, one->*value, own.t, own.*value, true);
    } else {
      own.*rate = (own.*value - one->*value) / (own.t - one->t);
    }
  }
}

/// The side of a track that a sample is on: the earlier of two at one time is the left one.
wave::Side side_of(const std::vector<wave::Sample>& samples, std::size_t i) {
  return i > 0 && samples[i - 1].t == samples[i].t ? wave::Side::right : wave::Side::left;
}

}  // namespace

void LayeredSteps::Range::note(const wave::Knot& knot) {
  if (is_known == 0) {
    least = most = knot.value;
    least_integral = most_integral = knot.integral;
    is_known = 1;
  }
  least = std::min(least, knot.value), most = std::max(most, knot.value);
  least_integral = std::min(least_integral, knot.integral), most_integral = std::max(most_integral, knot.integral);
}

double LayeredSteps::Range::value() const {
  return std::max(most - least, kRestShare * std::max(std::abs(most), std::abs(least)));
}

double LayeredSteps::Range::integral() const {
  return std::max(most_integral - least_integral,
                  kRestShare * std::max(std::abs(most_integral), std::abs(least_integral)));
}

void LayeredSteps::collect(int index) {
  Member& member = members_[static_cast<std::size_t>(index)];
  for (const std::size_t d : member.sends) {
    Direction& direction = directions_[d];
    for (std::size_t k = 0; k < direction.ports; ++k) {
      std::vector<wave::Sample>& found = direction.found[k];
      const std::vector<wave::Sample>& sent = direction.from[k].outbox;
      const std::size_t from = found.size();
      found.insert(found.end(), sent.begin(), sent.end());
      fill_rate(found, from, direction.last[k], &wave::Sample::flow, &wave::Sample::flow_rate);
      fill_rate(found, from, direction.last[k], &wave::Sample::effort, &wave::Sample::effort_rate);
      if (k < direction.axes) direction.used[k].resize(found.size(), {kNothing, kNothing, kNothing});
    }
  }
  for (core::Port* const port : member.inner) port->outbox.clear();
  for (OuterPort& outer : member.outer) {
    outer.found.insert(outer.found.end(), outer.port->outbox.begin(), outer.port->outbox.end());
    outer.port->outbox.clear();
  }
}

void LayeredSteps::begin_control_step(std::size_t index, double begin) {
  for (const int m : plan_.clusters[index].members) {
    Member& member = members_[static_cast<std::size_t>(m)];
    for (const std::size_t d : member.sends) directions_[d].marks[index] = directions_[d].found.front().size();
    for (OuterPort& outer : member.outer) outer.marks[index] = outer.found.size();
    for (std::size_t i = 0; i < member.spec.sinks.size(); ++i) member.marks[index][i] = member.spec.sinks[i]->size();
  }
  for (const std::size_t d : clusters_[index].directions) {
    Direction& direction = directions_[d];
    direction.first = direction.found.front().size();
    for (std::size_t k = 0; k < direction.ports; ++k) {
      wave::Track& track = direction.to[k].incoming;
      track.forget_before(begin);
      direction.before[k].clear();
      if (!direction.is_late) continue;
      direction.kept[k].clear();
      for (std::size_t i = 0; i < track.size(); ++i) direction.kept[k].push_back(track.knot(i));
    }
  }
}

void LayeredSteps::drop_trial(std::size_t index) {
  for (const std::size_t d : clusters_[index].directions) {
    Direction& direction = directions_[d];
    for (std::size_t k = 0; k < direction.ports; ++k) {
      const auto from = direction.found[k].begin() + static_cast<std::ptrdiff_t>(direction.first);
      direction.before[k].assign(from, direction.found[k].end());
    }
  }
  for (const int m : plan_.clusters[index].members) {
    Member& member = members_[static_cast<std::size_t>(m)];
    for (const std::size_t d : member.sends) {
      Direction& direction = directions_[d];
      for (std::size_t k = 0; k < direction.ports; ++k) direction.found[k].resize(direction.marks[index]);
      for (std::size_t k = 0; k < direction.axes; ++k) direction.used[k].resize(direction.marks[index]);
    }
    for (OuterPort& outer : member.outer) outer.found.resize(outer.marks[index]);
  }
}

void LayeredSteps::give(Direction& direction, std::vector<std::vector<wave::Sample>>& samples, std::size_t from) {
  const std::size_t count = samples.front().size();
  if (direction.space_to == nullptr) {
    for (std::size_t i = from; i < count; ++i) {
      coupling::deliver(*direction.to, *direction.from, samples.front()[i], *direction.relation);
    }
    return;
  }
  for (std::size_t k = 0; k < direction.ports; ++k) direction.from[k].outbox.swap(samples[k]);
  for (std::size_t i = from; i < count; ++i) coupling::deliver(*direction.space_to, *direction.space_from, i);
  for (std::size_t k = 0; k < direction.ports; ++k) direction.from[k].outbox.swap(samples[k]);
}

void LayeredSteps::give_inputs(std::size_t index, const coupling::LayerUnit& unit, bool is_first) {
  for (const int m : unit.members) {
    for (const std::size_t d : members_[static_cast<std::size_t>(m)].gets) {
      Direction& direction = directions_[d];
      if (direction.cluster != index) continue;
      if (!direction.is_late) {
        give(direction, direction.found, direction.first);
      } else if (!is_first) {
        give(direction, direction.before, 0);
      }
    }
  }
}

double LayeredSteps::compare(Direction& direction, bool is_first) {
  const bool has_motion = direction.to->causality == core::Causality::takes_motion;
  double worst = 0.0;
  for (std::size_t k = 0; k < direction.axes; ++k) {
    const std::vector<wave::Sample>& found = direction.found[k];
    // What a trial has found that went astray must not make later errors look small.
    Range& range = direction.trial_ranges[k] = direction.ranges[k];
    const auto knot_at = [&](std::size_t i) {
      return coupling::knot_of(direction.to[k], direction.from[k], found[i], *direction.relation);
    };
    for (std::size_t i = direction.first; i < found.size(); ++i) range.note(knot_at(i));
    const bool has_position = has_motion && k < 3;
    double error = 0.0;
    for (std::size_t i = direction.first; i < found.size(); ++i) {
      const wave::Knot knot = knot_at(i);
      const wave::TrackValue used = direction.to[k].incoming.at(knot.t, side_of(found, i));
      direction.used[k][i] = used;
      const double off = std::abs(used.value - knot.value);
      if (off > 0.0) error = std::max(error, off / range.value());
      const double moved = has_position ? std::abs(used.integral - knot.integral) : 0.0;
      if (moved > 0.0) error = std::max(error, moved / range.integral());
      if (!std::isfinite(off)) error = std::numeric_limits<double>::infinity();
    }
    if (is_first) direction.guessed[k] = error;
    direction.remaining[k] = error;
    worst = std::max(worst, error);
  }
  return worst;
}

double LayeredSteps::compare(std::size_t index, bool is_first) {
  double worst = 0.0;
  for (const std::size_t d : clusters_[index].directions) {
    if (directions_[d].is_late) worst = std::max(worst, compare(directions_[d], is_first));
  }
  return worst;
}

void LayeredSteps::hand_over(Direction& direction, bool was_repeated) {
  if (!direction.is_late) return;
  const std::vector<wave::Sample>& found = direction.found.front();
  for (std::size_t k = 0; k < direction.axes; ++k) {
    direction.ranges[k] = direction.trial_ranges[k];
    InputErrors& errors = direction.errors[k];
    errors.largest_extrapolated = std::max(errors.largest_extrapolated, direction.guessed[k]);
    errors.largest_used = std::max(errors.largest_used, direction.remaining[k]);
    ++errors.extrapolations;
  }
  if (was_repeated) {
    for (std::size_t k = 0; k < direction.ports; ++k) {
      wave::Track& track = direction.to[k].incoming;
      track.assign(track.interpolation(), direction.kept[k]);
    }
  }
  // The next extrapolation is as long as this control step, and goes by samples that far apart; nothing reaches over a
  // jump.
  std::size_t from = std::max(direction.first, found.size() - std::min<std::size_t>(found.size(), 1));
  for (std::size_t i = found.size(); i > direction.first + 1; --i) {
    if (found[i - 1].t != found[i - 2].t) continue;
    from = i - 2;
    break;
  }
  give(direction, direction.found, from);
}

void LayeredSteps::start_directions() {
  for (Direction& direction : directions_) {
    direction.first = 0;
    for (auto& samples : direction.found) samples.clear();
    for (auto& samples : direction.before) samples.clear();
    for (auto& values : direction.used) values.clear();
    const wave::Sample unknown{.t = -std::numeric_limits<double>::infinity()};
    std::fill(direction.last.begin(), direction.last.end(), unknown);
    std::fill(direction.ranges.begin(), direction.ranges.end(), Range{});
    std::fill(direction.errors.begin(), direction.errors.end(), InputErrors{});
    for (std::size_t k = 0; k < direction.axes; ++k) {
      const wave::Track& track = direction.to[k].incoming;
      direction.record[k].assign(track.interpolation(), {});
      direction.record[k].keep_integrals(direction.to->causality == core::Causality::takes_motion && k < 3);
      if (track.empty()) continue;
      direction.record[k].push(track.back());
      direction.ranges[k].note(track.back());
    }
  }
  for (Member& member : members_) {
    for (OuterPort& outer : member.outer) outer.found.clear();
  }
}

void LayeredSteps::forget() {
  for (Direction& direction : directions_) {
    for (std::size_t k = 0; k < direction.ports; ++k) {
      if (!direction.found[k].empty()) direction.last[k] = direction.found[k].back();
      direction.found[k].clear();
    }
    for (auto& values : direction.used) values.clear();
  }
}

void LayeredSteps::finish() {
  for (Member& member : members_) {
    for (OuterPort& outer : member.outer) {
      outer.port->outbox.swap(outer.found);
      outer.found.clear();
    }
  }
}

std::span<const std::vector<wave::Sample>> LayeredSteps::found(std::size_t link, bool is_from_a) const {
  return directions_[direction_of_[link][is_from_a ? 0 : 1]].found;
}

const wave::TrackValue* LayeredSteps::used(std::size_t link, bool is_from_a, std::size_t axis,
                                           std::size_t number) const {
  const wave::TrackValue& used = directions_[direction_of_[link][is_from_a ? 0 : 1]].used[axis][number];
  return std::isnan(used.value) ? nullptr : &used;
}

wave::Track& LayeredSteps::record(std::size_t link, bool is_from_a, std::size_t axis) {
  return directions_[direction_of_[link][is_from_a ? 0 : 1]].record[axis];
}

InputErrors LayeredSteps::errors(std::size_t link, bool is_from_a) const {
  InputErrors worst;
  for (const InputErrors& own : directions_[direction_of_[link][is_from_a ? 0 : 1]].errors) {
    worst.largest_extrapolated = std::max(worst.largest_extrapolated, own.largest_extrapolated);
    worst.largest_used = std::max(worst.largest_used, own.largest_used);
    worst.extrapolations = std::max(worst.extrapolations, own.extrapolations);
  }
  return worst;
}

}  // namespace tieline::engine
