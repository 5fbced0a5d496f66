// The contents of a variable's own element: kind, bounds, unit, start value.

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/article.hpp"
#include "fmi/description_parts.hpp"

namespace tieline::fmi {
namespace {

/// The value of an enumeration by the name that is written in the file, or nothing.
template <class T>
std::optional<T> by_name(std::string_view text, T last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (!text.empty() && name_of(static_cast<T>(i)) == text) return static_cast<T>(i);
  }
  return std::nullopt;
}

bool is_constant_parameter(Causality causality) {
  return causality == Causality::parameter || causality == Causality::calculated_parameter ||
         causality == Causality::structural_parameter;
}

/// Whether the standard has such variables: FMI 2.0 section 2.2.7, FMI 3.0 section 2.4.7.4.
bool is_possible(Causality causality, Variability variability) {
  switch (causality) {
    case Causality::parameter:
    case Causality::calculated_parameter:
    case Causality::structural_parameter:
      return variability == Variability::fixed || variability == Variability::tunable;
    case Causality::input:
      return variability >= Variability::discrete;
    case Causality::output:
      return variability == Variability::constant || variability >= Variability::discrete;
    case Causality::independent:
      return variability == Variability::continuous;
    case Causality::local:
      break;
  }
  return true;
}

/// Where nothing is stated. FMI 2.0 has "continuous" for everything, which exporters rely on for reals alone.
Variability usual_variability(const Variable& variable) {
  if (is_constant_parameter(variable.causality)) return Variability::fixed;
  if (variable.causality == Causality::independent) return Variability::continuous;
  return is_float(variable.type) ? Variability::continuous : Variability::discrete;
}

Initial usual_initial(const Variable& variable, bool is_v2) {
  if (variable.type == Type::clock) return Initial::none;
  switch (variable.causality) {
    case Causality::parameter:
    case Causality::structural_parameter:
      return Initial::exact;
    case Causality::calculated_parameter:
      return Initial::calculated;
    case Causality::input:
      return is_v2 ? Initial::none : Initial::exact;
    case Causality::independent:
      return Initial::none;
    case Causality::output:
    case Causality::local:
      break;
  }
  return variable.variability == Variability::constant ? Initial::exact : Initial::calculated;
}

/// Whether what is stated contradicts what such a variable is.
bool contradicts(Initial stated, const Variable& variable) {
  switch (variable.causality) {
    case Causality::parameter:
    case Causality::structural_parameter:
    case Causality::input:
      return stated != Initial::exact;
    case Causality::calculated_parameter:
      return stated == Initial::exact;
    case Causality::independent:
      return true;
    case Causality::output:
    case Causality::local:
      break;
  }
  return variable.variability == Variability::constant && stated != Initial::exact;
}

void settle_initial(DescriptionParts& parts, const ElementReader& element, Variable& variable) {
  variable.initial = usual_initial(variable, parts.is_v2());
  const std::string_view text = element.text("initial");
  if (text.empty()) return;
  const auto stated = by_name(text, Initial::calculated);
  if (!stated || contradicts(*stated, variable)) {
    parts.findings.warn(element.node(), "variables with an invalid initial",
                        fmt::format("'{}': initial=\"{}\" is not valid with {} {}; it is ignored", variable.name, text,
                                    name_of(variable.variability), name_of(variable.causality)));
  } else if (variable.causality != Causality::input) {
    variable.initial = *stated;
  }
}

/// Reads each word by a function; nothing if one is not understood.
template <class T, class Read>
Values read_words(std::span<const std::string_view> words, Read&& read) {
  std::vector<T> values;
  values.reserve(words.size());
  for (const std::string_view word : words) {
    const auto value = read(word);
    if (!value) return {};
    values.push_back(static_cast<T>(*value));
  }
  return values;
}

Values read_values(std::span<const std::string_view> words, Type type, bool& is_odd) {
  const auto in_range = [range = range_of(type)](auto value) {
    return value && static_cast<double>(*value) >= range.first && static_cast<double>(*value) <= range.second
               ? value
               : std::nullopt;
  };
  if (is_float(type)) {
    return read_words<double>(words, [&](std::string_view word) { return read_number(word, is_odd); });
  }
  if (type == Type::boolean) {
    return read_words<std::uint8_t>(words, [&](std::string_view word) { return read_boolean(word, is_odd); });
  }
  if (is_unsigned(type)) {
    return read_words<std::uint64_t>(words,
                                     [&](std::string_view word) { return in_range(read_unsigned(word, is_odd)); });
  }
  return read_words<std::int64_t>(words, [&](std::string_view word) { return in_range(read_signed(word, is_odd)); });
}

/// Strings and binaries of FMI 3.0, an element for each value.
Values read_start_elements(pugi::xml_node node, Type type) {
  std::vector<std::string> values;
  for (const auto child : node.children("Start")) {
    std::string value = child.attribute("value").value();
    if (type == Type::binary) {
      auto bytes = read_hexadecimal(value);
      if (!bytes) return {};
      value = std::move(*bytes);
    }
    values.push_back(std::move(value));
  }
  if (values.empty()) return {};
  return values;
}

bool needs_start(const Variable& variable) {
  if (variable.type == Type::clock) return false;
  return variable.causality == Causality::input || variable.initial == Initial::exact ||
         variable.initial == Initial::approx;
}

void read_bounds(DescriptionParts& parts, const ElementReader& element, Variable& variable) {
  if (const auto least = element.number("min")) variable.min = *least;
  if (const auto most = element.number("max")) variable.max = *most;
  if (!(variable.min <= variable.max)) {
    parts.findings.warn(element.node(), "variables with invalid bounds",
                        fmt::format("'{}': min {} and max {} are in the wrong order; both are ignored", variable.name,
                                    variable.min, variable.max));
    variable.min = -std::numeric_limits<double>::infinity();
    variable.max = std::numeric_limits<double>::infinity();
  }
  const auto nominal = element.number("nominal");
  if (!nominal) return;
  const double size = std::abs(*nominal);
  if (!std::isfinite(size) || size == 0.0) {
    parts.findings.warn(element.node(), "variables with invalid nominal values",
                        fmt::format("'{}': a nominal value of {} is ignored", variable.name, *nominal));
    return;
  }
  variable.nominal = size;
  variable.has_nominal = true;
}

}  // namespace

