#include "components/multibody/joint_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "components/multibody/body_coordinates.hpp"

namespace tieline::components {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using Kind = JointSpec::Kind;

namespace {

/// Tolerances of angles count from no more than this, however often they have gone round [rad].
constexpr double kLargestAngle = 1.0;
// Joint coordinates are chosen for trees of up to so many states, since their Jacobian is full, and for so many
// conditions of loops and drives among them, since these act on one another all.
constexpr std::size_t kMostStates = 1000, kMostImplicitStates = 100;
constexpr std::size_t kMostConditions = 40;

}  // namespace

std::string joint_coordinates_obstacle(const MultibodySpec& spec) {
  for (const BodySpec& body : spec.bodies) {
    if (body.beam) return fmt::format("body '{}' deforms", body.name);
  }
  return {};
}

JointFlavour chosen_flavour(const MultibodySpec& spec, bool is_implicit) {
  if (spec.flavour != JointFlavour::automatic) return spec.flavour;
  if (spec.joints.empty() || !joint_coordinates_obstacle(spec).empty()) return JointFlavour::constraints;
  // The derivatives of balls are found by elements, which the recursion over a tree cannot use.
  if (!spec.ball_bearings.empty()) return JointFlavour::constraints;
  const Tree tree(spec);
  std::vector<int> bodies(static_cast<std::size_t>(tree.units), 0);
  for (const TreeLink& link : tree.links) ++bodies[static_cast<std::size_t>(link.unit)];
  for (const TreeLink& link : tree.links) {
    // A top's centre moves far slower than it turns, so that coordinates of its own are the better ones.
    const bool is_top = link.kind == Kind::spherical && bodies[static_cast<std::size_t>(link.unit)] == 1;
    if (!link.is_free() && is_top) return JointFlavour::constraints;
  }
  std::vector<std::size_t> states(static_cast<std::size_t>(tree.units), 0), conditions(states);
  for (const TreeLink& link : tree.links) {
    states[static_cast<std::size_t>(link.unit)] += link.positions() + link.freedoms;
  }
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    const JointSpec& joint = spec.joints[j];
    const bool is_cut = tree.link_of_joint[j] < 0;
    for (const int frame : {joint.from, joint.to}) {
      const int body = spec.frames[static_cast<std::size_t>(frame)].body;
      if (body == kWorld) continue;
      const TreeLink& link = tree.links[static_cast<std::size_t>(tree.link_of_body[static_cast<std::size_t>(body)])];
      conditions[static_cast<std::size_t>(link.unit)] +=
          (is_cut ? JointRows::count(joint.kind) : 0) + (joint.drive ? 1 : 0);
      break;
    }
  }
  const auto most = [](const std::vector<std::size_t>& of) { return *std::max_element(of.begin(), of.end()); };
  const bool pays =
      most(states) <= (is_implicit ? kMostImplicitStates : kMostStates) && most(conditions) <= kMostConditions;
  return pays ? JointFlavour::coordinates : JointFlavour::constraints;
}

JointCoordinates::JointCoordinates(const MultibodySpec& spec, std::vector<BodyInertia>& inertias,
                                   Kinematics& kinematics)
    : spec_(spec),
      inertias_(inertias),
      kinematics_(kinematics),
      tree_(spec),
      articulated_(tree_),
      loops_(spec, tree_),
      is_velocity_(tree_.states, false),
      unit_of_state_(tree_.states, 0),
      accelerations_(vectors_for(inertias)),
      acting_(tree_.bases.size() + tree_.links.size()),
      reactions_(acting_.size()) {
  for (const TreeLink& link : tree_.links) {
    for (std::size_t k = link.first_state; k < link.first_rate + link.freedoms; ++k) {
      is_velocity_[k] = k >= link.first_rate;
      unit_of_state_[k] = link.unit;
    }
  }
  use_frames(std::vector<bool>(spec_.frames.size(), true));
}

