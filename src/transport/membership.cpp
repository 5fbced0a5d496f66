#include "transport/membership.hpp"

#include <csignal>
#include <pthread.h>
#include <utility>

#include "transport/introduction.hpp"

#include "transport/pause_watch.hpp"

namespace tieline::transport {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Bytes that may wait for the master before whoever sends more has to wait as well.
constexpr std::size_t kMostWaiting = std::size_t{8} << 20;
// How long the end of a session waits for its last words to leave.
constexpr std::chrono::seconds kFarewell{2};
// Attachments that a message may bring: two for each link in shared memory.
constexpr std::size_t kMostReceived = 2048;
// Messages of the master that may wait for the tool, and their bytes.
constexpr std::size_t kMostMessages = 1024;
constexpr std::size_t kMostMessageBytes = 2 * kLargestPayload;

}  // namespace

Result<std::unique_ptr<Membership>> Membership::join(const Invitation& invitation, const Until& until,
                                                     const FactoryTable& factories) {
  const Hello hello{.role = Role::participant, .token = invitation.token, .name = invitation.name};
  auto connection =
      connect_as(hello, {"the master", invitation.address}, {.most_attachments = kMostReceived}, factories, until);
  if (!connection) return connection.error();
  auto [open_stream, reader] = std::move(*connection).release();
  return std::unique_ptr<Membership>(new Membership(std::move(open_stream), std::move(reader)));
}

Membership::Membership(std::unique_ptr<Stream> stream, FrameReader reader)
    : stream_(std::move(stream)), reader_(std::move(reader)) {
  // Signals are for the tool's own threads.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Membership::~Membership() {
  is_ending_ = true;
  bell_.ring();
  thread_.join();
  stream_->close();
}

void Membership::set_beat_interval(double seconds) {
  const std::lock_guard lock(mutex_);
  beat_interval_ = std::chrono::duration<double>(seconds);
}

void Membership::note_wait(const std::string& partner) {
  const std::lock_guard lock(mutex_);
  waits_for_ = partner;
}

void Membership::set_on_beat(std::function<void()> on_beat) {
  const std::scoped_lock lock(beating_, mutex_);
  on_beat_ = std::move(on_beat);
}

Error Membership::stop_reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void Membership::stop(ErrorCode code, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    reason_ = {.code = code, .message = reason};
    is_stopped_ = true;
  }
  arrived_.notify_all();
  has_room_.notify_all();
}

void Membership::take(const Frame& frame) {
  const auto type = static_cast<Message>(frame.type);
  if (type == Message::stop) {
    Decoder decoder(frame.payload);
    const std::string reason(decoder.text());
    stop(ErrorCode::cancelled, reason.empty() ? "stopped by the master" : reason);
    return;
  }
  if (type == Message::end) {
    Decoder decoder(frame.payload);
    end_tick_ = decoder.i64();
    return;
  }
  ReceivedMessage message{.type = type, .payload = {frame.payload.begin(), frame.payload.end()}};
  while (Attachment attachment = stream_->take_attachment()) message.attachments.push_back(std::move(attachment));
  bool has_room = false;
  {
    const std::lock_guard lock(mutex_);
    has_room = inbox_.size() < kMostMessages && inbox_bytes_ + message.payload.size() <= kMostMessageBytes;
    if (has_room) {
      inbox_bytes_ += message.payload.size();
      inbox_.push_back(std::move(message));
    }
  }
  if (!has_room) stop(ErrorCode::protocol, "the master sends more messages than are read");
  arrived_.notify_all();
}

Result<void> Membership::read_all() {
  while (true) {
    auto frame = reader_.next(*stream_);
    if (!frame) return frame.error();
    if (!*frame) return {};
    take(**frame);
  }
}

