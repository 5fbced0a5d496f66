#include "report/plot_table.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tieline::report {
namespace plot_table_test {

// Errors 3 T^2 and 7 T^2 for two masses; one run failed.
const results::CsvTable kStudy{{"m", "T", "status", "x.error", "message"},
                               {{"1", "1e-3", "done", "3e-6", ""},
                                {"1", "1e-4", "done", "3e-8", ""},
                                {"2", "1e-3", "done", "7e-6", ""},
                                {"2", "1e-5", "failed", "", "no"},
                                {"2", "1e-4", "done", "7e-8", ""}}};

TEST(PlotTable, DrawsACurveForEachOfTheOtherParameters) {
  const StudyTable tables[] = {{&kStudy, "study"}};
  const auto figure = figure_of_tables(tables, {.columns = {"x.error"}, .over = "T", .slopes = {2.0}});
  ASSERT_TRUE(figure) << figure.error().describe();
  EXPECT_EQ(figure->x_label, "T");
  const Panel& panel = figure->panels.at(0);
  EXPECT_EQ(panel.y_label, "x.error");
  ASSERT_EQ(panel.curves.size(), 3u);
  EXPECT_EQ(panel.curves[0].label, "x.error, m=1");
  EXPECT_EQ(panel.curves[1].label, "x.error, m=2");
  EXPECT_EQ(panel.curves[1].x, (std::vector<double>{1e-4, 1e-3}));
  EXPECT_TRUE(panel.curves[1].has_marks);
  const Curve& guide = panel.curves[2];
  EXPECT_EQ(guide.label, "slope 2");
  EXPECT_TRUE(guide.is_guide);
  EXPECT_NEAR(std::log10(guide.y[1] / guide.y[0]) / std::log10(guide.x[1] / guide.x[0]), 2.0, 1e-12);
}

TEST(PlotTable, DistinguishesTables) {
  const StudyTable tables[] = {{&kStudy, "one"}, {&kStudy, "two"}};
  const auto figure = figure_of_tables(tables, {.columns = {"*.error"}, .over = "T"});
  ASSERT_TRUE(figure) << figure.error().describe();
  ASSERT_EQ(figure->panels[0].curves.size(), 4u);
  EXPECT_EQ(figure->panels[0].curves[3].label, "x.error, m=2 (two)");
}

TEST(PlotTable, NamesTheNearest) {
  const StudyTable tables[] = {{&kStudy, "study"}};
  const auto column = figure_of_tables(tables, {.columns = {"x.eror"}, .over = "T"});
  ASSERT_FALSE(column);
  EXPECT_NE(column.error().message.find("'x.error'"), std::string::npos) << column.error().message;
  const auto parameter = figure_of_tables(tables, {.columns = {"x.error"}, .over = "k"});
  ASSERT_FALSE(parameter);
  EXPECT_NE(parameter.error().message.find("no parameter 'k'"), std::string::npos) << parameter.error().message;
}

}  // namespace plot_table_test
}  // namespace tieline::report
