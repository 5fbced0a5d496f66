#pragma once

#include <memory>
#include <string>

#include "core/result.hpp"
#include "secure/identity.hpp"
#include "transport/stream.hpp"
#include "transport/waiter.hpp"

namespace tieline::secure {

/// What all TLS connections of a process have in common: its identity, and that nothing older than TLS 1.3 and nobody
/// without a certificate of the same run is accepted. May be used from any thread.
class TlsContext {
 public:
  [[nodiscard]] static core::Result<std::shared_ptr<const TlsContext>> make(const Identity& identity);
  ~TlsContext();

  struct Parts;
  [[nodiscard]] const Parts& parts() const { return *parts_; }

 private:
  explicit TlsContext(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// A TLS connection over another stream, which it owns. The handshake happens while it is read and written, since
/// neither waits. What is written before the handshake is over is not taken.
///
/// A record that the inner stream has taken in part is finished by the next `write_some`, which must be given the same
/// bytes again, or more.
class TlsStream final : public transport::Stream {
 public:
  enum class Side { connects, accepts };
  [[nodiscard]] static core::Result<std::unique_ptr<TlsStream>> make(const std::shared_ptr<const TlsContext>& context,
                                                                     std::unique_ptr<transport::Stream> inner,
                                                                     Side side);
  ~TlsStream() override;

  [[nodiscard]] core::Result<std::size_t> write_some(std::span<const std::byte> bytes) override;
  [[nodiscard]] core::Result<std::size_t> read_some(std::span<std::byte> bytes) override;
  [[nodiscard]] transport::Waitable waitable(transport::Interest interest) const override;
  [[nodiscard]] bool arm(transport::Interest interest) override;
  void disarm() override;
  [[nodiscard]] bool woken(bool is_ready, transport::Interest interest) override;
  [[nodiscard]] bool is_cut() const override;
  void close() override;

  /// Continues the handshake; true once it is over. Errors say what is wrong with the certificate, or with the partner.
  [[nodiscard]] core::Result<bool> handshake();
  /// Waits until it is over.
  [[nodiscard]] core::Result<void> complete_handshake(const transport::Until& until);
  [[nodiscard]] bool is_open() const;

 private:
  struct State;
  explicit TlsStream(std::unique_ptr<State> state);
  [[nodiscard]] transport::Interest needed(transport::Interest asked) const;

  std::unique_ptr<State> state_;
};

}  // namespace tieline::secure
