#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "core/result.hpp"
#include "report/figure.hpp"
#include "results/reader.hpp"

namespace tieline::report {

/// A run to be plotted.
struct Run {
  const results::ResultReader* reader = nullptr;  ///< not owned
  std::string label{};                            ///< tells the runs apart where there are several
};

/// Curves of the variables that fit the patterns, one panel per unit (and quantity, where two share a unit), the runs
/// overlaid: a variable has one colour, the second and later runs are dashed. A pattern that no run knows is an error
/// with the nearest name.
core::Result<Figure> figure_of(std::span<const Run> runs, std::span<const std::string> patterns, std::string title);

/// Plots into a file, by its extension: .svg, .png or .html.
core::Result<void> plot_results(std::span<const Run> runs, std::span<const std::string> patterns, std::string title,
                                const std::filesystem::path& file);

}  // namespace tieline::report
