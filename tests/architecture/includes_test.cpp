// Every header says itself which parts of the standard library it needs: read from its text, since compiling each
// header alone takes long (`make check-headers` does it).

#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "architecture/source_tree.hpp"

namespace tieline::architecture {
namespace includes_test {

/// The header of the standard library that declares a name; names that come with many headers are left out.
const std::map<std::string, std::string>& declaring_headers() {
  static const std::map<std::string, std::string> headers{
      {"array", "array"},
      {"atomic", "atomic"},
      {"byte", "cstddef"},
      {"chrono", "chrono"},
      {"condition_variable", "condition_variable"},
      {"deque", "deque"},
      {"filesystem", "filesystem"},
      {"function", "functional"},
      {"map", "map"},
      {"mutex", "mutex"},
      {"numeric_limits", "limits"},
      {"optional", "optional"},
      {"ostream", "ostream"},
      {"set", "set"},
      {"shared_ptr", "memory"},
      {"span", "span"},
      {"string", "string"},
      {"string_view", "string_view"},
      {"thread", "thread"},
      {"uint32_t", "cstdint"},
      {"uint64_t", "cstdint"},
      {"uint8_t", "cstdint"},
      {"unique_ptr", "memory"},
      {"unordered_map", "unordered_map"},
      {"unordered_set", "unordered_set"},
      {"variant", "variant"},
      {"vector", "vector"},
  };
  return headers;
}

using Files = std::map<std::string, const SourceFile*>;

/// What a header includes, directly or through headers of the project.
std::set<std::string> included(const SourceFile& file, const Files& files, std::set<std::string>& seen) {
  static const std::regex kInclude(R"rx(^\s*#\s*include\s+[<"]([^>"]+)[>"])rx");
  std::set<std::string> all;
  if (!seen.insert(file.path).second) return all;
  for (const std::string& line : file.lines) {
    std::smatch found;
    if (!std::regex_search(line, found, kInclude)) continue;
    const std::string target = found[1];
    all.insert(target);
    const auto header = files.find(target);
    if (header != files.end()) all.merge(included(*header->second, files, seen));
  }
  return all;
}

TEST(Includes, HeadersIncludeWhatTheyUseOfTheStandardLibrary) {
  std::vector<SourceFile> headers;
  for (const std::string folder : {"src", "include"}) {
    for (SourceFile& file : source_files(folder)) {
      if (file.path.ends_with(".hpp")) headers.push_back(std::move(file));
    }
  }
  ASSERT_GT(headers.size(), 100U);
  Files files;
  for (const SourceFile& file : headers) files.emplace(file.path.substr(file.path.find('/') + 1), &file);

  static const std::regex kName(R"(\bstd::([a-z_0-9]+))");
  for (const SourceFile& file : headers) {
    std::set<std::string> seen;
    const std::set<std::string> available = included(file, files, seen);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string code = file.lines[i].substr(0, file.lines[i].find("//"));
      for (std::sregex_iterator at(code.begin(), code.end(), kName); at != std::sregex_iterator(); ++at) {
        const auto header = declaring_headers().find((*at)[1]);
        if (header == declaring_headers().end()) continue;
        EXPECT_TRUE(available.contains(header->second))
            << file.path << ":" << i + 1 << ": std::" << header->first << " needs #include <" << header->second << ">";
      }
    }
  }
}

}  // namespace includes_test
}  // namespace tieline::architecture
