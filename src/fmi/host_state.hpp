#pragma once

#include <cfenv>
#include <string>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace tieline::fmi {

/// How this thread computes with floating-point numbers: rounding, traps, and whether tiny numbers count as zero.
class FloatingPointMode {
 public:
  [[nodiscard]] static FloatingPointMode now() { return FloatingPointMode(); }

  /// Whether this thread still computes in this way. A few instructions.
  [[nodiscard]] bool is_in_force() const { return control() == control_; }
  void put_in_force() const { std::fesetenv(&environment_); }

 private:
  FloatingPointMode() : control_(control()) { std::fegetenv(&environment_); }

  [[nodiscard]] static unsigned control() {
#if defined(__SSE__)
    constexpr unsigned kFlags = 0x3f;  // what has happened, not what is to happen
    return _mm_getcsr() & ~kFlags;
#else
    return static_cast<unsigned>(std::fegetround());
#endif
  }

  unsigned control_;
  std::fenv_t environment_{};
};

/// What third-party code in this process changes for all of it: the floating-point mode and the blocked signals of the
/// calling thread, the locale, and the working folder. All of our own code, and other FMUs, rely on these.
///
/// Made before the code is loaded; `enter` before it is called, in any thread; `put_back` afterwards, in the same one.
class HostState {
 public:
  HostState();

  /// Remembers what is this thread's own, when it comes here first.
  static void enter();
  [[nodiscard]] const FloatingPointMode& floating_point() const { return floating_point_; }
  /// Puts back what has changed, and names it: "the rounding mode", "the locale" and so on. Some microseconds.
  [[nodiscard]] std::vector<std::string> put_back() const;

 private:
  FloatingPointMode floating_point_;
  std::string locale_;
  std::string folder_;  ///< empty: unknown
};

}  // namespace tieline::fmi
