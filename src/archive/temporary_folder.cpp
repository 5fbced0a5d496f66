#include "archive/temporary_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <stdlib.h>
#include <string>
#include <utility>

namespace tieline::archive {
namespace fs = std::filesystem;
namespace {

/// A folder's entries can be removed only by who may write to it. Links are left alone: they may lead anywhere.
void make_folders_writable(const fs::path& root) {
  std::error_code trouble;
  const auto allow = [&](const fs::path& folder) {
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, trouble);
  };
  allow(root);
  std::error_code end;
  constexpr auto kSkip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(root, kSkip, end); !end && it != fs::recursive_directory_iterator();
       it.increment(end)) {
    if (fs::is_directory(it->symlink_status(trouble))) allow(it->path());
  }
}

}  // namespace

core::Result<TemporaryFolder> TemporaryFolder::make(std::string_view name, std::string_view purpose) {
  std::error_code trouble;
  fs::path parent = fs::temp_directory_path(trouble);
  if (!trouble) parent = fs::absolute(parent, trouble);
  std::string path = (parent / fmt::format("{}-XXXXXX", name)).string();
  if (trouble || ::mkdtemp(path.data()) == nullptr) {
    const std::string reason = trouble ? trouble.message() : std::strerror(errno);
    const char* const stated = std::getenv("TMPDIR");
    if (trouble && stated != nullptr) parent = stated;
    return core::Error{.code = core::ErrorCode::input_output,
                       .message = fmt::format("cannot create a folder in '{}' {} ({}); set TMPDIR to use another",
                                              parent.string(), purpose, reason)};
  }
  return TemporaryFolder(path);
}

TemporaryFolder::TemporaryFolder(fs::path path) : path_(std::move(path)) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

TemporaryFolder::~TemporaryFolder() { remove(); }

void TemporaryFolder::remove() {
  if (path_.empty()) return;
  std::error_code trouble;
  fs::remove_all(path_, trouble);
  if (trouble) {
    make_folders_writable(path_);
    fs::remove_all(path_, trouble);
  }
  path_.clear();
}

}  // namespace tieline::archive
