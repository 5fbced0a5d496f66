#include "transport/connection.hpp"

namespace tieline::transport {

core::Error wait_failed(Waiter::Outcome outcome, const std::string& partner) {
  if (outcome == Waiter::Outcome::cancelled) {
    return {.code = core::ErrorCode::cancelled, .message = "cancelled while waiting for " + partner};
  }
  return {.code = core::ErrorCode::deadline, .message = partner + " did not answer in time"};
}

Connection::Connection(std::unique_ptr<Stream> stream, std::string partner, WaiterOptions options,
                       std::size_t largest_payload)
    : stream_(std::move(stream)),
      partner_(std::move(partner)),
      reader_(largest_payload),
      waiter_(options),
      place_(waiter_.add(*stream_)) {}

core::Result<void> Connection::wait(Interest interest, const Until& until) {
  waiter_.want(place_, interest);
  auto outcome = waiter_.wait(until);
  if (!outcome) return std::move(outcome.error());
  if (*outcome != Waiter::Outcome::ready) return wait_failed(*outcome, partner_);
  return {};
}

core::Result<void> Connection::flush(const Until& until) {
  for (;;) {
    auto done = writer_.flush(*stream_);
    if (!done) return std::move(done.error());
    if (*done) return {};
    auto takes_more = reader_.pull(*stream_);
    if (!takes_more) return std::move(takes_more.error());
    if (auto ready = wait({.input = *takes_more, .room = true}, until); !ready) return ready;
  }
}

core::Result<Frame> Connection::receive(const Until& until) {
  for (;;) {
    bool is_flushed = true;
    if (writer_.has_pending()) {
      auto done = writer_.flush(*stream_);
      // A partner that is gone may have said why before: that is read first, and the end is found there.
      if (!done && done.error().code != core::ErrorCode::peer_lost) return std::move(done.error());
      is_flushed = !done || *done;
    }
    auto frame = reader_.next(*stream_);
    if (!frame) return std::move(frame.error());
    if (*frame) return **frame;
    if (auto ready = wait({.input = true, .room = !is_flushed}, until); !ready) return std::move(ready.error());
  }
}

}  // namespace tieline::transport
