#include "results/writer.hpp"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "results/reader.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::results {
namespace writer_test {

std::vector<TableDeclaration> two_tables() {
  return {{"left", {{"end.position", "m"}, {"end.velocity", "m/s"}}}, {"connections.rod", {{"energy", "J"}}}};
}

std::string numbered(std::string name, int number) { return name.append(std::to_string(number)); }

/// Row k of a table in these tests: t = k, values k + 1, k + 2, ...
void write_rows(core::RowSink& sink, std::size_t columns, int first, int count) {
  std::vector<double> values(columns);
  for (int k = first; k < first + count; ++k) {
    for (std::size_t i = 0; i < columns; ++i) values[i] = k + 1.0 + static_cast<double>(i);
    sink.row(k, values);
  }
}

void expect_rows(const ResultReader& reader, const std::string& name, std::size_t column, std::size_t count) {
  const auto series = reader.read(name);
  ASSERT_TRUE(series) << series.error().describe();
  ASSERT_EQ(series->times.size(), count);
  for (std::size_t k = 0; k < count; ++k) {
    ASSERT_EQ(series->times[k], static_cast<double>(k));
    ASSERT_EQ(series->values[k], static_cast<double>(k + 1 + column));
  }
}

TEST(ResultWriter, WritesWhatTheReaderReads) {
  const support::TemporaryFolder folder;
  auto writer = ResultWriter::create(folder.path() / kResultFileName, two_tables());
  ASSERT_TRUE(writer) << writer.error().describe();
  write_rows((*writer)->sink(0), 2, 0, 100000);
  write_rows(*(*writer)->find_sink("connections.rod"), 1, 0, 3);
  EXPECT_EQ((*writer)->find_sink("right"), nullptr);
  ASSERT_TRUE((*writer)->close());

  const auto reader = ResultReader::open(folder.path());
  ASSERT_TRUE(reader) << reader.error().describe();
  ASSERT_EQ(reader->variables().size(), 3u);
  EXPECT_EQ(reader->find("left.end.velocity")->unit, "m/s");
  expect_rows(*reader, "left.end.position", 0, 100000);
  expect_rows(*reader, "left.end.velocity", 1, 100000);
  expect_rows(*reader, "connections.rod.energy", 0, 3);
}

TEST(ResultWriter, FlushMakesRowsVisibleDuringTheRun) {
  const support::TemporaryFolder folder;
  auto writer = ResultWriter::create(folder.path() / kResultFileName, two_tables());
  ASSERT_TRUE(writer);
  write_rows((*writer)->sink(0), 2, 0, 10);
  ASSERT_TRUE((*writer)->flush());
  const auto reader = ResultReader::open(folder.path());
  ASSERT_TRUE(reader) << reader.error().describe();
  expect_rows(*reader, "left.end.position", 0, 10);
  write_rows((*writer)->sink(0), 2, 10, 5000);
  ASSERT_TRUE((*writer)->flush());
  expect_rows(*reader, "left.end.position", 0, 5010);
}

TEST(ResultWriter, ManyThreadsWithLittleMemoryLoseNothing) {
  const support::TemporaryFolder folder;
  constexpr int kTables = 8;
  constexpr int kRows = 20000;
  std::vector<TableDeclaration> tables;
  for (int i = 0; i < kTables; ++i) tables.push_back({numbered("c", i), {{"a", ""}, {"b", ""}, {"c", ""}}});
  // Buffers of about 16 rows: the sinks wait for the writer thread again and again.
  auto writer = ResultWriter::create(folder.path() / kResultFileName, tables, {.memory_limit = kTables * 512});
  ASSERT_TRUE(writer);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kTables; ++i)
    threads.emplace_back([&, i] { write_rows((*writer)->sink(i), 3, 0, kRows); });
  for (auto& thread : threads) thread.join();
  ASSERT_TRUE((*writer)->close());
  const auto reader = ResultReader::open(folder.path());
  ASSERT_TRUE(reader);
  for (int i = 0; i < kTables; ++i) expect_rows(*reader, numbered("c", i).append(".b"), 1, kRows);
}

TEST(ResultWriter, ThousandsOfTablesAndVeryWideTables) {
  const support::TemporaryFolder folder;
  std::vector<TableDeclaration> tables;
  for (int i = 0; i < 2000; ++i) tables.push_back({numbered("mass", i), {{"x", "m"}, {"v", "m/s"}}});
  TableDeclaration wide{"wide", {}};
  for (int i = 0; i < 20000; ++i) wide.columns.push_back({numbered("q", i), "m"});
  tables.push_back(wide);
  auto writer = ResultWriter::create(folder.path() / kResultFileName, tables);
  ASSERT_TRUE(writer) << writer.error().describe();
  for (std::size_t i = 0; i < 2000; ++i) write_rows((*writer)->sink(i), 2, 0, 10);
  write_rows((*writer)->sink(2000), 20000, 0, 10);
  ASSERT_TRUE((*writer)->close());
  const auto reader = ResultReader::open(folder.path());
  ASSERT_TRUE(reader) << reader.error().describe();
  EXPECT_EQ(reader->variables().size(), 24000u);
  expect_rows(*reader, "mass1999.v", 1, 10);
  expect_rows(*reader, "wide.q19999", 19999, 10);
  // 4 kB chunks: a short run with many components stays a small file.
  EXPECT_LT(std::filesystem::file_size(folder.path() / kResultFileName), 24u << 20);
}

