#include "transport/waiter.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <sched.h>

#include "transport/descriptor.hpp"

namespace tieline::transport {
namespace {

using std::chrono::nanoseconds;

/// Looks at memory between two looks at the clock, which takes as long as a few of them.
constexpr int kLooksPerClock = 32;
/// For so long a spin keeps its core to itself.
constexpr std::chrono::microseconds kSelfishSpin{3};
/// So many waits may end by looking at memory alone before descriptors have their turn.
constexpr unsigned kMostQuickWaits = 64;

/// Hints to the processor that this is a wait loop: it saves power, and leaves the core to its sibling.
void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

std::size_t Waiter::place_for(Entry entry, pollfd poll) {
  const auto free = std::find_if(entries_.begin(), entries_.end(), [](const Entry& e) { return !e.is_used; });
  const auto place = static_cast<std::size_t>(free - entries_.begin());
  if (free == entries_.end()) {
    entries_.emplace_back();
    polls_.emplace_back();
  }
  entries_[place] = entry;
  entries_[place].is_used = true;
  polls_[place] = poll;
  return place;
}

std::size_t Waiter::add(Stream& stream) { return place_for({.stream = &stream}, {-1, 0, 0}); }

std::size_t Waiter::add(Waitable waitable) { return place_for({}, {waitable.descriptor_, waitable.events_, 0}); }

void Waiter::remove(std::size_t place) {
  entries_[place] = {};
  polls_[place] = {-1, 0, 0};
}

bool Waiter::look() {
  bool any = false;
  for (Entry& entry : entries_) {
    if (entry.stream == nullptr) continue;
    entry.is_ready =
        (entry.interest.input && entry.stream->has_input()) || (entry.interest.room && entry.stream->has_room());
    any = any || entry.is_ready;
  }
  return any;
}

bool Waiter::spin(const Until& until) {
  if (options_.spin <= nanoseconds::zero()) return false;
  const bool is_worth_it = std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.stream != nullptr && entry.stream->can_spin();
  });
  if (!is_worth_it) return false;
  const auto begin = Clock::now();
  const auto end = until.deadline - begin > options_.spin ? begin + options_.spin : until.deadline;
  for (;;) {
    for (int i = 0; i < kLooksPerClock; ++i) {
      if (look()) return true;
      pause();
    }
    const auto now = Clock::now();
    if (now >= end || until.is_cancelled()) return false;
    // Who is waited for may be waiting for this very core.
    if (now - begin > kSelfishSpin) ::sched_yield();
  }
}

bool Waiter::arm_all() {
  for (Entry& entry : entries_) {
    if (entry.stream == nullptr || entry.stream->arm(entry.interest)) continue;
    entry.is_ready = true;
    disarm_all();
    return false;
  }
  return true;
}

void Waiter::disarm_all() {
  for (Entry& entry : entries_) {
    if (entry.stream != nullptr) entry.stream->disarm();
  }
}

core::Result<bool> Waiter::ask(nanoseconds time, bool is_armed) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.stream != nullptr) {
      const Waitable waitable = entry.stream->waitable(entry.interest);
      polls_[i] = {waitable.descriptor_, waitable.events_, 0};
    }
  }
  const timespec limit{static_cast<time_t>(time.count() / 1'000'000'000),
                       static_cast<long>(time.count() % 1'000'000'000)};
  const int count = ::ppoll(polls_.data(), polls_.size(), &limit, nullptr);
  const int reason = errno;
  if (is_armed) disarm_all();
  if (count < 0 && reason != EINTR) {
    errno = reason;
    return system_error("waiting for partners");
  }
  bool any = false;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    const bool is_ready = count > 0 && polls_[i].revents != 0;
    const bool has_more = entry.stream != nullptr ? entry.stream->woken(is_ready, entry.interest) : is_ready;
    entry.is_ready = entry.is_ready || has_more;
    any = any || entry.is_ready;
  }
  return any;
}

core::Result<Waiter::Outcome> Waiter::wait(const Until& until) {
  for (Entry& entry : entries_) entry.is_ready = false;
  if (++quick_waits_ > kMostQuickWaits) {
    quick_waits_ = 0;
    auto any = ask(nanoseconds::zero(), false);
    if (!any) return std::move(any.error());
    if (*any) return Outcome::ready;
  }
  if (look() || spin(until)) return Outcome::ready;
  quick_waits_ = 0;
  for (;;) {
    if (until.is_cancelled()) return Outcome::cancelled;
    const auto now = Clock::now();
    // One look at least: who calls with a deadline that has passed asks who is ready.
    const bool is_last = until.deadline <= now;
    nanoseconds left = is_last ? nanoseconds::zero() : until.deadline - now;
    if (until.can_be_cancelled()) left = std::min<nanoseconds>(left, kCancelInterval);
    // Where somebody has something to do, whoever else has is found too, without sleeping.
    const bool sleeps = arm_all();
    auto any = ask(sleeps ? left : nanoseconds::zero(), sleeps);
    if (!any) return std::move(any.error());
    if (*any) return Outcome::ready;
    if (is_last) return Outcome::deadline;
  }
}

}  // namespace tieline::transport
