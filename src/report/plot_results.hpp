#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "core/result.hpp"
#include "report/figure.hpp"
#include "results/reader.hpp"

namespace tieline::report {

/// A run to be plotted.
struct Run {
  const results::ResultReader* reader = nullptr;  ///< not owned
  std::string label{};                            ///< distinguishes several runs
};

/// What the colours of a plot distinguish; dashes distinguish the rest.
enum class ColourBy {
  variable,  ///< two runs of one model: a variable keeps its colour, the second and later runs are dashed
  run,       ///< many runs, or models that name things differently: the first variable of each run is solid
};

struct RunPlot {
  std::string title{};
  ColourBy colours = ColourBy::variable;
  std::string over{};            ///< the variable along x, or "name=other" as for the others; empty: time
  std::optional<double> from{};  ///< [s]; absent: from the start
  std::optional<double> to{};    ///< [s]; absent: to the end
  bool has_differences = false;  ///< below each panel one with the later runs less the first; needs two runs, and time
  bool allows_missing = false;   ///< a run that lacks a variable just has no curve of it
};

/// Curves of the variables that fit the patterns, one panel per unit (and quantity, where two share a unit), the runs
/// overlaid. "name=other" is `name` in the first run and `other` in all later ones; "name+other" puts both into one
/// panel. Counts are drawn as steps.
///
/// A pattern that no run knows is an error, and a name that one of the runs lacks, unless that run has another of the
/// named variables of the same unit in its place. So is a run without any curve. The error has all such names, with the
/// nearest ones.
core::Result<Figure> figure_of(std::span<const Run> runs, std::span<const std::string> patterns, const RunPlot& plot);
core::Result<Figure> figure_of(std::span<const Run> runs, std::span<const std::string> patterns, std::string title,
                               ColourBy colours = ColourBy::variable);

/// Plots into a file, by its extension: .svg, .png or .html.
core::Result<void> plot_results(std::span<const Run> runs, std::span<const std::string> patterns, std::string title,
                                const std::filesystem::path& file, ColourBy colours = ColourBy::variable);

}  // namespace tieline::report
