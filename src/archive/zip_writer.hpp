#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "core/result.hpp"

namespace tieline::archive {

/// Writes a zip archive whose bytes follow from its content alone: entries are sorted by path, times are fixed, and of
/// permissions only whether a file is a program is kept. `add` everything, then `write` once or more.
///
/// A path inside is written with '/', without "." and ".."; one that a careful reader would refuse is an error when it
/// is added, and so is one that is there already. One thread at a time.
class ZipWriter {
 public:
  /// Adds a file with this content.
  core::Result<void> add(std::string_view path, std::string content);
  /// Adds a file from the disk, which is read when the archive is written; executable where that file is.
  core::Result<void> add_file(std::string_view path, const std::filesystem::path& source);
  /// Adds every file below a folder on the disk, below `path` ("": the root). Symbolic links and whatever is no plain
  /// file in it are an error.
  core::Result<void> add_folder(std::string_view path, const std::filesystem::path& source);

  /// Replaces `file` when the archive is whole: until then it stands beside it under another name, and is removed after
  /// an error. A link is followed to what it names.
  [[nodiscard]] core::Result<void> write(const std::filesystem::path& file) const;

 private:
  struct Item {
    std::variant<std::string, std::filesystem::path> content{};  ///< itself, or where it is
    bool is_program = false;
  };
  core::Result<void> insert(std::string_view path, Item item);

  std::map<std::string, Item, std::less<>> items_;  ///< by path, sorted
};

}  // namespace tieline::archive
