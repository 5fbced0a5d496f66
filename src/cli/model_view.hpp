#pragma once

#include <filesystem>

#include "cli/commands.hpp"

namespace tieline::cli {

/// Whether a path is a result folder or file rather than a model.
[[nodiscard]] bool is_result_source(const std::filesystem::path& path);
/// Draws the diagram of a composite model.
int draw_diagram(const PlotArguments& arguments);

}  // namespace tieline::cli
