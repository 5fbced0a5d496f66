#pragma once

#include "core/descriptor.hpp"
#include "core/result.hpp"

namespace tieline::transport {

using core::Descriptor;

/// An error with the reason of the last system call: "what: reason".
[[nodiscard]] core::Error system_error(const char* what, core::ErrorCode code = core::ErrorCode::input_output);

/// Makes reading and writing return at once, and keeps the descriptor from programs that this one starts.
[[nodiscard]] core::Result<void> make_nonblocking(const Descriptor& descriptor);

}  // namespace tieline::transport
