// Groups whose members have steps of their own: in layers, or by the algorithm of [Zou2016].

#include <algorithm>
#include <cmath>

#include "engine/group.hpp"

namespace tieline::engine {
namespace {

// A control step that ends this close to a window's end, as a share of it, ends there.
constexpr double kSameEnd = 1e-9;

}  // namespace

core::Error Group::placed(core::Error error) const {
  if (error.component.empty()) error.component = name();
  if (std::isnan(error.time)) error.time = time_;
  return error;
}

core::Result<void> Group::step_layers(const core::Window& window) {
  const double control = layered_->control_step();
  while (time_ < window.end) {
    // Control steps end at t0 + k H, whatever the windows; a window's end that lies between cuts one in two.
    const double planned = t0_ + static_cast<double>(macro_steps_ + 1) * control;
    const bool is_whole = control > 0.0 && planned <= window.end + kSameEnd * control;
    const bool is_last = !is_whole || planned >= window.end - kSameEnd * control;
    const double end = is_last ? window.end : planned;
    if (auto run = layered_->run(window, time_, end); !run) return placed(run.error());
    for (std::size_t i = 0; i < links_.size(); ++i) {
      note_inputs_of_layers(i, true);
      if (!links_[i].is_signal()) note_inputs_of_layers(i, false);
    }
    layered_->forget();
    if (is_whole) ++macro_steps_;
    time_ = end;
  }
  layered_->finish();
  if (options_.is_outermost) layered_->release_rows();
  return land_on_save_point(window);
}

core::Result<void> Group::step_spatiotemporal(const core::Window& window) {
  if (auto run = spatiotemporal_->run(window, window.end); !run) return placed(run.error());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    note_inputs_of_steps(i, true);
    if (!links_[i].is_signal()) note_inputs_of_steps(i, false);
  }
  spatiotemporal_->forget();
  return land_on_save_point(window);
}

void Group::note_found(std::size_t index, bool is_from_a, std::span<const std::vector<wave::Sample>> found) {
  const GroupLink& link = links_[index];
  exchanges_[index] += found.front().size();
  if (found.front().empty()) return;
  for (std::size_t k = 0; k < link.axes(); ++k) {
    LinkDefects& defects = defects_[first_axis_[index] + k];
    for (wave::Sample sample : found[k]) {
      if (k >= 3) sample.position = (is_from_a ? defects.turned_a : defects.turned_b).note(sample);
      (is_from_a ? defects.of_a : defects.of_b).note(sample);
    }
    Passed& passed = passed_[first_axis_[index] + k];
    const wave::Sample& last = found[k].back();
    (is_from_a ? passed.work_a : passed.work_b) = last.work;
    (is_from_a ? passed.impulse_a : passed.impulse_b) = last.impulse;
    (is_from_a ? passed.effort_a : passed.effort_b) = last.effort;
  }
}

void Group::note_inputs_of_layers(std::size_t index, bool is_from_a) {
  const GroupLink& link = links_[index];
  const auto found = layered_->found(index, is_from_a);
  note_found(index, is_from_a, found);
  const core::Port* const sender = is_from_a ? link.port_a : link.port_b;
  const core::Port* const receiver = is_from_a ? link.port_b : link.port_a;
  for (std::size_t k = 0; k < link.axes(); ++k) {
    LinkDefects& defects = defects_[first_axis_[index] + k];
    coupling::DefectMeter& meter = is_from_a ? defects.at_b : defects.at_a;
    wave::Track& record = layered_->record(index, is_from_a, k);
    for (std::size_t i = 0; i < found[k].size(); ++i) {
      record.push(coupling::knot_of(receiver[k], sender[k], found[k][i], link.relation_from(is_from_a)));
      const wave::TrackValue* const used = layered_->used(index, is_from_a, k, i);
      used != nullptr ? meter.note(record, *used) : meter.note(record);
      meter.end_exchange();
      record.forget_before(record.back().t);
    }
  }
}

void Group::note_inputs_of_steps(std::size_t index, bool is_from_a) {
  note_found(index, is_from_a, spatiotemporal_->found(index, is_from_a));
  for (std::size_t k = 0; k < links_[index].axes(); ++k) {
    LinkDefects& defects = defects_[first_axis_[index] + k];
    coupling::DefectMeter& meter = is_from_a ? defects.at_b : defects.at_a;
    spatiotemporal_->compare(index, is_from_a, k, [&](const wave::Track& had, const wave::TrackValue& used) {
      meter.note(had, used);
      meter.end_exchange();
    });
  }
}

}  // namespace tieline::engine
