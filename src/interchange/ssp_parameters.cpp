#include "interchange/ssp_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "document/expression.hpp"
#include "fmi/value_text.hpp"
#include "interchange/ssp_xml.hpp"

namespace tieline::interchange::ssp {
namespace {

using document::Diagnostics;
using document::Element;
using document::Place;

constexpr std::string_view kSetType = "application/x-ssp-parameter-set";
constexpr std::string_view kMappingType = "application/x-ssp-parameter-mapping";

bool has_plain_words(fmi::Type type) {
  return type != fmi::Type::string && type != fmi::Type::enumeration && type != fmi::Type::binary;
}

bool is_value_of(fmi::Type type, const std::string& text) {
  bool is_odd = false;
  if (fmi::is_float(type)) return fmi::read_number(text, is_odd).has_value() && !is_odd;
  if (type == fmi::Type::boolean) return fmi::read_boolean(text, is_odd).has_value();
  if (fmi::is_unsigned(type)) return fmi::read_unsigned(text, is_odd).has_value();
  if (type == fmi::Type::binary) return fmi::read_hexadecimal(text).has_value();
  if (fmi::is_integer(type) && type != fmi::Type::enumeration) return fmi::read_signed(text, is_odd).has_value();
  return true;
}

std::vector<std::string> texts_of(const Element& element, fmi::Type type, Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  const auto values = children_named(element, "Value");
  if (element.has("value") && !values.empty()) {
    diagnostics.error(element.place(), fmt::format("<{}> has both an attribute 'value' and <Value>", element.name()));
  }
  if (!element.has("value") && values.empty()) {
    diagnostics.error(element.place(), fmt::format("<{}> needs the attribute 'value'", element.name()));
  }
  for (const Element& value : values) texts.push_back(value.get("value"));
  if (!element.has("value") || !texts.empty()) return texts;
  const std::string text = element.get("value");
  if (!has_plain_words(type)) return {text};
  for (const auto& word : fmi::words_of(text)) texts.emplace_back(word);
  if (texts.empty()) texts.emplace_back();
  return texts;
}

std::shared_ptr<const Value> read_value(const Element& parameter, const Definitions& definitions,
                                        Diagnostics& diagnostics) {
  auto value = std::make_shared<Value>();
  value->type = read_type(parameter, definitions, diagnostics);
  if (!value->type.type) {
    diagnostics.error(parameter.place(),
                      fmt::format("parameter '{}' needs a type, such as <Real value=\"1\"/>", parameter.get("name")));
    return nullptr;
  }
  const Element& element = value->type.element;
  warn_of_unknown(element, {"value", "unit", "name", "mime-type"}, {"Value"}, diagnostics);
  value->place = element.place_of("value");
  value->texts = texts_of(element, *value->type.type, diagnostics);
  for (const std::string& text : value->texts) {
    if (is_value_of(*value->type.type, text)) continue;
    diagnostics.error(value->place, fmt::format("'{}' is not a value of type {}", text, local_name(element)));
    return nullptr;
  }
  return value->texts.empty() ? nullptr : value;
}

/// A parameter whose value is wrong, which has been reported, has none.
std::vector<Assignment> read_set(const Element& root, Diagnostics& diagnostics) {
  warn_of_unknown(
      root,
      {"version", "name", "author", "fileversion", "copyright", "license", "generationTool", "generationDateAndTime"},
      {"Parameters", "Enumerations", "Units"}, diagnostics);
  const Definitions definitions = read_definitions(root, diagnostics);
  std::vector<Assignment> assignments;
  std::map<std::string, Place> places;
  if (!child_named(root, "Parameters").exists()) {
    diagnostics.error(root.place(), "a parameter set needs <Parameters>");
  }
  for (const Element& parameter : children_of(root, "Parameters", "Parameter")) {
    warn_of_unknown(parameter, {"name"},
                    {"Real", "Float64", "Float32", "Integer", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32",
                     "Int64", "UInt64", "Boolean", "String", "Enumeration", "Binary", "Dimension"},
                    diagnostics);
    const std::string name = required_text(parameter, "name", diagnostics);
    const auto [first, is_new] = places.try_emplace(name, parameter.place());
    if (!is_new) {
      diagnostics.error(parameter.place(), fmt::format("parameter '{}' has two values in this set; the first is at {}",
                                                       name, shown(first->second)));
      continue;
    }
    assignments.push_back({name, read_value(parameter, definitions, diagnostics)});
  }
  return assignments;
}

/// Items are mapped by name, so that the target alone needs to know their numbers.
void rename_items(Value& value, const StatedTransformation& mapping) {
  for (std::string& text : value.texts) {
    for (const auto& entry : mapping.entries) {
      if (entry.source != text) continue;
      text = entry.target;
      value.type.enumeration = nullptr;
      break;
    }
  }
}

/// Under the names that a mapping gives.
std::vector<Assignment> mapped(const std::vector<Assignment>& assignments, const Element& root,
                               Diagnostics& diagnostics) {
  warn_of_unknown(
      root,
      {"version", "name", "author", "fileversion", "copyright", "license", "generationTool", "generationDateAndTime"},
      {"MappingEntry"}, diagnostics);
  std::map<std::string_view, const Assignment*> by_name;
  std::vector<std::string> names;
  for (const Assignment& assignment : assignments) {
    by_name.emplace(assignment.name, &assignment);
    names.push_back(assignment.name);
  }
  std::map<std::string, Place> targets;
  std::vector<Assignment> all;
  std::size_t unfilled = 0;
  for (const Element& entry : children_named(root, "MappingEntry")) {
    warn_of_unknown(entry, {"source", "target", "suppressUnitConversion"},
                    {"LinearTransformation", "BooleanMappingTransformation", "IntegerMappingTransformation",
                     "EnumerationMappingTransformation"},
                    diagnostics);
    // Tools write mappings of all parameters, to be filled in.
    if (entry.has("source") && entry.get("source").empty()) {
      ++unfilled;
      continue;
    }
    const std::string source = required_text(entry, "source", diagnostics);
    const std::string target = required_text(entry, "target", diagnostics);
    const auto [first, is_new] = targets.try_emplace(target, entry.place());
    if (!is_new) {
      diagnostics.error(entry.place(), fmt::format("two parameters are mapped to '{}'; the first one at {}", target,
                                                   shown(first->second)));
      continue;
    }
    const StatedTransformation mapping = read_transformation(entry, diagnostics);
    const bool keeps_unit = flag_of(entry, "suppressUnitConversion", diagnostics);
    const auto found = by_name.find(source);
    if (found == by_name.end()) {
      diagnostics.warning(entry.place_of("source"), fmt::format("the parameter set has no parameter '{}'{}", source,
                                                                document::suggestion(source, names)));
      continue;
    }
    if (!found->second->value) continue;
    auto value = std::make_shared<Value>(*found->second->value);
    if (mapping.kind == StatedTransformation::Kind::enumeration) {
      rename_items(*value, mapping);
    } else {
      value->mapping = mapping;
    }
    value->keeps_unit = keeps_unit;
    all.push_back({target, std::move(value)});
  }
  if (unfilled > 0) {
    diagnostics.note(root.place(), fmt::format("{} {} no source: their targets get no value from this mapping",
                                               unfilled, unfilled == 1 ? "entry has" : "entries have"));
  }
  return all;
}

class BindingReader {
 public:
  BindingReader(const File& structure, const std::optional<File>& component, Files& files, Diagnostics& diagnostics)
      : structure_(structure), component_(component), files_(files), diagnostics_(diagnostics) {}

