#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tieline::document {

/// Where the lines of a text start, to name places in it. Lines and columns count from 1.
class LineStarts {
 public:
  LineStarts() = default;
  explicit LineStarts(std::string_view text);

  [[nodiscard]] int line_at(std::size_t offset) const;
  /// In characters of the same text (UTF-8), not bytes. Takes no longer in a long line than in a short one.
  [[nodiscard]] int column_at(std::string_view text, std::size_t offset) const;

 private:
  static constexpr std::size_t kBlock = 256;  ///< bytes

  std::vector<std::size_t> starts_{0};
  std::vector<std::size_t> characters_{0};  ///< before each block
};

}  // namespace tieline::document
