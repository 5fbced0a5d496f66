#include "fmi/own_libraries.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fstream>
#include <link.h>
#include <map>
#include <system_error>

#include "fmi/elf_file.hpp"
#include "fmi/linker_paths.hpp"

namespace tieline::fmi {
namespace {

namespace fs = std::filesystem;

// More than any FMU has: a circle of them ends here.
constexpr std::size_t kMostOwnLibraries = 500;
// Letters at the start of a name that are replaced; the length of a name cannot change.
constexpr std::size_t kChangedLetters = 3;

/// Parts of the languages themselves: what one copy has allocated, thrown or registered the other does not know.
bool is_of_language(std::string_view name) {
  static constexpr std::array<std::string_view, 12> kNames{"libc.so",     "libm.so",    "libpthread.so", "libdl.so",
                                                           "librt.so",    "libutil.so", "ld-linux",      "libstdc++.so",
                                                           "libgcc_s.so", "libasan.so", "libtsan.so",    "libubsan.so"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view each) { return name.starts_with(each); });
}

/// Where the library is that this process has under a name; nothing if it has none.
std::optional<fs::path> loaded_as(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return std::nullopt;
  link_map* map = nullptr;
  const bool is_known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
  const fs::path place = is_known ? map->l_name : "";
  dlclose(handle);
  return place;
}

bool have_same_content(const fs::path& one, const fs::path& other) {
  std::error_code failure;
  if (fs::equivalent(one, other, failure) && !failure) return true;
  const auto size = fs::file_size(one, failure);
  if (failure || fs::file_size(other, failure) != size || failure) return false;
  return file_content(one) == file_content(other);
}

/// A library of the FMU.
struct BroughtLibrary {
  std::string name{};  ///< by which others need it; of the FMU's library itself, its file name
  fs::path file{};
  ElfFile elf{};
  std::vector<std::pair<fs::path, std::string>> rpaths{};  ///< of those that led to it, with their places
  std::string new_name{};
};

/// Finds the libraries that the linker would take from within the FMU, if this process had none.
class BroughtLibraries {
 public:
  explicit BroughtLibraries(const fs::path& library) : environment_(LinkerPaths::of_environment()) {
    std::error_code ignored;
    folder_ = fs::canonical(library.parent_path(), ignored);
    const bool is_usual = folder_.parent_path().filename() == "binaries";
    root_ = is_usual ? folder_.parent_path().parent_path() : folder_;
    add(library.filename().string(), folder_ / library.filename(), {});
    for (std::size_t i = 0; i < found_.size() && found_.size() < kMostOwnLibraries; ++i) follow(i);
  }

  [[nodiscard]] std::vector<BroughtLibrary>& found() { return found_; }
  [[nodiscard]] const fs::path& root() const { return root_; }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  bool add(const std::string& name, const fs::path& file, std::vector<std::pair<fs::path, std::string>> rpaths) {
    auto elf = read_elf(file_content(file));
    if (!elf) return false;
    found_.push_back({name, file, std::move(*elf), std::move(rpaths), ""});
    return true;
  }

  void follow(std::size_t i) {
    const std::vector<std::string> needed = found_[i].elf.needed;
    for (const std::string& name : needed) {
      const bool is_known =
          std::any_of(found_.begin(), found_.end(), [&](const BroughtLibrary& each) { return each.name == name; });
      if (is_known || name.size() <= kChangedLetters || name.find('/') != name.npos || is_of_language(name)) continue;
      auto rpaths = found_[i].rpaths;
      if (found_[i].elf.runpath.empty()) rpaths.emplace_back(found_[i].file.parent_path(), found_[i].elf.rpath);
      const fs::path file = search(name, found_[i], rpaths);
      if (!file.empty()) add(name, file, std::move(rpaths));
    }
  }

