// Steps of a structure through its windows, and its energy accounts. Its outputs are in structure_outputs.cpp, where it
// stands at rest in structure_statics.cpp.

#include "components/structure/structure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "components/port_inputs.hpp"
#include "core/signal_members.hpp"
#include "core/turning.hpp"

namespace tieline::components {

using core::SpatialInterface;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A rest of n steps within rounding is n steps, not n + 1.
constexpr double kWholeSteps = 1e-10;
// Times are sums and differences of others, and known no better than so many roundings.
constexpr double kTimeRoundings = 64.0;
// A step hides nothing of a load that polynomials of degree 11 would miss by more than this share of its size.
constexpr double kPulseTolerance = 1e-3;
// Rotations of a node beyond this are no longer small: a tenth of it is wrong by its square [rad].
constexpr double kLargeTurn = 0.1;
// Steps are cut to this share at the shortest: what is shorter has no impulse to speak of.
constexpr double kShortestPart = 1e-4;

/// The length of n equal steps from begin to end, free of the roundings of the times: steps that mean the same length
/// have the same, so that their factorisation serves them all. The stated step where it is meant.
double step_length(double begin, double end, double n, double stated) {
  const double length = (end - begin) / n;
  const double rounding = kTimeRoundings * kEpsilon * std::max(std::abs(begin), std::abs(end));
  if (std::abs(length - stated) <= rounding) return stated;
  if (!(rounding > 0.0) || rounding > 1e-3 * length) return length;
  const double quantum = std::exp2(std::ceil(std::log2(rounding)));
  return std::round(length / quantum) * quantum;
}

/// A diagonal of equal numbers looks the same in all axes, without rounding.
Matrix3d turned_diagonal(const Vector3d& diagonal, const Matrix3d& axes) {
  if (diagonal[0] == diagonal[1] && diagonal[1] == diagonal[2]) return diagonal.asDiagonal();
  return axes * diagonal.asDiagonal() * axes.transpose();
}

}  // namespace

Structure::Structure(std::string name, StructureSpec spec, double step, const core::Pose& placement)
    : Component(std::move(name)),
      spec_(std::move(spec)),
      step_(step),
      placement_(placement),
      R_(placement.orientation.toRotationMatrix()),
      elements_(spec_, R_.transpose() * spec_.gravity),
      newmark_(elements_.mass(), elements_.stiffness(), spec_.damping, point_freedoms(), spec_.newmark,
               elements_.led_size()),
      resolution_(rotations()) {
  for (const StructureLoad& load : spec_.loads) {
    loads_.push_back({.node = load.node, .functions = functions_.size()});
    for (const document::TimeFunction& function : load.functions) functions_.emplace_back(function);
  }
  add_ports();
  add_columns();
}

std::vector<solvers::PointFreedoms> Structure::point_freedoms() const {
  std::vector<solvers::PointFreedoms> result;
  for (const StructureInterface& interface : spec_.interfaces) {
    for (const int node : interface.nodes) result.push_back(elements_.freedoms(node));
  }
  return result;
}

/// By freedom.
std::vector<bool> Structure::rotations() const {
  std::vector<bool> result(static_cast<std::size_t>(elements_.size()), false);
  for (int node = 0; node < static_cast<int>(spec_.nodes.size()); ++node) {
    const solvers::PointFreedoms& freedoms = elements_.freedoms(node);
    for (std::size_t i = 3; i < freedoms.size(); ++i) {
      if (freedoms[i] >= 0) result[static_cast<std::size_t>(freedoms[i])] = true;
    }
  }
  return result;
}

