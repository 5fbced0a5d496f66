#include "archive/archive.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>
#include <zip.h>

#include "archive/entries.hpp"
#include "archive/temporary_folder.hpp"
#include "core/system_reason.hpp"

namespace tieline::archive {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPiece = 256 * 1024;  ///< read and written at once [bytes]

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};

core::Error failure(std::string message) {
  return {.code = core::ErrorCode::input_output, .message = std::move(message)};
}

std::string system_reason() { return core::system_reason(errno); }

/// A new file that is written piece by piece.
class NewFile {
 public:
  NewFile(const fs::path& path, bool is_program)
      : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           is_program ? S_IRWXU : S_IRUSR | S_IWUSR)) {}
  ~NewFile() { (void)close(); }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] bool write(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = ::write(descriptor_, bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes += written;
      count -= static_cast<std::size_t>(written);
    }
    return true;
  }
  [[nodiscard]] bool close() {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0;
  }

 private:
  int descriptor_;
};

/// Hands the content of an entry to take(bytes, count), and checks that it is as long as the archive says and whole.
template <class Take>
core::Result<void> read_entry(zip_t* archive, const Entry& entry, const std::string& shown, Take&& take) {
  if (entry.is_ambiguous) {
    return failure(
        fmt::format("{}: the archive contains several files of this name, which differ; pack one of them", shown));
  }
  const std::unique_ptr<zip_file_t, CloseEntry> file(zip_fopen_index(archive, entry.index, 0));
  if (!file) return failure(fmt::format("{}: cannot be unpacked: {}", shown, zip_strerror(archive)));
  std::vector<char> piece(static_cast<std::size_t>(std::clamp<std::uint64_t>(entry.size + 1, 4096, kPiece)));
  for (std::uint64_t total = 0;;) {
    const zip_int64_t count = zip_fread(file.get(), piece.data(), piece.size());
    if (count < 0) {
      return failure(fmt::format("{}: cannot be unpacked: {}", shown, zip_file_strerror(file.get())));
    }
    if (count == 0 && total == entry.size) return {};
    total += static_cast<std::uint64_t>(count);
    if (count == 0 || total > entry.size) {
      return failure(fmt::format("{}: its size is not the one stated in the archive ({} bytes)", shown, entry.size));
    }
    if (auto taken = take(piece.data(), static_cast<std::size_t>(count)); !taken) return taken;
  }
}

bool starts_as_zip(const fs::path& file) {
  std::array<char, 2> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return start[0] == 'P' && start[1] == 'K';
}

/// The error of libzip for a file that it cannot open, with advice.
std::string describe_bad_zip(const fs::path& file, int code, const Content& content) {
  if (code == ZIP_ER_NOZIP && starts_as_zip(file)) {
    return "the archive has no directory at its end: it is truncated (an unfinished copy or export?)";
  }
  if (code == ZIP_ER_NOZIP && content.noun == Content{}.noun) return "this is not a zip archive";
  if (code == ZIP_ER_NOZIP) {
    return fmt::format("this is not a zip archive, but {} {} must be one", content.article, content.noun);
  }
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = fmt::format("the archive cannot be read: {}", zip_error_strerror(&error));
  zip_error_fini(&error);
  return text;
}

}  // namespace

struct Archive::State {
  fs::path file{};
  Content content{};
  std::unique_ptr<zip_t, CloseZip> archive{};  ///< null: a folder
  std::vector<Entry> entries{};                ///< sorted by path
  std::vector<bool> is_unpacked{};             ///< entry by entry
  std::optional<TemporaryFolder> folder{};     ///< where entries are unpacked

  [[nodiscard]] auto first_in(std::string_view path) const {
    return std::lower_bound(entries.begin(), entries.end(), path,
                            [](const Entry& entry, std::string_view at) { return entry.path < at; });
  }
  [[nodiscard]] const Entry* entry_at(std::string_view path) const {
    const auto found = first_in(path);
    return found != entries.end() && found->path == path ? &*found : nullptr;
  }
  core::Result<void> unpack(const Entry& entry, const fs::path& root, const std::string& shown) const;
  core::Result<void> make_folder() {
    if (folder) return {};
    auto made = TemporaryFolder::make("tieline", "to unpack into");
    if (!made) return made.error();
    folder = std::move(*made);
    return {};
  }
};

Archive::Archive(std::unique_ptr<State> state) : state_(std::move(state)) {}
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;
Archive::~Archive() = default;

std::optional<Archive> Archive::open(const fs::path& file, document::Diagnostics& diagnostics, const Content& content,
                                     const Limits& limits) {
  const document::Place whole{file.string(), 0, 0};
  auto state = std::make_unique<State>();
  state->file = file;
  state->content = content;
  std::error_code trouble;
  const auto status = fs::status(file, trouble);
  if (fs::is_directory(status)) return Archive(std::move(state));
  if (!fs::is_regular_file(status)) {
    diagnostics.error(whole, fs::exists(status) ? "this is neither a file nor a folder" : "the file does not exist");
    return std::nullopt;
  }
  diagnostics.reads(file);
  int code = 0;
  state->archive.reset(zip_open(file.c_str(), ZIP_RDONLY, &code));
  if (!state->archive) {
    diagnostics.error(whole, describe_bad_zip(file, code, content));
    return std::nullopt;
  }
  const std::size_t errors = diagnostics.error_count();
  state->entries = list_entries(state->archive.get(), file, content, limits, diagnostics);
  if (diagnostics.error_count() > errors) return std::nullopt;
  state->is_unpacked.resize(state->entries.size());
  return Archive(std::move(state));
}

const fs::path& Archive::file() const { return state_->file; }

std::string Archive::shown(std::string_view path) const { return (state_->file / path).string(); }

