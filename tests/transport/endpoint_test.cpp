#include "transport/endpoint.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "transport/attachment_access.hpp"
#include "transport/stream_pairs.hpp"

namespace tieline::transport {
namespace endpoint_test {

using namespace std::chrono_literals;

/// Waits for a connection.
Descriptor accepted(Listener& listener) {
  Waiter waiter;
  (void)waiter.add(Waitable(listener.descriptor()));
  EXPECT_EQ(*waiter.wait(Until::in(100s)), Waiter::Outcome::ready);
  auto socket = listener.accept();
  EXPECT_TRUE(socket && *socket);
  return std::move(**socket);
}

void exchange(Listener& listener) {
  auto ours = connect_to(listener.endpoint(), Until::in(100s));
  ASSERT_TRUE(ours) << ours.error().message;
  auto a = SocketStream::adopt(std::move(*ours)), b = SocketStream::adopt(accepted(listener));
  ASSERT_TRUE(a && b);
  write_text(**a, "over there");
  Waiter waiter;
  (void)waiter.add(**b);
  EXPECT_EQ(*waiter.wait(Until::in(100s)), Waiter::Outcome::ready);
  EXPECT_EQ(read_text(**b), "over there");
  const auto nobody = listener.accept();
  ASSERT_TRUE(nobody);
  EXPECT_FALSE(*nobody);
}

TEST(Endpoint, LocalOnesConnect) {
  auto listener = Listener::local(), other = Listener::local();
  ASSERT_TRUE(listener && other);
  EXPECT_NE(listener->endpoint().name, other->endpoint().name);
  exchange(*listener);
}

TEST(Endpoint, TcpOnesConnect) {
  auto listener = Listener::tcp();
  ASSERT_TRUE(listener) << listener.error().message;
  EXPECT_EQ(listener->endpoint().name, "127.0.0.1");
  EXPECT_NE(listener->endpoint().port, 0);
  exchange(*listener);
}

TEST(Endpoint, TextGoesBothWays) {
  for (const char* text : {"local:tieline-12ab", "tcp:127.0.0.1:80", "tcp:[::1]:65535", "tcp:host.example:7"}) {
    const auto endpoint = Endpoint::parse(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(endpoint->text(), text);
  }
  for (const char* text : {"", "local:", "tcp:", "tcp:host", "tcp::80", "tcp:host:", "tcp:host:65536", "tcp:host:-1",
                           "tcp:host:80x", "tcp:::1:80", "udp:host:80", "tcp:[]:80"}) {
    EXPECT_FALSE(Endpoint::parse(text)) << text;
  }
}

TEST(Endpoint, NobodyThereIsADeadline) {
  Endpoint closed;
  {
    const auto listener = Listener::local();
    ASSERT_TRUE(listener);
    closed = listener->endpoint();
  }
  const auto socket = connect_to(closed, {Clock::now()});
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code, core::ErrorCode::deadline);
  EXPECT_TRUE(socket.error().message.starts_with("connecting to local:tieline-")) << socket.error().message;
  const std::atomic<bool> cancel = true;
  const auto cancelled = connect_to(closed, Until::in(100s, &cancel));
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, core::ErrorCode::cancelled);
}

TEST(Endpoint, WhoListensLateIsFound) {
  // The port of a listener that is gone, and comes back while somebody tries to connect.
  std::uint16_t port = 0;
  {
    const auto listener = Listener::tcp();
    ASSERT_TRUE(listener);
    port = listener->endpoint().port;
  }
  core::Result<Descriptor> socket = core::Error{};
  std::thread client([&] { socket = connect_to({Endpoint::Kind::tcp, "127.0.0.1", port}, Until::in(100s)); });
  const auto listener = Listener::tcp("127.0.0.1", port);
  if (!listener) {
    // Somebody else has taken the port meanwhile: nothing can be said, but nobody may hang either.
    client.join();
    GTEST_SKIP() << listener.error().message;
  }
  client.join();
  EXPECT_TRUE(socket) << socket.error().message;
}

TEST(Endpoint, BadOnesAreNamed) {
  const auto nowhere = Listener::tcp("not an address");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, core::ErrorCode::bad_input);
  EXPECT_TRUE(nowhere.error().message.starts_with("'tcp:not an address:0' is not an address: "));
  const auto too_long = connect_to({Endpoint::Kind::local, std::string(200, 'x'), 0}, {Clock::now()});
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, core::ErrorCode::bad_input);
}

/// The number that identifies an open file, whichever attachment names it.
ino_t file_of(const Attachment& attachment) {
  struct stat status {};
  EXPECT_EQ(fstat(AttachmentAccess::number(attachment), &status), 0);
  return status.st_ino;
}

Attachment some_file() {
  auto parts = make_shared_parts(kLeastRingCapacity);
  EXPECT_TRUE(parts);
  return AttachmentAccess::make(std::move(parts->memory));
}

