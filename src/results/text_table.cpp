#include "results/text_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tieline::results {

void TextTable::add(std::vector<std::string> cells) {
  widths_.resize(std::max(widths_.size(), cells.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], cells[i].size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line = fmt::format("{:<{}}", rows_[r][0], widths_[0]);
    for (std::size_t i = 1; i < rows_[r].size(); ++i) line += fmt::format("  {:>{}}", rows_[r][i], widths_[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    if (r == 0)
      text += std::string(std::accumulate(widths_.begin(), widths_.end(), 2 * (widths_.size() - 1)), '-') + "\n";
  }
  return text;
}

}  // namespace tieline::results
