#pragma once

#include <span>
#include <vector>

#include "core/result.hpp"
#include "results/hdf5.hpp"
#include "results/reader.hpp"

namespace tieline::results {

// Files with shared rows (shared_rows.hpp) list their tables in one dataset, a text in JSON:
//   {"columns": [[["position", "m"], ["velocity", "m/s"]], ...], "tables": [["mass0", 0], ["mass1", 0], ...]}
// Tables are sorted by owner; each names its columns, without time, by their place in the list of columns. An attribute
// of the dataset is the checksum of the text, since HDF5 protects attributes but not the contents of datasets.

/// Name of the dataset; no component can have it.
inline constexpr const char* kTableListName = "#tables";

/// Tables sorted by owner; false where HDF5 refuses.
[[nodiscard]] bool write_table_list(hid_t file, std::span<const TableInfo> tables);
[[nodiscard]] core::Result<std::vector<TableInfo>> read_table_list(hid_t file);

}  // namespace tieline::results
