#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "secure/identity.hpp"
#include "secure/tls_factory.hpp"
#include "transport/stream_factory.hpp"

namespace tieline::processes {

/// Variable in which a native process of a run with several hosts finds its card. Its value is a secret.
inline constexpr const char* kCardVariable = "TIELINE_CARD";

/// What a process needs to be one of a run on several hosts.
struct NetworkCard {
  secure::Identity identity{};
  secure::Outside outside{};
  std::chrono::milliseconds grace = std::chrono::seconds(30);

  /// In one word, for an environment.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<NetworkCard> parse(std::string_view text);
};

/// The transports of a process in one run: those within a machine, and with a card those between machines.
class Network {
 public:
  /// Of a run on one machine.
  Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  [[nodiscard]] static core::Result<std::unique_ptr<Network>> join(const NetworkCard& card);

  [[nodiscard]] const transport::FactoryTable& factories() const { return table_; }
  /// What joins hosts; null in a run on one machine.
  [[nodiscard]] const transport::StreamFactory* between_hosts() const { return tls_.get(); }

 private:
  std::unique_ptr<secure::TlsFactory> tls_{};
  std::vector<const transport::StreamFactory*> rows_;
  transport::FactoryTable table_;
};

}  // namespace tieline::processes
