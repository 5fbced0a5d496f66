#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace tieline::report {

/// Values around a circle, joined in the order of their angles.
struct PolarCurve {
  std::string label{};
  std::vector<double> angles{};  ///< counter-clockwise from the right [rad]
  std::vector<double> values{};  ///< not negative
};

struct PolarPlot {
  std::string title{};
  std::string quantity{};  ///< of the values, with the unit: "load [N]"
  std::string right{};     ///< name of the direction to the right
  std::string up{};        ///< name of the direction upwards
  std::vector<PolarCurve> curves{};
};

/// Into a file by its extension: .svg, .png or .html.
core::Result<void> write_polar_plot(const PolarPlot& plot, const std::filesystem::path& file);

}  // namespace tieline::report
