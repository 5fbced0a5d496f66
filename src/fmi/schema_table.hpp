#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tieline::fmi {

/// What an attribute may contain. The forms are those of XML Schema, which the standard refers to.
struct ValueRule {
  enum class Form { text, real, boolean, integer, date, hexadecimal, version, words };
  Form form = Form::text;
  bool is_list = false;                   ///< any number of them, separated by blanks
  bool is_unsigned = false;               ///< of integers
  int bits = 32;                          ///< of integers
  std::vector<std::string_view> words{};  ///< that are allowed, where nothing else is

  /// Whether a text has this form.
  [[nodiscard]] bool takes(std::string_view text) const;
  /// "a whole number from 0 to 255", "one of 'flat', 'structured'".
  [[nodiscard]] std::string describe() const;
};

struct AttributeRule {
  std::string_view name{};
  bool is_required = false;
  ValueRule value{};
};

/// One place in the order of an element's children, for one of some elements.
struct ChildRule {
  struct Element {
    std::string_view name{};
    std::string_view kind{};  ///< of rule
  };
  std::vector<Element> elements{};
  bool is_required = false;
  bool is_repeated = false;  ///< any number of them

  /// "<Real>, <Integer> or <Boolean>"
  [[nodiscard]] std::string describe() const;
};

struct ElementRule {
  std::vector<AttributeRule> attributes{};
  bool takes_other_attributes = false;
  bool takes_anything = false;  ///< as children
  std::vector<ChildRule> children{};
};

/// The rules for the elements of modelDescription.xml in one version of FMI, made once from a table in text.
class SchemaTable {
 public:
  /// Of FMI 1.0, 2.0 or 3.0. Made at the first call, from any thread.
  [[nodiscard]] static const SchemaTable& of(int version);
  /// By the kind of element; the root's is its name.
  [[nodiscard]] const ElementRule& rule(std::string_view kind) const;

 private:
  explicit SchemaTable(std::string_view text);
  void add_line(std::string_view line);
  void add_attributes(std::string_view text, ElementRule& rule) const;

  std::unordered_map<std::string_view, ElementRule> rules_;
};

}  // namespace tieline::fmi
