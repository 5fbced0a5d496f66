// CsSystem: from one communication point to the next.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "components/port_inputs.hpp"
#include "fmi/cs_system.hpp"

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Roundings by which a point and the end of a window that mean the same time may differ.
constexpr double kTimeRounding = 8.0 * std::numeric_limits<double>::epsilon();
// Rows this near a point are rows of the point.
constexpr double kRowRounding = 32.0 * std::numeric_limits<double>::epsilon();

// Gauss points on [0, 1], exact up to degree 5.
constexpr std::array<double, 3> kFollowedAt{0.11270166537925831, 0.5, 0.8872983346207417};
constexpr std::array<double, 3> kFollowedWeights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

/// The straight line that is nearest to an input over a step.
struct Straight {
  double mean = 0.0, slope = 0.0;
};
Straight straight_over(const core::Port& port, double t, double length) {
  Straight line;
  double moment = 0.0;
  for (std::size_t k = 0; k < kFollowedAt.size(); ++k) {
    const double value = port.w(t + kFollowedAt[k] * length, wave::Side::left).value;
    line.mean += kFollowedWeights[k] * value;
    moment += kFollowedWeights[k] * (kFollowedAt[k] - 0.5) * value;
  }
  line.slope = 12.0 * moment / length;
  return line;
}

double between(double from, double to, double share) { return from + share * (to - from); }

}  // namespace

// ---- one point

Result<void> CsSystem::write(CsMember& member, Writing& writing, double t) {
  if (member.wants_end()) return {};
  bool is_new = false;
  // What a connection carries from the stop on may have arrived by then, or not yet: only what came before is known.
  const bool is_stop = t >= grid_.stop - kTimeRounding * std::abs(grid_.stop) && t > t0_;
  const auto seen = [&](const core::Port& port) {
    if (is_stop && port.is_connected) return port.w(t - kTimeRounding * std::abs(t), wave::Side::left).value;
    return port.w(t, wave::Side::right).value;
  };
  for (std::size_t k = 0; k < writing.inputs.size(); ++k) {
    const std::uint32_t source = writing.sources[k];
    const double value =
        source == SignalNet::kOutside ? seen(*writing.ports[k]) : relations_[writing.inputs[k]].value(outputs_[source]);
    writing.values[k] = value;
    double& input = inputs_[writing.inputs[k]];
    const Number& number = input_numbers_[writing.inputs[k]];
    is_new = is_new || (input != value && number.is_held && !number.is_clocked);
    input = value;
  }
  if (writing.smooth) [[unlikely]]
    return write_with_events(member, writing, is_new);
  auto written = writing.writer.write(member.instance(), writing.values);
  return written ? Result<void>{} : Result<void>{member.named(written.error())};
}

Result<void> CsSystem::write_with_events(CsMember& member, Writing& writing, bool is_new) {
  const auto write_all = [&] { return writing.writer.write(member.instance(), writing.values); };
  if (member.instance().phase() == Phase::step) {
    if (is_new && !has_clocks_) return member.handle_event(write_all);
    if (is_new) {
      if (auto entered = member.enter_event(); !entered) return entered;
      auto written = write_all();
      return written ? Result<void>{} : Result<void>{member.named(written.error())};
    }
    for (std::size_t k = 0; k < writing.smooth_places.size(); ++k) {
      writing.smooth_values[k] = writing.values[writing.smooth_places[k]];
    }
    auto written = writing.smooth->write(member.instance(), writing.smooth_values);
    return written ? Result<void>{} : Result<void>{member.named(written.error())};
  }
  if (is_new) member.open_instant();
  auto written = write_all();
  return written ? Result<void>{} : Result<void>{member.named(written.error())};
}

Result<void> CsSystem::read(CsMember& member, Reading& reading) {
  auto got = reading.reader.read(member.instance(), reading.values);
  if (!got) return member.named(got.error());
  for (std::size_t k = 0; k < reading.outputs.size(); ++k) {
    const double value = reading.values[k];
    if (!std::isfinite(value)) [[unlikely]] {
      return member.named({.code = ErrorCode::not_finite,
                           .message = fmt::format("the FMU reports {} for '{}'", value,
                                                  member.name_of(output_numbers_[reading.outputs[k]].scalar)),
                           .time = member.time()});
    }
    outputs_[reading.outputs[k]] = value;
  }
  return {};
}

