#include "studies/track_player.hpp"

#include <algorithm>
#include <limits>

#include "lines/link.hpp"
#include "transport/bytes.hpp"

namespace tieline::studies {
namespace {

// No wait is longer, whether or not somebody rings.
constexpr std::chrono::seconds kLookAgain{1};

}  // namespace

core::Tick end_of_window(const lines::TrackRecord& window) { return transport::Decoder(window.payload).i64(); }

TrackPlayer::TrackPlayer(core::Tick tick) : tick_(tick), reached_(tick) { (void)waiter_.add(bell_.waitable()); }

TrackPlayer::~TrackPlayer() {
  if (!thread_.joinable()) return;
  is_ending_ = true;
  bell_.ring();
  thread_.join();
}

void TrackPlayer::add(std::unique_ptr<transport::Stream> stream, std::vector<lines::TrackRecord> windows,
                      core::Tick need) {
  Played& link = links_.emplace_back();
  link.stream = std::move(stream);
  link.windows = std::move(windows);
  link.need = std::max<core::Tick>(0, need);
  link.partner = link.component = tick_;
  link.place = waiter_.add(*link.stream);
}

void TrackPlayer::start() {
  thread_ = std::thread([this] { run(); });
}

bool TrackPlayer::is_over(core::Tick tick) const { return has_played_all_ && reached_ >= tick; }

bool TrackPlayer::exchange(Played& link) {
  while (true) {
    auto frame = link.reader.next(*link.stream);
    if (!frame) return false;
    if (!*frame) break;
    if ((*frame)->type == lines::kWindowType) link.component = transport::Decoder((*frame)->payload).i64();
  }
  while (link.next < link.windows.size() && link.partner < link.component + link.need && !link.writer.has_pending()) {
    const lines::TrackRecord& window = link.windows[link.next++];
    link.writer.begin(lines::kWindowType).raw(window.payload);
    if (!link.writer.end() || !link.writer.flush(*link.stream)) return false;
    link.partner = end_of_window(window);
  }
  return static_cast<bool>(link.writer.flush(*link.stream));
}

void TrackPlayer::run() {
  while (!is_ending_) {
    core::Tick reached = std::numeric_limits<core::Tick>::max();
    bool has_played_all = true;
    for (Played& link : links_) {
      if (link.is_closed) continue;
      if (!exchange(link)) {
        link.is_closed = true;
        waiter_.remove(link.place);
        continue;
      }
      waiter_.want(link.place, {.input = true, .room = link.writer.has_pending()});
      reached = std::min(reached, link.component);
      has_played_all = has_played_all && link.next == link.windows.size() && !link.writer.has_pending();
    }
    reached_ = reached;
    has_played_all_ = has_played_all;
    if (!waiter_.wait(transport::Until::in(kLookAgain))) return;
  }
}

}  // namespace tieline::studies
