#include "studies/sweep_plan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <set>

#include "checkpoints/fingerprint.hpp"
#include "core/name_list.hpp"

namespace tieline::studies {
namespace {

using document::Diagnostics;
using document::Place;

// Most file systems take 255 bytes.
constexpr std::size_t kLongestFolderName = 120;

/// Some parameters and the values that they take together: one parameter of an argument, or all of a list.
struct Axis {
  std::vector<std::string> names{};
  std::vector<std::vector<std::string>> rows{};
};

struct Cell {
  std::string text{};
  int column = 1;  ///< where it begins, counted from 1
};

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// Splits at commas that stand neither in braces or brackets nor in double quotes, which are taken off.
std::vector<Cell> split(std::string_view text) {
  std::vector<Cell> cells{{"", 1}};
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      is_quoted = !is_quoted;
      continue;
    }
    if (!is_quoted && (c == '{' || c == '(')) ++depth;
    if (!is_quoted && (c == '}' || c == ')')) --depth;
    if (c == ',' && depth <= 0 && !is_quoted) {
      cells.push_back({"", static_cast<int>(i) + 2});
    } else {
      cells.back().text += c;
    }
  }
  for (Cell& cell : cells) cell.text = trimmed(cell.text);
  return cells;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// What is wrong with a value, or empty.
std::string defect_of(const std::string& value) {
  if (value.empty()) return "a value is missing";
  if (value.starts_with('{') && value.ends_with('}')) return "";
  if (number_in(value)) return "";
  return fmt::format("'{}' is neither a number nor an {{expression}}", value);
}

/// Values of "from:to:count" or "from:to:count:log"; nothing, and the reason, where the range is not valid.
std::optional<std::vector<std::string>> range(const std::string& text, std::string& problem) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  const bool is_log = parts.size() == 4 && parts[3] == "log";
  const auto from = number_in(parts[0]);
  const auto to = number_in(parts[1]);
  const bool has_count = parts.size() == 3 || is_log;
  const double count = has_count ? number_in(parts[2]).value_or(0.0) : 0.0;
  if (!from || !to || !has_count) {
    problem = fmt::format("'{}' is not a range; expected from:to:count or from:to:count:log", text);
    return std::nullopt;
  }
  if (count < 2.0 || count != std::floor(count) || count > static_cast<double>(kMostCombinations)) {
    problem = fmt::format("the count '{}' of a range must be a whole number from 2 to {}", parts[2], kMostCombinations);
    return std::nullopt;
  }
  if (is_log && !(*from * *to > 0.0)) {
    problem = fmt::format("a range with equal ratios needs two ends of one sign, not {} and {}", parts[0], parts[1]);
    return std::nullopt;
  }
  std::vector<std::string> values;
  const auto last = static_cast<std::size_t>(count) - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const double s = static_cast<double>(i) / static_cast<double>(last);
    double value = is_log ? *from * std::pow(*to / *from, s) : *from + (*to - *from) * s;
    // Twelve digits: 0.1 and its like keep their short names.
    if (i == last) value = *to;
    values.push_back(fmt::format("{:.12g}", value));
  }
  return values;
}

