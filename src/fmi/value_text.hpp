#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tieline::fmi {

// Values as exporters write them. Each reader takes what the standard allows and what is meant beyond it; `is_odd` is
// set (never cleared) where the text was not as the standard has it.

[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// The words between blanks. Empty if there are none.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// Also "1.0f", "1d-3", "1.#INF", "Infinity", "true" as 1.
[[nodiscard]] std::optional<double> read_number(std::string_view text, bool& is_odd);
/// Also "3.0" and "+3"; nothing beyond the range.
[[nodiscard]] std::optional<std::int64_t> read_signed(std::string_view text, bool& is_odd);
[[nodiscard]] std::optional<std::uint64_t> read_unsigned(std::string_view text, bool& is_odd);
/// Also "True", "0.0".
[[nodiscard]] std::optional<bool> read_boolean(std::string_view text, bool& is_odd);
/// Bytes as two hexadecimal digits each; blanks between bytes are skipped.
[[nodiscard]] std::optional<std::string> read_hexadecimal(std::string_view text);

}  // namespace tieline::fmi
