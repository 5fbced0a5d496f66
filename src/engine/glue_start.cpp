// How a gluing starts: whether its members fit, and the forces between them at the first instant.

#include <cmath>
#include <fmt/format.h>

#include "core/motion_relation.hpp"
#include "coupling/point_sets.hpp"
#include "engine/glued_group.hpp"

namespace tieline::engine {
namespace {

using core::Compatibility;
using core::Error;
using core::ErrorCode;
using core::Result;
using wave::Interpolation;

// How far the ends of a glued connection may be apart at the start [m], [rad], and how fast they may move apart, as
// a share of how fast they move, and at least [m/s], [rad/s].
constexpr double kStartGap = 1e-6;
constexpr double kStartGapRate = 1e-6;
constexpr double kLeastStartGapRate = 1e-9;
constexpr int kMostStartCorrections = 10;
// Steps that differ by roundings are one.
constexpr double kSameStartStep = 1e-9;

}  // namespace

void GluedGroup::choose_shape() {
  core::Capabilities can = capabilities();
  // A motion that is given through a step has accelerations of its own, one order less exact than its velocities. Steps
  // of linear members are Newmark's, who have accelerations by their method.
  const bool has_motion_sides =
      std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.motion_sides > 0; });
  const bool is_one_step =
      can.is_linear && settings_.step && *settings_.step <= can.fixed_step * (1.0 + kSameStartStep);
  if (settings_.compatibility == Compatibility::automatic && has_motion_sides && !is_one_step) {
    settings_.compatibility = Compatibility::velocity;
  }
  if (settings_.compatibility == Compatibility::automatic) {
    settings_.compatibility = is_static_             ? Compatibility::displacement
                              : can.fixed_step > 0.0 ? Compatibility::acceleration
                                                     : Compatibility::velocity;
  }
  if (settings_.forces == core::ForceShape::automatic) {
    settings_.forces = settings_.compatibility == Compatibility::displacement   ? core::ForceShape::constant
                       : settings_.compatibility == Compatibility::acceleration ? core::ForceShape::linear
                                                                                : core::ForceShape::quadratic;
  }
  is_linear_ = can.is_linear;
  // Whether quadratic forces do is seen in the first step.
  const bool is_chosen = stated_.forces == core::ForceShape::automatic && !settings_.step_tolerance;
  is_degree_settled_ = !(is_chosen && is_outermost_ && settings_.forces == core::ForceShape::quadratic);
  shape_ = coupling::Collocation(settings_.compatibility, settings_.forces);
  figures_.compatibility = settings_.compatibility;
  figures_.forces = settings_.forces;
}

Result<void> GluedGroup::start_members(double t0, const Eigen::VectorXd& z) {
  distribute(z);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (auto started = start_member(m, t0); !started) return started;
  }
  return {};
}

Result<void> GluedGroup::start_member(std::size_t index, double t0) {
  Member& member = members_[index];
  for (core::Port* port : member.part.ports) port->outbox.clear();
  for (const std::size_t i : member.sockets) {
    Socket& socket = sockets_[i];
    if (socket.is_led()) {
      place_led(socket, t0);
      continue;
    }
    for (std::size_t a = 0; a < socket.axes; ++a) {
      wave::Track& track = socket.axis(a).incoming;
      track.clear();
      const double value = socket.inputs[a * nodes() + nodes() - 1];
      socket.before[a] = value;
      track.push({t0, core::reverse_of(socket.spec.relation).value(socket.position), socket.to_port() * value, 0.0});
    }
  }
  if (auto started = member.part.component->start(t0); !started) return started;
  return collect(member, nodes() - 1);
}

/// A side in space that takes motion is where it says that it starts, until its partner is known.
void GluedGroup::place_led(Socket& socket, double t0) {
  core::SpatialInterface& interface = *socket.spec.interface;
  for (std::size_t i = 0; i < core::SpatialInterface::kAxes; ++i) interface.axis(i).incoming.clear();
  for (std::size_t i = 0; i + core::SpatialInterface::kAxes < core::SpatialInterface::kPorts; ++i) {
    interface.turn(i).incoming.clear();
  }
  for (std::size_t a = 0; a < socket.axes; ++a) socket.before[a] = socket.inputs[a * nodes() + nodes() - 1];
  if (!socket.is_placed) return;
  core::SpaceState state{.pose = socket.led};
  for (int k = 0; k < 3; ++k) {
    state.motion.velocity[k] = socket.before[static_cast<std::size_t>(k)];
    state.motion.angular_velocity[k] = socket.before[static_cast<std::size_t>(k) + 3];
  }
  coupling::push_motion(interface, t0, state);
}

