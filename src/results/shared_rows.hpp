#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "results/hdf5.hpp"

namespace tieline::results {

// Where a run has very many tables, HDF5 would take longer for these than the run takes for its first windows. Rows of
// all tables of one width are then in one dataset, as they come; which of them belong to which table is beside their
// checksums (row_checks.hpp), and the tables themselves are in a list (table_list.hpp).

/// Name of the dataset with rows of that many values, time included; no component can have it.
[[nodiscard]] std::string shared_rows_name(std::size_t width);

/// Dataset of shared rows, for the writer. Blocks of many tables are gathered, so that a few large writes replace
/// thousands of small ones.
class SharedRowsWriter {
 public:
  explicit SharedRowsWriter(std::size_t width) : width_(width) {}

  /// False where HDF5 refuses; so for all below.
  [[nodiscard]] bool create(hid_t file, std::size_t chunk_bytes);
  /// Takes whole rows; returns the row of the dataset that the first of them becomes.
  hsize_t add(std::span<const double> rows);
  /// Whether what was added should be written before more is.
  [[nodiscard]] bool is_full() const;
  /// Appends what was added since the last call.
  [[nodiscard]] bool write();
  [[nodiscard]] bool close() { return dataset_.close(); }

 private:
  Hdf5Handle dataset_{};
  hsize_t width_ = 1;
  hsize_t written_ = 0;  ///< rows
  std::vector<double> waiting_{};
};

}  // namespace tieline::results
