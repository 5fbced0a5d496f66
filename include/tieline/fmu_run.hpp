#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/setting.hpp"

/// The run of a single FMU, in place of a composite model.
namespace tieline {

/// Assigns a column of a file to an input or a tunable parameter of an FMU.
struct ColumnAssignment {
  std::string column{};    ///< its heading, with or without its unit
  std::string variable{};  ///< the FMU's name of it
};

/// How a single FMU is run; what is not stated follows from its default experiment.
struct FmuRunOptions {
  std::string mode{};                  ///< "model_exchange" or "co_simulation"; empty: model exchange where offered
  std::string solver{};                ///< of model exchange: "auto", "dopri5", "cvode-bdf", ...; empty: auto
  /// Between communication points; with model exchange the step of "rk4" and "zhai", or the largest of other solvers [s].
  std::optional<double> step{};
  /// Relative, of the solver; with co-simulation the FMU gets it. Otherwise that of the default experiment.
  std::optional<double> tolerance{};
  std::optional<double> write_interval{};  ///< between recorded rows [s]
  /// Text or MAT file with times and columns that drive the inputs, and the tunable parameters, of their names; or a
  /// result folder. Empty: inputs keep their start values.
  std::filesystem::path input{};
  std::vector<ColumnAssignment> assignments{};  ///< for columns of other names
  /// "outputs" (with the states), "all", "none", or patterns of variable names; empty: outputs
  std::vector<std::string> record{};

  [[nodiscard]] bool is_empty() const {
    return mode.empty() && solver.empty() && !step && !tolerance && !write_interval && input.empty() && assignments.empty() &&
           record.empty();
  }
};

/// The options as settings, for `Simulation::set`, `check_model` and sweeps of an FMU. The path of the input is made
/// absolute.
///
///   auto simulation = Simulation::load("pump.fmu");
///   simulation.set(settings_of({.input = "measured.csv", .assignments = {{"n", "speed"}}, .record = {"all"}}));
[[nodiscard]] TIELINE_PUBLIC std::vector<Setting> settings_of(const FmuRunOptions& options);

}  // namespace tieline