std::vector<solvers::OdeSystem::Motion> JointCoordinates::motions() const {
  std::vector<solvers::OdeSystem::Motion> motions;
  for (const TreeLink& link : tree_.links) {
    // Of a free body those of its centre; of a spherical joint none.
    const std::size_t count = link.positions() == link.freedoms ? link.freedoms : link.is_free() ? 3 : 0;
    for (std::size_t k = 0; k < count; ++k) {
      motions.push_back({static_cast<int>(link.first_state + k), static_cast<int>(link.first_rate + k)});
    }
  }
  return motions;
}

int JointCoordinates::unit_of_body(std::size_t body) const {
  return tree_.links[static_cast<std::size_t>(tree_.link_of_body[body])].unit;
}

int JointCoordinates::angle_state(std::size_t joint) const {
  const int link = tree_.link_of_joint[joint];
  return link >= 0 && turns(spec_.joints[joint].kind)
             ? static_cast<int>(tree_.links[static_cast<std::size_t>(link)].first_state)
             : -1;
}

void JointCoordinates::use_frames(const std::vector<bool>& used) {
  is_used_ = used;
  for (std::size_t j = 0; j < spec_.joints.size(); ++j) {
    if (!loops_.is_cut(j)) continue;
    is_used_[static_cast<std::size_t>(spec_.joints[j].from)] = true;
    is_used_[static_cast<std::size_t>(spec_.joints[j].to)] = true;
  }
  used_links_.clear();
  used_frames_.clear();
  std::vector<bool> is_link_used(tree_.links.size(), false);
  for (std::size_t i = 0; i < is_used_.size(); ++i) {
    const int body = spec_.frames[i].body;
    if (!is_used_[i] || body == kWorld) continue;
    used_frames_.push_back(i);
    is_link_used[static_cast<std::size_t>(tree_.link_of_body[static_cast<std::size_t>(body)])] = true;
  }
  for (std::size_t i = 0; i < is_link_used.size(); ++i) {
    if (is_link_used[i]) used_links_.push_back(i);
  }
}

void JointCoordinates::place_body(std::size_t link) {
  const TreeLink& of = tree_.links[link];
  const auto& motion = articulated_.motion(tree_.place_of(static_cast<int>(link)));
  const Vector3d arm = motion.A * of.center;
  kinematics_.place_rigid(of.body, motion.x + arm, motion.v + motion.omega.cross(arm),
                          motion.q * of.axes.orientation.conjugate(), motion.omega);
}

void JointCoordinates::place(const Moment& now, std::span<const double> y) {
  kinematics_.prescribe(now.t, now.side, now.inputs, now.input_rates);
  articulated_.place(y, kinematics_);
  for (const std::size_t link : used_links_) place_body(link);
  for (const std::size_t frame : used_frames_) kinematics_.place_frame(frame);
  is_complete_ = false;
}

void JointCoordinates::complete() {
  if (is_complete_) return;
  is_complete_ = true;
  for (std::size_t link = 0; link < tree_.links.size(); ++link) place_body(link);
  for (std::size_t i = 0; i < spec_.frames.size(); ++i) {
    if (spec_.frames[i].body != kWorld && !is_used_[i]) kinematics_.place_frame(i);
  }
}

void JointCoordinates::own_efforts(std::span<BodyVector> efforts) {
  // The weight is part of the recursion.
  for (const std::size_t link : used_links_) efforts[static_cast<std::size_t>(tree_.links[link].body)].set_zero();
}

void JointCoordinates::act(std::span<const BodyVector> efforts) {
  for (const std::size_t link : used_links_) {
    const int body = tree_.links[link].body, place = tree_.place_of(static_cast<int>(link));
    const BodyMotion& motion = kinematics_.body(body);
    const Vector6& effort = efforts[static_cast<std::size_t>(body)].rigid;
    const Vector3d torque = motion.A * effort.tail<3>(), force = effort.head<3>();
    articulated_.act(place, torque, force, motion.r);
    Spatial& acting = acting_[static_cast<std::size_t>(place)];
    acting.turn = torque + (motion.r - articulated_.motion(place).x).cross(force);
    acting.move = force;
  }
}

