#include "fmu_export/packing.hpp"

#include <fmt/format.h>
#include <fstream>
#include <map>

#include "archive/archive.hpp"
#include "core/library_folders.hpp"

namespace tieline::fmu_export {
namespace {

namespace fs = std::filesystem;

fs::path whole(const fs::path& file) { return fs::absolute(file).lexically_normal(); }

/// Whether a path is in a folder, and where.
fs::path path_in(const fs::path& file, const fs::path& folder) {
  fs::path relative = file.lexically_relative(folder);
  if (relative.empty() || *relative.begin() == "..") return {};
  return relative;
}

/// Where a library is that is found by its name; empty: the file is none.
fs::path library_place(const fs::path& file) {
  for (const core::LibraryFolder& folder : core::library_folders()) {
    if (fs::path place = path_in(file, whole(folder.path)); !place.empty()) return place;
  }
  return {};
}

fs::path common_part(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end() && *i == *j; ++i, ++j) common /= *i;
  return common;
}

void unpack(const fs::path& file, const fs::path& target, document::Diagnostics& diagnostics) {
  const auto archive = archive::Archive::open(file, diagnostics, {.noun = "FMU", .article = "an"});
  if (!archive) return;
  for (const std::string& inside : archive->files_below("")) {
    const auto content = archive->read(inside);
    if (!content) return diagnostics.error({file.string(), 0, 0}, content.error().describe());
    std::error_code failure;
    fs::create_directories((target / inside).parent_path(), failure);
    std::ofstream stream(target / inside, std::ios::binary);
    stream.write(content->data(), static_cast<std::streamsize>(content->size()));
    if (!stream.flush()) return diagnostics.error({file.string(), 0, 0}, "cannot be unpacked into a temporary folder");
  }
}

}  // namespace

PackedFiles::PackedFiles(fs::path model, const std::set<std::string>& files, fs::path folder)
    : model_(whole(model)), root_(model_.parent_path()), folder_(std::move(folder)) {
  for (const std::string& file : files) {
    const fs::path path = whole(file);
    files_.insert(path);
    if (library_place(path).empty()) root_ = common_part(root_, path.parent_path());
  }
}

fs::path PackedFiles::place_of(const fs::path& file) const {
  const fs::path path = whole(file);
  const fs::path library = library_place(path);
  if (!library.empty()) return model_.parent_path().lexically_relative(root_) / library;
  return path.lexically_relative(root_);
}

void PackedFiles::copy(document::Diagnostics& diagnostics) {
  std::map<fs::path, fs::path> taken;
  for (const fs::path& file : files_) {
    const fs::path place = place_of(file).lexically_normal();
    if (const auto [other, is_new] = taken.try_emplace(place, file); !is_new) {
      diagnostics.error({file.string(), 0, 0}, fmt::format("would have the same place in the FMU as '{}'; rename one",
                                                           other->second.string()));
      continue;
    }
    const fs::path target = folder_ / place;
    std::error_code failure;
    fs::create_directories(target.parent_path(), failure);
    if (fs::is_directory(file, failure)) {
      fs::copy(file, target, fs::copy_options::recursive, failure);
    } else if (archive::holds(file, "modelDescription.xml")) {
      unpack(file, target, diagnostics);
      continue;
    } else {
      fs::copy_file(file, target, failure);
    }
    if (failure) diagnostics.error({file.string(), 0, 0}, fmt::format("cannot be packed: {}", failure.message()));
  }
}

}  // namespace tieline::fmu_export
