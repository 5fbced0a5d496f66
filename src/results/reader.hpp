#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/recording.hpp"
#include "core/result.hpp"

namespace tieline::results {

/// A variable of a result file: column `column` of table `table`, named "<owner>.<column>".
struct Variable {
  std::string name{};
  std::string unit{};
  std::size_t table = 0;
  std::size_t column = 0;  ///< without the time column
};

/// Values of a variable over time; equal neighbouring times are the two sides of a break.
struct Series {
  std::string name{};
  std::string unit{};
  std::vector<double> times{};  ///< [s]
  std::vector<double> values{};
};

/// A table of a result file.
struct TableInfo {
  std::string owner{};
  std::vector<core::Column> columns{};
};

/// From the first row of a table to its last [s].
struct TimeSpan {
  double first = 0.0;
  double last = 0.0;
};

/// Rows [begin, end) of a table.
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Reads result files: finished ones, those of a killed run, and those of a run that is still running (each call sees
/// the rows flushed by then). One thread at a time per reader.
class ResultReader {
 public:
  /// Opens a result file, or the result file in a folder.
  static core::Result<ResultReader> open(const std::filesystem::path& file_or_folder);
  ~ResultReader();
  ResultReader(ResultReader&&) noexcept;
  ResultReader& operator=(ResultReader&&) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const;
  /// Sorted by owner.
  [[nodiscard]] std::span<const TableInfo> tables() const;
  /// All variables, table by table.
  [[nodiscard]] std::span<const Variable> variables() const;
  /// The variable of that name; else an error with the nearest name.
  [[nodiscard]] core::Result<Variable> find(std::string_view name) const;
  /// Variables that fit at least one of the patterns, in the file's order; no patterns means all. A pattern that fits
  /// nothing is an error with the nearest name.
  [[nodiscard]] core::Result<std::vector<Variable>> select(std::span<const std::string> patterns) const;

  /// Rows a table has now.
  [[nodiscard]] core::Result<std::size_t> rows(std::size_t table) const;
  /// When a table begins and ends; nothing if it has no rows yet.
  [[nodiscard]] core::Result<std::optional<TimeSpan>> span(std::size_t table) const;
  /// Rows with first <= t <= last [s].
  [[nodiscard]] core::Result<RowRange> rows_between(std::size_t table, double first, double last) const;
  /// Whole rows, time first, one after another; at most up to the rows there are.
  [[nodiscard]] core::Result<std::vector<double>> read_rows(std::size_t table, RowRange range) const;

  /// Whether all rows are those that were written, by their checksums. The functions that read rows verify those that
  /// they read.
  [[nodiscard]] core::Result<void> verify() const;

  [[nodiscard]] core::Result<Series> read(std::string_view name) const;
  /// Values at first <= t <= last [s].
  [[nodiscard]] core::Result<Series> read(std::string_view name, double first, double last) const;

 private:
  class Impl;
  explicit ResultReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tieline::results
