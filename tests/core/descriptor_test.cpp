#include "core/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tieline::core {
namespace descriptor_test {

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

TEST(Descriptor, IsClosedByItsOwner) {
  int number = -1;
  {
    const Descriptor owner(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(owner);
    number = owner.get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, MovesAndIsGivenAway) {
  Descriptor first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int number = first.get();
  Descriptor second(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int replaced = second.get();
  second = std::move(first);
  EXPECT_FALSE(first);
  EXPECT_EQ(second.get(), number);
  EXPECT_FALSE(is_open(replaced));
  EXPECT_EQ(second.release(), number);
  EXPECT_FALSE(second);
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

}  // namespace descriptor_test
}  // namespace tieline::core
