#include "transport/frame.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "transport/stream_pairs.hpp"

namespace tieline::transport {
namespace frame_test {

class Frames : public testing::TestWithParam<StreamKind> {
 protected:
  StreamPair ends = GetParam().make();
};

INSTANTIATE_TEST_SUITE_P(Transport, Frames, kStreamKinds, kind_name);

TEST_P(Frames, ArriveAsTheyWereSent) {
  FrameWriter writer;
  FrameReader reader;
  put_frame(writer, 7, "first");
  put_frame(writer, 65535, "");
  put_frame(writer, 9, "third");
  const auto done = writer.flush(*ends[0]);
  ASSERT_TRUE(done && *done);
  for (const auto& [type, text] : {std::pair{7, "first"}, {65535, ""}, {9, "third"}}) {
    const auto frame = reader.next(*ends[1]);
    ASSERT_TRUE(frame && *frame);
    EXPECT_EQ((*frame)->type, type);
    EXPECT_EQ(text_of((*frame)->payload), text);
  }
  const auto none = reader.next(*ends[1]);
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

/// Sends frames in pieces of invented sizes while reading in between; returns what arrives.
std::vector<std::pair<std::uint16_t, std::string>> through(
    StreamPair& ends, const std::vector<std::pair<std::uint16_t, std::string>>& sent,
    const std::vector<std::uint16_t>& pieces) {
  FrameWriter collector;
  for (const auto& [type, text] : sent) put_frame(collector, type, text);
  // All bytes, by way of a stream that takes everything.
  class Sink final : public Stream {
   public:
    core::Result<std::size_t> write_some(std::span<const std::byte> bytes) override {
      all.insert(all.end(), bytes.begin(), bytes.end());
      return bytes.size();
    }
    core::Result<std::size_t> read_some(std::span<std::byte>) override { return std::size_t{0}; }
    [[nodiscard]] Waitable waitable(Interest) const override { return {}; }
    bool arm(Interest) override { return false; }
    void disarm() override {}
    bool woken(bool, Interest) override { return false; }
    void close() override {}
    std::vector<std::byte> all;
  } sink;
  RC_ASSERT(*collector.flush(sink));
  std::vector<std::pair<std::uint16_t, std::string>> received;
  FrameReader reader;
  std::size_t at = 0, turn = 0;
  int idle = 0;
  while (idle < 2) {
    const std::size_t piece = pieces.empty() ? 100 : 1 + pieces[turn++ % pieces.size()] % 3000;
    const auto rest = std::span<const std::byte>(sink.all).subspan(at);
    const auto count = ends[0]->write_some(rest.first(std::min(piece, rest.size())));
    RC_ASSERT(count.has_value());
    at += *count;
    bool any = *count > 0;
    for (;;) {
      const auto frame = reader.next(*ends[1]);
      RC_ASSERT(frame.has_value());
      if (!*frame) break;
      received.emplace_back((*frame)->type, text_of((*frame)->payload));
      any = true;
    }
    idle = any ? 0 : idle + 1;
  }
  return received;
}

TEST_P(Frames, ArriveUnchangedInAnyPieces) {
  EXPECT_TRUE(rc::check([this](const std::vector<std::pair<std::uint16_t, std::string>>& few,
                               const std::vector<std::uint16_t>& pieces, std::uint16_t large) {
    auto sent = few;
    // One that is larger than the ring, so that it wraps around and stops the writer.
    sent.emplace_back(std::uint16_t{3}, std::string(large % 20000, 'x'));
    sent.insert(sent.end(), few.begin(), few.end());
    RC_ASSERT(through(ends, sent, pieces) == sent);
  }));
}

TEST_P(Frames, WhatDoesNotFitIsKeptAndGoesLater) {
  FrameWriter writer;
  FrameReader reader;
  const std::string large(1'000'000, 'y');
  put_frame(writer, 5, large);
  int rounds = 0;
  for (;; ++rounds) {
    const auto done = writer.flush(*ends[0]);
    ASSERT_TRUE(done);
    const auto frame = reader.next(*ends[1]);
    ASSERT_TRUE(frame);
    if (!*frame) continue;
    EXPECT_EQ(text_of((*frame)->payload), large);
    break;
  }
  EXPECT_GT(rounds, 0) << "the stream took everything at once: nothing was tested";
  EXPECT_FALSE(writer.has_pending());
}

TEST_P(Frames, PullTakesInWithoutHandingOut) {
  FrameWriter writer;
  FrameReader reader(100'000);
  const std::string large(60'000, 'z');
  put_frame(writer, 5, large);
  put_frame(writer, 6, large);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(writer.flush(*ends[0]));
    const auto takes_more = reader.pull(*ends[1]);
    ASSERT_TRUE(takes_more);
    if (!*takes_more) break;
  }
  ASSERT_TRUE(reader.is_inside_frame());
  for (const int type : {5, 6}) {
    for (;;) {
      ASSERT_TRUE(writer.flush(*ends[0]));
      const auto frame = reader.next(*ends[1]);
      ASSERT_TRUE(frame);
      if (!*frame) continue;
      EXPECT_EQ((*frame)->type, type);
      EXPECT_EQ(text_of((*frame)->payload), large);
      break;
    }
  }
}

TEST_P(Frames, OversizedIsRefusedBeforeItComes) {
  FrameReader reader(100);
  FrameWriter writer;
  put_frame(writer, 1, std::string(101, 'x'));
  ASSERT_TRUE(writer.flush(*ends[0]));
  const auto frame = reader.next(*ends[1]);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, core::ErrorCode::protocol);
  EXPECT_EQ(frame.error().message, "the partner announced a message of 101 bytes; the limit is 100");
  EXPECT_EQ(reader.fault(), FrameFault::oversized);
  EXPECT_FALSE(reader.next(*ends[1])) << "a failed reader stays failed";
}

TEST_P(Frames, AnnouncedSizeAllocatesNothing) {
  FrameReader reader;
  write_text(*ends[0], std::string("\0\0\0\x10\x01\0\0\0", 8));  // 256 MiB
  const auto frame = reader.next(*ends[1]);
  ASSERT_TRUE(frame) << frame.error().message;
  EXPECT_FALSE(*frame);
  EXPECT_TRUE(reader.is_inside_frame());
}

TEST_P(Frames, ReservedBitsAreRefused) {
  FrameReader reader;
  write_text(*ends[0], std::string("\0\0\0\0\x01\0\x01\0", 8));
  const auto frame = reader.next(*ends[1]);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, core::ErrorCode::protocol);
  EXPECT_EQ(reader.fault(), FrameFault::reserved_bits);
}

TEST_P(Frames, AnEndInsideAFrameIsNamed) {
  FrameReader reader;
  FrameWriter writer;
  put_frame(writer, 4, "whole");
  ASSERT_TRUE(writer.flush(*ends[0]));
  write_text(*ends[0], std::string("\x05\0\0\0\x01\0\0\0abc", 11));
  ends[0]->close();
  auto frame = reader.next(*ends[1]);
  ASSERT_TRUE(frame && *frame);
  for (int i = 0; frame && i < 1000; ++i) frame = reader.next(*ends[1]);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, core::ErrorCode::protocol);
  EXPECT_EQ(frame.error().message, "the connection ended inside a message");
  EXPECT_EQ(reader.fault(), FrameFault::truncated);
}

TEST_P(Frames, AnEndBetweenFramesIsTheStreams) {
  FrameReader reader;
  FrameWriter writer;
  put_frame(writer, 4, "whole");
  ASSERT_TRUE(writer.flush(*ends[0]));
  ends[0]->close();
  auto frame = reader.next(*ends[1]);
  ASSERT_TRUE(frame && *frame);
  for (int i = 0; frame && i < 1000; ++i) frame = reader.next(*ends[1]);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, core::ErrorCode::peer_lost);
  EXPECT_EQ(reader.fault(), FrameFault::none);
}

TEST_P(Frames, TooMuchThatWaitsIsAnError) {
  FrameWriter writer(1000);
  put_frame(writer, 1, std::string(500, 'a'));
  writer.begin(2).raw(bytes_of(std::string(500, 'b')));
  const auto ended = writer.end();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, core::ErrorCode::protocol);
  EXPECT_EQ(writer.pending(), 508U) << "the first one is still good";
  ASSERT_TRUE(writer.flush(*ends[0]));
  put_frame(writer, 3, std::string(900, 'c'));
  ASSERT_TRUE(writer.flush(*ends[0]));
  FrameReader reader;
  EXPECT_EQ((**reader.next(*ends[1])).type, 1);
  EXPECT_EQ((**reader.next(*ends[1])).type, 3);
}

}  // namespace frame_test
}  // namespace tieline::transport
