#include "document/content_rules.hpp"

namespace tieline::document {

ElementRule description_rule() { return {.name = "Description", .description = "Text for people.", .has_text = true}; }

std::vector<ElementRule> parameter_rules() {
  return {
      {.name = "Parameters",
       .description = "Named numbers, for use in `{expressions}` here and in what stands inside.",
       .children = {"Parameter"}},
      {.name = "Parameter",
       .description =
           "A named number. At the top of a model or of a component's file it is a default; in a component it "
           "gives the value, computed with the names around the component.",
       .attributes = {{"name", AttributeType::identifier, true, "Name, as used in expressions.", {}, ""},
                      {"value", AttributeType::number, true, "Number or expression.", {}, ""},
                      {"unit", AttributeType::text, false, "Unit, for people.", {}, ""},
                      {"description", AttributeType::text, false, "Meaning, for people.", {}, ""}}},
  };
}

}  // namespace tieline::document
