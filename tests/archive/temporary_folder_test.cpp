#include "archive/temporary_folder.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tieline::archive {
namespace temporary_folder_test {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsTheUsersAloneAndRemovedWithItsContent) {
  fs::path path;
  {
    const auto folder = TemporaryFolder::make("tieline-test");
    ASSERT_TRUE(folder);
    path = folder->path();
    EXPECT_TRUE(path.is_absolute());
    EXPECT_TRUE(path.filename().string().starts_with("tieline-test-"));
    struct stat facts {};
    ASSERT_EQ(::stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777u, 0700u);
    fs::create_directories(path / "a/b");
    std::ofstream(path / "a/b/c") << "text";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, IsRemovedWithWhatWasMadeReadOnly) {
  std::optional<TemporaryFolder> folder = TemporaryFolder::make("tieline-test").value();
  const fs::path path = folder->path();
  const auto outside = TemporaryFolder::make("tieline-test");
  fs::create_directories(path / "a/b");
  std::ofstream(path / "a/b/c") << "text";
  std::ofstream(outside->path() / "kept") << "text";
  fs::create_directory_symlink(outside->path(), path / "a/link");
  fs::permissions(path / "a/b", fs::perms::none);
  fs::permissions(path / "a", fs::perms::owner_read | fs::perms::owner_exec);
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(outside->path() / "kept")) << "links are not followed";
}

TEST(TemporaryFolder, HasOneOwner) {
  std::optional<TemporaryFolder> first = TemporaryFolder::make("tieline-test").value();
  const fs::path path = first->path();
  TemporaryFolder second = std::move(*first);
  first.reset();
  EXPECT_TRUE(fs::exists(path));
  const fs::path replaced = second.path();
  second = TemporaryFolder::make("tieline-test").value();
  EXPECT_FALSE(fs::exists(replaced));
  EXPECT_TRUE(fs::exists(second.path()));
}

TEST(TemporaryFolder, OfAKilledProcessIsRemovedAndThatOfALivingOneIsNot) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const auto living = TemporaryFolder::make();
  ASSERT_TRUE(living);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto folder = TemporaryFolder::make();
    std::ofstream(folder->path() / "file") << "x";
    fs::permissions(folder->path(), fs::perms::owner_read | fs::perms::owner_exec);
    const std::string name = folder->path().string();
    (void)!::write(ready[1], name.data(), name.size());
    for (;;) ::pause();
  }
  char name[4096];
  const ssize_t length = ::read(ready[0], name, sizeof name);
  ASSERT_GT(length, 0);
  const fs::path left(std::string(name, static_cast<std::size_t>(length)));
  remove_abandoned_folders();
  EXPECT_TRUE(fs::exists(left));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(left));
  // Somebody's own folder, whose name is like ours.
  const fs::path own = left.parent_path() / "tieline-models";
  const bool is_made_here = fs::create_directory(own);
  remove_abandoned_folders();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(left.string() + ".owner"));
  EXPECT_TRUE(fs::exists(own));
  if (is_made_here) fs::remove(own);
  EXPECT_TRUE(fs::exists(living->path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(TemporaryFolder, NamesTheFolderThatIsNotThereAndWhatItWasFor) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  const auto folder = TemporaryFolder::make("tieline-test", "to unpack into");
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  ASSERT_FALSE(folder);
  for (const char* words : {"in '/nowhere/at/all' to unpack into", "set TMPDIR to use another"}) {
    EXPECT_NE(folder.error().message.find(words), std::string::npos) << folder.error().message;
  }
}

}  // namespace temporary_folder_test
}  // namespace tieline::archive
