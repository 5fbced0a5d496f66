#include "core/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <vector>

namespace tieline::core {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What it costs to take one character for another: another letter is a slip less often than another digit.
std::size_t substitution(char a, char b) {
  if (a == b) return 0;
  if (lower(a) == lower(b)) return 1;
  return is_digit(a) && is_digit(b) ? 2 : 3;
}

/// Optimal string alignment distance, where an insertion, a deletion or a swap of neighbours costs 2.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = 2 * i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 2, now[j - 1] + 2, last[j - 1] + substitution(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 2);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

/// What two names may differ by, the longer of which has so many letters: about a third of them. Any two names of one
/// letter are one substitution apart, and so are many of two; they are near only if they differ by less.
std::size_t largest_distance(std::size_t length) {
  return length < 3 ? length : std::max<std::size_t>(3, (2 * length + 2) / 3);
}

}  // namespace

std::string nearest_name(std::string_view wrong, std::span<const std::string> known) {
  std::string nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const auto& name : known) {
    const std::size_t shorter = std::min(wrong.size(), name.size());
    const std::size_t longer = std::max(wrong.size(), name.size());
    const std::size_t most = largest_distance(longer);
    if (2 * (longer - shorter) > most) continue;
    const std::size_t d = distance(wrong, name);
    if (d <= most && d < least) {
      least = d;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace tieline::core
