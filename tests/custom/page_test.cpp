// The page about components in C++ shows the example's code, which tests/install builds and runs.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace tieline::custom {
namespace page_test {

const std::filesystem::path kRoot = TIELINE_SOURCE_DIR;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(kRoot / file).rdbuf();
  return text.str();
}

TEST(Page, EveryBlockOfCodeIsInTheExample) {
  const std::string page = text_of("docs/components-in-cpp.md");
  const std::string folder = "examples/own-component/";
  int blocks = 0;
  for (const auto& [language, file] :
       {std::pair{"cpp", "main.cpp"}, {"cmake", "CMakeLists.txt"}, {"xml", "model.xml"}}) {
    const std::string source = text_of(folder + file), fence = std::string("```") + language + "\n";
    for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at + 1)) {
      const std::size_t begin = at + fence.size();
      const std::string block = page.substr(begin, page.find("```", begin) - begin);
      EXPECT_NE(source.find(block), std::string::npos) << file << " lacks\n" << block;
      ++blocks;
    }
  }
  EXPECT_EQ(blocks, 5);
}

}  // namespace page_test
}  // namespace tieline::custom
