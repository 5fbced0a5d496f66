#include "core/name_pattern.hpp"

#include <cstddef>

namespace tieline::core {

bool matches_pattern(std::string_view pattern, std::string_view name) {
  // Greedy match; on a mismatch the last star takes one character more. Linear in practice, no recursion.
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos, star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace tieline::core
