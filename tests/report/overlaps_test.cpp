#include "report/overlaps.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "report/drawing_checks.hpp"
#include "report/figure_layout.hpp"

namespace tieline::report {
namespace overlaps_test {

Curve sine(double amplitude, double phase, std::size_t count) {
  Curve curve{.label = "sine"};
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(count - 1);
    curve.x.push_back(t);
    curve.y.push_back(amplitude * std::sin(12.0 * t + phase));
  }
  return curve;
}

std::vector<int> covered(std::vector<Curve> curves) {
  Figure figure;
  figure.panels.push_back({"y", std::move(curves)});
  mark_overlaps(figure);
  std::vector<int> result;
  for (const Curve& curve : figure.panels[0].curves) result.push_back(curve.covered);
  return result;
}

TEST(Overlaps, CurvesThatCoincideAreBandsWithinBands) {
  EXPECT_EQ(covered({sine(1, 0, 300), sine(1, 0, 1000), sine(1.001, 0, 70)}), (std::vector<int>{2, 1, 0}));
}

TEST(Overlaps, CurvesThatCrossAreNot) {
  EXPECT_EQ(covered({sine(1, 0, 300), sine(1, 1.5, 300)}), (std::vector<int>{0, 0}));
}

TEST(Overlaps, OnlyWhatIsHiddenGetsWider) {
  // The second one hides the first; the third is elsewhere.
  EXPECT_EQ(covered({sine(1, 0, 300), sine(1, 0, 300), sine(0.3, 2, 300)}), (std::vector<int>{1, 0, 0}));
}

TEST(Overlaps, PathsAreComparedInThePlane) {
  const auto circle = [](double radius, double start) {
    Curve curve{.is_path = true};
    for (int i = 0; i <= 200; ++i) {
      curve.x.push_back(radius * std::cos(start + 2.0 * M_PI * i / 200.0));
      curve.y.push_back(radius * std::sin(start + 2.0 * M_PI * i / 200.0));
    }
    return curve;
  };
  EXPECT_EQ(covered({circle(1, 0), circle(1, 2.5), circle(0.7, 0)}), (std::vector<int>{1, 0, 0}));
}

TEST(Overlaps, BothCurvesAreSeenInEveryDrawing) {
  Figure figure;
  figure.panels.push_back({"y", {sine(1, 0, 300), sine(1, 0, 300)}});
  figure.panels[0].curves[0].colour = figure.panels[0].curves[1].colour = 0;
  figure.panels[0].curves[1].dash = 1;
  Figure marked = figure;
  mark_overlaps(marked);
  const Stroke below = stroke_of(marked.panels[0].curves[0], 0), above = stroke_of(marked.panels[0].curves[1], 1);
  EXPECT_GT(below.width, 2.0 * above.width);
  EXPECT_GT(below.colour.red, above.colour.red + 60);  // paler, though it has the same place in the palette
  const std::string svg = to_svg(figure);
  // Curve and sample in the legend of each.
  EXPECT_EQ(count_of(svg, "stroke-width=\"3.5\""), 2u) << svg;
  EXPECT_NE(to_html(figure).find("\"width\":3.5"), std::string::npos);
}

}  // namespace overlaps_test
}  // namespace tieline::report