TEST(Attachments, TravelWithTheirFramesInOrder) {
  auto ends = socket_pair({.most_attachments = 8});
  FrameWriter writer;
  std::vector<ino_t> sent;
  for (const int count : {0, 2, 1}) {
    writer.begin(16).u8(static_cast<std::uint8_t>(count));
    for (int i = 0; i < count; ++i) {
      Attachment file = some_file();
      sent.push_back(file_of(file));
      ASSERT_TRUE(writer.attach(std::move(file)));
    }
    ASSERT_TRUE(writer.end());
    if (count == 2) {
      ASSERT_TRUE(*writer.flush(*ends[0]));
    }
  }
  ASSERT_TRUE(*writer.flush(*ends[0]));
  FrameReader reader;
  std::vector<ino_t> received;
  for (int frames = 0; frames < 3;) {
    const auto frame = reader.next(*ends[1]);
    ASSERT_TRUE(frame);
    if (!*frame) continue;
    ++frames;
    const int count = Decoder((*frame)->payload).u8();
    for (int i = 0; i < count; ++i) {
      const Attachment attachment = ends[1]->take_attachment();
      ASSERT_TRUE(attachment) << "comes no later than its frame";
      EXPECT_EQ(fcntl(AttachmentAccess::number(attachment), F_GETFD), FD_CLOEXEC);
      received.push_back(file_of(attachment));
    }
  }
  EXPECT_EQ(received, sent);
  EXPECT_FALSE(ends[1]->take_attachment());
}

TEST(Attachments, SurplusOnesAreClosed) {
  auto ends = socket_pair({.most_attachments = 2});
  const auto open_count = [] {
    int count = 0;
    for (int i = 0; i < 1000; ++i) count += fcntl(i, F_GETFD) >= 0 ? 1 : 0;
    return count;
  };
  const int before = open_count();
  {
    std::array<Attachment, 5> files{};
    for (Attachment& file : files) file = some_file();
    const auto count = ends[0]->write_with(bytes_of("x"), files);
    ASSERT_TRUE(count);
    EXPECT_EQ(*count, 1U);
  }
  EXPECT_EQ(read_text(*ends[1]), "x");
  EXPECT_EQ(open_count(), before + 2);
  EXPECT_TRUE(ends[1]->take_attachment());
  EXPECT_TRUE(ends[1]->take_attachment());
  EXPECT_FALSE(ends[1]->take_attachment());
  EXPECT_EQ(open_count(), before);
}

TEST(Attachments, AreNotTakenFromWhoMayNotSendThem) {
  auto ends = socket_pair();
  const std::array<Attachment, 1> files{some_file()};
  ASSERT_TRUE(ends[0]->write_with(bytes_of("x"), files));
  EXPECT_EQ(read_text(*ends[1]), "x");
  EXPECT_FALSE(ends[1]->take_attachment());
  auto shared = shared_pair();
  const auto count = shared[0]->write_with(bytes_of("x"), files);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code, core::ErrorCode::unsupported);
}

TEST(Attachments, ADroppedFrameTakesItsOwnAlong) {
  auto ends = socket_pair({.most_attachments = 8});
  FrameWriter writer(100);
  writer.begin(16).raw(bytes_of(std::string(200, 'x')));
  ASSERT_TRUE(writer.attach(some_file()));
  ASSERT_FALSE(writer.end());
  put_frame(writer, 17, "small");
  ASSERT_TRUE(*writer.flush(*ends[0]));
  EXPECT_EQ(read_text(*ends[1]).size(), 13U);
  EXPECT_FALSE(ends[1]->take_attachment());
  for (std::size_t i = 0; i < kMostWaitingAttachments; ++i) ASSERT_TRUE(writer.attach(Attachment()));
  EXPECT_FALSE(writer.attach(Attachment()));
}

TEST(Attachments, MoreThanGoAtOnceKeepTheirOrder) {
  constexpr std::size_t count = 2 * kMostAttachments + 3;
  auto ends = socket_pair({.most_attachments = count});
  FrameWriter writer;
  std::vector<ino_t> sent, received;
  writer.begin(16).raw(bytes_of("payload"));
  for (std::size_t i = 0; i < count; ++i) {
    Attachment file = some_file();
    sent.push_back(file_of(file));
    ASSERT_TRUE(writer.attach(std::move(file)));
  }
  ASSERT_TRUE(writer.end());
  ASSERT_TRUE(*writer.flush(*ends[0]));
  FrameReader reader;
  for (;;) {
    const auto frame = reader.next(*ends[1]);
    ASSERT_TRUE(frame);
    if (*frame) break;
  }
  while (const Attachment attachment = ends[1]->take_attachment()) received.push_back(file_of(attachment));
  EXPECT_EQ(received, sent);
}

}  // namespace endpoint_test
}  // namespace tieline::transport
