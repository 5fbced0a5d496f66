// What the master asks of a tool while it waits: to continue, to save or restore its state, to compute a given stretch.

#include <algorithm>
#include <cmath>

#include "lines/driven_inputs.hpp"
#include "plugin/session.hpp"

namespace tieline::plugin {
namespace {

using transport::Message;

// States that are kept for going back at a time; a group needs those of its present and its last step.
constexpr std::size_t kMostKept = 8;

Failure out_of_order() { return {TIELINE_ERROR_PROTOCOL, "the master sent a message out of order"}; }
Failure unreadable() { return {TIELINE_ERROR_PROTOCOL, "the master sent a message that cannot be read"}; }

constexpr const char* kCounters[] = {"windows",           "steps", "rhs_calls", "jacobian_calls", "failed_convergence",
                                     "failed_error_tests"};

}  // namespace

int Session::wait_for_go() {
  while (true) {
    const auto message = receive();
    if (message.type == Message::save) {
      send_state();
    } else if (message.type == Message::leave) {
      phase_ = Phase::over;
      return TIELINE_STOP;
    } else if (message.type == Message::go) {
      transport::Decoder decoder(message.payload);
      go_limit_ = std::min(decoder.i64(), joints_->rule().grid.stop_tick());
      if (!decoder.is_complete()) throw unreadable();
      if (go_limit_ > joints_->done()) break;
      park();
    } else {
      throw out_of_order();
    }
  }
  const bool was_put_back = was_put_back_;
  was_put_back_ = false;
  return was_put_back ? TIELINE_REPEAT : TIELINE_CONTINUE;
}

void Session::park() {
  const auto completed = joints_->complete(std::min(go_limit_, joints_->rule().grid.stop_tick()), until(),
                                           [this](const std::string& partner) { membership_->note_wait(partner); });
  if (!completed) fail(completed.error());
  flush_rows();
  if (track_log_) {
    if (const auto flushed = track_log_->flush(); !flushed) fail(flushed.error());
  }
  transport::Parked parked{.tick = joints_->done(), .ends = joints_->ends(), .link_bytes = joints_->bytes_sent()};
  parked.figures.push_back(figures());
  const auto sent = membership_->send(Message::parked, [&](transport::Encoder e) { encode(e, parked); });
  if (!sent) fail(sent.error());
}

std::array<std::uint64_t, 9> Session::released_counts() const {
  auto counts = counts_;
  for (std::size_t i = 1; i < std::size(kCounters); ++i) {
    if (!release_.lets_parameter(kCounters[i])) counts[i] = 0;
  }
  return counts;
}

transport::Figures Session::figures() {
  transport::Figures figures{.component = setup_.component, .solver = "tool", .counts = released_counts()};
  if (joints_ != nullptr) figures.numbers[5] = joints_->seconds_waiting();
  figures.values.resize(interfaces_->columns().size());
  publisher_->fill_columns(publisher_->time(), wave::Side::left, figures.values);
  // What the model does not declare, the master does not know.
  if (!setup_.interfaces.empty()) figures.values.resize(declared_columns());
  for (std::size_t i = 0; i < figures.values.size(); ++i) {
    if (!release_.lets_result(interfaces_->columns()[i].name)) figures.values[i] = std::nan("");
  }
  return figures;
}

std::size_t Session::declared_columns() const {
  std::vector<core::InterfaceShape> declared;
  for (std::size_t i = 0; i < setup_.interfaces.size(); ++i) declared.push_back(interfaces_->shape(i));
  return core::InterfaceSet(std::move(declared)).columns().size();
}

int Session::wait_for_drive() {
  while (true) {
    const auto message = receive();
    transport::Decoder decoder(message.payload);
    switch (message.type) {
      case Message::drive: {
        const auto drive = transport::decode<transport::Drive>(message.payload);
        if (!drive) throw unreadable();
        take_stretch(*drive);
        const bool was_put_back = was_put_back_;
        was_put_back_ = false;
        return was_put_back ? TIELINE_REPEAT : TIELINE_CONTINUE;
      }
      case Message::keep: {
        const std::uint64_t number = decoder.u64();
        if (!decoder.is_complete()) throw unreadable();
        if (kept_.size() >= kMostKept) kept_.pop_front();
        kept_.push_back({number, own_state() + tool_state()});
        if (const auto sent = membership_->send(Message::done); !sent) fail(sent.error());
        break;
      }
      case Message::put_back: {
        const std::uint64_t number = decoder.u64();
        if (!decoder.is_complete()) throw unreadable();
        const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.number == number; });
        if (found == kept_.end()) throw Failure{TIELINE_ERROR_PROTOCOL, "the master asks for a state that is not kept"};
        const auto counts = counts_;  // what was in vain was work all the same
        put_back(found->state);
        counts_ = counts;
        if (const auto sent = membership_->send(Message::done); !sent) fail(sent.error());
        break;
      }
      case Message::save:
        send_state();
        break;
      case Message::go:
        break;  // the group that computes it says when
      case Message::leave:
        phase_ = Phase::over;
        return TIELINE_STOP;
      default:
        throw out_of_order();
    }
  }
}

