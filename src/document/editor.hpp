#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "document/xml.hpp"

namespace tieline::document {

/// Changes to the text of a document that leave all else as it is, byte for byte. Collect changes, then take `text`.
class Editor {
 public:
  explicit Editor(std::shared_ptr<const Document> document) : document_(std::move(document)) {}

  /// Gives an attribute of an element of this document a value; adds it behind the others where it is absent.
  void set_attribute(const Element& element, std::string_view attribute, std::string_view value);

  [[nodiscard]] std::string text() const;

 private:
  struct Change {
    std::size_t end = 0;
    std::string text{};
  };
  std::shared_ptr<const Document> document_;
  std::map<std::size_t, Change> changes_;  ///< by where they begin
};

}  // namespace tieline::document
