#include "archive/entries.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <zip.h>

namespace tieline::archive {
namespace {

constexpr std::size_t kLongestPath = 4000;  ///< [bytes], below what Linux takes
constexpr std::size_t kMostComplaints = 20;
constexpr std::size_t kMostWarnings = 3;

/// Collects what is wrong with an archive's entries; beyond a few, their number.
class Complaints {
 public:
  Complaints(const std::filesystem::path& file, document::Diagnostics& diagnostics)
      : place_{file.string(), 0, 0}, diagnostics_(diagnostics) {}
  ~Complaints() {
    if (count_ > kMostComplaints) {
      diagnostics_.error(place_, fmt::format("and {} more entries like these", count_ - kMostComplaints));
    }
  }
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  void entry(std::string_view name, std::string_view what) {
    if (++count_ > kMostComplaints) return;
    diagnostics_.error(place_, fmt::format("entry '{}' {}", name.substr(0, 200), what));
  }
  void warn_of_entry(std::string_view name, std::string_view what) {
    if (++warnings_ <= kMostWarnings) warn(fmt::format("entry '{}' {}", name.substr(0, 200), what));
  }
  void whole(std::string message) { diagnostics_.error(place_, std::move(message)); }
  void warn(std::string message) { diagnostics_.warning(place_, std::move(message)); }

 private:
  document::Place place_;
  document::Diagnostics& diagnostics_;
  std::size_t count_ = 0;
  std::size_t warnings_ = 0;
};

/// Permissions and kind of an entry as Unix knows them, or 0.
mode_t mode_of(zip* archive, std::uint64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, index, 0, &system, &attributes) != 0) return 0;
  const bool is_unix = system == ZIP_OPSYS_UNIX || system == ZIP_OPSYS_OS_X;
  return is_unix ? static_cast<mode_t>(attributes >> 16) : 0;
}

/// Why an entry cannot be unpacked, or nothing.
std::string find_problem(const zip_stat_t& facts, mode_t mode, std::string_view noun) {
  if (S_ISLNK(mode)) return "is a symbolic link; pack the file itself";
  if (mode != 0 && (mode & S_IFMT) != 0 && !S_ISREG(mode) && !S_ISDIR(mode)) return "is not a regular file";
  if ((facts.valid & ZIP_STAT_SIZE) == 0) return "does not state its size";
  if ((facts.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && facts.encryption_method != ZIP_EM_NONE) {
    return fmt::format("is encrypted; pack the {} without a password", noun);
  }
  if ((facts.valid & ZIP_STAT_COMP_METHOD) != 0 && zip_compression_method_supported(facts.comp_method, 0) == 0) {
    return fmt::format("uses compression method {}, which is not supported; {}s use 'deflate'", facts.comp_method,
                       noun);
  }
  return "";
}

/// Of entries of one name the first is kept; where they differ it must not be needed.
void join_doubles(zip* archive, std::vector<Entry>& sorted, Complaints& complaints) {
  const auto content_of = [&](const Entry& entry) -> std::optional<std::pair<std::uint64_t, std::uint32_t>> {
    zip_stat_t facts{};
    if (zip_stat_index(archive, entry.index, 0, &facts) != 0 || (facts.valid & ZIP_STAT_CRC) == 0) return std::nullopt;
    return std::pair(entry.size, facts.crc);
  };
  std::vector<Entry> kept;
  for (Entry& entry : sorted) {
    if (kept.empty() || kept.back().path != entry.path) {
      kept.push_back(std::move(entry));
      continue;
    }
    const auto first = content_of(kept.back()), second = content_of(entry);
    const bool is_same = first && first == second;
    kept.back().is_ambiguous = kept.back().is_ambiguous || !is_same;
    complaints.warn_of_entry(entry.path, is_same ? "appears twice in the archive, with the same content"
                                                 : "appears twice in the archive, with different content");
  }
  sorted = std::move(kept);
}

void check_names(const std::vector<Entry>& sorted, Complaints& complaints) {
  const auto by_path = [](const Entry& entry, std::string_view path) { return entry.path < path; };
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::string_view path = sorted[i].path;
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
      const std::string_view parent = path.substr(0, slash);
      const auto found = std::lower_bound(sorted.begin(), sorted.end(), parent, by_path);
      if (found != sorted.end() && found->path == parent) {
        complaints.entry(path, fmt::format("is in '{}', which is a file", parent));
      }
    }
  }
}

