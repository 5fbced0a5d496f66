#include "transport/waiter.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "transport/connection.hpp"
#include "transport/stream_pairs.hpp"

namespace tieline::transport {
namespace waiter_test {

using namespace std::chrono_literals;
using Outcome = Waiter::Outcome;

/// Long enough for any machine; no test waits for it to pass.
constexpr auto kLong = 100s;

class Waiting : public testing::TestWithParam<std::tuple<StreamKind, int>> {
 protected:
  [[nodiscard]] static WaiterOptions options() { return {.spin = std::chrono::microseconds(std::get<1>(GetParam()))}; }
  StreamPair ends = std::get<0>(GetParam()).make();
  Waiter waiter{options()};
};

std::string case_name(const testing::TestParamInfo<std::tuple<StreamKind, int>>& info) {
  const auto& [kind, spin] = info.param;
  return std::string(kind.name) + (spin == 0 ? "_sleeping" : "_spinning");
}

INSTANTIATE_TEST_SUITE_P(Transport, Waiting, testing::Combine(kStreamKinds, testing::Values(0, 50)), case_name);

TEST_P(Waiting, FindsWhoHasInput) {
  StreamPair others = std::get<0>(GetParam()).make();
  const auto first = waiter.add(*ends[1]), second = waiter.add(*others[1]);
  EXPECT_EQ(*waiter.wait({Clock::now()}), Outcome::deadline);
  EXPECT_FALSE(waiter.is_ready(first) || waiter.is_ready(second));
  write_text(*others[0], "x");
  EXPECT_EQ(*waiter.wait(Until::in(kLong)), Outcome::ready);
  EXPECT_FALSE(waiter.is_ready(first));
  EXPECT_TRUE(waiter.is_ready(second));
  write_text(*ends[0], "y");
  EXPECT_EQ(*waiter.wait(Until::in(kLong)), Outcome::ready);
  EXPECT_TRUE(waiter.is_ready(first) && waiter.is_ready(second));
  EXPECT_EQ(read_text(*ends[1]), "y");
  waiter.remove(second);
  EXPECT_EQ(*waiter.wait({Clock::now()}), Outcome::deadline);
  EXPECT_EQ(waiter.add(*others[1]), second) << "places are given out again";
  EXPECT_EQ(*waiter.wait({Clock::now()}), Outcome::ready);
}

TEST_P(Waiting, FindsRoomWhereItIsWanted) {
  const auto place = waiter.add(*ends[0]);
  const std::string piece(1000, 'x');
  while (*ends[0]->write_some(bytes_of(piece)) > 0) {
  }
  waiter.want(place, {.input = true, .room = true});
  EXPECT_EQ(*waiter.wait({Clock::now()}), Outcome::deadline);
  EXPECT_GE(read_text(*ends[1]).size(), kLeastRingCapacity);
  EXPECT_EQ(*waiter.wait(Until::in(kLong)), Outcome::ready);
  EXPECT_TRUE(waiter.is_ready(place));
  waiter.want(place, {});
  EXPECT_EQ(*waiter.wait({Clock::now()}), Outcome::deadline);
  // Input that is not wanted does not wake.
  write_text(*ends[1], "x");
  waiter.want(place, {.input = false, .room = false});
  EXPECT_EQ(*waiter.wait({Clock::now()}), Outcome::deadline);
}

TEST_P(Waiting, FindsTheEnd) {
  (void)waiter.add(*ends[1]);
  std::thread partner([this] { ends[0]->close(); });
  EXPECT_EQ(*waiter.wait(Until::in(kLong)), Outcome::ready);
  partner.join();
  EXPECT_EQ(read_error(*ends[1]), core::ErrorCode::peer_lost);
}

TEST_P(Waiting, IsCancelled) {
  (void)waiter.add(*ends[1]);
  std::atomic<bool> cancel = false;
  std::thread user([&] { cancel = true; });
  EXPECT_EQ(*waiter.wait(Until::in(kLong, &cancel)), Outcome::cancelled);
  user.join();
}

TEST_P(Waiting, OthersAreNotForgottenOverBusyStreams) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const Descriptor reading(pipe_ends[0]), writing(pipe_ends[1]);
  (void)waiter.add(*ends[1]);
  const auto other = waiter.add(Waitable(reading.get()));
  write_text(*ends[0], "never read");
  ASSERT_EQ(write(writing.get(), "x", 1), 1);
  bool found = false;
  for (int i = 0; i < 100 && !found; ++i) {
    EXPECT_EQ(*waiter.wait(Until::in(kLong)), Outcome::ready);
    found = waiter.is_ready(other);
  }
  EXPECT_TRUE(found);
}

/// Sends numbers and expects each back, one more.
void count_up(Stream& stream, WaiterOptions options, std::uint64_t rounds, bool begins) {
  FrameReader reader;
  FrameWriter writer;
  Waiter waiter(options);
  (void)waiter.add(stream);
  const auto send = [&](std::uint64_t value) {
    writer.begin(16).u64(value);
    ASSERT_TRUE(writer.end());
    const auto done = writer.flush(stream);
    ASSERT_TRUE(done && *done);
  };
  if (begins) send(0);
  for (std::uint64_t expected = begins ? 1 : 0; expected < rounds;) {
    const auto frame = reader.next(stream);
    ASSERT_TRUE(frame) << frame.error().message;
    if (!*frame) {
      const auto outcome = waiter.wait(Until::in(kLong));
      ASSERT_TRUE(outcome && *outcome == Outcome::ready) << "a wake-up was lost";
      continue;
    }
    Decoder decoder((*frame)->payload);
    ASSERT_EQ(decoder.u64(), expected);
    send(expected + 1);
    expected += 2;
  }
}

TEST_P(Waiting, NoWakeUpIsLostBetweenThreads) {
  constexpr std::uint64_t rounds = 5000;
  std::thread partner([this] { count_up(*ends[1], options(), rounds, false); });
  count_up(*ends[0], options(), rounds, true);
  partner.join();
}

/// Sends a stream of frames of all sizes, or receives and checks it.
void send_many(Connection& connection, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Encoder encoder = connection.writer().begin(16);
    encoder.u32(i);
    encoder.raw(bytes_of(std::string(i * 37 % 9001, static_cast<char>('a' + i % 26))));
    ASSERT_TRUE(connection.writer().end());
    const auto flushed = connection.flush(Until::in(kLong));
    ASSERT_TRUE(flushed) << flushed.error().message;
  }
}

