#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <utility>

#include "transport/descriptor.hpp"
#include "transport/stream.hpp"

namespace tieline::transport {

struct SocketOptions {
  /// Attachments of the partner that may wait to be taken; those beyond are closed. 0: none are accepted.
  std::size_t most_attachments = 0;
  /// Of TCP: a partner that cannot be reached for kSilentTime is an error, although nobody has closed the connection.
  bool notices_breaks = false;
};

/// See `notices_breaks`.
inline constexpr std::chrono::seconds kSilentTime{10};

/// A connected stream socket, TCP or Unix-domain. Small messages leave at once (no Nagle delay).
class SocketStream final : public Stream {
 public:
  /// Takes a connected socket.
  [[nodiscard]] static core::Result<std::unique_ptr<SocketStream>> adopt(Descriptor socket, SocketOptions options = {});
  /// Two connected ends in this process, of Unix-domain sockets.
  [[nodiscard]] static core::Result<std::pair<std::unique_ptr<SocketStream>, std::unique_ptr<SocketStream>>> pair(
      SocketOptions options = {});

  [[nodiscard]] core::Result<std::size_t> write_some(std::span<const std::byte> bytes) override;
  [[nodiscard]] core::Result<std::size_t> write_with(std::span<const std::byte> bytes,
                                                     std::span<const Attachment> attachments) override;
  [[nodiscard]] core::Result<std::size_t> read_some(std::span<std::byte> bytes) override;
  [[nodiscard]] Attachment take_attachment() override;

  [[nodiscard]] Waitable waitable(Interest interest) const override;
  [[nodiscard]] bool arm(Interest) override { return static_cast<bool>(socket_); }
  void disarm() override {}
  [[nodiscard]] bool woken(bool is_ready, Interest interest) override;
  [[nodiscard]] bool is_cut() const override;
  void close() override;

 private:
  SocketStream(Descriptor socket, SocketOptions options) : socket_(std::move(socket)), options_(options) {}
  [[nodiscard]] core::Result<std::size_t> receive(std::span<std::byte> bytes);

  Descriptor socket_;
  SocketOptions options_;
  /// The last read found less than it asked for: the next one would find nothing, and is left out once.
  bool is_drained_ = false;
  std::deque<Attachment> received_;
};

}  // namespace tieline::transport
