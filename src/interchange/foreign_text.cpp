#include "interchange/foreign_text.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "document/expression.hpp"
#include "document/grammar_names.hpp"
#include "model/composite_model.hpp"
#include "model/names.hpp"

namespace tieline::interchange {

using document::Element;
using document::Place;

namespace fs = std::filesystem;

namespace {

bool contains(std::initializer_list<std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (auto& part : parts) part = std::string(document::trimmed(part));
  return parts;
}

}  // namespace

Found find(const Element& element, std::initializer_list<std::string_view> spellings) {
  for (const auto spelling : spellings) {
    if (element.has(spelling)) return {std::string(spelling), element.get(spelling), element.place_of(spelling)};
  }
  return {"", "", element.place()};
}

std::string as_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (!model::is_name(std::string_view(&c, 1))) c = '_';
  }
  return name;
}

std::string as_identifier(std::string_view text) {
  std::string name = as_name(text);
  std::replace(name.begin(), name.end(), '-', '_');
  return document::is_identifier(name) ? name : "_" + name;
}

void ForeignText::number(std::string_view attribute, const Found& found) {
  if (!found.exists()) return;
  const auto text = document::trimmed(found.value);
  if (document::parse_number(text)) {
    writer_.attribute(attribute, text, found.place);
  } else {
    diagnostics_.error(found.place, fmt::format("{}=\"{}\" is not a number", found.name, found.value));
  }
}

void ForeignText::vector(std::string_view attribute, const Found& found) {
  if (!found.exists()) return;
  const auto parts = split(found.value);
  const bool are_numbers = std::all_of(parts.begin(), parts.end(),
                                       [](const auto& part) { return document::parse_number(part).has_value(); });
  if (parts.size() == 3 && are_numbers) {
    writer_.attribute(attribute, fmt::format("{}", fmt::join(parts, ", ")), found.place);
  } else {
    diagnostics_.error(found.place,
                       fmt::format("{}=\"{}\" must be three numbers, separated by commas", found.name, found.value));
  }
}

void ForeignText::path(std::string_view attribute, std::string_view written, const Place& place) {
  if (written.find_first_of("{}") != written.npos) {
    diagnostics_.error(
        place,
        fmt::format("the path '{}' contains a brace, which starts an expression here; rename the file", written));
    return;
  }
  std::string text(written);
  if (!folder_.empty() && fs::path(written).is_relative()) {
    std::error_code failure;
    const fs::path target = fs::absolute(model::resolve_path(foreign_.file(), written), failure);
    if (!failure) text = target.lexically_proximate(fs::absolute(folder_, failure).lexically_normal()).generic_string();
  }
  writer_.attribute(attribute, text, place);
}

void ForeignText::keep(const std::string& name, const std::string& value, const Place& place) {
  report_.kept("others", name);
  writer_.open("Property", place);
  writer_.attribute("name", name, place);
  writer_.attribute("value", value, place);
  writer_.close();
}

void ForeignText::keep_rest(const Element& element, std::initializer_list<std::string_view> used,
                            std::initializer_list<std::string_view> used_children, const std::string& prefix) {
  std::vector<std::string> kept;
  const std::vector<std::string> known(used.begin(), used.end());
  for (const auto& name : element.attributes()) {
    if (contains(used, name)) continue;
    kept.push_back(prefix + name);
    keep(kept.back(), element.get(name), element.place_of(name));
    if (const auto nearest = document::nearest_name(name, known); !nearest.empty()) {
      diagnostics_.warning(element.place_of(name), fmt::format("<{}> has no attribute '{}' (did you mean '{}'?)",
                                                               element.name(), name, nearest));
    }
  }
  for (const auto& child : element.children()) {
    if (!contains(used_children, child.name())) keep_element(child, prefix, kept);
  }
  if (!kept.empty()) {
    diagnostics_.note(element.place(),
                      fmt::format("kept of <{}>, but not used here: {}", element.name(), fmt::join(kept, ", ")));
  }
}

/// Every attribute, and the text, as a property named by its path.
void ForeignText::keep_element(const Element& element, const std::string& around, std::vector<std::string>& kept) {
  const std::string path = around + std::string(element.name());
  const auto attributes = element.attributes();
  if (const auto text = element.text(); !text.empty() || (attributes.empty() && element.children().empty())) {
    kept.push_back(path);
    keep(path, text, element.place());
  }
  for (const auto& name : attributes) {
    kept.push_back(path + "." + name);
    keep(kept.back(), element.get(name), element.place_of(name));
  }
  for (const auto& child : element.children()) keep_element(child, path + ".", kept);
}

}  // namespace tieline::interchange
