#include "transport/reception.hpp"

namespace tieline::transport {
namespace {

// How long somebody who has connected may take to say who it is.
constexpr std::chrono::seconds kHelloTime{5};
// Connections that are accepted before anything else is done.
constexpr int kMostAtOnce = 256;

}  // namespace

core::Result<void> Reception::take_in(Door& door, const Meet& meet) {
  for (int count = 0; count < kMostAtOnce; ++count) {
    auto stream = door.accept();
    if (!stream) return std::move(stream.error());
    if (*stream == nullptr) return {};
    if (guests_.size() >= most_waiting_) hear(meet);
    if (guests_.size() >= most_waiting_) {
      remove(0);
      ++closed_;
    }
    guests_.push_back({std::move(*stream), HelloReceiver(has_token_, Clock::now() + kHelloTime)});
    places_.push_back(waiter_.add(*guests_.back().stream));
  }
  return {};
}

void Reception::hear(const Meet& meet) {
  for (std::size_t i = 0; i < guests_.size();) {
    Guest& guest = guests_[i];
    if (guest.receiver.advance(*guest.stream, Clock::now()) == HelloReceiver::State::waiting) {
      ++i;
      continue;
    }
    Guest known = std::move(guest);
    remove(i);
    meet(known);
  }
}

void Reception::remove(std::size_t index) {
  waiter_.remove(places_[index]);
  places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(index));
  guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(index));
}

Clock::time_point Reception::next_deadline() const {
  return guests_.empty() ? Clock::time_point::max() : guests_.front().receiver.deadline();
}

}  // namespace tieline::transport
