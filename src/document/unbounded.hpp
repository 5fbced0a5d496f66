#pragma once

#include <string_view>

namespace tieline::document {

/// How the warning of a function of time starts whose short pulses may be missed; of no interest where a largest step
/// is stated.
inline constexpr std::string_view kUnboundedWarning = "no bounds are known of how fast this changes with time: ";

}  // namespace tieline::document
