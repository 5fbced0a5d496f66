#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "core/result.hpp"
#include "transport/hello.hpp"
#include "transport/stream.hpp"
#include "transport/stream_factory.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {

/// Those who have connected at doors, and have not said who they are. Nobody keeps others out by connecting and saying
/// nothing: only so many wait, each for a short time, and when one more comes the one that has waited longest is
/// closed. Who is closed without an answer tries again (`connect_as`). One thread; borrows the waiter.
class Reception {
 public:
  struct Guest {
    std::unique_ptr<Stream> stream{};
    HelloReceiver receiver;
  };
  /// What becomes of those who are verified, who may be welcomed or refused, and of those who are refused.
  using Meet = std::function<void(Guest& guest)>;

  Reception(Waiter& waiter, HelloCheck has_token, std::size_t most_waiting)
      : waiter_(waiter), has_token_(std::move(has_token)), most_waiting_(most_waiting) {}

  /// Takes in who has come. Those who wait are heard before one of them is closed.
  core::Result<void> take_in(Door& door, const Meet& meet);
  /// Hears those who wait.
  void hear(const Meet& meet);
  /// Gives those who wait more time, where this process has not run for so long.
  void put_off(Clock::duration time) {
    for (Guest& guest : guests_) guest.receiver.put_off(time);
  }
  /// When somebody has waited long enough; never if nobody waits.
  [[nodiscard]] Clock::time_point next_deadline() const;
  [[nodiscard]] std::size_t waiting() const { return places_.size(); }
  /// How many were closed to make room.
  [[nodiscard]] std::size_t closed() const { return closed_; }

 private:
  void remove(std::size_t index);

  Waiter& waiter_;
  HelloCheck has_token_;
  std::size_t most_waiting_;
  std::size_t closed_ = 0;
  std::vector<Guest> guests_;  ///< in the order of their coming
  std::vector<std::size_t> places_;
};

}  // namespace tieline::transport
