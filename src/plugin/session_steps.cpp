// The step loop: what a tool asks for and reports, and when.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "plugin/session.hpp"

namespace tieline::plugin {
namespace {

using core::InterfaceShape;
using core::InterfaceState;
using wave::Side;

std::string seconds(double t) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g s", t);
  return text;
}

bool is_finite(const Eigen::Vector3d& v) {
  return std::isfinite(v.x()) && std::isfinite(v.y()) && std::isfinite(v.z());
}

}  // namespace

Session::Kind Session::kind_of(const InterfaceShape& shape) {
  if (shape.domain == core::Domain::mechanical3d) {
    return shape.causality == core::Causality::takes_motion ? Kind::space_motion : Kind::space;
  }
  switch (shape.causality) {
    case core::Causality::takes_force:
      return Kind::force_in;
    case core::Causality::takes_motion:
      return Kind::motion_in;
    case core::Causality::input:
      return Kind::input;
    default:
      return Kind::output;
  }
}

Session::Registered& Session::registered(int id, Kind needed, const char* function) {
  if (id < 0 || static_cast<std::size_t>(id) >= registered_.size()) {
    throw Failure{TIELINE_ERROR_INTERFACE, std::string(function) + ": there is no interface " + std::to_string(id) +
                                               "; tieline_register has returned 0 to " +
                                               std::to_string(static_cast<int>(registered_.size()) - 1)};
  }
  Registered& interface = registered_[static_cast<std::size_t>(id)];
  if (interface.kind != needed) {
    constexpr const char* kNames[] = {
        "force in, along one axis", "motion in, along one axis", "in space", "motion in, in space", "a signal input",
        "a signal output"};
    throw Failure{TIELINE_ERROR_INTERFACE,
                  std::string(function) + ": interface '" + interface.shape.name + "' is " +
                      kNames[static_cast<int>(interface.kind)] + ", and this is for one that is " +
                      kNames[static_cast<int>(needed)],
                  interface.shape.name};
  }
  return interface;
}

void Session::check_value(const Registered& interface, std::initializer_list<double> values, const char* what) const {
  for (const double value : values) {
    if (std::isfinite(value)) continue;
    throw Failure{
        TIELINE_ERROR_VALUE,
        "interface '" + interface.shape.name + "': " + what + " is " + (std::isnan(value) ? "NaN" : "infinite"),
        interface.shape.name};
  }
}

double Session::time() const {
  if (phase_ == Phase::joined) return setup_.start;
  return publisher_ != nullptr ? publisher_->time() : setup_.start;
}

double Session::settled_time(double t) const {
  // Tools add up their steps: a time within rounding of one that both know is that one.
  for (const double known : {publisher_->time(), is_limit_known_ ? limit_ : t, is_limit_known_ ? horizon_ : t}) {
    if (std::abs(t - known) <= rounding_) return known;
  }
  // Nor may a step end a rounding beside the end of a window: what lies between the two has no slope.
  return joints_ != nullptr ? lines::ScheduledDelay::points(joints_->rule().grid).snap(t) : t;
}

double Session::stage_time(const Registered& interface, double t) {
  // Interfaces are asked one after the other at the same time.
  return t == asked_ && phase_ == Phase::running ? stage_ : new_stage_time(interface, t);
}

double Session::new_stage_time(const Registered& interface, double t) {
  const std::string& name = interface.shape.name;
  if (phase_ == Phase::over) throw Stopped{};
  if (phase_ != Phase::running) {
    throw Failure{TIELINE_ERROR_ORDER, "interface '" + name + "' is read before tieline_start", name};
  }
  if (!std::isfinite(t)) throw Failure{TIELINE_ERROR_VALUE, "interface '" + name + "': the time is not finite", name};
  if (!is_limit_known_) find_limit();
  const double asked = t;
  t = settled_time(t);
  if (t < publisher_->time()) {
    throw Failure{TIELINE_ERROR_TIME,
                  "interface '" + name + "' is read at " + seconds(t) + ", before the last step's end at " +
                      seconds(publisher_->time()),
                  name};
  }
  if (t > horizon_) {
    throw Failure{TIELINE_ERROR_HORIZON,
                  "interface '" + name + "' is read at " + seconds(t) + ", but in a step from " +
                      seconds(publisher_->time()) + " its input is known up to " + seconds(horizon_) +
                      "; tieline_step_limit returns how far a step may go",
                  name};
  }
  // Few ask for more than a step within the window needs; for all others partners may be a window behind.
  if (t > awaited_) wait_for_inputs(Joints::Reach::horizon);
  asked_ = asked;
  return stage_ = t;
}

