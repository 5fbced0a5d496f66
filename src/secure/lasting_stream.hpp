#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "secure/caretaker.hpp"
#include "secure/tls_stream.hpp"
#include "transport/bell.hpp"
#include "transport/stream.hpp"
#include "transport/token.hpp"
#include "transport/waiter.hpp"

namespace tieline::secure {

/// Pieces of a lasting stream, each behind a header of so many bytes (docs/protocol.md, "Streams between hosts").
inline constexpr std::size_t kPieceHeader = 16;
/// A piece is one record of TLS at most.
inline constexpr std::size_t kLargestPiece = 16384 - kPieceHeader;

enum class PieceKind : std::uint32_t {
  data = 1,
  received,   ///< no bytes: only how many have come
  goodbye,    ///< no more will come
  open,       ///< first: a new stream, by its number
  resume,     ///< first of a connection that is made again: which stream it continues
  continues,  ///< then from both sides: how many bytes have come
  unknown,    ///< answer to `resume`: no such stream is here any more
};

struct LastingOptions {
  /// How long a broken connection may take to be made again.
  std::chrono::milliseconds grace = std::chrono::seconds(30);
  /// Bytes that are kept until the partner has them; whoever sends more waits.
  std::size_t most_kept = std::size_t{8} << 20;
};

/// A place where whoever makes a connection again leaves it for the stream that continues on it. Shared by both.
class Meeting {
 public:
  explicit Meeting(const transport::Token& number) : number_(number) {}

  [[nodiscard]] const transport::Token& number() const { return number_; }
  /// From any thread.
  void leave(std::unique_ptr<TlsStream> connection);
  [[nodiscard]] std::unique_ptr<TlsStream> take();
  [[nodiscard]] bool has_any() const { return has_any_.load(std::memory_order_acquire); }
  /// Why it could not be made again so far.
  void note_failure(const std::string& reason);
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] const transport::Bell& bell() const { return bell_; }

 private:
  transport::Token number_;
  mutable std::mutex mutex_;
  std::unique_ptr<TlsStream> connection_;
  std::string failure_;
  std::atomic<bool> has_any_{false};
  transport::Bell bell_;
};

/// A stream over TLS that outlives its connection: what the partner has not confirmed is kept, and sent again over the
/// next connection from where the partner's bytes end. So nothing is lost, doubled or sorted otherwise. Once the grace
/// time is over without a new connection, it is lost.
///
/// The side that has connected connects again, in a thread of its own that lives as long as the break. The other side
/// finds the new connection at its meeting (LastingDoor). Where its owner does not look, the caretaker does, so that a
/// partner gets what it lacks. One thread may read while another writes.
class LastingStream final : public transport::Stream, private Charge {
 public:
  /// Makes a new TLS connection to where the first one went, and says there which stream it continues.
  using Reconnect =
      std::function<core::Result<std::unique_ptr<TlsStream>>(const transport::Token& number, const transport::Until&)>;

  /// `connection` has completed its handshake and its first piece. No `reconnect`: the partner comes to the meeting.
  LastingStream(std::unique_ptr<TlsStream> connection, std::shared_ptr<Meeting> meeting, Reconnect reconnect,
                std::shared_ptr<Caretaker> caretaker, LastingOptions options);
  ~LastingStream() override;

  [[nodiscard]] core::Result<std::size_t> write_some(std::span<const std::byte> bytes) override;
  [[nodiscard]] core::Result<std::size_t> read_some(std::span<std::byte> bytes) override;
  [[nodiscard]] transport::Waitable waitable(transport::Interest interest) const override;
  [[nodiscard]] bool arm(transport::Interest interest) override;
  void disarm() override {}
  [[nodiscard]] bool woken(bool is_ready, transport::Interest interest) override;
  void close() override;

  /// How often its connection was made again.
  [[nodiscard]] int healed() const { return healed_; }

 private:
  enum class Phase {
    connected,
    greeting,  ///< connected again; how much the partner has is not known yet
    broken,
    over,
  };
  void care() override;
  // All of these are called with the lock.
  /// Reads what has come, and takes care of all that is not data; 0: nothing now, or no more.
  [[nodiscard]] std::size_t fill(std::span<std::byte> bytes);
  [[nodiscard]] std::size_t take_set_aside(std::span<std::byte> bytes);
  [[nodiscard]] core::Result<void> look_up();
  void break_off(const core::Error& error);
  void adopt_next();
  void end(core::Error error);
  /// Sends what is kept and was not sent, as far as the connection takes it.
  void pump();
  void stage(PieceKind kind, std::size_t payload);
  [[nodiscard]] bool flush_staged();
  [[nodiscard]] core::Result<bool> read_header();
  [[nodiscard]] core::Result<void> take_header();
  [[nodiscard]] bool confirm(std::uint64_t received);
  [[nodiscard]] bool has_unsent() const { return sent_ < kept_end_; }
  void keep(std::span<const std::byte> bytes);
  void grow(std::size_t needed);
  void run_reconnect(transport::Clock::time_point deadline);

  mutable std::mutex mutex_;
  LastingOptions options_;
  std::shared_ptr<Meeting> meeting_;
  Reconnect reconnect_;
  std::shared_ptr<Caretaker> caretaker_;
  std::unique_ptr<TlsStream> connection_;
  std::unique_ptr<TlsStream> former_;  ///< a broken one, while somebody may still wait for it
  Phase phase_ = Phase::connected;
  std::optional<core::Error> end_{};
  core::Error cause_{};  ///< of the present break
  transport::Clock::time_point deadline_{};
  std::atomic<int> healed_{0};

  // Positions are bytes since the stream began.
  std::vector<std::byte> ring_;     ///< what the partner may lack; its size is a power of two
  std::uint64_t kept_begin_ = 0;    ///< first that is not confirmed
  std::uint64_t kept_end_ = 0;      ///< behind the last that was written
  std::uint64_t sent_ = 0;          ///< behind the last that this connection has taken
  std::vector<std::byte> staged_;   ///< a piece that the connection is to take
  std::size_t staged_payload_ = 0;  ///< its bytes of the stream
  std::uint64_t received_ = 0;      ///< bytes that have come
  std::uint64_t told_ = 0;          ///< of these, confirmed to the partner
  std::array<std::byte, kPieceHeader> header_{};
  std::size_t header_have_ = 0;
  std::size_t piece_left_ = 0;        ///< bytes of the present piece that are still to come
  std::vector<std::byte> set_aside_;  ///< read before a cut, since nobody else did
  std::size_t set_aside_begin_ = 0;
  bool says_goodbye_ = false;

  std::atomic<bool> is_ending_{false};
  std::thread reconnecting_;
};

/// Sends the first piece of a connection, which must be open.
[[nodiscard]] core::Result<void> send_first_piece(TlsStream& connection, PieceKind kind, const transport::Token& number,
                                                  const transport::Until& until);

}  // namespace tieline::secure
