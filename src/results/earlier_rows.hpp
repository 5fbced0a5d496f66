#pragma once

#include <filesystem>
#include <span>

#include "core/result.hpp"
#include "results/writer.hpp"

namespace tieline::results {

/// Gives a writer the rows of an earlier run of the same model, so that its file continues where that run was saved.
///
/// `kept` contains how many rows of each table count; later ones were written after the run was saved and are left out.
/// Rows that the writer already has (those of the start) must be the first of the earlier run's. An error if the
/// earlier file has other tables, or fewer rows than are to be kept.
core::Result<void> take_earlier_rows(ResultWriter& writer, const std::filesystem::path& earlier_file,
                                     std::span<const TableRows> kept);

/// Leaves out the rows after a time from a file that nobody writes any more; the file is replaced as a whole.
core::Result<void> drop_later_rows(const std::filesystem::path& file, double time);

}  // namespace tieline::results
