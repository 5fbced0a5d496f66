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

constexpr const char* kOwnerFile = ".owner";

/// Locks a new file and gives it its name afterwards: whoever finds it there finds it locked. -1 where the file system
/// has no locks.
int lock_new(const fs::path& file) {
  const std::string draft = file.string() + ".new";
  const int descriptor = ::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return -1;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::rename(draft.c_str(), file.c_str()) == 0) return descriptor;
  ::unlink(draft.c_str());
  ::close(descriptor);
  return -1;
}

/// Whether nobody holds the lock of a folder that this user has made.
bool is_abandoned(const fs::path& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return false;
  const int descriptor = ::open((folder / kOwnerFile).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return false;
  const bool is_free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
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
  constexpr std::size_t kRandomSigns = 6;  // of mkdtemp
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator it(parent, fs::directory_options::skip_permission_denied, trouble);
       !trouble && it != fs::directory_iterator(); it.increment(trouble)) {
    const std::string own = it->path().filename().string();
    if (own.size() == start.size() + kRandomSigns && own.starts_with(start) && is_abandoned(it->path()))
      abandoned.push_back(it->path());
  }
  for (const fs::path& folder : abandoned) remove_whole(folder);
}

core::Result<TemporaryFolder> TemporaryFolder::make(std::string_view name, std::string_view purpose) {
  remove_abandoned_folders(name);
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

TemporaryFolder::TemporaryFolder(fs::path path) : path_(std::move(path)), owner_(lock_new(path_ / kOwnerFile)) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), owner_(std::exchange(other.owner_, -1)) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
    owner_ = std::exchange(other.owner_, -1);
  }
  return *this;
}

TemporaryFolder::~TemporaryFolder() { remove(); }

void TemporaryFolder::remove() {
  if (path_.empty()) return;
  remove_whole(path_);
  if (owner_ >= 0) ::close(std::exchange(owner_, -1));
  path_.clear();
}

}  // namespace tieline::archive
