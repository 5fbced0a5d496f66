#include "interchange/source.hpp"

#include <system_error>

namespace tieline::interchange {

Source::Source(std::filesystem::path file, document::DocumentCache* documents)
    : file_(std::move(file)), documents_(documents) {
  const std::string text = file_.string();
  const std::size_t hash = text.rfind('#');
  std::error_code failure;
  if (hash == text.npos || hash == 0 || std::filesystem::exists(file_, failure)) return;
  part_ = text.substr(hash + 1);
  file_ = text.substr(0, hash);
}

const std::shared_ptr<const document::Document>& Source::document() {
  const auto read = [](const std::filesystem::path& file, document::Diagnostics& diagnostics) {
    return document::Document::load(file, diagnostics);
  };
  if (!is_loaded_) document_ = documents_ != nullptr ? documents_->get(file_, read, found_) : read(file_, found_);
  is_loaded_ = true;
  return document_;
}

std::shared_ptr<const document::Document> Source::load(document::Diagnostics& diagnostics) {
  (void)document();
  diagnostics.take(found_, true);
  return document_;
}

}  // namespace tieline::interchange
