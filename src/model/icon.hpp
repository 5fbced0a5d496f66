#pragma once

#include <filesystem>
#include <string>

#include "core/result.hpp"

namespace tieline::model {

/// A picture of a component, as its file has it.
struct Icon {
  std::string media_type{};  ///< "image/svg+xml" or "image/png"
  std::string bytes{};
};

/// What is read at most [bytes].
inline constexpr std::size_t kLargestIcon = std::size_t{4} << 20;

/// Recognised by its content, whatever the file is called. Nothing of it is interpreted beyond that.
core::Result<Icon> read_icon(const std::filesystem::path& file);

}  // namespace tieline::model
