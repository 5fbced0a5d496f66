#pragma once

#include <CLI/App.hpp>

#include "cli/commands.hpp"

namespace tieline::cli {

/// The arguments of `tieline ride`.
void add_ride(CLI::App& app, RideArguments& arguments);
/// The arguments of `tieline irregularity`.
void add_irregularity(CLI::App& app, IrregularityArguments& arguments);

}  // namespace tieline::cli
