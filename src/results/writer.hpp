#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/recording.hpp"
#include "core/result.hpp"

namespace tieline::results {

/// A table of results: its owner ("left", "connections.rod") and what it records; time is added as the first column.
struct TableDeclaration {
  std::string owner{};
  std::vector<core::Column> columns{};
};

/// How many rows a table holds.
struct TableRows {
  std::string owner{};
  std::size_t rows = 0;
};

struct WriterOptions {
  double flush_interval = 1.0;                       ///< rows reach the file at least this often [s], wall time
  std::size_t memory_limit = std::size_t{64} << 20;  ///< of all buffers together [bytes], beyond one row per table
  double stall_limit = 60.0;  ///< a disk that takes nothing for so long is a failure [s], wall time
};

/// Writes tables of results to one HDF5 file during the run, in single-writer-multiple-readers mode: a file
/// whose writer is killed stays readable up to its last flush.
///
/// Order: `create` with every table of the run, hand out the sinks, `close` when nobody writes any more (the
/// destructor closes too). A sink may be used from any thread, by one writer at a time; different sinks at once.
/// `row` copies into the table's buffer; one thread of the writer's own takes full buffers, and all others about every
/// second, and appends them to the file. When that thread falls behind, `row` waits until there is room.
/// After a failure (a full disk) `status` returns the first error, later rows are dropped, and the file keeps what it
/// had at the last flush. Sinks belong to the writer.
class ResultWriter {
 public:
  /// Creates the file (an older one of that name is replaced) with all its tables.
  static core::Result<std::unique_ptr<ResultWriter>> create(const std::filesystem::path& file,
                                                            std::vector<TableDeclaration> tables,
                                                            const WriterOptions& options = {});
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// The sink of the table at this place of the declaration.
  [[nodiscard]] core::RowSink& sink(std::size_t table);
  /// The sink of an owner's table; null if it has none.
  [[nodiscard]] core::RowSink* find_sink(std::string_view owner);

  /// Rows given so far, of every table in the order of the declaration. While nobody writes.
  [[nodiscard]] std::vector<TableRows> rows() const;
  /// Columns of an owner's table, without time; 0 where it has none.
  [[nodiscard]] std::size_t width_of(std::string_view owner) const;

  /// When the last row of an owner's table is [s]; nothing if there is none. While nobody writes.
  [[nodiscard]] std::optional<double> last_time(std::string_view owner) const;

  /// Waits until all rows given so far are in the file.
  core::Result<void> flush();
  /// Writes everything and closes the file; later rows are dropped. May be called again.
  core::Result<void> close();
  /// The first failure, if there was one. From any thread.
  [[nodiscard]] core::Result<void> status() const;

 private:
  class Impl;
  explicit ResultWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// In a run with more tables than this, tables share datasets (shared_rows.hpp). With fewer, each has a dataset that
/// other programs can open by its name.
inline constexpr std::size_t kMostOwnDatasets = 256;

/// Name of the result file in a result folder.
inline constexpr std::string_view kResultFileName = "results.h5";

}  // namespace tieline::results
