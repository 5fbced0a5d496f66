#include "interchange/relative_path.hpp"

#include <algorithm>

namespace tieline::interchange {
namespace {

std::filesystem::path normal_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  auto absolute = std::filesystem::absolute(folder.empty() ? "." : folder, failure).lexically_normal();
  if (!absolute.has_filename()) absolute = absolute.parent_path();
  return absolute;
}

void move_paths(const document::Element& element, const document::Grammar& grammar, const document::ElementRule* parent,
                const std::filesystem::path& from, const std::filesystem::path& to, document::Editor& editor) {
  const auto* const rule =
      parent != nullptr ? grammar.find_child(*parent, element.name()) : grammar.find(element.name());
  if (rule == nullptr) return;
  for (const auto& attribute : rule->attributes) {
    if (attribute.type != document::AttributeType::file || !element.has(attribute.name)) continue;
    editor.set_attribute(element, attribute.name, moved_path(element.get(attribute.name), from, to));
  }
  for (const auto& child : element.children()) move_paths(child, grammar, rule, from, to, editor);
}

}  // namespace

bool is_same_folder(const std::filesystem::path& a, const std::filesystem::path& b) {
  return normal_folder(a) == normal_folder(b);
}

std::string moved_path(const std::string& path, const std::filesystem::path& from, const std::filesystem::path& to) {
  if (path.empty() || std::filesystem::path(path).is_absolute() || is_same_folder(from, to)) return path;
  return (normal_folder(from) / path).lexically_normal().lexically_proximate(normal_folder(to)).generic_string();
}

std::string moved_element(const document::Element& element, const document::Grammar& grammar,
                          const document::ElementRule* parent, const std::filesystem::path& from,
                          const std::filesystem::path& to) {
  document::Editor editor(element.document());
  if (!is_same_folder(from, to)) move_paths(element, grammar, parent, from, to, editor);
  return editor.text(element);
}

}  // namespace tieline::interchange
