#include "transport/hello.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <thread>

#include "transport/stream_pairs.hpp"

namespace tieline::transport {
namespace hello_test {

using namespace std::chrono_literals;
using State = HelloReceiver::State;

Token token_of(std::uint8_t first) {
  std::array<std::byte, Token::kSize> bytes{};
  bytes[0] = std::byte{first};
  bytes[15] = std::byte{0xa5};
  return Token(bytes);
}

TEST(Token, TextGoesBothWays) {
  const auto token = Token::random(), other = Token::random();
  ASSERT_TRUE(token && other);
  EXPECT_FALSE(token->equals(*other));
  EXPECT_FALSE(token->equals(Token()));
  EXPECT_EQ(token->text().size(), 32U);
  const auto back = Token::parse(token->text());
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->equals(*token));
  EXPECT_EQ(token_of(0x1f).text(), "1f0000000000000000000000000000a5");
  for (const char* text : {"", "12", "1f0000000000000000000000000000ag", "1f0000000000000000000000000000a5 "}) {
    EXPECT_FALSE(Token::parse(text)) << text;
  }
}

TEST(Token, EveryBitCounts) {
  const Token token = token_of(7);
  for (std::size_t bit = 0; bit < 128; ++bit) {
    auto bytes = token.bytes();
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(token.equals(Token(bytes))) << bit;
  }
  EXPECT_TRUE(token.equals(token_of(7)));
}

class Hellos : public testing::TestWithParam<StreamKind> {
 protected:
  StreamPair ends = GetParam().make();
  Clock::time_point begin = Clock::now();
  HelloReceiver receiver{token_of(1), begin + 10s};

  /// The text of the refusal that was sent.
  std::string refusal() {
    FrameReader reader;
    const auto frame = reader.next(*ends[0]);
    EXPECT_TRUE(frame && *frame);
    EXPECT_EQ((*frame)->type, kRefusalType);
    return std::string(Decoder((*frame)->payload).text());
  }
  /// Sends bytes as they are, and lets the receiver see them.
  void receive(std::string_view bytes) {
    write_text(*ends[0], bytes);
    (void)receiver.advance(*ends[1], begin);
  }
  /// A hello as bytes, which may be changed.
  static std::string bytes_of_hello(const Hello& hello) {
    FrameWriter writer;
    encode(writer.begin(kHelloType), hello);
    EXPECT_TRUE(writer.end());
    auto pair = shared_pair();
    EXPECT_TRUE(writer.flush(*pair[0]));
    return read_text(*pair[1]);
  }
};

INSTANTIATE_TEST_SUITE_P(Transport, Hellos, kStreamKinds, kind_name);

const Hello kGood{Role::peer, token_of(1), "rotor.left", 42};

TEST_P(Hellos, GoodOnesAreWelcomed) {
  Connection client(std::move(ends[0]), "the master");
  core::Result<void> introduced = core::Error{};
  std::thread partner([&] { introduced = introduce(client, kGood, Until::in(100s)); });
  Waiter waiter;
  (void)waiter.add(*ends[1]);
  while (receiver.advance(*ends[1], begin) == State::waiting) ASSERT_TRUE(waiter.wait(Until::in(100s)));
  EXPECT_EQ(receiver.state(), State::verified);
  EXPECT_EQ(receiver.hello().role, Role::peer);
  EXPECT_EQ(receiver.hello().name, "rotor.left");
  EXPECT_EQ(receiver.hello().link, 42U);
  EXPECT_EQ(receiver.welcome(*ends[1]), State::welcomed);
  partner.join();
  EXPECT_TRUE(introduced) << introduced.error().message;
}

TEST_P(Hellos, WhatFollowsIsNotLost) {
  FrameWriter writer;
  encode(writer.begin(kHelloType), kGood);
  ASSERT_TRUE(writer.end());
  put_frame(writer, kFirstMessageType, std::string(2000, 'x'));
  ASSERT_TRUE(*writer.flush(*ends[0]));
  EXPECT_EQ(receiver.advance(*ends[1], begin), State::verified);
  EXPECT_EQ(receiver.welcome(*ends[1]), State::welcomed);
  FrameReader reader = receiver.take_reader();
  const auto frame = reader.next(*ends[1]);
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->payload.size(), 2000U);
}

TEST_P(Hellos, MayComeByteByByte) {
  const std::string bytes = bytes_of_hello(kGood);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(receiver.advance(*ends[1], begin), State::waiting) << i;
    write_text(*ends[0], bytes.substr(i, 1));
  }
  while (receiver.advance(*ends[1], begin) == State::waiting) {
  }
  EXPECT_EQ(receiver.state(), State::verified);
}

