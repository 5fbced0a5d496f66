#include "transport/shared_stream.hpp"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/stream_pairs.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {
namespace shared_stream_test {

// The layout, as docs/protocol.md has it.
constexpr std::size_t kRings = 128, kRingSize = 384, kHead = 0, kStart = 8, kTail = 128, kReaderSleeps = 256;
constexpr std::size_t kData = 65536;

/// The memory of a stream, as a partner sees it that keeps to no rule.
class Partner {
 public:
  explicit Partner(const Descriptor& memory) {
    struct stat status {};
    EXPECT_EQ(fstat(memory.get(), &status), 0);
    size_ = static_cast<std::size_t>(status.st_size);
    address_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0));
  }
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;
  ~Partner() { munmap(address_, size_); }

  void put(std::size_t ring, std::size_t field, std::uint64_t value) {
    std::memcpy(address_ + kRings + ring * kRingSize + field, &value, sizeof value);
  }
  [[nodiscard]] std::uint64_t get(std::size_t ring, std::size_t field) const {
    std::uint64_t value = 0;
    std::memcpy(&value, address_ + kRings + ring * kRingSize + field, sizeof value);
    return value;
  }
  void put_bytes(std::size_t offset, std::string_view bytes) {
    std::memcpy(address_ + offset, bytes.data(), bytes.size());
  }

 private:
  std::byte* address_ = nullptr;
  std::size_t size_ = 0;
};

Descriptor copy_of(const Descriptor& descriptor) { return Descriptor(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 0)); }

SharedParts parts_of(std::size_t capacity = kLeastRingCapacity) {
  auto parts = make_shared_parts(capacity);
  EXPECT_TRUE(parts) << parts.error().message;
  return std::move(*parts);
}

std::unique_ptr<SharedStream> adopted(SharedParts& parts, Side side) {
  auto stream =
      SharedStream::adopt(copy_of(parts.memory), std::move(parts.sockets[static_cast<std::size_t>(side)]), side);
  EXPECT_TRUE(stream) << stream.error().message;
  return std::move(*stream);
}

TEST(SharedStream, HasTheWrittenLayout) {
  auto parts = parts_of();
  const auto stream = adopted(parts, Side::first);
  Partner partner(parts.memory);
  write_text(*stream, "hello");
  EXPECT_EQ(partner.get(0, kHead), 5U);
  EXPECT_EQ(partner.get(0, kTail), 0U);
  partner.put_bytes(kData + kLeastRingCapacity, "answer");
  partner.put(1, kHead, 6);
  EXPECT_EQ(read_text(*stream), "answer");
  EXPECT_EQ(partner.get(1, kTail), 6U);
  ASSERT_TRUE(stream->arm({}));
  EXPECT_EQ(partner.get(1, kReaderSleeps), 1U);
  stream->disarm();
  EXPECT_EQ(partner.get(1, kReaderSleeps), 0U);
}

RC_GTEST_PROP(SharedStream, WrapsAround, (const std::vector<std::uint16_t>& sizes)) {
  auto ends = shared_pair();
  std::uint64_t written = 0, read = 0;
  std::vector<std::byte> piece(kLeastRingCapacity);
  for (const std::uint16_t given : sizes) {
    const std::size_t size = given % kLeastRingCapacity;
    for (std::size_t i = 0; i < size; ++i) piece[i] = static_cast<std::byte>((written + i) % 251);
    const auto taken = ends[0]->write_some(std::span(piece).first(size));
    RC_ASSERT(taken.has_value());
    written += *taken;
    const auto count = ends[1]->read_some(std::span(piece).first(given % 1000 + 1));
    RC_ASSERT(count.has_value());
    for (std::size_t i = 0; i < *count; ++i) RC_ASSERT(piece[i] == static_cast<std::byte>((read + i) % 251));
    read += *count;
  }
}

TEST(SharedStream, GoesBackToTheFrontWhenAllIsRead) {
  auto parts = parts_of();
  const auto a = adopted(parts, Side::first), b = adopted(parts, Side::second);
  const Partner watcher(parts.memory);
  const std::string first(1500, 'x'), full(kLeastRingCapacity, 'y');
  write_text(*a, first);
  write_text(*a, "not read yet");
  EXPECT_EQ(watcher.get(0, kStart), 0U);
  EXPECT_EQ(read_text(*b), first + "not read yet");
  // A rewind that the reader has not followed yet: the ring is full all the same.
  write_text(*a, full);
  EXPECT_EQ(watcher.get(0, kStart), kLeastRingCapacity);
  EXPECT_EQ(watcher.get(0, kHead), 2 * kLeastRingCapacity);
  EXPECT_FALSE(a->has_room());
  EXPECT_EQ(*a->write_some(bytes_of("z")), 0U);
  ASSERT_TRUE(a->arm({.input = true, .room = true}));
  a->disarm();
  std::array<std::byte, 10> some{};
  EXPECT_EQ(*b->read_some(some), 10U);
  EXPECT_EQ(watcher.get(0, kTail), kLeastRingCapacity + 10);
  EXPECT_TRUE(a->has_room());
  write_text(*a, "wrapped");
  EXPECT_EQ(read_text(*b), full.substr(10) + "wrapped");
}

