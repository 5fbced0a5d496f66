#include "report/spectrum_plot.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "report/polar_plot.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::report {
namespace spectrum_plot_test {

TEST(SpectrumPlot, QuantitiesHavePanelsAndMarksHaveHarmonics) {
  const std::vector<double> values{9.0, 1.0, 3.0, 2.0, 0.5};
  const std::vector<SpectrumCurve> curves{
      {"a", "amplitude [m]", 10.0, values}, {"b", "amplitude [m]", 10.0, values}, {"c", "amplitude [N]", 10.0, values}};
  const Figure figure =
      figure_of_spectra(curves, {{"tone", 15.0, 3}, {"far", 500.0, 2}}, {.x_label = "frequency [Hz]"});
  ASSERT_EQ(figure.panels.size(), 2u);
  ASSERT_EQ(figure.panels[0].curves.size(), 3u);  // two spectra and one mark: the other is outside
  // The mean is not drawn.
  EXPECT_EQ(figure.panels[0].curves[0].x, (std::vector<double>{10, 20, 30, 40}));
  const Curve& mark = figure.panels[0].curves[2];
  EXPECT_EQ(mark.x, (std::vector<double>{15, 15, 15, 30, 30, 30}));
  EXPECT_EQ(mark.y[0], 0.0);
  EXPECT_EQ(mark.y[1], 3.0);
  EXPECT_TRUE(std::isnan(mark.y[2]));
  // On a logarithmic axis lines start at the least value.
  const Figure decades = figure_of_spectra(curves, {{"tone", 15.0, 1}}, {.to = 30.0, .is_log_y = true});
  EXPECT_EQ(decades.panels[0].curves[2].y[0], 1.0);
}

TEST(PolarPlot, IsWrittenInEachFormat) {
  const support::TemporaryFolder folder;
  const PolarPlot plot{"t", "load [N]", "y", "z", {{"inner", {0.0, 2.0, 4.0}, {1.0, 2.0, 0.0}}}};
  for (const char* name : {"p.svg", "p.png", "p.html"}) {
    EXPECT_TRUE(write_polar_plot(plot, folder.path() / name).has_value());
    EXPECT_GT(std::filesystem::file_size(folder.path() / name), 100u);
  }
  EXPECT_FALSE(write_polar_plot(plot, folder.path() / "p.pdf").has_value());
  // Without load nothing is divided by zero.
  EXPECT_TRUE(write_polar_plot({"t", "q", "y", "z", {{"a", {0.0}, {0.0}}}}, folder.path() / "none.svg").has_value());
}

}  // namespace spectrum_plot_test
}  // namespace tieline::report
