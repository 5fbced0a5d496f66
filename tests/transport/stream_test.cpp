#include "transport/stream.hpp"

#include <gtest/gtest.h>

#include "transport/stream_pairs.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {
namespace stream_test {

class Streams : public testing::TestWithParam<StreamKind> {
 protected:
  StreamPair ends = GetParam().make();
};

INSTANTIATE_TEST_SUITE_P(Transport, Streams, kStreamKinds, kind_name);

TEST_P(Streams, CarryBytesBothWays) {
  write_text(*ends[0], "there");
  write_text(*ends[1], "and back");
  EXPECT_EQ(read_text(*ends[1]), "there");
  EXPECT_EQ(read_text(*ends[0]), "and back");
  EXPECT_EQ(read_text(*ends[0]), "");
}

TEST_P(Streams, FullOnesTakeNothingMoreUntilRead) {
  const std::string piece(1000, 'p');
  std::size_t sent = 0;
  for (;;) {
    const auto count = ends[0]->write_some(bytes_of(piece));
    ASSERT_TRUE(count);
    sent += *count;
    if (*count == 0) break;
  }
  EXPECT_GE(sent, kLeastRingCapacity);
  EXPECT_EQ(read_text(*ends[1]).size(), sent);
  const auto count = ends[0]->write_some(bytes_of(piece));
  ASSERT_TRUE(count);
  EXPECT_GT(*count, 0U);
}

TEST_P(Streams, WhatWasWrittenBeforeTheEndIsRead) {
  write_text(*ends[0], "last words");
  ends[0]->close();
  EXPECT_EQ(read_text(*ends[1]), "last words");
  EXPECT_EQ(read_error(*ends[1]), core::ErrorCode::peer_lost);
}

TEST_P(Streams, ClosedOnesSaySo) {
  ends[0]->close();
  Waiter waiter;
  (void)waiter.add(ends[0]->waitable({}));
  EXPECT_EQ(*waiter.wait({Clock::now()}), Waiter::Outcome::deadline) << "there is nothing left to wait for";
  EXPECT_FALSE(ends[0]->arm({}));
  EXPECT_EQ(read_error(*ends[0]), core::ErrorCode::peer_lost);
  const auto count = ends[0]->write_some(bytes_of("x"));
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code, core::ErrorCode::peer_lost);
  ends[0]->close();
}

}  // namespace stream_test
}  // namespace tieline::transport
