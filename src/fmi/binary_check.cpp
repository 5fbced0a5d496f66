#include "fmi/binary_check.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "fmi/elf_file.hpp"
#include "fmi/fmu_file.hpp"
#include "fmi/linker_paths.hpp"

namespace tieline::fmi {
namespace {

namespace fs = std::filesystem;

// Libraries that one FMU may lead to.
constexpr std::size_t kMostLibraries = 1000;
// As many are named of what is missing.
constexpr std::size_t kMostProblems = 20;

/// Where a library is: inside the FMU, or on this machine.
struct LibraryPlace {
  bool is_inside = false;
  fs::path path{};

  [[nodiscard]] auto operator<=>(const LibraryPlace&) const = default;
};

/// A library on the way, with what its own search needs.
struct LinkedLibrary {
  LibraryPlace place{};
  ElfFile elf{};
  std::vector<std::pair<LibraryPlace, std::string>> inherited{};  ///< places and RPATHs of those that led to it
};

/// Follows the libraries that an FMU needs.
class LinkSearch {
 public:
  LinkSearch(const archive::Archive& fmu, std::string folder, BinaryReport& report)
      : fmu_(fmu), folder_(std::move(folder)), report_(report), paths_(LinkerPaths::own()) {}

  void follow(const std::string& file, ElfFile elf) {
    note(std::move(elf), {true, file}, {});
    while (!waiting_.empty()) {
      const LinkedLibrary library = std::move(waiting_.front());
      waiting_.pop_front();
      follow_needed(library);
    }
  }
  /// Whether the libraries that come with the FMU say what they define.
  [[nodiscard]] bool knows_symbols() const {
    return std::any_of(inside_.begin(), inside_.end(), [](const ElfFile& elf) { return !elf.symbols.empty(); });
  }
  /// Whether one of the libraries that come with the FMU defines a function.
  [[nodiscard]] bool defines(std::string_view symbol) const {
    return std::any_of(inside_.begin(), inside_.end(), [&](const ElfFile& elf) { return elf.defines(symbol); });
  }

 private:
  void note(ElfFile elf, const LibraryPlace& place, std::vector<std::pair<LibraryPlace, std::string>> inherited) {
    if (place.is_inside) inside_.push_back(elf);
    // The others are this machine's own business.
    if (place.is_inside || !is_standard(place.path)) waiting_.push_back({place, std::move(elf), std::move(inherited)});
  }
  [[nodiscard]] bool is_standard(const fs::path& file) const {
    const fs::path folder = file.parent_path();
    return std::find(paths_.standard.begin(), paths_.standard.end(), folder) != paths_.standard.end();
  }

  void follow_needed(const LinkedLibrary& library) {
    for (const std::string& name : library.elf.needed) {
      if (name.empty() || seen_.size() >= kMostLibraries) continue;
      if (!seen_.insert(name).second) continue;
      auto inherited = library.inherited;
      if (library.elf.runpath.empty()) inherited.emplace_back(library.place, library.elf.rpath);
      const auto found = find(name, library, inherited);
      if (!found) {
        report_.problems.push_back(fmt::format("'{}' needs the library '{}', which is not on this machine; {}",
                                               library.place.path.filename().string(), name, advice_on_library(name)));
        continue;
      }
      report_.libraries.push_back(found->first.path.string());
      versions_[name] = {found->second.defined_versions, found->first.path.string()};
      note(found->second, found->first, std::move(inherited));
    }
    check_versions(library);
  }

  void check_versions(const LinkedLibrary& library) {
    std::map<std::string, std::vector<std::string>> missing;
    for (const NeededVersion& needed : library.elf.needed_versions) {
      const auto known = versions_.find(needed.file);
      if (known == versions_.end() || known->second.first.empty()) continue;
      const auto& defined = known->second.first;
      if (std::find(defined.begin(), defined.end(), needed.name) == defined.end()) {
        missing[needed.file].push_back(needed.name);
      }
    }
    for (const auto& [file, names] : missing) {
      report_.problems.push_back(
          fmt::format("'{}' needs version {} of '{}', which this machine's ('{}') does not have: it was built on a "
                      "newer system; export it on an older one, or use a newer one",
                      library.place.path.filename().string(), fmt::join(names, ", "), file, versions_[file].second));
    }
  }

  using Found = std::pair<LibraryPlace, ElfFile>;

  [[nodiscard]] std::optional<Found> find(const std::string& name, const LinkedLibrary& by,
                                          const std::vector<std::pair<LibraryPlace, std::string>>& rpaths) const {
    if (name.find('/') != name.npos)
      return take({false, stated_folders(name, by.place.path.parent_path()).front().path});
    if (by.elf.runpath.empty()) {
      for (auto it = rpaths.rbegin(); it != rpaths.rend(); ++it) {
        if (auto found = find_in(it->second, it->first, name)) return found;
      }
    }
    for (const fs::path& folder : paths_.environment) {
      if (auto found = take({false, folder / name})) return found;
    }
    if (auto found = find_in(by.elf.runpath, by.place, name)) return found;
    const auto [first, last] = paths_.cache.equal_range(name);
    for (auto it = first; it != last; ++it) {
      if (auto found = take({false, it->second})) return found;
    }
    for (const fs::path& folder : paths_.standard) {
      if (auto found = take({false, folder / name})) return found;
    }
    // What lies beside the FMU's library is loaded before it.
    return take({true, fs::path(folder_) / name});
  }

  /// In the folders that a library states; $ORIGIN is its own.
  [[nodiscard]] std::optional<Found> find_in(const std::string& folders, const LibraryPlace& of,
                                             const std::string& name) const {
    for (const StatedFolder& folder : stated_folders(folders, of.path.parent_path())) {
      if (auto found = take({of.is_inside && folder.is_relative, (folder.path / name).lexically_normal()}))
        return found;
    }
    return std::nullopt;
  }

