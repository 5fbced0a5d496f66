#include "results/export_csv.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "results/sample_results.hpp"

namespace tieline::results {
namespace export_csv_test {

SampleResults two_tables() {
  return SampleResults(Tables{{{"a", {{"x", "m"}}}, {{0, {0}}, {1, {10}}, {1, {20}}, {3, {40}}}},
                              {{"b", {{"y", ""}}}, {{1, {1}}, {2, {2}}}}});
}

std::string csv(const SampleResults& results, const std::vector<std::string>& patterns, std::optional<double> step) {
  std::ostringstream out;
  const auto exported = export_csv(results.open(), patterns, step, out);
  return exported ? out.str() : "error: " + exported.error().message;
}

TEST(ExportCsv, UnionOfTimesKeepsBothSidesOfABreak) {
  EXPECT_EQ(csv(two_tables(), {}, {}),
            "time,a.x,b.y\n"
            "0,0,\n"
            "1,10,1\n"
            "1,20,1\n"
            "2,30,2\n"
            "3,40,\n");
}

TEST(ExportCsv, ResamplesLinearlyWithTheValueAfterABreak) {
  EXPECT_EQ(csv(two_tables(), {"a.*"}, 0.5),
            "time,a.x\n"
            "0,0\n"
            "0.5,5\n"
            "1,20\n"
            "1.5,25\n"
            "2,30\n"
            "2.5,35\n"
            "3,40\n");
}

TEST(ExportCsv, LastSampleIsNotLostToRounding) {
  const SampleResults results(Tables{{{"a", {{"x", ""}}}, {{0, {0}}, {0.3, {3}}}}});
  const std::string text = csv(results, {}, 0.1);  // 3 * 0.1 > 0.3
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_NE(text.find("\n0.29999999999999999,3\n"), std::string::npos) << text;
}

TEST(ExportCsv, KeepsEveryBit) {
  const double t = 1.0 / 3.0, x = 0.1 + 0.2;
  const SampleResults results(Tables{{{"a", {{"x", ""}}}, {{t, {x}}}}});
  const std::string text = csv(results, {}, {});
  std::istringstream in(text.substr(text.find('\n') + 1));
  double read_t = 0, read_x = 0;
  char comma = 0;
  in >> read_t >> comma >> read_x;
  EXPECT_EQ(read_t, t);
  EXPECT_EQ(read_x, x);
}

TEST(ExportCsv, LongTablesAreReadInBlocks) {
  SampleTable table{{"a", {{"x", ""}}}, {}};
  for (int k = 0; k < 200000; ++k) table.rows.push_back({static_cast<double>(k), {2.0 * k}});
  const std::string text = csv(SampleResults({table}), {}, {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 200001);
  EXPECT_NE(text.find("\n199999,399998\n"), std::string::npos);
}

TEST(ExportCsv, RefusesUnknownNamesAndStepsThatNeverEnd) {
  const auto results = two_tables();
  EXPECT_NE(csv(results, {"a.xx"}, {}).find("did you mean 'a.x'?"), std::string::npos);
  EXPECT_NE(csv(results, {}, 0.0).find("greater than 0"), std::string::npos);
  EXPECT_NE(csv(results, {}, -1.0).find("greater than 0"), std::string::npos);
}

TEST(ExportCsv, FileAppearsOnlyWhenComplete) {
  const auto results = two_tables();
  const auto reader = results.open();
  const auto file = results.folder() / "out.csv";
  const std::vector<std::string> unknown{"nothing"};
  EXPECT_FALSE(export_csv(reader, unknown, {}, file));
  EXPECT_FALSE(std::filesystem::exists(file));
  ASSERT_TRUE(export_csv(reader, {}, {}, file));
  EXPECT_TRUE(std::filesystem::exists(file));
  const auto in_no_folder = export_csv(reader, {}, {}, results.folder() / "none" / "out.csv");
  ASSERT_FALSE(in_no_folder);
  EXPECT_NE(in_no_folder.error().message.find("none/out.csv"), std::string::npos);
  // Nothing else is left behind.
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(results.folder())) ++files;
  EXPECT_EQ(files, 2u);
}

}  // namespace export_csv_test
}  // namespace tieline::results
