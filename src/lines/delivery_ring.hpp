#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/port.hpp"
#include "lines/windows.hpp"
#include "wave/line.hpp"

namespace tieline::lines {

/// What crosses a connection at the end of a sender's window.
struct Delivery {
  std::vector<wave::Knot> knots{};
  Tick end_tick = 0;
  double end_time = 0.0;
  double emitted_energy = 0.0;  ///< by the sending end so far [J]
  wave::EndAccount account{};   ///< of the `from` end, for the audit, which the `to` end keeps
};

/// A queue of deliveries between two components: one thread pushes, one pops, neither waits nor locks.
///
/// Slots keep their vectors, so nothing is allocated once they have grown. The capacity follows from how far the
/// schedule lets the sender run ahead of the receiver.
class DeliveryRing {
 public:
  explicit DeliveryRing(std::size_t capacity = 4) : slots_(capacity + 1), slot_count_(capacity + 1) {}
  /// Not while anybody uses either.
  DeliveryRing& operator=(DeliveryRing&& other) noexcept {
    slots_ = std::move(other.slots_);
    slot_count_ = other.slot_count_;
    first_ = other.first_.load();
    last_ = other.last_.load();
    known_first_ = other.known_first_;
    return *this;
  }

  /// The slot to fill; null when the ring is full, which the schedule rules out.
  Delivery* begin_push() {
    const std::size_t last = last_.load(std::memory_order_relaxed);
    // What the receiver has taken is only asked for where it may matter: its counter is in the cache of its core.
    if (next(last) == known_first_ && next(last) == (known_first_ = first_.load(std::memory_order_acquire)))
      return nullptr;
    slots_[last].knots.clear();
    return &slots_[last];
  }
  void end_push() { last_.store(next(last_.load(std::memory_order_relaxed)), std::memory_order_release); }

  /// The oldest delivery, or null.
  Delivery* front() {
    const std::size_t first = first_.load(std::memory_order_relaxed);
    return first == last_.load(std::memory_order_acquire) ? nullptr : &slots_[first];
  }
  void pop() { first_.store(next(first_.load(std::memory_order_relaxed)), std::memory_order_release); }
  [[nodiscard]] std::size_t capacity() const { return slot_count_ - 1; }

 private:
  [[nodiscard]] std::size_t next(std::size_t i) const { return i + 1 == slot_count_ ? 0 : i + 1; }

  std::vector<Delivery> slots_;
  std::size_t slot_count_;
  alignas(64) std::atomic<std::size_t> first_{0};
  alignas(64) std::atomic<std::size_t> last_{0};
  std::size_t known_first_ = 0;  ///< by the sender
};

/// Counters of one direction of a connection.
struct Traffic {
  std::uint64_t deliveries = 0;
  std::uint64_t knots = 0;
};

}  // namespace tieline::lines
