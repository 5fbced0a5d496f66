#include "results/reader.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "results/glob.hpp"
#include "results/memory_table.hpp"
#include "results/sample_results.hpp"

namespace tieline::results {
namespace reader_test {

TEST(Glob, StarMatchesDotsToo) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("left.*", "left.end.force"));
  EXPECT_TRUE(matches("*.force", "left.end.force"));
  EXPECT_TRUE(matches("l*t.*.f?rce", "left.end.force"));
  EXPECT_TRUE(matches("*a*b*", "xxaxaxbxb"));
  EXPECT_FALSE(matches("left", "left.end"));
  EXPECT_FALSE(matches("left.?", "left."));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("*.energy", "left.energy2"));
}

TEST(MemoryTable, KeepsRows) {
  MemoryTable table({{"x", "m"}, {"v", "m/s"}});
  table.row(0.0, std::vector<double>{1.0, 2.0});
  table.row(0.5, std::vector<double>{3.0, 4.0});
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.times(), (std::vector<double>{0.0, 0.5}));
  EXPECT_EQ(table.column(1), (std::vector<double>{2.0, 4.0}));
}

class ReaderOfSample : public ::testing::Test {
 protected:
  ReaderOfSample()
      : sample_({{{"a", {{"x", "m"}, {"y", "N"}}}, {{0, {1, 10}}, {1, {2, 20}}, {1, {3, 30}}, {2, {4, 40}}}},
                 {{"connections.rod", {{"force", "N"}}}, {{0, {5}}, {2, {7}}}}}) {}
  SampleResults sample_;
};

TEST_F(ReaderOfSample, ListsTablesAndVariables) {
  const auto reader = sample_.open();
  ASSERT_EQ(reader.tables().size(), 2u);
  EXPECT_EQ(reader.tables()[0].owner, "a");
  EXPECT_EQ(reader.tables()[1].columns[0].unit, "N");
  std::vector<std::string> names;
  for (const auto& variable : reader.variables()) names.push_back(variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a.x", "a.y", "connections.rod.force"}));
}

TEST_F(ReaderOfSample, ReadsRangesWithBothSidesOfABreak) {
  const auto reader = sample_.open();
  const auto series = reader.read("a.y", 1.0, 1.5);
  ASSERT_TRUE(series);
  EXPECT_EQ(series->times, (std::vector<double>{1, 1}));
  EXPECT_EQ(series->values, (std::vector<double>{20, 30}));
  EXPECT_TRUE(reader.read("a.y", 3.0, 4.0)->times.empty());
  EXPECT_EQ(reader.read("a.y", -1.0, 9.0)->times.size(), 4u);
  const auto rows = reader.read_rows(0, {.begin = 3, .end = 99});
  ASSERT_TRUE(rows);
  EXPECT_EQ(*rows, (std::vector<double>{2, 4, 40}));
}

TEST_F(ReaderOfSample, UnknownVariableNamesTheNearest) {
  const auto reader = sample_.open();
  const auto series = reader.read("conections.rod.force");
  ASSERT_FALSE(series);
  EXPECT_NE(series.error().message.find("did you mean 'connections.rod.force'?"), std::string::npos);
  const std::vector<std::string> patterns{"a.*", "b.*"};
  const auto selected = reader.select(patterns);
  ASSERT_FALSE(selected);
  EXPECT_NE(selected.error().message.find("'b.*'"), std::string::npos);
}

TEST_F(ReaderOfSample, SelectsByPatternInTheFilesOrder) {
  const auto reader = sample_.open();
  const std::vector<std::string> patterns{"*force", "a.x"};
  const auto selected = reader.select(patterns);
  ASSERT_TRUE(selected);
  ASSERT_EQ(selected->size(), 2u);
  EXPECT_EQ((*selected)[0].name, "a.x");
  EXPECT_EQ(reader.select({})->size(), 3u);
}

// One bit of an older HDF5 format was changed, which has no checksums: HDF5 itself crashes on it.
TEST(ResultReader, NamesAForgedFileThatWouldCrashIt) {
  const auto file = std::filesystem::path(TIELINE_SOURCE_DIR) / "tests/results/forged/crashes-hdf5.h5";
  const auto reader = ResultReader::open(file);
  ASSERT_FALSE(reader);
  // Later versions of HDF5 may refuse it themselves.
  EXPECT_NE(reader.error().describe().find("crashes-hdf5.h5'"), std::string::npos) << reader.error().describe();
}

TEST(ResultReader, RefusesWhatIsNoResultFile) {
  const support::TemporaryFolder folder;
  const auto nothing = ResultReader::open(folder.path());
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().message.find("contains no results.h5"), std::string::npos);
  std::ofstream(folder.path() / "results.h5") << "time,x\n";
  const auto garbage = ResultReader::open(folder.path());
  ASSERT_FALSE(garbage);
  EXPECT_NE(garbage.error().message.find("cannot be opened"), std::string::npos);
}

}  // namespace reader_test
}  // namespace tieline::results