void Structure::add_ports() {
  struct Point {
    std::string name{};
    int node = -1;
    bool is_led = false;
  };
  std::vector<Point> points;
  for (const StructureInterface& interface : spec_.interfaces) {
    const int size = static_cast<int>(interface.nodes.size());
    for (int i = 0; i < size; ++i) {
      points.push_back({core::member_name(interface.name, size, i + 1), interface.nodes[static_cast<std::size_t>(i)],
                        interface.takes_motion});
    }
  }
  for (const Point& point : points) {
    const auto causality = point.is_led ? core::Causality::takes_motion : core::Causality::takes_force;
    for (core::Port& port : SpatialInterface::make_ports(point.name, causality)) ports_.push_back(std::move(port));
  }
  // The list is complete, so that its ports do not move any more.
  std::size_t first = 0;
  const VectorXd undeformed = VectorXd::Zero(elements_.size());
  for (const Point& point : points) {
    constexpr std::size_t kPorts = SpatialInterface::kPorts;
    ends_.push_back({.interface = {point.name, std::span<core::Port, kPorts>(ports_.data() + first, kPorts)},
                     .node = point.node,
                     .first_port = first,
                     .is_led = point.is_led});
    has_led_ = has_led_ || point.is_led;
    if (point.is_led) ends_.back().interface.set_start(pose_of(point.node, undeformed));
    first += kPorts;
  }
}

std::vector<SpatialInterface*> Structure::spatial_interfaces() {
  std::vector<SpatialInterface*> result;
  for (End& end : ends_) result.push_back(&end.interface);
  return result;
}

core::Capabilities Structure::capabilities() const {
  return {.can_snapshot = true, .reports_energy = true, .fixed_step = is_dynamic() ? step_ : 0.0, .is_linear = true};
}

core::Result<void> Structure::start(double t0) {
  newmark_.start();
  t0_ = t_ = step_start_ = breaks_settled_to_ = t0;
  step_length_ = 0.0;
  rows_.start(t0);
  dissipated_ = supplied_ = most_supplied_ = received_ = 0.0;
  outputs_.assign(ports_.size(), {});
  last_samples_.assign(ports_.size(), {});
  for (End& end : ends_) {
    end.turning.setZero();
    end.applied = end.applied_before = Vector6::Zero();
  }
  largest_turn_ = 0.0;
  means_.assign(ports_.size(), {});
  for (auto* sums : {&work_, &impulse_, &start_position_, &start_integral_}) sums->assign(ports_.size(), 0.0);
  force_.setZero(elements_.size());
  for (TimeSignal& function : functions_) function.update(t0, {});
  take_given(t0, wave::Side::right);
  if (rest_) {
    newmark_.place(*rest_, VectorXd::Zero(elements_.size()));
  } else if (!is_dynamic()) {
    if (auto rested = rest_at(t0); !rested) return placed(rested.error());
  }
  find_accelerations(wave::Side::right);
  resolution_.start(newmark_.u());
  has_started_ = true;
  // The first sample fixes where displacements and impulses are counted from.
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    ports_[i].preferred = wave::Interpolation::linear;
    start_integral_[i] = ports_[i].w(t0, wave::Side::right).integral;
  }
  for (const End& end : ends_) {
    const core::Pose pose = pose_of(end.node, newmark_.u());
    for (std::size_t i = 0; i < 3; ++i) {
      start_position_[end.first_port + i] = pose.position[static_cast<Eigen::Index>(i)];
    }
  }
  return publish(wave::Side::right);
}

void Structure::evaluate_end(std::size_t index, const Vector6& w, double t, wave::Side side, const VectorXd& u,
                             const VectorXd& v) {
  End& end = ends_[index];
  const core::Pose pose = pose_of(end.node, u);
  const Vector3d omega = R_ * elements_.at(end.node, v).tail<3>();
  end.frame = end.interface.frame(t, side, {pose.orientation, omega}).orientation;
  // From the axes in which torques are counted to the component's.
  const Matrix3d about = R_.transpose() * end.frame.toRotationMatrix();
  Vector6 z;
  for (std::size_t i = 0; i < SpatialInterface::kAxes; ++i) {
    z[static_cast<Eigen::Index>(i)] = end.interface.axis(i).law.impedance;
  }
  end.incoming.head<3>() = R_.transpose() * w.head<3>();
  end.incoming.tail<3>() = about * w.tail<3>();
  solvers::Matrix6 Z = solvers::Matrix6::Zero();
  Z.topLeftCorner<3, 3>() = turned_diagonal(z.head<3>(), R_.transpose());
  Z.bottomRightCorner<3, 3>() = turned_diagonal(z.tail<3>(), about);
  newmark_.set_impedance(index, Z);
}

