// Streams over TLS whose connections are cut, spoiled and refused.

#include "secure/lasting_stream.hpp"

#include <random>

#include "secure/network.hpp"
#include "transport/stream_pairs.hpp"

namespace tieline::secure {
namespace lasting_stream_test {

using namespace test;
using transport::Stream;

/// Numbers that both sides can compute, so that each byte is known by its place.
std::byte byte_at(std::uint64_t place) { return static_cast<std::byte>((place * 2654435761U) >> 13); }

/// Sends so many bytes in pieces of many sizes, and verifies as many that come.
void exchange(Stream& stream, std::uint64_t total, unsigned seed, const std::function<void(std::uint64_t)>& on_sent) {
  std::mt19937 random(seed);
  std::uint64_t sent = 0, received = 0;
  std::vector<std::byte> out, in(20000);
  transport::Waiter waiter({.spin = {}});
  const auto place = waiter.add(stream);
  while (sent < total || received < total) {
    if (out.empty() && sent < total) {
      out.resize(std::min<std::uint64_t>(total - sent, 1 + random() % 30000));
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = byte_at(sent + i);
    }
    bool has_moved = false;
    if (!out.empty()) {
      const auto count = stream.write_some(out);
      ASSERT_TRUE(count) << count.error().message;
      out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*count));
      sent += *count;
      has_moved = *count > 0;
      if (has_moved) on_sent(sent);
    }
    const auto count = stream.read_some(in);
    ASSERT_TRUE(count) << count.error().message;
    for (std::size_t i = 0; i < *count; ++i) ASSERT_EQ(in[i], byte_at(received + i)) << received + i;
    received += *count;
    if (has_moved || *count > 0) continue;
    waiter.want(place, {.input = true, .room = !out.empty()});
    const auto outcome = waiter.wait(transport::Until::in(kPatience));
    ASSERT_TRUE(outcome);
    ASSERT_EQ(*outcome, transport::Waiter::Outcome::ready) << "sent " << sent << ", received " << received;
  }
}

class Lasting : public testing::Test {
 protected:
  Lasting() : authority(Authority::make().value()) {}
  void open(LastingOptions options = {}) {
    here = factory(authority, options);
    there = factory(authority, options);
    door = here->open_door().value();
    cable = std::make_unique<Cable>(door->address());
    ends = connected(*there, *door, cable->address());
    ASSERT_TRUE(ends.first != nullptr && ends.second != nullptr);
  }
  [[nodiscard]] static int healed(const Stream& stream) { return dynamic_cast<const LastingStream&>(stream).healed(); }

  Authority authority;
  std::unique_ptr<TlsFactory> here, there;
  std::unique_ptr<transport::Door> door;
  std::unique_ptr<Cable> cable;
  Ends ends;
};

TEST_F(Lasting, CarriesBytesBothWays) {
  open();
  constexpr std::uint64_t total = 3'000'000;
  std::thread second([&] { exchange(*ends.second, total, 2, [](auto) {}); });
  exchange(*ends.first, total, 1, [](auto) {});
  second.join();
  EXPECT_EQ(healed(*ends.first), 0);
}

