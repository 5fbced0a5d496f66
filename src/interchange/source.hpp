#pragma once

#include <filesystem>
#include <memory>

#include "document/diagnostics.hpp"
#include "document/document_cache.hpp"
#include "document/xml.hpp"

namespace tieline::interchange {

/// A file or a folder that is to be read as a model. Importers look at it in turn; what one of them has loaded is kept
/// for the next. One thread at a time.
class Source {
 public:
  /// `documents`: of those who read a model more than once; null: the file is read.
  explicit Source(std::filesystem::path file, document::DocumentCache* documents = nullptr)
      : file_(std::move(file)), documents_(documents) {}

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// The file as XML, to look at; null if it cannot be read as such, of which nothing is reported.
  [[nodiscard]] const std::shared_ptr<const document::Document>& document();
  /// The same to be used: whatever was found is reported.
  [[nodiscard]] std::shared_ptr<const document::Document> load(document::Diagnostics& diagnostics);

 private:
  std::filesystem::path file_;
  document::DocumentCache* documents_;
  bool is_loaded_ = false;
  std::shared_ptr<const document::Document> document_{};
  document::Diagnostics found_{};
};

}  // namespace tieline::interchange
