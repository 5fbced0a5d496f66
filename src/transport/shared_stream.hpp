#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "transport/byte_ring.hpp"
#include "transport/descriptor.hpp"
#include "transport/stream.hpp"

namespace tieline::transport {

/// Bytes that each direction of a shared-memory stream holds, where nothing else is asked for.
inline constexpr std::size_t kDefaultRingCapacity = std::size_t{64} << 10;
inline constexpr std::size_t kLeastRingCapacity = std::size_t{4} << 10;
inline constexpr std::size_t kLargestRingCapacity = std::size_t{64} << 20;

/// Which of the two ends: side 0 writes into ring 0 and reads ring 1, side 1 the reverse.
enum class Side : std::uint8_t { first = 0, second = 1 };

/// What the two ends of a shared-memory stream are made of: the memory, for both, and an end of a socket pair for
/// each. They may be passed to other processes; nothing of it has a name, so nothing is left behind by a process that
/// is killed.
struct SharedParts {
  Descriptor memory{};
  std::array<Descriptor, 2> sockets{};  ///< by side
};

/// Makes them; the memory is sealed, so that it never changes its size under anybody. The capacity is rounded up to a
/// power of two within the limits.
[[nodiscard]] core::Result<SharedParts> make_shared_parts(std::size_t capacity = kDefaultRingCapacity);

class SharedMemory;

/// Two rings of bytes in memory that two processes share, with a Unix-domain socket beside them: a byte in it is the
/// doorbell for a partner that has announced sleep, its end means that the partner is gone. As long as nobody sleeps
/// there are no system calls. (Layout: docs/protocol.md.) One thread may write while another reads and waits for input.
class SharedStream final : public Stream {
 public:
  /// One end, from what another process has sent: size, seals and header of the memory are checked.
  [[nodiscard]] static core::Result<std::unique_ptr<SharedStream>> adopt(Descriptor memory, Descriptor socket,
                                                                         Side side);
  /// Both ends in this process.
  [[nodiscard]] static core::Result<std::array<std::unique_ptr<SharedStream>, 2>> pair(
      std::size_t capacity = kDefaultRingCapacity);
  ~SharedStream() override;

  [[nodiscard]] core::Result<std::size_t> write_some(std::span<const std::byte> bytes) override;
  [[nodiscard]] core::Result<std::size_t> read_some(std::span<std::byte> bytes) override;
  [[nodiscard]] bool can_spin() const override { return true; }
  [[nodiscard]] bool has_input() const override { return is_gone_ || reader_.has_input(); }
  [[nodiscard]] bool has_room() const override { return is_gone_ || writer_.has_room(); }
  [[nodiscard]] Waitable waitable(Interest) const override { return Waitable(socket_.get()); }
  [[nodiscard]] bool arm(Interest interest) override;
  void disarm() override;
  [[nodiscard]] bool woken(bool is_ready, Interest interest) override;
  void close() override;

 private:
  SharedStream(std::shared_ptr<SharedMemory> memory, Descriptor socket, Side side);
  /// Empties the doorbell, and finds out whether the partner is gone.
  void look_at_doorbell();
  void ring_doorbell();

  /// Shared, since two ends in one process use one mapping (and the thread sanitizer then sees both).
  std::shared_ptr<SharedMemory> memory_;
  Descriptor socket_;
  RingWriter writer_;
  RingReader reader_;
  std::atomic<bool> is_gone_{false};  ///< found by whoever looks first
  Interest armed_{.input = false, .room = false};
  unsigned idle_reads_ = 0;  ///< reads that found nothing since the doorbell was last looked at
};

}  // namespace tieline::transport