Result<void> CsSystem::lead(CsMember& member, Lead& lead, double length) {
  const std::size_t m = input_members_[lead.inputs.front()];
  for (std::size_t k = 0; k < lead.inputs.size(); ++k) {
    const std::uint32_t i = lead.inputs[k];
    if (lead.followed[k] != nullptr) {
      const Straight straight = straight_over(*lead.followed[k], member.time(), length);
      lead.slopes[k] = straight.slope;
      lead.values[k] = straight.mean - (lead.references.empty() ? 0.0 : 0.5 * length * straight.slope);
      continue;
    }
    const double change = lead.is_known[k]      ? inputs_[i] - at_point_[i]
                          : points_seen_[m] > 1 ? at_point_[i] - at_point_before_[i]
                                                : 0.0;
    lead.slopes[k] = change / grid_.steps[m];
    // An FMU without input derivatives gets the mean of an input over the step.
    lead.values[k] = at_point_[i] + (lead.references.empty() ? 0.5 * length * lead.slopes[k] : 0.0);
  }
  if (auto written = lead.writer.write(member.instance(), lead.values); !written) return member.named(written.error());
  if (lead.references.empty()) return {};
  auto published = member.instance().set_input_derivatives(lead.references, lead.orders, lead.slopes);
  return published ? Result<void>{} : Result<void>{member.named(published.error())};
}

Result<void> CsSystem::end_lead(CsMember& member, Lead& lead) {
  for (std::size_t k = 0; k < lead.inputs.size(); ++k) {
    lead.values[k] = lead.followed[k]->w(member.time(), wave::Side::left).value;
  }
  auto written = lead.writer.write(member.instance(), lead.values);
  return written ? Result<void>{} : Result<void>{member.named(written.error())};
}

Result<void> CsSystem::handle_event(CsMember& member, std::uint32_t m) {
  // What is published so far is the left side.
  if (!has_events_) left_ = outputs_;
  has_events_ = has_event_[m] = true;
  if (!published_outputs_.empty()) {
    for (std::uint32_t o = 0; o < output_numbers_.size(); ++o) {
      if (output_members_[o] != m) continue;
      ValueReader reader(member.description(), std::span(&output_numbers_[o].scalar, 1));
      if (auto got = reader.read(member.instance(), std::span(&left_[o], 1)); !got) return member.named(got.error());
    }
  }
  return member.handle_event([] { return Result<void>{}; });
}

Result<void> CsSystem::advance_member(const Action& action, double end) {
  CsMember& member = *members_[action.member];
  if (member.wants_end()) return {};
  const bool is_cut = end == grid_.stop &&
                      std::abs(end - member.time() - grid_.steps[action.member]) > 1e-9 * grid_.steps[action.member];
  const double length = is_cut ? end - member.time() : grid_.steps[action.member];
  if (action.index != kNoLead) {
    if (auto led = lead(member, leads_[action.index], length); !led) return led;
  }
  ++statistics_.steps;
  ++member_steps_[action.member];
  auto stepped = member.step(end, length);
  if (!stepped) return std::move(stepped.error());
  if (*stepped && member.has_event_mode()) [[unlikely]]
    return handle_event(member, action.member);
  const bool is_followed = action.index != kNoLead && leads_[action.index].follows_all && !member.wants_end();
  return is_followed ? end_lead(member, leads_[action.index]) : Result<void>{};
}

Result<void> CsSystem::run(const Program& program, double t) {
  for (const Action& action : program) {
    Result<void> done;
    switch (action.kind) {
      case PlanStep::Kind::set:
        done = write(*members_[action.member], writings_[action.index], t);
        break;
      case PlanStep::Kind::get:
        done = read(*members_[action.member], readings_[action.index]);
        break;
      case PlanStep::Kind::advance:
        done = advance_member(action, t);
        break;
      case PlanStep::Kind::loop:
        // Inputs of an FMU that has ended are not set any more.
        if (std::any_of(members_.begin(), members_.end(), [](const auto& m) { return m->wants_end(); })) break;
        done = loops_[action.index].solve(t, inputs_, outputs_);
        break;
    }
    if (!done) [[unlikely]]
      return done;
  }
  return {};
}

