#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "core/result.hpp"

namespace tieline::results {

/// Keeps a result folder for one run. The kernel holds the lock (flock) for as long as this object or, after a kill,
/// its process lives; the file `run.lock` only tells others who that is. It is removed with the lock.
///
/// One owner; moving passes the lock on.
class FolderLock {
 public:
  /// Creates the folder where it is missing. Error `busy` with process, host and time where another run has it. On a
  /// file system without locks there is none, and nothing is refused.
  static core::Result<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

  /// Whether the folder was missing before.
  [[nodiscard]] bool has_made_folder() const { return has_made_folder_; }

 private:
  FolderLock(std::filesystem::path file, int descriptor, bool has_made_folder)
      : file_(std::move(file)), descriptor_(descriptor), has_made_folder_(has_made_folder) {}
  void release();

  std::filesystem::path file_;
  int descriptor_ = -1;  ///< -1: nothing is locked
  bool has_made_folder_ = false;
};

/// Name of the file in a result folder.
inline constexpr std::string_view kLockFileName = "run.lock";

}  // namespace tieline::results
