#pragma once

#include <string>

#include "core/result.hpp"
#include "transport/connection.hpp"
#include "transport/hello.hpp"
#include "transport/stream_factory.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {

/// To whom, as errors call it, and where.
struct Destination {
  std::string partner{};  ///< "the master"
  std::string address{};
};

/// Connects and says hello. Whoever is closed before it is answered, as happens where too many wait at the door, tries
/// again until time is over. Errors: the address, a refusal with its reason, deadline, cancelled.
[[nodiscard]] core::Result<Connection> connect_as(const Hello& hello, const Destination& destination,
                                                  const ConnectOptions& options, const FactoryTable& factories,
                                                  const Until& until);

}  // namespace tieline::transport
