#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "core/result.hpp"
#include "results/reader.hpp"

namespace tieline::results {

/// Writes variables as a MAT v4 file in the trajectory layout of Dymola and OpenModelica (Aclass "Atrajectory 1.1",
/// "binTrans"), which OMEdit, DyMat and MATLAB read.
///
/// Times are those of `export_csv`. Where a variable has no value (before the first or after the last row of its
/// table) it is NaN. The file appears only when it is complete. The whole matrix is held in memory; the format limits
/// it to 2 GB, and more is an error.
core::Result<void> export_mat(const ResultReader& reader, std::span<const std::string> patterns,
                              std::optional<double> step, const std::filesystem::path& file);

}  // namespace tieline::results
