#include "archive/archive.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>

#include "support/temporary_folder.hpp"
#include "support/zip_bytes.hpp"

namespace tieline::archive {
namespace archive_test {

namespace fs = std::filesystem;
using support::write_file;
using support::zip_of;
using support::ZipEntry;

constexpr Content kFmu{.noun = "FMU", .article = "an", .root_file = "modelDescription.xml"};

class ArchiveTest : public testing::Test {
 protected:
  std::optional<Archive> open(const std::vector<ZipEntry>& entries, const Limits& limits = {}) {
    return open_bytes(zip_of(entries), limits);
  }
  std::optional<Archive> open_bytes(std::string_view bytes, const Limits& limits = {}) {
    diagnostics = {};
    return Archive::open(write_file(folder.path() / "model.fmu", bytes), diagnostics, kFmu, limits);
  }
  /// That the archive is refused, in words that hold this.
  void expect_refused(const std::vector<ZipEntry>& entries, std::string_view words, const Limits& limits = {}) {
    EXPECT_FALSE(open(entries, limits).has_value()) << words;
    EXPECT_NE(diagnostics.describe().find(words), std::string::npos) << diagnostics.describe();
  }
  static std::string content_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  support::TemporaryFolder folder;
  document::Diagnostics diagnostics;
};

const std::vector<ZipEntry> kUsual{{.name = "modelDescription.xml", .content = "<a/>"},
                                   {.name = "resources/", .content = "", .unix_mode = 040755},
                                   {.name = "resources/table.txt", .content = "1 2 3", .method = 8},
                                   {.name = "resources/deep/tool", .content = "#!/bin/sh", .unix_mode = 0100755},
                                   {.name = "binaries/win64/model.dll", .content = "MZ", .unix_mode = 0},
                                   {.name = "binaries/linux64/model.so", .content = "ELF"},
                                   {.name = "binaries/linux64/sub/helper.so", .content = "ELF"},
                                   {.name = "binaries/README", .content = "no platform"}};

TEST_F(ArchiveTest, ReadsAndUnpacksWhatIsAskedFor) {
  auto archive = open(kUsual);
  ASSERT_TRUE(archive) << diagnostics.describe();
  EXPECT_EQ(diagnostics.all().size(), 0u);
  EXPECT_TRUE(archive->has("modelDescription.xml"));
  EXPECT_TRUE(archive->has("resources"));
  EXPECT_TRUE(archive->has("binaries/linux64"));
  EXPECT_FALSE(archive->has("resourc"));
  EXPECT_FALSE(archive->has("documentation"));
  EXPECT_EQ(*archive->read("resources/table.txt"), "1 2 3");
  EXPECT_EQ(archive->files_below("resources"),
            (std::vector<std::string>{"resources/deep/tool", "resources/table.txt"}));

  const auto resources = archive->provide("resources");
  ASSERT_TRUE(resources) << resources.error().describe();
  EXPECT_EQ(content_of(*resources / "table.txt"), "1 2 3");
  EXPECT_FALSE(fs::exists(resources->parent_path() / "binaries")) << "only what is asked for";
  const auto library = archive->provide("binaries/linux64/model.so");
  ASSERT_TRUE(library);
  EXPECT_EQ(content_of(*library), "ELF");
  EXPECT_TRUE(archive->provide("resources")) << "a second time";
  EXPECT_TRUE(archive->provide(""));
  EXPECT_TRUE(fs::exists(resources->parent_path() / "binaries/win64/model.dll"));
}

TEST_F(ArchiveTest, UnpacksForTheUserAloneAndRemovesItAll) {
  fs::path root;
  {
    auto archive = open(kUsual);
    const auto resources = archive->provide("resources");
    ASSERT_TRUE(resources);
    root = resources->parent_path();
    const auto mode = [](const fs::path& path) {
      struct stat facts {};
      EXPECT_EQ(::stat(path.c_str(), &facts), 0);
      return facts.st_mode & 0777u;
    };
    EXPECT_EQ(mode(root), 0700u);
    EXPECT_EQ(mode(*resources / "deep/tool"), 0700u) << "programs stay programs";
    EXPECT_EQ(mode(*resources / "table.txt"), 0600u);
    Archive moved = std::move(*archive);
    EXPECT_TRUE(fs::exists(root));
  }
  EXPECT_FALSE(fs::exists(root));
}

TEST_F(ArchiveTest, UsesAFolderWhereItIs) {
  const fs::path root = folder.path() / "unpacked";
  write_file(root / "modelDescription.xml", "<a/>");
  write_file(root / "binaries/x86_64-linux/model.so", "ELF");
  auto archive = Archive::open(root, diagnostics);
  ASSERT_TRUE(archive);
  EXPECT_EQ(*archive->read("modelDescription.xml"), "<a/>");
  EXPECT_EQ(*archive->provide("binaries"), root / "binaries");
  EXPECT_FALSE(archive->provide("resources"));
  EXPECT_FALSE(archive->read("resources/a"));
  archive.reset();
  EXPECT_TRUE(fs::exists(root / "modelDescription.xml"));
}

TEST_F(ArchiveTest, RefusesWhatLeadsElsewhere) {
  expect_refused({{.name = "../evil"}}, "entry '../evil' points outside the FMU");
  expect_refused({{.name = "resources/../../evil"}}, "points outside the FMU");
  expect_refused({{.name = "resources\\..\\..\\evil"}}, "points outside the FMU");
  expect_refused({{.name = "/etc/passwd"}}, "has an absolute name");
  expect_refused({{.name = "\\\\server\\share"}}, "has an absolute name");
  expect_refused({{.name = "C:\\windows\\evil"}}, "has an absolute name");
  expect_refused({{.name = "resources/link", .content = "/etc/passwd", .unix_mode = 0120777}}, "is a symbolic link");
  expect_refused({{.name = "resources/pipe", .unix_mode = 0010644}}, "is not a regular file");
  expect_refused({{.name = "resources/a\nb"}}, "has control characters in its name");
  expect_refused({{.name = "resources/" + std::string(5000, 'a')}}, "bytes; the limit is");
}

TEST_F(ArchiveTest, RefusesWhatCannotBeUnpacked) {
  expect_refused({{.name = "a", .content = "secret", .flags = 1}}, "entry 'a' is encrypted");
  expect_refused({{.name = "a", .content = "x", .method = 98}}, "method 98");
  expect_refused({{.name = "a", .content = "1"}, {.name = "a/b", .content = "2"}}, "is in 'a', which is a file");
}

TEST_F(ArchiveTest, DoublesMustNotBeNeededUnlessTheyAreTheSame) {
  const auto archive = open({{.name = "modelDescription.xml", .content = "<a/>"},
                             {.name = "same", .content = "1"},
                             {.name = "./same", .content = "1"},
                             {.name = "other", .content = "1"},
                             {.name = "other", .content = "2"}});
  ASSERT_TRUE(archive) << diagnostics.describe();
  EXPECT_NE(diagnostics.describe().find("warning: entry 'other' appears twice in the archive, with different content"),
            std::string::npos)
      << diagnostics.describe();
  EXPECT_NE(diagnostics.describe().find("entry 'same' appears twice in the archive, with the same content"),
            std::string::npos);
  EXPECT_EQ(*archive->read("same"), "1");
  const auto ambiguous = archive->read("other");
  ASSERT_FALSE(ambiguous);
  EXPECT_NE(ambiguous.error().message.find("several files of this name, which differ"), std::string::npos);
}

TEST_F(ArchiveTest, ReportsAllProblemsAtOnce) {
  std::vector<ZipEntry> entries{{.name = "../evil"}, {.name = "a", .flags = 1}};
  for (int i = 0; i < 50; ++i) entries.push_back({.name = "/b" + std::to_string(i)});
  EXPECT_FALSE(open(entries));
  EXPECT_EQ(diagnostics.error_count(), 21u);
  EXPECT_NE(diagnostics.describe().find("and 32 more entries like these"), std::string::npos) << diagnostics.describe();
}

TEST_F(ArchiveTest, RefusesBombs) {
  expect_refused({{.name = "a", .content = "x"}, {.name = "b", .content = "x"}}, "the archive has 2 entries",
                 {.most_entries = 1});
  const std::uint32_t much = 0xF0000000;
  expect_refused({{.name = "a", .content = "x", .size = much}}, "would take 4026531840 bytes");
  std::vector<ZipEntry> entries;
  for (int i = 0; i < 20; ++i) entries.push_back({.name = "a" + std::to_string(i), .content = "x", .size = much});
  expect_refused(entries, "more than 17179869184 bytes");
}

TEST_F(ArchiveTest, NoticesContentThatIsNotAsStated) {
  const auto fails = [&](ZipEntry entry, std::string_view words) {
    auto archive = open({entry});
    ASSERT_TRUE(archive) << diagnostics.describe();
    const auto text = archive->read("a");
    ASSERT_FALSE(text);
    EXPECT_NE(text.error().message.find(words), std::string::npos) << text.error().message;
    const auto path = archive->provide("a");
    EXPECT_FALSE(path);
  };
  fails({.name = "a", .content = "hello", .method = 8, .size = 3}, "");
  fails({.name = "a", .content = "hello", .method = 8, .size = 300}, "");
  fails({.name = "a", .content = "hello", .check = 1}, "CRC");
  auto archive = open(kUsual);
  EXPECT_FALSE(archive->read("resources/table.txt", 3));
  EXPECT_FALSE(archive->read("nothing"));
}

TEST_F(ArchiveTest, ReportsAFileThatIsNotAnArchive) {
  EXPECT_FALSE(open_bytes("this is text"));
  EXPECT_NE(diagnostics.describe().find("this is not a zip archive"), std::string::npos) << diagnostics.describe();
  const std::string whole = zip_of(kUsual);
  EXPECT_FALSE(open_bytes(std::string_view(whole).substr(0, whole.size() / 2)));
  EXPECT_NE(diagnostics.describe().find("it is truncated"), std::string::npos) << diagnostics.describe();
  EXPECT_FALSE(open_bytes(""));
  EXPECT_FALSE(Archive::open(folder.path() / "nothing.fmu", diagnostics));
  EXPECT_NE(diagnostics.describe().find("the file does not exist"), std::string::npos);
  EXPECT_FALSE(Archive::open("/dev/null", diagnostics));
}

TEST_F(ArchiveTest, TakesWhatExportersDo) {
  auto archive = open({{.name = "modelDescription.xml", .content = "<a/>"},
                       {.name = "binaries\\win64\\model.dll", .content = "MZ", .unix_mode = 0},
                       {.name = "./resources//a.txt", .content = "x"}});
  ASSERT_TRUE(archive) << diagnostics.describe();
  EXPECT_EQ(diagnostics.warning_count(), 1u);
  EXPECT_TRUE(archive->has("binaries/win64/model.dll"));
  EXPECT_TRUE(archive->has("resources/a.txt"));

  archive = open({{.name = "model/modelDescription.xml", .content = "<a/>"},
                  {.name = "model/binaries/linux64/model.so", .content = "ELF"},
                  {.name = "__MACOSX/x", .content = ""}});
  ASSERT_TRUE(archive) << diagnostics.describe();
  EXPECT_EQ(diagnostics.warning_count(), 1u) << diagnostics.describe();
  EXPECT_EQ(*archive->read("modelDescription.xml"), "<a/>");
  EXPECT_EQ(content_of(*archive->provide("binaries/linux64/model.so")), "ELF");
}

TEST_F(ArchiveTest, CallsItselfAnArchiveWhereNothingElseIsSaid) {
  const auto refuse = [&](std::string_view bytes, std::string_view words) {
    diagnostics = {};
    EXPECT_FALSE(Archive::open(write_file(folder.path() / "model.zip", bytes), diagnostics));
    EXPECT_NE(diagnostics.describe().find(words), std::string::npos) << diagnostics.describe();
  };
  refuse(zip_of({{.name = "../a"}}), "points outside the archive with '..'");
  refuse("text", "error: this is not a zip archive\n");
  diagnostics = {};
  auto archive = Archive::open(write_file(folder.path() / "model.zip", zip_of({{.name = "top/a"}})), diagnostics);
  ASSERT_TRUE(archive) << diagnostics.describe();
  EXPECT_TRUE(archive->has("top/a")) << "no root is looked for";
  EXPECT_FALSE(archive->read("b"));
}

TEST_F(ArchiveTest, KnowsWhatHoldsAFileByItsContent) {
  const auto zip = write_file(folder.path() / "model.any", zip_of(kUsual));
  EXPECT_TRUE(holds(zip, "modelDescription.xml"));
  EXPECT_FALSE(holds(zip, "SystemStructure.ssd"));
  EXPECT_FALSE(holds(write_file(folder.path() / "text.zip", "PK, but no archive"), "modelDescription.xml"));
  EXPECT_FALSE(holds(folder.path() / "nothing", "modelDescription.xml"));
  EXPECT_TRUE(holds(folder.path(), "text.zip"));
  EXPECT_FALSE(holds("/dev/null", "modelDescription.xml"));
}

}  // namespace archive_test
}  // namespace tieline::archive
