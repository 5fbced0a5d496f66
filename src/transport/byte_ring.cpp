#include "transport/byte_ring.hpp"

#include <algorithm>
#include <cstring>

namespace tieline::transport {
namespace {

/// So far from the front of the ring a writer looks whether it may go back there [bytes].
constexpr std::size_t kNear = 1024;

template <class T>
T look(T& shared) {
  return std::atomic_ref(shared).load(std::memory_order_seq_cst);
}

template <class T>
void publish(T& shared, T value) {
  std::atomic_ref(shared).store(value, std::memory_order_seq_cst);
}

}  // namespace

core::Error ring_corrupted() {
  return {.code = core::ErrorCode::protocol, .message = "the partner has written invalid data into the shared memory"};
}

bool RingWriter::wake(std::uint32_t& flag) {
  // Usually nobody sleeps, and a look leaves the cache line shared.
  return look(flag) != 0 && std::atomic_ref(flag).exchange(0, std::memory_order_seq_cst) != 0;
}

RingWriter::RingWriter(RingControl& control, std::byte* data, std::size_t capacity)
    : control_(&control), data_(data), capacity_(capacity) {}

std::uint64_t RingWriter::position_of_reader(std::memory_order order) const {
  const std::uint64_t tail = std::atomic_ref(control_->tail).load(order);
  return tail == left_ ? start_ : tail;
}

bool RingWriter::follow_reader() {
  // The reader's stores are what makes its bytes ours again: acquire.
  const std::uint64_t tail = position_of_reader(std::memory_order_acquire);
  // It lies between where it was and what we have written.
  if (tail - tail_ > head_ - tail_) return false;
  tail_ = tail;
  return true;
}

void RingWriter::rewind() {
  left_ = head_;
  start_ = (head_ | (capacity_ - 1)) + 1;
  head_ = tail_ = start_;
  // The reader sees it together with the head that follows.
  std::atomic_ref(control_->start).store(start_, std::memory_order_relaxed);
}

core::Result<std::size_t> RingWriter::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return std::size_t{0};
  const bool is_far = (head_ & (capacity_ - 1)) >= kNear;
  if (is_far || capacity_ - (head_ - tail_) < bytes.size()) {
    if (!follow_reader()) return ring_corrupted();
    if (is_far && tail_ == head_) rewind();
  }
  const std::size_t count = std::min<std::size_t>(bytes.size(), capacity_ - (head_ - tail_));
  if (count == 0) return count;
  const std::size_t place = head_ & (capacity_ - 1);
  const std::size_t until_wrap = std::min(count, capacity_ - place);
  std::memcpy(data_ + place, bytes.data(), until_wrap);
  if (count > until_wrap) std::memcpy(data_, bytes.data() + until_wrap, count - until_wrap);
  head_ += count;
  publish(control_->head, head_);
  return count;
}

bool RingWriter::has_room() const { return head_ - position_of_reader(std::memory_order_acquire) != capacity_; }

bool RingWriter::arm() {
  publish(control_->writer_sleeps, std::uint32_t{1});
  if (head_ - position_of_reader(std::memory_order_seq_cst) == capacity_) return true;
  disarm();
  return false;
}

void RingWriter::disarm() { publish(control_->writer_sleeps, std::uint32_t{0}); }

RingReader::RingReader(RingControl& control, const std::byte* data, std::size_t capacity)
    : control_(&control), data_(data), capacity_(capacity) {}

core::Result<std::size_t> RingReader::read(std::span<std::byte> bytes) {
  const std::uint64_t head = std::atomic_ref(control_->head).load(std::memory_order_acquire);
  const std::uint64_t start = std::atomic_ref(control_->start).load(std::memory_order_relaxed);
  // No further than a full ring behind a rewind, which leaves out less than a ring.
  if (head - tail_ > 2 * capacity_) return ring_corrupted();
  // A rewind lies between what we have read and what is there; an older one lies behind us.
  if (start - tail_ <= head - tail_) tail_ = start;
  const std::uint64_t available = head - tail_;
  if (available > capacity_) return ring_corrupted();
  const std::size_t count = std::min<std::size_t>(bytes.size(), available);
  if (count == 0) return count;
  const std::size_t place = tail_ & (capacity_ - 1);
  const std::size_t until_wrap = std::min(count, capacity_ - place);
  std::memcpy(bytes.data(), data_ + place, until_wrap);
  if (count > until_wrap) std::memcpy(bytes.data() + until_wrap, data_, count - until_wrap);
  tail_ += count;
  publish(control_->tail, tail_);
  return count;
}

bool RingReader::arm() {
  publish(control_->reader_sleeps, std::uint32_t{1});
  if (look(control_->head) == tail_) return true;
  disarm();
  return false;
}

void RingReader::disarm() { publish(control_->reader_sleeps, std::uint32_t{0}); }

}  // namespace tieline::transport
