#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/problem.hpp"
#include "tieline/results.hpp"
#include "tieline/simulation.hpp"

/// Pictures: plots of results and of sweeps, diagrams of models, animations. A file appears only when it is complete.
/// Its extension selects the format (.svg, .png, and .html for plots). Functions throw FileError if a file cannot be
/// read or written, and std::out_of_range, with the nearest name, if a variable is unknown.
namespace tieline {

/// A run to plot.
struct PlottedRun {
  const Results* results = nullptr;  ///< not owned
  std::string label{};               ///< distinguishes several runs
};

/// What the colours of a plot distinguish; dashes distinguish the rest.
enum class ColourBy { variable, run };

struct PlotOptions {
  std::string title{};  ///< empty: the model's name, and what differs between the runs
  ColourBy colours = ColourBy::variable;
  bool is_log_x = false;
  bool is_log_y = false;
  bool has_run_labels = false;   ///< labels the curves of a panel with a single variable by their runs alone
  std::string over{};            ///< the variable along x; empty: time
  std::optional<double> from{};  ///< [s]; none: from the start
  std::optional<double> to{};    ///< [s]; none: to the end
  bool has_differences = false;  ///< adds a panel below each one with the differences of the later runs from the first
  bool allows_missing = false;   ///< skips variables that a run lacks, without an error
};

/// Plots the variables that match the patterns, with one panel per quantity and the runs overlaid. "name=other" is
/// `name` in the first run and `other` in the others; "name+other" puts both into one panel. std::out_of_range names
/// all variables that no run has, or that one of the runs lacks without a replacement of the same unit.
TIELINE_PUBLIC void plot_runs(std::span<const PlottedRun> runs, std::span<const std::string> patterns,
                              const PlotOptions& options, const std::filesystem::path& file);

/// A sweep to plot.
struct PlottedSweep {
  std::filesystem::path folder{};
  std::string label{};  ///< distinguishes several sweeps
};

struct SweepPlotOptions {
  std::string title{};
  std::string over{};            ///< the parameter along x; empty: the first
  std::vector<double> slopes{};  ///< draws lines of these slopes, for comparison on logarithmic axes
  bool is_log_x = false;
  bool is_log_y = false;
};

/// Plots columns of the tables of sweeps over a parameter: a mark per run, a curve for each combination of the other
/// parameters.
TIELINE_PUBLIC void plot_sweeps(std::span<const PlottedSweep> sweeps, const std::vector<std::string>& columns,
                                const SweepPlotOptions& options, const std::filesystem::path& file);

/// Draws the components and connections of a composite model, with their icons (a .png contains only icons that are PNG
/// files). An empty `title` stands for the name of the model. Returns a problem for everything that cannot be drawn.
/// Throws ModelError if the model has errors.
TIELINE_PUBLIC std::vector<Problem> draw_diagram(const std::filesystem::path& model, const std::filesystem::path& file,
                                                 const std::string& title = {});

struct AnimationOptions {
  std::string title{};           ///< empty: the model's name
  std::size_t frames = 600;      ///< evenly spaced
  std::optional<double> from{};  ///< [s]; none: from the start
  std::optional<double> to{};    ///< [s]; none: to the end
};

/// The contents of an animation.
struct Animation {
  double start = 0.0;  ///< [s]
  double end = 0.0;    ///< [s]
  std::size_t frames = 0;
  std::size_t bodies = 0;
  std::vector<std::string> notes{};  ///< what is not shown, and why
};

/// Writes a page (.html) that shows the motion in space during a run; it needs only a browser. `results` is a result
/// folder, or a file in it.
TIELINE_PUBLIC Animation animate(const std::filesystem::path& results, const std::filesystem::path& file,
                                 const AnimationOptions& options = {});

}  // namespace tieline
