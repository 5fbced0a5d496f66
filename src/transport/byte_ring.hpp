#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/result.hpp"

namespace tieline::transport {

/// What the two users of a ring share beside its bytes; lies in shared memory, in the machine's own byte order.
/// Positions count bytes since the beginning, those that a rewind leaves out too, and never wrap in practice. What each
/// side writes often has a pair of cache lines of its own, since processors fetch lines in pairs.
struct RingControl {
  alignas(128) std::uint64_t head;           ///< bytes written; the writer's
  std::uint64_t start;                       ///< where its bytes begin after its last rewind; the writer's
  alignas(128) std::uint64_t tail;           ///< bytes read; the reader's
  alignas(128) std::uint32_t reader_sleeps;  ///< set by the reader before it sleeps, cleared by whoever wakes it
  std::uint32_t writer_sleeps;               ///< the same, for a writer that waits for room
};
static_assert(sizeof(RingControl) == 384);
// Another process has another copy of any lock that the library would take.
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free &&
              std::atomic_ref<std::uint32_t>::is_always_lock_free);

/// The error of a partner that has written positions which cannot be.
[[nodiscard]] core::Error ring_corrupted();

/// The writing end of a ring of bytes. The partner's position is checked at every use, and our own is kept here: no
/// value in shared memory can make us touch bytes outside of the ring.
///
/// A writer that finds everything read goes back to the front of the ring, and says so by `start`: exchanges of small
/// messages then stay in the same few cache lines, which halves their time.
///
/// Sleep and wake: a side that goes to sleep sets its flag and then looks at the other's position once more; the other
/// moves its position and then looks at the flag. Both do so in the one order that all threads agree on
/// (sequentially consistent), so at least one of them sees what the other did.
class RingWriter {
 public:
  RingWriter() = default;
  /// The capacity is a power of two.
  RingWriter(RingControl& control, std::byte* data, std::size_t capacity);

  /// Copies as many bytes as there is room for, and returns how many.
  [[nodiscard]] core::Result<std::size_t> write(std::span<const std::byte> bytes);
  /// Whether there is room, or nonsense that the next write will report.
  [[nodiscard]] bool has_room() const;
  /// After writing: whether the reader sleeps and must be woken by us. Says yes once only.
  [[nodiscard]] bool must_wake() { return wake(control_->reader_sleeps); }
  /// Announces sleep until there is room; false if there is some already.
  [[nodiscard]] bool arm();
  void disarm();
  /// To be called when a write may come soon: fetches what it will look at.
  void prepare() const { __builtin_prefetch(&control_->tail); }

 private:
  friend class RingReader;
  /// The reader's position, as it stands after a rewind that it has not followed yet.
  [[nodiscard]] std::uint64_t position_of_reader(std::memory_order order) const;
  /// Takes note of the reader's position; false if it cannot be.
  [[nodiscard]] bool follow_reader();
  /// Goes back to the front.
  void rewind();
  /// Whether a flag was set; it is cleared.
  static bool wake(std::uint32_t& flag);

  RingControl* control_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::uint64_t head_ = 0;   ///< our own position; what is in shared memory is only ever a copy
  std::uint64_t tail_ = 0;   ///< the reader's position when last looked at
  std::uint64_t start_ = 0;  ///< where the last rewind led to
  std::uint64_t left_ = 0;   ///< and from where
};

/// The reading end of a ring of bytes.
class RingReader {
 public:
  RingReader() = default;
  RingReader(RingControl& control, const std::byte* data, std::size_t capacity);

  /// Copies what has come, as far as it fits, and returns how many bytes.
  [[nodiscard]] core::Result<std::size_t> read(std::span<std::byte> bytes);
  /// Whether there is something to read, or nonsense that the next read will report.
  [[nodiscard]] bool has_input() const {
    return std::atomic_ref(control_->head).load(std::memory_order_acquire) != tail_;
  }
  /// After reading: whether the writer sleeps and must be woken by us. Says yes once only.
  [[nodiscard]] bool must_wake() { return RingWriter::wake(control_->writer_sleeps); }
  /// Announces sleep until there is input; false if there is some already.
  [[nodiscard]] bool arm();
  void disarm();

 private:
  RingControl* control_ = nullptr;
  const std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::uint64_t tail_ = 0;  ///< our own position
};

}  // namespace tieline::transport
