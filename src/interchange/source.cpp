#include "interchange/source.hpp"

namespace tieline::interchange {

const std::shared_ptr<const document::Document>& Source::document() {
  if (!is_loaded_) document_ = document::Document::load(file_, found_);
  is_loaded_ = true;
  return document_;
}

std::shared_ptr<const document::Document> Source::load(document::Diagnostics& diagnostics) {
  (void)document();
  diagnostics.take(found_, true);
  return document_;
}

}  // namespace tieline::interchange
