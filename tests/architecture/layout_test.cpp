#include <gtest/gtest.h>
#include <string>

#include "architecture/source_tree.hpp"

namespace tieline::architecture {
namespace layout_test {

// A file of this length has had a second responsibility for a while.
constexpr std::size_t kMostLines = 700;

TEST(Layout, FilesStayShort) {
  for (const std::string folder : {"src", "include", "tests", "bench"}) {
    for (const SourceFile& file : source_files(folder)) {
      EXPECT_LT(file.lines.size(), kMostLines) << file.path << " is too long: look for its second responsibility";
    }
  }
}

TEST(Layout, HeadersAreGuarded) {
  for (const std::string folder : {"src", "include", "tests"}) {
    for (const SourceFile& file : source_files(folder)) {
      if (!file.path.ends_with(".hpp")) continue;
      const bool is_guarded = std::find(file.lines.begin(), file.lines.end(), "#pragma once") != file.lines.end();
      EXPECT_TRUE(is_guarded) << file.path << " lacks #pragma once";
    }
  }
}

}  // namespace layout_test
}  // namespace tieline::architecture
