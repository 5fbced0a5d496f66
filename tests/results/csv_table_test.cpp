#include "results/csv_table.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace tieline::results {
namespace csv_table_test {

core::Result<CsvTable> read(const std::string& text) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / "table.csv";
  std::ofstream(file, std::ios::binary) << text;
  return read_csv_table(file);
}

TEST(CsvTable, KeepsQuotedCells) {
  const auto table = read("T,message\r\n1e-3,\"a, b\"\n2e-3,\"said \"\"no\"\"\nat once\"\n,\n");
  ASSERT_TRUE(table) << table.error().describe();
  EXPECT_EQ(table->names, (std::vector<std::string>{"T", "message"}));
  ASSERT_EQ(table->rows.size(), 3u);
  EXPECT_EQ(table->rows[0][1], "a, b");
  EXPECT_EQ(table->rows[1][1], "said \"no\"\nat once");
  EXPECT_EQ(table->rows[2], (std::vector<std::string>{"", ""}));
  EXPECT_EQ(table->find("message"), 1u);
  EXPECT_FALSE(table->find("x"));
}

TEST(CsvTable, SaysWhatIsWrong) {
  EXPECT_NE(read("").error().message.find("is empty"), std::string::npos);
  EXPECT_NE(read("a,b\n1,2\n3\n").error().message.find("1 cells in row 3, but 2 names"), std::string::npos);
  EXPECT_NE(read_csv_table("nowhere.csv").error().message.find("cannot be read"), std::string::npos);
}

}  // namespace csv_table_test
}  // namespace tieline::results
