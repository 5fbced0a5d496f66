#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive.hpp"

namespace tieline::fmi {

/// The file at an FMU's root that describes it.
inline constexpr std::string_view kDescriptionFile = "modelDescription.xml";

/// Opens an FMU, packed or unpacked. Nothing after one that cannot be used; all reasons are in `diagnostics`.
[[nodiscard]] std::optional<archive::Archive> open_fmu(const std::filesystem::path& file,
                                                       document::Diagnostics& diagnostics,
                                                       const archive::Limits& limits = {});

/// The platforms for which an FMU brings a binary: a folder in binaries/.
struct Platform {
  std::string name{};                ///< "linux64", "x86_64-linux", ...
  std::vector<std::string> files{};  ///< directly in it
};
/// Sorted by name.
[[nodiscard]] std::vector<Platform> platforms_of(const archive::Archive& fmu);

/// An FMU by its looks: a file that ends in .fmu, or a zip archive or a folder with modelDescription.xml at its top.
[[nodiscard]] bool looks_like_fmu(const std::filesystem::path& path);

}  // namespace tieline::fmi
