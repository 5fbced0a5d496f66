#pragma once

#include <CLI/App.hpp>
#include <optional>

#include "cli/commands.hpp"

namespace tieline::cli {

/// The arguments of `tieline bearing`.
void add_bearing(CLI::App& app, BearingArguments& arguments);
/// The arguments of `tieline spectrum`.
void add_spectrum(CLI::App& app, SpectrumArguments& arguments);

/// The part of a run to look at: `--from` and `--to`.
void add_time_range(CLI::App& command, std::optional<double>& from, std::optional<double>& to);

}  // namespace tieline::cli
