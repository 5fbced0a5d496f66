#include "fmi/ruled_variable.hpp"

#include <charconv>

#include "fmi/description_parts.hpp"
#include "fmi/value_text.hpp"

namespace tieline::fmi {
namespace {

std::string_view stated_or(pugi::xml_node node, const char* attribute, std::string_view otherwise) {
  const auto found = node.attribute(attribute);
  return found ? std::string_view(found.value()) : otherwise;
}

/// FMI 2.0 section 2.2.7, FMI 3.0 section 2.4.7.4; FMI 1.0 has no other defaults.
std::string_view default_variability(const RuledVariable& variable, int version) {
  if (version == 3 && variable.is_parameter()) return "fixed";
  return variable.is_real() || version == 1 ? "continuous" : "discrete";
}

std::string_view default_initial(const RuledVariable& variable, int version) {
  if (version == 1 || variable.is_clock() || variable.causality == "independent") return "";
  if (variable.causality == "input") return version == 3 ? "exact" : "";
  if (variable.causality == "parameter" || variable.causality == "structuralParameter") return "exact";
  return variable.variability == "constant" ? "exact" : "calculated";
}

}  // namespace

std::optional<std::uint32_t> index_in(std::string_view text) {
  text = trimmed(text);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<RuledVariable> ruled_variables(pugi::xml_node root, int version) {
  std::vector<RuledVariable> variables;
  for (const auto node : root.child("ModelVariables").children()) {
    if (node.type() != pugi::node_element) continue;
    RuledVariable variable{.node = node};
    if (version == 3) {
      variable.facts = node;
    } else {
      for (const auto child : node.children()) {
        if (!variable.facts && type_named(child.name(), false)) variable.facts = child;
      }
    }
    variable.name = node.attribute("name").value();
    variable.type = variable.facts.name();
    variable.reference = index_in(node.attribute("valueReference").value());
    variable.causality = stated_or(node, "causality", version == 1 ? "internal" : "local");
    variable.variability = stated_or(node, "variability", default_variability(variable, version));
    variable.initial = stated_or(node, "initial", default_initial(variable, version));
    variable.has_start = variable.states("start") || (version == 3 && node.child("Start"));
    variables.push_back(variable);
  }
  return variables;
}

}  // namespace tieline::fmi