bool Structure::is_glued_straight(End& end) {
  const wave::Track& track = end.interface.axis(0).incoming;
  return end.is_led && track.interpolation() == wave::Interpolation::linear && !track.extrapolates();
}

void Structure::take_given(double t, wave::Side side) {
  if (!has_led_) return;
  solvers::HeldMotion& held = newmark_.held();
  const auto put = [](const Vector3d& v, VectorXd& to, Eigen::Index at) { to.segment<3>(at) = v; };
  for (End& end : ends_) {
    if (!end.is_led) continue;
    const core::SpaceState given = end.interface.given(t, side);
    const auto into = [&](const Vector3d& v) { return Vector3d(R_.transpose() * v); };
    const core::Pose own = core::compose(core::inverse(placement_), given.pose);
    const core::SpatialMotion motion{.angular_velocity = into(given.motion.angular_velocity),
                                     .angular_acceleration = into(given.motion.angular_acceleration)};
    const core::Turning turned = core::turning_of(core::rotation_vector(own.orientation), motion);
    largest_turn_ = std::max(largest_turn_, turned.angle.norm());
    const Eigen::Index at = elements_.freedoms(end.node)[0] - elements_.free_size();
    put(own.position - spec_.nodes[static_cast<std::size_t>(end.node)].position, held.u, at);
    put(into(given.motion.velocity), held.v, at);
    put(into(given.motion.acceleration), held.a, at);
    put(turned.angle, held.u, at + 3);
    put(turned.rate, held.v, at + 3);
    put(turned.second, held.a, at + 3);
    if (!(t > t_)) continue;
    const Eigen::Index own_at = at + elements_.free_size();
    const Vector6 rise = held.v.segment<6>(at) - newmark_.v().segment<6>(own_at);
    // A velocity that is held and jumps has its accelerations between the steps; one that is glued and straight those
    // that the method would have for it, so that a glued step is one of the whole.
    if (end.interface.axis(0).incoming.interpolation() == wave::Interpolation::hold) {
      held.a.segment<6>(at) = rise / (t - t_);
    } else if (is_glued_straight(end)) {
      const double gamma = newmark_.options().gamma, h = t - t_;
      held.a.segment<6>(at) = (rise - ((1.0 - gamma) * h) * newmark_.a().segment<6>(own_at)) / (gamma * h);
    }
  }
}

void Structure::evaluate_forces(double t, wave::Side side, const VectorXd& u, const VectorXd& v) {
  force_ = elements_.weight();
  for (Load& load : loads_) {
    for (std::size_t i = 0; i < 6; ++i) {
      load.acting[static_cast<Eigen::Index>(i)] = functions_[load.functions + i].value(t, {});
    }
    elements_.add_to(load.node, load.acting, force_);
  }
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i].is_led) continue;
    Vector6 w;
    for (std::size_t k = 0; k < SpatialInterface::kAxes; ++k) {
      w[static_cast<Eigen::Index>(k)] = ends_[i].interface.axis(k).w(t, side).value;
    }
    evaluate_end(i, w, t, side, u, v);
    elements_.add_to(ends_[i].node, ends_[i].incoming, force_);
  }
}

void Structure::note_applied() {
  const VectorXd* const reaction = has_led_ ? &newmark_.reaction(force_) : nullptr;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    End& end = ends_[i];
    if (end.is_led) {
      end.applied = reaction->segment<6>(elements_.freedoms(end.node)[0] - elements_.free_size());
      continue;
    }
    end.applied = end.incoming - newmark_.factors().block(i) * elements_.at(end.node, newmark_.v());
  }
}

