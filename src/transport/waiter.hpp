#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <poll.h>
#include <vector>

#include "core/result.hpp"
#include "transport/stream.hpp"
#include "transport/waitable.hpp"

namespace tieline::transport {

/// Deadlines are points on this clock, which no one sets.
using Clock = std::chrono::steady_clock;

/// How long a cancelled wait may continue [ms].
inline constexpr std::chrono::milliseconds kCancelInterval{50};

/// When a wait ends without anybody being ready.
struct Until {
  Clock::time_point deadline = Clock::time_point::max();
  /// Looked at every kCancelInterval at the latest; either ends the wait.
  const std::atomic<bool>* cancel = nullptr;
  const std::atomic<bool>* also_cancel = nullptr;

  [[nodiscard]] static Until in(Clock::duration time, const std::atomic<bool>* cancel = nullptr) {
    return {Clock::now() + time, cancel};
  }
  /// With a deadline that may come before.
  [[nodiscard]] Until or_at(Clock::time_point time) const { return {std::min(deadline, time), cancel, also_cancel}; }
  [[nodiscard]] bool can_be_cancelled() const { return cancel != nullptr || also_cancel != nullptr; }
  [[nodiscard]] bool is_cancelled() const {
    const auto is_set = [](const std::atomic<bool>* flag) {
      return flag != nullptr && flag->load(std::memory_order_relaxed);
    };
    return is_set(cancel) || is_set(also_cancel);
  }
};

struct WaiterOptions {
  /// How long to look at shared memory again and again before sleeping; 0 where cores are scarce. About what going to
  /// sleep and being woken costs, so that a wait never takes more than twice the best choice.
  std::chrono::nanoseconds spin = std::chrono::microseconds(20);
};

/// Waits for any of several streams and whatever else can be waited for.
///
/// Call order: `add` whatever is to be waited for; then `wait`, ask `is_ready` for each, read or write until nothing
/// is left, and wait again. Places that were removed are given out again. One thread; streams are borrowed, and must
/// be removed before they go. No memory is allocated by `wait`.
class Waiter {
 public:
  enum class Outcome { ready, deadline, cancelled };

  explicit Waiter(WaiterOptions options = {}) : options_(options) {}

  /// Returns its place.
  [[nodiscard]] std::size_t add(Stream& stream);
  /// A door, a bell, a program's end.
  [[nodiscard]] std::size_t add(Waitable waitable);
  void remove(std::size_t place);
  /// What makes a stream ready; input alone where nothing is said.
  void want(std::size_t place, Interest interest) { entries_[place].interest = interest; }

  [[nodiscard]] core::Result<Outcome> wait(const Until& until);
  void set_spin(std::chrono::nanoseconds spin) { options_.spin = spin; }
  /// Whether the last wait found something to do there. A stream may turn out to have nothing all the same.
  [[nodiscard]] bool is_ready(std::size_t place) const { return entries_[place].is_ready; }

 private:
  struct Entry {
    Stream* stream = nullptr;
    Interest interest{};
    bool is_ready = false;
    bool is_used = false;
  };

  [[nodiscard]] std::size_t place_for(Entry entry, pollfd poll);
  /// Marks streams that have something to do in memory; returns whether any has.
  bool look();
  /// Looks again and again for the time of the options, or until something is there.
  bool spin(const Until& until);
  /// Announces sleep to all; false (and nobody notified) where one has something to do.
  bool arm_all();
  void disarm_all();
  /// Asks the system, which may put us to sleep for so long; returns whether anybody is ready.
  [[nodiscard]] core::Result<bool> ask(std::chrono::nanoseconds time, bool is_armed);

  WaiterOptions options_;
  std::vector<Entry> entries_;
  std::vector<pollfd> polls_;  ///< by place; -1 where there is nothing to poll
  unsigned quick_waits_ = 0;   ///< waits since the system was last asked
};

}  // namespace tieline::transport