void Session::wait_for_inputs(Joints::Reach reach) {
  const auto waited =
      joints_->wait_for_inputs(reach, until(), [this](const std::string& partner) { membership_->note_wait(partner); });
  if (!waited) fail(waited.error());
  awaited_ = reach == Joints::Reach::horizon ? horizon_ : joints_->rule().grid.time(joints_->next_window_end());
}

core::Port& Session::port_of(const Registered& interface) { return interfaces_->ports_of(interface.place)[0]; }

double Session::force(int id, double t, double velocity) {
  Registered& interface = registered(id, Kind::force_in, "tieline_get_force");
  t = stage_time(interface, t);
  check_value(interface, {velocity}, "the velocity");
  const core::Port& port = port_of(interface);
  return port.effort_for(velocity, port.w(t, t > publisher_->time() ? Side::left : Side::right).value);
}

core::Wrench Session::force_3d(int id, double t, const core::Pose& pose, const core::SpatialMotion& motion) {
  Registered& interface = registered(id, Kind::space, "tieline_get_force_3d");
  t = stage_time(interface, t);
  if (!is_finite(pose.position) || !is_finite(motion.velocity) || !is_finite(motion.angular_velocity)) {
    check_value(interface, {std::nan("")}, "a position or velocity");
  }
  const Side side = t > publisher_->time() ? Side::left : Side::right;
  const core::SpatialInterface& space = *interfaces_->spatial(interface.place);
  if (!interface.arm) return space.wrench(t, side, pose, motion);
  const core::SpaceState carried = interface.arm->out({pose, motion});
  return interface.arm->load_back(space.wrench(t, side, carried.pose, carried.motion), pose.orientation);
}

double Session::motion(int id, double t, double force) {
  Registered& interface = registered(id, Kind::motion_in, "tieline_get_motion");
  t = stage_time(interface, t);
  check_value(interface, {force}, "the force");
  InterfaceState state;
  state.effort = force;
  interfaces_->settle_motion(interface.place, t, t > publisher_->time() ? Side::left : Side::right, state);
  return state.flow;
}

core::SpaceState Session::motion_3d(int id, double t) {
  Registered& interface = registered(id, Kind::space_motion, "tieline_get_motion_3d");
  t = stage_time(interface, t);
  const core::SpaceState given =
      interfaces_->spatial(interface.place)->given(t, t > publisher_->time() ? Side::left : Side::right);
  return interface.arm ? interface.arm->back(given) : given;
}

void Session::set_force_3d(int id, double t, const core::Wrench& load) {
  Registered& interface = registered(id, Kind::space_motion, "tieline_set_force_3d");
  if (!is_finite(load.force) || !is_finite(load.torque)) check_value(interface, {std::nan("")}, "a force or torque");
  InterfaceState& state = reported_state(interface, t);
  state.load = load;
  if (!interface.arm) return;
  // Before the start nothing has been given, and it stands where it is placed.
  const core::Pose carried = phase_ == Phase::running
                                 ? interfaces_->spatial(interface.place)->given(settled_time(t), Side::left).pose
                                 : state.pose;
  state.load = interface.arm->load_out(load, interface.arm->own_turn(carried.orientation));
}

void Session::signal(int id, double t, double* values) {
  Registered& interface = registered(id, Kind::input, "tieline_get_signal");
  t = stage_time(interface, t);
  const Side side = t > publisher_->time() ? Side::left : Side::right;
  for (const core::Port& port : interfaces_->ports_of(interface.place)) *values++ = port.w(t, side).value;
}

InterfaceState& Session::reported_state(Registered& interface, double t) {
  const std::string& name = interface.shape.name;
  if (phase_ == Phase::over) throw Stopped{};
  if (!std::isfinite(t)) throw Failure{TIELINE_ERROR_VALUE, "interface '" + name + "': the time is not finite", name};
  if (phase_ == Phase::joined) {
    if (t != setup_.start) {
      throw Failure{TIELINE_ERROR_TIME,
                    "interface '" + name + "' is set at " + seconds(t) + ", but before tieline_start only values at " +
                        seconds(setup_.start) + " can be set",
                    name};
    }
    interface.is_set = true;
    return interface.first;
  }
  t = settled_time(t);
  if (!(t > publisher_->time())) {
    throw Failure{TIELINE_ERROR_TIME,
                  "interface '" + name + "' is set at " + seconds(t) + ", which is not after the last step's end at " +
                      seconds(publisher_->time()),
                  name};
  }
  if (!std::isnan(step_time_) && t != step_time_) {
    throw Failure{
        TIELINE_ERROR_TIME,
        "interface '" + name + "' is set at " + seconds(t) + ", but others of this step were at " + seconds(step_time_),
        name};
  }
  step_time_ = t;
  progress_[interface.place] = {.is_set = true};
  return publisher_->next(interface.place);
}

