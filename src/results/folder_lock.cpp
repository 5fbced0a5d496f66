#include "results/folder_lock.hpp"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/atomic_file.hpp"
#include "core/system_reason.hpp"
#include "results/progress_file.hpp"

namespace tieline::results {
namespace {

core::Error cannot_lock(const std::filesystem::path& folder, int reason) {
  return {.code = core::ErrorCode::input_output,
          .message =
              fmt::format("cannot write to the result folder '{}': {}", folder.string(), core::system_reason(reason))};
}

/// Who holds a lock, as it has written itself; as much of it as can be read.
std::string holder_of(const std::filesystem::path& file) {
  const auto text = core::read_whole(file);
  const auto json = nlohmann::json::parse(text ? *text : "", nullptr, false);
  if (!json.is_object() || !json.contains("pid") || !json["pid"].is_number_integer()) return "";
  std::string holder = fmt::format(", process {}", json["pid"].get<std::int64_t>());
  if (const auto host = json.value("host", nlohmann::json()); host.is_string() && host != this_process().host)
    holder += fmt::format(" on {}", host.get<std::string>());
  if (const auto since = json.value("since", nlohmann::json()); since.is_string())
    holder += fmt::format(", since {}", since.get<std::string>());
  return holder;
}

std::string local_time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &parts)};
}

/// Whether a name still leads to what was opened by it: its holder may have removed it in between.
bool is_at(const std::filesystem::path& file, int descriptor) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(file.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

core::Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  std::error_code failure;
  const bool is_new = std::filesystem::create_directories(folder, failure);
  if (failure) return cannot_lock(folder, failure.value());
  const std::filesystem::path file = folder / kLockFileName;
  for (;;) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor < 0) return cannot_lock(folder, errno);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      ::close(descriptor);
      if (reason == EINTR) continue;
      if (reason != EWOULDBLOCK) return FolderLock(file, -1, is_new);
      return core::Error{.code = core::ErrorCode::busy,
                         .message = fmt::format("the result folder '{}' is in use by another run{}; wait until it has "
                                                "ended, or choose another folder",
                                                folder.string(), holder_of(file))};
    }
    if (!is_at(file, descriptor)) {
      ::close(descriptor);
      continue;
    }
    const ProcessIdentity self = this_process();
    const std::string text =
        nlohmann::json{{"pid", self.id}, {"host", self.host}, {"since", local_time_now()}}.dump() + "\n";
    // What it says is for people: a full disk does not make the lock worse.
    if (::ftruncate(descriptor, 0) == 0) (void)!::pwrite(descriptor, text.data(), text.size(), 0);
    return FolderLock(file, descriptor, is_new);
  }
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      has_made_folder_(other.has_made_folder_) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  if (this != &other) {
    release();
    file_ = std::move(other.file_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    has_made_folder_ = other.has_made_folder_;
  }
  return *this;
}

FolderLock::~FolderLock() { release(); }

void FolderLock::release() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace tieline::results
