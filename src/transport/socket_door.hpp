#pragma once

#include <memory>
#include <string>
#include <utility>

#include "transport/endpoint.hpp"
#include "transport/stream_factory.hpp"

namespace tieline::transport {

/// A door whose streams are sockets.
class SocketDoor final : public Door {
 public:
  explicit SocketDoor(Listener listener) : listener_(std::move(listener)), address_(listener_.endpoint().text()) {}

  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] Waitable waitable() const override { return Waitable(listener_.descriptor()); }
  [[nodiscard]] core::Result<std::unique_ptr<Stream>> accept() override;

 private:
  Listener listener_;
  std::string address_;
};

/// A stream to a socket's endpoint; its kind must be this one.
[[nodiscard]] core::Result<std::unique_ptr<Stream>> connect_socket(Endpoint::Kind kind, const std::string& address,
                                                                   const ConnectOptions& options, const Until& until);

/// Whether a text is an endpoint of this kind.
[[nodiscard]] bool is_endpoint(Endpoint::Kind kind, std::string_view address);

}  // namespace tieline::transport
