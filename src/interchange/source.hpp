#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "document/diagnostics.hpp"
#include "document/document_cache.hpp"
#include "document/xml.hpp"

namespace tieline::interchange {

/// A file or a folder that is to be read as a model. Importers look at it in turn; what one of them has loaded is kept
/// for the next. One thread at a time.
class Source {
 public:
  /// `documents`: of those who read a model more than once; null: the file is read.
  /// "plant.mo#Plant.Pump" names a part of a file.
  explicit Source(std::filesystem::path file, document::DocumentCache* documents = nullptr);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// The file with its part, as it was named.
  [[nodiscard]] std::filesystem::path whole() const {
    return part_.empty() ? file_ : std::filesystem::path(file_.string() + "#" + part_);
  }
  /// Which of the models in the file is meant; empty: unstated.
  [[nodiscard]] const std::string& part() const { return part_; }
  /// The file as XML, to look at; null if it cannot be read as such, of which nothing is reported.
  [[nodiscard]] const std::shared_ptr<const document::Document>& document();
  /// The same to be used: whatever was found is reported.
  [[nodiscard]] std::shared_ptr<const document::Document> load(document::Diagnostics& diagnostics);

 private:
  std::filesystem::path file_;
  std::string part_{};
  document::DocumentCache* documents_;
  bool is_loaded_ = false;
  std::shared_ptr<const document::Document> document_{};
  document::Diagnostics found_{};
};

}  // namespace tieline::interchange
