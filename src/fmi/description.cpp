#include "fmi/description.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "archive/archive.hpp"
#include "fmi/description_parts.hpp"
#include "fmi/fmu_file.hpp"

namespace tieline::fmi {
namespace {

constexpr const char* kTerminalsFile = "terminalsAndIcons/terminalsAndIcons.xml";

/// A name without blanks within brackets, or as it is.
std::string without_blanks_in_brackets(std::string_view name) {
  std::string text;
  int depth = 0;
  for (const char c : name) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (depth <= 0 || c != ' ') text += c;
  }
  return text;
}

/// The subscripts at the end of a name, as they are written.
std::optional<std::vector<std::uint64_t>> subscripts_of(std::string_view name, std::string_view& base) {
  const auto open = name.rfind('[');
  if (open == name.npos || !name.ends_with(']')) return std::nullopt;
  base = name.substr(0, open);
  std::vector<std::uint64_t> subscripts;
  std::string_view rest = name.substr(open + 1, name.size() - open - 2);
  for (;;) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string_view word = trimmed(rest.substr(0, comma));
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    subscripts.push_back(value);
    if (comma == rest.size()) return subscripts;
    rest.remove_prefix(comma + 1);
  }
}

/// "x" with "[1]" is "x[1]", "der(x)" is "der(x[1])".
std::string with_subscripts(std::string_view name, std::string_view subscripts) {
  const bool is_derivative = name.starts_with("der(") && name.ends_with(')');
  const std::size_t at = is_derivative ? name.size() - 1 : name.size();
  return fmt::format("{}[{}]{}", name.substr(0, at), subscripts, name.substr(at));
}

/// 1, 2 or 3, with the text of the version; 0 after an error.
int read_version(pugi::xml_node root, std::string& text, Findings& findings) {
  text = trimmed(root.attribute("fmiVersion").value());
  const int major = !text.empty() && (text.size() == 1 || text[1] == '.') ? text[0] - '0' : 0;
  if (text.empty()) {
    // Only 1.0 has the model identifier here.
    const int assumed = root.attribute("instantiationToken") ? 3 : root.attribute("modelIdentifier") ? 1 : 2;
    text = fmt::format("{}.0", assumed);
    findings.warn(root, "missing versions", fmt::format("the attribute fmiVersion is missing; {} is assumed", text));
    return assumed;
  }
  if (major < 1 || major > 3) {
    findings.error(root, fmt::format("FMI '{:.40}' is not supported; it must be 1.0, 2.0 or 3.0", text));
    return 0;
  }
  if (text.find_first_not_of("0123456789.") != text.npos ||
      (text.size() > 1 && !text.starts_with(fmt::format("{}.0", major)))) {
    findings.warn(root, "unusual versions", fmt::format("FMI '{:.40}' is read as {}.0", text, major));
  }
  return major;
}

}  // namespace

void Description::index_names() {
  names_.clear();
  names_.reserve(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i) names_.emplace(variables[i].name, static_cast<std::uint32_t>(i));
  for (std::size_t i = 0; i < variables.size(); ++i) {
    for (const Alias& alias : variables[i].aliases) names_.emplace(alias.name, static_cast<std::uint32_t>(i));
  }
  // Names with blanks in brackets are found without them, too; those that are written so come first.
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string& name = variables[i].name;
    if (name.find('[') == name.npos || name.find(' ') == name.npos) continue;
    names_.emplace(without_blanks_in_brackets(name), static_cast<std::uint32_t>(i));
  }
}

std::uint32_t Description::index_of(std::string_view name) const {
  auto found = names_.find(name);
  if (found == names_.end() && name.find('[') != name.npos) found = names_.find(without_blanks_in_brackets(name));
  return found == names_.end() ? kNone : found->second;
}

const Variable* Description::find(std::string_view name) const {
  const std::uint32_t index = index_of(name);
  return index == kNone ? nullptr : &variables[index];
}

