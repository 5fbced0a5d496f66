#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tieline::checkpoints {

/// A hash of a text: FNV-1a, 64 bits. The same on every machine.
[[nodiscard]] constexpr std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

/// A file that a model consists of, as it was at some time.
struct ModelFile {
  std::string path{};  ///< absolute
  std::uint64_t fingerprint = 0;
};

/// Files as they are now, sorted by path; one that cannot be read counts as empty.
[[nodiscard]] std::vector<ModelFile> fingerprints_of(const std::set<std::string>& files);

}  // namespace tieline::checkpoints
