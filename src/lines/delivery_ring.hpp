#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/port.hpp"
#include "lines/windows.hpp"
#include "wave/line.hpp"

namespace tieline::lines {

/// What crosses a connection at the end of a sender's window.
struct Delivery {
  void clear() { knots.clear(); }

  std::vector<wave::Knot> knots{};
  Tick end_tick = 0;
  double end_time = 0.0;
  double emitted_energy = 0.0;  ///< by the sending end so far [J]
};

/// Where a queue of deliveries begins and ends: one thread pushes, one pops, neither waits nor locks.
class RingPlaces {
 public:
  [[nodiscard]] std::size_t capacity() const { return slot_count_ - 1; }
  /// What was filled since the push began is now for the other thread.
  void end_push() { last_.store(next(last_.load(std::memory_order_relaxed)), std::memory_order_release); }
  void pop() { first_.store(next(first_.load(std::memory_order_relaxed)), std::memory_order_release); }

 protected:
  explicit RingPlaces(std::size_t capacity) : slot_count_(capacity + 1) {}
  ~RingPlaces() = default;
  RingPlaces(const RingPlaces&) = delete;
  RingPlaces& operator=(RingPlaces&& other) noexcept {
    slot_count_ = other.slot_count_;
    first_ = other.first_.load();
    last_ = other.last_.load();
    known_first_ = other.known_first_;
    return *this;
  }

  [[nodiscard]] std::size_t last() const { return last_.load(std::memory_order_relaxed); }
  /// By the sender. What the receiver has taken is only asked for where it may matter: its counter is in the cache of
  /// its core.
  [[nodiscard]] bool is_full() {
    return next(last()) == known_first_ && next(last()) == (known_first_ = first_.load(std::memory_order_acquire));
  }
  [[nodiscard]] std::size_t first() const { return first_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool is_empty() const { return first() == last_.load(std::memory_order_acquire); }

 private:
  [[nodiscard]] std::size_t next(std::size_t i) const { return i + 1 == slot_count_ ? 0 : i + 1; }

  std::size_t slot_count_;
  alignas(64) std::atomic<std::size_t> first_{0};
  alignas(64) std::atomic<std::size_t> last_{0};
  std::size_t known_first_ = 0;  ///< by the sender
};

/// A queue of deliveries between two components.
///
/// Slots keep their vectors, so nothing is allocated once they have grown. The capacity follows from how far the
/// schedule lets the sender run ahead of the receiver.
template <class D>
class RingOf final : public RingPlaces {
 public:
  explicit RingOf(std::size_t capacity = 4) : RingPlaces(capacity), slots_(capacity + 1) {}
  /// Not while anybody uses either.
  RingOf& operator=(RingOf&& other) noexcept {
    RingPlaces::operator=(std::move(other));
    slots_ = std::move(other.slots_);
    return *this;
  }

  /// The slot to fill; null when the ring is full, which the schedule rules out.
  D* begin_push() {
    if (is_full()) return nullptr;
    slots_[last()].clear();
    return &slots_[last()];
  }
  /// The slot that a push has begun with.
  D& pushed() { return slots_[last()]; }
  /// The oldest delivery, or null.
  D* front() { return is_empty() ? nullptr : &slots_[first()]; }

  [[nodiscard]] std::size_t slot_count() const { return slots_.size(); }
  /// Where in the queue's memory one of its deliveries is: what goes with it may be kept elsewhere by this place.
  [[nodiscard]] std::size_t slot_of(const D& delivery) const {
    return static_cast<std::size_t>(&delivery - slots_.data());
  }

 private:
  std::vector<D> slots_;
};
using DeliveryRing = RingOf<Delivery>;

/// Counters of one direction of a connection.
struct Traffic {
  std::uint64_t deliveries = 0;
  std::uint64_t knots = 0;
};

}  // namespace tieline::lines
