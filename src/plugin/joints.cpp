#include "plugin/joints.hpp"

#include <algorithm>
#include <cmath>

#include "lines/ends.hpp"
#include "lines/line.hpp"
#include "lines/signal.hpp"
#include "lines/spatial_line.hpp"

namespace tieline::plugin {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using lines::Tick;
using transport::Clock;
using transport::ConnectionMessage;

// This process is node 0, its partners come behind it.
constexpr int kOwn = 0;
int node_of(std::size_t peer) { return static_cast<int>(peer) + 1; }

// After so long a wait is reported to the master.
constexpr std::chrono::milliseconds kNoteAfter{50};
// What a stream did not take is tried again after this time.
constexpr std::chrono::milliseconds kRetry{1};

Error wrong(const std::string& what) { return {.code = ErrorCode::protocol, .message = what}; }

coupling::LineFigures figures_of(double impedance, double delay, double damping) {
  coupling::LineFigures figures;
  figures.law = {impedance, delay, damping};
  figures.impedance = impedance;
  return figures;
}

core::RecordPlan plan_of(const ConnectionMessage& message, core::RowSink* rows) {
  core::RecordPlan plan{.sink = rows, .interval = message.row_interval};
  for (const std::uint32_t column : message.columns) plan.selected.push_back(static_cast<int>(column));
  return plan;
}

}  // namespace

Joints::Joints(const transport::Begin& begin, core::InterfaceSet& interfaces)
    : interfaces_(interfaces),
      rule_{core::TimeGrid(begin.start, begin.stop, begin.tick_length), begin.save_interval},
      done_(begin.tick),
      length_(begin.length),
      lookahead_(begin.lookahead),
      waiter_({.spin = std::chrono::nanoseconds(begin.spin)}) {}

Result<std::unique_ptr<Joints>> Joints::make(const transport::Begin& begin, core::InterfaceSet& interfaces,
                                             std::vector<std::unique_ptr<transport::Stream>> streams,
                                             const std::function<core::RowSink*(const ConnectionMessage&)>& rows) {
  if (!(begin.stop > begin.start) || !(begin.tick_length > 0.0) || begin.length < 1 || begin.lookahead < begin.length ||
      begin.tick < 0 || begin.save_interval < 0) {
    return wrong("the master sent a schedule that is not valid");
  }
  std::unique_ptr<Joints> joints(new Joints(begin, interfaces));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const transport::LinkOffer& offer = begin.links[i];
    if (offer.partner_length < 1) return wrong("the master sent a schedule that is not valid");
    auto peer = std::make_unique<Peer>();
    peer->reached = begin.tick;
    peer->length = offer.partner_length;
    peer->link = std::make_unique<lines::Link>(joints->rule_, lines::LinkPartner{offer.partner, offer.partner_length},
                                               peer->reached, std::move(streams[i]));
    peer->place = joints->waiter_.add(peer->link->stream());
    joints->peers_.push_back(std::move(peer));
  }
  for (const ConnectionMessage& message : begin.connections) {
    if (auto added = joints->add(message, rows(message)); !added) return added.error();
  }
  // In the order of the model, which both sides know.
  for (std::size_t p = 0; p < joints->peers_.size(); ++p) {
    joints->peers_[p]->link->carry_between(kOwn, node_of(p), joints->connections_);
  }
  lines::StateReader reader(begin.ends);
  lines::restore_ends(kOwn, joints->connections_, joints->rule_.grid, reader);
  if (reader.failed() || !reader.is_used_up()) {
    return wrong("the master sent a state of connections that does not match the interfaces");
  }
  return joints;
}

Result<void> Joints::add(const ConnectionMessage& message, core::RowSink* rows) {
  const auto misfit = [&] { return wrong("the master sent a connection '" + message.name + "' that does not match"); };
  if (message.interface >= interfaces_.size() || message.link >= peers_.size() || !(message.delay > 0.0))
    return misfit();
  const core::InterfaceShape& shape = interfaces_.shape(message.interface);
  const std::size_t most_columns = message.kind == ConnectionMessage::Kind::line
                                       ? lines::line_columns(shape.domain).size()
                                       : lines::spatial_line_columns().size();
  for (const std::uint32_t column : message.columns) {
    if (column >= most_columns) return misfit();
  }
  const core::RecordPlan plan = plan_of(message, rows);
  switch (message.kind) {
    case ConnectionMessage::Kind::line:
      if (shape.domain == core::Domain::mechanical3d || shape.domain == core::Domain::signal ||
          !(message.impedance > 0.0) || !std::isfinite(message.factor) || message.factor == 0.0) {
        return misfit();
      }
      join(make_line(message, plan), message.link);
      return {};
    case ConnectionMessage::Kind::space:
      if (shape.domain != core::Domain::mechanical3d || !(message.impedance > 0.0)) return misfit();
      join(make_space(message, plan), message.link);
      return {};
    case ConnectionMessage::Kind::signal: {
      const auto needed = message.is_to ? core::Causality::input : core::Causality::output;
      if (shape.causality != needed || message.member >= static_cast<std::uint32_t>(shape.size)) return misfit();
      join(make_signal(message), message.link);
      return {};
    }
  }
  return misfit();
}

