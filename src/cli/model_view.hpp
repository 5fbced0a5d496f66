#pragma once

#include <filesystem>

#include "cli/commands.hpp"

namespace tieline::cli {

/// Prints what a composite model contains.
int show_model(const std::filesystem::path& file);
/// Prints the description of an FMU, and its local variables on request.
int show_fmu(const std::filesystem::path& file, bool shows_all);
/// Checks whether an FMU does what it claims, and prints a table; `deadline` is that of one check [s].
int verify(const std::filesystem::path& file, double deadline);
/// Asks a component's program for its interfaces and prints them.
int show_program(const InfoArguments& arguments);

}  // namespace tieline::cli
