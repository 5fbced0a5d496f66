#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.hpp"
#include "transport/connection.hpp"
#include "transport/frame.hpp"
#include "transport/stream.hpp"
#include "transport/token.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {

/// Of the whole protocol: both sides must speak the same.
inline constexpr std::uint16_t kProtocolVersion = 5;

/// Types of the first frames of a connection; those of other messages begin at kFirstMessageType.
inline constexpr std::uint16_t kHelloType = 1;
inline constexpr std::uint16_t kWelcomeType = 2;
inline constexpr std::uint16_t kRefusalType = 3;
inline constexpr std::uint16_t kFirstMessageType = 16;

/// What may be sent before a token is verified [bytes].
inline constexpr std::size_t kLargestHello = 1024;
inline constexpr std::size_t kLongestName = 255;

/// As what somebody connects.
enum class Role : std::uint8_t {
  participant = 1,  ///< a simulator's control connection to the master
  peer = 2,         ///< one end of a link, to the participant at its other end
};

/// The first frame of every connection, from the one who connects.
struct Hello {
  Role role = Role::participant;
  Token token{};
  std::string name{};      ///< of who connects; printable
  std::uint32_t link = 0;  ///< which link, for peers
};

void encode(Encoder encoder, const Hello& hello);

/// Why a connection was refused.
enum class HelloFault {
  none,
  garbage,  ///< not our magic, or no hello
  wrong_version,
  wrong_token,
  bad_name,
  silence,   ///< the deadline passed
  lost,      ///< closed before its hello was there
  rejected,  ///< by who accepts, for its own reasons
};

/// Whether a hello's token is that of who says it. Looks at every token that it knows, in a time that does not depend
/// on which one it is.
using HelloCheck = std::function<bool(const Hello& hello)>;

/// The accepting side of the first words. Never waits: call `advance` whenever the stream may have input and when the
/// deadline passes. Verified, it is `welcome`d or `refuse`d by the caller, who knows which names are expected; what
/// cannot be verified is refused at once, with no more than the reason.
class HelloReceiver {
 public:
  enum class State { waiting, verified, welcomed, refused };

  HelloReceiver(HelloCheck has_token, Clock::time_point deadline)
      : has_token_(std::move(has_token)), deadline_(deadline) {}
  /// Where all have one token.
  HelloReceiver(const Token& expected, Clock::time_point deadline)
      : HelloReceiver([expected](const Hello& hello) { return expected.equals(hello.token); }, deadline) {}

  State advance(Stream& stream, Clock::time_point now);
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }
  void put_off(Clock::duration time) { deadline_ += time; }
  /// Once verified.
  [[nodiscard]] const Hello& hello() const { return hello_; }
  [[nodiscard]] HelloFault fault() const { return fault_; }
  /// Why it was refused: a sentence for the log.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// Notifies the partner that it may continue.
  State welcome(Stream& stream);
  /// Sends the partner the reason; the caller closes the stream.
  State refuse(Stream& stream, std::string_view reason);
  /// Once welcomed: reads the frames that follow, some of which may have come already.
  [[nodiscard]] FrameReader take_reader(std::size_t largest_payload = kLargestPayload);

 private:
  State fail(Stream& stream, HelloFault fault, std::string reason);
  /// Reads the first frame, and verifies it.
  State verify(Stream& stream, const Frame& frame);

  HelloCheck has_token_;
  Clock::time_point deadline_;
  State state_ = State::waiting;
  HelloFault fault_ = HelloFault::none;
  std::string reason_;
  Hello hello_;
  FrameReader reader_{kLargestHello};
};

/// The connecting side: says hello, and waits for the answer. A refusal is an error (protocol) with its reason.
[[nodiscard]] core::Result<void> introduce(Connection& connection, const Hello& hello, const Until& until);

}  // namespace tieline::transport
