#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace tieline::results {

/// A file of comma-separated values as text: names in the first row, as many cells in every other.
struct CsvTable {
  std::vector<std::string> names{};
  std::vector<std::vector<std::string>> rows{};

  /// Place of a column.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;
};

/// Reads a whole file. Cells in double quotes may hold commas, line ends and doubled quotes (RFC 4180).
core::Result<CsvTable> read_csv_table(const std::filesystem::path& file);

}  // namespace tieline::results
