#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace tieline::results {

/// A whole number in a file that may be damaged; throws std::out_of_range where it is none, or does not fit its type.
/// (The library would convert whatever it finds, also what cannot be converted.)
template <std::integral T, class Json>
[[nodiscard]] T whole_number(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto number = json.template get<std::uint64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  } else if (json.is_number_integer()) {
    const auto number = json.template get<std::int64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  }
  throw std::out_of_range("a whole number is expected instead of " + json.dump());
}

}  // namespace tieline::results
