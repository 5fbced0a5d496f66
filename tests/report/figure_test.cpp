#include "report/figure.hpp"

#include <cairo/cairo.h>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>

#include "report/drawing_checks.hpp"
#include "report/figure_layout.hpp"
#include "support/temporary_folder.hpp"

/// Fontconfig, below cairo, keeps its caches until the process ends; the leak sanitizer asks here what to pass over.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }

namespace tieline::report {
namespace figure_test {

Curve wave(std::string label, std::size_t count = 200) {
  Curve curve{.label = std::move(label)};
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(count - 1);
    curve.x.push_back(t);
    curve.y.push_back(std::sin(100.0 * t));
  }
  return curve;
}

Figure two_panels() {
  Figure figure{.title = "a < b & \"c\""};
  figure.panels.push_back({"position [m]", {wave("left.position"), wave("right.position")}});
  figure.panels.push_back({"force [N]", {wave("left.force")}});
  return figure;
}

TEST(Figure, SvgIsWellFormedAndHoldsEverything) {
  const std::string svg = to_svg(two_panels());
  EXPECT_TRUE(is_well_formed(svg));
  for (const char* text : {">position [m]<", ">force [N]<", ">time [s]<", ">left.position<", ">right.position<",
                           ">left.force<", ">a &lt; b &amp; &quot;c&quot;<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(count_of(svg, "<clipPath"), 2u);
}

TEST(Figure, LongCurvesGiveSmallFiles) {
  Figure figure;
  figure.panels.push_back({"y", {wave("long", 1000000)}});
  EXPECT_LT(to_svg(figure).size(), 100000u);
  EXPECT_LT(to_html(figure).size(), 1500000u);
}

TEST(Figure, AGapSplitsACurve) {
  Figure figure;
  figure.panels.push_back({"y", {{.x = {0, 1, 2, 3, 4}, .y = {0, 1, std::nan(""), 1, 0}}}});
  const std::string svg = to_svg(figure);
  EXPECT_EQ(count_of(svg, "stroke-width=\"1.5\""), 2u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Figure, LogarithmicAxesShowWhatIsPositive) {
  Figure figure{.is_log_x = true, .is_log_y = true};
  figure.panels.push_back({"error", {{.x = {0, 1, 10, 100, 1000}, .y = {5, 1e-4, 1e-2, -1, 100}, .has_marks = true}}});
  const Curve shown = in_decades(figure).panels[0].curves[0];
  EXPECT_EQ(shown.x, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_TRUE(std::isnan(shown.y[2]));
  EXPECT_NEAR(shown.y[1], -2.0, 1e-12);
  const std::string svg = to_svg(figure);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_NE(svg.find(">10⁻⁴<"), std::string::npos);
  EXPECT_NE(svg.find(">10³<"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(to_html(figure).find("\"isLogX\":true"), std::string::npos);
}

TEST(Figure, EmptyAndImpossibleDataAreDrawnAsNothing) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Figure figure;
  figure.panels.push_back({"empty", {Curve{.label = "nothing"}}});
  figure.panels.push_back({"odd", {{.label = "infinite", .x = {0, 1, 2}, .y = {kInfinity, -kInfinity, std::nan("")}}}});
  const std::string svg = to_svg(figure);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(svg.find("inf\""), std::string::npos);
  EXPECT_TRUE(is_well_formed(to_svg(Figure{})));
}

TEST(FigureLayout, NothingOverlapsOrLeavesThePicture) {
  for (const double width : {320.0, 900.0, 2000.0})
    for (const std::size_t panels : {1U, 2U, 6U})
      for (const std::size_t curves : {1U, 4U, 30U}) {
        Figure figure{.title = "t", .width = width};
        for (std::size_t i = 0; i < panels; ++i) {
          Panel panel{.y_label = "y"};
          for (std::size_t j = 0; j < curves; ++j) panel.curves.push_back(wave("component.part.quantity"));
          figure.panels.push_back(panel);
        }
        const FigureLayout layout = lay_out(figure);
        double above = 0.0;
        for (const auto& panel : layout.panels) {
          EXPECT_GT(panel.plot.x, 0.0);
          EXPECT_LT(panel.plot.right(), layout.width);
          EXPECT_LT(panel.plot.bottom(), layout.height - 20.0);
          for (const auto& entry : panel.legend) {
            EXPECT_GT(entry.place.y, above);
            EXPECT_LT(entry.place.y + 6.0, panel.plot.y);
            const double sample = entry.has_sample ? kLegendSample + 6.0 : 0.0;
            EXPECT_LE(entry.place.x + sample + text_width(entry.label, kLegendSize), panel.plot.right() + 1e-9);
          }
          above = panel.plot.bottom();
          EXPECT_GE(panel.y_axis.ticks.size(), 2u);
        }
        for (std::size_t i = 1; i < layout.x_axis.ticks.size(); ++i) {
          const auto &a = layout.x_axis.ticks[i - 1], &b = layout.x_axis.ticks[i];
          const double apart = (b.value - a.value) / layout.x.length() * layout.panels[0].plot.width;
          EXPECT_GT(apart, (text_width(a.label, kTickSize) + text_width(b.label, kTickSize)) / 2.0);
        }
      }
}

TEST(Figure, PngCanBeDecoded) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / "plot.png";
  ASSERT_TRUE(write_figure(two_panels(), file));
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> image(
      cairo_image_surface_create_from_png(file.c_str()), cairo_surface_destroy);
  ASSERT_EQ(cairo_surface_status(image.get()), CAIRO_STATUS_SUCCESS);
  EXPECT_EQ(cairo_image_surface_get_width(image.get()), 1800);
  EXPECT_EQ(cairo_image_surface_get_height(image.get()),
            static_cast<int>(std::ceil(2.0 * lay_out(two_panels()).height)));
  const unsigned char* bytes = cairo_image_surface_get_data(image.get());
  const int size = cairo_image_surface_get_stride(image.get()) * cairo_image_surface_get_height(image.get());
  EXPECT_GT(std::count_if(bytes, bytes + size, [](unsigned char byte) { return byte < 128; }), 1000);
}

TEST(Figure, HtmlStandsAlone) {
  Figure figure = two_panels();
  figure.panels[0].curves[0].label = "</script><b>";
  const std::string html = to_html(figure);
  EXPECT_EQ(html.find("</script><b>"), std::string::npos);
  EXPECT_EQ(count_of(html, "<script"), count_of(html, "</script>"));
  EXPECT_EQ(html.find("src="), std::string::npos);
  EXPECT_EQ(html.find("href="), std::string::npos);
  EXPECT_EQ(html.find("https:"), std::string::npos);
  EXPECT_NE(html.find(R"("yLabel":"force [N]")"), std::string::npos);
}

TEST(Figure, HtmlResolvesSmallChangesOfLargeValues) {
  Figure figure;
  figure.panels.push_back({"y", {{.label = "y", .x = {100.0, 100.000001}, .y = {1000.0, 1000.0000123}}}});
  const std::string html = to_html(figure);
  EXPECT_NE(html.find("1000.0000123"), std::string::npos);
  EXPECT_NE(html.find("100.000001"), std::string::npos);
}

TEST(Figure, ExtensionDecidesAndUnknownOnesAreRefused) {
  const support::TemporaryFolder folder;
  EXPECT_TRUE(write_figure(two_panels(), folder.path() / "a.svg"));
  EXPECT_TRUE(write_figure(two_panels(), folder.path() / "a.html"));
  const auto refused = write_figure(two_panels(), folder.path() / "a.pdf");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(".svg, .png or .html"), std::string::npos);
  EXPECT_FALSE(write_figure(two_panels(), folder.path() / "none" / "a.png"));
}

TEST(Text, IsShortenedInTheMiddle) {
  EXPECT_EQ(shortened("short", 10.0, 100.0), "short");
  const std::string name = shortened("sub.arm.some_long_name.force", 10.0, 100.0);
  EXPECT_LE(text_width(name, 10.0), 100.0);
  EXPECT_EQ(name.substr(0, 4), "sub.");
  EXPECT_EQ(name.substr(name.size() - 5), "force");
  EXPECT_NE(name.find("…"), std::string::npos);
}

}  // namespace figure_test
}  // namespace tieline::report
