#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "core/port.hpp"
#include "core/result.hpp"

/// What components ask of all that comes in at their ports.
namespace tieline::components {

/// An error that names the first port whose input is not known up to `end`.
[[nodiscard]] inline core::Result<void> check_covered(std::span<const core::Port> ports, double end) {
  for (const core::Port& port : ports) {
    if (port.incoming.covers(end) || port.incoming.extrapolates()) continue;
    return core::Error{
        .code = core::ErrorCode::beyond_horizon,
        .message = fmt::format("the window ends at {:.9g} s, but this input is known only up to {:.9g} s", end,
                               port.incoming.back().t),
        .port = port.name};
  }
  return {};
}

/// Whether inputs are guessed beyond what is known: what was evaluated with the guess is stale once more is known.
[[nodiscard]] inline bool is_sampled(std::span<const core::Port> ports) {
  return std::any_of(ports.begin(), ports.end(), [](const core::Port& port) { return port.incoming.extrapolates(); });
}

/// First break of an input after t and not after `until`, or kNever.
[[nodiscard]] inline double next_input_break(std::span<const core::Port> ports, double t, double until) {
  double next = wave::Track::kNever;
  for (const core::Port& port : ports) next = std::min(next, port.incoming.next_break(t, until));
  return next;
}

}  // namespace tieline::components
