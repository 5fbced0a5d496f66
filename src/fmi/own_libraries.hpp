#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "archive/temporary_folder.hpp"
#include "core/result.hpp"

namespace tieline::fmi {

/// Lets an FMU use the libraries that it brings where this process has loaded others of the same names, its own or
/// those of another FMU. The dynamic linker takes a loaded library for every other one of its name; so the FMU's
/// libraries are copied under names that nobody has, and the names by which they refer to one another are changed in
/// the copies (docs/decisions/0034-symbols-of-fmus.md).
///
/// The copies are in a temporary folder that looks like the FMU's: what a library searches from its own place is found.
/// It must stay as long as the libraries are loaded. Libraries with the same content as the loaded ones stay shared, as
/// do those of the C and C++ language, of which a process can have one only.
class OwnLibraries {
 public:
  /// For an FMU's library in binaries/<platform>. Nothing if no name is taken; an error if the copies cannot be made.
  [[nodiscard]] static core::Result<std::optional<OwnLibraries>> separate(const std::filesystem::path& library);

  /// The copy of the FMU's library.
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// To be loaded before it, in this order.
  [[nodiscard]] const std::vector<std::filesystem::path>& helpers() const { return helpers_; }

 private:
  explicit OwnLibraries(archive::TemporaryFolder folder) : folder_(std::move(folder)) {}

  archive::TemporaryFolder folder_;
  std::filesystem::path file_;
  std::vector<std::filesystem::path> helpers_;
};

}  // namespace tieline::fmi
