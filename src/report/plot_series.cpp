#include "report/plot_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tieline::report {
namespace {

/// The value at a time, joined linearly; at a break that before or after it. NaN outside.
double value_at(const results::Series& series, double t, bool is_after) {
  const auto& times = series.times;
  const auto first = std::lower_bound(times.begin(), times.end(), t);
  if (first == times.end()) return std::numeric_limits<double>::quiet_NaN();
  auto place = static_cast<std::size_t>(first - times.begin());
  if (*first == t) {
    if (is_after) place = static_cast<std::size_t>(std::upper_bound(first, times.end(), t) - times.begin()) - 1;
    return series.values[place];
  }
  if (place == 0) return std::numeric_limits<double>::quiet_NaN();
  const double share = (t - times[place - 1]) / (times[place] - times[place - 1]);
  return series.values[place - 1] + share * (series.values[place] - series.values[place - 1]);
}

bool has_break(const std::vector<double>& times, double t) {
  const auto first = std::lower_bound(times.begin(), times.end(), t);
  return first != times.end() && first + 1 != times.end() && *first == t && *(first + 1) == t;
}

}  // namespace

results::Series part_of(const results::Series& series, std::optional<double> from, std::optional<double> to) {
  results::Series part{.name = series.name, .unit = series.unit};
  if (series.times.empty()) return part;
  const double first = std::max(from.value_or(series.times.front()), series.times.front());
  const double last = std::min(to.value_or(series.times.back()), series.times.back());
  if (first > last) return part;
  const auto add = [&](double t, double value) {
    part.times.push_back(t);
    part.values.push_back(value);
  };
  const auto begin = std::lower_bound(series.times.begin(), series.times.end(), first);
  const auto end = std::upper_bound(begin, series.times.end(), last);
  if (begin == end || *begin > first) add(first, value_at(series, first, true));
  for (auto it = begin; it != end; ++it) add(*it, series.values[static_cast<std::size_t>(it - series.times.begin())]);
  if (part.times.back() < last) add(last, value_at(series, last, false));
  return part;
}

results::Series difference_of(const results::Series& b, const results::Series& a) {
  results::Series difference{.name = b.name, .unit = b.unit};
  std::vector<double> times;
  std::merge(a.times.begin(), a.times.end(), b.times.begin(), b.times.end(), std::back_inserter(times));
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (const double t : times) {
    const bool is_broken = has_break(a.times, t) || has_break(b.times, t);
    for (const bool is_after : {false, true}) {
      if (is_after && !is_broken) break;
      const double value = value_at(b, t, is_after) - value_at(a, t, is_after);
      if (difference.times.empty() && std::isnan(value)) continue;
      difference.times.push_back(t);
      difference.values.push_back(value);
    }
  }
  while (!difference.values.empty() && std::isnan(difference.values.back())) {
    difference.times.pop_back();
    difference.values.pop_back();
  }
  return difference;
}

std::vector<double> values_at(const results::Series& series, const std::vector<double>& times) {
  std::vector<double> values;
  for (std::size_t i = 0; i < times.size(); ++i)
    values.push_back(value_at(series, times[i], i > 0 && times[i - 1] == times[i]));
  return values;
}

bool is_count(const results::Series& series) {
  return series.unit == "1" && std::all_of(series.values.begin(), series.values.end(),
                                           [](double value) { return value == std::floor(value) && value >= 0.0; });
}

results::Series steps_of(const results::Series& series) {
  results::Series steps{.name = series.name, .unit = series.unit};
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    const double before = series.times[i > 0 ? i - 1 : 0];
    for (const double t : {before, series.times[i]}) {
      if (i == 0 && !steps.times.empty()) break;
      steps.times.push_back(t);
      steps.values.push_back(series.values[i]);
    }
  }
  return steps;
}

}  // namespace tieline::report
