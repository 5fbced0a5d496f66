#include "lines/link.hpp"

#include <algorithm>

namespace tieline::lines {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

}  // namespace

void Link::carry(Connection& connection, bool own_is_to) {
  for (const Section section : kSections) {
    if (!connection.uses(section)) continue;
    const auto behind = std::upper_bound(carried_.begin(), carried_.end(), section,
                                         [](Section a, const Carried& b) { return a < b.section; });
    carried_.insert(behind, {&connection, section, own_is_to});
  }
}

void Link::carry_between(int own_node, int partner_node, Connections connections) {
  for (const auto& connection : connections) {
    for (const bool own_is_to : {false, true}) {
      const bool is_between = connection->node(own_is_to) == own_node && connection->node(!own_is_to) == partner_node;
      if (is_between) carry(*connection, own_is_to);
    }
  }
}

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
  for (const Carried& carried : carried_) carried.connection->put(carried.section, carried.own_is_to, encoder);
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
    if ((*frame)->type != kWindowType) return wrong("sent a message that is not valid on a link");
    if (tap_) tap_((*frame)->payload);
    if (auto taken = take((*frame)->payload); !taken) return taken.error();
    has_any = true;
  }
}

Result<void> Link::take(std::span<const std::byte> payload) {
  const Tick end_tick = window_.open(payload);
  const Tick start_tick = reached_.load(std::memory_order_relaxed);
  if (start_tick >= rule_.grid.stop_tick() || end_tick != rule_.next_bound(start_tick, partner_.length)) {
    return wrong("sent a window that does not follow its last one");
  }
  window_.expect({end_tick, rule_.grid.time(start_tick), rule_.grid.time(end_tick)});
  for (const Carried& carried : carried_) carried.connection->take(carried.section, !carried.own_is_to, window_);
  if (const char* const problem = window_.commit()) return wrong(problem);
  reached_.store(end_tick);
  return {};
}

}  // namespace tieline::lines
