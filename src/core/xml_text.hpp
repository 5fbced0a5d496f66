#pragma once

#include <string>
#include <string_view>

namespace tieline::core {

/// Text in a form that is valid in an XML document, between tags or in an attribute: XML's five characters as entities,
/// and without the control characters that XML does not allow.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace tieline::core