void Structure::find_accelerations(wave::Side side) {
  evaluate_forces(t_, side, newmark_.u(), newmark_.v());
  if (is_dynamic()) newmark_.accelerate(force_);
  note_applied();
}

double Structure::next_break(double t, double until) const {
  double next = wave::Track::kNever;
  for (const End& end : ends_) {
    if (is_line_end(end)) continue;
    const std::span<const core::Port> ports(ports_.data() + end.first_port, SpatialInterface::kPorts);
    next = std::min(next, next_input_break(ports, t, until));
  }
  return next;
}

bool Structure::is_switch_due(double t) const {
  // Times on the schedule may miss that of a break by their rounding.
  const double rounding = kTimeRoundings * kEpsilon * std::abs(t);
  return next_function_break(t - rounding) <= t + rounding;
}

double Structure::next_function_break(double t) const {
  double next = wave::Track::kNever;
  for (const TimeSignal& function : functions_) next = std::min(next, function.next_break(t));
  return next;
}

/// Where a step from `begin` to `end` has to be cut, because a load jumps or because it hides a short pulse of one.
double Structure::cut_between(double begin, double end) const {
  const double rounding = kTimeRoundings * kEpsilon * std::max(std::abs(begin), std::abs(end));
  const double due = next_function_break(begin + rounding);
  double cut = due < end - rounding ? due : end;
  const double shortest = kShortestPart * (end - begin);
  for (const TimeSignal& function : functions_) {
    while (cut - begin > shortest && function.unseen(begin, cut, kPulseTolerance) > 1.0) {
      cut = begin + 0.5 * (cut - begin);
    }
  }
  return cut;
}

bool Structure::is_unsettled_break(double t) {
  if (!(t > breaks_settled_to_)) return false;
  return next_break(std::nextafter(t, -wave::Track::kNever), t) == t || is_switch_due(t);
}

core::Result<void> Structure::settle() {
  if (!is_unsettled_break(t_)) return {};
  ++breaks_;
  breaks_settled_to_ = t_;
  const double just_after = t_ + kTimeRoundings * kEpsilon * std::abs(t_);
  for (TimeSignal& function : functions_) function.update(just_after, {});
  take_given(t_, wave::Side::right);
  find_accelerations(wave::Side::right);
  return publish(wave::Side::right);
}

/// What is known better now of a motion given is for the end of the next step: a node that jumped would pull at its
/// neighbours with all their stiffness.
core::Result<void> Structure::note_new_samples() {
  if (is_sampled(ports_) && t_ > t0_) find_accelerations(wave::Side::right);
  return {};
}

Structure::Plan Structure::plan_step(double limit) {
  const double bound = std::min(limit, next_break(t_, limit));
  const double stated = step_ > 0.0 ? step_ : bound - t_;
  const double count = std::max(1.0, std::ceil((bound - t_) / stated * (1.0 - kWholeSteps)));
  Plan plan{.end = count > 1.0 ? t_ + (bound - t_) / count : bound, .length = step_length(t_, bound, count, stated)};
  if (const double cut = cut_between(t_, plan.end); cut < plan.end) plan = {.end = cut, .length = cut - t_};
  return plan;
}

double Structure::stored_energy() const {
  const double kinetic = is_dynamic() ? newmark_.kinetic_energy() : 0.0;
  return kinetic + newmark_.elastic_energy() - elements_.weight().dot(newmark_.u());
}

