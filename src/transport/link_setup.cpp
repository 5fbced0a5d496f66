#include "transport/link_setup.hpp"

#include "transport/hello.hpp"
#include "transport/pause_watch.hpp"

namespace tieline::transport {
namespace {

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

std::vector<Attachment> take_attachments(std::span<LinkOffer> offers) {
  std::vector<Attachment> all;
  for (LinkOffer& offer : offers) {
    for (Attachment& attachment : offer.stream.attachments) all.push_back(std::move(attachment));
    offer.stream.attachments.clear();
  }
  return all;
}

Result<LinkSetup> LinkSetup::open(const std::string& own_name, const FactoryTable& factories) {
  LinkSetup setup(own_name, factories);
  for (const StreamFactory* factory : factories.rows()) {
    if (factory->attachments_each() > 0) continue;
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
  const StreamFactory* const factory = factories_->at(offer.stream.address);
  if (factory == nullptr) return cannot_read_address(offer.stream.address);
  auto stream = factory->connect(offer.stream.address, {}, until);
  if (!stream) return stream;
  Connection connection(std::move(*stream), "'" + offer.partner + "'");
  const Hello hello{.role = Role::peer, .token = offer.stream.token, .name = own_name_, .link = offer.number};
  if (auto introduced = introduce(connection, hello, until); !introduced) return std::move(introduced.error());
  // Nothing follows a welcome before both sides have begun, so the reader is empty.
  return std::move(std::move(connection).release().first);
}

Result<void> LinkSetup::accept_all(std::span<const LinkOffer> offers, std::vector<std::unique_ptr<Stream>>& streams,
                                   const Until& until) {
  const auto is_missing = [&](std::size_t i) {
    return offers[i].stream.kind == OfferKind::accept && streams[i] == nullptr;
  };
  Waiter waiter({.spin = {}});
  std::vector<std::size_t> door_places;
  for (const auto& door : doors_) door_places.push_back(waiter.add(door->waitable()));
  std::vector<Stranger> strangers;
  auto deadline = until.deadline;
  PauseWatch pauses;
  while (true) {
    std::size_t missing = offers.size();
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (is_missing(i)) missing = i;
    }
    if (missing == offers.size()) return {};
    // It looks up often enough to notice a pause.
    Until next{deadline, until.cancel, until.also_cancel};
    next = next.or_at(Clock::now() + kShortestPause / 2);
    for (const Stranger& stranger : strangers) next = next.or_at(stranger.receiver.deadline());
    auto waited = waiter.wait(next);
    if (!waited) return waited.error();
    const auto pause = pauses.look();
    for (Stranger& stranger : strangers) stranger.receiver.put_off(pause);
    if (deadline < Clock::time_point::max() - pause) deadline += pause;
    if (*waited == Waiter::Outcome::cancelled || Clock::now() >= deadline) {
      return wait_failed(*waited, "'" + offers[missing].partner + "'");
    }
    for (std::size_t d = 0; d < doors_.size(); ++d) {
      if (!waiter.is_ready(door_places[d])) continue;
      auto stream = doors_[d]->accept();
      if (!stream) return std::move(stream.error());
      if (*stream == nullptr) continue;
      // All partners of one process are given one token.
      Stranger stranger{std::move(*stream), HelloReceiver(offers[missing].stream.token, Clock::now() + kHelloTime)};
      stranger.place = waiter.add(*stranger.stream);
      strangers.push_back(std::move(stranger));
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
