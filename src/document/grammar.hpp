#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"

namespace tieline::document {

/// What an attribute's text must be; decides the check and the type in the published schema.
enum class AttributeType {
  text,        ///< anything
  name,        ///< letters, digits, '_', '-' and {expressions}; a plain identifier after evaluation
  identifier,  ///< letters, digits and '_', not beginning with a digit: the name of a parameter
  reference,   ///< a name or a dotted path of names, or a member of a signal, with {expressions}
  number,      ///< a number or an {expression}
  numbers,     ///< numbers or {expressions}, separated by commas
  function,    ///< a number or an {expression} that may use t and signal inputs
  functions,   ///< such functions, separated by commas
  choice,      ///< one of `choices`
  file,        ///< a path relative to the file that contains it
};

struct AttributeRule {
  std::string name{};
  AttributeType type = AttributeType::text;
  bool is_required = false;
  std::string description{};
  std::vector<std::string> choices{};
  std::string otherwise{};  ///< default, for the documentation
};

/// An element and its allowed contents. The readers are checked against it, and the schema and the reference page are
/// generated from it, so none of the three can differ.
struct ElementRule {
  std::string name{};
  std::string description{};
  std::vector<AttributeRule> attributes{};
  std::vector<std::string> children{};  ///< names of element rules that are allowed in it, in any order and number
  bool has_text = false;
  std::vector<std::string> once{};      ///< children that may stand at most once
  std::vector<std::string> required{};  ///< children that must stand at least once
  std::vector<std::string> one_of{};    ///< children of which at most one may stand, once
};

/// All rules of one format; the first rule is a root element. Element names are unique within a grammar (a rule
/// "Interface@Network" is the element "Interface" inside "Network" where names would clash).
struct Grammar {
  std::vector<ElementRule> rules{};
  [[nodiscard]] const ElementRule* find(std::string_view name, std::string_view parent = "") const;
  /// The rule for an element inside another; null if it is not allowed. A child written as "Name@Parent" means
  /// exactly that rule.
  [[nodiscard]] const ElementRule* find_child(const ElementRule& parent, std::string_view name) const;
  /// The same rules with another one first.
  [[nodiscard]] Grammar rooted_at(std::string_view name) const;
  /// Adds rules; one that stands already must be the same.
  void add(const Grammar& other);
};

/// Reports unknown elements and attributes (nearest name), missing required ones, wrong choices, malformed numbers,
/// stray text, at their places. Values in braces are left to the evaluation.
void check_against(const Grammar& grammar, const Element& root, Diagnostics& diagnostics);

/// The grammar as an XML Schema 1.0 document; the roots are the first rule and those named.
[[nodiscard]] std::string to_xml_schema(const Grammar& grammar, std::span<const std::string> other_roots = {});
/// The grammar as a Markdown reference.
[[nodiscard]] std::string to_markdown(const Grammar& grammar);

}  // namespace tieline::document
