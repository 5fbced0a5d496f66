#include "document/document_cache.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace tieline::document {
namespace document_cache_test {

namespace fs = std::filesystem;

class DocumentCacheTest : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) {
    const fs::path file = folder_.path() / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  std::shared_ptr<const Document> get(const fs::path& file) { return cache_.get(file, Document::load, diagnostics_); }

  support::TemporaryFolder folder_;
  DocumentCache cache_;
  Diagnostics diagnostics_;
};

TEST_F(DocumentCacheTest, ReadsAFileOnce) {
  const fs::path file = write("a.xml", "<A/>");
  const auto first = get(file);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(get(file), first);
  EXPECT_EQ(cache_.reads(file), 1U);
  EXPECT_EQ(cache_.reads(folder_.path() / "b.xml"), 0U);
}

TEST_F(DocumentCacheTest, ReadsAgainWhatHasChanged) {
  const fs::path file = write("a.xml", "<A/>");
  ASSERT_NE(get(file), nullptr);
  write("a.xml", "<Longer/>");
  const auto second = get(file);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->root().name(), "Longer");
  EXPECT_EQ(cache_.reads(file), 2U);
  // A file that was read along with it.
  const fs::path other = write("other.xml", "<O/>");
  const auto with_other = [&](const fs::path& path, Diagnostics& diagnostics) {
    (void)Document::load(other, diagnostics);
    return Document::load(path, diagnostics);
  };
  const fs::path whole = write("whole.xml", "<W/>");
  for (int i = 0; i < 3; ++i) (void)cache_.get(whole, with_other, diagnostics_);
  EXPECT_EQ(cache_.reads(whole), 1U);
  write("other.xml", "<Other/>");
  (void)cache_.get(whole, with_other, diagnostics_);
  EXPECT_EQ(cache_.reads(whole), 2U);
}

TEST_F(DocumentCacheTest, ReportsEachTimeWhatWasReported) {
  const auto noting = [](const fs::path& path, Diagnostics& diagnostics) {
    diagnostics.warning({path.string(), 1, 1}, "old");
    return Document::load(path, diagnostics);
  };
  const fs::path file = write("a.xml", "<A/>");
  for (int i = 0; i < 2; ++i) {
    Diagnostics own;
    ASSERT_NE(cache_.get(file, noting, own), nullptr);
    EXPECT_EQ(own.warning_count(), 1U);
    ASSERT_EQ(own.files_read().size(), 1U);
    EXPECT_EQ(own.files_read()[0], file);
  }
}

TEST_F(DocumentCacheTest, DoesNotKeepFailures) {
  const fs::path file = write("a.xml", "<A>");
  EXPECT_EQ(get(file), nullptr);
  EXPECT_EQ(get(file), nullptr);
  EXPECT_EQ(cache_.reads(file), 2U);
  EXPECT_TRUE(diagnostics_.has_errors());
}

}  // namespace document_cache_test
}  // namespace tieline::document
