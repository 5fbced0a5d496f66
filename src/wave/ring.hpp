#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tieline::wave {

/// A queue in one piece of memory: appended to at the back, dropped from at the front, read anywhere. It grows by
/// doubling, and allocates nothing once it has grown.
template <class T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return slots_[(head_ + i) & mask_]; }
  [[nodiscard]] T& operator[](std::size_t i) { return slots_[(head_ + i) & mask_]; }
  [[nodiscard]] const T& front() const { return (*this)[0]; }
  [[nodiscard]] const T& back() const { return (*this)[count_ - 1]; }
  [[nodiscard]] T& back() { return (*this)[count_ - 1]; }

  /// The next slot, to be filled by the caller; it holds what was there last time round.
  [[nodiscard]] T& append() {
    if (count_ == slots_.size()) grow();
    return slots_[(head_ + count_++) & mask_];
  }
  void pop_front(std::size_t count = 1) {
    head_ = (head_ + count) & mask_;
    count_ -= count;
  }
  void clear() { head_ = count_ = 0; }
  void assign(std::span<const T> values) {
    clear();
    for (const T& value : values) append() = value;
  }

 private:
  [[gnu::noinline]] void grow() {
    std::vector<T> larger(std::max<std::size_t>(4, 2 * slots_.size()));
    for (std::size_t i = 0; i < count_; ++i) larger[i] = (*this)[i];
    slots_ = std::move(larger);
    head_ = 0;
    mask_ = slots_.size() - 1;
  }

  std::vector<T> slots_;  ///< a power of two of them
  std::size_t head_ = 0;
  std::size_t count_ = 0;
  std::size_t mask_ = 0;
};

}  // namespace tieline::wave
