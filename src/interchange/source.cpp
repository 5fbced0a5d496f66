#include "interchange/source.hpp"

namespace tieline::interchange {

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
