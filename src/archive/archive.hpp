#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "document/diagnostics.hpp"

namespace tieline::archive {

/// What an archive may ask for at most.
struct Limits {
  std::size_t most_entries = 200'000;
  std::uint64_t largest_total = std::uint64_t{16} << 30;  ///< unpacked [bytes]
  /// An archive that grows to more than this is refused where it grows by more than largest_ratio. [bytes]
  std::uint64_t harmless_total = std::uint64_t{1} << 30;
  double largest_ratio = 200.0;  ///< unpacked size to size of the file
};

/// What an archive is expected to contain. The texts must outlive the archive.
struct Content {
  std::string_view noun = "archive";  ///< in messages: "FMU"
  std::string_view article = "an";    ///< of the noun
  /// A file at its root. An archive that has it in a folder at the top only is read from that folder on, with a
  /// warning. Empty: none is looked for.
  std::string_view root_file = "";
};

/// The files of a zip archive, or of a folder with the same content. Of an archive only what is asked for is unpacked,
/// into a folder of its own that only the user may enter and that is removed with this object; of a folder everything
/// is used where it is. Entries that lead elsewhere (absolute names, "..", links), encrypted or doubled ones and
/// archives that would fill the disk are refused when it is opened, before anything is written. Paths inside are
/// written with '/'. One thread at a time.
class Archive {
 public:
  /// Nothing after a file that cannot be used; all reasons are in `diagnostics`.
  static std::optional<Archive> open(const std::filesystem::path& file, document::Diagnostics& diagnostics,
                                     const Content& content = {}, const Limits& limits = {});
  Archive(Archive&&) noexcept;
  Archive& operator=(Archive&&) noexcept;
  ~Archive();

  /// What was opened.
  [[nodiscard]] const std::filesystem::path& file() const;
  /// A file or a folder inside.
  [[nodiscard]] bool has(std::string_view path) const;
  /// A file inside as it may be shown to people: "model.fmu/modelDescription.xml".
  [[nodiscard]] std::string shown(std::string_view path) const;
  /// Files below a folder inside, at any depth, sorted; paths from the archive's root.
  [[nodiscard]] std::vector<std::string> files_below(std::string_view folder) const;

  /// The content of a file inside, without unpacking it.
  [[nodiscard]] core::Result<std::string> read(std::string_view path,
                                               std::uint64_t largest = std::uint64_t{1} << 30) const;
  /// Where a file or a folder inside is on disk, with all that is in it; unpacked where this has not happened yet.
  [[nodiscard]] core::Result<std::filesystem::path> provide(std::string_view path);
  /// The same for a folder that need not be there: it is then empty, in the folder that is removed with this object.
  [[nodiscard]] core::Result<std::filesystem::path> provide_folder(std::string_view path);

 private:
  struct State;
  explicit Archive(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Whether a zip archive or a folder has this file at its top; false if `file` is neither, whatever its name. Only
/// its directory is looked at, so this says nothing of whether it can be opened.
[[nodiscard]] bool holds(const std::filesystem::path& file, std::string_view path);

}  // namespace tieline::archive
