#pragma once

#include <cstddef>
#include <span>

#include "core/result.hpp"
#include "transport/attachment.hpp"
#include "transport/waitable.hpp"

namespace tieline::transport {

/// What is waited for at a stream. Its end always counts.
struct Interest {
  bool input = true;
  bool room = false;  ///< for writing; to be asked for only while something is to be written
};

/// A sequence of bytes to a partner and one from it; no call waits. Waiter waits for several.
///
/// Going to sleep without missing anything takes three calls: `arm` notifies the partner that it must wake us, and says
/// no where there is something to do already; then sleep until `waitable` is ready; then `disarm`, and `woken` with
/// whether it was. One thread owns a stream; its partner is another thread or process.
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// Takes as many bytes as there is room for now, and returns how many; peer_lost once the partner is gone.
  [[nodiscard]] virtual core::Result<std::size_t> write_some(std::span<const std::byte> bytes) = 0;
  /// The same, with attachments that travel beside the first byte: all of them go where at least one byte went, and
  /// none otherwise. The caller keeps its own. Only streams within one machine can; others return an error.
  [[nodiscard]] virtual core::Result<std::size_t> write_with(std::span<const std::byte> bytes,
                                                             std::span<const Attachment> attachments);
  /// Fills in what has come, and returns how many bytes; 0 is nothing now. peer_lost once the partner is gone and all
  /// it had sent is read.
  [[nodiscard]] virtual core::Result<std::size_t> read_some(std::span<std::byte> bytes) = 0;
  /// The oldest attachment that came beside what has been read, or none.
  [[nodiscard]] virtual Attachment take_attachment() { return {}; }

  /// Whether looking at `has_input` again and again is worth while: a memory access, not a system call.
  [[nodiscard]] virtual bool can_spin() const { return false; }
  /// Whether bytes are known to be there; false may also mean that only the system knows.
  [[nodiscard]] virtual bool has_input() const { return false; }
  /// Whether there is known to be room for at least one byte.
  [[nodiscard]] virtual bool has_room() const { return false; }

  /// What becomes ready with what we wait for, and with the partner's end; never once closed.
  [[nodiscard]] virtual Waitable waitable(Interest interest) const = 0;
  /// Announces that we are about to sleep until there is what we wait for. False: it is there already (or the partner
  /// is gone), and nothing was announced.
  [[nodiscard]] virtual bool arm(Interest interest) = 0;
  virtual void disarm() = 0;
  /// Takes note of whether `waitable` was ready; true if reading or writing is worth a try.
  [[nodiscard]] virtual bool woken(bool is_ready, Interest interest) = 0;

  /// Whether the partner's end is known to be gone, also behind bytes that were not read.
  [[nodiscard]] virtual bool is_cut() const { return false; }

  /// Ends both directions; the partner reads what was written, and then finds us gone.
  virtual void close() = 0;
};

}  // namespace tieline::transport
