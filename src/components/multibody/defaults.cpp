#include "components/multibody/defaults.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tieline::components {

using document::Element;

Defaults::Defaults(const Element& content, const document::Scope& scope, Defaults* around,
                   document::Diagnostics& diagnostics)
    : scope_(scope), around_(around) {
  for (const Element& element : content.child("Defaults").children()) {
    const auto is_same = [&](const Entry& other) {
      return other.element.name() == element.name() && other.element.get("class") == element.get("class");
    };
    if (std::any_of(entries_.begin(), entries_.end(), is_same)) {
      diagnostics.error(element.place(), element.has("class")
                                             ? fmt::format("defaults for <{}> of class '{}' are given twice",
                                                           element.name(), element.get("class"))
                                             : fmt::format("defaults for all <{}> are given twice", element.name()));
    }
    entries_.push_back({element});
  }
}

Defaults::Entry* Defaults::find(std::string_view name, std::string_view of_class, std::string_view attribute) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.element.name() == name && entry.element.get("class") == of_class && entry.element.has(attribute);
  });
  return found == entries_.end() ? nullptr : &*found;
}

Defaults::Source Defaults::source(const Element& element, std::string_view attribute) {
  const Source itself{element, &scope_};
  if (element.has(attribute) || attribute == "class") return itself;
  for (Defaults* level = this; level != nullptr; level = level->around_) {
    Entry* entry = element.has("class") ? level->find(element.name(), element.get("class"), attribute) : nullptr;
    if (entry == nullptr) entry = level->find(element.name(), "", attribute);
    if (entry == nullptr) continue;
    entry->is_used = true;
    return {entry->element, &level->scope_};
  }
  return itself;
}

void Defaults::check_class(const Element& element, document::Diagnostics& diagnostics) const {
  if (!element.has("class")) return;
  const std::string wanted = element.get("class");
  std::vector<std::string> known;
  for (const Defaults* level = this; level != nullptr; level = level->around_) {
    for (const Entry& entry : level->entries_) {
      if (entry.element.name() == element.name() && entry.element.has("class")) {
        known.push_back(entry.element.get("class"));
      }
    }
  }
  if (std::find(known.begin(), known.end(), wanted) != known.end()) return;
  diagnostics.error(element.place_of("class"),
                    fmt::format("there are no defaults for <{}> of class '{}'{}", element.name(), wanted,
                                document::suggestion(wanted, known)));
}

void Defaults::report_unused(document::Diagnostics& diagnostics) const {
  for (const Entry& entry : entries_) {
    if (entry.is_used) continue;
    diagnostics.warning(entry.element.place(), "these defaults are not used");
  }
}

}  // namespace tieline::components
