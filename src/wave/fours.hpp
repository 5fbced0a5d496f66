#pragma once

#include <array>
#include <cstddef>

/// Before a function that does its work in Fours: it is compiled a second time for processors with registers of four
/// numbers, and the right one is chosen when the program starts. No operation is fused or reordered in either, so that
/// both have the same bits. Sanitizers do not see such a choice made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TIELINE_IN_FOURS [[gnu::target_clones("avx2", "default")]]
#else
#define TIELINE_IN_FOURS
#endif

namespace tieline::wave {

/// The numbers of the six axes of an interface in space: three along, a place without meaning, three about, and another
/// such place.
struct AxisNumbers {
  static constexpr std::size_t kAxes = 6, kAlong = 0, kAbout = 4;

  [[nodiscard]] double& operator[](std::size_t axis) { return numbers[axis + axis / 3]; }
  [[nodiscard]] const double& operator[](std::size_t axis) const { return numbers[axis + axis / 3]; }

  alignas(32) std::array<double, 8> numbers{};
};

/// Four numbers that go through the same operations at once, in one register where the processor has such; only for use
/// within functions. As with Lanes, every one has the bits that the same formula gives for a number alone.
struct Four {
  using Vector = double __attribute__((vector_size(4 * sizeof(double))));
  using Stored = double __attribute__((vector_size(4 * sizeof(double)), may_alias));
  using Mask = long long __attribute__((vector_size(4 * sizeof(double))));

#define TIELINE_INLINE [[gnu::always_inline]] inline
  TIELINE_INLINE Four() : v{} {}
  TIELINE_INLINE Four(double all) : v{all, all, all, all} {}  // NOLINT: constants count as such
  TIELINE_INLINE explicit Four(const Vector& vector) : v(vector) {}
  TIELINE_INLINE Four(double a, double b, double c, double d) : v{a, b, c, d} {}

  /// From the three numbers along or about.
  TIELINE_INLINE static Four of(const AxisNumbers& numbers, std::size_t first) {
    return Four(Vector(*reinterpret_cast<const Stored*>(numbers.numbers.data() + first)));
  }
  TIELINE_INLINE void put(AxisNumbers& numbers, std::size_t first) const {
    *reinterpret_cast<Stored*>(numbers.numbers.data() + first) = v;
  }

  TIELINE_INLINE friend Four operator+(const Four& a, const Four& b) { return Four(a.v + b.v); }
  TIELINE_INLINE friend Four operator-(const Four& a, const Four& b) { return Four(a.v - b.v); }
  TIELINE_INLINE friend Four operator*(const Four& a, const Four& b) { return Four(a.v * b.v); }
  TIELINE_INLINE friend Four operator/(const Four& a, const Four& b) { return Four(a.v / b.v); }
  TIELINE_INLINE Four& operator+=(const Four& b) { return *this = *this + b; }

  TIELINE_INLINE static Four choose(const Mask& mask, const Four& a, const Four& b) { return Four(mask ? a.v : b.v); }
  TIELINE_INLINE friend Four abs(const Four& a) {
    const Mask sign = {kSign, kSign, kSign, kSign};
    return Four(reinterpret_cast<Vector>(reinterpret_cast<Mask>(a.v) & ~sign));
  }
  /// As std::max and std::min choose.
  TIELINE_INLINE friend Four max(const Four& a, const Four& b) { return Four(a.v < b.v ? b.v : a.v); }
  TIELINE_INLINE friend Four min(const Four& a, const Four& b) { return Four(b.v < a.v ? b.v : a.v); }
  TIELINE_INLINE static bool all(const Mask& mask) { return (mask[0] & mask[1] & mask[2] & mask[3]) != 0; }
#undef TIELINE_INLINE

  static constexpr long long kSign = -0x7fffffffffffffffLL - 1;
  Vector v;
};

}  // namespace tieline::wave
