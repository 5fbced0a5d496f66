#pragma once

#include <string>
#include <string_view>

namespace tieline::core {

/// A word with its indefinite article: "a hydraulic", "an electrical". For our own words, none of which begins with a
/// silent h or a spoken u.
[[nodiscard]] inline std::string with_article(std::string_view word) {
  const bool begins_with_vowel =
      !word.empty() && std::string_view("aeioAEIO").find(word.front()) != std::string_view::npos;
  return (begins_with_vowel ? "an " : "a ") + std::string(word);
}

}  // namespace tieline::core
