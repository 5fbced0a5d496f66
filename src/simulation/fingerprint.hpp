#pragma once

#include <cstdint>
#include <string_view>

namespace tieline::simulation {

/// A number that tells one text from another: FNV-1a, 64 bits. The same on every machine.
[[nodiscard]] constexpr std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace tieline::simulation
