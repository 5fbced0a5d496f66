#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/interface_set.hpp"

namespace tieline::lines {

/// What a group gives a tool that is its member for one stretch of time, as words: of each port its law and track, of
/// each interface in space how it is coupled. The tool's process keeps the same interfaces, in the same order; what it
/// has beyond them is left alone.
[[nodiscard]] std::vector<std::uint64_t> driven_inputs(core::InterfaceSet& interfaces);
/// The same back, for the first so many interfaces; false if the words do not fit.
[[nodiscard]] bool take_driven_inputs(std::span<const std::uint64_t> words, core::InterfaceSet& interfaces);

}  // namespace tieline::lines
