// Members in layers: control steps, their trials and repeats. What is sent is in layered_inputs.cpp.

#include "engine/layered_steps.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// A control step is halved at most so often.
constexpr int kMostHalvings = 14;
// Where nobody has a step of its own, control steps begin as this part of a window, and shorter where none is repeated.
constexpr int kFirstHalvings = 5, kFirstHalvingsOfSingleTrials = 10;
// Repeats that are worth a shorter control step, or a longer one, where its length is free.
constexpr int kManyRepeats = 4, kFewRepeats = 1;
// Easy control steps in a row before the next one is longer.
constexpr int kEasyFree = 2, kEasyOwn = 8;
// Without repeats the error is of fourth order in the step: a step of twice the length must stay within the tolerance.
constexpr double kRoomToDouble = 1.0 / 32.0;
// Of a control step that does not settle, an error below so many tolerances is not worth halving it.
constexpr double kNearlySettled = 30.0;
// Handing a unit to another thread costs about this much; shorter ones stay on one [s].
constexpr double kUnitWorthSharing = 20e-6;
constexpr double kForgetting = 0.1;
constexpr double kSameLength = 1e-9;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<void> LayeredSteps::run(const core::Window& window, double begin, double end) {
  return run_cluster(clusters_.size() - 1, begin, end, window);
}

Result<void> LayeredSteps::run_cluster(std::size_t cluster, double begin, double end, const core::Window& window) {
  const double control = plan_.clusters[cluster].control_step;
  const double length = end - begin;
  const double count = control > 0.0 ? std::max(1.0, std::ceil(length / control * (1.0 - kSameLength))) : 1.0;
  double from = begin;
  for (double k = 1.0; k <= count; k += 1.0) {
    const double to = k < count ? begin + length * (k / count) : end;
    if (auto run = run_divided(cluster, from, to, window); !run) return run;
    from = to;
  }
  return {};
}

Result<void> LayeredSteps::run_divided(std::size_t index, double begin, double end, const core::Window& window) {
  Cluster& cluster = clusters_[index];
  const bool has_own_step = plan_.clusters[index].control_step > 0.0;
  // In binary parts of the stretch, whose ends are the same numbers however it is divided.
  for (std::int64_t part = 0; part < (std::int64_t{1} << cluster.halved);) {
    if (core::is_cancelled(window)) return Error{.code = ErrorCode::cancelled, .message = "stopped on request"};
    const auto parts = std::int64_t{1} << cluster.halved;
    const auto at = [&](std::int64_t k) {
      return k == parts ? end : begin + (end - begin) * (static_cast<double>(k) / static_cast<double>(parts));
    };
    auto done = run_control_step(index, at(part), at(part + 1), window);
    if (!done) return done.error();
    if (!*done) {
      ++cluster.halved;
      ++cluster.figures.halvings;
      cluster.easy_steps = 0;
      part *= 2;
      continue;
    }
    ++part;
    const int next = next_halving(cluster, has_own_step);
    if (next > cluster.halved) part *= 2;
    if (next < cluster.halved && part % 2 != 0) continue;
    if (next < cluster.halved) part /= 2;
    if (next != cluster.halved) cluster.easy_steps = 0;
    cluster.halved = next;
  }
  return {};
}

int LayeredSteps::next_halving(Cluster& cluster, bool has_own_step) const {
  const int now = cluster.halved;
  bool is_easy = false, is_hard = false;
  if (has_own_step) {
    is_easy = 2 * cluster.last_repeats <= settings_.corrections;
  } else if (cluster.repeats) {
    is_easy = cluster.last_repeats <= kFewRepeats;
    is_hard = cluster.last_repeats >= kManyRepeats;
  } else {
    is_easy = cluster.first_error < kRoomToDouble * settings_.tolerance;
    is_hard = cluster.first_error > settings_.tolerance;
  }
  cluster.easy_steps = is_easy ? cluster.easy_steps + 1 : 0;
  if (is_hard && cluster.can_halve && now < kMostHalvings) return now + 1;
  const int enough = has_own_step ? kEasyOwn : kEasyFree;
  return now > 0 && cluster.easy_steps >= enough ? now - 1 : now;
}

LayeredSteps::Verdict LayeredSteps::judge(const Cluster& cluster, double error, int repeats) const {
  if (!cluster.repeats || error <= settings_.tolerance) return Verdict::settled;
  if (repeats < settings_.corrections && std::isfinite(error)) return Verdict::again;
  const bool is_near = error <= kNearlySettled * settings_.tolerance;
  return !is_near && cluster.can_halve && cluster.halved < kMostHalvings ? Verdict::halve : Verdict::settled;
}

