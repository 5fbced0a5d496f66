#pragma once

#include <CLI/App.hpp>

#include "cli/commands.hpp"

namespace tieline::cli {

/// The arguments of `tieline bearing`.
void add_bearing(CLI::App& app, BearingArguments& arguments);
/// The arguments of `tieline spectrum`.
void add_spectrum(CLI::App& app, SpectrumArguments& arguments);

}  // namespace tieline::cli
