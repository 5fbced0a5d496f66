#include "document/document_cache.hpp"

#include <algorithm>

namespace tieline::document {

DocumentCache::Stamp DocumentCache::stamp_of(const std::filesystem::path& file) {
  std::error_code failure;
  Stamp stamp{.file = file, .size = std::filesystem::file_size(file, failure)};
  stamp.changed = std::filesystem::last_write_time(file, failure);
  return stamp;
}

bool DocumentCache::is_current(const Entry& entry) {
  return entry.document != nullptr && std::all_of(entry.stamps.begin(), entry.stamps.end(),
                                                  [](const Stamp& stamp) { return stamp_of(stamp.file) == stamp; });
}

std::shared_ptr<const Document> DocumentCache::get(const std::filesystem::path& file, const Load& load,
                                                   Diagnostics& diagnostics) {
  Entry& entry = entries_[file];
  if (!is_current(entry)) {
    // Before reading: a file that changes meanwhile is read again next time.
    const Stamp before = stamp_of(file);
    entry.reported = {};
    entry.document = load(file, entry.reported);
    ++entry.reads;
    entry.stamps = {before};
    for (const auto& other : entry.reported.files_read()) {
      if (other != file) entry.stamps.push_back(stamp_of(other));
    }
  }
  diagnostics.take(entry.reported, true);
  return entry.document;
}

std::size_t DocumentCache::reads(const std::filesystem::path& file) const {
  const auto found = entries_.find(file);
  return found == entries_.end() ? 0 : found->second.reads;
}

}  // namespace tieline::document
