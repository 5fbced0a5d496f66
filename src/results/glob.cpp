#include "results/glob.hpp"

#include <algorithm>

#include "core/name_pattern.hpp"

namespace tieline::results {

bool matches(std::string_view pattern, std::string_view name) { return core::matches_pattern(pattern, name); }

bool matches_any(std::span<const std::string> patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return matches(pattern, name); });
}

}  // namespace tieline::results
