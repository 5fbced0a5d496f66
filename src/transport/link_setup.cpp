#include "transport/link_setup.hpp"

#include <algorithm>
#include <unistd.h>

#include "transport/hello.hpp"
#include "transport/shared_stream.hpp"
#include "transport/socket_stream.hpp"

namespace tieline::transport {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// How long somebody who has connected may take to say who it is.
constexpr std::chrono::seconds kHelloTime{5};

/// Somebody who has connected, and is not known yet.
struct Stranger {
  std::unique_ptr<Stream> stream;
  HelloReceiver receiver;
  std::size_t place = 0;
};

}  // namespace

Result<Leg> make_leg(LinkOffer theirs, const std::string& participant, const std::optional<LegDoor>& door) {
  Leg leg{.theirs = std::move(theirs)};
  leg.own = {.number = leg.theirs.number, .partner = participant};
  if (door) {
    leg.theirs.kind = LinkKind::connect;
    leg.theirs.endpoint = door->endpoint;
    leg.theirs.token = leg.own.token = door->token;
    leg.own.kind = LinkKind::accept;
    return leg;
  }
  auto parts = make_shared_parts();
  if (!parts) return parts.error();
  leg.their_descriptors.emplace_back(::dup(parts->memory.get()));
  leg.their_descriptors.push_back(std::move(parts->sockets[0]));
  leg.own.is_second = true;
  leg.own_descriptors.push_back(std::move(parts->memory));
  leg.own_descriptors.push_back(std::move(parts->sockets[1]));
  return leg;
}

Result<LinkSetup> LinkSetup::open(const std::string& own_name, const std::string& address) {
  auto listener = Listener::tcp(address);
  if (!listener) return listener.error();
  return LinkSetup(own_name, std::move(*listener));
}

Result<std::unique_ptr<Stream>> LinkSetup::connect(const LinkOffer& offer, const Until& until) const {
  const auto endpoint = Endpoint::parse(offer.endpoint);
  if (!endpoint) {
    return Error{.code = ErrorCode::protocol, .message = "cannot read the endpoint '" + offer.endpoint + "'"};
  }
  auto socket = connect_to(*endpoint, until);
  if (!socket) return socket.error();
  auto stream = SocketStream::adopt(std::move(*socket));
  if (!stream) return stream.error();
  Connection connection(std::move(*stream), "'" + offer.partner + "'");
  const Hello hello{.role = Role::peer, .token = offer.token, .name = own_name_, .link = offer.number};
  if (auto introduced = introduce(connection, hello, until); !introduced) return introduced.error();
  // Nothing follows a welcome before both sides have begun, so the reader is empty.
  return std::move(std::move(connection).release().first);
}

Result<void> LinkSetup::accept_all(std::span<const LinkOffer> offers, std::vector<std::unique_ptr<Stream>>& streams,
                                   const Until& until) {
  const auto is_missing = [&](std::size_t i) { return offers[i].kind == LinkKind::accept && streams[i] == nullptr; };
  Waiter waiter({.spin = {}});
  const std::size_t door = waiter.add(listener_.descriptor());
  std::vector<Stranger> strangers;
  while (true) {
    std::size_t missing = offers.size();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (is_missing(i)) missing = i;
    }
    if (missing == offers.size()) return {};
    Until next = until;
    for (const Stranger& stranger : strangers) next = next.or_at(stranger.receiver.deadline());
    auto waited = waiter.wait(next);
    if (!waited) return waited.error();
    if (*waited == Waiter::Outcome::cancelled || Clock::now() >= until.deadline) {
      return wait_failed(*waited, "'" + offers[missing].partner + "'");
    }
    if (waiter.is_ready(door)) {
      auto accepted = listener_.accept();
      if (!accepted) return accepted.error();
      if (*accepted) {
        auto stream = SocketStream::adopt(std::move(**accepted));
        if (!stream) return stream.error();
        // All partners of one process are given one token.
        Stranger stranger{std::move(*stream), HelloReceiver(offers[missing].token, Clock::now() + kHelloTime)};
        stranger.place = waiter.add(*stranger.stream);
        strangers.push_back(std::move(stranger));
      }
    }
    for (std::size_t k = 0; k < strangers.size();) {
      Stranger& stranger = strangers[k];
      auto state = stranger.receiver.advance(*stranger.stream, Clock::now());
      if (state == HelloReceiver::State::waiting) {
        ++k;
        continue;
      }
      waiter.remove(stranger.place);
      if (state == HelloReceiver::State::verified) {
        const Hello& hello = stranger.receiver.hello();
        std::size_t found = offers.size();
        for (std::size_t i = 0; i < offers.size(); ++i) {
          if (is_missing(i) && offers[i].number == hello.link && offers[i].partner == hello.name) found = i;
        }
        if (hello.role == Role::peer && found < offers.size()) {
          stranger.receiver.welcome(*stranger.stream);
          streams[found] = std::move(stranger.stream);
        } else {
          stranger.receiver.refuse(*stranger.stream, "no such link is expected");
        }
      }
      strangers.erase(strangers.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
}

Result<std::vector<std::unique_ptr<Stream>>> LinkSetup::make(std::span<const LinkOffer> offers,
                                                             std::vector<Descriptor> descriptors, const Until& until) {
  std::vector<std::unique_ptr<Stream>> streams(offers.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (offers[i].kind == LinkKind::shared_memory) {
      if (next + 2 > descriptors.size()) {
        return Error{.code = ErrorCode::protocol, .message = "the memory of a link was not passed on"};
      }
      const Side side = offers[i].is_second ? Side::second : Side::first;
      auto stream = SharedStream::adopt(std::move(descriptors[next]), std::move(descriptors[next + 1]), side);
      if (!stream) return stream.error();
      streams[i] = std::move(*stream);
      next += 2;
    } else if (offers[i].kind == LinkKind::connect) {
      auto stream = connect(offers[i], until);
      if (!stream) {
        stream.error().component = offers[i].partner;
        return stream.error();
      }
      streams[i] = std::move(*stream);
    }
  }
  if (auto accepted = accept_all(offers, streams, until); !accepted) return accepted.error();
  return streams;
}

}  // namespace tieline::transport
