#pragma once

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "secure/tls_factory.hpp"
#include "transport/bell.hpp"
#include "transport/stream_factory.hpp"
#include "transport/waiter.hpp"

/// A network for tests, on the loopback interface, whose cables can be cut.
namespace tieline::secure::test {

using namespace std::chrono_literals;

/// Long enough for any machine; no test waits for it to pass.
inline constexpr auto kPatience = 100s;

inline const transport::StreamFactory& tcp() { return *transport::standard_factories().named("tcp"); }

inline Outside loopback() { return {.address = "127.0.0.1", .door = {.address = "127.0.0.1"}}; }

inline std::unique_ptr<TlsFactory> factory(const Authority& authority, LastingOptions options = {}) {
  auto identity = authority.issue();
  EXPECT_TRUE(identity) << identity.error().message;
  auto made = TlsFactory::make(*identity, loopback(), options);
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

/// Passes bytes on between those who connect to it and a door, and keeps what it has seen.
class Cable {
 public:
  /// `target` is a TLS address on this machine.
  explicit Cable(const std::string& target) : target_("tcp:" + target.substr(4)) {
    auto door = tcp().open_door();
    EXPECT_TRUE(door);
    door_ = std::move(*door);
    thread_ = std::thread([this] { run(); });
  }
  ~Cable() {
    is_ending_ = true;
    bell_.ring();
    thread_.join();
  }
  [[nodiscard]] std::string address() const { return "tls:" + door_->address().substr(4); }
  /// Ends all connections, as a broken switch does.
  void cut() {
    cuts_ = true;
    bell_.ring();
  }
  /// While it is down, whoever connects is cut at once.
  void set_down(bool is_down) {
    is_down_ = is_down;
    cut();
  }
  /// Changes a byte of what passes next.
  void spoil() { spoils_ = true; }
  [[nodiscard]] std::string seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  [[nodiscard]] int connections() const { return connections_; }

 private:
  struct Pipe {
    std::unique_ptr<transport::Stream> ends[2];
    std::size_t places[2] = {0, 0};
    std::vector<std::byte> pending[2];  ///< towards each end
  };
  bool pass(Pipe& pipe) {
    for (int from = 0; from < 2; ++from) {
      auto& out = pipe.pending[1 - from];
      for (;;) {
        while (!out.empty()) {
          auto written = pipe.ends[1 - from]->write_some(out);
          if (!written) return false;
          if (*written == 0) break;
          out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*written));
        }
        if (!out.empty()) break;
        std::vector<std::byte> piece(65536);
        auto count = pipe.ends[from]->read_some(piece);
        if (!count) return false;
        if (*count == 0) break;
        piece.resize(*count);
        if (spoils_.exchange(false)) piece.back() ^= std::byte{1};
        const std::lock_guard lock(mutex_);
        seen_.append(reinterpret_cast<const char*>(piece.data()), piece.size());
        out = std::move(piece);
      }
    }
    return true;
  }
  void drop(std::size_t index) {
    for (int end = 0; end < 2; ++end) {
      waiter_.remove(pipes_[index]->places[end]);
      pipes_[index]->ends[end]->close();
    }
    pipes_.erase(pipes_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  void run() {
    const auto door_place = waiter_.add(door_->waitable());
    const auto bell_place = waiter_.add(bell_.waitable());
    while (!is_ending_) {
      for (auto& pipe : pipes_) {
        for (int end = 0; end < 2; ++end) {
          waiter_.want(pipe->places[end],
                       {.input = pipe->pending[1 - end].empty(), .room = !pipe->pending[end].empty()});
        }
      }
      ASSERT_TRUE(waiter_.wait({}));
      if (waiter_.is_ready(bell_place)) bell_.silence();
      if (cuts_.exchange(false)) {
        while (!pipes_.empty()) drop(0);
      }
      if (waiter_.is_ready(door_place)) {
        auto come = door_->accept();
        ASSERT_TRUE(come);
        if (*come != nullptr && is_down_) (*come)->close();
        if (*come != nullptr && !is_down_) {
          auto gone = tcp().connect(target_, {}, transport::Until::in(kPatience));
          if (gone) {
            ++connections_;
            pipes_.push_back(std::make_unique<Pipe>());
            pipes_.back()->ends[0] = std::move(*come);
            pipes_.back()->ends[1] = std::move(*gone);
            for (int end = 0; end < 2; ++end) pipes_.back()->places[end] = waiter_.add(*pipes_.back()->ends[end]);
          }
        }
      }
      for (std::size_t i = 0; i < pipes_.size();) {
        if (pass(*pipes_[i])) {
          ++i;
        } else {
          drop(i);
        }
      }
    }
  }

  std::string target_;
  std::unique_ptr<transport::Door> door_;
  transport::Bell bell_;
  transport::Waiter waiter_{{.spin = {}}};
  std::vector<std::unique_ptr<Pipe>> pipes_;
  std::atomic<bool> is_ending_{false}, cuts_{false}, is_down_{false}, spoils_{false};
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  std::string seen_;
  std::thread thread_;
};

/// Who has connected, and who has accepted.
struct Ends {
  std::unique_ptr<transport::Stream> first{}, second{};
};

inline std::unique_ptr<transport::Stream> accepted(transport::Door& door) {
  transport::Waiter waiter;
  (void)waiter.add(door.waitable());
  for (;;) {
    auto stream = door.accept();
    EXPECT_TRUE(stream) << stream.error().message;
    if (!stream || *stream != nullptr) return stream ? std::move(*stream) : nullptr;
    EXPECT_EQ(*waiter.wait(transport::Until::in(kPatience)), transport::Waiter::Outcome::ready);
  }
}

inline Ends connected(const TlsFactory& factory, transport::Door& door, const std::string& address) {
  auto first = factory.connect(address, {}, transport::Until::in(kPatience));
  EXPECT_TRUE(first) << first.error().message;
  if (!first) return {};
  return {std::move(*first), accepted(door)};
}

inline void wait_for(transport::Stream& stream, transport::Interest interest = {}) {
  transport::Waiter waiter({.spin = {}});
  waiter.want(waiter.add(stream), interest);
  EXPECT_EQ(*waiter.wait(transport::Until::in(kPatience)), transport::Waiter::Outcome::ready);
}

/// Waits for the end of a stream, and says why it ended.
inline core::Error end_of(transport::Stream& stream) {
  std::vector<std::byte> piece(1000);
  for (;;) {
    auto count = stream.read_some(piece);
    if (!count) return count.error();
    if (*count == 0) wait_for(stream);
  }
}

}  // namespace tieline::secure::test
