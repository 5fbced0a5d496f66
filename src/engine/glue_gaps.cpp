// What a gluing iterates on: from its unknowns to the members' inputs, and from their motions to gaps.
//
// Accelerations that agree let gaps drift; they are corrected as in a damped oscillator, after [Baumgarte1972]:
// Stabilization of constraints and integrals of motion in dynamical systems.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "engine/glued_group.hpp"

namespace tieline::engine {
namespace {

using core::Compatibility;
using coupling::Gap;
using coupling::GluedDirection;

constexpr std::size_t kMostDirections = 6;
// Gaps of velocity lead those of displacement back by this share in a step.
constexpr double kDriftShare = 0.2;
// Gaps of acceleration lead those of displacement and velocity back in about so many steps: slowly where they can only
// come from rounding, since that of positions would otherwise show in accelerations.
constexpr double kDriftSteps = 5.0;
constexpr double kLinearDriftSteps = 100.0;
// Roundings that a position, a velocity or a force has gone through.
constexpr double kRoundings = 16.0 * std::numeric_limits<double>::epsilon();
// Less motion than this is none: [m/s], [rad/s] and the like; gaps that no longer shrink may be the tolerance's share
// of the second, since forces within a body that cancel leave as much.
constexpr double kLeastMotion = 1e-6;
constexpr double kRestMotion = 1e-3;
// Arms over which a force counts as a torque, and a torque as a force, where there is none of the other [m].
constexpr double kArm = 0.1, kLongArm = 10.0;
// Gaps of so small a share of their tolerance need no correction.
constexpr double kClosed = 1e-2;
// Sizes of motion are counted from these quantities of `Link::size`.
enum { kDisplacement, kVelocity, kAcceleration, kEffort };

std::size_t quantity_of(Compatibility compatibility) {
  switch (compatibility) {
    case Compatibility::displacement:
      return kDisplacement;
    case Compatibility::acceleration:
      return kAcceleration;
    default:
      return kVelocity;
  }
}

double of_gap(const Gap& gap, Compatibility compatibility) {
  switch (compatibility) {
    case Compatibility::displacement:
      return gap.displacement;
    case Compatibility::acceleration:
      return gap.acceleration;
    default:
      return gap.velocity;
  }
}

}  // namespace

void GluedGroup::number_unknowns() {
  std::size_t count = 0;
  for (Link& link : links_) {
    link.first = count;
    const std::size_t own = link.points.size() * link.directions;
    count += nodes() * own * (link.kind == Kind::x_t ? 2 : 1);
    link.drift.assign(own, 0.0);
    link.drift_rate.assign(own, 0.0);
    link.wrenches.assign(link.points.size() * nodes(), {});
    if (!link.is_in_space) continue;
    for (auto& wrenches : link.wrenches) link.joint.directions({}, {}, wrenches);
  }
  for (Socket& socket : sockets_) {
    socket.inputs.assign(socket.axes * nodes(), 0.0);
    socket.tried = socket.inputs;
    socket.at_nodes.assign(nodes(), {});
    socket.efforts.assign(socket.axes * nodes(), 0.0);
    if (!socket.is_led()) continue;
    socket.loads = socket.inputs;
    socket.first = count;
    count += socket.axes * nodes();
  }
  unknowns_ = static_cast<Eigen::Index>(count);
  figures_.unknowns = count;
}

const GluedGroup::Socket* GluedGroup::led_socket_of(Eigen::Index unknown) const {
  const auto index = static_cast<std::size_t>(unknown);
  for (const Socket& socket : sockets_) {
    if (socket.is_led() && index >= socket.first && index < socket.first + socket.axes * nodes()) return &socket;
  }
  return nullptr;
}

const GluedGroup::Link& GluedGroup::link_of(Eigen::Index unknown) const {
  if (const Socket* const led = led_socket_of(unknown)) return links_[led->link];
  const auto after = std::upper_bound(links_.begin(), links_.end(), static_cast<std::size_t>(unknown),
                                      [](std::size_t value, const Link& link) { return value < link.first; });
  return *std::prev(after);
}

std::string GluedGroup::describe_unknown(Eigen::Index unknown) const {
  const Link& link = link_of(unknown);
  if (!link.is_in_space) return fmt::format("'{}'", link.spec.name);
  if (const Socket* const led = led_socket_of(unknown)) {
    constexpr std::array<const char*, 6> kAxes{"x", "y", "z", "rx", "ry", "rz"};
    const std::size_t axis = (static_cast<std::size_t>(unknown) - led->first) / nodes();
    return fmt::format("'{}', the balance of what '{}' takes in direction {}", link.spec.name,
                       led->spec.interface->name(), kAxes[axis]);
  }
  const std::size_t row = (static_cast<std::size_t>(unknown) - link.first) / nodes();
  const std::size_t point = row / link.directions;
  const std::string member = link.points.size() > 1 ? fmt::format(", point {}", point + 1) : "";
  return fmt::format("'{}'{} in direction {}", link.spec.name, member, link.joint.name(row % link.directions));
}

void GluedGroup::add_effort(const Link& link, std::size_t point, std::size_t direction, std::size_t node,
                            double value) {
  const GluePoint& ends = link.points[point];
  const auto add = [&](const std::vector<GlueShare>& shares, std::span<const double> wrench) {
    for (const GlueShare& share : shares) {
      Socket& socket = sockets_[static_cast<std::size_t>(share.socket)];
      std::vector<double>& sums = socket.is_led() ? socket.loads : socket.inputs;
      for (std::size_t a = 0; a < socket.axes; ++a) {
        sums[a * nodes() + node] += share.weight * value * wrench[a];
      }
    }
  };
  if (!link.is_in_space) {
    constexpr std::array<double, 1> kOnFrom{-1.0}, kOnTo{1.0};
    add(ends.from, kOnFrom);
    add(ends.to, kOnTo);
    return;
  }
  const GluedDirection& wrench = link.wrenches[point * nodes() + node][direction];
  add(ends.from, {wrench.on_from.data(), 6});
  add(ends.to, {wrench.on_to.data(), 6});
}

void GluedGroup::distribute(const Eigen::VectorXd& z) {
  const std::size_t s = nodes();
  for (Socket& socket : sockets_) {
    std::fill(socket.inputs.begin(), socket.inputs.end(), 0.0);
    if (!socket.is_led()) continue;
    std::fill(socket.loads.begin(), socket.loads.end(), 0.0);
    std::copy_n(z.data() + socket.first, socket.inputs.size(), socket.inputs.begin());
  }
  for (const Link& link : links_) {
    const double* values = z.data() + link.first;
    if (link.kind == Kind::t_t) {
      for (std::size_t point = 0; point < link.points.size(); ++point) {
        for (std::size_t d = 0; d < link.directions; ++d) {
          const double* of_direction = values + (point * link.directions + d) * s;
          for (std::size_t node = 0; node < s; ++node) add_effort(link, point, d, node, of_direction[node]);
        }
      }
      continue;
    }
    // Along one axis: a side that takes motion gets the unknown motion, one that takes force the unknown force.
    for (const std::vector<GlueShare>* side : {&link.points[0].from, &link.points[0].to}) {
      Socket& socket = sockets_[static_cast<std::size_t>(side->front().socket)];
      const double* own = link.kind == Kind::x_t && socket.takes_motion ? values + s : values;
      for (std::size_t node = 0; node < s; ++node) socket.inputs[node] += own[node];
    }
  }
}

template <class Read>
GluedGroup::EndMotion GluedGroup::mixed(const std::vector<GlueShare>& shares, Read read) const {
  if (shares.size() == 1 && shares.front().weight == 1.0) {
    return read(sockets_[static_cast<std::size_t>(shares.front().socket)]);
  }
  EndMotion sum;
  Eigen::Vector3d turned = Eigen::Vector3d::Zero();
  for (const GlueShare& share : shares) {
    const Socket& socket = sockets_[static_cast<std::size_t>(share.socket)];
    const EndMotion own = read(socket);
    sum.pose.position += share.weight * own.pose.position;
    turned += share.weight * core::rotation_vector(own.pose.orientation * socket.start.orientation.conjugate());
    sum.motion.velocity += share.weight * own.motion.velocity;
    sum.motion.angular_velocity += share.weight * own.motion.angular_velocity;
    sum.motion.acceleration += share.weight * own.motion.acceleration;
    sum.motion.angular_acceleration += share.weight * own.motion.angular_acceleration;
  }
  // Points of a set count rotations from the start; so does whatever is between them.
  sum.pose.orientation = core::rotation_by(turned);
  return sum;
}

GluedGroup::EndMotion GluedGroup::motion_of(const std::vector<GlueShare>& shares, std::size_t node) const {
  return mixed(shares, [node](const Socket& socket) -> const EndMotion& { return socket.at_nodes[node]; });
}

GluedGroup::EndMotion GluedGroup::start_motion_of(const std::vector<GlueShare>& shares) const {
  return mixed(shares, [](const Socket& socket) -> const EndMotion& { return socket.begin; });
}

void GluedGroup::gaps_of(const Link& link, const EndMotion& from, const EndMotion& to, std::span<Gap> gaps) const {
  if (link.is_in_space) {
    link.joint.gaps(from, to, gaps);
    return;
  }
  gaps[0] = {to.pose.position.x() - from.pose.position.x(), to.motion.velocity.x() - from.motion.velocity.x(),
             to.motion.acceleration.x() - from.motion.acceleration.x()};
}

void GluedGroup::residual_of(const Link& link, double length, Eigen::VectorXd& e) const {
  const std::size_t s = nodes();
  std::array<Gap, kMostDirections> gaps;
  for (std::size_t point = 0; point < link.points.size(); ++point) {
    const GluePoint& ends = link.points[point];
    for (std::size_t node = 0; node < s; ++node) {
      if (link.kind == Kind::x_x || link.kind == Kind::x_t) {
        const Socket& from = sockets_[static_cast<std::size_t>(ends.from.front().socket)];
        const Socket& to = sockets_[static_cast<std::size_t>(ends.to.front().socket)];
        const auto effort = [&](const Socket& socket) {
          return socket.takes_motion ? socket.efforts[node] : socket.inputs[node];
        };
        const std::size_t row = link.first + (link.kind == Kind::x_t ? s : 0) + node;
        e[static_cast<Eigen::Index>(row)] = effort(from) + effort(to);
        if (link.kind == Kind::x_x) continue;
      }
      gaps_of(link, motion_of(ends.from, node), motion_of(ends.to, node), gaps);
      for (std::size_t d = 0; d < link.directions; ++d) {
        const std::size_t own = point * link.directions + d;
        double value = of_gap(gaps[d], settings_.compatibility);
        if (!is_starting_ && settings_.compatibility == Compatibility::velocity) {
          value += kDriftShare * link.drift[own] / length;
        } else if (!is_starting_ && settings_.compatibility == Compatibility::acceleration) {
          const double time = (is_linear_ ? kLinearDriftSteps : kDriftSteps) * length;
          value += 2.0 * link.drift_rate[own] / time + link.drift[own] / (time * time);
        }
        e[static_cast<Eigen::Index>(link.first + own * s + node)] = value;
      }
    }
  }
}

Eigen::VectorXd GluedGroup::residual(double length) const {
  Eigen::VectorXd e = Eigen::VectorXd::Zero(unknowns_);
  for (const Link& link : links_) residual_of(link, length, e);
  for (const Socket& socket : sockets_) {
    for (std::size_t k = 0; socket.is_led() && k < socket.efforts.size(); ++k) {
      e[static_cast<Eigen::Index>(socket.first + k)] = socket.efforts[k] - socket.loads[k];
    }
  }
  return e;
}

void GluedGroup::turn_with_trial() {
  for (Link& link : links_) {
    if (!link.is_in_space || !link.joint.turns()) continue;
    for (std::size_t point = 0; point < link.points.size(); ++point) {
      const GluePoint& ends = link.points[point];
      for (std::size_t node = 0; node < nodes(); ++node) {
        link.joint.directions(motion_of(ends.from, node), motion_of(ends.to, node),
                              link.wrenches[point * nodes() + node]);
      }
    }
  }
}

void GluedGroup::turn_with_start() {
  for (Link& link : links_) {
    if (!link.is_in_space || !link.joint.turns()) continue;
    for (std::size_t point = 0; point < link.points.size(); ++point) {
      const GluePoint& ends = link.points[point];
      const EndMotion from = start_motion_of(ends.from), to = start_motion_of(ends.to);
      for (std::size_t node = 0; node < nodes(); ++node) {
        link.joint.directions(from, to, link.wrenches[point * nodes() + node]);
      }
    }
  }
}

void GluedGroup::note_sizes() {
  for (Link& link : links_) {
    auto& [along, about] = link.size;
    for (const GluePoint& point : link.points) {
      for (const std::vector<GlueShare>* side : {&point.from, &point.to}) {
        for (const GlueShare& share : *side) {
          const Socket& socket = sockets_[static_cast<std::size_t>(share.socket)];
          for (std::size_t node = 0; node < nodes(); ++node) {
            const EndMotion& now = socket.at_nodes[node];
            const auto note = [](double& size, double value) {
              if (std::isfinite(value)) size = std::max(size, std::abs(value));
            };
            note(along[kDisplacement], (now.pose.position - socket.start.position).norm());
            note(along[kVelocity], now.motion.velocity.norm());
            note(along[kAcceleration], now.motion.acceleration.norm());
            note(about[kVelocity], now.motion.angular_velocity.norm());
            note(about[kAcceleration], now.motion.angular_acceleration.norm());
            note(about[kDisplacement],
                 core::rotation_vector(now.pose.orientation * socket.start.orientation.conjugate()).norm());
            for (std::size_t a = 0; a < socket.axes; ++a) {
              note((a < 3 ? along : about)[kEffort],
                   socket.takes_motion ? socket.efforts[a * nodes() + node] : socket.inputs[a * nodes() + node]);
            }
          }
        }
      }
    }
  }
}

void GluedGroup::note_drift() {
  std::array<Gap, kMostDirections> gaps;
  for (Link& link : links_) {
    link.gap = {0.0, 0.0};
    for (std::size_t point = 0; point < link.points.size(); ++point) {
      const GluePoint& ends = link.points[point];
      gaps_of(link, start_motion_of(ends.from), start_motion_of(ends.to), gaps);
      for (std::size_t d = 0; d < link.directions; ++d) {
        link.drift[point * link.directions + d] = gaps[d].displacement;
        link.drift_rate[point * link.directions + d] = gaps[d].velocity;
        double& gap = link.gap[link.is_in_space && link.joint.is_rotation(d) ? 1 : 0];
        gap = std::max(gap, std::abs(gaps[d].displacement));
      }
    }
    for (std::size_t k = 0; k < 2; ++k) link.largest_gap[k] = std::max(link.largest_gap[k], link.gap[k]);
  }
}

double GluedGroup::size_of(const Link& link, std::size_t direction, bool is_effort) const {
  const bool is_rotation = link.is_in_space && link.joint.is_rotation(direction);
  return link
      .size[is_rotation ? 1 : 0][is_effort ? static_cast<std::size_t>(kEffort) : quantity_of(settings_.compatibility)];
}

double GluedGroup::tolerance_of(const Link& link, std::size_t direction, bool is_effort) const {
  const double size = size_of(link, direction, is_effort);
  double rounding = kRoundings * size;
  if (!is_effort && settings_.compatibility == Compatibility::displacement) {
    const bool is_rotation = link.is_in_space && link.joint.is_rotation(direction);
    // Positions are rounded as large as they are, not as far as they have come.
    double farthest = is_rotation ? 1.0 : 0.0;
    for (const GluePoint& point : link.points) {
      for (const std::vector<GlueShare>* side : {&point.from, &point.to}) {
        for (const GlueShare& share : *side) {
          if (is_rotation) continue;
          const Socket& socket = sockets_[static_cast<std::size_t>(share.socket)];
          farthest = std::max(farthest, socket.begin.pose.position.cwiseAbs().maxCoeff());
        }
      }
    }
    rounding = kRoundings * farthest;
  }
  // Forces that hold what does not move are to be right to the same digits as those that move it.
  const double reach = is_effort ? 0.0 : link.reach[link.is_in_space && link.joint.is_rotation(direction) ? 1 : 0];
  const double relative = settings_.tolerance * std::max({size, reach, kLeastMotion});
  return std::max({settings_.absolute_tolerance, relative, rounding, std::numeric_limits<double>::min()});
}

/// Of forces or torques on what takes motion. Of two that act at one place, one that is next to nothing is right where
/// it is small against the other.
double GluedGroup::effort_tolerance(const Link& link, bool is_rotation) const {
  const double force = link.size[0][kEffort], torque = link.size[1][kEffort];
  const double size = is_rotation ? std::max(torque, kArm * force) : std::max(force, torque / kLongArm);
  return std::max({settings_.absolute_tolerance, settings_.tolerance * std::max(size, kLeastMotion), kRoundings * size,
                   std::numeric_limits<double>::min()});
}

Eigen::VectorXd GluedGroup::open_gaps(const Eigen::VectorXd& e) const {
  Eigen::VectorXd open = e;
  const std::size_t s = nodes();
  for (const Link& link : links_) {
    if (link.kind != Kind::t_t) continue;
    const std::size_t rows = link.points.size() * link.directions;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto first = static_cast<Eigen::Index>(link.first + row * s);
      auto own = open.segment(first, static_cast<Eigen::Index>(s));
      if (own.cwiseAbs().maxCoeff() < kClosed * tolerance_of(link, row % link.directions, false)) own.setZero();
    }
  }
  return open;
}