  void read(const Element& binding, std::vector<Assignment>& all) {
    warn_of_unknown(binding, {"type", "source", "sourceBase", "prefix"}, {"ParameterValues", "ParameterMapping"},
                    diagnostics_);
    auto set = content(binding, child_named(binding, "ParameterValues"), "ParameterSet", kSetType);
    if (!set.exists()) return;
    auto assignments = read_set(set, diagnostics_);
    const std::string prefix = binding.get("prefix");
    for (Assignment& assignment : assignments) assignment.name.insert(0, prefix);
    if (const Element mapping = child_named(binding, "ParameterMapping"); mapping.exists()) {
      const Element root = content(mapping, mapping, "ParameterMapping", kMappingType);
      if (!root.exists()) return;
      assignments = mapped(assignments, root, diagnostics_);
    }
    std::erase_if(assignments, [](const Assignment& assignment) { return !assignment.value; });
    all.insert(all.end(), assignments.begin(), assignments.end());
  }

 private:
  /// The root of what an element has inside, or names as its source.
  Element content(const Element& element, const Element& around, std::string_view name, std::string_view type) {
    if (const std::string stated = element.get("type", type); stated != type) {
      diagnostics_.error(element.place_of("type"),
                         fmt::format("type \"{}\" is not supported; expected {}", stated, type));
      return {};
    }
    const bool has_source = element.has("source");
    const Element inside = around.exists() ? child_named(around, name) : Element();
    if (has_source && inside.exists()) {
      diagnostics_.error(element.place_of("source"),
                         fmt::format("<{}> has both a source and a <{}> inside", element.name(), name));
    }
    if (!has_source) {
      if (!inside.exists()) {
        diagnostics_.error(element.place(), fmt::format("<{}> needs a source, or a <{}> inside", element.name(), name));
      }
      return inside;
    }
    const auto document = source(element);
    if (!document) return {};
    if (local_name(document->root()) == name) return document->root();
    diagnostics_.error(document->root().place(), fmt::format("expected <{}>, got <{}>", name, document->root().name()));
    return {};
  }

