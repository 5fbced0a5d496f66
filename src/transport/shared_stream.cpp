#include "transport/shared_stream.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tieline::transport {
namespace {

constexpr std::array<char, 8> kMemoryMagic{'T', 'I', 'E', 'L', 'I', 'N', 'E', 'M'};
constexpr std::uint32_t kLayoutVersion = 1;
/// Where the bytes of the first ring begin: a page boundary on all machines that we know [bytes].
constexpr std::size_t kDataOffset = std::size_t{64} << 10;
/// Nobody may change the memory's size, or its seals.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
/// So many reads that find nothing before the doorbell, a system call, is looked at: a partner's end is found even by
/// who never waits.
constexpr unsigned kIdleReads = 64;

/// A partner that rings without end does not keep us here.
constexpr int kMostDrains = 16;

/// The beginning of the memory.
struct SharedHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t data_offset;
  std::uint64_t capacity;  ///< of each ring [bytes]
  RingControl rings[2];    ///< by the side that writes
};
static_assert(sizeof(SharedHeader) <= kDataOffset);

std::size_t total_size(std::size_t capacity) { return kDataOffset + 2 * capacity; }

core::Error unusable(const char* why) {
  return {.code = core::ErrorCode::protocol, .message = std::string("the shared memory cannot be used: ") + why};
}

core::Error peer_lost() { return {.code = core::ErrorCode::peer_lost, .message = "the partner is gone"}; }

}  // namespace

/// The mapped memory of a stream.
class SharedMemory {
 public:
  static core::Result<std::shared_ptr<SharedMemory>> map(const Descriptor& memory) {
    struct stat status {};
    if (::fstat(memory.get(), &status) < 0) return system_error("looking at shared memory");
    // Sealed first: a size that may still shrink is no size, and touching lost pages would kill us.
    const int seals = ::fcntl(memory.get(), F_GET_SEALS);
    if (seals < 0 || (seals & kSeals) != kSeals) return unusable("its size is not sealed");
    if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) < total_size(kLeastRingCapacity) ||
        static_cast<std::size_t>(status.st_size) > total_size(kLargestRingCapacity)) {
      return unusable("its size is out of bounds");
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const address = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
    if (address == MAP_FAILED) return system_error("mapping shared memory");
    const std::shared_ptr<SharedMemory> mapped(new SharedMemory(address, size));
    // Read once: the partner could change it between the check and the use.
    SharedHeader& header = mapped->header();
    const auto capacity = std::atomic_ref(header.capacity).load(std::memory_order_relaxed);
    if (header.magic != kMemoryMagic) return unusable("its header is not valid");
    if (header.version != kLayoutVersion || header.data_offset != kDataOffset) return unusable("its layout differs");
    if (!std::has_single_bit(capacity) || capacity < kLeastRingCapacity || capacity > kLargestRingCapacity ||
        total_size(capacity) != size) {
      return unusable("its capacity does not match its size");
    }
    mapped->capacity_ = capacity;
    return mapped;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { ::munmap(address_, size_); }

  [[nodiscard]] RingControl& control(std::size_t ring) { return header().rings[ring]; }
  [[nodiscard]] std::byte* data(std::size_t ring) {
    return static_cast<std::byte*>(address_) + kDataOffset + ring * capacity_;
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  SharedMemory(void* address, std::size_t size) : address_(address), size_(size) {}
  SharedHeader& header() { return *std::launder(static_cast<SharedHeader*>(address_)); }

  void* address_;
  std::size_t size_;
  std::size_t capacity_ = 0;
};

core::Result<SharedParts> make_shared_parts(std::size_t capacity) {
  capacity = std::bit_ceil(std::clamp(capacity, kLeastRingCapacity, kLargestRingCapacity));
  SharedParts parts;
  parts.memory = Descriptor(::memfd_create("tieline", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!parts.memory) return system_error("making shared memory");
  // The file's holes read as zeros: both rings are empty and nobody sleeps.
  if (::ftruncate(parts.memory.get(), static_cast<off_t>(total_size(capacity))) < 0) {
    return system_error("sizing shared memory");
  }
  SharedHeader header{};
  header.magic = kMemoryMagic;
  header.version = kLayoutVersion;
  header.data_offset = kDataOffset;
  header.capacity = capacity;
  if (::pwrite(parts.memory.get(), &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header)) {
    return system_error("writing shared memory");
  }
  if (::fcntl(parts.memory.get(), F_ADD_SEALS, kSeals) < 0) return system_error("sealing shared memory");
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) < 0) {
    return system_error("connecting processes through shared memory");
  }
  parts.sockets = {Descriptor(ends[0]), Descriptor(ends[1])};
  return parts;
}

