#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "wave/ring.hpp"
#include "wave/track.hpp"

namespace tieline::lines {

/// The state of one end of a connection as words of 64 bits, each a double or a whole number: a form that snapshots
/// keep and that other machines read, whatever their byte order.
///
/// A type shows itself by `visit(archive)`, which calls the archive on everything that makes up its state. One such
/// function serves writing and reading.
class StateWriter {
 public:
  static constexpr bool is_reading = false;

  template <class T>
  requires(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0) void operator()(const T& value) {
    const std::size_t first = words_.size();
    words_.resize(first + sizeof(T) / sizeof(std::uint64_t));
    std::memcpy(&words_[first], &value, sizeof(T));
  }
  template <class T>
  void operator()(const wave::Ring<T>& ring) {
    (*this)(std::uint64_t{ring.size()});
    for (std::size_t i = 0; i < ring.size(); ++i) (*this)(ring[i]);
  }
  void operator()(const wave::Track& track);

  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

/// Reads what StateWriter wrote, in the same order. Where the words do not suffice, it has `failed`, and leaves
/// everything from there on as it was.
class StateReader {
 public:
  static constexpr bool is_reading = true;

  explicit StateReader(std::span<const std::uint64_t> words) : words_(words) {}

  template <class T>
  requires(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0) void operator()(T& value) {
    constexpr std::size_t kWords = sizeof(T) / sizeof(std::uint64_t);
    if (has_failed_ || words_.size() < kWords) {
      has_failed_ = true;
      return;
    }
    std::memcpy(static_cast<void*>(&value), words_.data(), sizeof(T));
    words_ = words_.subspan(kWords);
  }
  template <class T>
  void operator()(wave::Ring<T>& ring) {
    ring.clear();
    for (std::uint64_t left = take_count(sizeof(T)); left > 0 && !has_failed_; --left) (*this)(ring.append());
  }
  void operator()(wave::Track& track);

  [[nodiscard]] bool failed() const { return has_failed_; }
  [[nodiscard]] bool is_used_up() const { return words_.empty(); }

 private:
  /// A number of things of that size, which the words left must suffice for.
  std::uint64_t take_count(std::size_t size);

  std::span<const std::uint64_t> words_;
  bool has_failed_ = false;
};

}  // namespace tieline::lines
