#include "processes/network.hpp"

#include "processes/stream_choice.hpp"
#include "transport/bytes.hpp"

namespace tieline::processes {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

std::optional<std::vector<std::byte>> bytes_of(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    const auto high = kDigits.find(text[at]), low = kDigits.find(text[at + 1]);
    if (high == kDigits.npos || low == kDigits.npos) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(high << 4 | low));
  }
  return bytes;
}

}  // namespace

std::string NetworkCard::text() const {
  transport::ByteBuffer buffer;
  transport::Encoder encoder(buffer);
  for (const std::string* each :
       {&identity.certificate, &identity.key, &identity.authority, &outside.address, &outside.door.address}) {
    encoder.text(*each);
  }
  encoder.u16(outside.door.first_port);
  encoder.u16(outside.door.last_port);
  encoder.u64(static_cast<std::uint64_t>(grace.count()));
  return hexadecimal(buffer.bytes());
}

std::optional<NetworkCard> NetworkCard::parse(std::string_view text) {
  const auto bytes = bytes_of(text);
  if (!bytes) return std::nullopt;
  transport::Decoder decoder(*bytes);
  NetworkCard card;
  for (std::string* each : {&card.identity.certificate, &card.identity.key, &card.identity.authority,
                            &card.outside.address, &card.outside.door.address}) {
    *each = decoder.text();
  }
  card.outside.door.first_port = decoder.u16();
  card.outside.door.last_port = decoder.u16();
  card.grace = std::chrono::milliseconds(decoder.u64());
  if (!decoder.is_complete()) return std::nullopt;
  return card;
}

Network::Network() : rows_(processes::factories().rows().begin(), processes::factories().rows().end()), table_(rows_) {}

core::Result<std::unique_ptr<Network>> Network::join(const NetworkCard& card) {
  auto tls = secure::TlsFactory::make(card.identity, card.outside, {.grace = card.grace});
  if (!tls) return std::move(tls.error());
  auto network = std::make_unique<Network>();
  network->tls_ = std::move(*tls);
  // It reaches whatever the others do, and stands below them.
  network->rows_.push_back(network->tls_.get());
  network->table_ = transport::FactoryTable(network->rows_);
  return network;
}

}  // namespace tieline::processes
