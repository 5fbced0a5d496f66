#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <span>
#include <string>

#include "core/result.hpp"
#include "results/reader.hpp"

namespace tieline::results {

/// Writes variables as comma-separated values: a header with the names, then one row per time, 17 significant digits.
///
/// Without a step: the union of the times of all the tables concerned; both rows of a break are kept. With a step [s]:
/// times first + j * step; at a break the value after it. Between rows of its table a variable is joined linearly;
/// before its first and after its last row the cell is empty. Memory does not grow with the length of the run.
core::Result<void> export_csv(const ResultReader& reader, std::span<const std::string> patterns,
                              std::optional<double> step, std::ostream& out);
/// The same into a file, which appears only when it is complete.
core::Result<void> export_csv(const ResultReader& reader, std::span<const std::string> patterns,
                              std::optional<double> step, const std::filesystem::path& file);

}  // namespace tieline::results
