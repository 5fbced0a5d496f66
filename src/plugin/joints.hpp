#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/interface_set.hpp"
#include "lines/connection.hpp"
#include "lines/link.hpp"
#include "lines/track_log.hpp"
#include "lines/windows.hpp"
#include "transport/messages.hpp"
#include "transport/pause_watch.hpp"
#include "transport/waiter.hpp"

namespace tieline::plugin {

/// The tool's ends of its connections, and the links to whoever has the other ends.
///
/// It is to a tool what the engine is to a component: windows, horizon and order are the same on both sides, and follow
/// from the model alone. Call order: `make` with the master's Begin; then `wait_for_inputs` before a step, `send` at
/// each end of a window, `complete` before the state is sent. One thread.
class Joints {
 public:
  /// Whom a wait is for, and whether it may continue; called now and then while waiting.
  using OnWait = std::function<void(const std::string& partner)>;

  /// `rows` are where tables of lines go, by connection; null if nothing is recorded.
  [[nodiscard]] static core::Result<std::unique_ptr<Joints>> make(
      const transport::Begin& begin, core::InterfaceSet& interfaces,
      std::vector<std::unique_ptr<transport::Stream>> streams,
      const std::function<core::RowSink*(const transport::ConnectionMessage&)>& rows);

  [[nodiscard]] const lines::WindowRule& rule() const { return rule_; }
  [[nodiscard]] lines::Tick done() const { return done_; }
  [[nodiscard]] lines::Tick next_window_end() const { return rule_.next_bound(done_, length_); }
  /// How far inputs are known by the schedule in the present window.
  [[nodiscard]] lines::Tick horizon() const { return std::min(rule_.grid.stop_tick(), done_ + lookahead_); }

  /// How far inputs are to be waited for.
  enum class Reach {
    window,   ///< what a step within the present window needs
    horizon,  ///< all that the schedule allows
  };
  /// Until that much is there. Errors: deadline, cancelled, a lost partner.
  core::Result<void> wait_for_inputs(Reach reach, const transport::Until& until, const OnWait& on_wait);
  /// What the outboxes hold leaves for the partners: the window that ends at the next bound.
  core::Result<void> send();
  /// Until all has left, and partners have come as far.
  core::Result<void> complete(lines::Tick limit, const transport::Until& until, const OnWait& on_wait);

  /// First marked break of an input after t and not after `until`, or Track::kNever.
  [[nodiscard]] double next_break(double t, double until) const;
  [[nodiscard]] bool has_break_at(double t) const;

  [[nodiscard]] std::vector<std::uint64_t> ends();
  [[nodiscard]] std::uint64_t bytes_sent() const;
  [[nodiscard]] double seconds_waiting() const { return seconds_waiting_; }
  /// Keeps a copy of all that comes.
  void set_log(lines::TrackLog* log);

 private:
  struct Peer {
    std::unique_ptr<lines::Link> link{};
    std::atomic<lines::Tick> reached{0};
    lines::Tick length = 1;
    std::size_t place = 0;  ///< in the waiter
    bool is_over = false;   ///< has sent everything, and left
  };
  /// What a window must wait for, as the engine has it.
  struct Dependency {
    std::size_t peer = 0;
    lines::ScheduledDelay delay{};
    bool is_room = false;
  };
  /// A port or interface that stands for the partner's.
  struct FarEnd {
    std::vector<core::Port> ports{};
    std::unique_ptr<core::SpatialInterface> space{};
  };

  Joints(const transport::Begin& begin, core::InterfaceSet& interfaces);
  core::Result<void> add(const transport::ConnectionMessage& message, core::RowSink* rows);
  /// The connection of a message that fits, between the own interface and one that stands for the partner's.
  [[nodiscard]] std::unique_ptr<lines::Connection> make_line(const transport::ConnectionMessage& message,
                                                             const core::RecordPlan& plan);
  [[nodiscard]] std::unique_ptr<lines::Connection> make_space(const transport::ConnectionMessage& message,
                                                              const core::RecordPlan& plan);
  [[nodiscard]] std::unique_ptr<lines::Connection> make_signal(const transport::ConnectionMessage& message);
  void join(std::unique_ptr<lines::Connection> connection, std::size_t peer);
  [[nodiscard]] std::size_t capacity(lines::Tick delay, lines::Tick sender_length, lines::Tick other_length) const;
  [[nodiscard]] std::optional<std::size_t> missing(Reach reach) const;
  /// Takes in what has come, and passes it on to the tracks.
  core::Result<void> exchange();
  void take_in();
  template <class IsDone>
  core::Result<void> wait_until(const transport::Until& until, const OnWait& on_wait, IsDone&& is_done);

  core::InterfaceSet& interfaces_;
  lines::WindowRule rule_;
  lines::Tick done_ = 0, length_ = 1, lookahead_ = 1;
  std::deque<FarEnd> far_ends_;
  std::vector<std::unique_ptr<lines::Connection>> connections_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<Dependency> dependencies_;
  transport::Waiter waiter_{{.spin = {}}};
  double seconds_waiting_ = 0.0;
};

}  // namespace tieline::plugin