void GluedGroup::note_reach(const coupling::GluingMatrix& matrix, const Eigen::VectorXd& z) {
  const Eigen::VectorXd reach = matrix.reach_of(z);
  for (Link& link : links_) {
    link.reach = {};
    if (link.kind != Kind::t_t) continue;
    const std::size_t rows = link.points.size() * link.directions * nodes();
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_rotation = link.is_in_space && link.joint.is_rotation(row / nodes() % link.directions);
      double& largest = link.reach[is_rotation ? 1 : 0];
      largest = std::max(largest, reach[static_cast<Eigen::Index>(link.first + row)]);
    }
  }
}

void GluedGroup::note_held(double length) {
  const bool is_velocity = settings_.compatibility == Compatibility::velocity;
  const bool is_acceleration = settings_.compatibility == Compatibility::acceleration;
  const double to_displacement = is_velocity ? length : is_acceleration ? length * length : 1.0;
  for (Link& link : links_) {
    link.held[0] = std::max(link.held[0], link.reach[0] * to_displacement);
    link.held[1] = std::max(link.held[1], link.size[0][kEffort]);
  }
}

bool GluedGroup::is_rest(const Eigen::VectorXd& e) const {
  return e.allFinite() && e.cwiseAbs().maxCoeff() <= settings_.tolerance * kRestMotion;
}

