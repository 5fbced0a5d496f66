#include "secure/lasting_stream.hpp"

#include <algorithm>
#include <cstring>

#include "transport/bytes.hpp"

namespace tieline::secure {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using transport::Clock;
using transport::Interest;

// What is kept at first: the windows of usual links.
constexpr std::size_t kFirstRing = std::size_t{64} << 10;
// The share of what a partner may keep that may come before it is told, where nothing is sent anyway.
constexpr std::uint64_t kTellShare = 8;
// Between two attempts to connect again.
constexpr std::chrono::milliseconds kPause{200};

void put_header(std::byte* at, PieceKind kind, std::size_t size, std::uint64_t received) {
  transport::store_wire(at, static_cast<std::uint32_t>(size));
  transport::store_wire(at + 4, static_cast<std::uint32_t>(kind));
  transport::store_wire(at + 8, received);
}

Error partner_left() { return {.code = ErrorCode::peer_lost, .message = "the partner has closed the connection"}; }

}  // namespace

void Meeting::leave(std::unique_ptr<TlsStream> connection) {
  {
    const std::lock_guard lock(mutex_);
    connection_ = std::move(connection);
    has_any_.store(true, std::memory_order_release);
  }
  bell_.ring();
}

std::unique_ptr<TlsStream> Meeting::take() {
  const std::lock_guard lock(mutex_);
  has_any_.store(false, std::memory_order_release);
  return std::move(connection_);
}

void Meeting::note_failure(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  failure_ = reason;
}

std::string Meeting::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

LastingStream::LastingStream(std::unique_ptr<TlsStream> connection, std::shared_ptr<Meeting> meeting,
                             Reconnect reconnect, std::shared_ptr<Caretaker> caretaker, LastingOptions options)
    : options_(options),
      meeting_(std::move(meeting)),
      reconnect_(std::move(reconnect)),
      caretaker_(std::move(caretaker)),
      connection_(std::move(connection)),
      ring_(kFirstRing) {
  staged_.reserve(kPieceHeader + kLargestPiece);
  caretaker_->add(*this);
}

LastingStream::~LastingStream() {
  caretaker_->remove(*this);
  close();
  is_ending_ = true;
  if (reconnecting_.joinable()) reconnecting_.join();
}

void LastingStream::end(Error error) {
  if (phase_ == Phase::over) return;
  phase_ = Phase::over;
  end_ = std::move(error);
  if (connection_) connection_->close();
  // Whoever sleeps finds the end.
  meeting_->bell().ring();
}

void LastingStream::break_off(const Error& error) {
  if (phase_ == Phase::broken || phase_ == Phase::over) return;
  if (says_goodbye_) return end(partner_left());
  // A second break in a row does not start the time again.
  if (phase_ == Phase::connected) deadline_ = Clock::now() + options_.grace;
  phase_ = Phase::broken;
  cause_ = error;
  former_ = std::move(connection_);
  staged_.clear();
  staged_payload_ = 0;
  header_have_ = 0;
  piece_left_ = 0;
  if (!reconnect_) return;
  if (reconnecting_.joinable()) reconnecting_.join();
  reconnecting_ = std::thread([this, until = deadline_] { run_reconnect(until); });
}

void LastingStream::run_reconnect(Clock::time_point deadline) {
  while (!is_ending_ && Clock::now() < deadline) {
    auto made = reconnect_(meeting_->number(), {.deadline = deadline, .cancel = &is_ending_});
    if (made) return meeting_->leave(std::move(*made));
    meeting_->note_failure(made.error().message);
    transport::Waiter nobody;
    const auto paused = nobody.wait({.deadline = std::min(deadline, Clock::now() + kPause), .cancel = &is_ending_});
    if (!paused) break;
  }
  meeting_->bell().ring();
}

void LastingStream::adopt_next() {
  auto next = meeting_->take();
  if (next == nullptr || phase_ == Phase::over) return;
  // A partner that has noticed a break before we have.
  if (phase_ == Phase::connected) deadline_ = Clock::now() + options_.grace;
  if (phase_ != Phase::broken) {
    // Whoever sleeps on it wakes.
    former_ = std::move(connection_);
    former_->close();
  }
  connection_ = std::move(next);
  phase_ = Phase::greeting;
  ++healed_;
  header_have_ = 0;
  piece_left_ = 0;
  staged_.clear();
  stage(PieceKind::continues, 0);
  (void)flush_staged();
}

Result<void> LastingStream::look_up() {
  if (phase_ == Phase::over) return *end_;
  if (meeting_->has_any()) adopt_next();
  if (phase_ == Phase::broken && Clock::now() >= deadline_) {
    std::string message = "the connection broke (" + cause_.message + ") and could not be made again within " +
                          std::to_string(options_.grace.count() / 1000) + " s";
    if (const std::string last = meeting_->failure(); !last.empty()) message += ": " + last;
    end({.code = ErrorCode::peer_lost, .message = std::move(message)});
    return *end_;
  }
  return {};
}