void settle_kind(DescriptionParts& parts, const ElementReader& element, Variable& variable) {
  const std::string_view causality = element.text("causality");
  if (!causality.empty()) {
    const auto known = by_name(causality, Causality::independent);
    variable.causality = known.value_or(Causality::local);
    // FMI 3.0's "dependent" is for variables that nobody sets or needs.
    if (!known && causality != "dependent") {
      parts.findings.warn(
          element.node(), "variables of unknown causality",
          fmt::format("'{}': causality '{}' is not known; 'local' is assumed", variable.name, causality));
    }
  }
  variable.variability = usual_variability(variable);
  const std::string_view text = element.text("variability");
  if (!text.empty()) {
    const auto stated = by_name(text, Variability::continuous);
    // In FMI 2.0 "continuous" is the default of integers, too, and means nothing there.
    const bool is_default = parts.is_v2() && stated == Variability::continuous && !is_float(variable.type);
    const bool fits = stated && is_possible(variable.causality, *stated) &&
                      (is_float(variable.type) || *stated != Variability::continuous);
    if (fits) {
      variable.variability = *stated;
    } else if (!is_default) {
      parts.findings.warn(element.node(), "variables of invalid variability",
                          fmt::format("'{}': variability '{}' is not valid with {} of type {}; '{}' is assumed",
                                      variable.name, text, core::with_article(name_of(variable.causality)),
                                      name_of(variable.type), name_of(variable.variability)));
    }
  }
  settle_initial(parts, element, variable);
}

void read_typed_facts(DescriptionParts& parts, const ElementReader& element, Variable& variable) {
  variable.quantity = element.text("quantity");
  if (is_float(variable.type)) {
    variable.unit = element.text("unit");
    variable.display_unit = element.text("displayUnit");
    variable.is_relative_quantity = element.flag("relativeQuantity");
    variable.is_unbounded = element.flag("unbounded");
    variable.reinit = element.flag("reinit");
  }
  if (is_float(variable.type) || is_integer(variable.type)) read_bounds(parts, element, variable);
  if (variable.type == Type::binary) {
    variable.mime_type = element.has("mimeType") ? element.text("mimeType") : "application/octet-stream";
    variable.max_size = element.count("maxSize").value_or(0);
  }
  if (variable.type == Type::clock) {
    variable.clock = static_cast<std::uint32_t>(parts.description.clocks.size());
    parts.description.clocks.push_back(read_clock(element, parts.findings));
  }
}

void read_start(DescriptionParts& parts, pugi::xml_node node, Variable& variable) {
  const auto attribute = node.attribute("start");
  const bool has_elements = parts.is_v3() && (variable.type == Type::string || variable.type == Type::binary);
  const auto count = variable.element_count();
  bool is_odd = false;
  bool is_stated = static_cast<bool>(attribute);
  if (variable.type == Type::clock) return;
  if (has_elements && node.child("Start")) {
    is_stated = true;
    variable.start = read_start_elements(node, variable.type);
  } else if (is_stated && variable.type == Type::string) {
    variable.start = std::vector<std::string>{attribute.value()};
  } else if (is_stated && variable.type == Type::binary) {
    if (auto bytes = read_hexadecimal(attribute.value())) variable.start = std::vector<std::string>{std::move(*bytes)};
  } else if (is_stated) {
    const auto words = words_of(attribute.value());
    if (!words.empty() || count == 0) variable.start = read_values(words, variable.type, is_odd);
  }
  const std::size_t found = count_of(variable.start);
  if (variable.has_start() && found != count && found != 1) {
    parts.findings.warn(
        node, "start values of the wrong number",
        fmt::format("'{}' has {} start values for {} elements; they are ignored", variable.name, found, count));
    variable.start = {};
  } else if (is_stated && !variable.has_start()) {
    parts.findings.warn(node, "start values that are not understood",
                        fmt::format("'{}': the start value '{:.40}' is not a valid {}; it is ignored", variable.name,
                                    attribute.value(), name_of(variable.type)));
  } else if (is_odd) {
    parts.findings.warn(
        node, "values in an unusual format",
        fmt::format("'{}': '{:.40}' is an unusual way to write a start value", variable.name, attribute.value()));
  } else if (!is_stated && needs_start(variable) && !parts.is_v1()) {
    parts.findings.warn(node, "variables without a start value",
                        fmt::format("'{}' ({}) has no start value; the binary's own is used", variable.name,
                                    name_of(variable.causality)));
  }
}

}  // namespace tieline::fmi