core::Result<std::unique_ptr<SharedStream>> SharedStream::adopt(Descriptor memory, Descriptor socket, Side side) {
  auto mapped = SharedMemory::map(memory);
  if (!mapped) return std::move(mapped.error());
  if (auto ready = make_nonblocking(socket); !ready) return std::move(ready.error());
  return std::unique_ptr<SharedStream>(new SharedStream(std::move(*mapped), std::move(socket), side));
}

core::Result<std::array<std::unique_ptr<SharedStream>, 2>> SharedStream::pair(std::size_t capacity) {
  auto parts = make_shared_parts(capacity);
  if (!parts) return std::move(parts.error());
  auto mapped = SharedMemory::map(parts->memory);
  if (!mapped) return std::move(mapped.error());
  std::array<std::unique_ptr<SharedStream>, 2> ends;
  for (const Side side : {Side::first, Side::second}) {
    const auto index = static_cast<std::size_t>(side);
    ends[index].reset(new SharedStream(*mapped, std::move(parts->sockets[index]), side));
  }
  return ends;
}

SharedStream::SharedStream(std::shared_ptr<SharedMemory> memory, Descriptor socket, Side side)
    : memory_(std::move(memory)), socket_(std::move(socket)) {
  const auto ours = static_cast<std::size_t>(side);
  writer_ = RingWriter(memory_->control(ours), memory_->data(ours), memory_->capacity());
  reader_ = RingReader(memory_->control(1 - ours), memory_->data(1 - ours), memory_->capacity());
}

SharedStream::~SharedStream() { close(); }

core::Result<std::size_t> SharedStream::write_some(std::span<const std::byte> bytes) {
  if (is_gone_) return peer_lost();
  auto count = writer_.write(bytes);
  if (count && *count > 0 && writer_.must_wake()) ring_doorbell();
  return count;
}

core::Result<std::size_t> SharedStream::read_some(std::span<std::byte> bytes) {
  if (!socket_) return peer_lost();
  auto count = reader_.read(bytes);
  if (!count) return count;
  if (*count > 0) {
    idle_reads_ = 0;
    writer_.prepare();
    if (reader_.must_wake()) ring_doorbell();
    return count;
  }
  if (bytes.empty()) return count;
  if (!is_gone_ && ++idle_reads_ >= kIdleReads) look_at_doorbell();
  if (!is_gone_) return count;
  // What the partner wrote before its end is read first.
  count = reader_.read(bytes);
  if (count && *count == 0) return peer_lost();
  return count;
}

bool SharedStream::arm(Interest interest) {
  if (is_gone_) return false;
  if (interest.input && !reader_.arm()) return false;
  if (interest.room && !writer_.arm()) {
    if (interest.input) reader_.disarm();
    return false;
  }
  armed_ = interest;
  return true;
}

void SharedStream::disarm() {
  if (armed_.input) reader_.disarm();
  if (armed_.room) writer_.disarm();
  armed_ = {.input = false, .room = false};
}

bool SharedStream::woken(bool is_ready, Interest interest) {
  if (is_ready) look_at_doorbell();
  return is_gone_ || (interest.input && has_input()) || (interest.room && has_room());
}

void SharedStream::look_at_doorbell() {
  idle_reads_ = 0;
  std::array<std::byte, 64> rings;
  for (int i = 0; i < kMostDrains; ++i) {
    const ssize_t count = ::recv(socket_.get(), rings.data(), rings.size(), MSG_DONTWAIT);
    if (count == static_cast<ssize_t>(rings.size())) continue;
    if (count > 0) return;  // an end that stands behind the rings is found at the next look
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    is_gone_ = true;
    return;
  }
}

void SharedStream::ring_doorbell() {
  const std::byte ring{1};
  ssize_t count = 0;
  do {
    count = ::send(socket_.get(), &ring, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  // A full doorbell rings already; any other failure means that nobody is there to hear it.
  if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK) is_gone_ = true;
}

void SharedStream::close() {
  if (socket_) ::shutdown(socket_.get(), SHUT_RDWR);
  socket_.reset();
  is_gone_ = true;
}

}  // namespace tieline::transport