  /// In the order of the linker, and at last beside the FMU's library. Empty: not in the FMU.
  [[nodiscard]] fs::path search(const std::string& name, const BroughtLibrary& by,
                                const std::vector<std::pair<fs::path, std::string>>& rpaths) const {
    std::vector<fs::path> folders;
    const auto add_stated = [&](const std::string& text, const fs::path& origin) {
      for (const StatedFolder& each : stated_folders(text, origin)) folders.push_back(each.path);
    };
    if (by.elf.runpath.empty()) {
      for (auto it = rpaths.rbegin(); it != rpaths.rend(); ++it) add_stated(it->second, it->first);
    }
    folders.insert(folders.end(), environment_.begin(), environment_.end());
    add_stated(by.elf.runpath, by.file.parent_path());
    folders.push_back(folder_);
    std::error_code ignored;
    for (const fs::path& folder : folders) {
      const fs::path file = folder / name;
      if (!fs::is_regular_file(file, ignored)) continue;
      const fs::path place = fs::canonical(file, ignored);
      return is_inside(place) ? place : fs::path();
    }
    return {};
  }
  [[nodiscard]] bool is_inside(const fs::path& place) const {
    const auto [end, rest] = std::mismatch(root_.begin(), root_.end(), place.begin(), place.end());
    static_cast<void>(rest);
    return end == root_.end();
  }

  std::vector<fs::path> environment_;
  fs::path folder_, root_;
  std::vector<BroughtLibrary> found_;  ///< the FMU's library first
};

/// A name of the same length that no library has.
std::string free_name(const std::string& name) {
  static std::atomic<std::size_t> next{0};
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string changed = name;
  do {
    std::size_t number = next++;
    for (std::size_t k = 0; k < kChangedLetters; ++k, number /= kDigits.size()) {
      changed[k] = kDigits[number % kDigits.size()];
    }
  } while (changed == name || loaded_as(changed));
  return changed;
}

core::Error no_copies(const fs::path& place, const std::string& why) {
  return {.code = core::ErrorCode::input_output,
          .message = fmt::format("the FMU's libraries cannot be copied to '{}': {}", place.string(), why)};
}

/// Links to everything in a folder, except for one entry.
void link_entries(const fs::path& from, const fs::path& to, const fs::path& except, std::error_code& failure) {
  fs::create_directories(to, failure);
  for (auto it = fs::directory_iterator(from, failure); !failure && it != fs::directory_iterator();
       it.increment(failure)) {
    if (it->path().filename() == except) continue;
    std::error_code exists;
    fs::create_symlink(it->path(), to / it->path().filename(), exists);
  }
}

}  // namespace

core::Result<std::optional<OwnLibraries>> OwnLibraries::separate(const fs::path& library) {
  BroughtLibraries brought(library);
  std::vector<BroughtLibrary>& found = brought.found();
  std::map<std::string, std::string> names;
  for (std::size_t i = 1; i < found.size(); ++i) {
    const auto loaded = loaded_as(found[i].name);
    if (!loaded || have_same_content(*loaded, found[i].file)) continue;
    names[found[i].name] = found[i].new_name = free_name(found[i].name);
  }
  if (names.empty()) return std::optional<OwnLibraries>();

  auto folder = archive::TemporaryFolder::make("tieline", "for the libraries of an FMU");
  if (!folder) return folder.error();
  OwnLibraries own(std::move(*folder));
  const bool is_usual = brought.root() != brought.folder();
  const fs::path to =
      is_usual ? own.folder_.path() / "fmu" / "binaries" / brought.folder().filename() : own.folder_.path() / "fmu";
  std::error_code failure;
  fs::create_directories(to, failure);
  // The copies of all of them: one that keeps its name may need one that does not.
  for (std::size_t i = found.size(); i-- > 0;) {
    const BroughtLibrary& each = found[i];
    std::string bytes = file_content(each.file);
    if (auto renamed = rename_libraries(bytes, names); !renamed) return no_copies(to, renamed.error().message);
    const fs::path copy = to / (i == 0                  ? library.filename().string()
                                : each.new_name.empty() ? each.name
                                                        : each.new_name);
    std::ofstream out(copy, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) return no_copies(copy, "the disk may be full");
    if (i == 0) {
      own.file_ = copy;
    } else {
      own.helpers_.push_back(copy);
    }
  }
  if (!failure) link_entries(brought.folder(), to, "", failure);
  if (!failure && is_usual) link_entries(brought.root(), own.folder_.path() / "fmu", "binaries", failure);
  if (failure) return no_copies(to, failure.message());
  return std::optional<OwnLibraries>(std::move(own));
}

}  // namespace tieline::fmi
