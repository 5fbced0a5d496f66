#pragma once

#include <span>
#include <string>

#include "tieline/plots.hpp"

namespace tieline::api {

/// What a plot of runs is called, where nobody says: the name of their model, and the parameters or else the labels by
/// which they differ; of several models their names. A run without a report goes by its label.
[[nodiscard]] std::string title_of(std::span<const PlottedRun> runs);

}  // namespace tieline::api
