#include "transport/endpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "transport/token.hpp"

namespace tieline::transport {
namespace {

/// Connections that may wait to be accepted: as many as the system allows, so that hundreds of participants may come at
/// once, and somebody else's connections fill no queue.
constexpr int kBacklog = SOMAXCONN;
/// Between two attempts to connect.
constexpr std::chrono::milliseconds kRetryInterval{5};

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

core::Error bad_endpoint(const Endpoint& endpoint, const std::string& why) {
  return {.code = core::ErrorCode::bad_input, .message = "'" + endpoint.text() + "' is not an address: " + why};
}

core::Result<Address> local_address(const Endpoint& endpoint) {
  sockaddr_un name{};
  // The first byte of an abstract name is zero.
  if (endpoint.name.empty() || endpoint.name.size() + 1 > sizeof name.sun_path) {
    return bad_endpoint(endpoint, "a name has 1 to " + std::to_string(sizeof name.sun_path - 1) + " characters");
  }
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path + 1, endpoint.name.data(), endpoint.name.size());
  Address address;
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + endpoint.name.size());
  std::memcpy(&address.storage, &name, address.size);
  return address;
}

core::Result<Address> tcp_address(const Endpoint& endpoint, bool is_numeric) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (is_numeric ? AI_NUMERICHOST : 0);
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(endpoint.name.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (failure != 0) return bad_endpoint(endpoint, ::gai_strerror(failure));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  Address address;
  address.size = found->ai_addrlen;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  return address;
}

core::Result<Address> address_of(const Endpoint& endpoint, bool is_numeric) {
  return endpoint.kind == Endpoint::Kind::local ? local_address(endpoint) : tcp_address(endpoint, is_numeric);
}

core::Result<Descriptor> make_socket(const Address& address) {
  Descriptor socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return system_error("connecting processes");
  return socket;
}

core::Result<Descriptor> listen_at(const Endpoint& endpoint, bool is_numeric = true) {
  const auto address = address_of(endpoint, is_numeric);
  if (!address) return address.error();
  auto socket = make_socket(*address);
  if (!socket) return socket;
  const int on = 1;
  if (endpoint.kind == Endpoint::Kind::tcp) {
    // A port is free for the next run at once.
    (void)::setsockopt(socket->get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  }
  if (::bind(socket->get(), address->get(), address->size) < 0 || ::listen(socket->get(), kBacklog) < 0) {
    return system_error(("listening at " + endpoint.text()).c_str());
  }
  return socket;
}

/// Waits until a connection that has begun is there; 0, or the reason why it failed.
core::Result<int> outcome_of_connecting(const Descriptor& socket, const Until& until) {
  Waiter waiter;
  (void)waiter.add(Waitable(socket.get(), POLLOUT));
  const auto outcome = waiter.wait(until);
  if (!outcome) return outcome.error();
  if (*outcome != Waiter::Outcome::ready) return ETIMEDOUT;
  int reason = 0;
  socklen_t size = sizeof reason;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &reason, &size) < 0) return system_error("connecting");
  return reason;
}

/// One attempt; 0, or the reason why it failed.
core::Result<int> try_to_connect(const Descriptor& socket, const Address& address, const Until& until) {
  if (::connect(socket.get(), address.get(), address.size) == 0) return 0;
  // An interrupted attempt continues by itself.
  if (errno == EINPROGRESS || errno == EINTR) return outcome_of_connecting(socket, until);
  return errno;
}

bool is_worth_another_try(int reason) {
  return reason == ECONNREFUSED || reason == EAGAIN || reason == ETIMEDOUT || reason == ECONNABORTED ||
         reason == ECONNRESET;
}

/// An empty wait before the next attempt; false if time is over.
core::Result<bool> pause_before_retry(const Until& until) {
  Waiter nobody;
  const auto outcome = nobody.wait(until.or_at(Clock::now() + kRetryInterval));
  if (!outcome) return outcome.error();
  if (*outcome == Waiter::Outcome::cancelled) {
    return core::Error{.code = core::ErrorCode::cancelled, .message = "cancelled while connecting"};
  }
  return Clock::now() < until.deadline;
}

}  // namespace

