#include "interchange/ssp_files.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fmi/fmu_file.hpp"
#include "interchange/foreign_text.hpp"
#include "interchange/ssp_xml.hpp"

namespace tieline::interchange::ssp {
namespace {

namespace fs = std::filesystem;
using document::Diagnostics;
using document::Place;

constexpr archive::Content kContent{.noun = "SSP", .article = "an", .root_file = kDefaultStructure};
// How the Open Simulation Platform writes an FMU that is to run in a process of its own, as FMUs do here.
constexpr std::string_view kLocalProxy = "proxy-fmu://localhost?file=";
// Archives within archives, all together.
constexpr std::size_t kMostPackages = 1000;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The text with %20 and the like as characters; a lone % stays.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = high >= 0 ? digit_of(text[i + 2]) : -1;
    if (low < 0 || high * 16 + low == 0) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

/// "http" of "http://a"; empty: it has none.
std::string scheme_of(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == uri.npos || colon < 2) return "";  // one letter is a drive
  const std::string_view scheme = uri.substr(0, colon);
  const bool is_one = std::all_of(scheme.begin(), scheme.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
  });
  return is_one ? std::string(scheme) : "";
}

/// The structures at the root of an archive.
std::vector<std::string> structures_in(const Package& package) {
  std::vector<std::string> all = package.archive->files_below("");
  std::erase_if(all, [](const std::string& file) { return file.find('/') != file.npos || !file.ends_with(".ssd"); });
  return all;
}

/// What was reported about a file on the disk, as if it had been reported about the file in its archive.
void take_renamed(const Diagnostics& from, const std::string& disk, const std::string& shown, Diagnostics& to) {
  for (const document::Diagnostic& each : from.all()) {
    Place place = each.place;
    if (const auto at = place.file.find(disk); !disk.empty() && at != place.file.npos) {
      place.file.replace(at, disk.size(), shown);
    }
    std::string message = each.message;
    if (const auto at = message.find(disk); !disk.empty() && at != message.npos)
      message.replace(at, disk.size(), shown);
    switch (each.severity) {
      case document::Severity::error:
        to.error(place, std::move(message));
        break;
      case document::Severity::warning:
        to.warning(place, std::move(message));
        break;
      case document::Severity::note:
        to.note(place, std::move(message));
        break;
    }
  }
}

}  // namespace

std::string File::shown() const {
  return package->shown.empty() ? path : (fs::path(package->shown) / path).lexically_normal().string();
}

std::shared_ptr<const Package> Files::open_package(const fs::path& file, std::string shown, std::string target,
                                                   Diagnostics& diagnostics) {
  auto opened = archive::Archive::open(file, diagnostics, kContent);
  if (!opened) return nullptr;
  Package package{.archive = std::make_shared<archive::Archive>(std::move(*opened)),
                  .shown = std::move(shown),
                  .target = std::move(target)};
  std::error_code failure;
  package.is_packed = !fs::is_directory(file, failure);
  package.is_enclosed = true;
  return std::make_shared<Package>(std::move(package));
}

std::optional<File> Files::open(const fs::path& file, const std::string& variant) {
  std::error_code failure;
  const bool is_structure =
      fs::is_regular_file(file, failure) && !archive::holds(file, kDefaultStructure) && file.extension() != ".ssp";
  const fs::path root = is_structure ? (file.has_parent_path() ? file.parent_path() : fs::path(".")) : file;
  auto package = open_package(root, is_structure && !file.has_parent_path() ? "" : root.string(),
                              as_name(file.stem().string()), diagnostics_);
  if (!package) return std::nullopt;
  if (is_structure) {
    auto loose = std::make_shared<Package>(*package);
    loose->is_enclosed = false;
    package = std::move(loose);
  }
  owner_->try_emplace("", package);
  File structure{package, is_structure ? file.filename().string() : std::string(kDefaultStructure)};
  if (!variant.empty() && !is_structure) structure.path = variant;
  std::vector<std::string> others = is_structure ? std::vector<std::string>() : structures_in(*package);
  if (!exists(structure)) {
    diagnostics_.error(
        {file.string(), 0, 0},
        variant.empty()
            ? fmt::format("the archive contains no '{}', which every SSP needs{}", kDefaultStructure,
                          others.empty() ? "" : "; it contains " + fmt::format("{}", fmt::join(others, ", ")))
            : fmt::format("the archive contains no structure '{}'{}", variant, document::suggestion(variant, others)));
    return std::nullopt;
  }
  std::erase(others, kDefaultStructure);
  if (variant.empty() && !others.empty()) {
    diagnostics_.note({file.string(), 0, 0},
                      fmt::format("the archive contains other structures: {}; one of them is read as '{}#NAME'",
                                  fmt::join(others, ", "), file.filename().string()));
  }
  return structure;
}

std::shared_ptr<const Package> Files::open_inner(const File& file, const Place& place) {
  const auto [known, is_new] = owner_->try_emplace(file.shown(), nullptr);
  if (!is_new) return known->second;
  if (owner_->size() > kMostPackages) {
    diagnostics_.error(place, fmt::format("more than {} archives are nested in each other", kMostPackages));
    return nullptr;
  }
  const auto on_disk = provide(file, place);
  if (!on_disk) return nullptr;
  Diagnostics found;
  const std::string target =
      file.package->target + "/" + (fs::path(file.path).parent_path() / fs::path(file.path).stem()).generic_string();
  auto package = open_package(*on_disk, file.shown(), target, found);
  if (file.package->is_packed) {
    take_renamed(found, on_disk->string(), file.shown(), diagnostics_);
  } else {
    diagnostics_.take(found, true);
  }
  owner_->at(file.shown()) = package;
  return package;
}

