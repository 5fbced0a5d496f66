#include "tieline/results.hpp"

#include <gtest/gtest.h>

#include "api/pair.hpp"

namespace tieline::api {
namespace results_test {

TEST(Results, ListTablesAndVariablesWithUnits) {
  const PairFolder work;
  const Results results = Results::open(work.run("out"));
  ASSERT_EQ(results.tables().size(), 3U);
  EXPECT_EQ(results.tables()[0].owner, "connections.rod");
  EXPECT_EQ(results.tables()[1].owner, "left");
  const std::vector<std::string> patterns{"*.body.position"};
  const auto variables = results.variables(patterns);
  ASSERT_EQ(variables.size(), 2U);
  EXPECT_EQ(variables[0].name, "left.body.position");
  EXPECT_EQ(variables[0].unit, "m");
  EXPECT_EQ(variables[0].owner, "left");
  EXPECT_TRUE(results.has("right.*"));
  EXPECT_FALSE(results.has("middle.*"));
}

TEST(Results, ReadTimesAndValues) {
  const PairFolder work;
  const Results results = Results::open(work.run("out"));
  const Series series = results.read("left.body.position");
  EXPECT_EQ(series.unit, "m");
  ASSERT_EQ(series.times.size(), series.values.size());
  ASSERT_EQ(series.times.size(), results.rows("left"));
  EXPECT_EQ(series.times.front(), 0.0);
  EXPECT_EQ(series.times.back(), 0.02);
  const Series part = results.read("left.body.position", 0.005, 0.01);
  EXPECT_GE(part.times.front(), 0.005);
  EXPECT_LE(part.times.back(), 0.01);
  const auto row = results.last_row("left");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->time, 0.02);
  const std::vector<std::string> patterns{"left.body.position"};
  EXPECT_EQ(row->values[results.variables(patterns).front().column], series.values.back());
  EXPECT_EQ(results.span("left")->last, 0.02);
}

TEST(Results, NameTheNearestVariableAndTable) {
  const PairFolder work;
  const Results results = Results::open(work.run("out"));
  EXPECT_NE(thrown<std::out_of_range>([&] { (void)results.read("left.body.positon"); }).find("left.body.position"),
            std::string::npos);
  EXPECT_NE(thrown<std::out_of_range>([&] { (void)results.rows("lef"); }).find("did you mean 'left'?"),
            std::string::npos);
}

TEST(Results, RefuseWhatIsNoResultFolder) {
  const PairFolder work;
  EXPECT_NE(thrown<FileError>([&] { (void)Results::open(work.path("none")); }), "");
  EXPECT_FALSE(result_source(work.model()));
  EXPECT_EQ(result_source(work.path("report.json")), work.path("report.json").parent_path());
}

TEST(Results, AreExported) {
  const PairFolder work;
  const Results results = Results::open(work.run("out"));
  results.export_csv(work.path("a.csv"), {.variables = {"left.body.position"}, .step = 1e-2});
  const std::string text = text_of(work.path("a.csv"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  results.export_mat(work.path("a.mat"));
  EXPECT_GT(std::filesystem::file_size(work.path("a.mat")), 1000U);
  EXPECT_NE(thrown<FileError>([&] { results.export_csv(work.path("none") / "a.csv"); }).find("there is no folder"),
            std::string::npos);
  EXPECT_NE(thrown<std::out_of_range>([&] { results.export_csv(work.path("b.csv"), {.variables = {"x"}}); }), "");
}

TEST(Results, AreCompared) {
  const PairFolder work;
  const Results a = Results::open(work.run("a"));
  const Results b = Results::open(work.run("b", 3.0));
  const std::vector<std::string> patterns{"left.body.position"};
  const Comparison same = compare(a, a, patterns);
  ASSERT_EQ(same.differences.size(), 1U);
  EXPECT_EQ(same.differences.front().largest, 0.0);
  const Comparison other = compare(a, b, patterns);
  EXPECT_GT(other.differences.front().largest, 0.0);
  EXPECT_NE(other.table.find("left.body.position"), std::string::npos);
}

}  // namespace results_test
}  // namespace tieline::api
