#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "lines/connection.hpp"
#include "lines/ends.hpp"
#include "lines/window_reader.hpp"
#include "transport/frame.hpp"
#include "transport/stream.hpp"

namespace tieline::lines {

/// Type of a link's frames.
inline constexpr std::uint16_t kWindowType = 64;

/// The other end of a link, as the model has it.
struct LinkPartner {
  std::string name{};  ///< of the component or group
  Tick length = 1;     ///< of its windows
};

/// What a node of this process and one of another send each other: after each window a frame with what all their
/// connections carry, or an empty one where only progress is to be sent (docs/protocol.md, "Windows").
///
/// A link stands between queues: `send` empties those of the own ends, `receive` fills those of the partner's. Nothing
/// that comes is trusted: windows must be those that the model prescribes, times and values finite and in order.
/// Call order: `carry` every connection, in the model's order, the same on both sides (`carry_between` does so); then
/// `send` after each window of the own node, by whoever ran it, and `receive` or `flush` by one thread at a time.
class Link {
 public:
  /// `reached` is where the partner's progress is kept.
  Link(const WindowRule& rule, LinkPartner partner, std::atomic<Tick>& reached,
       std::unique_ptr<transport::Stream> stream)
      : rule_(rule), partner_(std::move(partner)), reached_(reached), stream_(std::move(stream)) {}

  void carry(Connection& connection, bool own_is_to);
  /// All connections between a node of this process and the partner.
  void carry_between(int own_node, int partner_node, Connections connections);

  [[nodiscard]] const LinkPartner& partner() const { return partner_; }
  [[nodiscard]] transport::Stream& stream() { return *stream_; }

  /// Sends the window that the own node has completed, as far as the stream takes it.
  [[nodiscard]] core::Result<void> send(Tick end_tick);
  /// Continues sending; true if nothing is left.
  [[nodiscard]] core::Result<bool> flush();
  [[nodiscard]] bool has_pending();
  /// Takes in what has come; true if a window was completed.
  [[nodiscard]] core::Result<bool> receive();
  /// Who receives every frame that comes, before it is used; null: nobody.
  void set_tap(std::function<void(std::span<const std::byte>)> tap) { tap_ = std::move(tap); }
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_.load(std::memory_order_relaxed); }

 private:
  /// What a connection has in one section of a frame.
  struct Carried {
    Connection* connection = nullptr;
    Section section = Section::waves;
    bool own_is_to = false;
  };
  [[nodiscard]] core::Result<void> take(std::span<const std::byte> payload);
  [[nodiscard]] core::Error wrong(const std::string& what) const;
  [[nodiscard]] core::Error named(core::Error error) const;

  WindowRule rule_;
  LinkPartner partner_;
  std::atomic<Tick>& reached_;
  std::unique_ptr<transport::Stream> stream_;
  std::vector<Carried> carried_;  ///< in the order of a frame
  transport::FrameReader reader_{};
  WindowReader window_{};
  std::mutex sending_;  ///< guards the writer: a window's sender and whoever continues for it
  transport::FrameWriter writer_{};
  std::atomic<std::uint64_t> bytes_sent_{0};
  std::function<void(std::span<const std::byte>)> tap_{};
};

}  // namespace tieline::lines
