#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace tieline::archive {

/// A new folder that only the user may enter, below the system's folder for temporary files (TMPDIR). It is removed
/// with everything in it when its owner ends, also after an error; what somebody has made read-only in it is made
/// removable first. What then still cannot be removed is left. It can be moved, and has one owner.
///
/// The file `.owner` in it is locked by the process that made the folder. A folder whose process was killed is
/// therefore known, and is removed when the next one is made, or by `remove_abandoned_folders`.
class TemporaryFolder {
 public:
  /// The folder's name starts with `name`. `purpose` completes the error: "no folder can be made in '/tmp' <purpose>".
  static core::Result<TemporaryFolder> make(std::string_view name = "tieline",
                                            std::string_view purpose = "for temporary files");
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();

  /// Absolute.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, int lock);
  void remove();

  std::filesystem::path path_;  ///< empty: moved elsewhere
  int lock_ = -1;               ///< descriptor of that file; -1: none
};

/// A text in which such folders, whose names differ from run to run, are left out of paths: "resources/a.fmu" for
/// "/tmp/tieline-AbCdEf/resources/a.fmu".
[[nodiscard]] std::string without_temporary_folders(std::string text, std::string_view name = "tieline");

/// Removes the temporary folders of this user, with names that start with `name`, whose processes do not live any more.
void remove_abandoned_folders(std::string_view name = "tieline");

}  // namespace tieline::archive
