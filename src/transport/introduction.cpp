#include "transport/introduction.hpp"

namespace tieline::transport {
namespace {

/// Between two attempts: long enough for the other side to hear who waits.
constexpr std::chrono::milliseconds kPause{20};

}  // namespace

core::Result<Connection> connect_as(const Hello& hello, const Destination& destination, const ConnectOptions& options,
                                    const FactoryTable& factories, const Until& until) {
  const StreamFactory* const factory = factories.at(destination.address);
  if (factory == nullptr) return cannot_read_address(destination.address);
  for (;;) {
    auto stream = factory->connect(destination.address, options, until);
    if (!stream) return std::move(stream.error());
    Connection connection(std::move(*stream), destination.partner);
    auto introduced = introduce(connection, hello, until);
    if (introduced) return connection;
    if (introduced.error().code != core::ErrorCode::peer_lost) return std::move(introduced.error());
    Waiter nobody;
    const auto outcome = nobody.wait(until.or_at(Clock::now() + kPause));
    if (!outcome) return outcome.error();
    if (*outcome == Waiter::Outcome::cancelled) return wait_failed(*outcome, destination.partner);
    if (Clock::now() >= until.deadline) return std::move(introduced.error());
  }
}

}  // namespace tieline::transport