void Membership::run() {
  Waiter waiter({.spin = {}});
  const std::size_t stream_place = waiter.add(*stream_);
  const std::size_t bell_place = waiter.add(bell_.waitable());
  auto next_beat = Clock::now();
  auto last_words = Clock::time_point::max();
  // The master may have gone on in one breath with its welcome.
  if (auto read = read_all(); !read) stop(ErrorCode::peer_lost, "the master is gone: " + read.error().message);
  while (true) {
    if (is_ending_ && last_words == Clock::time_point::max()) last_words = Clock::now() + kFarewell;
    {
      const std::lock_guard lock(mutex_);
      if (task_ != nullptr) (*std::exchange(task_, nullptr))();
      arrived_.notify_all();
    }
    bool has_pending = false;
    {
      const std::lock_guard lock(writing_);
      if (auto flushed = writer_.flush(*stream_); !flushed) writer_.clear();
      has_pending = writer_.has_pending();
    }
    if (!has_pending) has_room_.notify_all();
    const auto now = Clock::now();
    if (is_ending_ && (!has_pending || now >= last_words)) return;
    waiter.want(stream_place, {.input = !is_stopped_, .room = has_pending});
    auto waited = waiter.wait({.deadline = std::min(next_beat, last_words)});
    if (!waited) return stop(ErrorCode::peer_lost, waited.error().message);
    if (waiter.is_ready(bell_place)) bell_.silence();
    if (waiter.is_ready(stream_place)) {
      if (auto read = read_all(); !read) {
        stop(ErrorCode::peer_lost, "the master is gone: " + read.error().message);
        if (is_ending_) return;
        waiter.remove(stream_place);
        while (!is_ending_) {
          auto idle = waiter.wait({.deadline = Clock::now() + kFarewell});
          if (!idle) return;
        }
        return;
      }
    }
    if (Clock::now() < next_beat) continue;
    Beat beat{.tick = tick_.load(std::memory_order_relaxed)};
    {
      const std::lock_guard running(beating_);
      std::function<void()> on_beat;
      {
        const std::lock_guard lock(mutex_);
        beat.waits_for = waits_for_;
        on_beat = on_beat_;
        next_beat = Clock::now() + std::chrono::duration_cast<Clock::duration>(beat_interval_);
      }
      if (on_beat) on_beat();
    }
    const std::lock_guard lock(writing_);
    encode(writer_.begin(static_cast<std::uint16_t>(Message::beat)), beat);
    if (auto ended = writer_.end(); !ended) writer_.clear();
  }
}

bool Membership::run_there(const std::function<void()>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  bell_.ring();
  const bool is_done = arrived_.wait_for(lock, kFarewell, [&] { return task_ == nullptr; });
  task_ = nullptr;
  return is_done;
}

Result<ReceivedMessage> Membership::receive(const Until& until) {
  std::unique_lock lock(mutex_);
  auto deadline = until.deadline;
  PauseWatch pauses;
  while (inbox_.empty()) {
    if (is_stopped_) return reason_;
    if (until.is_cancelled()) {
      return Error{.code = ErrorCode::cancelled, .message = "stopped on request"};
    }
    pauses.extend(deadline);
    const auto now = Clock::now();
    if (now >= deadline) {
      return Error{.code = ErrorCode::deadline, .message = "the master did not answer in time"};
    }
    arrived_.wait_until(lock, std::min(deadline, now + kCancelInterval));
  }
  ReceivedMessage message = std::move(inbox_.front());
  inbox_.pop_front();
  inbox_bytes_ -= message.payload.size();
  return message;
}

Result<void> Membership::send(Message type, const std::function<void(Encoder)>& fill) {
  std::unique_lock lock(writing_);
  // The thread itself never waits for room: it is the one that makes some.
  while (writer_.pending() > kMostWaiting && !is_stopped_ && std::this_thread::get_id() != thread_.get_id()) {
    has_room_.wait_for(lock, kCancelInterval);
  }
  fill(writer_.begin(static_cast<std::uint16_t>(type)));
  if (auto ended = writer_.end(); !ended) return ended;
  auto flushed = writer_.flush(*stream_);
  if (!flushed) {
    writer_.clear();
    return flushed.error();
  }
  lock.unlock();
  if (!*flushed) bell_.ring();
  return {};
}

}  // namespace tieline::transport