bool Archive::has(std::string_view path) const {
  std::error_code trouble;
  if (!state_->archive) return fs::exists(state_->file / path, trouble);
  if (path.empty() || state_->entry_at(path) != nullptr) return true;
  const std::string folder = std::string(path) + '/';
  const auto first = state_->first_in(folder);
  return first != state_->entries.end() && first->path.starts_with(folder);
}

std::vector<std::string> Archive::files_below(std::string_view folder) const {
  std::vector<std::string> files;
  if (state_->archive) {
    const std::string prefix = folder.empty() ? "" : std::string(folder) + '/';
    for (auto it = state_->first_in(prefix); it != state_->entries.end() && it->path.starts_with(prefix); ++it) {
      files.push_back(it->path);
    }
    return files;
  }
  std::error_code trouble;
  // Links to folders are not followed: they may lead in circles.
  fs::recursive_directory_iterator it(state_->file / folder, trouble);
  for (; !trouble && it != fs::recursive_directory_iterator(); it.increment(trouble)) {
    std::error_code odd;
    if (it->is_regular_file(odd)) files.push_back(it->path().lexically_relative(state_->file).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

core::Result<std::string> Archive::read(std::string_view path, std::uint64_t largest) const {
  const auto check_size = [&](std::uint64_t size) -> core::Result<void> {
    if (size <= largest) return {};
    return failure(fmt::format("{}: has {} bytes; the limit is {}", shown(path), size, largest));
  };
  std::string text;
  if (state_->archive) {
    const Entry* entry = state_->entry_at(path);
    if (entry == nullptr)
      return failure(fmt::format("{}: the {} contains no such file", shown(path), state_->content.noun));
    if (auto fits = check_size(entry->size); !fits) return fits.error();
    const auto taken =
        read_entry(state_->archive.get(), *entry, shown(path), [&](const char* bytes, std::size_t count) {
          text.append(bytes, count);
          return core::Result<void>();
        });
    if (!taken) return taken.error();
    return text;
  }
  std::error_code trouble;
  const fs::path file = state_->file / path;
  if (!fs::exists(file, trouble))
    return failure(fmt::format("{}: the {} contains no such file", shown(path), state_->content.noun));
  const auto size = fs::is_regular_file(file, trouble) ? fs::file_size(file, trouble) : 0;
  if (auto fits = check_size(size); !fits) return fits.error();
  text.resize(size);
  std::ifstream stream(file, std::ios::binary);
  if (trouble || !fs::is_regular_file(file, trouble) || !stream.read(text.data(), static_cast<std::streamsize>(size))) {
    return failure(fmt::format("{}: cannot be read", shown(path)));
  }
  return text;
}

core::Result<void> Archive::State::unpack(const Entry& entry, const fs::path& root, const std::string& shown) const {
  const fs::path target = root / entry.path;
  std::error_code trouble;
  fs::create_directories(target.parent_path(), trouble);
  NewFile output(target, entry.is_program);
  if (trouble || !output.is_open()) {
    return failure(fmt::format("{}: cannot be unpacked to '{}': {}", shown, target.string(),
                               trouble ? trouble.message() : system_reason()));
  }
  const auto cannot_write = [&] {
    return failure(fmt::format("{}: cannot be unpacked to '{}': {}; set TMPDIR to use another folder", shown,
                               root.string(), system_reason()));
  };
  auto taken = read_entry(archive.get(), entry, shown, [&](const char* bytes, std::size_t count) {
    return output.write(bytes, count) ? core::Result<void>() : core::Result<void>(cannot_write());
  });
  if (taken && !output.close()) taken = cannot_write();
  if (!taken) fs::remove(target, trouble);
  return taken;
}

core::Result<fs::path> Archive::provide(std::string_view path) {
  if (!has(path))
    return failure(fmt::format("{}: the {} contains no such file or folder", shown(path), state_->content.noun));
  if (!state_->archive) return fs::absolute(state_->file / path);
  if (auto made = state_->make_folder(); !made) return made.error();
  const fs::path& root = state_->folder->path();
  for (std::size_t i = 0; i < state_->entries.size(); ++i) {
    const Entry& entry = state_->entries[i];
    if (state_->is_unpacked[i] || !lies_in(entry.path, path)) continue;
    if (auto unpacked = state_->unpack(entry, root, shown(entry.path)); !unpacked) return unpacked.error();
    state_->is_unpacked[i] = true;
  }
  return path.empty() ? root : root / path;
}

core::Result<fs::path> Archive::provide_folder(std::string_view path) {
  const fs::path own = state_->file / path;
  std::error_code trouble;
  if (!state_->archive && fs::is_directory(own, trouble)) return fs::absolute(own);
  // Folders without files are not unpacked.
  if (state_->archive && has(path)) {
    if (auto provided = provide(path); !provided) return provided;
  }
  if (auto made = state_->make_folder(); !made) return made.error();
  const fs::path folder = state_->folder->path() / path;
  fs::create_directories(folder, trouble);
  if (!fs::is_directory(folder, trouble)) return failure(fmt::format("cannot create the folder '{}'", folder.string()));
  return folder;
}

bool holds(const fs::path& file, std::string_view path) {
  std::error_code trouble;
  if (fs::is_directory(file, trouble)) return fs::is_regular_file(file / path, trouble);
  if (!fs::is_regular_file(file, trouble) || !starts_as_zip(file)) return false;
  int code = 0;
  const std::unique_ptr<zip_t, CloseZip> zip(zip_open(file.c_str(), ZIP_RDONLY, &code));
  return zip && zip_name_locate(zip.get(), std::string(path).c_str(), 0) >= 0;
}

}  // namespace tieline::archive
