#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tieline::document {

/// Where the lines of a text begin, to tell places in it. Lines and columns count from 1.
class LineStarts {
 public:
  LineStarts() = default;
  explicit LineStarts(std::string_view text);

  [[nodiscard]] int line_at(std::size_t offset) const;
  /// In characters of the same text (UTF-8), not bytes; takes as long as the line.
  [[nodiscard]] int column_at(std::string_view text, std::size_t offset) const;

 private:
  std::vector<std::size_t> starts_{0};
};

}  // namespace tieline::document
