#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"

namespace tieline::report {

/// Lines of a spectrum at k * step.
struct SpectrumCurve {
  std::string label{};
  std::string quantity{};  ///< with the unit: "amplitude [m]"; curves of one quantity share a panel
  double step = 0.0;
  std::vector<double> values{};
};

/// A frequency, and multiples of it, to be found in a spectrum.
struct FrequencyMark {
  std::string label{};
  double frequency = 0.0;
  int harmonics = 1;
};

struct SpectrumPlot {
  std::string title{};
  std::string x_label{};  ///< "frequency [Hz]"
  double from = 0.0;      ///< along x
  double to = 0.0;        ///< 0: to the end
  bool is_log_x = false;
  bool is_log_y = false;
};

/// One panel for each quantity, with dotted upright lines at the marks.
[[nodiscard]] Figure figure_of_spectra(const std::vector<SpectrumCurve>& curves,
                                       const std::vector<FrequencyMark>& marks, const SpectrumPlot& plot);

}  // namespace tieline::report