InterfaceState& Session::reported_rates(Registered& interface, double t) {
  const std::string& name = interface.shape.name;
  const bool is_set =
      phase_ == Phase::joined ? interface.is_set : phase_ == Phase::running && progress_[interface.place].is_set;
  if (phase_ == Phase::over) throw Stopped{};
  if (!is_set)
    throw Failure{TIELINE_ERROR_ORDER, "rates of interface '" + name + "' come right after its values", name};
  if (phase_ == Phase::joined) {
    interface.shape.reports_rates = true;
    return interface.first;
  }
  if (!interface.shape.reports_rates) {
    throw Failure{TIELINE_ERROR_ORDER,
                  "interface '" + name + "' had no rates before tieline_start, and cannot have any now", name};
  }
  if (settled_time(t) != step_time_) {
    throw Failure{TIELINE_ERROR_TIME, "rates of interface '" + name + "' are set at another time than its values",
                  name};
  }
  progress_[interface.place].has_rates = true;
  return publisher_->next(interface.place);
}

void Session::set_motion(int id, double t, double position, double velocity) {
  Registered& interface = registered(id, Kind::force_in, "tieline_set_motion");
  check_value(interface, {position}, "the position");
  check_value(interface, {velocity}, "the velocity");
  InterfaceState& state = reported_state(interface, t);
  state.position = position, state.flow = velocity;
}

void Session::set_motion_3d(int id, double t, const core::Pose& pose, const core::SpatialMotion& motion) {
  Registered& interface = registered(id, Kind::space, "tieline_set_motion_3d");
  if (!is_finite(pose.position) || !is_finite(motion.velocity) || !is_finite(motion.angular_velocity)) {
    check_value(interface, {std::nan("")}, "a position or velocity");
  }
  InterfaceState& state = reported_state(interface, t);
  const core::SpaceState reached = interface.arm ? interface.arm->out({pose, motion}) : core::SpaceState{pose, motion};
  state.pose = reached.pose;
  state.motion.velocity = reached.motion.velocity, state.motion.angular_velocity = reached.motion.angular_velocity;
}

void Session::set_force(int id, double t, double position, double force) {
  Registered& interface = registered(id, Kind::motion_in, "tieline_set_force");
  check_value(interface, {position}, "the position");
  check_value(interface, {force}, "the force");
  InterfaceState& state = reported_state(interface, t);
  state.position = position, state.effort = force;
}

void Session::set_signal(int id, double t, const double* values) {
  Registered& interface = registered(id, Kind::output, "tieline_set_signal");
  const std::size_t count = static_cast<std::size_t>(interface.shape.size);
  for (std::size_t i = 0; i < count; ++i) check_value(interface, {values[i]}, "a value");
  std::copy_n(values, count, reported_state(interface, t).values.begin());
}

void Session::set_acceleration(int id, double t, double acceleration) {
  Registered& interface = registered(id, Kind::force_in, "tieline_set_acceleration");
  check_value(interface, {acceleration}, "the acceleration");
  reported_rates(interface, t).flow_rate = acceleration;
}

void Session::set_acceleration_3d(int id, double t, const Eigen::Vector3d& acceleration,
                                  const Eigen::Vector3d& angular) {
  Registered& interface = registered(id, Kind::space, "tieline_set_acceleration_3d");
  if (!is_finite(acceleration) || !is_finite(angular)) check_value(interface, {std::nan("")}, "an acceleration");
  InterfaceState& state = reported_rates(interface, t);
  state.motion.acceleration = acceleration, state.motion.angular_acceleration = angular;
  if (!interface.arm) return;
  core::SpaceState own = interface.arm->back({state.pose, state.motion});
  own.motion.acceleration = acceleration;
  state.motion = interface.arm->out(own).motion;
}

void Session::set_signal_rate(int id, double t, const double* rates) {
  Registered& interface = registered(id, Kind::output, "tieline_set_signal_rate");
  const std::size_t count = static_cast<std::size_t>(interface.shape.size);
  for (std::size_t i = 0; i < count; ++i) check_value(interface, {rates[i]}, "a rate");
  std::copy_n(rates, count, reported_rates(interface, t).rates.begin());
}