/// By the mean of what comes in during the step, which the tracks' integrals give: so the structure takes no more
/// energy from a wave than it carries, however the wave runs within the step, and its impulse is the wave's.
void Structure::move_by_mean(double end, double h) {
  const double middle = 0.5 * (t_ + end), length = end - t_;
  v_between_ = newmark_.v();
  u_between_ = newmark_.u() + (0.5 * h) * v_between_;
  force_ = elements_.weight();
  for (const Load& load : loads_) {
    Vector6 mean = load.acting;
    for (std::size_t i = 0; i < 6; ++i) {
      mean[static_cast<Eigen::Index>(i)] += functions_[load.functions + i].value(end, {});
    }
    elements_.add_to(load.node, 0.5 * mean, force_);
  }
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i].is_led) continue;
    Vector6 w;
    for (std::size_t k = 0; k < SpatialInterface::kAxes; ++k) {
      const core::Port& port = ends_[i].interface.axis(k);
      const double impulse = port.w(end, wave::Side::left).integral - port.w(t_, wave::Side::right).integral;
      w[static_cast<Eigen::Index>(k)] = impulse / length;
    }
    evaluate_end(i, w, middle, wave::Side::left, u_between_, v_between_);
    elements_.add_to(ends_[i].node, ends_[i].incoming, force_);
  }
  take_given(end, wave::Side::left);
  newmark_.step_by_mean(h, force_);
  const VectorXd* const reaction = has_led_ ? &newmark_.mean_reaction(h, force_) : nullptr;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i].is_led) {
      ends_[i].mean = reaction->segment<6>(elements_.freedoms(ends_[i].node)[0] - elements_.free_size());
      continue;
    }
    const Vector6 way = elements_.at(ends_[i].node, newmark_.u()) - elements_.at(ends_[i].node, newmark_.u_before());
    ends_[i].mean = ends_[i].incoming - newmark_.factors().block(i) * way / h;
  }
  evaluate_forces(end, wave::Side::left, newmark_.u(), newmark_.v());
  newmark_.accelerate(force_);
  note_applied();
}

void Structure::move_by_end(double end, double h) {
  for (End& point : ends_) point.mean = 0.5 * point.applied;
  // Frames are placed where the motion so far leads; what it turns in a step is small.
  v_between_ = newmark_.v() + h * newmark_.a();
  u_between_ = newmark_.u() + (0.5 * h) * (newmark_.v() + v_between_);
  evaluate_forces(end, wave::Side::left, u_between_, v_between_);
  take_given(end, wave::Side::left);
  is_dynamic() ? newmark_.step(h, force_) : newmark_.creep(h, force_);
  note_applied();
  for (End& point : ends_) point.mean += 0.5 * point.applied;
}

bool Structure::has_lines() const {
  return std::any_of(ends_.begin(), ends_.end(), [this](const End& end) { return is_line_end(end); });
}

core::Result<void> Structure::make_step(double limit) {
  if (!(limit > t_)) {
    return placed(
        {.code = core::ErrorCode::step_failed,
         .message = fmt::format("a step to {:.9g} s was requested, which is not after the present time", limit)});
  }
  if (t_ == t0_) record_until(t0_);
  const Plan plan = plan_step(limit);
  const double h = plan.length;
  const bool is_mean_acceleration = newmark_.options().is_mean_acceleration();
  const double energy_before = is_mean_acceleration ? 0.0 : stored_energy();
  for (Load& load : loads_) load.acting_before = load.acting;
  for (End& end : ends_) end.applied_before = end.applied;
  // Waves count by their mean. Without them the step by its end knows accelerations better, since it does not divide
  // what stiffness leaves of large forces by masses.
  const bool is_by_mean = is_dynamic() && is_mean_acceleration && has_lines();
  is_by_mean ? move_by_mean(plan.end, h) : move_by_end(plan.end, h);
  note_turning(h, step_length_);
  step_start_ = t_;
  step_length_ = h;
  t_ = plan.end;
  ++steps_;
  account(h, energy_before);
  if (!newmark_.u().allFinite()) {
    return placed({.code = core::ErrorCode::not_finite, .message = "the displacements are not finite"});
  }
  record_until(t_);
  return publish(wave::Side::left);
}