/// Runs `work`, which does not return, in a child process; returns how it ended.
template <class Work>
int status_of_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

// As many tables as a model of ten thousand components has, of several chunks each, flushed while they grow.
TEST(ResultWriter, TensOfThousandsOfTablesLeaveTheHeapWhole) {
  constexpr int kTables = 24000;
  constexpr std::size_t kColumns = 40;
  constexpr int kRows = 40;
  const support::TemporaryFolder folder;
  std::vector<TableDeclaration> tables(kTables);
  for (int i = 0; i < kTables; ++i) {
    tables[i].owner = numbered("table", i);
    for (std::size_t k = 0; k < kColumns; ++k) tables[i].columns.push_back({numbered("c", static_cast<int>(k)), "m"});
  }
  auto writer = ResultWriter::create(folder.path() / kResultFileName, tables, {.flush_interval = 0.1});
  ASSERT_TRUE(writer) << writer.error().describe();
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kTables; ++i) write_rows((*writer)->sink(static_cast<std::size_t>(i)), kColumns, row, 1);
  }
  const auto closed = (*writer)->close();
  ASSERT_TRUE(closed) << closed.error().describe();
  const auto reader = ResultReader::open(folder.path());
  ASSERT_TRUE(reader) << reader.error().describe();
  for (const int i : {0, 1, kTables / 2, kTables - 1}) expect_rows(*reader, numbered("table", i) + ".c7", 7, kRows);
}

TEST(ResultWriter, KilledWriterLeavesAReadableFile) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / kResultFileName;
  const int status = status_of_child([&] {
    auto writer = ResultWriter::create(file, two_tables());
    write_rows((*writer)->sink(0), 2, 0, 30000);
    if (!(*writer)->flush()) ::_exit(1);
    write_rows((*writer)->sink(0), 2, 30000, 7);
    ::kill(::getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto reader = ResultReader::open(file);
  ASSERT_TRUE(reader) << reader.error().describe();
  expect_rows(*reader, "left.end.velocity", 1, 30000);
  EXPECT_EQ(*reader->rows(reader->find("connections.rod.energy")->table), 0u);
}

TEST(ResultWriter, FullDiskIsAnErrorAndTheFileStaysReadable) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / kResultFileName;
  const int status = status_of_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1u << 20, 1u << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto writer = ResultWriter::create(file, two_tables(), {.memory_limit = 1u << 16});
    write_rows((*writer)->sink(0), 2, 0, 10000);
    if (!(*writer)->flush()) ::_exit(5);
    write_rows((*writer)->sink(0), 2, 10000, 200000);
    const auto before = (*writer)->status();
    if (before) ::_exit(1);
    if (before.error().code != core::ErrorCode::input_output) ::_exit(2);
    if (before.error().message.find("File too large") == std::string::npos) ::_exit(3);
    if ((*writer)->flush() || (*writer)->close()) ::_exit(4);
    writer->reset();
    ::exit(0);  // with HDF5's own clean-up
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const auto reader = ResultReader::open(file);
  ASSERT_TRUE(reader) << reader.error().describe();
  const auto rows = reader->rows(reader->find("left.end.position")->table);
  ASSERT_TRUE(rows);
  EXPECT_GE(*rows, 10000u);
  expect_rows(*reader, "left.end.position", 0, *rows);
}

TEST(ResultWriter, FolderThatDoesNotExistIsAnError) {
  const auto writer = ResultWriter::create("/nonexistent/results.h5", two_tables());
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("/nonexistent/results.h5"), std::string::npos);
  EXPECT_NE(writer.error().message.find("No such file"), std::string::npos) << writer.error().message;
}

TEST(ResultWriter, TwoTablesOfOneNameAreAnError) {
  const support::TemporaryFolder folder;
  const auto writer = ResultWriter::create(folder.path() / kResultFileName, {{"a", {}}, {"a", {}}});
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("table 'a'"), std::string::npos);
}

TEST(ResultWriter, RowsAfterCloseAreDropped) {
  const support::TemporaryFolder folder;
  auto writer = ResultWriter::create(folder.path() / kResultFileName, two_tables());
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->close());
  write_rows((*writer)->sink(0), 2, 0, 10);
  EXPECT_TRUE((*writer)->flush());
  EXPECT_TRUE((*writer)->close());
}

}  // namespace writer_test
}  // namespace tieline::results