Result<bool> LayeredSteps::run_control_step(std::size_t index, double begin, double end, const core::Window& window) {
  Cluster& cluster = clusters_[index];
  if (auto settled = settle(index); !settled) return settled.error();
  begin_control_step(index, begin);
  if (cluster.repeats) {
    if (auto saved = save_members(index); !saved) return saved.error();
  }
  for (int repeats = 0;; ++repeats) {
    const bool is_first = repeats == 0;
    if (!is_first) drop_trial(index);
    if (auto run = run_trial(index, begin, end, is_first, window); !run) {
      // A trial with inputs that are far off may fail where a shorter control step does not.
      const bool can_retry = cluster.repeats && cluster.can_halve && cluster.halved < kMostHalvings;
      if (run.error().code == ErrorCode::cancelled || !can_retry) return run.error();
      if (auto back = give_up(index); !back) return back.error();
      return false;
    }
    const double error = compare(index, is_first);
    if (is_first) cluster.first_error = error;
    const Verdict verdict = judge(cluster, error, repeats);
    if (verdict == Verdict::again) continue;
    if (verdict == Verdict::halve) {
      if (auto back = give_up(index); !back) return back.error();
      return false;
    }
    if (cluster.repeats && error > settings_.tolerance) ++cluster.figures.unsettled;
    accept(index, end - begin, repeats);
    return true;
  }
}

Result<void> LayeredSteps::give_up(std::size_t index) {
  drop_trial(index);
  for (const coupling::LayerUnit& unit : plan_.clusters[index].units) {
    if (auto restored = restore_unit(index, unit); !restored) return restored;
  }
  return {};
}

/// One member after the other: a jump goes through a chain of members at once.
Result<void> LayeredSteps::settle(std::size_t index) {
  const coupling::LayerCluster& cluster = plan_.clusters[index];
  for (const std::vector<std::size_t>& stage : cluster.stages) {
    for (const std::size_t u : stage) {
      const int m = cluster.units[u].member;
      if (m < 0) continue;
      Member& member = members_[static_cast<std::size_t>(m)];
      if (auto settled = member.component->settle(); !settled) return settled;
      for (const std::size_t d : member.sends) {
        directions_[d].first = directions_[d].cluster == index ? directions_[d].found.front().size() : 0;
      }
      collect(m);
      for (const std::size_t d : member.sends) {
        Direction& direction = directions_[d];
        if (direction.cluster == index) give(direction, direction.found, direction.first);
      }
    }
  }
  return {};
}

Result<void> LayeredSteps::run_trial(std::size_t index, double begin, double end, bool is_first,
                                     const core::Window& window) {
  const coupling::LayerCluster& cluster = plan_.clusters[index];
  for (std::size_t stage = 0; stage < cluster.stages.size(); ++stage) {
    for (const std::size_t u : cluster.stages[stage]) {
      if (!is_first) {
        if (auto restored = restore_unit(index, cluster.units[u]); !restored) return restored;
      }
      give_inputs(index, cluster.units[u], is_first);
    }
    if (auto run = run_stage(index, stage, begin, end, window); !run) return run;
    for (const std::size_t u : cluster.stages[stage]) {
      if (cluster.units[u].member >= 0) collect(cluster.units[u].member);
    }
  }
  return {};
}

Result<void> LayeredSteps::run_stage(std::size_t index, std::size_t stage, double begin, double end,
                                     const core::Window& window) {
  const coupling::LayerCluster& cluster = plan_.clusters[index];
  const std::vector<std::size_t>& units = cluster.stages[stage];
  Cluster& own = clusters_[index];
  if (window.pool == nullptr || units.size() < 2) {
    for (const std::size_t u : units) {
      if (auto run = run_unit(cluster.units[u], begin, end, window); !run) return run;
    }
    return {};
  }
  const double wall = seconds_now();
  own.results.resize(units.size());
  const auto task = [&](std::size_t i) { own.results[i] = run_unit(cluster.units[units[i]], begin, end, window); };
  const bool is_shared = own.unit_seconds >= kUnitWorthSharing;
  if (is_shared) {
    window.pool->run(units.size(), task);
  } else {
    for (std::size_t i = 0; i < units.size(); ++i) task(i);
  }
  const double each = (seconds_now() - wall) / static_cast<double>(units.size());
  own.unit_seconds += kForgetting * (each - own.unit_seconds);
  for (Result<void>& result : own.results) {
    if (!result) return std::move(result);
  }
  return {};
}