/// Some archives hold everything in a folder: its name is taken off.
void unwrap(std::vector<Entry>& sorted, const Content& content, Complaints& complaints) {
  if (content.root_file.empty()) return;
  std::string folder;
  for (const Entry& entry : sorted) {
    if (entry.path == content.root_file) return;
    const auto slash = entry.path.find('/');
    if (slash == entry.path.npos || std::string_view(entry.path).substr(slash + 1) != content.root_file) continue;
    if (!folder.empty()) return;
    folder = entry.path.substr(0, slash);
  }
  if (folder.empty()) return;
  complaints.warn(fmt::format("the archive contains the {} in a folder '{}'; its files must be at the top level",
                              content.noun, folder));
  std::erase_if(sorted, [&](const Entry& entry) { return !lies_in(entry.path, folder); });
  for (Entry& entry : sorted) entry.path.erase(0, folder.size() + 1);
}

void check_sizes(const std::vector<Entry>& entries, const std::filesystem::path& file, const Limits& limits,
                 Complaints& complaints) {
  std::uint64_t total = 0;
  for (const Entry& entry : entries) {
    if (entry.size > limits.largest_total - total) {
      return complaints.whole(
          fmt::format("unpacked, the archive would take more than {} bytes; it is not unpacked", limits.largest_total));
    }
    total += entry.size;
  }
  std::error_code failure;
  const auto packed = std::filesystem::file_size(file, failure);
  const double ratio = failure || packed == 0 ? 0.0 : static_cast<double>(total) / static_cast<double>(packed);
  if (total > limits.harmless_total && ratio > limits.largest_ratio) {
    complaints.whole(fmt::format(
        "unpacked, the archive would take {} bytes, {:.0f} times its own size; it is not unpacked", total, ratio));
  }
}

}  // namespace

CleanName clean_name(std::string_view name, std::string_view noun) {
  CleanName result;
  std::string text(name);
  result.has_backslashes = text.find('\\') != text.npos;
  std::replace(text.begin(), text.end(), '\\', '/');
  result.is_folder = text.ends_with('/');
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (text.empty()) {
    result.problem = "has no name";
  } else if (text.size() > kLongestPath) {
    result.problem = fmt::format("has a name of {} bytes; the limit is {}", text.size(), kLongestPath);
  } else if (std::any_of(text.begin(), text.end(), is_control)) {
    std::replace_if(text.begin(), text.end(), is_control, '?');
    result.problem = "has control characters in its name";
  } else if (text.front() == '/' || (text.size() > 1 && text[1] == ':' && std::isalpha(text[0]) != 0)) {
    result.problem = fmt::format("has an absolute name: it would be written outside the {}", noun);
  }
  for (std::size_t begin = 0; begin < text.size() && result.problem.empty();) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    if (part == "..") {
      result.problem = fmt::format("points outside the {} with '..'", noun);
    } else if (!part.empty() && part != ".") {
      if (!result.path.empty()) result.path += '/';
      result.path += part;
    }
    begin = end + 1;
  }
  if (!result.problem.empty()) result.path = std::move(text);
  return result;
}

bool lies_in(std::string_view path, std::string_view folder) {
  if (folder.empty()) return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::vector<Entry> list_entries(zip* archive, const std::filesystem::path& file, const Content& content,
                                const Limits& limits, document::Diagnostics& diagnostics) {
  Complaints complaints(file, diagnostics);
  std::vector<Entry> entries;
  const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive, 0), 0));
  if (count > limits.most_entries) {
    complaints.whole(fmt::format("the archive has {} entries; the limit is {}", count, limits.most_entries));
    return entries;
  }
  bool has_backslashes = false;
  for (std::uint64_t index = 0; index < count; ++index) {
    zip_stat_t facts;
    zip_stat_init(&facts);
    const char* name = zip_get_name(archive, index, 0);
    if (name == nullptr || zip_stat_index(archive, index, 0, &facts) != 0) {
      complaints.entry(fmt::format("number {}", index + 1), "cannot be read");
      continue;
    }
    CleanName cleaned = clean_name(name, content.noun);
    const mode_t mode = mode_of(archive, index);
    if (cleaned.problem.empty()) cleaned.problem = find_problem(facts, mode, content.noun);
    has_backslashes |= cleaned.has_backslashes;
    if (!cleaned.problem.empty()) {
      complaints.entry(cleaned.path, cleaned.problem);
    } else if (!cleaned.is_folder && !S_ISDIR(mode) && !cleaned.path.empty()) {
      entries.push_back({std::move(cleaned.path), index, facts.size, (mode & S_IXUSR) != 0});
    }
  }
  if (has_backslashes) complaints.warn("names in the archive are written with '\\' instead of '/'");
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.path < b.path; });
  join_doubles(archive, entries, complaints);
  check_names(entries, complaints);
  check_sizes(entries, file, limits, complaints);
  unwrap(entries, content, complaints);
  return entries;
}

}  // namespace tieline::archive
