#include "report/plot_results.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/plot_selection.hpp"
#include "report/plot_series.hpp"

namespace tieline::report {
namespace {

/// More curves than this cannot be read; a pattern like "*" on a large model is a mistake.
constexpr std::size_t kMostCurves = 200;
/// Names that the label of an axis lists at most, where they have nothing in common.
constexpr std::size_t kMostNames = 3;
/// What signals are called, whatever they carry.
constexpr std::string_view kValue = "value";

/// What has such a unit, where its name does not say it.
std::string_view usual_quantity(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kQuantities{{{"m", "position"},
                                                                                       {"m/s", "velocity"},
                                                                                       {"m/s^2", "acceleration"},
                                                                                       {"m/s2", "acceleration"},
                                                                                       {"rad", "angle"},
                                                                                       {"rad/s", "angular_velocity"},
                                                                                       {"N", "force"},
                                                                                       {"N m", "torque"},
                                                                                       {"N.m", "torque"},
                                                                                       {"Pa", "pressure"},
                                                                                       {"m^3/s", "flow"},
                                                                                       {"V", "voltage"},
                                                                                       {"A", "current"},
                                                                                       {"K", "temperature"},
                                                                                       {"W", "power"},
                                                                                       {"J", "energy"},
                                                                                       {"Hz", "frequency"}}};
  for (const auto& [of, quantity] : kQuantities)
    if (of == unit) return quantity;
  return {};
}

/// The quantity of a variable: the last part of its name, without the axis of a vector ("velocity" of
/// "arm.tip.velocity.x"). Of a signal ("plant.x.value") what has its unit, or its own name.
std::string_view quantity_of(std::string_view name, std::string_view unit) {
  const auto take_last = [&] {
    const auto dot = name.rfind('.');
    const auto part = dot == std::string_view::npos ? name : name.substr(dot + 1);
    name = dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
    return part;
  };
  const auto last = take_last();
  const bool is_axis = last.size() == 1 && std::string_view("xyzw").find(last[0]) != std::string_view::npos;
  if (is_axis && name.find('.') != std::string_view::npos) return take_last();
  if (last != kValue || name.empty()) return last;
  const auto usual = usual_quantity(unit);
  return usual.empty() ? take_last() : usual;
}

/// "m/s^2" as it is written.
std::string in_print(std::string unit) {
  for (const auto& [plain, printed] : {std::pair("^2", "²"), std::pair("^3", "³")}) {
    for (std::size_t at = 0; (at = unit.find(plain, at)) != std::string::npos;) unit.replace(at, 2, printed);
  }
  return unit;
}

std::string in_words(std::string_view quantity) {
  std::string text(quantity);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// Panels in the order in which their first variable was asked for.
class Panels {
 public:
  /// The place of the variable's panel; an error if a group holds two units.
  core::Result<std::size_t> place_of(const PlottedVariable& variable) {
    const std::string quantity(quantity_of(variable.name, variable.unit));
    const auto fits = [&](const Place& place) {
      if (variable.group >= 0 || place.group >= 0) return place.group == variable.group;
      // What has no unit shares a panel, whatever it is called.
      return place.unit == variable.unit && (variable.unit.empty() || place.quantities.front() == quantity);
    };
    auto found = std::find_if(places_.begin(), places_.end(), fits);
    if (found == places_.end()) {
      places_.push_back({.unit = variable.unit, .group = variable.group});
      found = places_.end() - 1;
    }
    if (found->unit.empty() && !variable.unit.empty()) {
      // Signals have no unit of their own; what they are shown with says it.
      found->unit = variable.unit;
      found->quantities.clear();
    }
    if (!variable.unit.empty() && variable.unit != found->unit) {
      return core::bad_input(fmt::format("'{}' [{}] cannot share a panel with what is in [{}]", variable.name,
                                         variable.unit, found->unit));
    }
    const bool is_conclusive = !variable.unit.empty() || found->unit.empty();
    if (is_conclusive &&
        std::find(found->quantities.begin(), found->quantities.end(), quantity) == found->quantities.end())
      found->quantities.push_back(quantity);
    return static_cast<std::size_t>(found - places_.begin());
  }

  [[nodiscard]] std::string label(std::size_t index) const {
    const Place& place = places_[index];
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(kMostNames, place.quantities.size()); ++i)
      words.push_back(in_words(place.quantities[i]));
    if (place.quantities.size() > kMostNames) words.emplace_back("…");
    const std::string text = fmt::format("{}", fmt::join(words, ", "));
    return place.unit.empty() || place.unit == "1" ? text : fmt::format("{} [{}]", text, in_print(place.unit));
  }
  [[nodiscard]] std::string unit(std::size_t index) const { return in_print(places_[index].unit); }
  [[nodiscard]] std::size_t count() const { return places_.size(); }

 private:
  struct Place {
    std::string unit{};
    std::vector<std::string> quantities{};
    int group = -1;
  };
  std::vector<Place> places_{};
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

core::Result<void> check_plot(std::span<const Run> runs, std::size_t variables, const RunPlot& plot) {
  if (variables * runs.size() > kMostCurves)
    return core::bad_input(fmt::format("{} curves are too many for a plot (at most {}): choose fewer variables",
                                       variables * runs.size(), kMostCurves));
  if (plot.from && plot.to && !(*plot.from < *plot.to))
    return core::bad_input(fmt::format(
        "the time range from {:g} s to {:g} s is not valid: the end must be after the start", *plot.from, *plot.to));
  if (plot.has_differences && runs.size() < 2) return core::bad_input("differences need a second run");
  if (plot.has_differences && !plot.over.empty())
    return core::bad_input("differences are plotted over time, not over another variable");
  return {};
}

/// Reads what a plot asks for.
class SeriesReader {
 public:
  explicit SeriesReader(const RunPlot& plot) : plot_(plot) {}

  core::Result<results::Series> read(const Run& run, const std::string& name) const {
    auto series = run.reader->read(name);
    if (!series || (!plot_.from && !plot_.to)) return series;
    auto part = part_of(*series, plot_.from, plot_.to);
    if (!part.times.empty() || series->times.empty()) return part;
    return core::bad_input(fmt::format("'{}' has no values in this time range: it has values from {:g} s to {:g} s",
                                       name, series->times.front(), series->times.back()));
  }

 private:
  const RunPlot& plot_;
};

/// Draws variables of all runs into panels, and their differences into panels below.
class FigureBuilder {
 public:
  FigureBuilder(std::span<const Run> runs, const RunPlot& plot) : runs_(runs), plot_(plot), reader_(plot) {}

  core::Result<Figure> make(std::span<const PlottedVariable> variables) {
    if (!plot_.over.empty()) {
      auto over = select_variable(runs_, plot_.over);
      if (!over) return over.error();
      over_ = std::move(*over);
    }
    for (const PlottedVariable& variable : variables) {
      const auto place = panels_.place_of(variable);
      if (!place) return place.error();
      shown_.resize(panels_.count());
      differences_.resize(panels_.count());
      if (auto added = add(variable, *place); !added) return added.error();
    }
    return finish();
  }

 private:
  core::Result<void> add(const PlottedVariable& variable, std::size_t place) {
    Panel& panel = shown_[place];
    const int own_colour = next_colour(panel);
    std::optional<results::Series> first;
    std::size_t first_run = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::string& name = variable.in_runs[i];
      if (name.empty()) continue;
      auto series = reader_.read(runs_[i], name);
      if (!series) return series.error();
      const int run = static_cast<int>(i);
      const bool by_run = plot_.colours == ColourBy::run;
      Curve curve{.label = runs_.size() > 1 ? fmt::format("{} ({})", name, runs_[i].label) : name,
                  .colour = by_run ? run : own_colour,
                  .dash = curves_in_colour(panel, by_run ? run : own_colour)};
      if (plot_.has_differences && first) {
        auto difference = difference_of(*series, *first);
        differences_[place].curves.push_back({.label = difference_label(variable, first_run, i),
                                              .x = std::move(difference.times),
                                              .y = std::move(difference.values),
                                              .colour = curve.colour,
                                              .dash = by_run ? curve.dash : curve.dash - 1});
      }
      if (plot_.has_differences && !first) {
        first = *series;
        first_run = i;
      }
      if (auto filled = fill(i, std::move(*series), curve); !filled) return filled.error();
      panel.curves.push_back(std::move(curve));
    }
    return {};
  }

  core::Result<void> fill(std::size_t run, results::Series&& series, Curve& curve) const {
    if (over_) {
      const auto along = runs_[run].reader->read(over_->in_runs[run]);
      if (!along) return along.error();
      curve.x = values_at(*along, series.times);
      curve.y = std::move(series.values);
      curve.is_path = true;
      return {};
    }
    if (is_count(series)) series = steps_of(series);
    curve.x = std::move(series.times);
    curve.y = std::move(series.values);
    return {};
  }

  [[nodiscard]] std::string difference_label(const PlottedVariable& variable, std::size_t a, std::size_t b) const {
    if (variable.in_runs[a] == variable.in_runs[b])
      return fmt::format("{} ({} − {})", variable.in_runs[a], runs_[b].label, runs_[a].label);
    return fmt::format("{} ({}) − {} ({})", variable.in_runs[b], runs_[b].label, variable.in_runs[a], runs_[a].label);
  }

  Figure finish() {
    Figure figure{.title = plot_.title};
    if (over_)
      figure.x_label = over_->unit.empty() ? over_->name : fmt::format("{} [{}]", over_->name, in_print(over_->unit));
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      shown_[i].y_label = panels_.label(i);
      figure.panels.push_back(std::move(shown_[i]));
      if (differences_[i].curves.empty()) continue;
      const std::string unit = panels_.unit(i);
      differences_[i].y_label = unit.empty() ? "difference" : fmt::format("difference [{}]", unit);
      figure.panels.push_back(std::move(differences_[i]));
    }
    return figure;
  }

  std::span<const Run> runs_;
  const RunPlot& plot_;
  SeriesReader reader_;
  std::optional<PlottedVariable> over_{};
  Panels panels_{};
  std::vector<Panel> shown_{};
  std::vector<Panel> differences_{};
};

}  // namespace

core::Result<Figure> figure_of(std::span<const Run> runs, std::span<const std::string> patterns, const RunPlot& plot) {
  const auto variables = select_variables(runs, patterns, plot.allows_missing);
  if (!variables) return variables.error();
  if (auto checked = check_plot(runs, variables->size(), plot); !checked) return checked.error();
  return FigureBuilder(runs, plot).make(*variables);
}

core::Result<Figure> figure_of(std::span<const Run> runs, std::span<const std::string> patterns, std::string title,
                               ColourBy colours) {
  return figure_of(runs, patterns, {.title = std::move(title), .colours = colours});
}

core::Result<void> plot_results(std::span<const Run> runs, std::span<const std::string> patterns, std::string title,
                                const std::filesystem::path& file, ColourBy colours) {
  const auto figure = figure_of(runs, patterns, std::move(title), colours);
  if (!figure) return figure.error();
  return write_figure(*figure, file);
}

}  // namespace tieline::report