std::size_t Joints::capacity(Tick delay, Tick sender_length, Tick other_length) const {
  // Twice what the schedule lets anybody run ahead; memory follows what is used, not this number.
  const Tick ticks =
      2 * (delay + 1) + 2 * (sender_length + other_length) + lookahead_ + lines::kRoomWindows * sender_length;
  const Tick cuts = rule_.save_interval > 0 ? ticks / rule_.save_interval + 2 : 0;
  return static_cast<std::size_t>(ticks / sender_length + 4 + cuts);
}

void Joints::join(std::unique_ptr<lines::Connection> connection, std::size_t peer) {
  const bool is_to = connection->to_node() == kOwn;
  const Tick from = is_to ? peers_[peer]->length : length_, to = is_to ? length_ : peers_[peer]->length;
  lines::ScheduledDelay delay = connection->delay();
  connection->set_capacities(capacity(delay.floor_ticks, from, to), capacity(delay.floor_ticks, to, from));
  const bool is_room = connection->is_one_way() && !is_to;
  if (is_room) delay.floor_ticks += lines::kRoomWindows * from + to;
  dependencies_.push_back({peer, delay, is_room});
  connections_.push_back(std::move(connection));
}

std::unique_ptr<lines::Connection> Joints::make_line(const ConnectionMessage& message, const core::RecordPlan& plan) {
  core::Port& own = interfaces_.ports_of(message.interface)[0];
  far_ends_.push_back({.ports = {core::Port{}}});
  core::Port& far = far_ends_.back().ports[0];
  far.domain = own.domain;
  lines::LineSpec spec;
  spec.name = message.name;
  spec.from_node = message.is_to ? node_of(message.link) : kOwn;
  spec.to_node = message.is_to ? kOwn : node_of(message.link);
  spec.from_port = message.is_to ? &far : &own;
  spec.to_port = message.is_to ? &own : &far;
  spec.figures = figures_of(message.impedance, message.delay, message.damping);
  spec.recording = plan;
  spec.relation = {message.factor, message.offset};
  return std::make_unique<lines::Line>(spec, rule_.grid);
}

std::unique_ptr<lines::Connection> Joints::make_space(const ConnectionMessage& message, const core::RecordPlan& plan) {
  core::SpatialInterface& own = *interfaces_.spatial(message.interface);
  far_ends_.push_back({.ports = core::SpatialInterface::make_ports(own.name())});
  FarEnd& far = far_ends_.back();
  far.space = std::make_unique<core::SpatialInterface>(
      own.name(),
      std::span<core::Port, core::SpatialInterface::kPorts>(far.ports.data(), core::SpatialInterface::kPorts));
  lines::SpatialLineSpec spec;
  spec.name = message.name;
  spec.from_node = message.is_to ? node_of(message.link) : kOwn;
  spec.to_node = message.is_to ? kOwn : node_of(message.link);
  spec.from = message.is_to ? far.space.get() : &own;
  spec.to = message.is_to ? &own : far.space.get();
  spec.figures.translation = figures_of(message.impedance, message.delay, message.damping);
  spec.figures.rotation = figures_of(message.rotation_impedance, message.delay, message.rotation_damping);
  spec.figures.free_rotation = message.free;
  spec.recording = plan;
  return std::make_unique<lines::SpatialLine>(spec, rule_.grid);
}

std::unique_ptr<lines::Connection> Joints::make_signal(const ConnectionMessage& message) {
  core::Port& own = interfaces_.ports_of(message.interface)[message.member];
  far_ends_.push_back({.ports = {core::Port{}}});
  core::Port& far = far_ends_.back().ports[0];
  far.domain = core::Domain::signal;
  lines::SignalSpec spec;
  spec.name = message.name;
  spec.from_node = message.is_to ? node_of(message.link) : kOwn;
  spec.to_node = message.is_to ? kOwn : node_of(message.link);
  spec.from = {message.is_to ? &far : &own, 1};
  spec.to = {message.is_to ? &own : &far, 1};
  spec.delay = message.delay;
  spec.relations = {{message.factor, message.offset}};
  return std::make_unique<lines::Signal>(spec, rule_.grid);
}

std::vector<std::uint64_t> Joints::ends() {
  lines::StateWriter writer;
  lines::save_ends(kOwn, connections_, writer);
  return writer.words();
}

std::uint64_t Joints::bytes_sent() const {
  std::uint64_t sum = 0;
  for (const auto& peer : peers_) sum += peer->link->bytes_sent();
  return sum;
}

void Joints::set_log(lines::TrackLog* log) {
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    peers_[p]->link->set_tap([log, index = static_cast<std::uint32_t>(p)](std::span<const std::byte> payload) {
      log->append(index, payload);
    });
  }
}