GluedGroup::LedPlace GluedGroup::place_of(const Socket& socket) const {
  const Link& link = links_[socket.link];
  const auto is_own = [&](const GlueShare& share) {
    return &sockets_[static_cast<std::size_t>(share.socket)] == &socket;
  };
  for (std::size_t p = 0; p < link.points.size(); ++p) {
    for (const bool is_from : {true, false}) {
      const std::vector<GlueShare>& side = is_from ? link.points[p].from : link.points[p].to;
      if (std::any_of(side.begin(), side.end(), is_own)) return {p, is_from};
    }
  }
  return {};
}

/// Sides in space that take motion start where, and as fast as, their partners do.
void GluedGroup::start_led(Eigen::VectorXd& z) {
  for (Socket& socket : sockets_) {
    if (!socket.is_led()) continue;
    const Link& link = links_[socket.link];
    const LedPlace place = place_of(socket);
    const GluePoint& point = link.points[place.point];
    const std::vector<GlueShare>& other = place.is_from ? point.to : point.from;
    const EndMotion partner = motion_of(other, nodes() - 1);
    socket.led = socket.spec.interface->start().value_or(partner.pose);
    socket.is_placed = true;
    if (sockets_[static_cast<std::size_t>(other.front().socket)].is_led()) continue;
    for (int k = 0; k < 3; ++k) {
      z[static_cast<Eigen::Index>(socket.first) + k] = partner.motion.velocity[k];
      z[static_cast<Eigen::Index>(socket.first) + k + 3] = partner.motion.angular_velocity[k];
    }
    if ((place.is_from ? point.from : point.to).size() > 1) continue;
    for (std::size_t d = 0; d < link.directions; ++d) {
      const coupling::GluedDirection& direction = link.wrenches[place.point][d];
      const auto& unit = place.is_from ? direction.on_from : direction.on_to;
      double& force = z[static_cast<Eigen::Index>(link.first + place.point * link.directions + d)];
      force = 0.0;
      for (std::size_t a = 0; a < socket.axes; ++a) force += unit[static_cast<Eigen::Index>(a)] * socket.efforts[a];
    }
  }
}

Result<void> GluedGroup::check_start(double t0) const {
  std::array<coupling::Gap, 6> gaps;
  for (const Link& link : links_) {
    if (link.kind == Kind::x_x) continue;
    for (std::size_t p = 0; p < link.points.size(); ++p) {
      const GluePoint& point = link.points[p];
      const EndMotion from = start_motion_of(point.from), to = start_motion_of(point.to);
      gaps_of(link, from, to, gaps);
      for (std::size_t d = 0; d < link.directions; ++d) {
        const bool is_rotation = link.is_in_space && link.joint.is_rotation(d);
        const char* unit = is_rotation ? "rad" : link.is_in_space ? "m" : "";
        const auto row = static_cast<Eigen::Index>(link.first + (p * link.directions + d) * nodes());
        const auto refuse = [&](const char* what, double value, const char* per) {
          return Error{.code = ErrorCode::bad_input,
                       .message = fmt::format("the ends of the glued connection {} {} by {:.6g} {}{} at the start; "
                                              "they must coincide, because a glued connection is rigid",
                                              describe_unknown(row), what, value, unit, per),
                       .component = name(),
                       .time = t0};
        };
        if (std::abs(gaps[d].displacement) > kStartGap) return refuse("are apart", gaps[d].displacement, "");
        if (link.motion_sides > 0 || is_static_) continue;
        const double size = is_rotation ? from.motion.angular_velocity.norm() + to.motion.angular_velocity.norm()
                                        : from.motion.velocity.norm() + to.motion.velocity.norm();
        if (std::abs(gaps[d].velocity) > kStartGapRate * size + kLeastStartGapRate) {
          return refuse("move apart", gaps[d].velocity, "/s");
        }
      }
    }
  }
  return {};
}

