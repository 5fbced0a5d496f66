#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

#include "transport/endpoint.hpp"
#include "transport/socket_stream.hpp"
#include "transport/stream_factory.hpp"

namespace tieline::transport {

/// A door whose streams are sockets. Where a user is stated, processes of all others are closed before anything is read
/// or written: the system knows at a local socket who has connected.
class SocketDoor final : public Door {
 public:
  explicit SocketDoor(Listener listener, std::optional<uid_t> user = std::nullopt)
      : listener_(std::move(listener)), address_(listener_.endpoint().text()), user_(user) {}
  SocketDoor(Listener listener, SocketOptions options)
      : listener_(std::move(listener)), address_(listener_.endpoint().text()), options_(options) {}

  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] Waitable waitable() const override { return Waitable(listener_.descriptor()); }
  [[nodiscard]] core::Result<std::unique_ptr<Stream>> accept() override;
  [[nodiscard]] std::size_t closed_to_others() const override { return closed_to_others_; }

 private:
  Listener listener_;
  std::string address_;
  std::optional<uid_t> user_;
  SocketOptions options_{};
  std::size_t closed_to_others_ = 0;
};

/// A stream to a socket's endpoint; its kind must be this one.
[[nodiscard]] core::Result<std::unique_ptr<Stream>> connect_socket(Endpoint::Kind kind, const std::string& address,
                                                                   const ConnectOptions& options, const Until& until);

/// Whether a text is an endpoint of this kind.
[[nodiscard]] bool is_endpoint(Endpoint::Kind kind, std::string_view address);

}  // namespace tieline::transport
