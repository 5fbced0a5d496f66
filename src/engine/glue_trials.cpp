// Members of a gluing under given interface forces: there and back again.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/motion_relation.hpp"
#include "core/turning.hpp"
#include "engine/glued_group.hpp"
#include "engine/trace.hpp"

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using wave::Interpolation;

// Handing a member to another thread costs about this much; shorter trials stay on one [s].
constexpr double kTrialWorthSharing = 20e-6;
// How fast the estimate of a trial's time follows.
constexpr double kForgetting = 0.1;

}  // namespace

double GluedGroup::node_time(double begin, double end, std::size_t node) const {
  return node + 1 == nodes() ? end : begin + shape_.nodes()[node] * (end - begin);
}

Result<void> GluedGroup::save_members() {
  if (outer_log_ != nullptr) {
    if (outer_log_->parts.size() <= outer_step_) outer_log_->parts.resize(outer_step_ + 1);
    outer_log_->parts[outer_step_].parts.resize(members_.size());
  }
  for (Member& member : members_) {
    member.snapshot.clear();
    if (auto saved = member.part.component->save(member.snapshot); !saved) {
      saved.error().component = member.part.component->name();
      saved.error().time = time_;
      return saved;
    }
    member.is_at_start = true;
    member.is_current = false;
    for (std::size_t i = 0; i < member.part.sinks.size(); ++i) member.marks[i] = member.part.sinks[i]->size();
  }
  notes_steps_ = true;
  return {};
}

Result<void> GluedGroup::restore_member(Member& member) {
  if (member.is_at_start) return {};
  const auto refuse = [&](const std::string& why) {
    return Error{.code = ErrorCode::unsupported,
                 .message = "it cannot be reset to the start of a step, which gluing needs: " + why,
                 .component = member.part.component->name(),
                 .time = time_};
  };
  try {
    core::ArchiveReader archive(member.snapshot.bytes(), core::SnapshotUse::trial);
    if (auto restored = member.part.component->restore(archive); !restored) return refuse(restored.error().message);
  } catch (const std::exception& problem) {
    return refuse(problem.what());
  }
  for (std::size_t i = 0; i < member.part.sinks.size(); ++i) member.part.sinks[i]->keep_first(member.marks[i]);
  member.is_at_start = true;
  return {};
}

void GluedGroup::give_inputs(Member& member, double begin, double end) {
  const double length = end - begin;
  const std::size_t s = nodes();
  for (const std::size_t index : member.sockets) {
    Socket& socket = sockets_[index];
    if (socket.is_led()) {
      give_motion(socket, begin, end);
      continue;
    }
    for (std::size_t a = 0; a < socket.axes; ++a) {
      wave::Track& track = socket.axis(a).incoming;
      const std::span<const double> values(socket.inputs.data() + a * s, s);
      const double before = socket.before[a];
      track.forget_before(begin);
      const double own = socket.to_port();
      const double first = own * shape_.value(0.0, values, before);
      const double first_slope = own * shape_.slope(0.0, values, before) / length;
      const double last = own * shape_.value(1.0, values, before);
      const double last_slope = own * shape_.slope(1.0, values, before) / length;
      if (socket.takes_motion) {
        const core::Relation back = core::reverse_of(socket.spec.relation);
        track.push({begin, back.value(socket.position), first, first_slope});
        track.push(
            {end, back.value(socket.position + length * shape_.integral(1.0, values, before)), last, last_slope});
        continue;
      }
      // A line through the ends has no break but a change of slope where steps meet anyway.
      const bool is_line = track.interpolation() == Interpolation::linear;
      if (!is_line) {
        track.push({begin, 0.0, first, first_slope});
      }
      track.push({end, 0.0, last, last_slope});
    }
  }
}

/// The motion that the unknowns make since the step's start: positions by velocities, orientations by the rotation
/// vector, so that they stay rotations.
core::SpaceState GluedGroup::led_state(const Socket& socket, double x, double length) const {
  const std::size_t s = nodes();
  core::SpaceState state{.pose = socket.led};
  core::Turning turned;
  for (std::size_t a = 0; a < socket.axes; ++a) {
    const std::span<const double> values(socket.inputs.data() + a * s, s);
    const double value = shape_.value(x, values, socket.before[a]);
    const double slope = shape_.slope(x, values, socket.before[a]) / length;
    const double moved = length * shape_.integral(x, values, socket.before[a]);
    const auto k = static_cast<Eigen::Index>(a % 3);
    if (a < 3) {
      state.pose.position[k] += moved;
      state.motion.velocity[k] = value;
      state.motion.acceleration[k] = slope;
    } else {
      turned.angle[k] = moved, turned.rate[k] = value, turned.second[k] = slope;
    }
  }
  state.pose.orientation = (core::rotation_by(turned.angle) * socket.led.orientation).normalized();
  state.motion.angular_velocity = core::turned_average(turned.angle, turned.rate);
  state.motion.angular_acceleration = core::angular_acceleration_of(turned);
  return state;
}

void GluedGroup::give_motion(Socket& socket, double begin, double end) {
  core::SpatialInterface& interface = *socket.spec.interface;
  for (std::size_t i = 0; i < core::SpatialInterface::kAxes; ++i) interface.axis(i).incoming.forget_before(begin);
  for (std::size_t i = 0; i + core::SpatialInterface::kAxes < core::SpatialInterface::kPorts; ++i) {
    interface.turn(i).incoming.forget_before(begin);
  }
  // A straight velocity continues from the last step's end.
  if (interface.axis(0).incoming.interpolation() != Interpolation::linear) {
    coupling::push_motion(interface, begin, led_state(socket, 0.0, end - begin));
  }
  coupling::push_motion(interface, end, led_state(socket, 1.0, end - begin));
}

