#include "rail/rail_course.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

namespace tieline::rail {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (!field.empty() && (field.front() == ' ' || field.front() == '"')) field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '"' || field.back() == '\r')) {
      field.remove_suffix(1);
    }
    fields.push_back(field);
    if (comma == line.npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// "left_height [m]" without its unit.
std::string_view name_of(std::string_view heading) { return heading.substr(0, heading.find(" [")); }

/// Slopes of a smooth curve through points.
std::vector<double> slopes_of(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> slopes(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t low = i == 0 ? 0 : i - 1, high = std::min(i + 1, n - 1);
    slopes[i] = (y[high] - y[low]) / (x[high] - x[low]);
  }
  return slopes;
}

struct Wanted {
  std::string name;
  bool is_required;
  std::size_t column = 0;
  bool is_there = false;
  std::vector<double> values{};
};

}  // namespace

RailCourse::RailCourse(std::vector<double> distance, Column height, Column lateral)
    : distance_(std::move(distance)), height_(std::move(height)), lateral_(std::move(lateral)) {
  for (Column* column : {&height_, &lateral_}) {
    if (column->value.empty()) column->value.assign(distance_.size(), 0.0);
    if (column->slope.empty()) column->slope = slopes_of(distance_, column->value);
  }
}

core::Result<std::shared_ptr<const RailCourse>> RailCourse::read(const std::filesystem::path& file, Side side) {
  const auto bad = [&](int line, std::string message) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = line > 0 ? fmt::format("{}:{}: {}", file.string(), line, message)
                                           : fmt::format("'{}' {}", file.string(), message)};
  };
  std::ifstream stream(file);
  std::string line;
  if (!stream || !std::getline(stream, line)) return bad(0, "cannot be read");
  const std::string rail = side == Side::left ? "left" : "right";
  std::vector<Wanted> wanted{{"distance", true},
                             {rail + "_height", true},
                             {rail + "_lateral", true},
                             {rail + "_height_slope", false},
                             {rail + "_lateral_slope", false}};
  const std::vector<std::string_view> headings = fields_of(line);
  for (Wanted& column : wanted) {
    const auto found = std::find_if(headings.begin(), headings.end(),
                                    [&](std::string_view heading) { return name_of(heading) == column.name; });
    column.is_there = found != headings.end();
    column.column = static_cast<std::size_t>(found - headings.begin());
    if (column.is_required && !column.is_there) {
      return bad(1,
                 fmt::format("no column '{}'; 'tieline irregularity' without --speed writes such files", column.name));
    }
  }
  for (int number = 2; std::getline(stream, line); ++number) {
    if (line.empty() || line == "\r") continue;
    const std::vector<std::string_view> fields = fields_of(line);
    for (Wanted& column : wanted) {
      if (!column.is_there) continue;
      double value = 0.0;
      if (column.column >= fields.size()) return bad(number, fmt::format("no number for '{}'", column.name));
      const std::string_view text = fields[column.column];
      const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
      if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || !std::isfinite(value)) {
        return bad(number, fmt::format("'{}' is not a number", text.substr(0, 40)));
      }
      if (&column == &wanted.front() && !column.values.empty() && !(value > column.values.back())) {
        return bad(number, fmt::format("distances must ascend, but {} follows {}", value, column.values.back()));
      }
      column.values.push_back(value);
    }
  }
  if (wanted.front().values.size() < 2) return bad(0, "has fewer than 2 points");
  return std::make_shared<const RailCourse>(std::move(wanted[0].values),
                                            Column{std::move(wanted[1].values), std::move(wanted[3].values)},
                                            Column{std::move(wanted[2].values), std::move(wanted[4].values)});
}

TrackPoint RailCourse::at(double distance, const Column& column) const {
  if (!(distance > distance_.front())) return {.value = column.value.front()};
  if (distance >= distance_.back()) return {.value = column.value.back()};
  const auto next = std::upper_bound(distance_.begin(), distance_.end(), distance);
  const auto i = static_cast<std::size_t>(next - distance_.begin()) - 1;
  const double h = distance_[i + 1] - distance_[i], s = (distance - distance_[i]) / h;
  const double from = column.value[i], rise = column.value[i + 1] - from;
  const double a = h * column.slope[i] - rise, b = rise - h * column.slope[i + 1];
  // y = y0 + s rise + s (1 - s) (a (1 - s) + b s)
  const double bump = a * (1.0 - s) + b * s;
  TrackPoint point;
  point.value = from + s * rise + s * (1.0 - s) * bump;
  point.slope = (rise + (1.0 - 2.0 * s) * bump + s * (1.0 - s) * (b - a)) / h;
  point.curvature = (-2.0 * bump + 2.0 * (1.0 - 2.0 * s) * (b - a)) / (h * h);
  return point;
}

}  // namespace tieline::rail
