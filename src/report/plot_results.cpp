#include "report/plot_results.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "results/glob.hpp"

namespace tieline::report {
namespace {

/// More curves than this cannot be read; a pattern like "*" on a large model is a mistake.
constexpr std::size_t kMostCurves = 200;

/// What a variable tells: the last part of its name, without the axis of a vector ("velocity" of "arm.tip.velocity.x").
std::string_view quantity_of(std::string_view name) {
  const auto take_last = [&] {
    const auto dot = name.rfind('.');
    const auto part = dot == std::string_view::npos ? name : name.substr(dot + 1);
    name = dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
    return part;
  };
  const auto last = take_last();
  const bool is_axis = last.size() == 1 && std::string_view("xyzw").find(last[0]) != std::string_view::npos;
  return is_axis && name.find('.') != std::string_view::npos ? take_last() : last;
}

/// Variables that fit, in the order of the patterns, each once, over all runs.
core::Result<std::vector<results::Variable>> wanted(std::span<const Run> runs, std::span<const std::string> patterns) {
  std::vector<results::Variable> variables;
  std::set<std::string> seen;
  for (const auto& pattern : patterns) {
    bool fits = false;
    for (const auto& run : runs)
      for (const auto& variable : run.reader->variables()) {
        if (!results::matches(pattern, variable.name)) continue;
        fits = true;
        if (seen.insert(variable.name).second) variables.push_back(variable);
      }
    // The reader's own error names the nearest variable.
    if (!fits && !runs.empty()) return runs.front().reader->select(std::span(&pattern, 1)).error();
  }
  if (variables.size() * runs.size() > kMostCurves)
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("{} curves are too many for a plot (at most {}): choose fewer variables",
                                              variables.size() * runs.size(), kMostCurves)};
  return variables;
}

/// Panels in the order in which their first variable was asked for.
class Panels {
 public:
  Panel& panel_of(const results::Variable& variable) {
    // What has no unit shares a panel, whatever it is called.
    const std::string quantity(variable.unit.empty() ? "" : quantity_of(variable.name));
    const auto [found, is_new] = places_.try_emplace({variable.unit, quantity}, panels_.size());
    if (is_new) panels_.push_back({.y_label = label(variable)});
    Panel& panel = panels_[found->second];
    if (variable.unit.empty() && panel.y_label != quantity_of(variable.name)) panel.y_label = "";
    return panel;
  }
  [[nodiscard]] std::vector<Panel> take() && { return std::move(panels_); }

 private:
  static std::string label(const results::Variable& variable) {
    std::string text(quantity_of(variable.name));
    std::replace(text.begin(), text.end(), '_', ' ');
    return variable.unit.empty() ? std::string(quantity_of(variable.name))
                                 : fmt::format("{} [{}]", text, variable.unit);
  }

  std::vector<Panel> panels_{};
  std::map<std::pair<std::string, std::string>, std::size_t> places_{};
};

int next_colour(const Panel& panel) {
  int colour = 0;
  for (const auto& curve : panel.curves) colour = std::max(colour, curve.colour + 1);
  return colour;
}

int curves_in_colour(const Panel& panel, int colour) {
  return static_cast<int>(
      std::count_if(panel.curves.begin(), panel.curves.end(), [&](const Curve& c) { return c.colour == colour; }));
}

}  // namespace

core::Result<Figure> figure_of(std::span<const Run> runs, std::span<const std::string> patterns, std::string title,
                               ColourBy colours) {
  const auto variables = wanted(runs, patterns);
  if (!variables) return variables.error();
  Panels panels;
  for (const auto& variable : *variables) {
    Panel& panel = panels.panel_of(variable);
    const int own_colour = next_colour(panel);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!runs[i].reader->find(variable.name)) continue;
      auto series = runs[i].reader->read(variable.name);
      if (!series) return series.error();
      const int run = static_cast<int>(i);
      const bool by_run = colours == ColourBy::run;
      panel.curves.push_back(
          {.label = runs.size() > 1 ? fmt::format("{} ({})", variable.name, runs[i].label) : variable.name,
           .x = std::move(series->times),
           .y = std::move(series->values),
           .colour = by_run ? run : own_colour,
           .dash = by_run ? curves_in_colour(panel, run) : run});
    }
  }
  return Figure{.title = std::move(title), .panels = std::move(panels).take()};
}

core::Result<void> plot_results(std::span<const Run> runs, std::span<const std::string> patterns, std::string title,
                                const std::filesystem::path& file, ColourBy colours) {
  const auto figure = figure_of(runs, patterns, std::move(title), colours);
  if (!figure) return figure.error();
  return write_figure(*figure, file);
}

}  // namespace tieline::report
