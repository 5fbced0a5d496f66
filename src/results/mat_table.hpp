#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace tieline::results {

/// A number over time in a MAT file.
struct MatColumn {
  std::string name{};  ///< empty: the file names none
  std::string unit{};  ///< empty: none is known
  std::size_t axis = 0;
  std::vector<double> values{};  ///< one for each time of its axis
};

/// What a MAT file (versions 4 to 7.3) contains as values over time:
///
///   results of Modelica tools, and what `tieline export --mat` writes ("Atrajectory")
///   a vector `time` or `t`, and vectors of its length, or matrices with as many rows or columns, in the file or in
///   structures of it
///   Simulink's structures with time (`time`, `signals.values`, `signals.label`)
///   one matrix without names, with the times in its first column or its first row
struct MatTable {
  std::vector<std::vector<double>> axes{};  ///< times, in ascending order; two equal ones are a jump [s]
  std::vector<MatColumn> columns{};

  /// An error says what the file is instead, or where it is damaged.
  [[nodiscard]] static core::Result<MatTable> read(const std::filesystem::path& file);
};

}  // namespace tieline::results