Result<void> LayeredSteps::run_unit(const coupling::LayerUnit& unit, double begin, double end,
                                    const core::Window& window) {
  if (unit.member < 0) return run_cluster(static_cast<std::size_t>(unit.cluster), begin, end, window);
  const Member& member = members_[static_cast<std::size_t>(unit.member)];
  core::Component& component = *member.component;
  const double own = member.spec.step;
  const double count = own > 0.0 ? std::max(1.0, std::ceil((end - begin) / own * (1.0 - kSameLength))) : 1.0;
  for (double k = 1.0; k <= count; k += 1.0) {
    const double limit = k < count ? begin + (end - begin) * (k / count) : end;
    while (component.time() < limit) {
      if (core::is_cancelled(window)) return Error{.code = ErrorCode::cancelled, .message = "stopped on request"};
      const double before = component.time();
      auto stepped = component.step(limit);
      if (!stepped) return stepped.error();
      if (component.time() > before) continue;
      return Error{.code = ErrorCode::step_failed,
                   .message = "it does not move on from the present time",
                   .component = component.name(),
                   .time = before};
    }
  }
  return {};
}

Result<void> LayeredSteps::save_members(std::size_t index) {
  for (const int m : plan_.clusters[index].members) {
    Member& member = members_[static_cast<std::size_t>(m)];
    core::ArchiveWriter& snapshot = member.snapshots[index];
    snapshot.clear();
    if (auto saved = member.component->save(snapshot); !saved) {
      saved.error().component = member.component->name();
      saved.error().time = member.component->time();
      return saved;
    }
  }
  return {};
}

Result<void> LayeredSteps::restore_unit(std::size_t index, const coupling::LayerUnit& unit) {
  for (const int m : unit.members) {
    Member& member = members_[static_cast<std::size_t>(m)];
    const auto refuse = [&](const std::string& why) {
      return Error{.code = ErrorCode::unsupported,
                   .message = "it cannot be reset to the start of a control step: " + why,
                   .component = member.component->name(),
                   .time = member.component->time()};
    };
    try {
      core::ArchiveReader archive(member.snapshots[index].bytes(), core::SnapshotUse::trial);
      if (auto restored = member.component->restore(archive); !restored) return refuse(restored.error().message);
    } catch (const std::exception& problem) {
      return refuse(problem.what());
    }
    for (std::size_t i = 0; i < member.spec.sinks.size(); ++i) {
      member.spec.sinks[i]->keep_first(member.marks[index][i]);
    }
  }
  return {};
}

void LayeredSteps::accept(std::size_t index, double length, int repeats) {
  Cluster& cluster = clusters_[index];
  for (const std::size_t d : cluster.directions) hand_over(directions_[d], repeats > 0);
  cluster.last_repeats = repeats;
  LayerFigures& figures = cluster.figures;
  figures.shortest = figures.steps == 0 ? length : std::min(figures.shortest, length);
  figures.longest = std::max(figures.longest, length);
  ++figures.steps;
  figures.repeats += static_cast<std::uint64_t>(repeats);
  figures.most_repeats = std::max(figures.most_repeats, static_cast<std::uint64_t>(repeats));
}

void LayeredSteps::start() {
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    Cluster& cluster = clusters_[c];
    const bool has_own_step = plan_.clusters[c].control_step > 0.0;
    cluster.halved = has_own_step || !plan_.clusters[c].has_waiting_units || !cluster.can_halve ? 0
                     : cluster.repeats                                                          ? kFirstHalvings
                                       : kFirstHalvingsOfSingleTrials;
    cluster.easy_steps = cluster.last_repeats = 0;
    cluster.first_error = cluster.unit_seconds = 0.0;
    cluster.figures = {};
  }
  start_directions();
}

void LayeredSteps::release_rows() {
  for (const Member& member : members_) {
    for (HeldSink* const sink : member.spec.sinks) sink->release();
  }
}

std::size_t LayeredSteps::width() const {
  std::size_t widest = 1;
  for (const coupling::LayerCluster& cluster : plan_.clusters) {
    for (const std::vector<std::size_t>& stage : cluster.stages) widest = std::max(widest, stage.size());
  }
  return widest;
}

}  // namespace tieline::engine
