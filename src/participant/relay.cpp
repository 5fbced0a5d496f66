#include "participant/relay.hpp"

namespace tieline::participant {
namespace {

constexpr std::size_t kBufferSize = std::size_t{64} << 10;
// No wait is longer, whether or not somebody rings.
constexpr std::chrono::seconds kLookAgain{1};

}  // namespace

Relay::Relay() { (void)waiter_.add(bell_.waitable()); }

Relay::~Relay() {
  if (!thread_.joinable()) return;
  is_ending_ = true;
  bell_.ring();
  thread_.join();
}

void Relay::add(std::unique_ptr<transport::Stream> first, std::unique_ptr<transport::Stream> second) {
  const std::shared_ptr<transport::Stream> a = std::move(first), b = std::move(second);
  const std::size_t place_a = waiter_.add(*a), place_b = waiter_.add(*b);
  directions_.push_back({a, b, place_a, place_b, std::vector<std::byte>(kBufferSize)});
  directions_.push_back({b, a, place_b, place_a, std::vector<std::byte>(kBufferSize)});
}

void Relay::start() {
  thread_ = std::thread([this] { run(); });
}

void Relay::pass(Direction& direction) {
  while (!direction.is_over) {
    if (direction.begin == direction.end) {
      auto read = direction.from->read_some(direction.buffer);
      if (read && *read == 0) return;
      direction.begin = 0;
      direction.end = read ? *read : 0;
      direction.is_over = !read;
    }
    while (direction.begin < direction.end) {
      auto written = direction.to->write_some(
          std::span(direction.buffer).subspan(direction.begin, direction.end - direction.begin));
      if (!written) direction.is_over = true;
      if (!written || *written == 0) break;
      direction.begin += *written;
    }
    if (direction.begin < direction.end) return;
  }
}

void Relay::run() {
  while (!is_ending_) {
    for (std::size_t i = 0; i < directions_.size(); ++i) {
      Direction& direction = directions_[i];
      // The two directions of a pair lie side by side.
      Direction& back = directions_[i ^ 1];
      if (direction.is_over) continue;
      waiter_.want(direction.from_place, {.input = direction.begin == direction.end, .room = back.begin < back.end});
    }
    if (auto waited = waiter_.wait(transport::Until::in(kLookAgain)); !waited) return;
    for (std::size_t i = 0; i < directions_.size(); i += 2) {
      Direction& there = directions_[i];
      Direction& back = directions_[i + 1];
      if (there.from == nullptr) continue;
      pass(there);
      pass(back);
      if (!there.is_over && !back.is_over) continue;
      // Each end gets what was said before, and then finds the other gone.
      waiter_.remove(there.from_place);
      waiter_.remove(back.from_place);
      there.from->close();
      back.from->close();
      there = back = {.is_over = true};
    }
  }
}

}  // namespace tieline::participant
