#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>

#include "document/diagnostics.hpp"
#include "fmi/value_text.hpp"
#include "fmi/xml_source.hpp"

namespace tieline::fmi {

/// Reports problems in an XML file of an FMU. An exporter that errs once errs in every variable: of each kind of
/// oddity the first few are shown with their places, and the number of the rest when this object ends.
class Findings {
 public:
  Findings(const XmlSource& source, document::Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}
  ~Findings();
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;

  /// `kind` is a literal that also ends the sentence "and 12 more: ...".
  void warn(pugi::xml_node node, std::string_view kind, std::string message);
  /// A rule of the standard that is broken, at an element or one of its attributes. Errors do not count as those of the
  /// reader: what it can read, it reads.
  void violation(pugi::xml_node node, std::string_view attribute, std::string_view kind, bool is_error,
                 std::string message);
  /// Whether the next oddity of this kind is shown: what takes long to word can be left out otherwise.
  [[nodiscard]] bool is_shown(std::string_view kind) const;
  void error(pugi::xml_node node, std::string message);
  [[nodiscard]] bool has_errors() const { return error_count_ > 0; }
  [[nodiscard]] int line_of(pugi::xml_node node) const { return source_.line_of(node); }

 private:
  const XmlSource& source_;
  document::Diagnostics& diagnostics_;
  struct Kind {
    std::size_t count = 0;
    document::Place last{};  ///< that was shown
    document::Severity severity = document::Severity::warning;
  };
  [[nodiscard]] Kind& count(std::string_view kind, document::Severity severity);
  std::map<std::string_view, Kind> kinds_;
  std::size_t error_count_ = 0;
};

/// A value in a message: in quotes, and not too long.
[[nodiscard]] std::string shown(std::string_view text);
/// "<Real> of 'x'", where an element or the one around it has a name.
[[nodiscard]] std::string described(pugi::xml_node node);

/// Reads attributes of one element, with those of a second one, a declared type, where the first says nothing. What
/// cannot be understood is reported, and counts as not stated.
class ElementReader {
 public:
  ElementReader(pugi::xml_node node, Findings& findings, pugi::xml_node type = {})
      : node_(node), type_(type), findings_(findings) {}

  [[nodiscard]] pugi::xml_node node() const { return node_; }
  [[nodiscard]] bool has(const char* attribute) const { return static_cast<bool>(find(attribute)); }
  [[nodiscard]] std::string_view text(const char* attribute) const { return find(attribute).value(); }
  [[nodiscard]] bool flag(const char* attribute, bool otherwise = false) const;
  [[nodiscard]] std::optional<double> number(const char* attribute) const;
  /// A number that is neither infinite nor NaN.
  [[nodiscard]] std::optional<double> finite(const char* attribute) const;
  [[nodiscard]] std::optional<std::int64_t> integer(const char* attribute) const;
  [[nodiscard]] std::optional<std::uint64_t> count(const char* attribute) const;
  /// A value reference or an index: 32 bits.
  [[nodiscard]] std::optional<std::uint32_t> reference(const char* attribute) const;

  /// Warns of attributes that are not known. Those with a prefix belong to others and are passed over.
  void check_attributes(std::span<const std::string_view> known) const;
  /// Warns of elements within that are not known.
  void check_children(std::span<const std::string_view> known) const;

 private:
  [[nodiscard]] pugi::xml_attribute find(const char* attribute) const {
    const auto own = node_.attribute(attribute);
    return own ? own : type_.attribute(attribute);
  }
  template <class Read>
  [[nodiscard]] auto value(const char* attribute, const char* expected, Read&& read) const;

  pugi::xml_node node_;
  pugi::xml_node type_;
  Findings& findings_;
};

}  // namespace tieline::fmi