bool JointCoordinates::rates(const Moment& now, std::span<const double> y, std::span<BodyVector> efforts,
                             std::span<double> ydot) {
  articulated_.articulate(spec_.gravity);
  act(efforts);
  articulated_.gather(true);
  articulated_.accelerate(true);
  if (!loops_.empty()) {
    loops_.evaluate(now, y, kinematics_, articulated_);
    loops_.hold(articulated_, kinematics_, true);
    articulated_.accelerate(true);
  }
  has_reactions_ = false;
  return articulated_.rates(y, ydot);
}

void JointCoordinates::response(std::span<BodyVector> efforts, std::span<double> ydot) {
  articulated_.clear_efforts();
  act(efforts);
  articulated_.gather(false);
  articulated_.accelerate(false);
  if (!loops_.empty()) {
    loops_.hold(articulated_, kinematics_, false);
    articulated_.accelerate(false);
  }
  std::fill(ydot.begin(), ydot.end(), 0.0);
  articulated_.move_rates(ydot);
}

const BodyVector& JointCoordinates::acceleration(std::size_t body) {
  const int link = tree_.link_of_body[body];
  if (!is_complete_ && !std::binary_search(used_links_.begin(), used_links_.end(), static_cast<std::size_t>(link))) {
    complete();
  }
  const int place = tree_.place_of(link);
  const BodyMotion& motion = kinematics_.body(static_cast<int>(body));
  BodyVector& result = accelerations_[body];
  result.rigid.head<3>() = articulated_.acceleration_at(place, motion.r);
  result.rigid.tail<3>() = motion.A.transpose() * articulated_.motion(place).acceleration.turn;
  return result;
}

core::Wrench JointCoordinates::reaction(std::size_t joint) {
  const int link = tree_.link_of_joint[joint];
  if (link < 0) return loops_.reaction(joint);
  if (!has_reactions_) {
    std::vector<Spatial>& efforts = acting_;
    loops_.add_efforts(articulated_, efforts);
    articulated_.find_reactions(spec_.gravity, efforts, reactions_);
    has_reactions_ = true;
  }
  complete();
  const auto place = tree_.place_of(link);
  const Spatial& on_link = reactions_[static_cast<std::size_t>(place)];
  if (tree_.links[static_cast<std::size_t>(link)].sign > 0.0) return {on_link.move, on_link.turn};
  const Vector3d arm = articulated_.motion(place).x - kinematics_.frame(spec_.joints[joint].to).x;
  return {-on_link.move, -on_link.turn - arm.cross(on_link.move)};
}

solvers::Projection JointCoordinates::project(const Moment& now, std::span<double> y) {
  bool has_moved = false;
  if (!loops_.empty()) {
    if (!correct_positions(now, y)) return solvers::Projection::failed;
    // A condition that followed from the others at the start only would let its joint come apart.
    if (loops_.worst_left_out().value > kAssemblyTolerance) return solvers::Projection::failed;
    loops_.correct_rates(articulated_);
    articulated_.accelerate(false);
    articulated_.move_rates(y);
    has_moved = true;
  }
  for (const TreeLink& link : tree_.links) {
    if (!link.is_free() && link.kind != Kind::spherical) continue;
    Eigen::Map<Eigen::Vector4d> p(y.data() + link.first_rate - 4);
    if (!has_moved && std::abs(p.squaredNorm() - 1.0) < kUnitLength) continue;
    p.normalize();
    has_moved = true;
  }
  return has_moved ? solvers::Projection::moved : solvers::Projection::kept;
}