Result<void> CsSystem::refresh() {
  if (is_fresh_) return {};
  is_fresh_ = true;
  // A row that was read for times before the point is that of the point as well, unless something new comes in.
  is_row_current_ = has_row_end_;
  const Program& program = refreshes_[program_at_[point_ >= grid_.last ? 0 : point_ % grid_.turn]];
  if (!program.empty()) {
    if (is_row_current_) passed_inputs_ = inputs_;
    if (auto done = run(program, std::max(reached_, published_to_)); !done) return done;
    if (has_clocks_) {
      if (auto settled = settle_events(reached_); !settled) return settled;
    }
    is_row_current_ = is_row_current_ && !has_clocks_ && passed_inputs_ == inputs_;
  }
  for (std::size_t k = 0; k < published_outputs_.size(); ++k) {
    if (outputs_[published_outputs_[k]] != last_published_[k])
      push_sample(k, published_to_, outputs_[published_outputs_[k]]);
  }
  if (!leads_.empty()) {
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
      if (!grid_.is_due(input_members_[i], point_)) continue;
      at_point_before_[i] = at_point_[i];
      at_point_[i] = inputs_[i];
    }
    for (std::size_t m = 0; m < members_.size(); ++m) points_seen_[m] += grid_.is_due(m, point_) ? 1 : 0;
  }
  return rows_.is_idle() ? Result<void>{} : record_point();
}

Result<void> CsSystem::next_point() {
  if (auto done = refresh(); !done) return done;
  take_ending(reached_);
  if (ending_) return {};
  if (!published_outputs_.empty()) before_ = outputs_;
  if (has_clocks_) return next_clocked_point();
  if (has_events_) {
    has_events_ = false;
    std::fill(has_event_.begin(), has_event_.end(), false);
  }
  from_ = reached_;
  const std::int64_t point = point_ + 1;
  const double end = grid_.time(point);
  has_row_before_ = has_row_end_ = false;
  if (!rows_.is_idle() && row_interval_ > 0.0 && is_row_due(end - kRowRounding * std::abs(end))) {
    if (auto read = keep_row_before(); !read) return read;
  }
  is_row_current_ = false;
  const Program& program = programs_[program_at_[point >= grid_.last ? 0 : point % grid_.turn]];
  if (auto done = run(program, end); !done) return done;
  point_ = point;
  reached_ = end;
  is_fresh_ = false;
  take_ending(end);
  return {};
}

void CsSystem::take_ending(double point) {
  for (const auto& member : members_) {
    if (ending_ || !member->wants_end()) continue;
    if (members_.size() == 1) reached_ = std::min(point, member->time());
    ending_ = core::Ending{reached_, member->name(), kAsksToEnd};
  }
}

// ---- what goes out

double CsSystem::left_of(std::uint32_t output) const {
  if (has_events_ && has_event_[output_members_[output]]) return left_[output];
  return output_numbers_[output].is_held ? before_[output] : outputs_[output];
}

void CsSystem::push_sample(std::size_t place, double t, double value) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  published_ports_[place]->outbox.push_back({.t = t, .flow = value, .flow_rate = kUnknown});
  last_published_[place] = value;
}

Result<void> CsSystem::publish_until(double t) {
  if (!rows_.is_idle()) {
    if (auto recorded = record_inside(t); !recorded) return recorded;
  }
  const bool is_at_point = t >= reached_;
  const double share = is_at_point ? 1.0 : (t - from_) / (reached_ - from_);
  for (std::size_t k = 0; k < published_outputs_.size(); ++k) {
    const std::uint32_t o = published_outputs_[k];
    const double end = left_of(o);
    const bool is_straight = !output_numbers_[o].is_held;
    push_sample(k, t, is_at_point || !is_straight ? end : between(before_[o], end, share));
  }
  published_to_ = t;
  // Nothing comes after the stop.
  return is_at_point && (point_ >= grid_.last || ending_) ? refresh() : Result<void>{};
}

// ---- rows

bool CsSystem::is_row_due(double t) const {
  return row_interval_ <= 0.0 ||
         t0_ + static_cast<double>(next_row_) * row_interval_ <= t + kTimeRounding * std::abs(t);
}

Result<void> CsSystem::keep_row_before() {
  has_row_before_ = true;
  if (is_row_current_) {
    row_before_ = row_end_;
    return {};
  }
  return read_row(row_before_, from_);
}

Result<void> CsSystem::read_row(std::vector<double>& row, double t) {
  if (!row_sources_.empty()) return read_signal_row(row, t);
  states_.resize(set_.size());
  port_outputs_.resize(set_.ports().size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (auto seen = members_[m]->observe(t, port_outputs_); !seen) return seen;
    std::copy(members_[m]->states().begin(), members_[m]->states().end(),
              states_.begin() + static_cast<std::ptrdiff_t>(first_interface_[m]));
  }
  std::size_t at = set_.columns().size();
  const std::span<double> values(row);
  set_.fill_columns(states_, port_outputs_, t, wave::Side::right, values.first(at));
  std::size_t first = 0;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const std::size_t recorded = parts_[m].spec.recorded.size();
    // What was set is known: FMUs need not give it back, and some do not.
    if (has_resting_inputs_[m]) {
      if (auto read = members_[m]->read_taken(values.subspan(first)); !read) return read;
    }
    if (auto read = members_[m]->read_recorded(values.subspan(at, recorded)); !read) return read;
    first += members_[m]->interface_columns();
    at += recorded;
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) values[input_columns_[i]] = inputs_[i];
  return {};
}