double Session::step_limit(double t) {
  if (phase_ == Phase::over) throw Stopped{};
  if (phase_ != Phase::running) throw Failure{TIELINE_ERROR_ORDER, "tieline_step_limit comes after tieline_start"};
  if (!std::isfinite(t)) throw Failure{TIELINE_ERROR_VALUE, "tieline_step_limit: the time is not finite"};
  if (settled_time(t) != publisher_->time()) {
    throw Failure{TIELINE_ERROR_TIME, "tieline_step_limit is called for a step from " + seconds(t) +
                                          ", but the last step ended at " + seconds(publisher_->time())};
  }
  if (!is_limit_known_) find_limit();
  return limit_;
}

void Session::find_limit() {
  if (joints_ != nullptr) {
    wait_for_inputs(Joints::Reach::window);
    const lines::WindowRule& rule = joints_->rule();
    const lines::Tick done = joints_->done();
    lines::Tick tick = joints_->horizon();
    horizon_ = rule.grid.time(tick);
    // Save points, the stop and every window's end are landed on: steps across windows' ends, interpolated there, were
    // seen to make lines unstable.
    if (rule.save_interval > 0) tick = std::min(tick, (done / rule.save_interval + 1) * rule.save_interval);
    tick = std::min(tick, joints_->next_window_end());
    limit_ = rule.grid.time(tick);
    limit_ = std::min(limit_, joints_->next_break(publisher_->time(), limit_));
  }
  is_limit_known_ = true;
  forget_stage();
}

void Session::check_step(double& t) {
  if (phase_ == Phase::over) throw Stopped{};
  if (phase_ != Phase::running) throw Failure{TIELINE_ERROR_ORDER, "tieline_sync comes after tieline_start"};
  if (!std::isfinite(t)) throw Failure{TIELINE_ERROR_VALUE, "tieline_sync: the time is not finite"};
  // A tool that never has to wait is asked to stop here.
  if (membership_->stop_flag()) fail({.code = core::ErrorCode::cancelled, .message = "stopped on request"});
  if (!is_limit_known_) find_limit();
  t = settled_time(t);
  if (!(t > publisher_->time())) {
    throw Failure{TIELINE_ERROR_TIME, "tieline_sync: a step ends at " + seconds(t) +
                                          ", which is not after the last one's end at " + seconds(publisher_->time())};
  }
  if (t > limit_) {
    throw Failure{TIELINE_ERROR_STEP, "a step from " + seconds(publisher_->time()) + " ends at " + seconds(t) +
                                          ", but may end at " + seconds(limit_) +
                                          " at the latest (tieline_step_limit)"};
  }
  for (const Registered& each : registered_) {
    if (each.shape.causality == core::Causality::input) continue;
    const std::string& name = each.shape.name;
    if (!progress_[each.place].is_set || !(std::abs(step_time_ - t) <= rounding_)) {
      throw Failure{TIELINE_ERROR_ORDER,
                    "interface '" + name + "' was not set at " + seconds(t) + " before tieline_sync", name};
    }
    if (each.shape.reports_rates && !progress_[each.place].has_rates) {
      throw Failure{TIELINE_ERROR_ORDER,
                    "interface '" + name + "' has had rates since tieline_start, but has none at " + seconds(t), name};
    }
  }
}

int Session::sync(double t) {
  check_step(t);
  for (Progress& each : progress_) each = {};
  step_time_ = std::nan("");
  forget_stage();
  if (!counts_steps_) ++counts_[1];
  return joints_ != nullptr ? step_free(t) : step_driven(t);
}

void Session::pass_break() {
  const double begin = publisher_->time();
  if (begin > rows_start_ && joints_->has_break_at(begin)) {
    ++counts_[8];
    publisher_->publish_right_side();
  }
}

int Session::step_free(double t) {
  pass_break();
  if (is_first_row_due_) {
    write_rows(publisher_->time());
    is_first_row_due_ = false;
  }
  publisher_->begin_step(t);
  write_rows(t);
  const core::TimeGrid& grid = joints_->rule().grid;
  double published_to = publisher_->time();
  while (joints_->done() < grid.stop_tick() && grid.time(joints_->next_window_end()) <= t) {
    published_to = grid.time(joints_->next_window_end());
    publisher_->publish(published_to);
    if (const auto sent = joints_->send(); !sent) fail(sent.error());
    ++counts_[0];
  }
  if (published_to < t) publisher_->publish(t);
  publisher_->end_step();
  is_limit_known_ = false;
  membership_->note_tick(joints_->done());
  if (joints_->done() < go_limit_) return TIELINE_CONTINUE;
  park();
  return wait_for_go();
}

void Session::write_rows(double t) {
  if (rows_.is_idle()) return;
  rows_.write_until(t, [this](double at, std::span<double> values) {
    publisher_->fill_columns(at, at == rows_start_ ? Side::right : Side::left, values);
  });
}

}  // namespace tieline::plugin
