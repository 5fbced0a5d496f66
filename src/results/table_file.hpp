#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "results/file_driver.hpp"
#include "results/hdf5.hpp"
#include "results/row_checks.hpp"
#include "results/shared_rows.hpp"
#include "results/writer.hpp"

namespace tieline::results {

/// The HDF5 file of a run, as its writer sees it: one dataset of doubles [rows x (1 + columns)] per table, and the
/// checksums of all rows (row_checks.hpp). Where there are very many tables, those of one width share a dataset
/// (shared_rows.hpp), and the tables are in a list (table_list.hpp).
///
/// A dataset of one table is open only while rows are appended to it: with tens of thousands of open tables, HDF5 1.10 loses track of
/// the order in which it must write them for concurrent readers, and damages the heap.
///
/// Order: `create`, then `append` and `flush`, then `close` (the destructor closes too). After an error nothing more
/// is written: the file stays as it was at the last flush. One thread at a time.
class TableFile {
 public:
  static core::Result<std::unique_ptr<TableFile>> create(const std::filesystem::path& path,
                                                         std::span<const TableDeclaration> tables);
  /// Appends whole rows (time first) to a table.
  core::Result<void> append(std::size_t table, std::span<const double> rows);
  /// Makes the rows appended so far visible to readers.
  core::Result<void> flush();
  core::Result<void> close();

 private:
  struct Table {
    std::string owner{};
    hsize_t rows = 0;
    hsize_t width = 1;      ///< columns, time included
    std::size_t place = 0;  ///< among the names of all tables, sorted
    SharedRowsWriter* shared = nullptr;  ///< null: it has a dataset of its own
  };

  explicit TableFile(std::filesystem::path path) : path_(std::move(path)) {}
  core::Result<void> create_all(std::span<const TableDeclaration> tables);
  core::Result<void> create_own(std::span<const TableDeclaration> tables);
  core::Result<void> create_shared(std::span<const TableDeclaration> tables);
  core::Result<void> append_shared(Table& table, std::span<const double> rows);
  /// Gives each table its place among the names of all.
  void number_tables();
  /// Writes what has been gathered; false where HDF5 refuses.
  [[nodiscard]] bool write_waiting();
  core::Result<void> create_table(const TableDeclaration& declaration, std::size_t chunk_bytes);
  /// An error if HDF5 or the operating system refused.
  [[nodiscard]] core::Result<void> outcome(bool is_good, std::string_view what) const;

  std::filesystem::path path_;
  FileTrouble trouble_{};
  Hdf5Handle file_{};
  std::vector<Table> tables_{};
  std::map<std::size_t, SharedRowsWriter> shared_{};  ///< by width; nodes stay where they are
  RowCheckWriter checks_{};
  std::size_t appended_ = 0;  ///< blocks since the last flush
};

/// Attributes of a table's dataset and of the file.
inline constexpr const char* kColumnsAttribute = "columns";
inline constexpr const char* kUnitsAttribute = "units";
inline constexpr const char* kFormatAttribute = "format";
inline constexpr const char* kFormatName = "tieline-results 2";
/// Of files with shared rows. The others are those of earlier versions.
inline constexpr const char* kSharedFormatName = "tieline-results 3";

}  // namespace tieline::results