bool JointCoordinates::correct_positions(const Moment& now, std::span<double> y) {
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0;; ++i) {
    place(now, y);
    articulated_.articulate(spec_.gravity);
    loops_.evaluate(now, y, kinematics_, articulated_);
    double size = 1.0;
    for (std::size_t link = 0; link < tree_.links.size(); ++link) {
      size = std::max(size, articulated_.motion(tree_.place_of(static_cast<int>(link))).x.cwiseAbs().maxCoeff());
    }
    const double off = loops_.worst_value().value;
    // Nearer than rounding, or no nearer than before: as good as it gets.
    if (off <= kKept * size || (off >= 0.5 * before && off <= kNearlyKept * size)) return true;
    if (i == kMostCorrections || !std::isfinite(off)) return false;
    before = off;
    loops_.correct_values(articulated_);
    articulated_.accelerate(false);
    articulated_.move_positions(y);
  }
}

core::Result<void> JointCoordinates::initial_state(const Moment& now, std::span<double> y) {
  // The bodies are put together as they are placed; their coordinates follow.
  BodyCoordinates bodies(spec_, spec_.joints, inertias_, kinematics_);
  std::vector<double> placed(bodies.state_count(), 0.0);
  std::vector<std::string> doubts;
  start_speed_ = 0.0;
  if (auto set = bodies.initial_state(now, placed); !set) return set;
  bodies.place(now, placed);
  if (bodies.has_conditions()) {
    const auto speed = bodies.start(now, doubts);
    if (!speed) return speed.error();
    start_speed_ = *speed;
    if (bodies.project(now, placed) == solvers::Projection::failed) {
      return core::Error{.code = core::ErrorCode::bad_input, .message = "the joints cannot be assembled at the start"};
    }
    bodies.place(now, placed);
  }
  for (std::size_t link = 0; link < tree_.links.size(); ++link) read_state(link, y);
  // Quaternions have two signs: those recorded are to begin with the ones given.
  const auto orientation = [&](std::size_t link) { return kinematics_.body(tree_.links[link].body).q; };
  articulated_.place(y, kinematics_);
  std::vector<bool> is_opposite(tree_.bases.size(), false);
  for (std::size_t link = 0; link < tree_.links.size(); ++link) {
    const Quaterniond given = orientation(link);
    place_body(link);
    is_opposite.push_back(orientation(link).dot(given) < 0.0);
    TreeLink& of = tree_.links[link];
    if (is_opposite.back() != is_opposite[static_cast<std::size_t>(of.parent)]) of.near.orientation.coeffs() *= -1.0;
  }
  return {};
}

/// The coordinates of a link's joint where the bodies are placed.
void JointCoordinates::read_state(std::size_t link, std::span<double> y) {
  const TreeLink& of = tree_.links[link];
  const BodyMotion& body = kinematics_.body(of.body);
  double* p = y.data() + of.first_state;
  double* rate = y.data() + of.first_rate;
  const auto put = [](const Quaterniond& q, double* to) { to[0] = q.w(), to[1] = q.x(), to[2] = q.y(), to[3] = q.z(); };
  if (of.is_free()) {
    Eigen::Map<Vector3d>(p + 0) = body.r;
    put(body.q, p + 3);
    Eigen::Map<Vector3d>(rate + 0) = body.v;
    Eigen::Map<Vector3d>(rate + 3) = body.spin;
    return;
  }
  const JointSpec& joint = spec_.joints[static_cast<std::size_t>(of.joint)];
  const FrameMotion& from = kinematics_.frame(joint.from);
  const FrameMotion& to = kinematics_.frame(joint.to);
  const JointRow angle = joint_angle(from, to), distance = joint_distance(from, to);
  switch (of.kind) {
    case Kind::fixed:
      break;
    case Kind::revolute:
      p[0] = angle.value, rate[0] = angle.rate;
      break;
    case Kind::prismatic:
      p[0] = distance.value, rate[0] = distance.rate;
      break;
    case Kind::cylindrical:
      p[0] = angle.value, rate[0] = angle.rate;
      p[1] = distance.value, rate[1] = distance.rate;
      break;
    case Kind::universal: {
      const Vector3d z = from.A.col(2);
      p[0] = angle.value, rate[0] = angle.rate;
      p[1] = std::atan2(z.dot(to.A.col(1)), z.dot(to.A.col(2)));
      rate[1] = to.A.col(0).dot(to.omega - from.omega);
      break;
    }
    case Kind::spherical: {
      const FrameMotion& near = of.sign > 0.0 ? from : to;
      const FrameMotion& far = of.sign > 0.0 ? to : from;
      put((near.q.conjugate() * far.q).normalized(), p);
      Eigen::Map<Vector3d>(rate + 0) = far.A.transpose() * (far.omega - near.omega);
      break;
    }
  }
}