void Structure::note_turning(double h, double last_h) {
  for (End& end : ends_) {
    const Vector6 way = elements_.at(end.node, newmark_.u()) - elements_.at(end.node, newmark_.u_before());
    const Vector3d turning = R_ * way.tail<3>() / h;
    end.turning_rate = 2.0 / (h + last_h) * (turning - end.turning);
    end.turning = turning;
  }
}

void Structure::account(double h, double energy_before) {
  double work_of_loads = 0.0, work_of_ends = 0.0;
  double exchanged = 0.0;  // by forces as they change: what a constant one takes, it gives back
  for (const Load& load : loads_) {
    const Vector6 u = elements_.at(load.node, newmark_.u());
    const Vector6 way = u - elements_.at(load.node, newmark_.u_before());
    work_of_loads += 0.5 * (load.acting + load.acting_before).dot(way);
    exchanged += std::abs((load.acting - load.acting_before).dot(u));
  }
  for (const End& end : ends_) {
    const Vector6 u = elements_.at(end.node, newmark_.u());
    const Vector6 way = u - elements_.at(end.node, newmark_.u_before());
    const Vector6& mean = end.mean;
    exchanged += std::abs((end.applied - end.applied_before).dot(u));
    const Vector3d along = R_ * way.head<3>(), force = R_ * mean.head<3>();
    const Eigen::Quaterniond to_frame = end.frame.conjugate();
    const Vector3d about = to_frame * (R_ * way.tail<3>()), torque = to_frame * (R_ * mean.tail<3>());
    for (std::size_t i = 0; i < 3; ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      const std::size_t port = end.first_port + i;
      work_[port] += force[k] * along[k];
      work_[port + 3] += torque[k] * about[k];
      impulse_[port] += h * force[k];
      impulse_[port + 3] += h * torque[k];
      means_[port] = {.flow = along[k] / h, .effort = force[k]};
      means_[port + 3] = {.flow = about[k] / h, .effort = torque[k]};
    }
    bool is_connected = false;
    for (std::size_t i = 0; i < SpatialInterface::kAxes; ++i) {
      is_connected = is_connected || ports_[end.first_port + i].is_connected;
    }
    (is_connected ? work_of_ends : work_of_loads) += mean.dot(way);
  }
  received_ += work_of_ends;
  supplied_ += work_of_loads;
  most_supplied_ = std::max(most_supplied_, std::abs(supplied_));
  if (!is_dynamic()) return;
  const double dissipated = newmark_.options().is_mean_acceleration()
                                ? newmark_.dissipated_in_step()
                                : energy_before + work_of_loads + work_of_ends - stored_energy();
  dissipated_ += dissipated;
  resolution_.note(h, newmark_.u(), exchanged + std::abs(dissipated));
  if (resolution_.wants_energy()) resolution_.note_energy(newmark_.kinetic_energy());
}

core::Result<void> Structure::advance(const core::Window& window) {
  const auto begin = std::chrono::steady_clock::now();
  ++windows_;
  if (auto covered = check_covered(ports_, window.end); !covered) return placed(covered.error());
  if (auto noted = note_new_samples(); !noted) return noted;
  while (t_ < window.end) {
    if (core::is_cancelled(window)) {
      return placed({.code = core::ErrorCode::cancelled, .message = "stopped on request"});
    }
    if (auto settled = settle(); !settled) return settled;
    if (auto made = make_step(window.end); !made) return made;
  }
  seconds_total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {};
}

core::Result<double> Structure::step(double limit) {
  ++windows_;
  if (auto covered = check_covered(ports_, limit); !covered) return placed(covered.error());
  if (auto noted = note_new_samples(); !noted) return noted.error();
  if (auto settled = settle(); !settled) return settled.error();
  if (auto made = make_step(limit); !made) return made.error();
  return t_;
}

core::Error Structure::placed(core::Error error) const {
  error.component = name();
  if (std::isnan(error.time)) error.time = t_;
  return error;
}

