#include "core/atomic_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "core/system_reason.hpp"

namespace tieline::core {
namespace {

constexpr std::string_view kDraftEnding = ".tmp";

Error cannot_write(const std::filesystem::path& file, std::string_view reason) {
  return {.code = ErrorCode::input_output, .message = fmt::format("cannot write '{}': {}", file.string(), reason)};
}

Result<void> write_by(const std::filesystem::path& temporary, const std::filesystem::path& file,
                      const std::function<void(std::ostream&)>& put) {
  std::ofstream out(temporary, std::ios::binary);
  put(out);
  out.close();
  if (!out) return cannot_write(file, system_reason(errno));
  return {};
}

Result<void> write_whole(const std::filesystem::path& temporary, const std::filesystem::path& file,
                         std::string_view text) {
  return write_by(temporary, file,
                  [&](std::ostream& out) { out.write(text.data(), static_cast<std::streamsize>(text.size())); });
}

}  // namespace

Result<void> replace_file(const std::filesystem::path& file,
                          const std::function<Result<void>(const std::filesystem::path&)>& write) {
  std::error_code failure;
  // Follow a link to what it names; never put a file in the place of a device or a folder.
  const auto target = std::filesystem::exists(file, failure) ? std::filesystem::canonical(file, failure) : file;
  if (std::filesystem::exists(target, failure) && !std::filesystem::is_regular_file(target, failure)) {
    return cannot_write(file, "it is not a regular file");
  }
  std::filesystem::path temporary = target;
  temporary += fmt::format(".{}{}", ::getpid(), kDraftEnding);
  auto outcome = write(temporary);
  if (outcome) {
    std::filesystem::rename(temporary, target, failure);
    if (failure) outcome = cannot_write(file, failure.message());
  }
  if (!outcome) std::filesystem::remove(temporary, failure);
  return outcome;
}

Result<void> replace_file_by(const std::filesystem::path& file, const std::function<void(std::ostream&)>& put) {
  return replace_file(file, [&](const std::filesystem::path& temporary) { return write_by(temporary, file, put); });
}

Result<void> replace_file(const std::filesystem::path& file, std::string_view text) {
  return replace_file(file, [&](const std::filesystem::path& temporary) { return write_whole(temporary, file, text); });
}

Result<void> replace_file_durably(const std::filesystem::path& file, std::string_view text) {
  auto replaced = replace_file(file, [&](const std::filesystem::path& temporary) {
    auto written = write_whole(temporary, file, text);
    return written ? sync_to_disk(temporary) : std::move(written);
  });
  if (!replaced) return replaced;
  const auto folder = file.parent_path();
  return sync_to_disk(folder.empty() ? std::filesystem::path(".") : folder);
}

void remove_drafts(const std::filesystem::path& folder, std::span<const std::string_view> names) {
  std::error_code failure;
  std::vector<std::filesystem::path> drafts;
  for (auto entry = std::filesystem::directory_iterator(folder, failure);
       !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    const bool is_draft = std::any_of(names.begin(), names.end(), [&](std::string_view own) {
      if (!name.starts_with(own) || !name.ends_with(kDraftEnding)) return false;
      const std::string_view middle =
          std::string_view(name).substr(own.size(), name.size() - own.size() - kDraftEnding.size());
      return middle.size() > 1 && middle.front() == '.' &&
             middle.find_first_not_of("0123456789", 1) == std::string_view::npos;
    });
    if (is_draft) drafts.push_back(entry->path());
  }
  for (const auto& draft : drafts) std::filesystem::remove(draft, failure);
}

Result<void> sync_to_disk(const std::filesystem::path& file_or_folder) {
  const int descriptor = ::open(file_or_folder.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_good = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int reason = errno;
  if (descriptor >= 0) ::close(descriptor);
  // Some file systems cannot, and say so; there is nothing more to be done then.
  if (!is_good && reason != EINVAL && reason != EROFS) return cannot_write(file_or_folder, system_reason(reason));
  return {};
}

Result<std::string> read_whole(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  // An empty file has nothing to pass on, which a stream counts as a failure.
  if (in && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (!in.is_open() || in.bad() || text.fail())
    return Error{.code = ErrorCode::input_output, .message = fmt::format("cannot read '{}'", file.string())};
  return std::move(text).str();
}

}  // namespace tieline::core
