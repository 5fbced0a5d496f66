#include "archive/temporary_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

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

/// Signs that mkdtemp chooses.
constexpr std::string_view kRandom = "XXXXXX";

/// A new folder that this process has locked; -1 where none could be made. It has its name only when it is locked, so
/// that nobody takes it for abandoned.
int make_locked(const fs::path& parent, std::string_view name, std::string& path) {
  for (;;) {
    std::string draft = (parent / fmt::format("{}.new-{}", name, kRandom)).string();
    if (::mkdtemp(draft.data()) == nullptr) return -1;
    const int folder = ::open(draft.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    path = (parent / fmt::format("{}-{}", name, draft.substr(draft.size() - kRandom.size()))).string();
    // Where there are no locks the folder is used all the same.
    const bool is_open = folder >= 0;
    if (is_open) (void)::flock(folder, LOCK_EX | LOCK_NB);
    if (is_open && ::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0) return folder;
    const int reason = errno;
    if (is_open) ::close(folder);
    ::rmdir(draft.c_str());
    errno = reason;
    if (reason != EEXIST) return -1;
  }
}

/// Whether nobody holds the lock of a folder that this user has made.
bool is_abandoned(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return false;
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (folder < 0) return false;
  const bool is_free = ::flock(folder, LOCK_EX | LOCK_NB) == 0;
  ::close(folder);
  return is_free;
}

void remove_whole(const fs::path& folder) {
  std::error_code trouble;
  fs::remove_all(folder, trouble);
  if (!trouble) return;
  make_folders_writable(folder);
  fs::remove_all(folder, trouble);
}

}  // namespace

void remove_abandoned_folders(std::string_view name) {
  std::error_code trouble;
  const fs::path parent = fs::temp_directory_path(trouble);
  if (trouble) return;
  const std::string start = fmt::format("{}-", name);
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator it(parent, fs::directory_options::skip_permission_denied, trouble);
       !trouble && it != fs::directory_iterator(); it.increment(trouble)) {
    const std::string own = it->path().filename().string();
    if (own.size() == start.size() + kRandom.size() && own.starts_with(start) && is_abandoned(it->path()))
      abandoned.push_back(it->path());
  }
  for (const fs::path& folder : abandoned) remove_whole(folder);
}

core::Result<TemporaryFolder> TemporaryFolder::make(std::string_view name, std::string_view purpose) {
  remove_abandoned_folders(name);
  std::error_code trouble;
  fs::path parent = fs::temp_directory_path(trouble);
  if (!trouble) parent = fs::absolute(parent, trouble);
  std::string path;
  const int lock = trouble ? -1 : make_locked(parent, name, path);
  if (lock < 0) {
    const std::string reason = trouble ? trouble.message() : std::strerror(errno);
    const char* const stated = std::getenv("TMPDIR");
    if (trouble && stated != nullptr) parent = stated;
    return core::Error{.code = core::ErrorCode::input_output,
                       .message = fmt::format("cannot create a folder in '{}' {} ({}); set TMPDIR to use another",
                                              parent.string(), purpose, reason)};
  }
  return TemporaryFolder(path, lock);
}

TemporaryFolder::TemporaryFolder(fs::path path, int lock) : path_(std::move(path)), lock_(lock) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
    lock_ = std::exchange(other.lock_, -1);
  }
  return *this;
}

TemporaryFolder::~TemporaryFolder() { remove(); }

void TemporaryFolder::remove() {
  if (path_.empty()) return;
  remove_whole(path_);
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
  path_.clear();
}

}  // namespace tieline::archive