Result<void> GluedGroup::pair_points(double t0) {
  const bool has_sets = std::any_of(links_.begin(), links_.end(), [](const Link& link) {
    return link.spec.from.size() > 1 || link.spec.to.size() > 1;
  });
  // Members publish where their points are once they have started; no force acts on them yet.
  for (Link& link : links_) link.points.clear();
  number_unknowns();
  if (has_sets) {
    if (auto started = start_members(t0, Eigen::VectorXd::Zero(unknowns_)); !started) return started;
  }
  for (Link& link : links_) {
    const auto places = [&](const std::vector<int>& set) {
      std::vector<Eigen::Vector3d> result;
      for (const int socket : set) {
        result.push_back(sockets_[static_cast<std::size_t>(socket)].at_nodes.back().pose.position);
      }
      return result;
    };
    const auto shares = [&](const std::vector<int>& set, const std::vector<coupling::WeightedPoint>& points) {
      std::vector<GlueShare> result;
      for (const coupling::WeightedPoint& point : points) {
        result.push_back({set[static_cast<std::size_t>(point.index)], point.weight});
      }
      return result;
    };
    std::string problem;
    const auto pairs = coupling::pair_points(places(link.spec.from), places(link.spec.to), problem);
    if (!pairs) {
      return Error{.code = ErrorCode::bad_input,
                   .message = fmt::format("the sets of points of the glued connection '{}' do not match: {}",
                                          link.spec.name, problem),
                   .component = name(),
                   .time = t0};
    }
    for (const coupling::PointPair& pair : *pairs) {
      link.points.push_back({shares(link.spec.from, pair.from), shares(link.spec.to, pair.to)});
    }
  }
  return {};
}

/// Relaxation goes from those that take motion to those that take force.
Result<void> GluedGroup::check_order(double t0) const {
  if (settings_.update != core::MatrixUpdate::aitken) return {};
  for (const Member& member : members_) {
    const auto takes_motion = [&](std::size_t i) { return sockets_[i].takes_motion; };
    if (std::all_of(member.sockets.begin(), member.sockets.end(), takes_motion)) continue;
    if (std::none_of(member.sockets.begin(), member.sockets.end(), takes_motion)) continue;
    return Error{.code = ErrorCode::bad_input,
                 .message =
                     "it takes motion at one glued interface and force at another, which update=\"aitken\" does not "
                     "support; use broyden or iqn_ils",
                 .component = member.part.component->name(),
                 .time = t0};
  }
  return {};
}

/// Forces at t0 make accelerations agree there, or displacements where members answer to forces at once.
Result<void> GluedGroup::solve_start(double t0) {
  const core::GluingSettings stated = settings_;
  settings_.compatibility = Compatibility::acceleration;
  settings_.forces = core::ForceShape::constant;
  shape_ = coupling::Collocation(settings_.compatibility, settings_.forces);
  is_starting_ = true;
  if (auto paired = pair_points(t0); !paired) return paired;
  number_unknowns();
  Eigen::VectorXd z = Eigen::VectorXd::Zero(unknowns_);
  const core::Window window{.begin = t0, .end = t0, .horizon = t0};
  const auto run = [&](std::size_t m) { return start_member(m, t0); };
  const bool has_motion_sides =
      std::any_of(links_.begin(), links_.end(), [](const Link& link) { return link.motion_sides > 0; });
  Result<void> result = start_members(t0, z);
  // Sides that take motion start where their partners do.
  for (int round = 0; result && has_motion_sides && round < 2; ++round) {
    for (const Link& link : links_) {
      if (link.kind != Kind::x_t) continue;
      const GluePoint& point = link.points[0];
      Socket* from = &sockets_[static_cast<std::size_t>(point.from.front().socket)];
      Socket* to = &sockets_[static_cast<std::size_t>(point.to.front().socket)];
      if (to->takes_motion) std::swap(from, to);
      from->position = to->at_nodes.back().pose.position.x();
      z[static_cast<Eigen::Index>(link.first)] = -from->efforts.back();
      z[static_cast<Eigen::Index>(link.first) + 1] = to->at_nodes.back().motion.velocity.x();
    }
    start_led(z);
    result = start_members(t0, z);
  }
  is_static_ = false;
  coupling::GluingMatrix matrix;
  // What ten corrections leave is for the first step, which begins with these forces and converges or fails by itself.
  for (int round = 0; result && !has_motion_sides && round < kMostStartCorrections; ++round) {
    for (Socket& socket : sockets_) socket.start = socket.begin.pose = socket.at_nodes.back().pose;
    turn_with_trial();
    note_sizes();
    const Eigen::VectorXd e = residual(0.0);
    // A member that does not publish accelerations starts without interface forces.
    if (!e.allFinite()) break;
    // Whether members answer at all is seen in the first round, and how those in statics do in the second.
    const bool is_probed = !is_static_ || !matrix.is_empty();
    if (round > 0 && is_probed && judge(matrix.is_empty() ? e : matrix.reachable(e)).worst <= 1.0) break;
    coupling::ProbedResponse response;
    std::vector<MemberPart> parts;
    result = probe(z, 0.0, window, run, response, parts);
    if (!result) break;
    if (!is_static_ && response.gaps.isZero(0.0)) {
      is_static_ = true;
      settings_.compatibility = Compatibility::displacement;
      matrix.clear();
      result = start_members(t0, z);  // probes have moved them
      continue;
    }
    if (!response.gaps.allFinite()) break;
    if (!matrix.set(std::move(response))) note_silence(matrix);
    note_reach(matrix, z);
    z = matrix.effective(z) + matrix.correction(residual(0.0));
    result = start_members(t0, z);
  }
  is_starting_ = false;
  settings_ = stated;
  choose_shape();
  if (!result) return result;
  // From values of one node to those of all.
  const Eigen::VectorXd first = z;
  const std::size_t s = nodes();
  for (Socket& socket : sockets_) socket.begin = socket.at_nodes.back();
  number_unknowns();
  last_.resize(unknowns_);
  for (Eigen::Index i = 0; i < unknowns_; ++i) last_[i] = first[i / static_cast<Eigen::Index>(s)];
  ends_ = first;
  return {};
}