  /// The library at a place, if there is one for this machine.
  [[nodiscard]] std::optional<Found> take(const LibraryPlace& place) const {
    std::string bytes;
    if (place.is_inside) {
      const std::string path = place.path.generic_string();
      // Nothing else is unpacked.
      const bool is_unpacked = path.starts_with(folder_ + "/") || path.starts_with("resources/");
      if (!is_unpacked || !fmu_.has(path)) return std::nullopt;
      auto read = fmu_.read(path);
      if (!read) return std::nullopt;
      bytes = std::move(*read);
    } else {
      bytes = file_content(place.path);
    }
    auto elf = bytes.empty() ? core::Result<ElfFile>(core::Error{}) : read_elf(bytes);
    if (!elf) return std::nullopt;
    return Found{place, std::move(*elf)};
  }

  const archive::Archive& fmu_;
  std::string folder_;
  BinaryReport& report_;
  LinkerPaths paths_;
  std::deque<LinkedLibrary> waiting_;
  std::set<std::string> seen_;
  std::vector<ElfFile> inside_;
  /// By name: the versions of symbols that a library defines, and where it is.
  std::map<std::string, std::pair<std::vector<std::string>, std::string>> versions_;
};

std::vector<std::string> required_functions(int version, InterfaceType type) {
  std::vector<std::string> names;
  const bool is_exchange = type == InterfaceType::model_exchange;
#define TIELINE_FMI_NAME(name) names.emplace_back(#name);
  if (version == 2) {
    FMI2_BASIC_FUNCTIONS(TIELINE_FMI_NAME)
    if (is_exchange) {
      FMI2_MODEL_EXCHANGE_FUNCTIONS(TIELINE_FMI_NAME)
    } else {
      FMI2_CO_SIMULATION_FUNCTIONS(TIELINE_FMI_NAME)
    }
  }
  if (version == 3) {
    FMI3_BASIC_FUNCTIONS(TIELINE_FMI_NAME)
    if (is_exchange) {
      FMI3_MODEL_EXCHANGE_FUNCTIONS(TIELINE_FMI_NAME)
    } else {
      FMI3_CO_SIMULATION_FUNCTIONS(TIELINE_FMI_NAME)
    }
  }
#undef TIELINE_FMI_NAME
  return names;
}

/// Libraries below binaries/ that are for this machine and have the name of the model.
std::vector<std::string> fitting_libraries(const archive::Archive& fmu, const std::string& model_identifier) {
  std::vector<std::string> fitting;
  for (const std::string& path : fmu.files_below("binaries")) {
    if (fs::path(path).filename() != model_identifier + ".so") continue;
    const auto bytes = fmu.read(path);
    if (bytes && read_elf(*bytes)) fitting.push_back(path);
  }
  return fitting;
}

}  // namespace

core::Result<BinaryChoice> choose_binary(const archive::Archive& fmu, int version,
                                         const std::string& model_identifier) {
  std::vector<std::string> folders;
  for (const Platform& platform : platforms_of(fmu)) folders.push_back(platform.name);
  auto usual = choose_platform(version, folders);
  if (usual && fmu.has(fmt::format("binaries/{}/{}.so", usual->folder, model_identifier))) {
    return BinaryChoice{"binaries/" + usual->folder, usual->warning};
  }
  const std::vector<std::string> fitting = fitting_libraries(fmu, model_identifier);
  if (fitting.size() == 1) {
    const std::string folder = fs::path(fitting.front()).parent_path().generic_string();
    return BinaryChoice{
        folder,
        fmt::format("the library for this machine is in '{}', which is not where FMI {}.0 wants it", folder, version)};
  }
  if (usual) return BinaryChoice{"binaries/" + usual->folder, usual->warning};
  return usual.error();
}

BinaryReport check_binary(const archive::Archive& fmu, const Description& description, InterfaceType type) {
  BinaryReport report;
  const bool is_exchange = type == InterfaceType::model_exchange;
  if (is_exchange ? !description.model_exchange : !description.co_simulation) return report;
  const std::string& identifier =
      is_exchange ? description.model_exchange->model_identifier : description.co_simulation->model_identifier;
  const auto choice = choose_binary(fmu, description.version, identifier);
  if (!choice) {
    report.problems.push_back(choice.error().message);
    return report;
  }
  if (!choice->warning.empty()) report.warnings.push_back(choice->warning);
  const std::string file = choice->folder + "/" + identifier + ".so";
  if (!fmu.has(file)) {
    std::vector<std::string> others;
    for (const std::string& path : fmu.files_below(choice->folder)) {
      if (path.ends_with(".so")) others.push_back(fs::path(path).filename().string());
    }
    report.problems.push_back(no_library(identifier + ".so", fs::path(choice->folder).filename().string(), others));
    return report;
  }
  report.file = file;
  const auto bytes = fmu.read(file);
  if (!bytes) {
    report.problems.push_back(bytes.error().message);
    return report;
  }
  auto elf = read_elf(*bytes);
  if (!elf) {
    report.problems.push_back(fmt::format("'{}.so' {}", identifier, elf.error().message));
    return report;
  }
  LinkSearch search(fmu, choice->folder, report);
  search.follow(file, std::move(*elf));
  if (!report.problems.empty()) {
    if (report.problems.size() > kMostProblems) report.problems.resize(kMostProblems);
    return report;
  }
  std::vector<std::string> missing;
  for (const std::string& name : required_functions(description.version, type)) {
    if (search.knows_symbols() && !search.defines(name)) missing.push_back(name);
  }
  if (!missing.empty()) report.problems.push_back(missing_functions(identifier + ".so", type, missing));
  return report;
}

}  // namespace tieline::fmi
