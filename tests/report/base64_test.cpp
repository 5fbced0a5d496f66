#include "report/base64.hpp"

#include <gtest/gtest.h>

namespace tieline::report {
namespace base64_test {

// The vectors of RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foob"), "Zm9vYg==");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_of(std::string("\xff\x00\xfe", 3)), "/wD+");
}

}  // namespace base64_test
}  // namespace tieline::report
