#include "results/folder_lock.hpp"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"

namespace tieline::results {
namespace folder_lock_test {

TEST(FolderLock, BelongsToOneRunAtATime) {
  const support::TemporaryFolder folder;
  const auto place = folder.path() / "new/results";
  {
    const auto first = FolderLock::take(place);
    ASSERT_TRUE(first) << first.error().message;
    const auto second = FolderLock::take(place);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, core::ErrorCode::busy);
    EXPECT_NE(second.error().message.find("process " + std::to_string(::getpid())), std::string::npos)
        << second.error().message;
    EXPECT_NE(second.error().message.find(", since 2"), std::string::npos) << second.error().message;
  }
  EXPECT_TRUE(std::filesystem::is_empty(place));
  EXPECT_TRUE(FolderLock::take(place));
}

TEST(FolderLock, IsPassedOnByMoving) {
  const support::TemporaryFolder folder;
  auto first = FolderLock::take(folder.path());
  ASSERT_TRUE(first);
  {
    const FolderLock moved = std::move(*first);
    EXPECT_FALSE(FolderLock::take(folder.path()));
  }
  EXPECT_TRUE(FolderLock::take(folder.path()));
}

TEST(FolderLock, OfAKilledProcessIsFree) {
  const support::TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FolderLock::take(folder.path());
    (void)!::write(ready[1], lock ? "y" : "n", 1);
    for (;;) ::pause();
  }
  char answer = ' ';
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_FALSE(FolderLock::take(folder.path()));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / kLockFileName));
  EXPECT_TRUE(FolderLock::take(folder.path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FolderLock, WhatItsFileSaysNeedNotBeReadable) {
  const support::TemporaryFolder folder;
  const auto lock = FolderLock::take(folder.path());
  ASSERT_TRUE(lock);
  for (const char* text : {"", "{", "[1]", R"({"pid": "x"})", R"({"pid": 1, "host": 3, "since": {}})"}) {
    std::ofstream(folder.path() / kLockFileName, std::ios::trunc) << text;
    const auto second = FolderLock::take(folder.path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, core::ErrorCode::busy);
  }
}

TEST(FolderLock, FolderThatCannotBeWrittenIsNamed) {
  const support::TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  const auto lock = FolderLock::take(folder.path() / "file");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, core::ErrorCode::input_output);
  EXPECT_NE(lock.error().message.find("file'"), std::string::npos);
}

}  // namespace folder_lock_test
}  // namespace tieline::results