std::optional<std::size_t> Joints::missing(Reach reach) const {
  std::optional<std::size_t> result;
  Tick most = 0;
  const Tick ahead = reach == Reach::window ? std::min(length_, lookahead_) : lookahead_;
  for (const Dependency& dependency : dependencies_) {
    const Tick needed = (dependency.is_room ? done_ : done_ + ahead) - dependency.delay.floor_ticks;
    const Tick lacking = std::min(needed, rule_.grid.stop_tick()) - peers_[dependency.peer]->reached.load();
    if (lacking <= most) continue;
    most = lacking;
    result = dependency.peer;
  }
  return result;
}

void Joints::take_in() {
  for (auto& connection : connections_) connection->receive(connection->to_node() == kOwn, rule_.grid);
}

Result<void> Joints::exchange() {
  for (auto& peer : peers_) {
    if (peer->is_over) continue;
    if (peer->link->has_pending()) {
      if (auto flushed = peer->link->flush(); !flushed) return flushed.error();
    }
    auto received = peer->link->receive();
    if (received) continue;
    // A partner that has sent everything may leave.
    if (received.error().code != ErrorCode::peer_lost || peer->reached.load() < rule_.grid.stop_tick()) {
      return received.error();
    }
    waiter_.remove(peer->place);
    peer->is_over = true;
  }
  return {};
}

template <class IsDone>
Result<void> Joints::wait_until(const transport::Until& until, const OnWait& on_wait, IsDone&& is_done) {
  if (auto exchanged = exchange(); !exchanged) return exchanged;
  std::optional<std::size_t> awaited = is_done();
  if (!awaited) return {};
  const auto begin = Clock::now();
  auto deadline = until.deadline;
  transport::PauseWatch pauses;
  bool is_noted = false;
  while (awaited) {
    transport::Until next{deadline, until.cancel, until.also_cancel};
    next = next.or_at(Clock::now() + kNoteAfter);
    const auto has_pending = [](const auto& peer) { return !peer->is_over && peer->link->has_pending(); };
    if (std::any_of(peers_.begin(), peers_.end(), has_pending)) next = next.or_at(Clock::now() + kRetry);
    auto waited = waiter_.wait(next);
    if (!waited) return waited.error();
    if (auto exchanged = exchange(); !exchanged) return exchanged;
    awaited = is_done();
    if (!awaited) break;
    const std::string& partner = peers_[*awaited]->link->partner().name;
    if (*waited == transport::Waiter::Outcome::cancelled) {
      return Error{.code = ErrorCode::cancelled, .message = "stopped on request"};
    }
    pauses.extend(deadline);
    const auto now = Clock::now();
    if (now >= deadline) {
      return Error{.code = ErrorCode::deadline,
                   .message = "waited too long for '" + partner + "'",
                   .time = rule_.grid.time(done_)};
    }
    if (now - begin >= kNoteAfter && !is_noted) {
      is_noted = true;
      on_wait(partner);
    }
  }
  if (is_noted) on_wait("");
  seconds_waiting_ += std::chrono::duration<double>(Clock::now() - begin).count();
  return {};
}

Result<void> Joints::wait_for_inputs(Reach reach, const transport::Until& until, const OnWait& on_wait) {
  if (auto waited = wait_until(until, on_wait, [&] { return missing(reach); }); !waited) return waited;
  take_in();
  return {};
}

Result<void> Joints::send() {
  const Tick end = next_window_end();
  const core::Window window{.begin = rule_.grid.time(done_), .end = rule_.grid.time(end)};
  for (auto& connection : connections_) {
    const bool is_to = connection->to_node() == kOwn;
    if (!connection->send(is_to, end, window)) {
      return Error{.code = ErrorCode::step_failed,
                   .message = "a queue overflowed: the schedule is broken",
                   .port = connection->end_name(is_to),
                   .time = window.end};
    }
  }
  for (core::Port& port : interfaces_.ports()) port.outbox.clear();
  for (auto& peer : peers_) {
    if (peer->is_over) continue;
    if (auto sent = peer->link->send(end); !sent) return sent;
  }
  done_ = end;
  return {};
}

Result<void> Joints::complete(Tick limit, const transport::Until& until, const OnWait& on_wait) {
  const auto waited = wait_until(until, on_wait, [&]() -> std::optional<std::size_t> {
    for (std::size_t p = 0; p < peers_.size(); ++p) {
      if ((!peers_[p]->is_over && peers_[p]->link->has_pending()) || peers_[p]->reached.load() < limit) return p;
    }
    return std::nullopt;
  });
  if (!waited) return waited.error();
  take_in();
  return {};
}

double Joints::next_break(double t, double until) const {
  double next = wave::Track::kNever;
  for (const core::Port& port : interfaces_.ports()) {
    if (port.is_connected) next = std::min(next, port.incoming.next_break(t, until));
  }
  return next;
}

bool Joints::has_break_at(double t) const { return next_break(std::nextafter(t, -wave::Track::kNever), t) == t; }

}  // namespace tieline::plugin
