#include "core/atomic_file.hpp"

#include <array>
#include <fstream>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace tieline::core {
namespace atomic_file_test {

TEST(AtomicFile, IsWholeOnTheDisk) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / "file";
  ASSERT_TRUE(replace_file_durably(file, "first"));
  ASSERT_TRUE(replace_file_durably(file, std::string(100'000, 'x')));
  EXPECT_EQ(*read_whole(file), std::string(100'000, 'x'));
  ASSERT_TRUE(replace_file_durably(file, ""));
  EXPECT_EQ(*read_whole(file), "");
  EXPECT_FALSE(replace_file_durably(folder.path() / "none/file", "x"));
  EXPECT_FALSE(read_whole(folder.path() / "none"));
  EXPECT_FALSE(read_whole(folder.path()));
}

TEST(AtomicFile, DraftsOfKilledProcessesAreRemoved) {
  const support::TemporaryFolder folder;
  const std::array<std::string_view, 2> own{"report.json", "checkpoint.bin"};
  for (const char* name : {"report.json", "report.json.12.tmp", "checkpoint.bin.4711.tmp", "mine.12.tmp",
                           "report.json.x.tmp", "report.json..tmp", "report.json.tmp"}) {
    std::ofstream(folder.path() / name) << "x";
  }
  remove_drafts(folder.path(), own);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "report.json.12.tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "checkpoint.bin.4711.tmp"));
  for (const char* name : {"report.json", "mine.12.tmp", "report.json.x.tmp", "report.json..tmp", "report.json.tmp"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name)) << name;
  }
  remove_drafts(folder.path() / "none", own);
}

}  // namespace atomic_file_test
}  // namespace tieline::core
