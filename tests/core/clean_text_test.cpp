#include "core/clean_text.hpp"

#include <gtest/gtest.h>

namespace tieline::core {
namespace clean_text_test {

TEST(CleanText, KeepsWhatCanBePrinted) {
  EXPECT_EQ(clean_line("Öl bei 20 °C – 3 €, 𝄞", 100), "Öl bei 20 °C – 3 €, 𝄞");
  EXPECT_EQ(clean_line("", 100), "");
}

TEST(CleanText, LeavesNothingToATerminal) {
  EXPECT_EQ(clean_line("a\x1b[2J\x07\x7f z", 100), "a?[2J?? z");
  EXPECT_EQ(clean_line("\xc2\x9b"
                       "31m",
                       100),
            "??31m");
  EXPECT_EQ(clean_line("hidden\rshown", 100), "hidden?shown");
  EXPECT_EQ(clean_line("a\tb\nc\r\n", 100), "a b c ");
  EXPECT_EQ(clean_lines("a\tb\r\nc\r", 100), "a b\nc");
}

TEST(CleanText, ReplacesBytesThatAreNoCharacters) {
  EXPECT_EQ(clean_line("\xff\x80z\xc3", 100), "??z?");
  EXPECT_EQ(clean_line("\xc0\xaf \xe0\x80\xaf \xed\xa0\x80 \xf5\x80\x80\x80", 100), "?? ??? ??? ????");
}

TEST(CleanText, IsCutBetweenCharacters) {
  EXPECT_EQ(clean_line("0123456789", 10), "0123456789");
  EXPECT_EQ(clean_line("0123456789a", 10), "0123456...");
  EXPECT_EQ(clean_line("012345€€€", 11), "012345...");
  EXPECT_EQ(clean_line("abc", 2), "ab");
}

}  // namespace clean_text_test
}  // namespace tieline::core
