#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "transport/attachment.hpp"
#include "transport/stream.hpp"
#include "transport/token.hpp"
#include "transport/waitable.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {

/// Where others may connect. One thread.
class Door {
 public:
  virtual ~Door() = default;

  /// What others connect to, as text without blanks: "tcp:127.0.0.1:4711".
  [[nodiscard]] virtual const std::string& address() const = 0;
  /// Ready when somebody has come.
  [[nodiscard]] virtual Waitable waitable() const = 0;
  /// The next who has come, or null if nobody has. Whoever has given up again is passed over. Never waits: where a
  /// transport has first words of its own, its stream exchanges them as it is read and written.
  [[nodiscard]] virtual core::Result<std::unique_ptr<Stream>> accept() = 0;
  /// How many of other users have been closed at once, where the transport can tell.
  [[nodiscard]] virtual std::size_t closed_to_others() const { return 0; }
  /// Why others have been refused since the last call, where the transport itself refuses some: sentences.
  [[nodiscard]] virtual std::vector<std::string> take_refusals() { return {}; }
};

/// Where a door is to be, for transports that reach other machines.
struct DoorPlace {
  std::string address{};                        ///< of this machine: numeric, or a name that is looked up
  std::uint16_t first_port = 0, last_port = 0;  ///< the first that is free of these; 0: any
};

/// How one end of a stream finds the other; numbers of the protocol.
enum class OfferKind : std::uint8_t {
  attached = 1,  ///< it is made of what travels beside the message
  accept,        ///< the other end connects
  connect,       ///< to the address
};

/// One end of a stream that is still to be made. It goes to whoever is to have that end in a message, and its
/// attachments go beside it.
struct Offer {
  OfferKind kind = OfferKind::attached;
  bool is_second = false;  ///< which of two ends that are made together
  std::string address{};   ///< to connect to
  Token token{};           ///< asked of who connects; no other stream has it
  std::vector<Attachment> attachments{};
};

struct ConnectOptions {
  /// Attachments of the partner that may wait to be taken; those beyond are dropped. 0: none are accepted.
  std::size_t most_attachments = 0;
  /// Has the system notice within seconds that the partner cannot be reached any more, where this may happen.
  bool notices_breaks = false;
};

/// A transport: one way to join two processes by a stream of bytes. It has no state of its own, and may be used from
/// any thread.
///
/// Control connections are made by `open_door` and `connect`. A link is made by whoever knows both of its ends: `offer`
/// says what each is to be sent, and LinkSetup makes streams of that, by `adopt`, `connect` or a door.
class StreamFactory {
 public:
  virtual ~StreamFactory() = default;

  /// As models and the command line call it: "tcp".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// How an address of its doors is written: "tcp:HOST:PORT". What stands before the first colon is its alone.
  [[nodiscard]] virtual std::string_view address_form() const = 0;
  /// Whether this is such an address.
  [[nodiscard]] virtual bool reads(std::string_view address) const = 0;

  /// Opens a door that nobody else has, which other machines cannot reach.
  [[nodiscard]] virtual core::Result<std::unique_ptr<Door>> open_door() const = 0;
  /// Opens one that other machines can reach. Its streams are as bare as the transport: for rooms that secure them.
  [[nodiscard]] virtual core::Result<std::unique_ptr<Door>> open_door_at(const DoorPlace& place) const;
  /// Connects, trying again while nobody is there yet. Errors: deadline, cancelled, or why it cannot be.
  [[nodiscard]] virtual core::Result<std::unique_ptr<Stream>> connect(const std::string& address,
                                                                      const ConnectOptions& options,
                                                                      const Until& until) const = 0;

  /// Of how many attachments each end of a link is made; 0: its ends find each other by an address.
  [[nodiscard]] virtual std::size_t attachments_each() const { return 0; }
  /// Both ends of a link. Without attachments the first accepts at its door of this factory, which is among these
  /// addresses (with blanks in between), and the second connects; both are given a new token.
  [[nodiscard]] virtual core::Result<std::array<Offer, 2>> offer(const std::string& addresses) const;
  /// An end that is made of its attachments.
  [[nodiscard]] virtual core::Result<std::unique_ptr<Stream>> adopt(std::vector<Attachment> attachments,
                                                                    bool is_second) const;
};

/// The transports that a program knows. Borrows its rows; they live as long as the program.
///
/// Where two processes are to use different ones, the link between them uses the one further down: each row reaches
/// whatever those above it reach. Only the first may make its ends of attachments.
class FactoryTable {
 public:
  explicit FactoryTable(std::span<const StreamFactory* const> rows) : rows_(rows) {}

  [[nodiscard]] std::span<const StreamFactory* const> rows() const { return rows_; }
  /// What is used where nothing is stated: the fastest within one machine.
  [[nodiscard]] const StreamFactory& usual() const { return *rows_.front(); }
  /// Null if there is none.
  [[nodiscard]] const StreamFactory* named(std::string_view name) const;
  /// Whose address this is; null if nobody reads it.
  [[nodiscard]] const StreamFactory* at(std::string_view address) const;
  /// What joins two processes that use these.
  [[nodiscard]] const StreamFactory& common(const StreamFactory& first, const StreamFactory& second) const;
  /// How addresses are written, for messages: "local:NAME or tcp:HOST:PORT".
  [[nodiscard]] std::string address_forms() const;

 private:
  std::span<const StreamFactory* const> rows_;
};

/// What every program has, plug-ins of tools too: nothing here needs more than the C library. (factories.cpp)
[[nodiscard]] const FactoryTable& standard_factories();

/// The error of an address that no factory reads.
[[nodiscard]] core::Error cannot_read_address(const std::string& address);

}  // namespace tieline::transport
