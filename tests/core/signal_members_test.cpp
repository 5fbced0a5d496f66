#include "core/signal_members.hpp"

#include <gtest/gtest.h>

namespace tieline::core {
namespace signal_members_test {

TEST(SignalMembers, NamesComeApartAgain) {
  for (const int member : {1, 2, 30}) {
    const std::string name = member_name("y", 30, member);
    const MemberReference parts = split_member(name);
    EXPECT_EQ(parts.interface, "y");
    EXPECT_EQ(parts.member, member);
  }
  EXPECT_EQ(member_name("y", 30, 2), "y[2]");
  EXPECT_EQ(member_name("y", 1, 1), "y");
  EXPECT_EQ(split_member("y[2][1]").interface, "y[2]");
}

TEST(SignalMembers, WhatIsNoMemberIsAName) {
  for (const auto* name :
       {"", "y", "y]", "y[", "y[]", "y[0]", "y[-1]", "y[1.5]", "y[1", "y[a]", "y[1]z", "y[ 1]", "y[99999999999]"}) {
    const MemberReference parts = split_member(name);
    EXPECT_EQ(parts.interface, name);
    EXPECT_EQ(parts.member, 0) << name;
  }
}

}  // namespace signal_members_test
}  // namespace tieline::core
