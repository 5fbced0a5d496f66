#include "transport/socket_door.hpp"

#include "transport/socket_stream.hpp"

namespace tieline::transport {

core::Result<std::unique_ptr<Stream>> SocketDoor::accept() {
  for (;;) {
    auto socket = listener_.accept();
    if (!socket) return std::move(socket.error());
    if (!*socket) return std::unique_ptr<Stream>();
    // One that cannot be set up is one that has gone again.
    auto stream = SocketStream::adopt(std::move(**socket));
    if (stream) return std::unique_ptr<Stream>(std::move(*stream));
  }
}

core::Result<std::unique_ptr<Stream>> connect_socket(Endpoint::Kind kind, const std::string& address,
                                                     const ConnectOptions& options, const Until& until) {
  const auto endpoint = Endpoint::parse(address);
  if (!endpoint || endpoint->kind != kind) return cannot_read_address(address);
  auto socket = connect_to(*endpoint, until);
  if (!socket) return std::move(socket.error());
  auto stream = SocketStream::adopt(std::move(*socket), {.most_attachments = options.most_attachments});
  if (!stream) return std::move(stream.error());
  return std::unique_ptr<Stream>(std::move(*stream));
}

bool is_endpoint(Endpoint::Kind kind, std::string_view address) {
  const auto endpoint = Endpoint::parse(address);
  return endpoint && endpoint->kind == kind && address.find(' ') == std::string_view::npos;
}

}  // namespace tieline::transport
