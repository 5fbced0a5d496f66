#include "document/line_starts.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tieline::document {
namespace line_starts_test {

// Lines shorter and longer than a block, with characters of one to four bytes, at every offset.
TEST(LineStarts, ColumnsCountCharacters) {
  std::string text;
  for (int line = 0; line < 5; ++line) {
    for (int i = 0; i < 10 + 300 * line; ++i) text += i % 7 == 0 ? "é" : i % 11 == 0 ? "€" : i % 13 == 0 ? "𝄞" : "x";
    text += '\n';
  }
  const LineStarts starts(text);
  int line = 1, column = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts_character = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (!starts_character) continue;
    ASSERT_EQ(starts.line_at(at), line) << at;
    ASSERT_EQ(starts.column_at(text, at), column) << at;
    ++column;
    if (text[at] == '\n') ++line, column = 1;
  }
  EXPECT_EQ(starts.column_at(text, text.size() + 10), 1);
}

TEST(LineStarts, AnEmptyTextHasOnePlace) {
  const LineStarts starts("");
  EXPECT_EQ(starts.line_at(0), 1);
  EXPECT_EQ(starts.column_at("", 0), 1);
}

}  // namespace line_starts_test
}  // namespace tieline::document