void receive_many(Connection& connection, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto frame = connection.receive(Until::in(kLong));
    ASSERT_TRUE(frame) << frame.error().message;
    Decoder decoder(frame->payload);
    ASSERT_EQ(decoder.u32(), i);
    const auto rest = decoder.raw(i * 37 % 9001);
    ASSERT_TRUE(decoder.is_complete());
    ASSERT_TRUE(
        std::all_of(rest.begin(), rest.end(), [&](std::byte b) { return b == static_cast<std::byte>('a' + i % 26); }));
  }
}

TEST_P(Waiting, TwoWhoOnlyWriteBothContinue) {
  // Both send far more than the streams hold before either takes out a frame.
  constexpr std::uint32_t count = 500;
  Connection a(std::move(ends[0]), "b", options()), b(std::move(ends[1]), "a", options());
  std::thread partner([&] {
    send_many(b, count);
    receive_many(b, count);
  });
  send_many(a, count);
  receive_many(a, count);
  partner.join();
}

TEST_P(Waiting, LateAndCancelledPartnersAreNamed) {
  Connection a(std::move(ends[0]), "component 'rotor'", options());
  auto frame = a.receive({Clock::now()});
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, core::ErrorCode::deadline);
  EXPECT_EQ(frame.error().message, "component 'rotor' did not answer in time");
  const std::atomic<bool> cancel = true;
  frame = a.receive(Until::in(kLong, &cancel));
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().code, core::ErrorCode::cancelled);
}

TEST(Waiter, NobodyIsWaitedForUntilTheDeadline) {
  Waiter waiter;
  EXPECT_EQ(*waiter.wait({Clock::now()}), Outcome::deadline);
}

}  // namespace waiter_test
}  // namespace tieline::transport
