#pragma once

#include <filesystem>

#include "cli/commands.hpp"

namespace tieline::cli {

/// Prints what a composite model holds.
int show_model(const std::filesystem::path& file);
/// Prints what an FMU tells of itself; its local variables where wished.
int show_fmu(const std::filesystem::path& file, bool shows_all);
/// Asks a component's program for its interfaces.
int ask_program(const InfoArguments& arguments);
/// Draws the diagram of a composite model.
int draw_diagram(const PlotArguments& arguments);

}  // namespace tieline::cli
