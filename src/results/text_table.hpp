#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tieline::results {

/// A table for the screen: rows of cells, the first column to the left, the others to the right, wide enough for all.
class TextTable {
 public:
  /// The first row is the header; no row may have more cells than it.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
};

}  // namespace tieline::results