std::optional<Axis> parse_argument(const std::string& argument, Diagnostics& diagnostics) {
  const Place place{fmt::format("--vary {}", argument), 0, 0};
  const auto equals = core::find_unquoted(argument, '=');
  const std::string name = core::unquoted(trimmed(std::string_view(argument).substr(0, equals)));
  if (equals == std::string::npos || name.empty()) {
    diagnostics.error(place, "expected name=a,b,c or name=from:to:count");
    return std::nullopt;
  }
  Axis axis{{name}, {}};
  const std::string text = argument.substr(equals + 1);
  const std::size_t errors = diagnostics.error_count();
  for (const Cell& cell : split(text)) {
    if (cell.text.find(':') != std::string::npos && !cell.text.starts_with('{')) {
      std::string problem;
      const auto values = range(cell.text, problem);
      if (!values) diagnostics.error(place, problem);
      for (const std::string& value : values.value_or(std::vector<std::string>{})) axis.rows.push_back({value});
      continue;
    }
    if (const std::string defect = defect_of(cell.text); !defect.empty()) diagnostics.error(place, defect);
    axis.rows.push_back({cell.text});
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  return axis;
}

std::optional<Axis> read_list(const std::filesystem::path& file, Diagnostics& diagnostics) {
  std::ifstream stream(file);
  if (!stream) {
    diagnostics.error({file.string(), 0, 0}, "the list of combinations cannot be read");
    return std::nullopt;
  }
  Axis axis;
  const std::size_t errors = diagnostics.error_count();
  int line_number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++line_number;
    const std::string content = trimmed(line);
    if (content.empty() || content.starts_with('#')) continue;
    const auto cells = split(line);
    std::vector<std::string> row;
    for (const Cell& cell : cells) {
      const std::string defect =
          axis.names.empty() ? (cell.text.empty() ? "a parameter's name is missing" : "") : defect_of(cell.text);
      if (!defect.empty()) diagnostics.error({file.string(), line_number, cell.column}, defect);
      row.push_back(cell.text);
    }
    if (axis.names.empty()) {
      axis.names = std::move(row);
      continue;
    }
    if (row.size() != axis.names.size()) {
      diagnostics.error({file.string(), line_number, 1},
                        fmt::format("{} values, but {} names in the first row", row.size(), axis.names.size()));
    }
    axis.rows.push_back(std::move(row));
  }
  if (axis.rows.empty() && diagnostics.error_count() == errors) {
    diagnostics.error({file.string(), 0, 0},
                      "the list contains no combinations; expected a row of names and at least one row of values");
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  return axis;
}

/// Every row of the plan with every row of the axis.
void multiply(SweepPlan& plan, const Axis& axis) {
  plan.names.insert(plan.names.end(), axis.names.begin(), axis.names.end());
  std::vector<std::vector<std::string>> rows;
  rows.reserve(plan.rows.size() * axis.rows.size());
  for (const auto& before : plan.rows) {
    for (const auto& values : axis.rows) {
      rows.push_back(before);
      rows.back().insert(rows.back().end(), values.begin(), values.end());
    }
  }
  plan.rows = std::move(rows);
}

}  // namespace

std::optional<SweepPlan> make_plan(std::span<const std::string> vary, const std::optional<std::filesystem::path>& list,
                                   document::Diagnostics& diagnostics) {
  std::vector<std::pair<Place, Axis>> axes;
  if (list) {
    if (auto axis = read_list(*list, diagnostics)) axes.emplace_back(Place{list->string(), 0, 0}, std::move(*axis));
  }
  for (const std::string& argument : vary) {
    if (auto axis = parse_argument(argument, diagnostics)) {
      axes.emplace_back(Place{fmt::format("--vary {}", argument), 0, 0}, std::move(*axis));
    }
  }
  std::set<std::string> known;
  std::size_t count = 1;
  for (const auto& [place, axis] : axes) {
    for (const std::string& name : axis.names) {
      if (!known.insert(name).second) diagnostics.error(place, fmt::format("'{}' is varied twice", name));
    }
    std::set<std::vector<std::string>> distinct;
    for (const auto& row : axis.rows) {
      if (!distinct.insert(row).second) {
        diagnostics.error(place, fmt::format("the value {} is given twice", fmt::join(row, ", ")));
      }
    }
    count = axis.rows.size() > kMostCombinations / count ? kMostCombinations + 1 : count * axis.rows.size();
    if (count > kMostCombinations) {
      diagnostics.error(place, fmt::format("more than {} combinations; expected fewer values", kMostCombinations));
      break;
    }
  }
  if (diagnostics.has_errors() || axes.empty()) return std::nullopt;
  SweepPlan plan{{}, {{}}};
  for (const auto& [_, axis] : axes) multiply(plan, axis);
  return plan;
}

std::string combination_name(const SweepPlan& plan, std::size_t row) {
  std::string name;
  for (std::size_t i = 0; i < plan.names.size(); ++i) {
    name += fmt::format("{}{}={}", name.empty() ? "" : ",", plan.names[i], plan.rows[row][i]);
  }
  return name;
}

std::string combination_folder(const SweepPlan& plan, std::size_t row) {
  const std::string name = combination_name(plan, row);
  std::string folder = name;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-+=,").find(c) != std::string_view::npos;
  };
  std::replace_if(
      folder.begin(), folder.end(), [&](char c) { return !is_plain(c); }, '_');
  folder.resize(std::min(folder.size(), kLongestFolderName));
  // What was changed or cut off must not make two combinations share a folder.
  return folder == name ? folder : fmt::format("{}-{:016x}", folder, checkpoints::fingerprint(name));
}

}  // namespace tieline::studies