std::optional<Named> Files::resolve(const File& base, const std::string& uri, const Place& place) {
  const auto refuse = [&](const std::string& why) -> std::optional<Named> {
    diagnostics_.error(place, fmt::format("'{}' {}", uri, why));
    return std::nullopt;
  };
  const std::size_t hash = uri.find('#');
  const std::string fragment = hash == uri.npos ? "" : percent_decoded(uri.substr(hash + 1));
  std::string text = uri.substr(0, hash);
  if (const std::string scheme = scheme_of(text); scheme == "file") {
    text.erase(0, scheme.size() + 1);
    if (text.starts_with("//")) text.erase(0, std::min(text.find('/', 2), text.size()));
  } else if (const std::string_view local = kLocalProxy; text.starts_with(local)) {
    text.erase(0, local.size());
  } else if (!scheme.empty()) {
    return refuse(fmt::format("is not a file: '{}:' is not supported; put the file into the archive", scheme));
  }
  std::string path = percent_decoded(text);
  std::replace(path.begin(), path.end(), '\\', '/');
  if (path.find('\0') != path.npos) return refuse("contains a character that no path may have");
  if (path.empty()) return Named{{base.package, base.path}, fragment};
  const fs::path whole = (fs::path(base.path).parent_path() / path).lexically_normal();
  const bool leaves = whole.is_absolute() || (!whole.empty() && *whole.begin() == "..");
  if (leaves && base.package->is_enclosed) {
    return refuse("leads out of the archive; paths must be relative to the .ssd and stay within it");
  }
  return Named{{base.package, whole.generic_string()}, fragment};
}

bool Files::exists(const File& file) const { return file.package->archive->has(file.path); }

std::shared_ptr<const document::Document> Files::document(const File& file, const Place& place) {
  const std::string name = file.shown();
  const auto [known, is_new] = documents_.try_emplace(name, nullptr);
  if (!is_new) return known->second;
  auto text = file.package->archive->read(file.path, document::Document::kLargestSize);
  if (!text) {
    diagnostics_.error(place, exists(file) ? text.error().message : fmt::format("there is no file '{}'", name));
    return nullptr;
  }
  if (!file.package->is_packed) diagnostics_.reads(file.package->archive->file() / file.path);
  return known->second = document::Document::parse(std::move(*text), name, diagnostics_);
}

std::shared_ptr<const document::Document> Files::document_within(const File& fmu, const std::string& path,
                                                                 const Place& place) {
  const File inner{fmu.package, fmu.path + "/" + path};
  const auto [known, is_new] = documents_.try_emplace(inner.shown(), nullptr);
  if (!is_new) return known->second;
  const auto on_disk = provide(fmu, place);
  if (!on_disk) return nullptr;
  Diagnostics found;
  const auto archive = archive::Archive::open(*on_disk, found, {.noun = "FMU", .article = "an"});
  take_renamed(found, on_disk->string(), fmu.shown(), diagnostics_);
  if (!archive) return nullptr;
  auto text = archive->read(path, document::Document::kLargestSize);
  if (!text) {
    diagnostics_.error(place, fmt::format("there is no file '{}'", inner.shown()));
    return nullptr;
  }
  return known->second = document::Document::parse(std::move(*text), inner.shown(), diagnostics_);
}

std::optional<fs::path> Files::provide(const File& file, const Place& place) {
  if (!exists(file)) {
    std::vector<std::string> known;
    for (const std::string& other : file.package->archive->files_below("resources")) known.push_back(other);
    const std::string nearest = document::nearest_name(file.path, known);
    diagnostics_.error(place, fmt::format("there is no file '{}'{}", file.shown(),
                                          nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)));
    return std::nullopt;
  }
  auto provided = file.package->archive->provide(file.path);
  if (provided) return provided->lexically_normal();
  diagnostics_.error(place, provided.error().message);
  return std::nullopt;
}

std::string Files::name_for(const File& file, const fs::path& on_disk) {
  if (folder_.empty()) return on_disk.generic_string();
  std::error_code failure;
  if (!file.package->is_packed) {
    return on_disk.lexically_proximate(fs::absolute(folder_, failure).lexically_normal()).generic_string();
  }
  const fs::path target = fs::path(file.package->target) / file.path;
  if (!fs::is_directory(on_disk, failure)) {
    companions_.try_emplace(target, on_disk);
    return target.generic_string();
  }
  for (const std::string& inner : file.package->archive->files_below(file.path)) {
    companions_.try_emplace(fs::path(file.package->target) / inner,
                            on_disk / fs::path(inner).lexically_relative(file.path));
  }
  return target.generic_string();
}

std::shared_ptr<const fmi::Description> Files::describe(const File& file, const Place& place) {
  const std::string name = file.shown();
  const auto [known, is_new] = descriptions_.try_emplace(name, nullptr);
  if (!is_new) return known->second;
  const auto on_disk = provide(file, place);
  if (!on_disk) return nullptr;
  Diagnostics found;
  std::optional<fmi::Description> description;
  if (auto archive = fmi::open_fmu(*on_disk, found)) description = fmi::read_description(*archive, found);
  // Its warnings are reported when the component is read.
  if (!description) take_renamed(found, on_disk->string(), name, diagnostics_);
  if (description) known->second = std::make_shared<const fmi::Description>(std::move(*description));
  return known->second;
}

std::vector<Companion> Files::companions() const {
  std::vector<Companion> all;
  for (const auto& [to, from] : companions_) all.push_back({from, to});
  return all;
}

}  // namespace tieline::interchange::ssp