core::Result<double> JointCoordinates::start(const Moment& now, std::vector<std::string>& doubts) {
  articulated_.articulate(spec_.gravity);
  // States are not looked at: conditions are left out by their directions alone.
  const std::vector<double> anything(tree_.states, 0.0);
  loops_.evaluate(now, anything, kinematics_, articulated_);
  for (const std::string& condition : loops_.leave_out_dependent()) {
    doubts.push_back(
        fmt::format("{} is redundant with the other joints and is ignored: it carries no force", condition));
  }
  return start_speed_;
}

void JointCoordinates::scale_classes(std::span<int> classes) const {
  for (std::size_t i = 0; i < tree_.states; ++i) classes[i] = is_velocity_[i] ? 1 : 0;
}

void JointCoordinates::stated_scales(double length, double velocity, std::span<double> scales) const {
  for (const TreeLink& link : tree_.links) {
    for (std::size_t k = 0; k < link.freedoms; ++k) {
      const bool turns_now = articulated_.freedom(link.first_freedom + k).is_rotation;
      scales[link.first_rate + k] = turns_now ? velocity / length : velocity;
      if (!turns_now) scales[link.first_state + k] = length;
    }
  }
}

void JointCoordinates::largest_sizes(std::span<double> sizes) const {
  for (const TreeLink& link : tree_.links) {
    if (link.is_free() || link.kind == Kind::spherical) continue;
    for (std::size_t k = 0; k < link.freedoms; ++k) {
      if (articulated_.freedom(link.first_freedom + k).is_rotation) sizes[link.first_state + k] = kLargestAngle;
    }
  }
}

/// A length over which a link's speed turns its joint [m].
double JointCoordinates::lever(const TreeLink& link) const { return std::sqrt(link.inertia.trace() / link.mass); }

void JointCoordinates::raise_sizes(std::size_t body, double speed, double turning, double while_length,
                                   std::span<double> sizes) const {
  const TreeLink& link = tree_.links[static_cast<std::size_t>(tree_.link_of_body[body])];
  const auto raise = [&](std::size_t state, double size) { sizes[state] = std::max(sizes[state], size); };
  const bool has_quaternion = link.is_free() || link.kind == Kind::spherical;
  for (std::size_t k = 0; k < link.freedoms; ++k) {
    const bool turns_now = articulated_.freedom(link.first_freedom + k).is_rotation;
    // A joint turns by what moves its body's centre, too.
    const double rate = !turns_now ? speed : link.is_free() ? turning : turning + speed / lever(link);
    raise(link.first_rate + k, rate);
    if (turns_now && has_quaternion) {
      for (std::size_t i = link.first_rate - 4; i < link.first_rate; ++i) raise(i, rate * while_length);
    } else {
      raise(link.first_state + k, rate * while_length);
    }
  }
}

void JointCoordinates::raise_held_sizes(double held, double while_length, std::span<double> sizes) {
  for (std::size_t j = 0; j < spec_.joints.size(); ++j) {
    const core::Wrench wrench = reaction(j);
    for (const int frame : {spec_.joints[j].from, spec_.joints[j].to}) {
      const int body = spec_.frames[static_cast<std::size_t>(frame)].body;
      if (body == kWorld) continue;
      const TreeLink& link = tree_.links[static_cast<std::size_t>(tree_.link_of_body[static_cast<std::size_t>(body)])];
      const double reach = lever(link);
      raise_sizes(static_cast<std::size_t>(body), held * wrench.force.norm() / link.mass,
                  held * (wrench.torque.norm() / (link.mass * reach * reach)), while_length, sizes);
    }
  }
}

}  // namespace tieline::components
