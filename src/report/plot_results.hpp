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

/// What the colours of a plot tell apart; dashes tell the rest.
enum class ColourBy {
  variable,  ///< two runs of one model: a variable keeps its colour, the second and later runs are dashed
  run,       ///< many runs, or models that name things differently: the first variable of each run is solid
};

/// Curves of the variables that fit the patterns, one panel per unit (and quantity, where two share a unit), the runs
/// overlaid. A pattern that no run knows is an error with the nearest name.
core::Result<Figure> figure_of(std::span<const Run> runs, std::span<const std::string> patterns, std::string title,
                               ColourBy colours = ColourBy::variable);

/// Plots into a file, by its extension: .svg, .png or .html.
core::Result<void> plot_results(std::span<const Run> runs, std::span<const std::string> patterns, std::string title,
                                const std::filesystem::path& file, ColourBy colours = ColourBy::variable);

}  // namespace tieline::report
