#include "engine/governor.hpp"

#include <algorithm>
#include <limits>

namespace tieline::engine {
namespace {

// Long enough for a trial to be worth what it says, short enough for a wrong guess to cost nothing.
constexpr double kFirstTrial = 2e-3;
constexpr double kTrial = 5e-3;
// The number that was best is held longer each time that a trial confirms it.
constexpr double kShortestHold = 0.1;
constexpr double kLongestHold = 2.0;
// A hold is at least so many times as long as the trial before it.
constexpr double kHoldOfTrial = 20.0;
// More threads must be faster by so much, fewer may be slower by so much.
constexpr double kGain = 1.05;
constexpr double kLoss = 0.97;

}  // namespace

CrewPlan Governor::plan(int most, bool is_certain) {
  most_ = most;
  best_ = std::min(best_, most);
  tried_ = std::min(tried_, most);
  if (most <= 1) return {1, std::numeric_limits<double>::infinity()};
  if (is_certain) {
    // Costs of components become known, and ranges are made anew.
    certain_ = certain_ == 0.0 ? kTrial : std::min(2.0 * certain_, kLongestHold);
    return {most, certain_};
  }
  if (phase_ == 0.0) phase_ = kFirstTrial;
  return {tried_, phase_ - seconds_};
}

void Governor::note(int threads, double seconds, double work) {
  if (threads != tried_ || phase_ == 0.0) return;
  seconds_ += seconds;
  work_ += work;
  if (seconds_ < phase_) return;
  judge(work_ / seconds_);
  seconds_ = work_ = 0.0;
}

int Governor::neighbour(bool is_more) const { return is_more ? std::min(2 * best_, most_) : (best_ + 1) / 2; }

void Governor::hold() {
  // Where other processes keep the cores busy, a trial takes longer than it was meant to.
  const double trial = tried_ != best_ ? seconds_ : 0.0;
  tried_ = best_;
  phase_ = hold_ = std::max(std::clamp(2.0 * hold_, kShortestHold, kLongestHold), kHoldOfTrial * trial);
}

void Governor::judge(double rate) {
  if (tried_ == best_) {
    // The end of a hold, or the very first phase: the next trial may go either way.
    best_rate_ = rate;
    if (hold_ > 0.0) is_up_ = !is_up_;
    if (neighbour(is_up_) == best_) is_up_ = !is_up_;
  } else if (rate > (is_up_ ? kGain : kLoss) * best_rate_) {
    best_ = tried_;
    best_rate_ = rate;
    hold_ = 0.0;
  } else {
    return hold();
  }
  const int next = neighbour(is_up_);
  if (next == best_) return hold();
  tried_ = next;
  phase_ = kTrial;
}

}  // namespace tieline::engine
