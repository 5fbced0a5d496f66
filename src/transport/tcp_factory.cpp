#include "transport/tcp_factory.hpp"

#include "transport/socket_door.hpp"

namespace tieline::transport {
namespace {

class TcpFactory final : public StreamFactory {
 public:
  [[nodiscard]] std::string_view name() const override { return "tcp"; }
  [[nodiscard]] std::string_view address_form() const override { return "tcp:HOST:PORT"; }
  [[nodiscard]] bool reads(std::string_view address) const override {
    return is_endpoint(Endpoint::Kind::tcp, address);
  }
  [[nodiscard]] core::Result<std::unique_ptr<Door>> open_door() const override {
    auto listener = Listener::tcp();
    if (!listener) return std::move(listener.error());
    return std::unique_ptr<Door>(std::make_unique<SocketDoor>(std::move(*listener)));
  }
  [[nodiscard]] core::Result<std::unique_ptr<Door>> open_door_at(const DoorPlace& place) const override {
    auto listener = Listener::tcp_at(place.address, place.first_port, place.last_port);
    if (!listener) return std::move(listener.error());
    return std::unique_ptr<Door>(
        std::make_unique<SocketDoor>(std::move(*listener), SocketOptions{.notices_breaks = true}));
  }
  [[nodiscard]] core::Result<std::unique_ptr<Stream>> connect(const std::string& address, const ConnectOptions& options,
                                                              const Until& until) const override {
    return connect_socket(Endpoint::Kind::tcp, address, options, until);
  }
};

}  // namespace

const StreamFactory& tcp_factory() {
  static const TcpFactory factory;
  return factory;
}

}  // namespace tieline::transport