core::Result<void> Structure::save(core::ArchiveWriter& archive) const {
  archive.tag(name());
  archive.put(t0_), archive.put(t_), archive.put(breaks_settled_to_), archive.put(step_length_);
  archive.put(dissipated_), archive.put(supplied_), archive.put(most_supplied_), archive.put(received_);
  archive.put(largest_turn_);
  for (const auto* sums : {&work_, &impulse_, &start_position_, &start_integral_}) archive.put_span<double>(*sums);
  archive.put_span<wave::Sample>(last_samples_);
  const auto put_vector = [&](const Vector6& vector) { archive.put_span(std::span<const double>(vector.data(), 6)); };
  for (const End& end : ends_) {
    put_vector(end.applied);
    archive.put_span(std::span<const double>(end.turning.data(), 3));
  }
  for (const Load& load : loads_) put_vector(load.acting);
  for (const core::Port& port : ports_) save_track(archive, port.incoming);
  for (const TimeSignal& function : functions_) function.save(archive);
  newmark_.save(archive);
  resolution_.save(archive);
  return {};
}

core::Result<void> Structure::restore(core::ArchiveReader& archive) {
  archive.expect_tag(name());
  archive.get(t0_), archive.get(t_), archive.get(breaks_settled_to_), archive.get(step_length_);
  archive.get(dissipated_), archive.get(supplied_), archive.get(most_supplied_), archive.get(received_);
  archive.get(largest_turn_);
  for (auto* sums : {&work_, &impulse_, &start_position_, &start_integral_}) {
    sums->resize(ports_.size());
    archive.get_span<double>(*sums);
  }
  last_samples_.resize(ports_.size());
  means_.resize(ports_.size());
  archive.get_span<wave::Sample>(last_samples_);
  const auto get_vector = [&](Vector6& vector) { archive.get_span(std::span<double>(vector.data(), 6)); };
  for (End& end : ends_) {
    get_vector(end.applied);
    archive.get_span(std::span<double>(end.turning.data(), 3));
  }
  for (Load& load : loads_) get_vector(load.acting);
  for (core::Port& port : ports_) {
    restore_track(archive, port.incoming);
    port.outbox.clear();
  }
  for (TimeSignal& function : functions_) function.restore(archive);
  newmark_.restore(archive);
  resolution_.restore(archive);
  outputs_.resize(ports_.size());
  force_.setZero(elements_.size());
  step_start_ = t_;
  has_started_ = true;
  rows_.resume(t0_, t_);
  return {};
}

std::vector<core::Fact> Structure::facts() const {
  if (largest_turn_ <= kLargeTurn) return {};
  return {{.text = fmt::format("an interface that takes motion has turned its node by {:.3g} rad, but rotations of a "
                               "structure must be small (below {:g} rad): use beams of a multibody system",
                               largest_turn_, kLargeTurn),
           .is_warning = true}};
}

std::optional<core::Energy> Structure::energy() const {
  if (!has_started_) return std::nullopt;
  core::Energy result;
  result.kinetic = is_dynamic() ? newmark_.kinetic_energy() : 0.0;
  result.elastic = newmark_.elastic_energy();
  result.potential = result.elastic - elements_.weight().dot(newmark_.u());
  result.dissipated = dissipated_;
  result.supplied = supplied_;
  result.most_supplied = most_supplied_;
  result.received = received_;
  return result;
}

core::Statistics Structure::statistics() const {
  core::Statistics result;
  result.solver = is_dynamic() ? "newmark" : "static";
  result.windows = windows_;
  result.steps = steps_;
  result.breaks = breaks_;
  result.rhs_calls = steps_;
  result.jacobian_calls = newmark_.factors().factorisations();
  result.order_sum = (is_dynamic() ? 2.0 : 1.0) * static_cast<double>(steps_);
  result.seconds_total = seconds_total_;
  return result;
}

}  // namespace tieline::components