void CsSystem::write_rows(double t) {
  rows_.write_until(t, [this](double at, std::span<double> values) {
    const bool is_inside = has_row_before_ && has_row_end_ && at < reached_ - kRowRounding * std::abs(reached_);
    const double share = is_inside ? (at - from_) / (reached_ - from_) : 1.0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!is_inside) {
        values[k] = row_end_[k];
      } else {
        values[k] = is_held_column_[k] ? row_before_[k] : between(row_before_[k], row_end_[k], share);
      }
    }
  });
  rows_to_ = t;
  if (row_interval_ <= 0.0) return;
  while (is_row_due(t)) ++next_row_;
}

Result<void> CsSystem::record_inside(double t) {
  const double end = std::min(t, reached_ - kRowRounding * std::abs(reached_));
  if (row_interval_ <= 0.0 || !is_row_due(end)) return {};
  if (!has_row_end_) {
    if (auto read = read_row(row_end_, reached_); !read) return read;
    has_row_end_ = true;
  }
  write_rows(end);
  return {};
}

Result<void> CsSystem::record_point() {
  if (!is_row_due(reached_)) return {};
  if (!is_row_current_) {
    if (auto read = read_row(row_end_, reached_); !read) return read;
  }
  has_row_before_ = false;
  is_row_current_ = true;
  write_rows(reached_);
  return {};
}

void CsSystem::plan_recording(core::RecordPlan plan) {
  row_interval_ = plan.interval;
  rows_.plan(std::move(plan), system_columns().size());
}

void CsSystem::current_values(std::span<double> values) {
  std::vector<double> row(values.size(), std::numeric_limits<double>::quiet_NaN());
  const bool is_running = std::all_of(members_.begin(), members_.end(), [](const auto& m) { return m->is_running(); });
  if (is_running && !read_row(row, reached_)) {
    std::fill(row.begin(), row.end(), std::numeric_limits<double>::quiet_NaN());
  }
  std::copy(row.begin(), row.end(), values.begin());
}

// ---- the run

Result<void> CsSystem::read_starts() {
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    CsMember& member = *members_[input_members_[i]];
    ValueReader reader(member.description(), std::span(&input_numbers_[i].scalar, 1));
    auto got = reader.read(member.instance(), std::span(&inputs_[i], 1));
    if (!got) return member.named(got.error());
  }
  return {};
}

Result<void> CsSystem::start(double t0) {
  t0_ = from_ = reached_ = published_to_ = rows_to_ = t0;
  point_ = 0;
  next_row_ = 0;
  is_row_current_ = false;
  is_fresh_ = has_events_ = has_row_before_ = has_row_end_ = false;
  find_numbers();
  find_clocks();
  inputs_.assign(input_numbers_.size(), 0.0), outputs_.assign(output_numbers_.size(), 0.0);
  before_ = left_ = outputs_;
  at_point_ = at_point_before_ = inputs_;
  has_event_.assign(members_.size(), false), points_seen_.assign(members_.size(), 0);
  last_published_.assign(published_outputs_.size(), 0.0);
  row_before_.assign(system_columns().size(), 0.0), row_end_ = row_before_;
  statistics_ = {};
  ending_.reset();
  member_steps_.assign(members_.size(), 0);
  rows_.start(t0);
  if (auto planned = plan_steps(); !planned) return planned;
  for (const auto& member : members_) {
    if (auto entered = member->enter_initialization(t0); !entered) return entered;
  }
  if (auto guessed = read_starts(); !guessed) return guessed;
  const std::vector<bool> all(members_.size(), true);
  if (auto settled = run(compile(settling_plan(net_with(true), all)), t0); !settled) return settled;
  for (const auto& member : members_) {
    if (auto left = member->leave_initialization(); !left) return left;
  }
  if (auto settled = run(compile(settling_plan(net_with(false), all)), t0); !settled) return settled;
  if (has_clocks_) {
    if (auto settled = settle_events(t0); !settled) return settled;
  }
  if (auto planned = plan_rows(); !planned) return planned;
  take_ending(t0);
  for (core::Port& port : set_.ports()) {
    if (port.domain == core::Domain::signal) port.preferred = wave::Interpolation::linear;
  }
  for (std::size_t k = 0; k < published_outputs_.size(); ++k) push_sample(k, t0, outputs_[published_outputs_[k]]);
  return {};
}

