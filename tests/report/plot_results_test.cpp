#include "report/plot_results.hpp"

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
                                              "energy residual [J]", ""}));
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

TEST(PlotResults, ColoursTellRunsApartWhereAsked) {
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
