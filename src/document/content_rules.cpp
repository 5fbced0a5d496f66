#include "document/content_rules.hpp"

namespace tieline::document {

ElementRule description_rule() {
  return {.name = "Description", .description = "Free text, for information.", .has_text = true};
}

std::vector<ElementRule> parameter_rules() {
  return {
      {.name = "Parameters",
       .description = "Named numbers for `{expressions}` here and in everything inside.",
       .children = {"Parameter"}},
      {.name = "Parameter",
       .description = "A named number. At the top of a model or of a component's content it is a default; in a "
                      "`Component` it sets the value, computed with the parameters of the surrounding model.",
       .attributes = {{"name", AttributeType::identifier, true, "Name, as used in expressions.", {}, ""},
                      {"value", AttributeType::number, true, "Number or expression.", {}, ""},
                      {"unit", AttributeType::text, false, "Unit, for information.", {}, ""},
                      {"description", AttributeType::text, false, "Meaning, for information.", {}, ""}}},
  };
}

}  // namespace tieline::document
