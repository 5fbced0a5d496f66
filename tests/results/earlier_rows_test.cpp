#include "results/earlier_rows.hpp"

#include <gtest/gtest.h>

#include "results/sample_results.hpp"

namespace tieline::results {
namespace earlier_rows_test {

SampleTable table(const std::string& owner, std::size_t rows) {
  SampleTable result{{owner, {{"x", "m"}, {"y", "N"}}}, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const auto t = static_cast<double>(i);
    result.rows.push_back({t, {10.0 * t, -t}});
  }
  return result;
}

/// A new file with tables a and b, of which a has its first row already.
class EarlierRows : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer =
        ResultWriter::create(folder_.path() / kResultFileName, {table("a", 0).declaration, table("b", 0).declaration});
    ASSERT_TRUE(writer);
    writer_ = std::move(*writer);
    writer_->sink(0).row(0.0, std::vector<double>{0.0, -0.0});
  }

  support::TemporaryFolder folder_;
  std::unique_ptr<ResultWriter> writer_;
};

TEST_F(EarlierRows, AreTakenAsFarAsTheyCount) {
  const SampleResults earlier({table("b", 3), table("a", 5)});
  const std::vector<TableRows> kept{{"a", 4}, {"b", 0}};
  ASSERT_TRUE(take_earlier_rows(*writer_, earlier.folder() / kResultFileName, kept));
  EXPECT_EQ(writer_->rows()[0].rows, 4U);
  writer_->sink(0).row(9.0, std::vector<double>{1.0, 2.0});
  ASSERT_TRUE(writer_->close());
  const auto reader = ResultReader::open(folder_.path());
  ASSERT_TRUE(reader);
  const auto series = reader->read("a.x");
  ASSERT_TRUE(series);
  EXPECT_EQ(series->times, (std::vector<double>{0, 1, 2, 3, 9}));
  EXPECT_EQ(series->values, (std::vector<double>{0, 10, 20, 30, 1}));
  EXPECT_TRUE(reader->read("b.x")->times.empty());
}

TEST_F(EarlierRows, OfAnotherRunAreRefused) {
  const SampleResults earlier({table("a", 5), table("b", 3)});
  const auto refusal = [&](const std::vector<TableRows>& kept) {
    const auto taken = take_earlier_rows(*writer_, earlier.folder() / kResultFileName, kept);
    return taken ? std::string("taken") : taken.error().message;
  };
  EXPECT_NE(refusal({{"a", 6}, {"b", 3}}).find("table 'a' contains 5 rows, but 6"), std::string::npos);
  EXPECT_NE(refusal({{"a", 0}, {"b", 3}}).find("table 'a'"), std::string::npos);  // fewer than there are already
  EXPECT_NE(refusal({{"a", 5}}).find("2 tables"), std::string::npos);
  EXPECT_NE(refusal({{"a", 5}, {"c", 3}}).find("table 'c' is not in both"), std::string::npos);
  EXPECT_FALSE(take_earlier_rows(*writer_, earlier.folder() / "none.h5", {}));
}

}  // namespace earlier_rows_test
}  // namespace tieline::results