std::vector<Scalar> Description::scalars_of(std::string_view name) const {
  std::vector<Scalar> scalars;
  const auto add_whole = [&](std::uint32_t index) {
    for (std::uint64_t k = 0; k < variables[index].element_count(); ++k) scalars.push_back({index, k});
  };
  if (const std::uint32_t index = index_of(name); index != kNone) {
    add_whole(index);
    return scalars;
  }
  std::string_view base;
  if (const auto subscripts = subscripts_of(name, base)) {
    const std::uint32_t index = index_of(base);
    if (index == kNone || variables[index].dimensions.size() != subscripts->size()) return scalars;
    std::uint64_t element = 0;
    for (std::size_t k = 0; k < subscripts->size(); ++k) {
      const std::uint64_t size = variables[index].dimensions[k].size;
      if ((*subscripts)[k] < 1 || (*subscripts)[k] > size) return scalars;
      element = element * size + (*subscripts)[k] - 1;
    }
    return {{index, element}};
  }
  const auto part = [&](const std::string& subscripts) { return index_of(with_subscripts(name, subscripts)); };
  // Tools of other worlds than Modelica's count from 0.
  const std::uint64_t first = part("0") != kNone || part("0,0") != kNone ? 0 : 1;
  for (std::uint64_t i = first; part(std::to_string(i)) != kNone; ++i) add_whole(part(std::to_string(i)));
  if (!scalars.empty()) return scalars;
  std::uint64_t columns = 0;
  for (std::uint64_t row = first;; ++row) {
    std::uint64_t column = first;
    for (;; ++column) {
      const std::uint32_t index = part(fmt::format("{},{}", row, column));
      if (index == kNone) break;
      add_whole(index);
    }
    if (column == first) return scalars;
    if (row > first && column != columns) return {};
    columns = column;
  }
}

std::string Description::suggestion(std::string_view wrong) const {
  std::vector<std::string> known;
  known.reserve(variables.size());
  for (const Variable& variable : variables) {
    known.push_back(variable.name);
    for (const Alias& alias : variable.aliases) known.push_back(alias.name);
  }
  return document::suggestion(wrong, known);
}

const Unit* Description::unit_named(std::string_view name) const {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

std::optional<Description> read_description(std::string text, const std::string& file_name,
                                            document::Diagnostics& diagnostics) {
  const auto source = XmlSource::parse(std::move(text), file_name, diagnostics);
  if (!source) return std::nullopt;
  Description description;
  Findings findings(*source, diagnostics);
  const auto root = source->root();
  if (std::string_view(root.name()) != "fmiModelDescription") {
    findings.error(root, fmt::format("<fmiModelDescription> is expected, not <{:.60}>", root.name()));
    return std::nullopt;
  }
  description.version = read_version(root, description.version_text, findings);
  if (description.version == 0) return std::nullopt;
  DescriptionParts parts{description, root, findings};
  read_header(parts);
  read_units(parts);
  read_types(parts);
  read_variables(parts);
  read_structure(parts);
  if (findings.has_errors()) return std::nullopt;
  return description;
}

std::optional<Description> read_description(archive::Archive& archive, document::Diagnostics& diagnostics) {
  const auto place = [&](std::string_view file) { return document::Place{archive.shown(file), 0, 0}; };
  if (!archive.has(kDescriptionFile)) {
    diagnostics.error({archive.file().string(), 0, 0},
                      fmt::format("this is not an FMU: it contains no {}", kDescriptionFile));
    return std::nullopt;
  }
  auto text = archive.read(kDescriptionFile, XmlSource::kLargestSize);
  if (!text) {
    diagnostics.error(place(kDescriptionFile), text.error().message);
    return std::nullopt;
  }
  auto description = read_description(std::move(*text), archive.shown(kDescriptionFile), diagnostics);
  if (!description || !archive.has(kTerminalsFile)) return description;
  auto terminals = archive.read(kTerminalsFile, XmlSource::kLargestSize);
  if (terminals) {
    read_terminals(std::move(*terminals), archive.shown(kTerminalsFile), *description, diagnostics);
  } else {
    diagnostics.warning(place(kTerminalsFile), terminals.error().message);
  }
  return description;
}

}  // namespace tieline::fmi
