#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/result.hpp"
#include "transport/attachment.hpp"
#include "transport/bell.hpp"
#include "transport/connection.hpp"
#include "transport/frame.hpp"
#include "transport/hello.hpp"
#include "transport/messages.hpp"
#include "transport/stream_factory.hpp"
#include "transport/waiter.hpp"

namespace tieline::transport {

/// A message that has come, with what came beside it.
struct ReceivedMessage {
  Message type{};
  std::vector<std::byte> payload{};
  std::vector<Attachment> attachments{};
};

/// Where a participant finds its master, and as whom it joins.
struct Invitation {
  std::string address{};  ///< of the master's door
  Token token{};
  std::string name{};  ///< of the component
};

/// A participant's side of its control connection.
///
/// A thread of its own reads what the master says and sends signs of life, so that a tool may compute for as long as it
/// likes. A request to stop, or the end of the master, sets `stop_flag`; everything else is handed out by `receive`.
/// `send` and `note` may be called from any thread; `receive` from one.
class Membership {
 public:
  /// Over whichever of the factories reads the address.
  static core::Result<std::unique_ptr<Membership>> join(const Invitation& invitation, const Until& until,
                                                        const FactoryTable& factories = standard_factories());
  /// Sends what is left, for a moment at most, and closes.
  ~Membership();
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  /// The next message; an error if it does not come in time, or the run has been stopped.
  [[nodiscard]] core::Result<ReceivedMessage> receive(const Until& until);
  /// `fill` writes the payload. Waits only where the master does not read what was sent before.
  core::Result<void> send(Message type, const std::function<void(Encoder)>& fill);
  core::Result<void> send(Message type) {
    return send(type, [](Encoder) {});
  }
  /// How often to give a sign of life [s].
  void set_beat_interval(double seconds);
  /// For signs of life: how far it has come, and whom it waits for ("": it computes).
  void note_tick(std::int64_t tick) { tick_.store(tick, std::memory_order_relaxed); }
  void note_wait(const std::string& partner);
  /// Called by the thread before each sign of life, for what is to go at least that often; null: nothing. What was set
  /// before is not running any more when this returns. It must not wait for the thread that sets it.
  void set_on_beat(std::function<void()> on_beat);
  /// Has the thread call a function, and waits until it has; false if it does not come to that, as when the run is
  /// over.
  [[nodiscard]] bool run_there(const std::function<void()>& task);

  [[nodiscard]] const std::atomic<bool>& stop_flag() const { return is_stopped_; }
  /// The tick at which the run ends, where the master has said so; otherwise none.
  [[nodiscard]] const std::atomic<std::int64_t>& end_tick() const { return end_tick_; }
  /// Why the run was stopped: what the master said, or that it is gone.
  [[nodiscard]] core::Error stop_reason() const;

 private:
  Membership(std::unique_ptr<Stream> stream, FrameReader reader);
  void run();
  core::Result<void> read_all();
  void take(const Frame& frame);
  void stop(core::ErrorCode code, const std::string& reason);

  std::unique_ptr<Stream> stream_;
  FrameReader reader_;
  Bell bell_;
  std::mutex writing_;  ///< guards the writer
  std::condition_variable has_room_;
  FrameWriter writer_{};
  std::mutex beating_;        ///< held while `on_beat_` runs
  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable arrived_;
  std::deque<ReceivedMessage> inbox_;
  std::size_t inbox_bytes_ = 0;
  core::Error reason_{};
  std::string waits_for_;
  std::function<void()> on_beat_;
  const std::function<void()>* task_ = nullptr;  ///< for the thread to call
  std::chrono::duration<double> beat_interval_{0.5};
  std::atomic<std::int64_t> tick_{0};
  std::atomic<std::int64_t> end_tick_{std::numeric_limits<std::int64_t>::max()};
  std::atomic<bool> is_stopped_{false};
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace tieline::transport
