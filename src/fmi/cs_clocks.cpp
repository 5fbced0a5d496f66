// CsSystem: FMUs with clocks (FMI 3.0), from one event or communication point to the next.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "fmi/cs_system.hpp"

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Events and points that are nearer to one another than this many roundings are at one time.
constexpr double kSameTime = 8.0 * std::numeric_limits<double>::epsilon();
// Rounds of events at one time, of clocks that make one another tick.
constexpr int kMostClockRounds = 1000;
// How often FMUs that went past an event of another one go back for it, in one step.
constexpr int kMostReturns = 100;

bool may_stop_early(const CsMember& member) {
  return member.has_event_mode() && member.facts().might_return_early_from_do_step &&
         member.facts().can_handle_variable_step_size;
}

}  // namespace

void CsSystem::find_clocks() {
  const auto is_clock = [](const Number& number) { return number.is_clock; };
  has_clocks_ = std::any_of(input_numbers_.begin(), input_numbers_.end(), is_clock) ||
                std::any_of(output_numbers_.begin(), output_numbers_.end(), is_clock);
  for (const auto& member : members_) {
    has_clocks_ = has_clocks_ || (member->has_event_mode() && member->has_timed_clocks());
  }
  if (!has_clocks_) return;
  for (const auto& member : members_) member->join_events();
  wants_event_.assign(members_.size(), false);
  // Those that may stop early come first, and those whose steps cannot be cut last.
  clock_order_.clear();
  for (std::uint32_t m = 0; m < members_.size(); ++m) clock_order_.push_back(m);
  std::stable_sort(clock_order_.begin(), clock_order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const auto rank = [&](std::uint32_t m) {
      return may_stop_early(*members_[m]) ? 0 : members_[m]->facts().can_handle_variable_step_size ? 1 : 2;
    };
    return rank(a) < rank(b);
  });
}

Result<void> CsSystem::plan_clocks() {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (!parts_[m].extrapolates) continue;
    return members_[m]->named(
        {.code = ErrorCode::bad_input,
         .message = "inputs=\"linear\" is not possible for FMUs with clocks; expected inputs=\"hold\""});
  }
  return {};
}

// ---- steps

Result<void> CsSystem::advance_one(std::uint32_t m, double end) {
  CsMember& member = *members_[m];
  const double step = grid_.steps[m], rest = end - member.time();
  const bool is_whole = end == grid_.time(point_ + 1) && std::abs(rest - step) <= 1e-9 * step;
  ++statistics_.steps;
  ++member_steps_[m];
  auto stepped = member.step(end, is_whole ? step : rest);
  if (!stepped) return std::move(stepped.error());
  wants_event_[m] = *stepped && member.has_event_mode();
  return {};
}

Result<double> CsSystem::advance_together(double end) {
  const double point = grid_.time(point_ + 1);
  double reached = end;
  bool may_go_back = std::any_of(members_.begin(), members_.end(), [](const auto& m) { return may_stop_early(*m); }) &&
                     members_.size() > 1;
  for (int returns = 0; returns < kMostReturns; ++returns) {
    for (const std::uint32_t m : clock_order_) {
      CsMember& member = *members_[m];
      const bool can_be_cut = member.facts().can_handle_variable_step_size;
      if (!(member.time() < reached) || (!can_be_cut && reached != point)) continue;
      if (may_go_back && member.facts().can_get_and_set_state) {
        if (auto kept = member.keep(); !kept) return kept.error();
      }
      if (auto advanced = advance_one(m, reached); !advanced) return advanced.error();
      reached = std::min(reached, member.time());
    }
    bool has_gone_back = false;
    for (const std::uint32_t m : clock_order_) {
      CsMember& member = *members_[m];
      if (!(member.time() > reached)) continue;
      if (member.facts().can_get_and_set_state && may_go_back) {
        if (auto back = member.go_back(); !back) return back.error();
        wants_event_[m] = false;
        has_gone_back = true;
      } else if (!has_warned_of_late_ticks_ && member.part().facts.on_message) {
        has_warned_of_late_ticks_ = true;
        member.part().facts.on_message(
            fmt::format("warning: another FMU has an event at {:.9g} s, within a step that this one has taken: it gets "
                        "it at {:.9g} s, since it cannot go back (canGetAndSetFMUState); use shorter steps",
                        reached, member.time()));
      }
    }
    if (!has_gone_back) return reached;
  }
  return Error{.code = ErrorCode::step_failed,
               .message = fmt::format("its FMUs stop one another by events at {:.9g} s without end", reached),
               .component = name(),
               .time = reached};
}

