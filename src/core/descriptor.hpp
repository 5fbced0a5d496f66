#pragma once

#include <utility>

namespace tieline::core {

/// A file descriptor that is closed with its owner; -1 is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~Descriptor() { reset(); }

  [[nodiscard]] int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// Gives it away: the caller closes it.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  void reset();

 private:
  int number_ = -1;
};

}  // namespace tieline::core
