#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/earlier_rows.hpp"
#include "results/reader.hpp"
#include "results/writer.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::results {
namespace shared_rows_test {

// More tables than get datasets of their own, of two widths and three lists of columns.
constexpr std::size_t kTables = 3 * kMostOwnDatasets;

std::vector<TableDeclaration> many_tables() {
  std::vector<TableDeclaration> tables(kTables);
  for (std::size_t i = 0; i < kTables; ++i) {
    tables[i].owner = "table" + std::to_string(i);
    tables[i].columns = {{i % 3 == 0 ? "angle" : "position", "rad"}, {"velocity", "1/s"}};
    if (i % 2 == 0) tables[i].columns.push_back({"energy", "J"});
  }
  return tables;
}

/// Value of a column in row k of a table: no two of them are equal.
double value_at(std::size_t table, std::size_t row, std::size_t column) {
  return static_cast<double>((table * 1000 + row) * 10 + column);
}

void write_rows(ResultWriter& writer, std::size_t table, std::size_t first, std::size_t count) {
  std::vector<double> values(writer.width_of("table" + std::to_string(table)));
  for (std::size_t row = first; row < first + count; ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_at(table, row, i);
    writer.sink(table).row(static_cast<double>(row), values);
  }
}

void expect_rows(const ResultReader& reader, std::size_t table, std::size_t count) {
  const std::string owner = "table" + std::to_string(table);
  for (std::size_t column = 0; column < (table % 2 == 0 ? 3U : 2U); ++column) {
    const char* const first = table % 3 == 0 ? ".angle" : ".position";
    const char* const name = column == 0 ? first : column == 1 ? ".velocity" : ".energy";
    const auto series = reader.read(owner + name);
    ASSERT_TRUE(series) << series.error().describe();
    ASSERT_EQ(series->times.size(), count) << owner;
    for (std::size_t row = 0; row < count; ++row) {
      ASSERT_EQ(series->times[row], static_cast<double>(row));
      ASSERT_EQ(series->values[row], value_at(table, row, column));
    }
  }
}

/// Rows of a table at the end; some have none.
std::size_t rows_of(std::size_t table) { return table % 7 == 0 ? 0 : 5 + table % 11; }

void write_all_rows(ResultWriter& writer) {
  // In several blocks for each table, between those of the others.
  for (std::size_t first = 0; first < 16; first += 4) {
    for (std::size_t i = 0; i < kTables; ++i) {
      if (rows_of(i) > first) write_rows(writer, i, first, std::min<std::size_t>(4, rows_of(i) - first));
    }
    ASSERT_TRUE(writer.flush());
  }
}

class SharedRows : public ::testing::Test {
 protected:
  std::unique_ptr<ResultWriter> create(const std::string& name = std::string(kResultFileName)) {
    auto writer = ResultWriter::create(folder_.path() / name, many_tables());
    EXPECT_TRUE(writer) << writer.error().describe();
    return std::move(*writer);
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / kResultFileName; }

