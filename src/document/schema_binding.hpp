#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/xml.hpp"

namespace tieline::document {

/// The namespace of the attributes by which a file names its schema.
inline constexpr std::string_view kSchemaInstance = "http://www.w3.org/2001/XMLSchema-instance";

/// The attributes of a root element that bind it to a schema, for editors: `xmlns:P` with P bound to kSchemaInstance,
/// `P:noNamespaceSchemaLocation` and `P:schemaLocation`. P is usually xsi.
[[nodiscard]] std::vector<std::string> schema_bindings(const Element& root);

/// What is missing where an attribute would be one of those if its prefix were bound; otherwise empty.
[[nodiscard]] std::string missing_binding(std::string_view attribute);

}  // namespace tieline::document
