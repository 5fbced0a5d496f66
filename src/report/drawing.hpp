#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/result.hpp"
#include "report/canvas.hpp"

namespace tieline::report {

/// The sheet of a picture without axes.
struct Sheet {
  std::string title{};
  double width = 0.0;   ///< [px]
  double height = 0.0;  ///< [px]
};

/// Draws into a file by its extension: .svg, .png or .html. The file appears only when it is complete.
core::Result<void> write_drawing(const std::filesystem::path& file, const Sheet& sheet,
                                 const std::function<void(Canvas&)>& draw);

}  // namespace tieline::report