  std::shared_ptr<const document::Document> source(const Element& element) {
    const Place place = element.place_of("source");
    const std::string uri = element.get("source");
    if (element.get("sourceBase", "SSD") != "component") {
      const auto named = files_.resolve(structure_, uri, place);
      return named ? files_.document(named->file, place) : nullptr;
    }
    if (!component_) {
      diagnostics_.error(element.place_of("sourceBase"), "only a component with a source can be the base of a source");
      return nullptr;
    }
    const std::filesystem::path path = std::filesystem::path(uri).lexically_normal();
    if (path.is_absolute() || path.empty() || *path.begin() == "..") {
      diagnostics_.error(place, fmt::format("'{}' leads out of the component", uri));
      return nullptr;
    }
    return files_.document_within(*component_, path.generic_string(), place);
  }

  const File& structure_;
  const std::optional<File>& component_;
  Files& files_;
  Diagnostics& diagnostics_;
};

/// The numbers that a value means for a variable, before transformations.
std::optional<std::vector<double>> numbers_of(const Value& value, const Enumeration* target, Diagnostics& diagnostics) {
  const fmi::Type type = *value.type.type;
  if (type == fmi::Type::string || type == fmi::Type::binary) return std::nullopt;
  std::vector<double> numbers;
  for (const std::string& text : value.texts) {
    bool is_odd = false;
    std::optional<double> number;
    if (type == fmi::Type::boolean) {
      number = fmi::read_boolean(text, is_odd).value_or(false) ? 1.0 : 0.0;
    } else if (type == fmi::Type::enumeration) {
      const Enumeration* const own = value.type.enumeration ? value.type.enumeration.get() : target;
      const auto item = own != nullptr ? own->value_of(text) : std::nullopt;
      if (!item) {
        const auto names = own != nullptr ? own->item_names() : std::vector<std::string>();
        diagnostics.error(value.place,
                          own == nullptr ? fmt::format("item '{}' has no number: its enumeration is not defined", text)
                                         : fmt::format("enumeration '{}' has no item '{}'{}", own->name, text,
                                                       document::suggestion(text, names)));
        return std::nullopt;
      }
      number = static_cast<double>(*item);
    } else {
      number = fmi::read_number(text, is_odd);
    }
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// A number as a start value of a type; nothing if it is none.
std::optional<std::string> number_text(double number, const fmi::Variable& variable, const Enumeration* items) {
  if (fmi::is_float(variable.type)) return fmt::format("{}", number);
  if (variable.type == fmi::Type::boolean) {
    if (number != 0.0 && number != 1.0) return std::nullopt;
    return number != 0.0 ? "true" : "false";
  }
  const auto [least, most] = fmi::range_of(variable.type);
  if (std::floor(number) != number || number < least || number > most) return std::nullopt;
  const bool is_item = items == nullptr || std::any_of(items->items.begin(), items->items.end(), [&](const auto& item) {
                         return static_cast<double>(item.second) == number;
                       });
  return is_item ? std::optional(fmt::format("{:.0f}", number)) : std::nullopt;
}

std::optional<std::vector<std::string>> refuse(const Value& value, const std::string& text,
                                               const fmi::Variable& variable, Diagnostics& diagnostics) {
  diagnostics.error(value.place, fmt::format("'{}' of type {} is not a value for variable '{}' of type {}", text,
                                             local_name(value.type.element.exists() ? value.type.element.name()
                                                                                    : std::string_view("text")),
                                             variable.name, fmi::name_of(variable.type)));
  return std::nullopt;
}

}  // namespace

std::vector<Assignment> read_bindings(const Element& element, const File& structure,
                                      const std::optional<File>& component, Files& files, Diagnostics& diagnostics) {
  std::vector<Assignment> all;
  BindingReader reader(structure, component, files, diagnostics);
  for (const Element& binding : children_of(element, "ParameterBindings", "ParameterBinding"))
    reader.read(binding, all);
  return all;
}

std::shared_ptr<const Value> value_of_setting(const std::string& text, const Place& place) {
  auto value = std::make_shared<Value>();
  bool is_odd = false;
  value->type.type = fmi::Type::string;
  value->texts = {text};
  value->place = place;
  if (text == "true" || text == "false") {
    value->type.type = fmi::Type::boolean;
  } else if (const auto words = fmi::words_of(text);
             !words.empty() && std::all_of(words.begin(), words.end(), [&](std::string_view word) {
               return fmi::read_number(word, is_odd).has_value();
             })) {
    value->type.type = fmi::Type::float64;
    value->texts.assign(words.begin(), words.end());
  }
  return value;
}

std::optional<std::vector<std::string>> start_texts(const Value& value, const Transformation& transformation,
                                                    const fmi::Description& description, const fmi::Variable& variable,
                                                    Diagnostics& diagnostics) {
  const fmi::Type from = *value.type.type;
  const auto items = enumeration_of(description, variable);
  const auto is_plain_text = [&](const std::string& text) {
    if (!document::is_expression(text)) return true;
    diagnostics.error(value.place,
                      fmt::format("'{}' cannot be a start value here: text in braces is an expression", text));
    return false;
  };
  if (variable.type == fmi::Type::string || variable.type == fmi::Type::binary || variable.type == fmi::Type::clock) {
    const bool fits = variable.type == from && from != fmi::Type::clock;
    if (!fits) return refuse(value, value.texts.front(), variable, diagnostics);
    if (!std::all_of(value.texts.begin(), value.texts.end(), is_plain_text)) return std::nullopt;
    return value.texts;
  }
  // Items keep their names, whatever numbers both sides give them; text for an enumeration is meant as an item.
  const bool is_named = from == fmi::Type::enumeration || from == fmi::Type::string;
  if (items && is_named && transformation.is_identity()) {
    for (const std::string& text : value.texts) {
      if (items->value_of(text)) continue;
      const auto names = items->item_names();
      diagnostics.error(value.place, fmt::format("variable '{}' has no item '{}'{}", variable.name, text,
                                                 document::suggestion(text, names)));
      return std::nullopt;
    }
    return value.texts;
  }
  const std::size_t errors = diagnostics.error_count();
  const auto numbers = numbers_of(value, items.get(), diagnostics);
  if (!numbers) {
    if (diagnostics.error_count() > errors) return std::nullopt;
    return refuse(value, value.texts.front(), variable, diagnostics);
  }
  std::vector<std::string> texts;
  const bool is_same_whole = transformation.is_identity() && fmi::is_integer(from) && fmi::is_integer(variable.type) &&
                             from != fmi::Type::enumeration && !items;
  for (std::size_t k = 0; k < numbers->size(); ++k) {
    auto text = number_text(transformation.apply((*numbers)[k]), variable, items.get());
    if (!text) return refuse(value, value.texts[k], variable, diagnostics);
    // Whole numbers of 64 bits are not doubles.
    texts.push_back(is_same_whole ? value.texts[k] : std::move(*text));
  }
  return texts;
}

}  // namespace tieline::interchange::ssp
