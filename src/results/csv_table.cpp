#include "results/csv_table.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace tieline::results {
namespace {

core::Error bad_file(const std::filesystem::path& file, const std::string& what) {
  return {.code = core::ErrorCode::bad_input, .message = fmt::format("'{}' {}", file.string(), what)};
}

/// All rows of a text; a last line end does not begin one.
std::vector<std::vector<std::string>> rows_in(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  bool is_quoted = false, is_in_row = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_in_row) {
      rows.push_back({""});
      is_in_row = true;
    }
    std::string& cell = rows.back().back();
    if (is_quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        is_quoted = false;
      }
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\n') {
      is_in_row = false;
    } else if (c != '\r') {
      cell += c;
    }
  }
  return rows;
}

}  // namespace

std::optional<std::size_t> CsvTable::find(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

core::Result<CsvTable> read_csv_table(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return bad_file(file, "cannot be read");
  auto rows = rows_in({std::istreambuf_iterator<char>(stream), {}});
  if (rows.empty()) return bad_file(file, "is empty; expected names in its first row");
  CsvTable table{.names = std::move(rows.front()), .rows = {}};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].size() != table.names.size()) {
      return bad_file(file, fmt::format("has {} cells in row {}, but {} names in the first", rows[i].size(), i + 1,
                                        table.names.size()));
    }
    table.rows.push_back(std::move(rows[i]));
  }
  return table;
}

}  // namespace tieline::results
