#include "secure/tls_factory.hpp"

#include "secure/lasting_door.hpp"

namespace tieline::secure {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Stream;

constexpr std::string_view kScheme = "tls:";

/// What is below: the bare transport between machines.
const transport::StreamFactory& bare() { return *transport::standard_factories().named("tcp"); }

std::string bare_address(std::string_view address) { return "tcp:" + std::string(address.substr(kScheme.size())); }

/// One connection, open, with its first piece sent.
Result<std::unique_ptr<TlsStream>> connect_once(const std::shared_ptr<const TlsContext>& context,
                                                const std::string& address, PieceKind kind,
                                                const transport::Token& number, const transport::Until& until) {
  auto inner = bare().connect(bare_address(address), {.notices_breaks = true}, until);
  if (!inner) return std::move(inner.error());
  auto stream = TlsStream::make(context, std::move(*inner), TlsStream::Side::connects);
  if (!stream) return std::move(stream.error());
  if (auto secured = (*stream)->complete_handshake(until); !secured) {
    Error& error = secured.error();
    error.message = "connecting to " + address + ": " + error.message;
    return std::move(error);
  }
  if (auto sent = send_first_piece(**stream, kind, number, until); !sent) return std::move(sent.error());
  return std::move(*stream);
}

}  // namespace

Result<std::unique_ptr<TlsFactory>> TlsFactory::make(const Identity& identity, Outside outside,
                                                     LastingOptions options) {
  auto context = TlsContext::make(identity);
  if (!context) return std::move(context.error());
  return std::unique_ptr<TlsFactory>(new TlsFactory(std::move(*context), std::move(outside), options));
}

bool TlsFactory::reads(std::string_view address) const {
  return address.starts_with(kScheme) && bare().reads(bare_address(address));
}

Result<std::unique_ptr<transport::Door>> TlsFactory::open_door() const {
  auto door = bare().open_door_at(outside_.door);
  if (!door) return std::move(door.error());
  // The port is the one that it was given.
  const std::string& given = (*door)->address();
  const std::string port = given.substr(given.rfind(':') + 1);
  const bool is_version_6 = outside_.address.find(':') != std::string::npos;
  const std::string host = is_version_6 ? "[" + outside_.address + "]" : outside_.address;
  auto lasting =
      LastingDoor::open(context_, std::move(*door), std::string(kScheme) + host + ":" + port, caretaker_, options_);
  if (!lasting) return std::move(lasting.error());
  return std::unique_ptr<transport::Door>(std::move(*lasting));
}

Result<std::unique_ptr<Stream>> TlsFactory::connect(const std::string& address, const transport::ConnectOptions&,
                                                    const transport::Until& until) const {
  if (!reads(address)) return transport::cannot_read_address(address);
  const auto number = transport::Token::random();
  if (!number) return number.error();
  auto first = connect_once(context_, address, PieceKind::open, *number, until);
  if (!first) return std::move(first.error());
  const auto again = [context = context_, address](const transport::Token& which, const transport::Until& limit) {
    return connect_once(context, address, PieceKind::resume, which, limit);
  };
  return std::unique_ptr<Stream>(std::make_unique<LastingStream>(std::move(*first), std::make_shared<Meeting>(*number),
                                                                 again, caretaker_, options_));
}

}  // namespace tieline::secure
