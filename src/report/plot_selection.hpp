#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/plot_results.hpp"

namespace tieline::report {

/// A variable that is plotted.
struct PlottedVariable {
  std::string name{};                  ///< in the first run that has it
  std::string unit{};                  ///< there
  std::vector<std::string> in_runs{};  ///< what each run calls it; empty if it has none
  int group = -1;                      ///< variables of one group share a panel; -1: none
};

/// The variables that fit the patterns, in their order, each once; see `figure_of` for what patterns say, and which
/// are errors.
core::Result<std::vector<PlottedVariable>> select_variables(std::span<const Run> runs,
                                                            std::span<const std::string> patterns,
                                                            bool allows_missing = false);

/// One variable, or "name=other"; an error if a run lacks it.
core::Result<PlottedVariable> select_variable(std::span<const Run> runs, const std::string& name);

}  // namespace tieline::report
