#pragma once

#include <cstddef>

namespace tieline::wave {

/// Four numbers that go through the same operations at once, each as a double alone would: no operation mixes lanes, so
/// every lane has the bits that the same formula gives for one number.
struct Lanes {
  static constexpr std::size_t kCount = 4;
  // Registers of this size are part of every x86-64 and ARM64 machine.
  using Pair = double __attribute__((vector_size(2 * sizeof(double))));

  Pair low{}, high{};

  [[nodiscard]] double operator[](std::size_t i) const { return i < 2 ? low[i] : high[i - 2]; }
  void set(std::size_t i, double value) {
    if (i < 2) {
      low[i] = value;
    } else {
      high[i - 2] = value;
    }
  }

  friend Lanes operator+(const Lanes& a, const Lanes& b) { return {a.low + b.low, a.high + b.high}; }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return {a.low - b.low, a.high - b.high}; }
  friend Lanes operator*(const Lanes& a, const Lanes& b) { return {a.low * b.low, a.high * b.high}; }
  friend Lanes operator*(double a, const Lanes& b) { return {a * b.low, a * b.high}; }
  friend Lanes operator*(const Lanes& a, double b) { return {a.low * b, a.high * b}; }
  friend Lanes operator/(const Lanes& a, double b) { return {a.low / b, a.high / b}; }
  friend Lanes operator-(const Lanes& a) { return {-a.low, -a.high}; }
  Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
};

}  // namespace tieline::wave