GluedGroup::Agreement GluedGroup::judge(const Eigen::VectorXd& e) const {
  Agreement result;
  const std::size_t s = nodes();
  for (const Link& link : links_) {
    const std::size_t rows = link.points.size() * link.directions * s;
    const auto look_at = [&](std::size_t first, double tolerance) {
      for (std::size_t node = 0; node < s; ++node) {
        const auto row = static_cast<Eigen::Index>(first + node);
        const double share = std::abs(e[row]) / tolerance;
        if (share <= result.worst) continue;
        result = {share, row};
      }
    };
    for (std::size_t first = 0; first < rows; first += s) {
      const std::size_t d = first / s % link.directions;
      look_at(link.first + first, tolerance_of(link, d, link.kind == Kind::x_x));
    }
    if (link.kind == Kind::x_t) look_at(link.first + s, tolerance_of(link, 0, true));
  }
  for (const Socket& socket : sockets_) {
    for (std::size_t a = 0; socket.is_led() && a < socket.axes; ++a) {
      const double tolerance = effort_tolerance(links_[socket.link], a >= 3);
      for (std::size_t node = 0; node < s; ++node) {
        const auto row = static_cast<Eigen::Index>(socket.first + a * s + node);
        const double share = std::abs(e[row]) / tolerance;
        if (share > result.worst) result = {share, row};
      }
    }
  }
  if (!e.allFinite()) result.worst = std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace tieline::engine
