#pragma once

#include <memory>
#include <string>

#include "secure/identity.hpp"
#include "secure/lasting_stream.hpp"
#include "secure/tls_stream.hpp"
#include "transport/stream_factory.hpp"

namespace tieline::secure {

/// Where a process of this machine is reached by others.
struct Outside {
  std::string address{};        ///< that others connect to: numeric, or a name
  transport::DoorPlace door{};  ///< where it listens
};

/// TCP with TLS 1.3 and certificates of one run, whose broken connections are made again: how hosts are joined. Its
/// addresses are "tls:HOST:PORT". Unlike other transports it belongs to a run, whose identity it holds.
class TlsFactory final : public transport::StreamFactory {
 public:
  [[nodiscard]] static core::Result<std::unique_ptr<TlsFactory>> make(const Identity& identity, Outside outside,
                                                                      LastingOptions options = {});

  [[nodiscard]] std::string_view name() const override { return "tls"; }
  [[nodiscard]] std::string_view address_form() const override { return "tls:HOST:PORT"; }
  [[nodiscard]] bool reads(std::string_view address) const override;
  [[nodiscard]] core::Result<std::unique_ptr<transport::Door>> open_door() const override;
  [[nodiscard]] core::Result<std::unique_ptr<transport::Stream>> connect(const std::string& address,
                                                                         const transport::ConnectOptions& options,
                                                                         const transport::Until& until) const override;

 private:
  TlsFactory(std::shared_ptr<const TlsContext> context, Outside outside, LastingOptions options)
      : context_(std::move(context)), outside_(std::move(outside)), options_(options) {}

  std::shared_ptr<const TlsContext> context_;
  Outside outside_;
  LastingOptions options_;
  std::shared_ptr<Caretaker> caretaker_ = std::make_shared<Caretaker>();
};

}  // namespace tieline::secure
