#include "transport/stream_factory.hpp"

#include <algorithm>

namespace tieline::transport {
namespace {

/// The first address of a list that a factory reads; empty if it reads none.
std::string own_address(const StreamFactory& factory, std::string_view addresses) {
  while (!addresses.empty()) {
    const auto blank = std::min(addresses.find(' '), addresses.size());
    const std::string_view address = addresses.substr(0, blank);
    if (factory.reads(address)) return std::string(address);
    addresses.remove_prefix(std::min(blank + 1, addresses.size()));
  }
  return {};
}

}  // namespace

core::Result<std::array<Offer, 2>> StreamFactory::offer(const std::string& addresses) const {
  const auto token = Token::random();
  if (!token) return token.error();
  std::array<Offer, 2> ends;
  ends[0].kind = OfferKind::accept;
  ends[1].kind = OfferKind::connect;
  ends[1].address = own_address(*this, addresses);
  ends[0].token = ends[1].token = *token;
  if (!ends[1].address.empty()) return ends;
  return core::Error{.code = core::ErrorCode::protocol,
                     .message = "it has no address " + std::string(address_form()) +
                                " at which it accepts links: it registered '" + addresses + "'"};
}

core::Result<std::unique_ptr<Door>> StreamFactory::open_door_at(const DoorPlace& place) const {
  return core::Error{.code = core::ErrorCode::unsupported,
                     .message = "a door of " + std::string(name()) + " cannot be at '" + place.address + "'"};
}

core::Result<std::unique_ptr<Stream>> StreamFactory::adopt(std::vector<Attachment>, bool) const {
  return core::Error{.code = core::ErrorCode::unsupported,
                     .message = "a stream over " + std::string(name()) + " is not made of attachments"};
}

const StreamFactory* FactoryTable::named(std::string_view name) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto* row) { return row->name() == name; });
  return found == rows_.end() ? nullptr : *found;
}

const StreamFactory* FactoryTable::at(std::string_view address) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto* row) { return row->reads(address); });
  return found == rows_.end() ? nullptr : *found;
}

const StreamFactory& FactoryTable::common(const StreamFactory& first, const StreamFactory& second) const {
  const auto place = [&](const StreamFactory& factory) { return std::find(rows_.begin(), rows_.end(), &factory); };
  return place(first) < place(second) ? second : first;
}

std::string FactoryTable::address_forms() const {
  std::string forms;
  for (const StreamFactory* row : rows_) {
    if (!forms.empty()) forms += " or ";
    forms += row->address_form();
  }
  return forms;
}

core::Error cannot_read_address(const std::string& address) {
  return {.code = core::ErrorCode::protocol, .message = "cannot read the endpoint '" + address + "'"};
}

}  // namespace tieline::transport