  support::TemporaryFolder folder_;
};

TEST_F(SharedRows, OfManyTablesAreReadBack) {
  const auto writer = create();
  write_all_rows(*writer);
  ASSERT_TRUE(writer->close());
  const auto reader = ResultReader::open(folder_.path());
  ASSERT_TRUE(reader) << reader.error().describe();
  ASSERT_EQ(reader->tables().size(), kTables);
  EXPECT_TRUE(std::is_sorted(reader->tables().begin(), reader->tables().end(),
                             [](const TableInfo& a, const TableInfo& b) { return a.owner < b.owner; }));
  EXPECT_EQ(reader->find("table9.angle")->unit, "rad");
  EXPECT_FALSE(reader->find("table9.energy"));
  for (std::size_t i = 0; i < kTables; ++i) expect_rows(*reader, i, rows_of(i));
  const auto part = reader->read("table5.velocity", 3.0, 6.0);  // across two blocks
  ASSERT_TRUE(part);
  EXPECT_EQ(part->times, (std::vector<double>{3, 4, 5, 6}));
  EXPECT_TRUE(reader->verify());
}

TEST_F(SharedRows, BecomeVisibleByFlushes) {
  const auto writer = create();
  write_rows(*writer, 4, 0, 3);
  ASSERT_TRUE(writer->flush());
  const auto reader = ResultReader::open(folder_.path());
  ASSERT_TRUE(reader) << reader.error().describe();
  expect_rows(*reader, 4, 3);
  expect_rows(*reader, 5, 0);
  write_rows(*writer, 4, 3, 2000);
  write_rows(*writer, 5, 0, 1);
  ASSERT_TRUE(writer->flush());
  expect_rows(*reader, 4, 2003);
  expect_rows(*reader, 5, 1);
}

TEST_F(SharedRows, StayReadableWhenTheWriterIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto writer = create();
    for (std::size_t i = 0; i < kTables; ++i) write_rows(*writer, i, 0, 6);
    if (!writer->flush()) ::_exit(1);
    write_rows(*writer, 3, 6, 5);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto reader = ResultReader::open(file());
  ASSERT_TRUE(reader) << reader.error().describe();
  for (std::size_t i = 0; i < kTables; ++i) expect_rows(*reader, i, 6);
}

TEST_F(SharedRows, AreTakenOverByAResumedRun) {
  {
    const auto earlier = create("earlier.h5");
    for (std::size_t i = 0; i < kTables; ++i) write_rows(*earlier, i, 0, 9);
    ASSERT_TRUE(earlier->close());
  }
  const auto writer = create();
  std::vector<TableRows> kept = writer->rows();
  for (std::size_t i = 0; i < kTables; ++i) {
    write_rows(*writer, i, 0, 1);
    kept[i].rows = 1 + i % 8;
  }
  ASSERT_TRUE(take_earlier_rows(*writer, folder_.path() / "earlier.h5", kept));
  for (std::size_t i = 0; i < kTables; ++i) write_rows(*writer, i, kept[i].rows, 2);
  ASSERT_TRUE(writer->close());
  const auto reader = ResultReader::open(folder_.path());
  ASSERT_TRUE(reader) << reader.error().describe();
  for (std::size_t i = 0; i < kTables; ++i) expect_rows(*reader, i, kept[i].rows + 2);
}

TEST_F(SharedRows, AreLeftOutAfterATime) {
  {
    const auto writer = create();
    write_all_rows(*writer);
    ASSERT_TRUE(writer->close());
  }
  ASSERT_TRUE(drop_later_rows(file(), 6.0));
  const auto reader = ResultReader::open(file());
  ASSERT_TRUE(reader) << reader.error().describe();
  for (std::size_t i = 0; i < kTables; ++i) expect_rows(*reader, i, std::min<std::size_t>(7, rows_of(i)));
}

// Whatever bit is changed: an error, or the rows that were written; rows of one table never appear in another.
TEST_F(SharedRows, ThatWereChangedAreNeverReadAsOthers) {
  {
    const auto writer = create();
    for (std::size_t i = 0; i < kTables; ++i) write_rows(*writer, i, 0, 3);
    ASSERT_TRUE(writer->close());
  }
  std::ifstream stream(file(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(stream)), {});
  int refused = 0;
  std::uint64_t random = 1;
  for (int trial = 0; trial < 60; ++trial) {
    std::string bytes = whole;
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    // Most of the file is room for further rows: only bytes that are there are changed.
    std::size_t place = (random >> 20) % bytes.size();
    while (bytes[place] == 0) place = (place + 1) % bytes.size();
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << (trial % 8)));
    const auto changed = folder_.path() / "changed.h5";
    std::ofstream(changed, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto reader = ResultReader::open(changed);
    if (!reader || !reader->verify()) {
      ++refused;
      continue;
    }
    ASSERT_EQ(reader->tables().size(), kTables);
    for (std::size_t i = 0; i < kTables; i += 50) expect_rows(*reader, i, 3);
  }
  EXPECT_GT(refused, 30);
}

TEST_F(SharedRows, OfTwoTablesOfOneNameAreRefused) {
  auto tables = many_tables();
  tables.push_back(tables[3]);
  const auto writer = ResultWriter::create(file(), tables);
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("table 'table3' is there twice"), std::string::npos);
}

}  // namespace shared_rows_test
}  // namespace tieline::results
