#include "processes/fleet_driver.hpp"

#include "lines/driven_inputs.hpp"

namespace tieline::processes {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Message;

Error FleetDriver::unreadable() const {
  return {
      .code = ErrorCode::protocol, .message = "sent a message that cannot be read", .component = fleet_->name(member_)};
}

Result<transport::ReceivedMessage> FleetDriver::answer(Message type) {
  const auto patience =
      std::chrono::duration_cast<transport::Clock::duration>(std::chrono::duration<double>(patience_));
  return fleet_->await(member_, type, transport::Until::in(patience, cancel_.load()));
}

Result<transport::Driven> FleetDriver::drive(double begin, double end, bool is_save_point,
                                             core::InterfaceSet& interfaces) {
  const transport::Drive drive{begin, end, is_save_point, lines::driven_inputs(interfaces)};
  auto sent = fleet_->send(member_, Message::drive, [&](transport::Encoder encoder) { encode(encoder, drive); });
  if (!sent) return sent.error();
  auto message = answer(Message::driven);
  if (!message) return message.error();
  auto driven = transport::decode<transport::Driven>(message->payload);
  if (!driven) return unreadable();
  return std::move(*driven);
}

Result<void> FleetDriver::ask(Message type, std::uint64_t number) {
  if (auto sent = fleet_->send(member_, type, [&](transport::Encoder encoder) { encoder.u64(number); }); !sent) {
    return sent;
  }
  auto message = answer(Message::done);
  if (!message) return message.error();
  return {};
}

Result<void> FleetDriver::keep(std::uint64_t number) { return ask(Message::keep, number); }
Result<void> FleetDriver::put_back(std::uint64_t number) { return ask(Message::put_back, number); }

Result<std::string> FleetDriver::save() {
  if (auto sent = fleet_->send(member_, Message::save, [](transport::Encoder) {}); !sent) return sent.error();
  auto message = answer(Message::saved);
  if (!message) return message.error();
  auto saved = transport::decode<transport::Saved>(message->payload);
  if (!saved) return unreadable();
  return std::move(saved->state);
}

Result<void> FleetDriver::restore(const std::string& state) {
  if (has_begun_) {
    return Error{.code = ErrorCode::unsupported,
                 .message = "a program accepts an earlier state only when a run starts",
                 .component = fleet_->name(member_)};
  }
  first_state_ = state;
  return {};
}

}  // namespace tieline::processes
