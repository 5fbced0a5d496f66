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

#include "core/system_reason.hpp"

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
/// Beside the folder, with its name: locked by the process that has made it. Only a folder with such a file is ever
/// taken for abandoned; any other of a similar name is somebody's own.
constexpr std::string_view kOwnerEnding = ".owner";

/// Locks a new file and gives it its name afterwards: whoever finds it finds it locked. -1 if that cannot be done, such
/// as on a file system without locks; the folder is then not removed after a kill.
int lock_owner_file(const std::string& folder) {
  const std::string file = fmt::format("{}{}", folder, kOwnerEnding), draft = file + ".new";
  const int descriptor = ::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return -1;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::rename(draft.c_str(), file.c_str()) == 0) return descriptor;
  ::unlink(draft.c_str());
  ::close(descriptor);
  return -1;
}

bool is_own(const struct stat& status) { return status.st_uid == ::geteuid(); }

void remove_whole(const fs::path& folder) {
  std::error_code trouble;
  fs::remove_all(folder, trouble);
  if (!trouble) return;
  make_folders_writable(folder);
  fs::remove_all(folder, trouble);
}

/// Removes a folder whose process does not live any more, and its file.
void remove_if_abandoned(const fs::path& owner_file) {
  const int descriptor = ::open(owner_file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return;
  struct stat owner {};
  struct stat folder {};
  const fs::path path = fs::path(owner_file).replace_extension();
  if (::fstat(descriptor, &owner) == 0 && is_own(owner) && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    if (::lstat(path.c_str(), &folder) == 0 && S_ISDIR(folder.st_mode) && is_own(folder)) remove_whole(path);
    ::unlink(owner_file.c_str());
  }
  ::close(descriptor);
}

}  // namespace

void remove_abandoned_folders(std::string_view name) {
  std::error_code trouble;
  const fs::path parent = fs::temp_directory_path(trouble);
  if (trouble) return;
  const std::string start = fmt::format("{}-", name);
  std::vector<fs::path> files;
  for (fs::directory_iterator it(parent, fs::directory_options::skip_permission_denied, trouble);
       !trouble && it != fs::directory_iterator(); it.increment(trouble)) {
    const std::string own = it->path().filename().string();
    if (own.size() == start.size() + kRandom.size() + kOwnerEnding.size() && own.starts_with(start) &&
        own.ends_with(kOwnerEnding))
      files.push_back(it->path());
  }
  for (const fs::path& file : files) remove_if_abandoned(file);
}

std::string without_temporary_folders(std::string text, std::string_view name) {
  std::error_code trouble;
  fs::path parent = fs::temp_directory_path(trouble);
  if (!trouble) parent = fs::absolute(parent, trouble).lexically_normal();
  if (trouble || parent.empty()) return text;
  const std::string start = (parent / fmt::format("{}-", name)).string();
  for (std::size_t at = text.find(start); at != text.npos; at = text.find(start, at)) {
    const std::size_t end = at + start.size() + kRandom.size();
    if (end < text.size() && text[end] == '/') {
      text.erase(at, end + 1 - at);
    } else {
      at += start.size();
    }
  }
  return text;
}

core::Result<TemporaryFolder> TemporaryFolder::make(std::string_view name, std::string_view purpose) {
  remove_abandoned_folders(name);
  std::error_code trouble;
  fs::path parent = fs::temp_directory_path(trouble);
  if (!trouble) parent = fs::absolute(parent, trouble);
  std::string path = (parent / fmt::format("{}-{}", name, kRandom)).string();
  if (trouble || ::mkdtemp(path.data()) == nullptr) {
    const std::string reason = trouble ? trouble.message() : core::system_reason(errno);
    const char* const stated = std::getenv("TMPDIR");
    if (trouble && stated != nullptr) parent = stated;
    return core::Error{.code = core::ErrorCode::input_output,
                       .message = fmt::format("cannot create a folder in '{}' {} ({}); set TMPDIR to use another",
                                              parent.string(), purpose, reason)};
  }
  return TemporaryFolder(path, lock_owner_file(path));
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
  if (lock_ >= 0) {
    ::unlink(fmt::format("{}{}", path_.string(), kOwnerEnding).c_str());
    ::close(std::exchange(lock_, -1));
  }
  path_.clear();
}

}  // namespace tieline::archive