Result<void> CsSystem::next_clocked_point() {
  if (has_events_) {
    has_events_ = false;
    std::fill(has_event_.begin(), has_event_.end(), false);
  }
  from_ = reached_;
  const double point = grid_.time(point_ + 1);
  double end = point;
  for (const auto& member : members_) {
    if (member->next_event() > reached_ + kSameTime * std::abs(reached_)) end = std::min(end, member->next_event());
  }
  if (end > point - kSameTime * std::abs(point)) end = point;
  has_row_before_ = has_row_end_ = false;
  if (!rows_.is_idle() && row_interval_ > 0.0 && is_row_due(end - 4.0 * kSameTime * std::abs(end))) {
    if (auto read = keep_row_before(); !read) return read;
  }
  is_row_current_ = false;
  auto reached = advance_together(end);
  if (!reached) return reached.error();
  reached_ = *reached;
  if (reached_ == point) ++point_;
  is_fresh_ = false;
  // The left side of events is what is there before them.
  if (auto passed = pass_on(reached_); !passed) return passed;
  for (std::uint32_t m = 0; m < members_.size(); ++m) {
    CsMember& member = *members_[m];
    if (!member.has_event_mode() || member.is_in_event()) continue;
    const bool is_due = member.next_event() <= member.time() + kSameTime * std::abs(member.time());
    if (!wants_event_[m] && !is_due) continue;
    wants_event_[m] = false;
    if (!has_events_) left_ = outputs_;
    has_events_ = true;
    std::fill(has_event_.begin(), has_event_.end(), true);
    if (auto entered = member.enter_event(); !entered) return entered;
  }
  return settle_events(reached_);
}

// ---- events

Result<void> CsSystem::pass_on(double t) {
  const std::size_t most = inputs_.size() + outputs_.size() + 2;
  for (std::size_t round = 0; round < most; ++round) {
    passed_inputs_ = inputs_, passed_outputs_ = outputs_;
    if (auto done = run(passing_, t); !done) return done;
    if (passed_inputs_ == inputs_ && passed_outputs_ == outputs_) break;
  }
  return {};
}

Result<void> CsSystem::settle_events(double t) {
  const auto is_in_event = [](const auto& member) { return member->has_event_mode() && member->is_in_event(); };
  bool needs_round = std::any_of(members_.begin(), members_.end(), is_in_event);
  if (!needs_round) return {};
  for (int round = 0; needs_round; ++round) {
    if (round == kMostClockRounds) {
      return Error{.code = ErrorCode::step_failed,
                   .message = fmt::format("clocks and events trigger one another without end ({} times)", round),
                   .component = name(),
                   .time = t};
    }
    if (auto passed = pass_on(t); !passed) return passed;
    const std::vector<double> inputs = inputs_;
    needs_round = false;
    for (const auto& member : members_) {
      if (!is_in_event(member)) continue;
      auto updated = member->update();
      if (!updated) return std::move(updated.error());
      needs_round = needs_round || *updated;
    }
    if (std::any_of(members_.begin(), members_.end(), [](const auto& member) { return member->wants_end(); })) break;
    if (auto passed = pass_on(t); !passed) return passed;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      needs_round = needs_round || (input_numbers_[i].is_held && inputs[i] != inputs_[i]);
    }
    for (const auto& member : members_) {
      if (needs_round || !is_in_event(member)) continue;
      auto again = member->schedule_clocks();
      if (!again) return std::move(again.error());
      needs_round = *again;
    }
  }
  for (const auto& member : members_) {
    if (!is_in_event(member) || member->wants_end()) continue;
    if (auto resumed = member->resume(); !resumed) return resumed;
  }
  return {};
}

}  // namespace tieline::fmi
