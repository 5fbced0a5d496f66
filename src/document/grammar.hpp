#pragma once

#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"

namespace tieline::document {

/// What an attribute's text must be; decides the check and the type in the published schema.
enum class AttributeType {
  text,        ///< anything
  name,        ///< letters, digits, '_', '-' and {expressions}; a plain identifier after evaluation
  reference,   ///< a name or a dotted path of names, with {expressions}
  number,      ///< a number or an {expression}
  function,    ///< a number or an {expression} that may use t and signal inputs
  choice,      ///< one of `choices`
  file,        ///< a path relative to the file that it stands in
};

struct AttributeRule {
  std::string name{};
  AttributeType type = AttributeType::text;
  bool is_required = false;
  std::string description{};
  std::vector<std::string> choices{};
  std::string otherwise{};  ///< default, for the documentation
};

/// An element and what may stand in it. The readers are checked against it, and the schema and the reference page are
/// generated from it, so none of the three can differ.
struct ElementRule {
  std::string name{};
  std::string description{};
  std::vector<AttributeRule> attributes{};
  std::vector<std::string> children{};  ///< names of element rules that may stand in it, in any order and number
  bool has_text = false;
  std::vector<std::string> once{};      ///< children that may stand at most once
  std::vector<std::string> required{};  ///< children that must stand at least once
};

/// All rules of one format; the first rule is a root element. Element names are unique within a grammar (a rule
/// "Interface@Network" is the element "Interface" inside "Network" where names would clash).
struct Grammar {
  std::vector<ElementRule> rules{};
  [[nodiscard]] const ElementRule* find(std::string_view name, std::string_view parent = "") const;
  void add(const Grammar& other);
};

/// Reports unknown elements and attributes (nearest name), missing required ones, wrong choices, malformed numbers,
/// stray text, at their places. Values in braces are left to the evaluation.
void check_against(const Grammar& grammar, const Element& root, Diagnostics& diagnostics);

/// The grammar as an XML Schema 1.0 document.
[[nodiscard]] std::string to_xml_schema(const Grammar& grammar);
/// The grammar as a Markdown reference.
[[nodiscard]] std::string to_markdown(const Grammar& grammar);

}  // namespace tieline::document
