#pragma once

#include <memory>
#include <string>
#include <utility>

#include "transport/frame.hpp"
#include "transport/stream.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {

/// A stream with its frames, for who talks to one partner and waits for it. One thread.
class Connection {
 public:
  /// `partner` is how errors call it: "the master", "component 'rotor'".
  Connection(std::unique_ptr<Stream> stream, std::string partner, WaiterOptions options = {},
             std::size_t largest_payload = kLargestPayload);

  /// Frames to be sent are put there, and go with the next `flush` or `receive`.
  [[nodiscard]] FrameWriter& writer() { return writer_; }
  [[nodiscard]] FrameReader& reader() { return reader_; }
  [[nodiscard]] Stream& stream() { return *stream_; }
  [[nodiscard]] const std::string& partner() const { return partner_; }

  /// Waits until all is written; what comes meanwhile is taken in, so that two who write to each other both continue.
  [[nodiscard]] core::Result<void> flush(const Until& until);
  /// Waits for the next frame, and writes meanwhile what is to be written.
  [[nodiscard]] core::Result<Frame> receive(const Until& until);
  void close() { stream_->close(); }
  /// Gives the stream away, with what may have been read of the next frame.
  [[nodiscard]] std::pair<std::unique_ptr<Stream>, FrameReader> release() && {
    return {std::move(stream_), std::move(reader_)};
  }

 private:
  [[nodiscard]] core::Result<void> wait(Interest interest, const Until& until);

  std::unique_ptr<Stream> stream_;
  std::string partner_;
  FrameReader reader_;
  FrameWriter writer_;
  Waiter waiter_;
  std::size_t place_;
};

/// The error of a wait that ended without the partner: which one it was, and why.
[[nodiscard]] core::Error wait_failed(Waiter::Outcome outcome, const std::string& partner);

}  // namespace tieline::transport
