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

/// Numbers separated by commas, semicolons or blanks; empty if something else stands between them.
std::vector<double> parse_row(std::string_view line) {
  constexpr std::string_view kSeparators = ",; \t\r";
  std::vector<double> row;
  const char* at = line.data();
  const char* const end = line.data() + line.size();
  for (;;) {
    while (at != end && kSeparators.find(*at) != kSeparators.npos) ++at;
    if (at == end) return row;
    const auto [next, error] = std::from_chars(at, end, row.emplace_back());
    if (error != std::errc{} || (next != end && kSeparators.find(*next) == kSeparators.npos)) return {};
    at = next;
  }
}

/// The start of a line, without what a terminal cannot show: the file may be anything.
std::string shown(std::string_view line) {
  std::string text(line.substr(0, 40));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

/// The points of a table of one or several columns of ordinates.
struct Points {
  std::vector<double> x{};
  std::vector<std::vector<double>> y = std::vector<std::vector<double>>(1);  ///< by column
};

/// Where the file cannot be used, the reason is reported.
void read_points(const std::filesystem::path& path, const Place& place, bool may_have_columns, Points& points,
                 Diagnostics& diagnostics) {
  std::error_code failure;
  const bool exists = std::filesystem::exists(path, failure);
  std::ifstream file(path);
  if (!file || !std::filesystem::is_regular_file(path, failure)) {
    diagnostics.error(place, fmt::format("the table's file '{}' cannot be read{}", path.string(),
                                         exists ? "" : ": it does not exist"));
    return;
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view content = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (content.empty()) continue;
    const auto row = parse_row(content);
    if (points.x.empty() && may_have_columns && row.size() >= 2) points.y.resize(row.size() - 1);
    if (row.size() == points.y.size() + 1) {
      points.x.push_back(row.front());
      for (std::size_t column = 0; column < points.y.size(); ++column) points.y[column].push_back(row[column + 1]);
    } else if (!points.x.empty() || number > 1) {  // the first line may be a heading
      const std::string expected = points.y.size() > 1
                                       ? fmt::format("{} numbers, as in the first row", points.y.size() + 1)
                                       : "two numbers (x, y)";
      diagnostics.error({path.string(), number, 1}, fmt::format("expected {}, found '{}'", expected, shown(content)));
      return;
    }
  }
  diagnostics.reads(path);
}

std::vector<double> evaluate_list(std::string_view text, const Place& place, const Scope& scope,
                                  Diagnostics& diagnostics) {
  std::vector<double> numbers;
  for (const std::string& item : document::split_list(text)) {
    if (const auto value = scope.evaluate(item, place, diagnostics)) numbers.push_back(*value);
  }
  return numbers;
}

/// Points from the attributes x and y, or from a file beside the document; what is wrong is reported.
Points find_points(const Element& element, bool may_have_columns, const Scope& scope, Diagnostics& diagnostics) {
  Points points;
  if (element.has("file")) {
    if (element.has("x") || element.has("y")) {
      diagnostics.error(element.place_of("file"), "give a table's points either by x and y or by a file, not both");
    }
    const std::string name = read_text(element, "file", scope, diagnostics);
    const auto path = element.document()->file().parent_path() / name;
    read_points(path, element.place_of("file"), may_have_columns, points, diagnostics);
    return points;
  }
  for (const char* attribute : {"x", "y"}) {
    if (!element.has(attribute)) {
      diagnostics.error(element.place(),
                        fmt::format("<{}> needs x and y, or a file; '{}' is missing", element.name(), attribute));
    }
  }
  points.x = read_numbers(element, "x", scope, diagnostics);
  points.y.clear();
  const std::string y = element.get("y");
  for (std::size_t at = 0; at <= y.size();) {
    const std::size_t end = may_have_columns ? std::min(y.find(';', at), y.size()) : y.size();
    points.y.push_back(
        evaluate_list(std::string_view(y).substr(at, end - at), element.place_of("y"), scope, diagnostics));
    at = end + 1;
  }
  return points;
}

std::vector<document::Table> read_columns(const Element& element, bool may_have_columns, const Scope& scope,
                                          Diagnostics& diagnostics) {
  const std::string join = element.get("join", "linear");
  const std::size_t errors_before = diagnostics.error_count();
  const Points points = find_points(element, may_have_columns, scope, diagnostics);
  if (diagnostics.error_count() > errors_before) return {};
  std::vector<document::Table> tables;
  for (const auto& y : points.y) {
    tables.push_back({.x = points.x,
                      .y = y,
                      .join = join == "hold"     ? document::Table::Join::hold
                              : join == "smooth" ? document::Table::Join::smooth
                                                 : document::Table::Join::linear});
    if (const std::string defect = tables.back().defect(); !defect.empty()) {
      diagnostics.error(element.place_of(element.has("file") ? "file" : "x"), defect);
      return {};
    }
  }
  return tables;
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

PartNames::PartNames(const Scope& scope, Diagnostics& diagnostics, std::vector<std::string> reserved,
                     MayShare may_share)
    : scope_(scope), diagnostics_(diagnostics), reserved_(std::move(reserved)), may_share_(may_share) {}

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
    diagnostics_.error(place, fmt::format("the name '{}' is reserved for results of the component itself", name));
  }
  const auto [first, last] = parts_.equal_range(name);
  for (auto other = first; other != last; ++other) {
    const Element& taken = other->second;
    if (may_share_ != nullptr && may_share_(part.name(), taken.name())) continue;
    diagnostics_.error(place, fmt::format("the name '{}' is already used by the <{}> in line {}; all elements of a "
                                          "component need different names, because its results are named after them",
                                          name, taken.name(), taken.place_of("name").line));
    break;
  }
  parts_.emplace(name, part);
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
  return evaluate_list(element.get(attribute), element.place_of(attribute), scope, diagnostics);
}

std::vector<double> read_start(const Element& element, int size, const Scope& scope, Diagnostics& diagnostics) {
  const auto count = static_cast<std::size_t>(size);
  const std::size_t errors_before = diagnostics.error_count();
  auto start = read_numbers(element, "start", scope, diagnostics);
  if (start.size() == 1) start.resize(count, start.front());
  if (start.size() == count) return start;
  if (element.has("start") && diagnostics.error_count() == errors_before) {
    diagnostics.error(
        element.place_of("start"),
        fmt::format("start has {} numbers, the signal {}; expected one for all, or one for each", start.size(), size));
  }
  return std::vector<double>(count, 0.0);
}

std::vector<document::Table> read_tables(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  return read_columns(element, true, scope, diagnostics);
}

std::optional<document::Table> read_table(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  auto tables = read_columns(element, false, scope, diagnostics);
  return tables.empty() ? std::nullopt : std::optional(std::move(tables.front()));
}

document::Table read_table_for_expressions(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  return read_table(element, scope, diagnostics).value_or(document::Table{.x = {0.0, 1.0}, .y = {1.0, 1.0}});
}

}  // namespace tieline::components
