#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tieline::core {

/// What third-party code says, for a terminal or a log: control characters and bytes that are not UTF-8 become '?', so
/// that nothing moves the cursor, sets a title, or hides what was printed before. A tabulator becomes a blank; a
/// carriage return is dropped where a line ends. What is longer than `most` bytes is cut, and ends in "...".
[[nodiscard]] std::string clean_line(std::string_view text, std::size_t most);
/// The same, with its line breaks.
[[nodiscard]] std::string clean_lines(std::string_view text, std::size_t most);

}  // namespace tieline::core
