#include "cli/fmu_arguments.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/number_checks.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
std::string check_assignment(const std::string& text) {
  const auto [name, value] = split_assignment(text);
  return !name.empty() && !value.empty() ? "" : fmt::format("'{}' is not name=value", text);
}

void add_fmu_options(CLI::App& command, FmuArguments& arguments) {
  const char* const group = "Options for a single FMU";
  command
      .add_option("--mode", arguments.mode,
                  "Solve its equations with our solver (model_exchange) or with its own (co_simulation); default: "
                  "model_exchange if the FMU supports it")
      ->check(CLI::IsMember({"model_exchange", "co_simulation"}))
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("--input", arguments.input,
                  "File whose columns drive the inputs and tunable parameters of their names: text (CSV, with the time "
                  "[s] in its first column), MAT, or a result folder")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--map", arguments.map,
                  "Let a column of the input file drive an input of another name: COLUMN=INPUT (repeatable)")
      ->type_name("COLUMN=INPUT")
      ->check(check_assignment)
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--step", arguments.step,
                  "Communication step of co-simulation; with model exchange the step of rk4 and zhai, or the largest step of "
                  "other solvers [s]")
      ->check(check_positive)
      ->type_name("SECONDS")
      ->group(group);
  command.add_option("--solver", arguments.solver, "Solver of model exchange (default: auto)")
      ->check(CLI::IsMember({"auto", "dopri5", "radau5", "rk4", "zhai", "cvode-bdf", "cvode-adams", "ida"}))
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("--tolerance", arguments.tolerance,
                  "Relative tolerance of the solver of model exchange; with co-simulation passed to the FMU (default: "
                  "of its default experiment)")
      ->check(check_positive)
      ->type_name("NUMBER")
      ->group(group);
  command
      .add_option("--write-interval", arguments.write_interval,
                  "Time between recorded rows [s]; 0: every step (default: a thousandth of the run)")
      ->check(check_not_negative)
      ->type_name("SECONDS")
      ->group(group);
  command
      .add_option("--record", arguments.record,
                  "What to record: outputs (with the states), all, none, or patterns of variable names; * matches any "
                  "text (default: outputs)")
      ->type_name("all|PATTERN...")
      ->group(group);
}

}  // namespace tieline::cli
