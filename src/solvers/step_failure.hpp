#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace tieline::solvers {

/// Why a stepper cannot continue; all steppers use the same words.
inline constexpr std::string_view kErrorTestFails = "the error test fails however small the step";
inline constexpr std::string_view kNoConvergence = "no convergence of Newton's iteration however small the step";
inline constexpr std::string_view kNotFinite = "the right-hand side is not finite";

/// `method` cannot continue from time t [s]; `state`: index of the one with the largest error, or -1 where unknown.
inline core::Error step_failure(std::string_view method, std::string_view reason, int state, double t) {
  std::string message = fmt::format("{} cannot continue: {}", method, reason);
  if (state >= 0) message += fmt::format(" (largest error: state {})", state);
  return {core::ErrorCode::step_failed, std::move(message), {}, {}, t};
}

inline core::Error limit_not_ahead(double limit, double t) {
  return {core::ErrorCode::bad_input,
          fmt::format("the limit {} s of a step is not after the present time", limit),
          {},
          {},
          t};
}

}  // namespace tieline::solvers
