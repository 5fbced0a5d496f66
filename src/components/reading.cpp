#include "components/reading.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "document/expression.hpp"

namespace tieline::components {

using document::Diagnostics;
using document::Element;
using document::Place;
using document::Scope;
using document::trimmed;

namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// Two numbers separated by a comma, a semicolon or blanks.
std::optional<std::pair<double, double>> parse_pair(std::string_view line) {
  constexpr std::string_view kSeparators = ",; \t\r";
  double values[2] = {0.0, 0.0};
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  for (double& value : values) {
    while (at != end && kSeparators.find(*at) != kSeparators.npos) ++at;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) return std::nullopt;
    at = next;
  }
  while (at != end && kSeparators.find(*at) != kSeparators.npos) ++at;
  return at == end ? std::optional(std::pair(values[0], values[1])) : std::nullopt;
}

/// False, with the reason reported, where the file cannot be used.
bool read_points(const std::filesystem::path& path, const Place& place, document::Table& table,
                 Diagnostics& diagnostics) {
  diagnostics.reads(path);
  std::ifstream file(path);
  if (!file) {
    diagnostics.error(place, fmt::format("the table's file '{}' cannot be read", path.string()));
    return false;
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view content = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (content.empty()) continue;
    if (const auto point = parse_pair(content)) {
      table.x.push_back(point->first);
      table.y.push_back(point->second);
    } else if (!table.x.empty() || number > 1) {  // the first line may be a heading
      diagnostics.error({path.string(), number, 1},
                        fmt::format("expected two numbers (x, y), found '{}'", content.substr(0, 40)));
      return false;
    }
  }
  return true;
}

}  // namespace

Scope content_scope(const Element& content, const Scope& scope) {
  // The defaults stand outside what the component gives, yet inside the model around it; since a scope has only one
  // way outwards, they go inside, without the names that the component gives.
  Scope inner = scope.nested();
  for (const Element& parameters : content.children("Parameters")) {
    for (const Element& parameter : parameters.children("Parameter")) {
      const std::string name = parameter.get("name");
      if (!scope.defines(name)) inner.define(name, parameter.get("value"), parameter.place_of("value"));
    }
  }
  return inner;
}

PartNames::PartNames(const Scope& scope, Diagnostics& diagnostics, std::vector<std::string> reserved)
    : scope_(scope), diagnostics_(diagnostics), reserved_(std::move(reserved)) {}

std::string PartNames::declare(const Element& part) {
  const Place place = part.place_of("name");
  const std::string name = read_text(part, "name", scope_, diagnostics_);
  if (name.empty()) {
    if (!part.has("name")) diagnostics_.error(place, fmt::format("<{}> needs the attribute 'name'", part.name()));
    return name;
  }
  if (!is_name(name)) {
    diagnostics_.error(place, fmt::format("'{}' is not a name: letters, digits, '_' and '-' are allowed", name));
  }
  if (std::find(reserved_.begin(), reserved_.end(), name) != reserved_.end()) {
    diagnostics_.error(place, fmt::format("the name '{}' is kept for results of the component itself", name));
  }
  if (const auto [first, is_new] = places_.emplace(name, place); !is_new) {
    diagnostics_.error(place, fmt::format("the name '{}' is taken, by what stands in line {}; parts share one space of "
                                          "names, that of results",
                                          name, first->second.line));
  }
  return name;
}

std::string read_text(const Element& element, std::string_view attribute, const Scope& scope,
                      Diagnostics& diagnostics) {
  if (!element.has(attribute)) return {};
  const auto text = scope.interpolate(element.get(attribute), element.place_of(attribute), diagnostics);
  return text ? std::string(trimmed(*text)) : std::string{};
}

int find_part(std::string_view name, std::span<const std::string> known, std::string_view what, const Place& place,
              Diagnostics& diagnostics) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end() && !name.empty()) return static_cast<int>(found - known.begin());
  if (!name.empty()) {
    diagnostics.error(place, fmt::format("there is no {} '{}'{}", what, name, document::suggestion(name, known)));
  }
  return -1;
}

std::vector<double> read_numbers(const Element& element, std::string_view attribute, const Scope& scope,
                                 Diagnostics& diagnostics) {
  std::vector<double> numbers;
  for (const std::string& item : document::split_list(element.get(attribute))) {
    if (const auto value = scope.evaluate(item, element.place_of(attribute), diagnostics)) numbers.push_back(*value);
  }
  return numbers;
}

std::optional<document::Table> read_table(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  document::Table table;
  const std::string join = element.get("join", "linear");
  table.join = join == "hold"     ? document::Table::Join::hold
               : join == "smooth" ? document::Table::Join::smooth
                                  : document::Table::Join::linear;
  const std::size_t errors_before = diagnostics.error_count();
  if (element.has("file")) {
    if (element.has("x") || element.has("y")) {
      diagnostics.error(element.place_of("file"), "give a table's points either by x and y or by a file, not both");
    }
    const std::string name = read_text(element, "file", scope, diagnostics);
    const auto path = element.document()->file().parent_path() / name;
    if (!read_points(path, element.place_of("file"), table, diagnostics)) return std::nullopt;
  } else {
    for (const char* attribute : {"x", "y"}) {
      if (!element.has(attribute)) {
        diagnostics.error(element.place(),
                          fmt::format("<{}> needs x and y, or a file; '{}' is missing", element.name(), attribute));
      }
    }
    table.x = read_numbers(element, "x", scope, diagnostics);
    table.y = read_numbers(element, "y", scope, diagnostics);
  }
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  if (const std::string defect = table.defect(); !defect.empty()) {
    diagnostics.error(element.place_of(element.has("file") ? "file" : "x"), defect);
    return std::nullopt;
  }
  return table;
}

}  // namespace tieline::components
