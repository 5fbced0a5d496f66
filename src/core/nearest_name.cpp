#include "core/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <vector>

namespace tieline::core {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Optimal string alignment distance: insertions, deletions, substitutions (half price for a change of case) and
/// swaps of neighbours, in half units.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = 2 * i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? 1 : 2;
      now[j] = std::min({last[j] + 2, now[j - 1] + 2, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 2);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wrong, std::span<const std::string> known) {
  // A name is near when at most about a third of its letters differ.
  const std::size_t most = 2 * std::max<std::size_t>(1, (wrong.size() + 2) / 3);
  std::string nearest;
  std::size_t least = most + 1;
  for (const auto& name : known) {
    const std::size_t length_gap = name.size() > wrong.size() ? name.size() - wrong.size() : wrong.size() - name.size();
    if (2 * length_gap >= least) continue;
    const std::size_t d = distance(wrong, name);
    if (d < least) {
      least = d;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace tieline::core
