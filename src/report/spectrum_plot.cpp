#include "report/spectrum_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tieline::report {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = 0.0;
};

/// Of the values of a panel; on a logarithmic axis of those above 0.
Bounds bounds_of(const Panel& panel, bool is_log) {
  Bounds bounds;
  for (const Curve& curve : panel.curves) {
    for (const double y : curve.y) {
      if (!(y > 0.0)) continue;
      bounds.low = std::min(bounds.low, y);
      bounds.high = std::max(bounds.high, y);
    }
  }
  if (!is_log) bounds.low = 0.0;
  return bounds;
}

Curve upright_lines(const FrequencyMark& mark, double from, double to, const Bounds& bounds) {
  Curve curve{.label = mark.label, .dash = 2};
  for (int i = 1; i <= mark.harmonics; ++i) {
    const double x = mark.frequency * i;
    if (x < from || x > to) continue;
    curve.x.insert(curve.x.end(), {x, x, x});
    curve.y.insert(curve.y.end(), {bounds.low, bounds.high, kGap});
  }
  return curve;
}

}  // namespace

Figure figure_of_spectra(const std::vector<SpectrumCurve>& curves, const std::vector<FrequencyMark>& marks,
                         const SpectrumPlot& plot) {
  Figure figure{.title = plot.title, .x_label = plot.x_label, .is_log_x = plot.is_log_x, .is_log_y = plot.is_log_y};
  double last = 0.0;
  for (const SpectrumCurve& spectrum : curves) {
    Curve curve{.label = spectrum.label};
    // The line at 0 is no vibration.
    for (std::size_t k = 1; k < spectrum.values.size(); ++k) {
      const double x = spectrum.step * static_cast<double>(k);
      if (x < plot.from || (plot.to > 0.0 && x > plot.to)) continue;
      curve.x.push_back(x);
      curve.y.push_back(spectrum.values[k]);
      last = std::max(last, x);
    }
    auto panel = std::find_if(figure.panels.begin(), figure.panels.end(),
                              [&](const Panel& other) { return other.y_label == spectrum.quantity; });
    if (panel == figure.panels.end()) panel = figure.panels.insert(panel, Panel{.y_label = spectrum.quantity});
    panel->curves.push_back(std::move(curve));
  }
  for (Panel& panel : figure.panels) {
    const Bounds bounds = bounds_of(panel, plot.is_log_y);
    for (const FrequencyMark& mark : marks) {
      Curve lines = upright_lines(mark, plot.from, last, bounds);
      if (!lines.x.empty()) panel.curves.push_back(std::move(lines));
    }
  }
  return figure;
}

}  // namespace tieline::report