void CsSystem::hold_until(double limit) {
  for (std::size_t k = 0; k < published_outputs_.size(); ++k) push_sample(k, limit, outputs_[published_outputs_[k]]);
  published_to_ = limit;
}

Result<double> CsSystem::step(double limit) {
  if (ending_ && !(reached_ > published_to_)) {
    hold_until(limit);
    return published_to_;
  }
  if (!(reached_ > published_to_)) {
    if (auto made = next_point(); !made) return std::move(made.error());
  }
  if (auto published = publish_until(std::min(reached_, limit)); !published) return std::move(published.error());
  return published_to_;
}

Result<void> CsSystem::advance(const core::Window& window) {
  const auto begin = std::chrono::steady_clock::now();
  ++statistics_.windows;
  if (auto covered = components::check_covered(set_.ports(), window.end); !covered) return covered;
  const double almost_end = window.end - kTimeRounding * std::abs(window.end);
  while (published_to_ < window.end) {
    if (core::is_cancelled(window)) {
      return Error{
          .code = ErrorCode::cancelled, .message = "stopped on request", .component = name(), .time = published_to_};
    }
    if (ending_ && !(reached_ > published_to_)) {
      if (auto done = refresh(); !done) return done;
      hold_until(window.end);
      break;
    }
    if (!(reached_ > published_to_)) {
      if (auto made = next_point(); !made) return made;
      // Where it has not moved there is nothing to publish.
      if (ending_ && !(reached_ > published_to_)) continue;
    }
    // A point that means the window's end is published there.
    if (auto published = publish_until(reached_ >= almost_end ? window.end : reached_); !published) return published;
  }
  statistics_.seconds_total += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {};
}

// ---- snapshots

Result<void> CsSystem::save(core::ArchiveWriter& archive) const {
  archive.tag(name());
  archive.put(t0_), archive.put(point_), archive.put(reached_), archive.put(from_), archive.put(published_to_);
  archive.put(is_fresh_), archive.put(has_events_), archive.put(rows_to_);
  archive.put(has_row_before_), archive.put(has_row_end_), archive.put(ending_.has_value());
  for (const std::vector<double>* list : {&inputs_, &outputs_, &before_, &left_, &last_published_, &at_point_,
                                          &at_point_before_, &row_before_, &row_end_}) {
    archive.put_span<double>(*list);
  }
  archive.put_span<std::int64_t>(points_seen_);
  for (const bool has : has_event_) archive.put(has);
  for (const core::Port& port : set_.ports()) save_track(archive, port.incoming);
  for (const auto& member : members_) {
    if (auto saved = member->save(archive); !saved) return saved;
  }
  for (const SignalLoop& loop : loops_) loop.save(archive);
  return {};
}

Result<void> CsSystem::restore(core::ArchiveReader& archive) {
  archive.expect_tag(name());
  archive.get(t0_), archive.get(point_), archive.get(reached_), archive.get(from_), archive.get(published_to_);
  archive.get(is_fresh_), archive.get(has_events_), archive.get(rows_to_);
  archive.get(has_row_before_), archive.get(has_row_end_);
  const bool has_ended = archive.get<bool>();
  for (std::vector<double>* list : {&inputs_, &outputs_, &before_, &left_, &last_published_, &at_point_,
                                    &at_point_before_, &row_before_, &row_end_}) {
    archive.get_span<double>(*list);
  }
  archive.get_span<std::int64_t>(points_seen_);
  for (std::size_t m = 0; m < has_event_.size(); ++m) has_event_[m] = archive.get<bool>();
  for (core::Port& port : set_.ports()) {
    restore_track(archive, port.incoming);
    port.outbox.clear();
  }
  for (const auto& member : members_) {
    if (auto restored = member->restore(archive); !restored) return restored;
  }
  for (SignalLoop& loop : loops_) loop.restore(archive);
  is_row_current_ = false;
  ending_.reset();
  if (has_ended) take_ending(reached_);
  // The first row is written with the first step.
  rows_.resume(t0_, rows_to_);
  next_row_ = 0;
  while (row_interval_ > 0.0 && rows_to_ > t0_ && is_row_due(rows_to_)) ++next_row_;
  return {};
}

}  // namespace tieline::fmi