TEST_P(Hellos, RefusalsReachWhoConnects) {
  Connection client(std::move(ends[0]), "the master");
  core::Result<void> introduced = core::Error{};
  std::thread partner([&] { introduced = introduce(client, kGood, Until::in(100s)); });
  Waiter waiter;
  (void)waiter.add(*ends[1]);
  while (receiver.advance(*ends[1], begin) == State::waiting) ASSERT_TRUE(waiter.wait(Until::in(100s)));
  EXPECT_EQ(receiver.refuse(*ends[1], "no 'rotor.left' is expected\x1b"), State::refused);
  EXPECT_EQ(receiver.fault(), HelloFault::rejected);
  ends[1]->close();
  partner.join();
  ASSERT_FALSE(introduced);
  EXPECT_EQ(introduced.error().code, core::ErrorCode::protocol);
  EXPECT_EQ(introduced.error().message, "the master refused the connection: no 'rotor.left' is expected?");
}

TEST_P(Hellos, WrongMagicIsGarbage) {
  std::string bytes = bytes_of_hello(kGood);
  bytes[kFrameHeaderSize + 7] = '1';
  receive(bytes);
  EXPECT_EQ(receiver.fault(), HelloFault::garbage);
  EXPECT_EQ(refusal(), "this is not Tieline's protocol");
}

TEST_P(Hellos, AnotherProtocolIsGarbage) {
  receive("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(receiver.state(), State::refused);
  EXPECT_EQ(receiver.fault(), HelloFault::garbage);
}

TEST_P(Hellos, TooMuchIsGarbageAtOnce) {
  receive(std::string("\x01\x04\0\0\x01\0\0\0", 8));  // a frame of 1025 bytes is announced
  EXPECT_EQ(receiver.fault(), HelloFault::garbage);
}

TEST_P(Hellos, AnotherTypeIsGarbage) {
  std::string bytes = bytes_of_hello(kGood);
  bytes[4] = 16;
  receive(bytes);
  EXPECT_EQ(receiver.fault(), HelloFault::garbage);
}

TEST_P(Hellos, AnUnknownRoleOrMoreBytesAreGarbage) {
  std::string bytes = bytes_of_hello(kGood);
  bytes[kFrameHeaderSize + 10] = 77;
  receive(bytes);
  EXPECT_EQ(receiver.fault(), HelloFault::garbage);
  EXPECT_EQ(refusal(), "the introduction cannot be read");
}

TEST_P(Hellos, WrongVersionLearnsBoth) {
  std::string bytes = bytes_of_hello(kGood);
  bytes[kFrameHeaderSize + 8] = 7;
  receive(bytes);
  EXPECT_EQ(receiver.fault(), HelloFault::wrong_version);
  EXPECT_EQ(refusal(), "protocol version 7 was offered, version 5 is required here");
}

TEST_P(Hellos, WrongTokenLearnsNothingElse) {
  // Not even that its name would not do either.
  receive(bytes_of_hello({Role::participant, token_of(2), "\n", 0}));
  EXPECT_EQ(receiver.fault(), HelloFault::wrong_token);
  EXPECT_EQ(refusal(), "the token is wrong");
  EXPECT_EQ(receiver.welcome(*ends[1]), State::refused) << "what was refused stays so";
}

TEST_P(Hellos, NamesArePrintable) {
  for (const std::string& name : {std::string(), std::string("a\0b", 3), std::string("\x1b[2J"), std::string(256, 'x'),
                                  std::string("caf\xc3\xa9")}) {
    HelloReceiver each(token_of(1), begin + 10s);
    auto pair = GetParam().make();
    write_text(*pair[0], bytes_of_hello({Role::participant, token_of(1), name, 0}));
    EXPECT_EQ(each.advance(*pair[1], begin), State::refused);
    EXPECT_EQ(each.fault(), HelloFault::bad_name);
  }
  receive(bytes_of_hello({Role::participant, token_of(1), std::string(255, 'x'), 0}));
  EXPECT_EQ(receiver.state(), State::verified);
}

TEST_P(Hellos, SilenceEndsAtTheDeadline) {
  write_text(*ends[0], "\x10");
  EXPECT_EQ(receiver.advance(*ends[1], begin + 9s), State::waiting);
  while (receiver.advance(*ends[1], begin + 10s) == State::waiting) {
  }
  EXPECT_EQ(receiver.fault(), HelloFault::silence);
  EXPECT_EQ(refusal(), "no introduction came in time");
}

TEST_P(Hellos, WhoLeavesIsNotAnswered) {
  write_text(*ends[0], "\x10");
  ends[0]->close();
  for (int i = 0; i < 1000 && receiver.state() == State::waiting; ++i) (void)receiver.advance(*ends[1], begin);
  EXPECT_EQ(receiver.fault(), HelloFault::lost);
}

RC_GTEST_PROP(HelloReceiver, AnyBytesAreRefusedOrAwaited, (const std::string& bytes)) {
  auto ends = shared_pair();
  const auto now = Clock::now();
  HelloReceiver receiver(token_of(1), now + 10s);
  RC_ASSERT(ends[0]->write_some(bytes_of(bytes)).has_value());
  const auto state = receiver.advance(*ends[1], now);
  RC_ASSERT(state == State::waiting || state == State::refused);
}

}  // namespace hello_test
}  // namespace tieline::transport
