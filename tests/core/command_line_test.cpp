#include "core/command_line.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tieline::core {
namespace command_line_test {

using Words = std::vector<std::string>;

Words words_of(std::string_view line) {
  const auto words = split_command(line);
  return words ? *words : Words{"error: " + words.error().message};
}

TEST(CommandLine, BlanksSeparateWords) {
  EXPECT_EQ(words_of("  start-adams\tcar.cmd \n 3 "), (Words{"start-adams", "car.cmd", "3"}));
  EXPECT_EQ(words_of(""), Words{});
}

TEST(CommandLine, QuotesHoldTogether) {
  EXPECT_EQ(words_of(R"('a b' "c d"e "" f\ g)"), (Words{"a b", "c de", "", "f g"}));
  EXPECT_EQ(words_of(R"('a\b' "a\"b\\c\d" \')"), (Words{R"(a\b)", R"(a"b\c\d)", "'"}));
}

TEST(CommandLine, NothingIsExpanded) {
  EXPECT_EQ(words_of("a $HOME *.cpp `b`"), (Words{"a", "$HOME", "*.cpp", "`b`"}));
}

TEST(CommandLine, WhatSteersAShellIsRefusedUnlessQuoted) {
  EXPECT_EQ(words_of("cd x && start").front(),
            "error: no shell runs this command, so '&&' is not valid in it: write a start script, or quote it to pass "
            "it to the program");
  EXPECT_EQ(words_of("echo '&&' \\| \">\""), (Words{"echo", "&&", "|", ">"}));
}

TEST(CommandLine, UnfinishedCommandsAreRefused) {
  EXPECT_EQ(words_of("start 'a b").front(), "error: the quote ' at character 7 of the command is not closed");
  EXPECT_EQ(words_of("start a\\").front(), "error: the command ends with a backslash");
}

RC_GTEST_PROP(CommandLine, JoinedWordsAreSplitAgain, (const Words& words)) {
  const auto again = split_command(join_command(words));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == words);
}

}  // namespace command_line_test
}  // namespace tieline::core
