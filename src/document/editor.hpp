#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "document/xml.hpp"

namespace tieline::document {

/// Changes to the text of a document that leave all else as it is, byte for byte. Collect changes, then take `text`.
/// What is taken out must not be changed as well.
class Editor {
 public:
  explicit Editor(std::shared_ptr<const Document> document) : document_(std::move(document)) {}

  /// Gives an attribute of an element of this document a value; adds it behind the others where it is absent.
  void set_attribute(const Element& element, std::string_view attribute, std::string_view value);

  /// Takes an attribute out; nothing if it is absent.
  void remove_attribute(const Element& element, std::string_view attribute);

  /// Puts elements, each the text of one, into an element behind those that it has.
  void append_children(const Element& element, std::span<const std::string> children);

  /// Takes an element out, with all that is in it.
  void remove(const Element& element);

  [[nodiscard]] std::string text() const;
  /// Of one element.
  [[nodiscard]] std::string text(const Element& element) const;

 private:
  struct Change {
    std::size_t end = 0;
    std::string text{};
  };
  [[nodiscard]] std::string text_between(std::size_t begin, std::size_t end) const;

  std::shared_ptr<const Document> document_;
  std::map<std::size_t, Change> changes_;  ///< by where they begin
};

}  // namespace tieline::document