RC_GTEST_PROP(SharedStream, AnyPositionsAreSafe, (const std::vector<std::array<std::uint32_t, 4>>& turns)) {
  auto parts = parts_of();
  const auto stream = adopted(parts, Side::first);
  Partner partner(parts.memory);
  std::vector<std::byte> bytes(3000);
  for (const auto& [what, value, small, size] : turns) {
    // Near the positions that are in use, and anywhere.
    const std::size_t ring = what % 2, field = std::array{kHead, kStart, kTail}[what / 2 % 3];
    partner.put(ring, field, small % 2 == 0 ? partner.get(ring, kHead) + value % 9000 - 4500 : value * 0x100000001u);
    (void)stream->read_some(std::span(bytes).first(size % bytes.size()));
    (void)stream->write_some(std::span(bytes).first(size % bytes.size()));
    (void)stream->has_room();
    (void)stream->has_input();
  }
}

TEST(SharedStream, PositionsThatCannotBeAreAnError) {
  const std::array<std::uint64_t, 4> nonsense{kLeastRingCapacity + 1, std::uint64_t{1} << 63, ~std::uint64_t{0},
                                              0xffffffff};
  for (const std::uint64_t position : nonsense) {
    auto parts = parts_of();
    const auto stream = adopted(parts, Side::first);
    Partner partner(parts.memory);
    partner.put(1, kHead, position);
    EXPECT_TRUE(stream->has_input());
    EXPECT_FALSE(stream->arm({}));
    std::array<std::byte, 100> bytes{};
    const auto count = stream->read_some(bytes);
    ASSERT_FALSE(count) << position;
    EXPECT_EQ(count.error().code, core::ErrorCode::protocol);
  }
  for (const std::uint64_t position : nonsense) {
    auto parts = parts_of();
    const auto stream = adopted(parts, Side::first);
    Partner partner(parts.memory);
    write_text(*stream, std::string(4000, 'x'));
    partner.put(0, kTail, position);
    EXPECT_TRUE(stream->has_room());
    const auto count = stream->write_some(bytes_of(std::string(4000, 'y')));
    ASSERT_FALSE(count) << position;
    EXPECT_EQ(count.error().code, core::ErrorCode::protocol);
  }
}

TEST(SharedStream, OwnPositionsAreNotReadBack) {
  auto parts = parts_of();
  const auto stream = adopted(parts, Side::first);
  Partner partner(parts.memory);
  partner.put(0, kHead, 12345);  // ours to write
  write_text(*stream, "abc");
  EXPECT_EQ(partner.get(0, kHead), 3U);
  partner.put(1, kTail, 12345);
  partner.put(1, kHead, 2);
  EXPECT_EQ(read_text(*stream).size(), 2U);
  EXPECT_EQ(partner.get(1, kTail), 2U);
}

TEST(SharedStream, DoorbellRingsForSleepersOnly) {
  auto parts = parts_of();
  const auto a = adopted(parts, Side::first), b = adopted(parts, Side::second);
  const auto rings = [](const SharedStream& stream) {
    Waiter waiter;
    (void)waiter.add(stream.waitable({}));
    return *waiter.wait({Clock::now()}) == Waiter::Outcome::ready;
  };
  write_text(*a, "one");
  EXPECT_FALSE(rings(*b));
  EXPECT_FALSE(b->arm({})) << "there is input already";
  EXPECT_EQ(read_text(*b), "one");
  ASSERT_TRUE(b->arm({}));
  write_text(*a, "two");
  write_text(*a, "three");
  EXPECT_TRUE(rings(*b));
  b->disarm();
  EXPECT_TRUE(b->woken(true, {}));
  EXPECT_FALSE(rings(*b)) << "one ring for one sleep, and it was taken";
  EXPECT_EQ(read_text(*b), "twothree");
  // A writer that waits for room is woken by reading.
  write_text(*a, std::string(kLeastRingCapacity, 'x'));
  ASSERT_TRUE(a->arm({.input = true, .room = true}));
  EXPECT_FALSE(rings(*a));
  std::array<std::byte, 1> one{};
  ASSERT_TRUE(b->read_some(one));
  EXPECT_TRUE(rings(*a));
  a->disarm();
  EXPECT_TRUE(a->woken(true, {.input = false, .room = true}));
  EXPECT_FALSE(a->arm({.input = false, .room = true})) << "there is room";
}