void LastingStream::grow(std::size_t needed) {
  std::size_t size = ring_.size();
  while (size < needed) size *= 2;
  std::vector<std::byte> larger(size);
  for (std::uint64_t at = kept_begin_; at < kept_end_; ++at) larger[at & (size - 1)] = ring_[at & (ring_.size() - 1)];
  ring_ = std::move(larger);
}

void LastingStream::keep(std::span<const std::byte> bytes) {
  const auto kept = static_cast<std::size_t>(kept_end_ - kept_begin_);
  if (kept + bytes.size() > ring_.size()) grow(kept + bytes.size());
  const std::size_t place = kept_end_ & (ring_.size() - 1);
  const std::size_t first = std::min(bytes.size(), ring_.size() - place);
  std::memcpy(ring_.data() + place, bytes.data(), first);
  std::memcpy(ring_.data(), bytes.data() + first, bytes.size() - first);
  kept_end_ += bytes.size();
}

void LastingStream::stage(PieceKind kind, std::size_t payload) {
  staged_.resize(kPieceHeader + payload);
  put_header(staged_.data(), kind, payload, received_);
  told_ = received_;
  staged_payload_ = payload;
  if (payload == 0) return;
  const std::size_t place = sent_ & (ring_.size() - 1);
  const std::size_t first = std::min(payload, ring_.size() - place);
  std::memcpy(staged_.data() + kPieceHeader, ring_.data() + place, first);
  std::memcpy(staged_.data() + kPieceHeader + first, ring_.data(), payload - first);
}

bool LastingStream::flush_staged() {
  if (staged_.empty()) return true;
  auto count = connection_->write_some(staged_);
  if (!count) {
    break_off(count.error());
    return false;
  }
  if (*count == 0) return false;
  // A record is taken as a whole.
  sent_ += staged_payload_;
  staged_payload_ = 0;
  staged_.clear();
  return true;
}

void LastingStream::pump() {
  while ((phase_ == Phase::connected || phase_ == Phase::greeting) && flush_staged()) {
    if (phase_ != Phase::connected || !has_unsent()) return;
    stage(PieceKind::data, std::min<std::size_t>(kLargestPiece, static_cast<std::size_t>(kept_end_ - sent_)));
  }
}

Result<std::size_t> LastingStream::write_some(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (auto looked = look_up(); !looked) return looked.error();
  if (bytes.empty()) return std::size_t{0};
  pump();
  if (phase_ == Phase::over) return *end_;
  // While connected, only what the connection takes counts as written, so that whoever writes waits for room.
  if (phase_ == Phase::connected && has_unsent()) return std::size_t{0};
  const auto kept = static_cast<std::size_t>(kept_end_ - kept_begin_);
  const std::size_t count = std::min(bytes.size(), options_.most_kept - std::min(options_.most_kept, kept));
  if (count == 0) return std::size_t{0};
  keep(bytes.first(count));
  pump();
  if (phase_ == Phase::over) return *end_;
  return count;
}

bool LastingStream::confirm(std::uint64_t received) {
  if (received < kept_begin_ || received > kept_end_) return received < kept_begin_;
  kept_begin_ = received;
  return true;
}

Result<bool> LastingStream::read_header() {
  while (header_have_ < kPieceHeader) {
    auto count = connection_->read_some(std::span(header_).subspan(header_have_));
    if (!count) return std::move(count.error());
    if (*count == 0) return false;
    header_have_ += *count;
  }
  header_have_ = 0;
  return true;
}

Result<void> LastingStream::take_header() {
  const auto size = transport::load_wire<std::uint32_t>(header_.data());
  const auto kind = static_cast<PieceKind>(transport::load_wire<std::uint32_t>(header_.data() + 4));
  const auto received = transport::load_wire<std::uint64_t>(header_.data() + 8);
  const Error bad{.code = ErrorCode::protocol, .message = "the partner sent a piece of a stream that is not valid"};
  const bool has_bytes = kind == PieceKind::data;
  if (size > kLargestPiece || has_bytes != (size > 0)) return bad;
  switch (kind) {
    case PieceKind::continues:
      if (phase_ != Phase::greeting || received < kept_begin_ || received > kept_end_) return bad;
      kept_begin_ = sent_ = received;
      phase_ = Phase::connected;
      former_.reset();
      pump();
      return {};
    case PieceKind::unknown:
      return Error{.code = ErrorCode::peer_lost, .message = "the partner has ended"};
    case PieceKind::data:
    case PieceKind::received:
      if (phase_ != Phase::connected || !confirm(received)) return bad;
      piece_left_ = size;
      return {};
    case PieceKind::goodbye:
      return partner_left();
    default:
      return bad;
  }
}

