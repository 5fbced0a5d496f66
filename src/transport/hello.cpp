#include "transport/hello.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tieline::transport {
namespace {

constexpr std::array<char, 8> kMagic{'T', 'I', 'E', 'L', 'I', 'N', 'E', '\0'};

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_role(std::uint8_t value) {
  return value == static_cast<std::uint8_t>(Role::participant) || value == static_cast<std::uint8_t>(Role::peer);
}

/// A partner's text in one of our messages: shortened, and without what could confuse a terminal.
std::string quoted(std::string_view text) {
  std::string result(text.substr(0, kLongestName));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

}  // namespace

void encode(Encoder encoder, const Hello& hello) {
  encoder.raw(std::as_bytes(std::span(kMagic)));
  encoder.u16(kProtocolVersion);
  encoder.u8(static_cast<std::uint8_t>(hello.role));
  encoder.raw(hello.token.bytes());
  encoder.text(hello.name);
  encoder.u32(hello.link);
}

HelloReceiver::State HelloReceiver::advance(Stream& stream, Clock::time_point now) {
  if (state_ != State::waiting) return state_;
  auto frame = reader_.next(stream);
  if (!frame) {
    const bool is_protocol = frame.error().code == core::ErrorCode::protocol;
    // What the stream itself refuses, it says.
    if (is_protocol && reader_.fault() == FrameFault::none) {
      return fail(stream, HelloFault::garbage, frame.error().message);
    }
    if (is_protocol && reader_.fault() != FrameFault::truncated) {
      return fail(stream, HelloFault::garbage, "this is not Tieline's protocol");
    }
    return fail(stream, HelloFault::lost, "the connection ended before it was introduced");
  }
  if (*frame) return verify(stream, **frame);
  if (now >= deadline_) return fail(stream, HelloFault::silence, "no introduction came in time");
  return state_;
}

HelloReceiver::State HelloReceiver::verify(Stream& stream, const Frame& frame) {
  Decoder decoder(frame.payload);
  const auto magic = decoder.raw(kMagic.size());
  const bool is_ours =
      frame.type == kHelloType && !decoder.failed() && std::memcmp(magic.data(), kMagic.data(), kMagic.size()) == 0;
  if (!is_ours) return fail(stream, HelloFault::garbage, "this is not Tieline's protocol");
  // Magic and version stand at the same place in every version.
  const std::uint16_t version = decoder.u16();
  if (!decoder.failed() && version != kProtocolVersion) {
    return fail(stream, HelloFault::wrong_version,
                "protocol version " + std::to_string(version) + " was offered, version " +
                    std::to_string(kProtocolVersion) + " is required here");
  }
  const std::uint8_t role = decoder.u8();
  const auto token = decoder.raw(Token::kSize);
  std::array<std::byte, Token::kSize> bytes{};
  std::copy(token.begin(), token.end(), bytes.begin());
  const std::string_view name = decoder.text();
  hello_.link = decoder.u32();
  if (!decoder.is_complete() || !is_role(role))
    return fail(stream, HelloFault::garbage, "the introduction cannot be read");
  hello_.role = static_cast<Role>(role);
  hello_.token = Token(bytes);
  hello_.name = name;
  if (!has_token_(hello_)) return fail(stream, HelloFault::wrong_token, "the token is wrong");
  if (name.empty() || name.size() > kLongestName || !is_printable(name)) {
    return fail(stream, HelloFault::bad_name,
                "a name has 1 to " + std::to_string(kLongestName) + " printable characters");
  }
  return state_ = State::verified;
}

HelloReceiver::State HelloReceiver::fail(Stream& stream, HelloFault fault, std::string reason) {
  fault_ = fault;
  reason_ = std::move(reason);
  state_ = State::refused;
  if (fault == HelloFault::lost) return state_;
  FrameWriter writer;
  writer.begin(kRefusalType).text(reason_);
  // A fresh connection has room for this; where it has not, nobody there is owed a reason.
  if (writer.end()) (void)writer.flush(stream);
  return state_;
}

HelloReceiver::State HelloReceiver::welcome(Stream& stream) {
  if (state_ != State::verified) return state_;
  FrameWriter writer;
  writer.begin(kWelcomeType).u16(kProtocolVersion);
  auto ended = writer.end();
  auto done = writer.flush(stream);
  if (!ended || !done || !*done) return fail(stream, HelloFault::lost, "the connection ended before it was welcomed");
  return state_ = State::welcomed;
}

HelloReceiver::State HelloReceiver::refuse(Stream& stream, std::string_view reason) {
  if (state_ != State::verified) return state_;
  return fail(stream, HelloFault::rejected, std::string(reason));
}

FrameReader HelloReceiver::take_reader(std::size_t largest_payload) {
  reader_.set_largest_payload(largest_payload);
  return std::move(reader_);
}

core::Result<void> introduce(Connection& connection, const Hello& hello, const Until& until) {
  encode(connection.writer().begin(kHelloType), hello);
  if (auto ended = connection.writer().end(); !ended) return ended;
  auto answer = connection.receive(until);
  if (!answer) return std::move(answer.error());
  Decoder decoder(answer->payload);
  if (answer->type == kRefusalType) {
    const std::string reason = quoted(decoder.text());
    return core::Error{.code = core::ErrorCode::protocol,
                       .message = connection.partner() + " refused the connection: " + reason};
  }
  const std::uint16_t version = decoder.u16();
  if (answer->type != kWelcomeType || !decoder.is_complete() || version != kProtocolVersion) {
    return core::Error{.code = core::ErrorCode::protocol,
                       .message = connection.partner() + " does not speak Tieline's protocol"};
  }
  return {};
}

}  // namespace tieline::transport
