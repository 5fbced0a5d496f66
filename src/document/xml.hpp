#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/line_starts.hpp"

namespace tieline::document {

class Document;

/// A read-only view of an XML element that knows where it stands. Cheap to copy; valid while its Document lives.
class Element {
 public:
  Element() = default;

  [[nodiscard]] bool exists() const { return document_ != nullptr; }
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] Place place() const;
  [[nodiscard]] std::string text() const;  ///< trimmed text content

  [[nodiscard]] bool has(std::string_view attribute) const;
  [[nodiscard]] std::string get(std::string_view attribute, std::string_view otherwise = "") const;
  /// Where the attribute stands (its name), or the element if it is absent.
  [[nodiscard]] Place place_of(std::string_view attribute) const;
  [[nodiscard]] std::vector<std::string> attributes() const;
  /// Where the element's name begins in the document's source.
  [[nodiscard]] std::size_t offset() const;
  /// Just behind the element in the document's source.
  [[nodiscard]] std::size_t end() const;

  [[nodiscard]] std::vector<Element> children() const;
  [[nodiscard]] std::vector<Element> children(std::string_view name) const;
  [[nodiscard]] Element child(std::string_view name) const;
  [[nodiscard]] std::shared_ptr<const Document> document() const { return document_; }

 private:
  friend class Document;
  std::shared_ptr<const Document> document_{};
  void* node_ = nullptr;  ///< pugi::xml_node_struct*
};

/// Where a part of a text comes from that was made of another file: what stands at `offset` and behind it, up to the
/// next origin, stems from `place`.
struct Origin {
  std::size_t offset = 0;
  Place place{};
};

/// An XML file with positions. Document types and entities other than XML's own five and characters by number are
/// refused; depth and size are limited; the encoding is UTF-8.
class Document : public std::enable_shared_from_this<Document> {
 public:
  static constexpr std::size_t kLargestSize = std::size_t{64} << 20;  ///< [bytes]
  static constexpr std::size_t kDeepest = 200;                        ///< elements within elements

  /// Null after an unreadable or malformed file; the reason is in `diagnostics`.
  static std::shared_ptr<const Document> load(const std::filesystem::path& file, Diagnostics& diagnostics);
  /// With origins (ascending), every place that is reported for the document is one of theirs.
  static std::shared_ptr<const Document> parse(std::string text, std::string file_name, Diagnostics& diagnostics,
                                               std::vector<Origin> origins = {});
  ~Document();

  [[nodiscard]] Element root() const;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] Place place_at(std::size_t offset) const;

 private:
  Document();
  friend class Element;
  struct Tree;
  std::filesystem::path file_;
  std::string source_;
  LineStarts line_starts_;
  std::vector<Origin> origins_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace tieline::document