void Session::take_stretch(const transport::Drive& drive) {
  if (!(std::abs(drive.begin - publisher_->time()) <= rounding_) || !(drive.end > drive.begin) ||
      !lines::take_driven_inputs(drive.inputs, *interfaces_)) {
    throw Failure{TIELINE_ERROR_PROTOCOL, "the master sent an interval of time that is not valid"};
  }
  limit_ = horizon_ = drive.end;
  is_limit_known_ = true;
  forget_stage();
  for (core::Port& port : interfaces_->ports()) port.outbox.clear();
  publisher_->settle();
}

int Session::step_driven(double t) {
  publisher_->begin_step(t);
  publisher_->publish(t);
  publisher_->end_step();
  if (t < limit_) return TIELINE_CONTINUE;
  send_samples();
  return wait_for_drive();
}

void Session::send_samples() {
  transport::Driven driven{.counts = released_counts()};
  for (core::Port& port : interfaces_->ports()) {
    std::vector<double>& numbers = driven.samples.emplace_back();
    for (const wave::Sample& s : port.outbox) {
      const double all[] = {s.t, s.position, s.flow, s.flow_rate, s.effort, s.effort_rate, s.impulse, s.work};
      numbers.insert(numbers.end(), std::begin(all), std::end(all));
    }
    port.outbox.clear();
  }
  const auto sent = membership_->send(Message::driven, [&](transport::Encoder e) { encode(e, driven); });
  if (!sent) fail(sent.error());
}

std::string Session::own_state() const {
  core::ArchiveWriter archive;
  archive.tag("tieline tool 1");
  publisher_->save(archive);
  archive.put(counts_);
  archive.put(is_first_row_due_);
  return std::move(archive).take();
}

std::string Session::tool_state() {
  const auto refuse = [&](const std::string& text) {
    return Failure{TIELINE_ERROR_SNAPSHOT, "its state was requested, but " + text};
  };
  if (snapshot_.save == nullptr) throw refuse("tieline_set_snapshot was not called");
  if (!can_save()) throw refuse("the release list does not allow it");
  std::size_t size = 0;
  if (snapshot_.save(snapshot_.user, nullptr, 0, &size) != 0) throw refuse("saving it failed");
  std::string bytes(size, '\0');
  std::size_t written = size;
  if (snapshot_.save(snapshot_.user, bytes.data(), bytes.size(), &written) != 0 || written > size) {
    throw refuse("saving it failed");
  }
  bytes.resize(written);
  return bytes;
}

void Session::send_state() {
  if (joints_ != nullptr && publisher_->time() != joints_->rule().grid.time(joints_->done())) {
    throw Failure{TIELINE_ERROR_SNAPSHOT, "its state was requested at another time than its present one"};
  }
  const transport::Saved saved{.state = own_state() + tool_state()};
  const auto sent = membership_->send(Message::saved, [&](transport::Encoder e) { encode(e, saved); });
  if (!sent) fail(sent.error());
}

void Session::put_back(const std::string& state) {
  if (snapshot_.restore == nullptr) {
    throw Failure{TIELINE_ERROR_SNAPSHOT, "a state is to be restored, but tieline_set_snapshot was not called"};
  }
  core::ArchiveReader archive(state);
  try {
    archive.expect_tag("tieline tool 1");
    publisher_->restore(archive);
    archive.get(counts_);
    archive.get(is_first_row_due_);
  } catch (const core::ArchiveError& problem) {
    throw Failure{TIELINE_ERROR_SNAPSHOT, std::string("a state cannot be restored: ") + problem.what()};
  }
  const std::string_view bytes = archive.rest();
  if (snapshot_.restore(snapshot_.user, bytes.data(), bytes.size(), publisher_->time()) != 0) {
    throw Failure{TIELINE_ERROR_SNAPSHOT, "restoring its state failed"};
  }
  rows_.resume(rows_start_, publisher_->time());
  for (Progress& each : progress_) each = {};
  step_time_ = std::nan("");
  is_limit_known_ = false;
  forget_stage();
  was_put_back_ = true;
}

void Session::count(const std::string& name, unsigned long long value) {
  if (phase_ == Phase::over) return;
  for (std::size_t i = 1; i < std::size(kCounters); ++i) {
    if (name != kCounters[i]) continue;
    counts_[i] = value;
    counts_steps_ = counts_steps_ || i == 1;
    return;
  }
  if (!release_.lets_parameter(name)) return;
  const transport::ReportedFact fact{.name = name, .value = static_cast<double>(value)};
  (void)membership_->send(Message::fact, [&](transport::Encoder e) { encode(e, fact); });
}

void Session::report_parameter(const std::string& name, const std::string& text, double value) {
  if (!release_.lets_parameter(name)) return;
  const transport::ReportedFact fact{.name = name, .text = text, .value = value, .is_parameter = true};
  (void)membership_->send(Message::fact, [&](transport::Encoder e) { encode(e, fact); });
}

void Session::log(int level, const std::string& text) {
  const int known = std::clamp<int>(level, TIELINE_NOTE, TIELINE_SERIOUS);
  if (!release_.lets_log(known)) return;
  (void)membership_->send(Message::log, [&](transport::Encoder e) {
    e.u8(static_cast<std::uint8_t>(known));
    e.text(text);
  });
}

}  // namespace tieline::plugin
