#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "transport/bell.hpp"
#include "transport/stream.hpp"
#include "transport/waiter.hpp"

namespace tieline::participant {

/// Passes on what participants send each other, where they are to be joined through the master: bytes, unread.
///
/// `add` every pair, then `start`; the destructor ends it. A thread of its own does the work. Where one end is gone,
/// the other is closed once it has all that was said.
class Relay {
 public:
  Relay();
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  void add(std::unique_ptr<transport::Stream> first, std::unique_ptr<transport::Stream> second);
  void start();
  [[nodiscard]] bool empty() const { return directions_.empty(); }

 private:
  /// From one stream to another.
  struct Direction {
    std::shared_ptr<transport::Stream> from{}, to{};  ///< each stream is the start of one direction and the end of one
    std::size_t from_place = 0, to_place = 0;
    std::vector<std::byte> buffer{};
    std::size_t begin = 0, end = 0;  ///< what `to` has not taken yet
    bool is_over = false;
  };
  void run();
  void pass(Direction& direction);

  std::vector<Direction> directions_;
  transport::Waiter waiter_{{.spin = {}}};
  transport::Bell bell_;
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace tieline::participant
