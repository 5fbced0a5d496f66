#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"

namespace tieline::document {

/// Documents for whoever reads a model more than once, with other settings each time: a file is read and parsed again
/// only after it, or a file that was read along with it, has changed. One thread at a time.
class DocumentCache {
 public:
  using Load = std::function<std::shared_ptr<const Document>(const std::filesystem::path&, Diagnostics&)>;

  /// The document of a file, by `load` where it is not known; null, and not kept, where that fails. What was reported
  /// while it was read is reported each time.
  std::shared_ptr<const Document> get(const std::filesystem::path& file, const Load& load, Diagnostics& diagnostics);

  /// How often a file was read.
  [[nodiscard]] std::size_t reads(const std::filesystem::path& file) const;

 private:
  /// A file as it was when it was read.
  struct Stamp {
    std::filesystem::path file{};
    std::uintmax_t size = 0;  ///< [bytes]
    std::filesystem::file_time_type changed{};

    bool operator==(const Stamp&) const = default;
  };
  struct Entry {
    std::shared_ptr<const Document> document{};
    Diagnostics reported{};
    std::vector<Stamp> stamps{};
    std::size_t reads = 0;
  };
  static Stamp stamp_of(const std::filesystem::path& file);
  static bool is_current(const Entry& entry);

  std::map<std::filesystem::path, Entry> entries_;  ///< by the path as it is asked for, which messages show
};

}  // namespace tieline::document
