#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tieline::core {

/// How far third-party code is confined; a later one confines more. Numbers of the protocol.
enum class SandboxLevel : std::uint8_t {
  no,
  standard,  ///< keeps its hands off the system and other processes; files, network and programs are its own affair
  strict,    ///< also: writes to its own folder only, and has no network
};

/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 3> kSandboxLevels{"no", "standard", "strict"};

[[nodiscard]] constexpr std::string_view name_of(SandboxLevel level) {
  return kSandboxLevels[static_cast<std::size_t>(level)];
}

[[nodiscard]] constexpr std::optional<SandboxLevel> sandbox_level_from_name(std::string_view name) {
  const auto found = std::find(kSandboxLevels.begin(), kSandboxLevels.end(), name);
  if (found == kSandboxLevels.end()) return std::nullopt;
  return static_cast<SandboxLevel>(found - kSandboxLevels.begin());
}

}  // namespace tieline::core
