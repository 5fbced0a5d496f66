#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "core/time_grid.hpp"
#include "lines/track_log.hpp"
#include "transport/bell.hpp"
#include "transport/frame.hpp"
#include "transport/stream.hpp"
#include "transport/waiter.hpp"

namespace tieline::studies {

/// Plays to a component what its partners have sent it in an earlier run, as fast as it takes it, and drops what it
/// sends.
///
/// A partner's window is played once the component has come beyond the window's start (and by as much more as it needs
/// to continue): never earlier than the partner itself could have sent it, so that the queues of the component suffice.
/// Call order: `add` every link, `start`. A thread of its own plays; the destructor ends it.
class TrackPlayer {
 public:
  /// `tick` is where all stand.
  explicit TrackPlayer(core::Tick tick);
  ~TrackPlayer();
  TrackPlayer(const TrackPlayer&) = delete;
  TrackPlayer& operator=(const TrackPlayer&) = delete;

  /// A component that stands at n runs its next window once the partner has completed n + `need` [ticks].
  void add(std::unique_ptr<transport::Stream> stream, std::vector<lines::TrackRecord> windows, core::Tick need);
  void start();
  /// Whether all windows are with the component, and it has reported that it has reached `tick`. From any thread.
  [[nodiscard]] bool is_over(core::Tick tick) const;

 private:
  struct Played {
    std::unique_ptr<transport::Stream> stream;
    std::vector<lines::TrackRecord> windows;
    core::Tick need = 0;
    core::Tick partner = 0, component = 0;  ///< how far each has come
    std::size_t next = 0;                   ///< window
    std::size_t place = 0;
    bool is_closed = false;
    transport::FrameReader reader{};
    transport::FrameWriter writer{};
  };
  void run();
  /// False if the component is gone.
  static bool exchange(Played& link);

  core::Tick tick_;
  std::deque<Played> links_;
  transport::Waiter waiter_{{.spin = {}}};
  transport::Bell bell_;
  std::atomic<core::Tick> reached_;
  std::atomic<bool> has_played_all_{false};
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

/// When the window ends that a frame of a link holds.
[[nodiscard]] core::Tick end_of_window(const lines::TrackRecord& window);

}  // namespace tieline::studies
