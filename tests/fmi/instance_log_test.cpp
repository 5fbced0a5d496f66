#include "fmi/instance_log.hpp"

#include <cstdarg>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tieline::fmi {
namespace instance_log_test {

std::string expanded(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::string text = expand_message(format, arguments);
  va_end(arguments);
  return text;
}

void write(InstanceLog& log, int status, const char* category, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  log.write_expanded(status, category, format, arguments);
  va_end(arguments);
}

TEST(ExpandMessage, PutsArgumentsIn) {
  EXPECT_EQ(expanded("x = %5.2f, %s, %-3d|, %zu, 100%%", 1.5, "text", 7, std::size_t{9}),
            "x =  1.50, text, 7  |, 9, 100%");
}

TEST(ExpandMessage, TakesWhatIsNoFormatAsItIs) {
  EXPECT_EQ(expanded("at 100% of the load"), "at 100% of the load");
  EXPECT_EQ(expanded("50%"), "50%");
  EXPECT_EQ(expanded("%n writes to memory"), "%n writes to memory");
  EXPECT_EQ(expanded("%hhhhd %d"), "%hhhhd %d");
  EXPECT_EQ(expanded(nullptr), "");
}

TEST(ExpandMessage, CutsLongTexts) {
  const std::string text(3 * kLongestMessage, 'a');
  EXPECT_EQ(expanded("%s", text.c_str()).size(), kLongestMessage);
  EXPECT_EQ(expanded(text.c_str()).size(), kLongestMessage);
}

TEST(NameVariables, ReplacesReferences) {
  const VariableNames names = [](char type, std::uint32_t reference) {
    return reference == 7 ? std::string() : std::string(1, type) + "_" + std::to_string(reference);
  };
  EXPECT_EQ(name_variables("#r12# and #b3#", names), "r_12 and b_3");
  EXPECT_EQ(name_variables("no #r7# known", names), "no #r7# known");
  EXPECT_EQ(name_variables("## is a sign, # alone too", names), "# is a sign, # alone too");
  EXPECT_EQ(name_variables("#x1# a # b #i4#", names), "#x1# a # b i_4");
  EXPECT_EQ(name_variables("#r12#", {}), "#r12#");
  EXPECT_EQ(name_variables("#r99999999999999999999#", names), "#r99999999999999999999#");
}

TEST(InstanceLog, HandsOnAndKeepsTheLastMessages) {
  std::vector<LogMessage> seen;
  InstanceLog log([&](const LogMessage& message) { seen.push_back(message); }, {});
  for (int i = 0; i < 20; ++i) write(log, 1, "events", "message %d", i);
  write(log, 3, nullptr, nullptr);
  log.write_text(42, nullptr, nullptr);
  ASSERT_EQ(seen.size(), 22U);
  EXPECT_EQ(seen[3].text, "message 3");
  EXPECT_EQ(seen[3].category, "events");
  EXPECT_EQ(seen[3].status, Status::warning);
  EXPECT_EQ(seen[20].text, "");
  EXPECT_EQ(name_of(seen[21].status), "status 42");
  EXPECT_EQ(log.count(), 22U);
  EXPECT_EQ(log.last_messages(), "'message 17', 'message 18', 'message 19'");
}

TEST(InstanceLog, ASinkThatThrowsDoesNoHarm) {
  InstanceLog log([](const LogMessage&) { throw 1; }, {});
  log.write_text(0, "a", "b");
  EXPECT_EQ(log.last_messages(), "'b'");
}

}  // namespace instance_log_test
}  // namespace tieline::fmi
