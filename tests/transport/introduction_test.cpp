#include "transport/introduction.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "transport/socket_door.hpp"
#include "transport/stream_pairs.hpp"

namespace tieline::transport {
namespace introduction_test {

using namespace std::chrono_literals;

constexpr auto kLong = 100s;

std::unique_ptr<Stream> next_at(Door& door) {
  Waiter waiter;
  (void)waiter.add(door.waitable());
  EXPECT_EQ(*waiter.wait(Until::in(kLong)), Waiter::Outcome::ready);
  auto stream = door.accept();
  EXPECT_TRUE(stream && *stream);
  return std::move(*stream);
}

void wait_for_input(Stream& stream) {
  Waiter waiter;
  (void)waiter.add(stream);
  EXPECT_EQ(*waiter.wait(Until::in(kLong)), Waiter::Outcome::ready);
}

TEST(Introduction, ThatIsNotAnsweredIsTriedAgain) {
  auto door = standard_factories().named("tcp")->open_door();
  ASSERT_TRUE(door);
  const Token token = *Token::random();
  core::Result<Connection> connected = core::Error{};
  std::thread client([&] {
    connected = connect_as({.token = token, .name = "rotor"}, {"the master", (*door)->address()}, {},
                           standard_factories(), Until::in(kLong));
  });
  for (int i = 0; i < 3; ++i) next_at(**door)->close();
  const auto stream = next_at(**door);
  HelloReceiver receiver(token, Clock::now() + kLong);
  while (receiver.advance(*stream, Clock::now()) == HelloReceiver::State::waiting) {
    wait_for_input(*stream);
  }
  EXPECT_EQ(receiver.welcome(*stream), HelloReceiver::State::welcomed);
  client.join();
  EXPECT_TRUE(connected) << connected.error().message;
}

TEST(Introduction, ThatIsRefusedIsNotTriedAgain) {
  auto door = standard_factories().named("tcp")->open_door();
  ASSERT_TRUE(door);
  core::Result<Connection> connected = core::Error{};
  std::thread client([&] {
    connected =
        connect_as({.name = "rotor"}, {"the master", (*door)->address()}, {}, standard_factories(), Until::in(kLong));
  });
  const auto stream = next_at(**door);
  HelloReceiver receiver(*Token::random(), Clock::now() + kLong);
  while (receiver.advance(*stream, Clock::now()) == HelloReceiver::State::waiting) {
    wait_for_input(*stream);
  }
  client.join();
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().message, "the master refused the connection: the token is wrong");
}

TEST(Introduction, EndsWithTheTimeOfWhoConnects) {
  auto door = standard_factories().named("tcp")->open_door();
  ASSERT_TRUE(door);
  std::atomic<bool> is_over = false;
  std::thread master([&] {
    while (!is_over) (void)(*door)->accept();  // closed at once
  });
  const auto connected =
      connect_as({.name = "rotor"}, {"the master", (*door)->address()}, {}, standard_factories(), Until::in(100ms));
  is_over = true;
  master.join();
  EXPECT_FALSE(connected);
}

TEST(SocketDoor, ClosesProcessesOfOtherUsersAtOnce) {
  auto listener = Listener::local();
  ASSERT_TRUE(listener);
  SocketDoor door(std::move(*listener), ::geteuid() + 1);
  auto socket = connect_to(*Endpoint::parse(door.address()), Until::in(kLong));
  ASSERT_TRUE(socket);
  const auto accepted = door.accept();
  ASSERT_TRUE(accepted);
  EXPECT_EQ(*accepted, nullptr);
  EXPECT_EQ(door.closed_to_others(), 1U);
  // Nothing was said to it.
  char byte = 0;
  EXPECT_EQ(::recv(socket->get(), &byte, 1, MSG_DONTWAIT), 0);
}

TEST(SocketDoor, LetsProcessesOfItsOwnUserIn) {
  auto door = standard_factories().named("shared_memory")->open_door();
  ASSERT_TRUE(door);
  auto socket = connect_to(*Endpoint::parse((*door)->address()), Until::in(kLong));
  ASSERT_TRUE(socket);
  const auto accepted = (*door)->accept();
  ASSERT_TRUE(accepted);
  EXPECT_NE(*accepted, nullptr);
  EXPECT_EQ((*door)->closed_to_others(), 0U);
}

}  // namespace introduction_test
}  // namespace tieline::transport
