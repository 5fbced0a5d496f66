#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "transport/attachment.hpp"
#include "transport/messages.hpp"
#include "transport/stream.hpp"
#include "transport/stream_factory.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {

/// What travels beside a message with these offers, in their order.
[[nodiscard]] std::vector<Attachment> take_attachments(std::span<LinkOffer> offers);

/// Makes the streams of a process's links, as the master offers them: out of what came with the offer, by connecting to
/// the partner, or by accepting it. Whoever else connects is refused, and receives no more than that.
class LinkSetup {
 public:
  /// Opens the doors where partners may connect: one for each transport of these (names, with blanks in between) whose
  /// links need one. Where everybody uses shared memory nobody listens.
  static core::Result<LinkSetup> open(const std::string& own_name, std::string_view transports,
                                      const FactoryTable& factories = standard_factories());

  /// Of all doors, with blanks in between.
  [[nodiscard]] std::string addresses() const;
  /// All streams, in the order of the offers. `attachments` came beside the message; offers that were made in this
  /// process have their own already.
  [[nodiscard]] core::Result<std::vector<std::unique_ptr<Stream>>> make(std::span<LinkOffer> offers,
                                                                        std::vector<Attachment> attachments,
                                                                        const Until& until);

 private:
  LinkSetup(std::string own_name, const FactoryTable& factories)
      : own_name_(std::move(own_name)), factories_(&factories) {}
  /// The stream of an offer that needs nobody to come; `next` is where its attachments start.
  [[nodiscard]] core::Result<std::unique_ptr<Stream>> make_one(LinkOffer& offer, std::vector<Attachment>& attachments,
                                                               std::size_t& next, const Until& until) const;
  [[nodiscard]] core::Result<std::unique_ptr<Stream>> connect(const LinkOffer& offer, const Until& until) const;
  core::Result<void> accept_all(std::span<const LinkOffer> offers, std::vector<std::unique_ptr<Stream>>& streams,
                                const Until& until);

  std::string own_name_;
  const FactoryTable* factories_;
  std::vector<std::unique_ptr<Door>> doors_;
};

}  // namespace tieline::transport
