#include "archive/zip_writer.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "archive/archive.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::archive {
namespace zip_writer_test {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Bytes that cannot be packed to less.
std::string noise(std::size_t count) {
  std::string text(count, ' ');
  std::uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  return text;
}

class ZipWriterTest : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& content) const {
    const fs::path file = folder.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }
  [[nodiscard]] std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
  }
  void expect_refused(std::string_view path, std::string_view words) {
    const auto added = writer.add(path, "x");
    ASSERT_FALSE(added) << path;
    EXPECT_NE(added.error().message.find(words), std::string::npos) << added.error().message;
  }

  support::TemporaryFolder folder;
  ZipWriter writer;
};

TEST_F(ZipWriterTest, WritesWhatTheReaderReads) {
  const fs::path tool = write("content/tool", "#!/bin/sh");
  fs::permissions(tool, fs::perms::owner_exec, fs::perm_options::add);
  write("content/deep/table.txt", "1 2 3");
  EXPECT_TRUE(writer.add("z/last.xml", "<a/>"));
  EXPECT_TRUE(writer.add("empty", ""));
  EXPECT_TRUE(writer.add("häuser.txt", noise(100'000)));
  EXPECT_TRUE(writer.add_file("programs/one", tool));
  EXPECT_TRUE(writer.add_folder("content", folder.path() / "content"));
  const fs::path file = folder.path() / "made.zip";
  const auto written = writer.write(file);
  ASSERT_TRUE(written) << written.error().describe();

  document::Diagnostics diagnostics;
  auto archive = Archive::open(file, diagnostics);
  ASSERT_TRUE(archive) << diagnostics.describe();
  EXPECT_EQ(diagnostics.all().size(), 0u) << diagnostics.describe();
  EXPECT_EQ(archive->files_below(""), (std::vector<std::string>{"content/deep/table.txt", "content/tool", "empty",
                                                                "häuser.txt", "programs/one", "z/last.xml"}));
  EXPECT_EQ(*archive->read("z/last.xml"), "<a/>");
  EXPECT_EQ(*archive->read("empty"), "");
  EXPECT_EQ(*archive->read("häuser.txt"), noise(100'000));
  const auto root = archive->provide("");
  ASSERT_TRUE(root);
  EXPECT_EQ(bytes_of(*root / "content/deep/table.txt"), "1 2 3");
  const auto may_execute = [&](const char* path) {
    return (fs::status(*root / path).permissions() & fs::perms::owner_exec) != fs::perms::none;
  };
  EXPECT_TRUE(may_execute("programs/one"));
  EXPECT_TRUE(may_execute("content/tool"));
  EXPECT_FALSE(may_execute("z/last.xml"));
}

TEST_F(ZipWriterTest, SameContentGivesSameBytes) {
  const fs::path source = write("source", noise(5000));
  ZipWriter other;
  EXPECT_TRUE(writer.add("b", "2"));
  EXPECT_TRUE(writer.add("a", "1"));
  EXPECT_TRUE(writer.add_file("c", source));
  ASSERT_TRUE(writer.write(folder.path() / "first.zip"));
  // Neither when, nor in which order, nor who may read the file matters.
  fs::last_write_time(source, fs::last_write_time(source) - std::chrono::hours(1000));
  fs::permissions(source, fs::perms::owner_read);
  EXPECT_TRUE(other.add_file("c", source));
  EXPECT_TRUE(other.add("a", "1"));
  EXPECT_TRUE(other.add("b", "2"));
  ASSERT_TRUE(other.write(folder.path() / "second.zip"));
  ASSERT_TRUE(other.write(folder.path() / "second.zip")) << "again, over itself";
  EXPECT_EQ(bytes_of(folder.path() / "first.zip"), bytes_of(folder.path() / "second.zip"));
}

TEST_F(ZipWriterTest, RefusesHostileNames) {
  expect_refused("../evil", "entry '../evil' points outside the archive with '..'");
  expect_refused("a/../../evil", "points outside");
  expect_refused("..\\evil", "points outside");
  expect_refused("/etc/passwd", "has an absolute name");
  expect_refused("C:\\evil", "has an absolute name");
  expect_refused("", "has no name");
  expect_refused("a\nb", "has control characters");
  expect_refused(std::string(5000, 'a'), "has a name of 5000 bytes");
  for (const char* path : {"a\\b", "./a", "a//b", "a/", "a/./b"}) expect_refused(path, "must be a file path");
}

TEST_F(ZipWriterTest, RefusesWhatIsThereTwice) {
  EXPECT_TRUE(writer.add("a", "1"));
  EXPECT_TRUE(writer.add("b/c", "1"));
  EXPECT_TRUE(writer.add("b-", "1"));
  expect_refused("a", "already exists");
  expect_refused("a/b", "is in 'a', which is a file");
  expect_refused("b", "is already a folder");
}

TEST_F(ZipWriterTest, RefusesLinksAndWhatIsNotThere) {
  write("tree/plain", "x");
  fs::create_symlink("/etc/passwd", folder.path() / "tree/link");
  const auto linked = writer.add_folder("tree", folder.path() / "tree");
  ASSERT_FALSE(linked);
  EXPECT_NE(linked.error().message.find("entry 'tree/link' is a symbolic link"), std::string::npos);
  EXPECT_FALSE(writer.add_file("a", folder.path() / "nothing"));
  EXPECT_FALSE(writer.add_file("a", folder.path()));
  EXPECT_FALSE(writer.add_folder("a", folder.path() / "nothing"));
  EXPECT_FALSE(ZipWriter().write(folder.path() / "empty.zip"));
}

TEST_F(ZipWriterTest, AFolderThatCannotBeWrittenToIsAnError) {
  EXPECT_TRUE(writer.add("a", "1"));
  for (const fs::path& file : {folder.path() / "nowhere/a.zip", write("plain", "x") / "a.zip", folder.path(),
                               fs::path("/dev/null"), fs::path("/proc/a.zip")}) {
    const auto written = writer.write(file);
    ASSERT_FALSE(written) << file;
    EXPECT_NE(written.error().message.find("cannot write '" + file.string() + "'"), std::string::npos)
        << written.error().message;
  }
}

TEST_F(ZipWriterTest, AFullDiskLeavesTheOldFileAndNoHalfOne) {
  const fs::path file = write("made.zip", "precious");
  EXPECT_TRUE(writer.add("a", noise(200'000)));
  core::Result<void> written;
  // A limit of the process stands for the disk; its signal would end the program.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 65'536;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  written = writer.write(file);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("cannot write"), std::string::npos) << written.error().message;
  EXPECT_EQ(bytes_of(file), "precious");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(ZipWriterTest, AFileThatVanishesLeavesNoHalfArchive) {
  const fs::path source = write("source", "x");
  EXPECT_TRUE(writer.add("first", noise(10'000)));
  EXPECT_TRUE(writer.add_file("second", source));
  fs::remove(source);
  EXPECT_FALSE(writer.write(folder.path() / "made.zip"));
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(ZipWriterTest, ALinkIsFollowed) {
  const fs::path file = write("real.zip", "old");
  fs::create_symlink(file, folder.path() / "link.zip");
  EXPECT_TRUE(writer.add("a", "1"));
  ASSERT_TRUE(writer.write(folder.path() / "link.zip"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link.zip"));
  EXPECT_TRUE(holds(file, "a"));
}

}  // namespace zip_writer_test
}  // namespace tieline::archive
