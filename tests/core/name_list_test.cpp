#include "core/name_list.hpp"

#include <gtest/gtest.h>

namespace tieline::core {
namespace name_list_test {

TEST(NameList, SplitsOutsideBracketsAndQuotes) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(split_names("a, k[1,2] ,\"b, c\",, d e"), (Names{"a", "k[1,2]", "\"b, c\"", "d e"}));
  EXPECT_EQ(split_names(" "), Names{});
  EXPECT_EQ(split_names("a]b, c"), (Names{"a]b", "c"}));
}

TEST(NameList, QuotesWhatIsNotANameByItself) {
  for (const char* name : {"a", "k[1,2]", "a, b", "say \"go\"", "x/y z", " blank ", "\"", "", "a]b, c"}) {
    const std::string list = "first, " + quoted_if_needed(name) + ", last";
    const auto names = split_names(list);
    ASSERT_EQ(names.size(), 3u) << list;
    EXPECT_EQ(unquoted(names[1]), name) << list;
  }
}

TEST(NameList, FindsCharactersOutsideQuotes) {
  EXPECT_EQ(find_unquoted("\"a=b\"=c", '='), 5u);
  EXPECT_EQ(find_unquoted("\"a=b\"", '='), std::string_view::npos);
}

}  // namespace name_list_test
}  // namespace tieline::core
