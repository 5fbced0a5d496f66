#include "core/system_reason.hpp"

#include <cerrno>
#include <gtest/gtest.h>

namespace tieline::core {
namespace system_reason_test {

TEST(SystemReason, NamesTheLimitAndTheRemedy) {
  EXPECT_EQ(system_reason(EMFILE), "too many open files; raise the limit with `ulimit -n`");
  EXPECT_NE(system_reason(ENFILE).find("sysctl fs.file-max"), std::string::npos);
  EXPECT_EQ(system_reason(ENOMEM), "out of memory; end other programs, or raise the limit with `ulimit -v`");
  EXPECT_EQ(reason_of_no_process(EAGAIN),
            "too many processes and threads; end some, or raise the limit with `ulimit -u`");
  EXPECT_EQ(reason_of_no_process(ENOMEM), system_reason(ENOMEM));
}

TEST(SystemReason, IsTheSystemsOwnOtherwise) {
  EXPECT_EQ(system_reason(ENOENT), "No such file or directory");
  EXPECT_EQ(system_reason(EAGAIN), "Resource temporarily unavailable");
}

}  // namespace system_reason_test
}  // namespace tieline::core
