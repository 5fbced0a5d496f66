#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
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

std::string file_text(const std::string& name) {
  std::ifstream stream(std::string(TIELINE_SOURCE_DIR "/") + name);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// The preset for fuzzing lists its targets by name, and so could lack one.
TEST(Layout, ThePresetForFuzzingBuildsEveryTarget) {
  const std::string presets = file_text("CMakePresets.json"), list = file_text("tests/fuzz/CMakeLists.txt");
  const std::regex target("\\ntieline_fuzz_target\\((\\w+) ");
  int count = 0;
  for (std::sregex_iterator each(list.begin(), list.end(), target), end; each != end; ++each, ++count) {
    const std::string name = "\"fuzz_" + (*each)[1].str() + "\"";
    EXPECT_NE(presets.find(name), std::string::npos) << "the preset lacks " << name;
  }
  EXPECT_GT(count, 5);
}

}  // namespace layout_test
}  // namespace tieline::architecture
