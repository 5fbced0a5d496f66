#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "core/result.hpp"
#include "document/diagnostics.hpp"

namespace tieline::fmu_export {

/// The files that a model names, copied into a folder so that paths from one to another remain: what is common to all
/// of their paths is left out. Libraries of types that were found by their name go beside the model, where they are
/// found first. FMUs are unpacked into folders of their names. Absolute paths cannot remain.
class PackedFiles {
 public:
  /// `folder` is new and empty.
  PackedFiles(std::filesystem::path model, const std::set<std::string>& files, std::filesystem::path folder);

  /// Copies everything. Problems go to `diagnostics`.
  void copy(document::Diagnostics& diagnostics);
  /// Where a file is, or would be, from the folder on.
  [[nodiscard]] std::filesystem::path place_of(const std::filesystem::path& file) const;

 private:
  std::filesystem::path model_;  ///< absolute
  std::set<std::filesystem::path> files_;
  std::filesystem::path root_;  ///< common to all but libraries
  std::filesystem::path folder_;
};

}  // namespace tieline::fmu_export
