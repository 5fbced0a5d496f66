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

 private:
  FolderLock(std::filesystem::path file, int descriptor) : file_(std::move(file)), descriptor_(descriptor) {}
  void release();

  std::filesystem::path file_;
  int descriptor_ = -1;  ///< -1: nothing is locked
};

/// Name of the file in a result folder.
inline constexpr std::string_view kLockFileName = "run.lock";

}  // namespace tieline::results
