#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "transport/descriptor.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {

/// Where somebody listens. As text: "local:NAME" (a Unix-domain socket in the abstract namespace, so there is no file)
/// or "tcp:HOST:PORT" (an IPv6 address in brackets).
struct Endpoint {
  enum class Kind { local, tcp };
  Kind kind = Kind::local;
  std::string name{};      ///< of the local socket, or the host
  std::uint16_t port = 0;  ///< TCP; 0 asks for any when listening

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Endpoint> parse(std::string_view text);
};

/// Awaits connections. `descriptor` is readable when one has come.
class Listener {
 public:
  /// On this machine, under a name that nobody can guess.
  [[nodiscard]] static core::Result<Listener> local();
  /// At a numeric address of this machine, by default one that other machines cannot reach; port 0 is any free one.
  [[nodiscard]] static core::Result<Listener> tcp(const std::string& address = "127.0.0.1", std::uint16_t port = 0);

  /// At an address or name of this machine that others may reach, at the first free port of these (0: any).
  [[nodiscard]] static core::Result<Listener> tcp_at(const std::string& address, std::uint16_t first_port,
                                                     std::uint16_t last_port);

  /// Where it listens; the port is the one that was given.
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] int descriptor() const { return socket_.get(); }
  /// The next connection, or none now. A connection that its partner has given up is passed over.
  [[nodiscard]] core::Result<std::optional<Descriptor>> accept();

 private:
  /// With the port that the system has given.
  [[nodiscard]] static core::Result<Listener> adopt(Descriptor socket, Endpoint endpoint);
  Listener(Descriptor socket, Endpoint endpoint) : socket_(std::move(socket)), endpoint_(std::move(endpoint)) {}

  Descriptor socket_;
  Endpoint endpoint_;
};

/// Connects, trying again while nobody listens there yet. Errors: deadline, cancelled, or why it cannot be. Names of
/// hosts are looked up by the system, which takes its own time.
[[nodiscard]] core::Result<Descriptor> connect_to(const Endpoint& endpoint, const Until& until);

}  // namespace tieline::transport
