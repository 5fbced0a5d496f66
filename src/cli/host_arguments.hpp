#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <string>

#include "cli/commands.hpp"

namespace tieline::cli {

/// `--site`.
void add_site(CLI::App& command, std::filesystem::path& site);
/// `--on` and `--nodes` of a run.
void add_slurm(CLI::App& command, std::string& on, int& nodes);
/// The arguments of `tieline site`.
void add_site_command(CLI::App& app, SiteArguments& arguments);

}  // namespace tieline::cli
