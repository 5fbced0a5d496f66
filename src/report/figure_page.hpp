#pragma once

#include <string_view>

namespace tieline::report {

/// The parts of the HTML page between which title, figure and data are put. No part refers to anything outside.
struct FigurePage {
  std::string_view style;
  std::string_view script;  ///< expects the data in the element "data" and builds the page in the element "figure"
};

[[nodiscard]] FigurePage figure_page();

}  // namespace tieline::report
