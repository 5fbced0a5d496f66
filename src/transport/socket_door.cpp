#include "transport/socket_door.hpp"

#include <sys/socket.h>

#include "transport/socket_stream.hpp"

namespace tieline::transport {

namespace {

// Processes of others that are closed before anything else is done.
constexpr std::size_t kMostAtOnce = 256;

/// Whose process is at the other end of a local socket.
std::optional<uid_t> user_at(const Descriptor& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace

core::Result<std::unique_ptr<Stream>> SocketDoor::accept() {
  for (const std::size_t before = closed_to_others_; closed_to_others_ - before < kMostAtOnce;) {
    auto socket = listener_.accept();
    if (!socket) return std::move(socket.error());
    if (!*socket) return std::unique_ptr<Stream>();
    if (user_ && user_at(**socket) != user_) {
      ++closed_to_others_;
      continue;
    }
    // One that cannot be set up is one that has gone again.
    auto stream = SocketStream::adopt(std::move(**socket), options_);
    if (stream) return std::unique_ptr<Stream>(std::move(*stream));
  }
  return std::unique_ptr<Stream>();
}

core::Result<std::unique_ptr<Stream>> connect_socket(Endpoint::Kind kind, const std::string& address,
                                                     const ConnectOptions& options, const Until& until) {
  const auto endpoint = Endpoint::parse(address);
  if (!endpoint || endpoint->kind != kind) return cannot_read_address(address);
  auto socket = connect_to(*endpoint, until);
  if (!socket) return std::move(socket.error());
  auto stream = SocketStream::adopt(
      std::move(*socket), {.most_attachments = options.most_attachments, .notices_breaks = options.notices_breaks});
  if (!stream) return std::move(stream.error());
  return std::unique_ptr<Stream>(std::move(*stream));
}

bool is_endpoint(Endpoint::Kind kind, std::string_view address) {
  const auto endpoint = Endpoint::parse(address);
  return endpoint && endpoint->kind == kind && address.find(' ') == std::string_view::npos;
}

}  // namespace tieline::transport
