#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "transport/attachment.hpp"
#include "transport/bytes.hpp"
#include "transport/stream.hpp"

namespace tieline::transport {

/// Before each payload: its size (u32), the type of the message (u16), and zero (u16, for later use) [bytes].
inline constexpr std::size_t kFrameHeaderSize = 8;
/// More than any message of a run needs; a snapshot may be large [bytes].
inline constexpr std::size_t kLargestPayload = std::size_t{256} << 20;
/// Attachments that travel beside one byte, and that may wait to be sent.
inline constexpr std::size_t kMostAttachments = 16;
inline constexpr std::size_t kMostWaitingAttachments = 2048;

/// One message: the payload is read with Decoder.
struct Frame {
  std::uint16_t type = 0;
  std::span<const std::byte> payload{};  ///< valid until the reader's next call
};

/// Why a stream of frames cannot be read on.
enum class FrameFault {
  none,
  oversized,      ///< a payload larger than the limit was announced
  reserved_bits,  ///< the reserved field of a header is not zero: this is not our protocol, or a later one
  truncated,      ///< the stream ended inside a frame
};

/// Takes frames out of a stream, in however many pieces they come. What a partner announces is checked before
/// anything is allocated for it, and memory grows only as bytes arrive; once grown it is kept.
///
/// Call `next` until it has no frame, then wait for the stream. After an error the reader stays failed.
class FrameReader {
 public:
  explicit FrameReader(std::size_t largest_payload = kLargestPayload) : largest_payload_(largest_payload) {}

  /// The next whole frame, or none so far. Errors: what the stream returns, or `protocol` with `fault` set.
  [[nodiscard]] core::Result<std::optional<Frame>> next(Stream& stream);
  /// Takes in what has come without handing out a frame, so that a partner which waits for room continues; false if
  /// as much waits here as the largest frame.
  [[nodiscard]] core::Result<bool> pull(Stream& stream);
  [[nodiscard]] FrameFault fault() const { return fault_; }
  /// For frames that are still to come.
  void set_largest_payload(std::size_t bytes) { largest_payload_ = bytes; }
  /// Whether part of a frame has come, and its rest is awaited.
  [[nodiscard]] bool is_inside_frame() const { return end_ != begin_; }
  /// Bytes that have come since the beginning: also those of a frame whose rest is awaited are a sign of life.
  [[nodiscard]] std::uint64_t received() const { return received_; }

 private:
  [[nodiscard]] std::optional<Frame> take_frame();
  [[nodiscard]] core::Error fail(FrameFault fault, std::size_t announced = 0);
  /// Makes room behind what has come, in the end for a frame or more of so many bytes.
  void make_room(std::size_t needed);

  std::size_t largest_payload_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;         ///< first byte not handed out
  std::size_t end_ = 0;           ///< behind the last byte that has come
  std::size_t payload_size_ = 0;  ///< announced by the header at begin_, once it is there
  std::uint64_t received_ = 0;
  FrameFault fault_ = FrameFault::none;
};

/// Collects frames, and hands them to a stream as far as it takes them.
///
/// Call order: `begin`, fill in the payload, `end`, any number of times; `flush` until it says that all is written.
class FrameWriter {
 public:
  /// The most bytes that may wait for a stream, headers included: a partner that does not read is noticed.
  explicit FrameWriter(std::size_t most_pending = 2 * kLargestPayload) : most_pending_(most_pending) {}

  /// Opens a frame; its payload goes through the encoder.
  [[nodiscard]] Encoder begin(std::uint16_t type);
  /// Closes it. A frame that is too large, or too much beside what still waits, is dropped with an error.
  [[nodiscard]] core::Result<void> end();
  /// What goes with the frame being written: it arrives no later than the frame's end, and in order.
  [[nodiscard]] core::Result<void> attach(Attachment attachment);
  /// Writes as much as the stream takes; true if nothing is left.
  [[nodiscard]] core::Result<bool> flush(Stream& stream);

  /// Bytes that wait for the stream.
  [[nodiscard]] std::size_t pending() const { return buffer_.size() - written_; }
  [[nodiscard]] bool has_pending() const { return buffer_.size() != written_; }
  /// Forgets whatever waits.
  void clear();

 private:
  std::size_t most_pending_;
  ByteBuffer buffer_;
  std::size_t written_ = 0;  ///< bytes at the front that the stream has taken
  std::size_t open_ = 0;     ///< where the open frame's header begins
  std::vector<Attachment> attachments_;
  std::size_t open_attachments_ = 0;  ///< those of earlier frames
};

}  // namespace tieline::transport