Result<void> GluedGroup::start(double t0) {
  t0_ = time_ = t0;
  macro_steps_ = 0;
  planned_step_ = last_length_ = 0.0;
  earlier_.clear();
  figures_ = {};
  matrices_.clear();
  for (Socket& socket : sockets_) {
    socket.position = socket.work = socket.impulse = 0.0;
    socket.is_placed = false;
    const std::size_t turns = socket.is_led() ? core::SpatialInterface::kPorts - core::SpatialInterface::kAxes : 0;
    for (std::size_t i = 0; i < turns; ++i) {
      wave::Track& part = socket.spec.interface->turn(i).incoming;
      part.clear();
      part.keep_integrals(true);
    }
    for (std::size_t a = 0; a < socket.axes; ++a) {
      core::Port& port = socket.axis(a);
      port.law = socket.takes_motion ? core::PortLaw{0.0, 1.0} : core::PortLaw{1.0, 0.0};
      port.incoming.clear();
      port.incoming.keep_integrals(socket.takes_motion && a < 3);
    }
  }
  for (Link& link : links_) {
    link.size = {}, link.gap = {}, link.largest_gap = {};
    link.audit = {}, link.clock = {}, link.recent_corrections = 0;
    link.reach = link.held = {}, link.note.clear();
  }
  for (Member& member : members_) {
    for (auto& kept : member.kept) kept.clear();
  }
  settings_ = stated_;
  secants_.clear();
  choose_leaders();
  if (auto ordered = check_order(t0); !ordered) return ordered;
  if (auto ordered = order_members(t0); !ordered) return ordered;
  if (auto solved = solve_start(t0); !solved) return solved;
  if (auto leading = check_leading(t0); !leading) return leading;
  number_leading();
  for (Socket& socket : sockets_) {
    socket.start = socket.begin.pose;
    for (std::size_t a = 0; a < socket.axes; ++a) {
      // In statics only ends of steps count, and rows between them should not jump.
      const bool is_straight = shape_.is_continuous() && shape_.degree() == 1;
      const bool is_line = socket.takes_motion ? socket.is_led() && is_straight : is_static_ || is_straight;
      socket.axis(a).incoming.set_interpolation(is_line ? Interpolation::linear : Interpolation::cubic);
    }
  }
  if (auto fits = check_start(t0); !fits) return fits;
  note_drift();
  // Rows of connections stand at the times of those of components, which begin with the start.
  for (Link& link : links_) {
    double first = t0;
    (void)link.clock.is_due(t0, link.spec.recording.interval, first);
  }
  // The first samples stay, as those of other components do: they contain where the ends are.
  for (Member& member : members_) {
    for (HeldSink* sink : member.part.sinks) sink->keep_first(0);
  }
  return {};
}

}  // namespace tieline::engine
