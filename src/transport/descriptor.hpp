#pragma once

#include <utility>

#include "core/result.hpp"

namespace tieline::transport {

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

/// An error with the reason of the last system call: "what: reason".
[[nodiscard]] core::Error system_error(const char* what, core::ErrorCode code = core::ErrorCode::input_output);

/// Makes reading and writing return at once, and keeps the descriptor from programs that this one starts.
[[nodiscard]] core::Result<void> make_nonblocking(const Descriptor& descriptor);

}  // namespace tieline::transport
