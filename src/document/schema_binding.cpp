#include "document/schema_binding.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tieline::document {
namespace {

constexpr std::string_view kDeclaration = "xmlns:";

bool names_a_schema(std::string_view local_name) {
  return local_name == "noNamespaceSchemaLocation" || local_name == "schemaLocation";
}

}  // namespace

std::vector<std::string> schema_bindings(const Element& root) {
  std::vector<std::string> bindings;
  std::vector<std::string> prefixes;
  const auto names = root.attributes();
  for (const std::string& name : names) {
    if (!name.starts_with(kDeclaration) || root.get(name) != kSchemaInstance) continue;
    bindings.push_back(name);
    prefixes.push_back(name.substr(kDeclaration.size()));
  }
  for (const std::string& name : names) {
    const auto colon = name.find(':');
    if (colon == name.npos || !names_a_schema(std::string_view(name).substr(colon + 1))) continue;
    if (std::find(prefixes.begin(), prefixes.end(), name.substr(0, colon)) != prefixes.end()) bindings.push_back(name);
  }
  return bindings;
}

std::string missing_binding(std::string_view attribute) {
  const auto colon = attribute.find(':');
  if (colon == attribute.npos) return "";
  const bool declares = attribute.substr(0, colon + 1) == kDeclaration;
  if (!declares && !names_a_schema(attribute.substr(colon + 1))) return "";
  return fmt::format("the root element may bind a schema by {}{}=\"{}\"", kDeclaration,
                     declares ? attribute.substr(colon + 1) : attribute.substr(0, colon), kSchemaInstance);
}

}  // namespace tieline::document
