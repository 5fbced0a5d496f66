#pragma once

#include "cli/commands.hpp"

namespace CLI {
class App;
}

namespace tieline::cli {

/// Options of commands that take a single FMU in place of a model. Those of `check` are those that decide whether the
/// FMU can be run.
void add_fmu_options(CLI::App& command, FmuArguments& arguments);

/// What is wrong with a text that should be "name=value", where a name that contains "=" is in double quotes; empty if
/// nothing is.
[[nodiscard]] std::string check_assignment(const std::string& text);

}  // namespace tieline::cli
