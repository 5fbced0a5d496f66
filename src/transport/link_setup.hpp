#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "transport/descriptor.hpp"
#include "transport/endpoint.hpp"
#include "transport/messages.hpp"
#include "transport/stream.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {

/// Both ends of a link between the master's process and a participant, as they are offered.
struct Leg {
  LinkOffer theirs{};  ///< for the participant, who shares memory or connects
  LinkOffer own{};     ///< for the master
  std::vector<Descriptor> their_descriptors{}, own_descriptors{};
};

/// Where participants connect to, where they share no memory.
struct LegDoor {
  std::string endpoint{};
  Token token{};
};

/// `theirs` has its number, partner and that one's windows; `participant` is what the master's end calls its partner.
/// Without a door they share memory.
[[nodiscard]] core::Result<Leg> make_leg(LinkOffer theirs, const std::string& participant,
                                         const std::optional<LegDoor>& door);

/// Makes the streams of a process's links, as the master offers them: out of shared memory, by connecting to the
/// partner, or by accepting it. Whoever else connects is refused, and told no more than that.
class LinkSetup {
 public:
  /// Opens the place where partners may connect.
  static core::Result<LinkSetup> open(const std::string& own_name, const std::string& address = "127.0.0.1");

  [[nodiscard]] std::string endpoint() const { return listener_.endpoint().text(); }
  /// All streams, in the order of the offers. `descriptors` came with them: two for each link of shared memory.
  [[nodiscard]] core::Result<std::vector<std::unique_ptr<Stream>>> make(std::span<const LinkOffer> offers,
                                                                        std::vector<Descriptor> descriptors,
                                                                        const Until& until);

 private:
  LinkSetup(std::string own_name, Listener listener) : own_name_(std::move(own_name)), listener_(std::move(listener)) {}
  [[nodiscard]] core::Result<std::unique_ptr<Stream>> connect(const LinkOffer& offer, const Until& until) const;
  core::Result<void> accept_all(std::span<const LinkOffer> offers, std::vector<std::unique_ptr<Stream>>& streams,
                                const Until& until);

  std::string own_name_;
  Listener listener_;
};

}  // namespace tieline::transport
