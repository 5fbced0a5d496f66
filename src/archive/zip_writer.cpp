#include "archive/zip_writer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <vector>
#include <zip.h>

#include "archive/entries.hpp"

namespace tieline::archive {
namespace fs = std::filesystem;
namespace {

// The first day that a zip archive can name: 1980-01-01, as PKWARE's APPNOTE 4.4.6 packs it.
constexpr zip_uint16_t kFixedDate = 0 << 9 | 1 << 5 | 1;
constexpr zip_uint16_t kFixedTime = 0;
// Stated, since a newer libzip may choose another level.
constexpr zip_uint32_t kDeflateLevel = 6;
// Programs: three times as fast, and a seventh larger.
constexpr zip_uint32_t kFastLevel = 1;
constexpr std::uintmax_t kLargeFile = 1 << 20;

struct DiscardZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

core::Error no_entry(std::string_view path, std::string_view problem) {
  return core::bad_input(fmt::format("entry '{}' {}", path, problem));
}

core::Error no_archive(const fs::path& file, std::string_view reason) {
  return {.code = core::ErrorCode::input_output,
          .message = fmt::format("cannot write '{}': {}", file.string(), reason)};
}

/// Adds one entry; false after a failure, which the archive knows.
bool put(zip_t* archive, const std::string& path, zip_source_t* source, bool is_program, zip_uint32_t level) {
  if (source == nullptr) return false;
  const zip_int64_t index = zip_file_add(archive, path.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  const auto at = static_cast<zip_uint64_t>(index);
  const zip_uint32_t mode = S_IFREG | (is_program ? 0755u : 0644u);
  return zip_set_file_compression(archive, at, ZIP_CM_DEFLATE, level) == 0 &&
         zip_file_set_dostime(archive, at, kFixedTime, kFixedDate, 0) == 0 &&
         zip_file_set_external_attributes(archive, at, 0, ZIP_OPSYS_UNIX, mode << 16) == 0;
}

}  // namespace

core::Result<void> ZipWriter::insert(std::string_view path, Item item) {
  const CleanName clean = clean_name(path, "archive");
  if (!clean.problem.empty()) return no_entry(clean.path, clean.problem);
  if (clean.path != path) return no_entry(path, "must be a file path with '/', without '.' and empty parts");
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    if (items_.contains(path.substr(0, slash))) {
      return no_entry(path, fmt::format("is in '{}', which is a file", path.substr(0, slash)));
    }
  }
  const auto below = items_.lower_bound(std::string(path) + '/');
  if (below != items_.end() && lies_in(below->first, path)) return no_entry(path, "is already a folder");
  if (!items_.emplace(path, std::move(item)).second) return no_entry(path, "already exists");
  return {};
}

core::Result<void> ZipWriter::add(std::string_view path, std::string content) {
  return insert(path, {.content = std::move(content)});
}

core::Result<void> ZipWriter::add_file(std::string_view path, const fs::path& source) {
  std::error_code trouble;
  const auto status = fs::status(source, trouble);
  if (!fs::is_regular_file(status)) {
    return no_entry(path, fmt::format("cannot be read from '{}', which {}", source.string(),
                                      fs::exists(status) ? "is not a regular file" : "does not exist"));
  }
  const bool is_program = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
  return insert(path, {.content = source, .is_program = is_program});
}

core::Result<void> ZipWriter::add_folder(std::string_view path, const fs::path& source) {
  std::error_code trouble;
  fs::recursive_directory_iterator it(source, trouble);
  for (; !trouble && it != fs::recursive_directory_iterator(); it.increment(trouble)) {
    const std::string relative = it->path().lexically_relative(source).generic_string();
    const std::string inside = path.empty() ? relative : fmt::format("{}/{}", path, relative);
    const auto status = it->symlink_status(trouble);
    if (trouble) break;
    if (fs::is_symlink(status)) return no_entry(inside, "is a symbolic link; pack the file itself");
    if (fs::is_directory(status)) continue;
    if (auto added = add_file(inside, it->path()); !added) return added;
  }
  if (trouble) {
    return core::Error{
        .code = core::ErrorCode::input_output,
        .message = fmt::format("the folder '{}' cannot be read: {}", source.string(), trouble.message())};
  }
  return {};
}

core::Result<void> ZipWriter::write(const fs::path& file) const {
  if (items_.empty()) return no_archive(file, "an archive needs at least one file");
  std::error_code trouble;
  // Follow a link to what it names; never put a file in the place of a device or a folder.
  const fs::path target = fs::exists(file, trouble) ? fs::canonical(file, trouble) : file;
  if (fs::exists(target, trouble) && !fs::is_regular_file(target, trouble)) {
    return no_archive(file, "it is not a regular file");
  }
  int code = 0;
  std::unique_ptr<zip_t, DiscardZip> archive(zip_open(target.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string reason = zip_error_strerror(&error);
    zip_error_fini(&error);
    return no_archive(file, reason);
  }
  for (const auto& [path, item] : items_) {
    const auto* text = std::get_if<std::string>(&item.content);
    zip_source_t* source = text != nullptr
                               ? zip_source_buffer(archive.get(), text->data(), text->size(), 0)
                               : zip_source_file(archive.get(), std::get<fs::path>(item.content).c_str(), 0, -1);
    const bool is_large =
        text == nullptr && fs::file_size(std::get<fs::path>(item.content), trouble) > kLargeFile && !trouble;
    if (!put(archive.get(), path, source, item.is_program, is_large ? kFastLevel : kDeflateLevel)) {
      return no_archive(file, fmt::format("entry '{}': {}", path, zip_strerror(archive.get())));
    }
  }
  // libzip writes to a new file beside the target and renames it when all went well; otherwise it removes that file.
  if (zip_close(archive.get()) != 0) return no_archive(file, zip_strerror(archive.get()));
  (void)archive.release();
  return {};
}

}  // namespace tieline::archive
