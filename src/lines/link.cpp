#include "lines/link.hpp"

#include <cmath>

namespace tieline::lines {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::size_t kKnotNumbers = 4;
static_assert(sizeof(wave::Knot) == kKnotNumbers * sizeof(double));
constexpr std::size_t kAccountNumbers = 10;  // and the tick before them
static_assert(sizeof(wave::EndAccount) == sizeof(std::int64_t) + kAccountNumbers * sizeof(double));

void put_knots(transport::Encoder& encoder, const std::vector<wave::Knot>& knots) {
  encoder.count(knots.size());
  encoder.raw_doubles({reinterpret_cast<const double*>(knots.data()), kKnotNumbers * knots.size()});
}

void put_account(transport::Encoder& encoder, const wave::EndAccount& account) {
  encoder.i64(account.tick);
  encoder.raw_doubles({&account.t, kAccountNumbers});
}

void take_account(transport::Decoder& decoder, wave::EndAccount& account) {
  account.tick = decoder.i64();
  decoder.raw_doubles({&account.t, kAccountNumbers});
}

/// What an own end has sent goes into the frame, and leaves its queue.
template <class Put>
void drain(DeliveryRing& ring, Put&& put) {
  Delivery* const delivery = ring.front();
  if (delivery == nullptr) return;
  put(*delivery);
  ring.pop();
}

}  // namespace

Error Link::wrong(const std::string& what) const {
  return {.code = ErrorCode::protocol,
          .message = what,
          .component = partner_.name,
          .time = rule_.grid.time(reached_.load(std::memory_order_relaxed))};
}

Error Link::named(Error error) const {
  error.component = partner_.name;
  error.time = rule_.grid.time(reached_.load(std::memory_order_relaxed));
  return error;
}

Result<void> Link::send(Tick end_tick) {
  const std::lock_guard lock(sending_);
  transport::Encoder encoder = writer_.begin(kWindowType);
  encoder.i64(end_tick);
  for (const Carried& carried : carried_) {
    if (auto* const* line = std::get_if<Line*>(&carried.connection)) {
      drain((*line)->outgoing(carried.own_is_to), [&](const Delivery& delivery) {
        put_knots(encoder, delivery.knots);
        encoder.f64(delivery.emitted_energy);
        if (!carried.own_is_to) put_account(encoder, delivery.account);
      });
    } else if (auto* const* space = std::get_if<SpatialLine*>(&carried.connection)) {
      if (DeliveryRing* const turns = (*space)->outgoing_turns(carried.own_is_to)) {
        drain(*turns, [&](const Delivery& delivery) { put_knots(encoder, delivery.knots); });
      }
    } else if (!carried.own_is_to) {
      drain(std::get<Signal*>(carried.connection)->ring,
            [&](const Delivery& delivery) { put_knots(encoder, delivery.knots); });
    }
  }
  if (auto ended = writer_.end(); !ended) return named(ended.error());
  bytes_sent_.fetch_add(writer_.pending(), std::memory_order_relaxed);
  auto flushed = writer_.flush(*stream_);
  if (!flushed) return named(flushed.error());
  return {};
}

Result<bool> Link::flush() {
  const std::lock_guard lock(sending_);
  auto flushed = writer_.flush(*stream_);
  if (!flushed) return named(flushed.error());
  return flushed;
}

bool Link::has_pending() {
  const std::lock_guard lock(sending_);
  return writer_.has_pending();
}

Result<bool> Link::receive() {
  bool has_any = false;
  while (true) {
    auto frame = reader_.next(*stream_);
    if (!frame) return named(frame.error());
    if (!*frame) return has_any;
    if ((*frame)->type != kWindowType) return wrong("sent a message that does not belong on a link");
    if (tap_) tap_((*frame)->payload);
    if (auto taken = take((*frame)->payload); !taken) return taken.error();
    has_any = true;
  }
}

Delivery* Link::take_delivery(transport::Decoder& decoder, DeliveryRing& ring, Tick end_tick, std::size_t tracks) {
  const auto refuse = [&](const char* problem) -> Delivery* {
    problem_ = problem;
    return nullptr;
  };
  const std::size_t count = decoder.count(sizeof(wave::Knot));
  if (count > kMostKnots || count == 0 || count % tracks != 0) {
    return refuse("sent a wave without a sample, or with too many");
  }
  Delivery* const delivery = ring.begin_push();
  if (delivery == nullptr) return refuse("sent a window before its turn");
  delivery->knots.resize(count);
  decoder.raw_doubles({reinterpret_cast<double*>(delivery->knots.data()), kKnotNumbers * count});
  const double begin = rule_.grid.time(reached_.load(std::memory_order_relaxed));
  const double end = rule_.grid.time(end_tick);
  double last = begin;
  for (const wave::Knot& knot : delivery->knots) {
    if (!std::isfinite(knot.value) || std::isinf(knot.rate) || !std::isfinite(knot.integral)) {
      return refuse("sent a value that is not finite");
    }
    if (!(knot.t >= last && knot.t <= end)) {
      return refuse("sent samples whose times are not in order, or not of the window");
    }
    last = knot.t;
  }
  if (last != end) return refuse("sent a window without its end");
  delivery->end_tick = end_tick;
  delivery->end_time = end;
  return delivery;
}

Result<void> Link::take(std::span<const std::byte> payload) {
  transport::Decoder decoder(payload);
  const Tick end_tick = decoder.i64();
  const Tick begin_tick = reached_.load(std::memory_order_relaxed);
  if (begin_tick >= rule_.grid.stop_tick() || end_tick != rule_.next_bound(begin_tick, partner_.length)) {
    return wrong("sent a window that does not follow on its last one");
  }
  problem_ = nullptr;
  filled_.clear();
  const auto fill = [&](DeliveryRing& ring, std::size_t tracks, auto&& rest) {
    if (problem_ != nullptr) return;
    Delivery* const delivery = take_delivery(decoder, ring, end_tick, tracks);
    if (delivery == nullptr) return;
    rest(*delivery);
    filled_.push_back(&ring);
  };
  for (const Carried& carried : carried_) {
    if (auto* const* line = std::get_if<Line*>(&carried.connection)) {
      fill((*line)->outgoing(!carried.own_is_to), 1, [&](Delivery& delivery) {
        delivery.emitted_energy = decoder.f64();
        if (carried.own_is_to) take_account(decoder, delivery.account);
      });
    } else if (auto* const* space = std::get_if<SpatialLine*>(&carried.connection)) {
      if (DeliveryRing* const turns = (*space)->outgoing_turns(!carried.own_is_to)) {
        fill(*turns, SpatialLine::kParts, [](Delivery&) {});
      }
    } else if (carried.own_is_to) {
      fill(std::get<Signal*>(carried.connection)->ring, 1, [](Delivery&) {});
    }
  }
  if (problem_ != nullptr) return wrong(problem_);
  if (!decoder.is_complete()) return wrong("sent a window that cannot be read");
  // A window counts when all of it is there.
  for (DeliveryRing* const ring : filled_) ring->end_push();
  reached_.store(end_tick);
  return {};
}

}  // namespace tieline::lines