std::size_t LastingStream::fill(std::span<std::byte> bytes) {
  while (phase_ == Phase::connected || phase_ == Phase::greeting) {
    if (piece_left_ > 0) {
      auto count = connection_->read_some(bytes.first(std::min(bytes.size(), piece_left_)));
      if (!count) {
        break_off(count.error());
        return 0;
      }
      piece_left_ -= *count;
      received_ += *count;
      return *count;
    }
    const auto has_header = read_header();
    if (!has_header) {
      break_off(has_header.error());
      return 0;
    }
    if (!*has_header) return 0;
    if (auto taken = take_header(); !taken) end(taken.error());
  }
  return 0;
}

std::size_t LastingStream::take_set_aside(std::span<std::byte> bytes) {
  const std::size_t count = std::min(bytes.size(), set_aside_.size() - set_aside_begin_);
  std::copy_n(set_aside_.begin() + static_cast<std::ptrdiff_t>(set_aside_begin_), count, bytes.begin());
  set_aside_begin_ += count;
  if (set_aside_begin_ == set_aside_.size()) {
    set_aside_.clear();
    set_aside_begin_ = 0;
  }
  return count;
}

Result<std::size_t> LastingStream::read_some(std::span<std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes.empty()) return std::size_t{0};
  if (!set_aside_.empty()) return take_set_aside(bytes);
  if (auto looked = look_up(); !looked) return looked.error();
  if (phase_ == Phase::broken) {
    former_.reset();
    return std::size_t{0};
  }
  const std::size_t count = fill(bytes);
  if (count > 0) return count;
  if (phase_ == Phase::connected) {
    if (received_ - told_ >= options_.most_kept / kTellShare && staged_.empty()) stage(PieceKind::received, 0);
    pump();
  }
  if (phase_ == Phase::over) return *end_;
  return std::size_t{0};
}

void LastingStream::care() {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::over || !look_up()) return;
  // A connection that was cut has ended behind what it still brings; one that is new has to be agreed on first.
  const bool is_cut = phase_ == Phase::connected && connection_->is_cut();
  std::array<std::byte, 4096> piece{};
  while (phase_ == Phase::greeting || (is_cut && phase_ == Phase::connected)) {
    const std::size_t count = fill(piece);
    set_aside_.insert(set_aside_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    if (count == 0) break;
  }
  // Cut, but not for reading: then writing finds out.
  if (phase_ == Phase::connected) pump();
  if (!set_aside_.empty()) meeting_->bell().ring();
}

transport::Waitable LastingStream::waitable(Interest interest) const {
  const std::lock_guard lock(mutex_);
  if (connection_ == nullptr || phase_ == Phase::over) return meeting_->bell().waitable();
  // Confirmations make room here, and come as input.
  const bool is_stuck = has_unsent() || !staged_.empty();
  const bool is_full = kept_end_ - kept_begin_ >= options_.most_kept;
  return connection_->waitable(
      {.input = interest.input || interest.room,
       .room = phase_ == Phase::greeting ? !staged_.empty() : is_stuck || (interest.room && !is_full)});
}

bool LastingStream::arm(Interest interest) {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::over || meeting_->has_any()) return false;
  if (interest.input && !set_aside_.empty()) return false;
  if (phase_ == Phase::broken) {
    former_.reset();
    return Clock::now() < deadline_;
  }
  return connection_->arm({.input = true, .room = interest.room});
}

bool LastingStream::woken(bool is_ready, Interest interest) {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::over || phase_ == Phase::broken || meeting_->has_any()) {
    if (is_ready) meeting_->bell().silence();
    return is_ready;
  }
  const bool may_continue = connection_->woken(is_ready, interest);
  if (is_ready) pump();
  return may_continue;
}

void LastingStream::close() {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::connected && (says_goodbye_ = flush_staged())) {
    stage(PieceKind::goodbye, 0);
    (void)flush_staged();
  }
  is_ending_ = true;
  end(partner_left());
}

Result<void> send_first_piece(TlsStream& connection, PieceKind kind, const transport::Token& number,
                              const transport::Until& until) {
  std::array<std::byte, kPieceHeader + transport::Token::kSize> piece{};
  put_header(piece.data(), kind, transport::Token::kSize, 0);
  std::copy(number.bytes().begin(), number.bytes().end(), piece.begin() + kPieceHeader);
  transport::Waiter waiter({.spin = {}});
  waiter.want(waiter.add(connection), {.room = true});
  while (true) {
    const auto count = connection.write_some(piece);
    if (!count) return count.error();
    if (*count > 0) return {};
    const auto outcome = waiter.wait(until);
    if (!outcome) return outcome.error();
    if (*outcome != transport::Waiter::Outcome::ready) {
      return Error{.code = ErrorCode::deadline, .message = "the partner did not answer in time"};
    }
  }
}

}  // namespace tieline::secure
