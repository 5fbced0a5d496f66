#include "report/plot_results.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "results/sample_results.hpp"

namespace tieline::report {
namespace plot_results_test {

using results::SampleResults;
using results::Tables;

SampleResults sample() {
  return SampleResults(Tables{
      {{"left", {{"end.position", "m"}, {"end.force", "N"}, {"tip.velocity.x", "m/s"}, {"tip.velocity.y", "m/s"}}},
       {{0, {1, 2, 3, 4}}, {1, {5, 6, 7, 8}}}},
      {{"right", {{"end.position", "m"}}}, {{0, {9}}, {1, {10}}}},
      {{"connections.rod", {{"energy", "J"}, {"energy_residual", "J"}}}, {{0, {1, 1e-9}}, {1, {2, 1e-9}}}},
      {{"pid", {{"u", ""}, {"e", ""}}}, {{0, {0, 0}}, {1, {1, 1}}}}});
}

using Patterns = std::vector<std::string>;

TEST(PlotResults, OnePanelPerUnitAndQuantity) {
  const auto results = sample();
  const auto reader = results.open();
  const report::Run run{&reader, "one"};
  const auto figure =
      figure_of(std::span(&run, 1), Patterns{"*.position", "left.*", "connections.*", "pid.*"}, "title");
  ASSERT_TRUE(figure) << figure.error().describe();
  std::vector<std::string> labels;
  for (const auto& panel : figure->panels) labels.push_back(panel.y_label);
  EXPECT_EQ(labels, (std::vector<std::string>{"position [m]", "force [N]", "velocity [m/s]", "energy [J]",
                                              "energy residual [J]", "u, e"}));
  ASSERT_EQ(figure->panels[0].curves.size(), 2u);  // each variable once, though two patterns fit
  EXPECT_EQ(figure->panels[0].curves[0].label, "left.end.position");
  EXPECT_EQ(figure->panels[0].curves[0].y, (std::vector<double>{1, 5}));
  EXPECT_EQ(figure->panels[2].curves.size(), 2u);
}

TEST(PlotResults, RunsAreOverlaidInOneColour) {
  const auto a = sample();
  const SampleResults b(Tables{{{"left", {{"end.position", "m"}}}, {{0, {2}}, {1, {3}}}}});
  const auto reader_a = a.open(), reader_b = b.open();
  const std::vector<report::Run> runs{{&reader_a, "line"}, {&reader_b, "spring"}};
  const auto figure = figure_of(runs, Patterns{"*.position"}, "");
  ASSERT_TRUE(figure);
  const auto& curves = figure->panels.at(0).curves;
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_EQ(curves[0].label, "left.end.position (line)");
  EXPECT_EQ(curves[1].label, "left.end.position (spring)");
  EXPECT_EQ(curves[0].colour, curves[1].colour);
  EXPECT_NE(curves[0].dash, curves[1].dash);
  EXPECT_NE(curves[0].colour, curves[2].colour);
}

TEST(PlotResults, ColoursDistinguishRunsOnRequest) {
  const auto a = sample();
  const SampleResults b(
      Tables{{{"pair", {{"left.position", "m"}, {"right.position", "m"}}}, {{0, {2, 3}}, {1, {3, 4}}}}});
  const auto reader_a = a.open(), reader_b = b.open();
  const std::vector<report::Run> runs{{&reader_a, "line"}, {&reader_b, "spring"}};
  const auto figure = figure_of(runs, Patterns{"*.position"}, "", ColourBy::run);
  ASSERT_TRUE(figure);
  const auto& curves = figure->panels.at(0).curves;
  ASSERT_EQ(curves.size(), 4u);
  const auto look = [&](std::size_t i) { return std::pair(curves[i].colour, curves[i].dash); };
  EXPECT_EQ(look(0), std::pair(0, 0));
  EXPECT_EQ(look(1), std::pair(0, 1));
  EXPECT_EQ(look(2), std::pair(1, 0));
  EXPECT_EQ(look(3), std::pair(1, 1));
}

TEST(PlotResults, UnknownVariableNamesTheNearest) {
  const auto results = sample();
  const auto reader = results.open();
  const report::Run run{&reader, ""};
  const auto plotted = plot_results(std::span(&run, 1), Patterns{"left.end.forse"}, "", results.folder() / "plot.svg");
  ASSERT_FALSE(plotted);
  EXPECT_NE(plotted.error().message.find("'left.end.force'"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(results.folder() / "plot.svg"));
  EXPECT_TRUE(plot_results(std::span(&run, 1), Patterns{"left.end.force"}, "", results.folder() / "plot.svg"));
  EXPECT_TRUE(std::filesystem::exists(results.folder() / "plot.svg"));
}

TEST(PlotResults, AVariableThatOneRunLacksIsAnErrorWithAllNames) {
  const SampleResults a(Tables{{{"left", {{"end.position", "m"}, {"end.force", "N"}}}, {{0, {1, 2}}, {1, {3, 4}}}}});
  const SampleResults b(Tables{{{"left", {{"ends.position", "m"}, {"end.forces", "N"}}}, {{0, {1, 2}}, {1, {3, 4}}}}});
  const auto reader_a = a.open(), reader_b = b.open();
  const std::vector<report::Run> runs{{&reader_a, "a"}, {&reader_b, "b"}};
  const auto figure = figure_of(runs, Patterns{"left.end.position", "left.end.force"}, "");
  ASSERT_FALSE(figure);
  for (const char* part : {"'b' has no variable 'left.end.position' (did you mean 'left.ends.position'?)",
                           "'b' has no variable 'left.end.force' (did you mean 'left.end.forces'?)", "name=other"}) {
    EXPECT_NE(figure.error().message.find(part), std::string::npos) << part << "\n" << figure.error().message;
  }
  // So is a pattern of which it has nothing, and a name that it has another kind of thing for.
  EXPECT_FALSE(figure_of(runs, Patterns{"*.end.position"}, ""));
  EXPECT_FALSE(figure_of(runs, Patterns{"left.end.position", "left.end.forces"}, ""));
  EXPECT_TRUE(figure_of(runs, Patterns{"left.end.position"}, RunPlot{.allows_missing = true}));
  // Models that name things differently each have one of the kind.
  EXPECT_TRUE(figure_of(runs, Patterns{"left.end.position", "left.ends.position"}, ""));
}

TEST(PlotResults, TwoNamesAreOneVariableOfTwoRuns) {
  const SampleResults a(Tables{{{"left", {{"end.position", "m"}}}, {{0, {1}}, {2, {3}}}}});
  const SampleResults b(Tables{{{"pair", {{"left.position", "m"}}}, {{0, {1.5}}, {1, {2}}, {2, {3}}}}});
  const auto reader_a = a.open(), reader_b = b.open();
  const std::vector<report::Run> runs{{&reader_a, "a"}, {&reader_b, "b"}};
  const auto figure =
      figure_of(runs, Patterns{"left.end.position=pair.left.position"}, RunPlot{.has_differences = true});
  ASSERT_TRUE(figure) << figure.error().describe();
  ASSERT_EQ(figure->panels.size(), 2u);
  ASSERT_EQ(figure->panels[0].curves.size(), 2u);
  EXPECT_EQ(figure->panels[0].curves[0].label, "left.end.position (a)");
  EXPECT_EQ(figure->panels[0].curves[1].label, "pair.left.position (b)");
  ASSERT_EQ(figure->panels[1].curves.size(), 1u);
  EXPECT_EQ(figure->panels[1].y_label, "difference [m]");
  EXPECT_EQ(figure->panels[1].curves[0].label, "pair.left.position (b) − left.end.position (a)");
  EXPECT_EQ(figure->panels[1].curves[0].x, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(figure->panels[1].curves[0].y, (std::vector<double>{0.5, 0, 0}));
  EXPECT_FALSE(figure_of(std::span(runs).first(1), Patterns{"left.end.position=pair.left.position"}, ""));
  EXPECT_FALSE(figure_of(std::span(runs).first(1), Patterns{"left.end.position"}, RunPlot{.has_differences = true}));
}

TEST(PlotResults, AVariableOverAnotherIsAPath) {
  // A circle, with the two coordinates in tables of different times.
  results::SampleTable x{{"x", {{"body.position", "m"}}}, {}}, v{{"v", {{"body.velocity", "m/s"}}}, {}};
  for (int i = 0; i <= 64; ++i) x.rows.push_back({i / 64.0, {std::cos(2.0 * M_PI * i / 64.0)}});
  for (int i = 0; i <= 32; ++i) v.rows.push_back({i / 32.0, {std::sin(2.0 * M_PI * i / 32.0)}});
  const SampleResults results(Tables{x, v});
  const auto reader = results.open();
  const report::Run run{&reader, "one"};
  const auto figure =
      figure_of(std::span(&run, 1), Patterns{"v.body.velocity"}, RunPlot{.over = "x.body.position", .to = 0.5});
  ASSERT_TRUE(figure) << figure.error().describe();
  EXPECT_EQ(figure->x_label, "x.body.position [m]");
  const Curve& curve = figure->panels.at(0).curves.at(0);
  EXPECT_TRUE(curve.is_path);
  ASSERT_EQ(curve.x.size(), 17u);
  for (std::size_t i = 0; i < curve.x.size(); ++i) EXPECT_NEAR(std::hypot(curve.x[i], curve.y[i]), 1.0, 1e-12);
  EXPECT_NEAR(curve.x.back(), -1.0, 1e-12);
  const auto unknown = figure_of(std::span(&run, 1), Patterns{"v.body.velocity"}, RunPlot{.over = "x.body.positon"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("'x.body.position'"), std::string::npos);
}

TEST(PlotResults, APartOfARunStartsAndEndsWhereAsked) {
  const SampleResults results(Tables{{{"a", {{"x", "m"}}}, {{0, {0}}, {1, {2}}, {2, {6}}}}});
  const auto reader = results.open();
  const report::Run run{&reader, "one"};
  const auto figure = figure_of(std::span(&run, 1), Patterns{"a.x"}, RunPlot{.from = 0.5, .to = 1.5});
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->panels[0].curves[0].x, (std::vector<double>{0.5, 1, 1.5}));
  EXPECT_EQ(figure->panels[0].curves[0].y, (std::vector<double>{1, 2, 4}));
  const auto late = figure_of(std::span(&run, 1), Patterns{"a.x"}, RunPlot{.from = 3.0});
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().message.find("from 0 s to 2 s"), std::string::npos) << late.error().message;
  EXPECT_FALSE(figure_of(std::span(&run, 1), Patterns{"a.x"}, RunPlot{.from = 1.0, .to = 1.0}));
}

TEST(PlotResults, LabelsSayWhatAnAxisShows) {
  const SampleResults results(
      Tables{{{"plant", {{"x.value", "m"}, {"f.value", "N"}, {"body.position", "m"}}}, {{0, {1, 2, 3}}}},
             {{"pid", {{"wanted.value", ""}, {"u.value", ""}}}, {{0, {1, 2}}}}});
  const auto reader = results.open();
  const report::Run run{&reader, ""};
  const auto labels = [&](const Patterns& patterns) {
    std::vector<std::string> all;
    const auto figure = figure_of(std::span(&run, 1), patterns, "");
    if (!figure) return std::vector<std::string>{figure.error().message};
    for (const auto& panel : figure->panels) all.push_back(panel.y_label);
    return all;
  };
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels({"plant.*"}), (Labels{"position [m]", "force [N]"}));
  EXPECT_EQ(labels({"pid.u.value"}), (Labels{"u"}));
  EXPECT_EQ(labels({"pid.*"}), (Labels{"wanted, u"}));
  // Signals have no unit; those that are shown with a position are positions.
  EXPECT_EQ(labels({"pid.wanted.value+plant.body.position", "pid.u.value"}), (Labels{"position [m]", "u"}));
  EXPECT_NE(labels({"plant.x.value+plant.f.value"}).front().find("cannot share a panel"), std::string::npos);
}

TEST(PlotResults, CountsAreSteps) {
  const SampleResults results(
      Tables{{{"glue", {{"corrections", "1"}, {"orientation.w", "1"}}}, {{1, {2, 1}}, {2, {2, 0.5}}, {3, {5, 0.25}}}}});
  const auto reader = results.open();
  const report::Run run{&reader, ""};
  const auto figure = figure_of(std::span(&run, 1), Patterns{"glue.*"}, "");
  ASSERT_TRUE(figure);
  const Curve& steps = figure->panels[0].curves[0];
  EXPECT_EQ(steps.x, (std::vector<double>{1, 1, 2, 2, 3}));
  EXPECT_EQ(steps.y, (std::vector<double>{2, 2, 2, 5, 5}));
  EXPECT_EQ(figure->panels[0].y_label, "corrections");
  EXPECT_EQ(figure->panels[1].curves[0].x.size(), 3u);  // a number without a unit is not a count
}

TEST(PlotResults, RefusesThousandsOfCurves) {
  results::SampleTable table{{"wide", {}}, {}};
  for (int i = 0; i < 300; ++i) table.declaration.columns.push_back({std::string("q").append(std::to_string(i)), "m"});
  const SampleResults results(Tables{table});
  const auto reader = results.open();
  const report::Run run{&reader, ""};
  const auto figure = figure_of(std::span(&run, 1), Patterns{"*"}, "");
  ASSERT_FALSE(figure);
  EXPECT_NE(figure.error().message.find("300 curves"), std::string::npos);
}

}  // namespace plot_results_test
}  // namespace tieline::report