std::string Endpoint::text() const {
  if (kind == Kind::local) return "local:" + name;
  const bool is_version_6 = name.find(':') != std::string::npos;
  return "tcp:" + (is_version_6 ? "[" + name + "]" : name) + ":" + std::to_string(port);
}

std::optional<Endpoint> Endpoint::parse(std::string_view text) {
  constexpr std::string_view local = "local:", tcp = "tcp:";
  if (text.starts_with(local)) {
    text.remove_prefix(local.size());
    if (text.empty()) return std::nullopt;
    return Endpoint{Kind::local, std::string(text), 0};
  }
  if (!text.starts_with(tcp)) return std::nullopt;
  text.remove_prefix(tcp.size());
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  std::uint16_t port = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (host.empty() || failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return Endpoint{Kind::tcp, std::string(host), port};
}

core::Result<Listener> Listener::local() {
  const auto name = Token::random();
  if (!name) return name.error();
  Endpoint endpoint{Endpoint::Kind::local, "tieline-" + name->text(), 0};
  auto socket = listen_at(endpoint);
  if (!socket) return std::move(socket.error());
  return Listener(std::move(*socket), std::move(endpoint));
}

core::Result<Listener> Listener::tcp(const std::string& address, std::uint16_t port) {
  Endpoint endpoint{Endpoint::Kind::tcp, address, port};
  auto socket = listen_at(endpoint);
  if (!socket) return std::move(socket.error());
  return adopt(std::move(*socket), std::move(endpoint));
}

core::Result<Listener> Listener::tcp_at(const std::string& address, std::uint16_t first_port, std::uint16_t last_port) {
  for (unsigned port = first_port; port <= last_port; ++port) {
    Endpoint endpoint{Endpoint::Kind::tcp, address, static_cast<std::uint16_t>(port)};
    auto socket = listen_at(endpoint, false);
    if (socket) return adopt(std::move(*socket), std::move(endpoint));
    const bool is_taken = errno == EADDRINUSE || errno == EACCES;
    if (!is_taken || first_port == last_port) return std::move(socket.error());
  }
  return core::Error{.code = core::ErrorCode::input_output,
                     .message = "none of the ports " + std::to_string(first_port) + " to " + std::to_string(last_port) +
                                " of '" + address + "' is free"};
}

core::Result<Listener> Listener::adopt(Descriptor socket, Endpoint endpoint) {
  sockaddr_storage given{};
  socklen_t size = sizeof given;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&given), &size) < 0) return system_error("listening");
  // The port stands at the same place in both kinds of address.
  endpoint.port = ntohs(reinterpret_cast<const sockaddr_in&>(given).sin_port);
  return Listener(std::move(socket), std::move(endpoint));
}

core::Result<std::optional<Descriptor>> Listener::accept() {
  for (;;) {
    Descriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) return std::optional(std::move(socket));
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::optional<Descriptor>{};
    if (errno != EINTR && errno != ECONNABORTED) return system_error("accepting a connection");
  }
}

core::Result<Descriptor> connect_to(const Endpoint& endpoint, const Until& until) {
  const auto address = address_of(endpoint, false);
  if (!address) return address.error();
  for (;;) {
    auto socket = make_socket(*address);
    if (!socket) return socket;
    const auto reason = try_to_connect(*socket, *address, until);
    if (!reason) return reason.error();
    if (*reason == 0) return socket;
    errno = *reason;
    auto failure = system_error(("connecting to " + endpoint.text()).c_str());
    if (!is_worth_another_try(*reason)) return failure;
    const auto may_retry = pause_before_retry(until);
    if (!may_retry) return may_retry.error();
    if (!*may_retry) {
      failure.code = core::ErrorCode::deadline;
      return failure;
    }
  }
}

}  // namespace tieline::transport
