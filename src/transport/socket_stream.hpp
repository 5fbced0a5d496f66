#pragma once

#include <deque>

#include "transport/stream.hpp"

namespace tieline::transport {

struct SocketOptions {
  /// Descriptors of the partner that may wait to be taken; those beyond are closed. 0: none are accepted.
  std::size_t most_descriptors = 0;
};

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
                                                     std::span<const int> descriptors) override;
  [[nodiscard]] core::Result<std::size_t> read_some(std::span<std::byte> bytes) override;
  [[nodiscard]] Descriptor take_descriptor() override;

  [[nodiscard]] int descriptor() const override { return socket_.get(); }
  [[nodiscard]] short poll_events(Interest interest) const override;
  [[nodiscard]] bool arm(Interest) override { return static_cast<bool>(socket_); }
  void disarm() override {}
  [[nodiscard]] bool woken(short events, Interest interest) override;
  void close() override;

 private:
  SocketStream(Descriptor socket, SocketOptions options) : socket_(std::move(socket)), options_(options) {}
  [[nodiscard]] core::Result<std::size_t> receive(std::span<std::byte> bytes);

  Descriptor socket_;
  SocketOptions options_;
  /// The last read found less than it asked for: the next one would find nothing, and is left out once.
  bool is_drained_ = false;
  std::deque<Descriptor> received_;
};

}  // namespace tieline::transport