Result<void> GluedGroup::collect(Member& member, std::size_t node) {
  for (const std::size_t index : member.sockets) {
    Socket& socket = sockets_[index];
    EndMotion& motion = socket.at_nodes[node];
    bool is_finite = true;
    const auto last = [&](core::Port& port) {
      const wave::Sample& sample = port.outbox.back();
      is_finite = is_finite && std::isfinite(sample.position) && std::isfinite(sample.flow);
      return sample;
    };
    if (socket.spec.interface == nullptr) {
      const wave::Sample sample = last(*socket.spec.port);
      const core::Relation& relation = socket.spec.relation;
      motion.pose.position.x() = relation.value(sample.position);
      motion.motion.velocity.x() = relation.rate(sample.flow);
      motion.motion.acceleration.x() = relation.rate(sample.flow_rate);
      if (socket.takes_motion) socket.efforts[node] = sample.effort / relation.factor;
      is_finite = is_finite && std::isfinite(sample.effort);
    } else {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const wave::Sample along = last(socket.spec.interface->axis(i));
        const wave::Sample about = last(socket.spec.interface->axis(i + 3));
        motion.pose.position[k] = along.position;
        motion.motion.velocity[k] = along.flow;
        motion.motion.acceleration[k] = along.flow_rate;
        motion.motion.angular_velocity[k] = about.flow;
        motion.motion.angular_acceleration[k] = about.flow_rate;
        if (!socket.takes_motion) continue;
        socket.efforts[i * nodes() + node] = along.effort;
        socket.efforts[(i + 3) * nodes() + node] = about.effort;
        is_finite = is_finite && std::isfinite(along.effort) && std::isfinite(about.effort);
      }
      const auto part = [&](std::size_t i) { return last(socket.spec.interface->turn(i)).position; };
      motion.pose.orientation = Eigen::Quaterniond(part(0), part(1), part(2), part(3)).normalized();
    }
    if (is_finite) continue;
    const bool is_in_space = socket.spec.interface != nullptr;
    return Error{.code = ErrorCode::not_finite,
                 .message = "its motion under a trial of the interface forces is not finite",
                 .component = member.part.component->name(),
                 .port = is_in_space ? socket.spec.interface->name() : socket.spec.port->name,
                 .time = member.part.component->time()};
  }
  return {};
}

core::StepLog& GluedGroup::log_of(std::size_t member) {
  if (outer_log_ == nullptr) return members_[member].log;
  return outer_log_->parts[outer_step_].parts[member];
}

Result<void> GluedGroup::run_member(std::size_t index, double begin, double end, const core::Window& window) {
  Member& member = members_[index];
  if (auto restored = restore_member(member); !restored) return restored;
  member.is_at_start = false;
  give_inputs(member, begin, end);
  core::Component& component = *member.part.component;
  const bool is_known = !notes_steps_ || (outer_log_ != nullptr && outer_use_ == core::StepLogUse::repeat);
  component.follow_steps(&log_of(index), is_known ? core::StepLogUse::repeat : core::StepLogUse::note);
  Result<void> result;
  double from = begin;
  for (std::size_t node = 0; node < nodes() && result; ++node) {
    const double to = node_time(begin, end, node);
    core::Window part{.begin = from, .end = to, .horizon = to, .cancel = window.cancel, .pool = window.pool};
    part.is_save_point = window.is_save_point && to == window.end;
    result = component.advance(part);
    if (result) result = collect(member, node);
    from = to;
  }
  component.follow_steps(nullptr, core::StepLogUse::note);
  member.is_current = result.has_value();
  return result;
}

void GluedGroup::in_parallel(const core::Window& window, std::size_t count,
                             const std::function<void(std::size_t)>& task) {
  if (window.pool == nullptr || count < 2 || member_seconds_ < kTrialWorthSharing) {
    for (std::size_t i = 0; i < count; ++i) task(i);
  } else {
    window.pool->run(count, task);
  }
}

Result<void> GluedGroup::run_members(const std::vector<std::size_t>& which, double begin, double end,
                                     const core::Window& window) {
  const double wall = now_seconds();
  std::vector<Result<void>> results(which.size());
  std::vector<double> seconds(which.size(), 0.0);
  in_parallel(window, which.size(), [&](std::size_t i) {
    const double member_wall = now_seconds();
    results[i] = run_member(which[i], begin, end, window);
    seconds[i] = now_seconds() - member_wall;
  });
  for (const double taken : seconds) member_seconds_ += kForgetting * (taken - member_seconds_);
  figures_.trials += which.size();
  figures_.seconds_members += now_seconds() - wall;
  for (Result<void>& result : results) {
    if (!result) return std::move(result);
  }
  return {};
}

Result<void> GluedGroup::trial(const Eigen::VectorXd& z, double begin, double end, const core::Window& window) {
  distribute(z);
  std::vector<std::size_t> changed;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& member = members_[m];
    const bool has_same_inputs = std::all_of(member.sockets.begin(), member.sockets.end(), [&](std::size_t index) {
      return sockets_[index].inputs == sockets_[index].tried;
    });
    if (member.is_current && has_same_inputs) continue;
    changed.push_back(m);
  }
  auto run = run_members(changed, begin, end, window);
  for (Socket& socket : sockets_) socket.tried = socket.inputs;
  notes_steps_ = false;
  return run;
}

}  // namespace tieline::engine