TEST(SharedStream, AFullDoorbellHurtsNobody) {
  auto parts = parts_of();
  const Descriptor socket = copy_of(parts.sockets[1]);
  const auto a = adopted(parts, Side::first), b = adopted(parts, Side::second);
  while (send(socket.get(), "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) {
  }
  ASSERT_TRUE(a->arm({}));
  write_text(*b, "data");
  a->disarm();
  EXPECT_TRUE(a->woken(true, {}));
  EXPECT_EQ(read_text(*a), "data");
}

TEST(SharedStream, AdoptsOnlyWhatFits) {
  const auto refusal = [](Descriptor memory) -> std::string {
    auto parts = parts_of();
    const auto stream = SharedStream::adopt(std::move(memory), std::move(parts.sockets[0]), Side::first);
    return stream ? "" : stream.error().message;
  };
  const auto raw = [](off_t size, int seals) {
    Descriptor memory(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    EXPECT_EQ(ftruncate(memory.get(), size), 0);
    EXPECT_EQ(fcntl(memory.get(), F_ADD_SEALS, seals), 0);
    return memory;
  };
  constexpr int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const std::string prefix = "the shared memory cannot be used: ";
  EXPECT_EQ(refusal(std::move(parts_of().memory)), "");
  EXPECT_EQ(refusal(raw(kData + 8192, F_SEAL_GROW | F_SEAL_SEAL)), prefix + "its size is not sealed");
  EXPECT_EQ(refusal(raw(100, all)), prefix + "its size is out of bounds");
  EXPECT_EQ(refusal(raw(off_t{1} << 40, all)), prefix + "its size is out of bounds");
  EXPECT_EQ(refusal(raw(kData + 8192, all)), prefix + "its header is not valid");
  const auto damaged = [&](std::size_t offset, std::string_view bytes) {
    auto parts = parts_of();
    Partner(parts.memory).put_bytes(offset, bytes);
    return refusal(std::move(parts.memory));
  };
  EXPECT_EQ(damaged(0, "X"), prefix + "its header is not valid");
  EXPECT_EQ(damaged(8, "\x02"), prefix + "its layout differs");
  EXPECT_EQ(damaged(12, "\x08"), prefix + "its layout differs");
  EXPECT_EQ(damaged(16, "\x01"), prefix + "its capacity does not match its size");
  EXPECT_EQ(damaged(17, "\x20"), prefix + "its capacity does not match its size");
  EXPECT_EQ(damaged(23, "\x80"), prefix + "its capacity does not match its size");
  // No memory at all, and a file that cannot be sealed.
  EXPECT_NE(refusal(Descriptor()), "");
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const Descriptor other_end(pipe_ends[1]);
  EXPECT_NE(refusal(Descriptor(pipe_ends[0])), "");
}

TEST(SharedStream, CapacityIsAPowerOfTwo) {
  for (const auto& [asked, given] : {std::pair<std::size_t, std::size_t>{1, 4096}, {5000, 8192}, {65536, 65536}}) {
    auto parts = parts_of(asked);
    const auto stream = adopted(parts, Side::first);
    const auto count = stream->write_some(bytes_of(std::string(100000, 'x')));
    ASSERT_TRUE(count);
    EXPECT_EQ(*count, given);
  }
}

TEST(SharedStream, AKilledPartnerIsFoundWithAllItWrote) {
  auto parts = parts_of();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    parts.sockets[0].reset();
    auto stream = SharedStream::adopt(std::move(parts.memory), std::move(parts.sockets[1]), Side::second);
    (void)(*stream)->write_some(bytes_of("last words"));
    raise(SIGKILL);
  }
  parts.sockets[1].reset();
  const auto stream = adopted(parts, Side::first);
  // Sleeps as Waiter does: the end wakes like a doorbell.
  std::string text;
  for (;;) {
    std::array<std::byte, 100> bytes{};
    const auto count = stream->read_some(bytes);
    if (!count) {
      EXPECT_EQ(count.error().code, core::ErrorCode::peer_lost);
      break;
    }
    text += text_of(std::span(bytes).first(*count));
    if (*count > 0 || !stream->arm({})) continue;
    Waiter waiter;
    (void)waiter.add(stream->waitable({}));
    ASSERT_EQ(*waiter.wait(Until::in(std::chrono::minutes(1))), Waiter::Outcome::ready);
    stream->disarm();
    (void)stream->woken(true, {});
  }
  EXPECT_EQ(text, "last words");
  const auto count = stream->write_some(bytes_of("x"));
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code, core::ErrorCode::peer_lost);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
}

}  // namespace shared_stream_test
}  // namespace tieline::transport