TEST_F(Lasting, ContinuesWhereItBrokeHoweverOften) {
  // Between two cuts more is sent than may be kept, so that each break is healed before the next.
  open({.most_kept = 200'000});
  constexpr std::uint64_t total = 6'000'000, between = 500'000;
  std::thread second([&] { exchange(*ends.second, total, 2, [](auto) {}); });
  std::uint64_t next = between;
  exchange(*ends.first, total, 1, [&](std::uint64_t sent) {
    if (sent < next || sent == total) return;
    next += between;
    cable->cut();
  });
  second.join();
  EXPECT_GE(healed(*ends.first), static_cast<int>(total / between) - 2);
  EXPECT_GE(cable->connections(), 1 + healed(*ends.first));
}

TEST_F(Lasting, ASpoiledConnectionIsMadeAgain) {
  open();
  constexpr std::uint64_t total = 2'000'000;
  std::thread second([&] { exchange(*ends.second, total, 2, [](auto) {}); });
  exchange(*ends.first, total, 1, [&, is_spoiled = false](std::uint64_t sent) mutable {
    if (!is_spoiled && sent > total / 2) cable->spoil(), is_spoiled = true;
  });
  second.join();
  EXPECT_GE(healed(*ends.first), 1);
}

TEST_F(Lasting, BothSidesMayWriteWhileItIsBroken) {
  open();
  cable->set_down(true);
  // Each side finds the break by itself, and keeps what it is given.
  for (Stream* end : {ends.first.get(), ends.second.get()}) {
    std::vector<std::byte> piece(100);
    const auto read = end->read_some(piece);
    ASSERT_TRUE(read) << read.error().message;
  }
  transport::write_text(*ends.first, "there");
  transport::write_text(*ends.second, "and back");
  cable->set_down(false);
  const auto expect = [&](Stream& stream, const std::string& text) {
    std::string all;
    while (all.size() < text.size()) {
      wait_for(stream);
      all += transport::read_text(stream);
      ASSERT_LE(all.size(), text.size());
    }
    EXPECT_EQ(all, text);
  };
  // Whoever reads drives its side.
  std::thread second([&] { expect(*ends.second, "there"); });
  expect(*ends.first, "and back");
  second.join();
}

TEST_F(Lasting, APartnerGetsItsBytesAlthoughNobodyLooksHere) {
  open();
  cable->set_down(true);
  // The last that this owner does: what it has written is to arrive, and nothing of what comes may be lost.
  transport::write_text(*ends.first, "there");
  cable->set_down(false);
  std::string all;
  while (all.size() < 5) {
    wait_for(*ends.second);
    all += transport::read_text(*ends.second);
  }
  EXPECT_EQ(all, "there");
  transport::write_text(*ends.second, "and back");
  all.clear();
  while (all.size() < 8) {
    wait_for(*ends.first);
    all += transport::read_text(*ends.first);
  }
  EXPECT_EQ(all, "and back");
}

TEST_F(Lasting, WhatIsKeptIsBounded) {
  open({.most_kept = 100'000});
  std::vector<std::byte> piece(30'000);
  std::size_t taken = 0;
  // The partner reads nothing.
  for (int i = 0; i < 100; ++i) {
    const auto count = ends.first->write_some(piece);
    ASSERT_TRUE(count);
    taken += *count;
  }
  EXPECT_EQ(taken, 100'000U);
  // Room is made by what the partner confirms.
  std::thread second([&] { EXPECT_EQ(end_of(*ends.second).code, core::ErrorCode::peer_lost); });
  wait_for(*ends.first, {.input = true, .room = true});
  ends.first->close();
  second.join();
}

TEST_F(Lasting, TheGraceTimeEndsIt) {
  open({.grace = 300ms});
  cable->set_down(true);
  for (Stream* end : {ends.first.get(), ends.second.get()}) {
    const core::Error error = end_of(*end);
    EXPECT_EQ(error.code, core::ErrorCode::peer_lost);
    EXPECT_NE(error.message.find("could not be made again within 0 s"), std::string::npos) << error.message;
  }
}

TEST_F(Lasting, AGoodbyeEndsItAtOnce) {
  open();
  transport::write_text(*ends.first, "last words");
  ends.first->close();
  std::string all;
  core::Error error;
  for (;;) {
    std::vector<std::byte> piece(100);
    const auto count = ends.second->read_some(piece);
    if (!count) {
      error = count.error();
      break;
    }
    all += transport::text_of(std::span(piece).first(*count));
    if (*count == 0) wait_for(*ends.second);
  }
  EXPECT_EQ(all, "last words");
  EXPECT_EQ(error.code, core::ErrorCode::peer_lost);
  EXPECT_EQ(error.message, "the partner has closed the connection");
}

TEST_F(Lasting, APartnerThatHasForgottenItEndsIt) {
  open();
  // Its process has ended without a word, and another listens there.
  cable->set_down(true);
  ends.second.reset();
  cable->set_down(false);
  const core::Error error = end_of(*ends.first);
  EXPECT_EQ(error.code, core::ErrorCode::peer_lost);
  EXPECT_TRUE(error.message == "the partner has ended" || error.message == "the partner has closed the connection")
      << error.message;
}

TEST_F(Lasting, NothingOfItCanBeReadOnTheWay) {
  open();
  const std::string secret = "TIELINE token 0123456789abcdef stiffness 1.25e9";
  for (int i = 0; i < 100; ++i) transport::write_text(*ends.first, secret);
  std::string all;
  while (all.size() < 100 * secret.size()) {
    wait_for(*ends.second);
    all += transport::read_text(*ends.second);
  }
  const std::string seen = cable->seen();
  EXPECT_GT(seen.size(), 100 * secret.size());
  for (std::size_t at = 0; at + 8 <= secret.size(); at += 4) {
    EXPECT_EQ(seen.find(secret.substr(at, 8)), std::string::npos) << secret.substr(at, 8);
  }
}

}  // namespace lasting_stream_test
}  // namespace tieline::secure
