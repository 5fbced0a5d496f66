#include "transport/link_setup.hpp"

#include <algorithm>

#include "transport/introduction.hpp"
#include "transport/pause_watch.hpp"
#include "transport/reception.hpp"

namespace tieline::transport {
namespace {

using core::Result;

// Unknown connections that may be open at once, beside those who are awaited.
constexpr std::size_t kMostUnknown = 64;

/// Whether a list of names, with blanks in between, has this one.
bool lists(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const auto blank = std::min(names.find(' '), names.size());
    if (names.substr(0, blank) == name) return true;
    names.remove_prefix(std::min(blank + 1, names.size()));
  }
  return false;
}

}  // namespace

std::vector<Attachment> take_attachments(std::span<LinkOffer> offers) {
  std::vector<Attachment> all;
  for (LinkOffer& offer : offers) {
    for (Attachment& attachment : offer.stream.attachments) all.push_back(std::move(attachment));
    offer.stream.attachments.clear();
  }
  return all;
}

Result<LinkSetup> LinkSetup::open(const std::string& own_name, std::string_view transports,
                                  const FactoryTable& factories) {
  LinkSetup setup(own_name, factories);
  for (const StreamFactory* factory : factories.rows()) {
    if (factory->attachments_each() > 0 || !lists(transports, factory->name())) continue;
    auto door = factory->open_door();
    if (!door) return std::move(door.error());
    setup.doors_.push_back(std::move(*door));
  }
  return setup;
}

std::string LinkSetup::addresses() const {
  std::string all;
  for (const auto& door : doors_) all += (all.empty() ? "" : " ") + door->address();
  return all;
}

Result<std::unique_ptr<Stream>> LinkSetup::connect(const LinkOffer& offer, const Until& until) const {
  const Hello hello{.role = Role::peer, .token = offer.stream.token, .name = own_name_, .link = offer.number};
  auto connection = connect_as(hello, {"'" + offer.partner + "'", offer.stream.address}, {}, *factories_, until);
  if (!connection) return std::move(connection.error());
  // Nothing follows a welcome before both sides have begun, so the reader is empty.
  return std::move(std::move(*connection).release().first);
}

Result<void> LinkSetup::accept_all(std::span<const LinkOffer> offers, std::vector<std::unique_ptr<Stream>>& streams,
                                   const Until& until) {
  const auto is_missing = [&](std::size_t i) {
    return offers[i].stream.kind == OfferKind::accept && streams[i] == nullptr;
  };
  const HelloCheck has_token = [&](const Hello& hello) {
    bool is_known = false;
    for (const LinkOffer& offer : offers) {
      const bool is_same = offer.stream.kind == OfferKind::accept && offer.stream.token.equals(hello.token);
      is_known = is_known || is_same;
    }
    return is_known;
  };
  Waiter waiter({.spin = {}});
  std::vector<std::size_t> door_places;
  for (const auto& door : doors_) door_places.push_back(waiter.add(door->waitable()));
  Reception reception(waiter, has_token, kMostUnknown + offers.size());
  const auto meet = [&](Reception::Guest& guest) {
    if (guest.receiver.state() != HelloReceiver::State::verified) return;
    const Hello& hello = guest.receiver.hello();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const bool is_same = offers[i].number == hello.link && offers[i].partner == hello.name;
      if (hello.role != Role::peer || !is_missing(i) || !is_same) continue;
      if (!offers[i].stream.token.equals(hello.token)) continue;
      if (guest.receiver.welcome(*guest.stream) == HelloReceiver::State::welcomed) streams[i] = std::move(guest.stream);
      return;
    }
    guest.receiver.refuse(*guest.stream, "no such link is expected");
  };
  auto deadline = until.deadline;
  PauseWatch pauses;
  while (true) {
    std::size_t missing = offers.size();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (is_missing(i)) missing = i;
    }
    if (missing == offers.size()) return {};
    // It looks up often enough to notice a pause.
    const Until next{deadline, until.cancel, until.also_cancel};
    auto waited = waiter.wait(next.or_at(Clock::now() + kShortestPause / 2).or_at(reception.next_deadline()));
    if (!waited) return waited.error();
    const auto pause = pauses.look();
    reception.put_off(pause);
    if (deadline < Clock::time_point::max() - pause) deadline += pause;
    if (*waited == Waiter::Outcome::cancelled || Clock::now() >= deadline) {
      return wait_failed(*waited, "'" + offers[missing].partner + "'");
    }
    for (std::size_t d = 0; d < doors_.size(); ++d) {
      if (!waiter.is_ready(door_places[d])) continue;
      if (auto taken = reception.take_in(*doors_[d], meet); !taken) return taken;
    }
    reception.hear(meet);
  }
}

Result<std::unique_ptr<Stream>> LinkSetup::make_one(LinkOffer& offer, std::vector<Attachment>& attachments,
                                                    std::size_t& next, const Until& until) const {
  if (offer.stream.kind == OfferKind::connect) {
    auto stream = connect(offer, until);
    if (!stream) stream.error().component = offer.partner;
    return stream;
  }
  // No other factory than the usual one makes its ends of attachments.
  const StreamFactory& factory = factories_->usual();
  std::vector<Attachment> own = std::move(offer.stream.attachments);
  while (own.size() < factory.attachments_each() && next < attachments.size()) {
    own.push_back(std::move(attachments[next++]));
  }
  return factory.adopt(std::move(own), offer.stream.is_second);
}

Result<std::vector<std::unique_ptr<Stream>>> LinkSetup::make(std::span<LinkOffer> offers,
                                                             std::vector<Attachment> attachments, const Until& until) {
  std::vector<std::unique_ptr<Stream>> streams(offers.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (offers[i].stream.kind == OfferKind::accept) continue;
    auto stream = make_one(offers[i], attachments, next, until);
    if (!stream) return std::move(stream.error());
    streams[i] = std::move(*stream);
  }
  if (auto accepted = accept_all(offers, streams, until); !accepted) return std::move(accepted.error());
  return streams;
}

}  // namespace tieline::transport
