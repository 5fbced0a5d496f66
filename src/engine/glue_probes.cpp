// How the gaps of a gluing answer to its unknowns: algorithm 1 of [Wang2003], and its assembly (12), (13) with the
// inverse that (12) lacks. Members are probed one by one, each under small changes of its own inputs.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/glued_group.hpp"

namespace tieline::engine {
namespace {

using core::Result;
using Eigen::Index;
using Eigen::VectorXd;

// A response is best measured where it is neither lost in roundings nor bent: shares of the motion's size.
constexpr double kLeastResponse = 1e-8;
constexpr double kMostResponse = 1e-1;
constexpr double kBestResponse = 1e-4;
// A weak response may be rounding: pushing without bounds against what is held would break it. One that grows with the
// push, at least by this share of it, is real.
constexpr double kMostRaise = 1e3;
constexpr double kProportional = 0.5;
constexpr int kMostRaises = 4;
// Of linear members: [N], [N m].
constexpr double kLinearPush = 1.0;
// Without motion so far this counts as its size: [m/s] and the like.
constexpr double kLeastSize = 1e-3;
// Roundings that a motion has gone through when two probes are compared.
constexpr double kProbeRoundings = 64.0 * std::numeric_limits<double>::epsilon();
// A free mass of 1e4 kg, a free inertia of 1e4 kg m^2: [1/kg], [1/(kg m^2)].
constexpr double kHeavy = 1e-4;
// Arms beyond the inverse of this, or below it, are rounding [m], [1/m].
constexpr double kLeastArm = 1e-8;

}  // namespace

GluedGroup::UnknownKind GluedGroup::unknown_kind_of(Index unknown) const {
  const Link& link = link_of(unknown);
  if (const Socket* const led = led_socket_of(unknown)) {
    const bool is_rotation = (static_cast<std::size_t>(unknown) - led->first) / nodes() >= 3;
    return {.is_motion = true, .is_rotation = is_rotation};
  }
  const auto row = (static_cast<std::size_t>(unknown) - link.first) / nodes();
  return {.is_motion = link.kind == Kind::x_x || (link.kind == Kind::x_t && row > 0),
          .is_rotation = link.is_in_space && link.joint.is_rotation(row % link.directions)};
}

double GluedGroup::perturbation_of(Index unknown, const VectorXd& z) const {
  const auto [is_motion, is_rotation] = unknown_kind_of(unknown);
  const auto& size = link_of(unknown).size[is_rotation ? 1 : 0];
  const double largest = std::max(std::abs(z[unknown]), size[is_motion ? 1 : 3]);
  // Equation (50) alone gives nothing if forces begin at zero.
  return std::max(settings_.perturbation * largest, settings_.least_perturbation);
}

GluedGroup::Patterns GluedGroup::unit_inputs() {
  Patterns units(static_cast<std::size_t>(unknowns_));
  for (Index c = 0; c < unknowns_; ++c) {
    distribute(VectorXd::Unit(unknowns_, c));
    for (const Socket& socket : sockets_) units[static_cast<std::size_t>(c)].push_back(socket.inputs);
  }
  return units;
}

double GluedGroup::share_of(const Socket& socket, const std::vector<EndMotion>& motions,
                            const std::vector<double>& efforts) const {
  double share = 0.0;
  for (std::size_t node = 0; node < nodes(); ++node) {
    const core::SpatialMotion &was = socket.at_nodes[node].motion, &is = motions[node].motion;
    const core::Pose &was_at = socket.at_nodes[node].pose, &is_at = motions[node].pose;
    const auto of = [&](const Eigen::Vector3d& before, const Eigen::Vector3d& after) {
      if (!before.allFinite() || !after.allFinite()) return 0.0;
      return (after - before).norm() / std::max({before.norm(), after.norm(), kLeastSize});
    };
    share = std::max({share, of(was.velocity, is.velocity), of(was.angular_velocity, is.angular_velocity)});
    if (settings_.compatibility == core::Compatibility::acceleration) {
      share = std::max(
          {share, of(was.acceleration, is.acceleration), of(was.angular_acceleration, is.angular_acceleration)});
    } else if (is_static_) {
      share = std::max(share, of(was_at.position - socket.start.position, is_at.position - socket.start.position));
    }
    for (std::size_t a = 0; socket.takes_motion && a < socket.axes; ++a) {
      const double before = socket.efforts[a * nodes() + node], after = efforts[a * nodes() + node];
      share = std::max(share, std::abs(after - before) / std::max({std::abs(before), std::abs(after), kLeastSize}));
    }
  }
  return share;
}

/// Runs a member under its inputs and a push, keeps how it moved, and puts everything back. Returns how much that was,
/// as a share of its motion.
Result<double> GluedGroup::push_member(std::size_t index, const Patterns& units,
                                       const std::function<Result<void>()>& run, Probe& probe) {
  Member& member = members_[index];
  struct Base {
    std::vector<double> inputs, efforts;
    std::vector<EndMotion> motions;
  };
  std::vector<Base> base;
  for (const std::size_t i : member.sockets) {
    Socket& socket = sockets_[i];
    base.push_back({socket.inputs, socket.efforts, socket.at_nodes});
    const std::vector<double>& unit = units[static_cast<std::size_t>(probe.unknown)][i];
    for (std::size_t j = 0; j < unit.size(); ++j) socket.inputs[j] += probe.push * unit[j];
  }
  const Result<void> result = run();
  ++member.probes;
  member.is_current = false;
  probe.motions.clear(), probe.efforts.clear();
  double share = 0.0;
  for (std::size_t k = 0; k < member.sockets.size(); ++k) {
    Socket& socket = sockets_[member.sockets[k]];
    probe.motions.push_back(std::exchange(socket.at_nodes, std::move(base[k].motions)));
    probe.efforts.push_back(std::exchange(socket.efforts, std::move(base[k].efforts)));
    socket.inputs = std::move(base[k].inputs);
    if (result) share = std::max(share, share_of(socket, probe.motions.back(), probe.efforts.back()));
  }
  if (!result) return result.error();
  return share;
}

Result<void> GluedGroup::probe_member(std::size_t index, const VectorXd& z, const Patterns& units,
                                      const std::function<Result<void>()>& run, std::vector<Probe>& probes) {
  const Member& member = members_[index];
  // Where nothing bends, the largest push is measured best.
  const bool is_linear = member.part.component->capabilities().is_linear;
  std::map<std::vector<double>, std::size_t> done;  // inputs that were probed, and by which probe
  std::vector<std::size_t> silent;                  // probes under which nothing moved
  std::array<double, 4> largest{};                  // pushes under which something did, by unit
  const auto unit_of = [&](const Probe& probe) {
    const auto [is_motion, is_rotation] = unknown_kind_of(probe.unknown);
    return static_cast<std::size_t>(2 * is_motion + is_rotation);
  };
  for (Index c = 0; c < unknowns_; ++c) {
    std::vector<double> inputs;
    for (const std::size_t i : member.sockets) {
      const std::vector<double>& own = units[static_cast<std::size_t>(c)][i];
      inputs.insert(inputs.end(), own.begin(), own.end());
    }
    if (std::all_of(inputs.begin(), inputs.end(), [](double x) { return x == 0.0; })) continue;
    // Several connections at one interface push it alike, or against each other.
    std::vector<double> opposite;
    for (const double x : inputs) opposite.push_back(0.0 - x);
    const auto same = done.find(inputs), reverse = done.find(opposite);
    if (same != done.end() || reverse != done.end()) {
      const bool is_same = same != done.end();
      probes.push_back({.unknown = c, .like = is_same ? same->second : reverse->second, .sign = is_same ? 1.0 : -1.0});
      continue;
    }
    Probe probe{.unknown = c, .push = perturbation_of(c, z)};
    if (is_linear) probe.push = std::max(kLinearPush, probe.push / settings_.perturbation);
    Result<double> share = push_member(index, units, run, probe);
    for (int raises = 0; share && !is_linear && *share > 0.0 && raises < kMostRaises; ++raises) {
      if (*share >= kLeastResponse && *share <= kMostResponse) break;
      const double raise = std::min(kBestResponse / *share, kMostRaise), before = *share;
      probe.push *= raise;
      share = push_member(index, units, run, probe);
      if (!share || !(*share > kProportional * raise * before)) break;
    }
    if (!share) return share.error();
    if (*share > 0.0) {
      largest[unit_of(probe)] = std::max(largest[unit_of(probe)], probe.push);
    } else {
      silent.push_back(probes.size());
    }
    done.emplace(std::move(inputs), probes.size());
    probes.push_back(std::move(probe));
  }
  // Nothing moves in some directions. That they are rigid is known as well as the others are only if they are pushed
  // as much.
  for (const std::size_t i : silent) {
    const double push = largest[unit_of(probes[i])];
    if (push <= probes[i].push) continue;
    probes[i].push = push;
    const Result<double> share = push_member(index, units, run, probes[i]);
    if (!share) return share.error();
  }
  return {};
}

Result<void> GluedGroup::probe(const VectorXd& z, double length, const core::Window& window,
                               const std::function<Result<void>(std::size_t)>& run, coupling::ProbedResponse& response,
                               std::vector<MemberPart>& parts) {
  const Patterns units = unit_inputs();
  distribute(z);
  std::vector<std::vector<Probe>> probes(members_.size());
  std::vector<Result<void>> results(members_.size());
  in_parallel(window, members_.size(), [&](std::size_t m) {
    results[m] = probe_member(
        m, z, units, [&] { return run(m); }, probes[m]);
  });
  for (std::size_t m = 0; m < members_.size(); ++m) {
    figures_.probes += std::exchange(members_[m].probes, 0);
    if (!results[m]) return std::move(results[m]);
  }

  assemble(probes, units, length, response, parts);
  distribute(z);
  return {};
}

/// Connections that see a member move.
std::vector<std::size_t> GluedGroup::links_at(std::size_t member) const {
  const auto is_own = [&](const GlueShare& share) {
    return sockets_[static_cast<std::size_t>(share.socket)].spec.member == static_cast<int>(member);
  };
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto touches = [&](const GluePoint& point) {
      return std::any_of(point.from.begin(), point.from.end(), is_own) ||
             std::any_of(point.to.begin(), point.to.end(), is_own);
    };
    if (std::any_of(links_[i].points.begin(), links_[i].points.end(), touches)) seen.push_back(i);
  }
  return seen;
}

void GluedGroup::add_loads(Eigen::MatrixXd& gaps) {
  if (std::none_of(sockets_.begin(), sockets_.end(), [](const Socket& socket) { return socket.is_led(); })) return;
  for (Index c = 0; c < unknowns_; ++c) {
    if (led_socket_of(c) != nullptr) continue;
    distribute(VectorXd::Unit(unknowns_, c));
    for (const Socket& socket : sockets_) {
      for (std::size_t k = 0; socket.is_led() && k < socket.loads.size(); ++k) {
        gaps(static_cast<Index>(socket.first + k), c) -= socket.loads[k];
      }
    }
  }
}

void GluedGroup::assemble(std::vector<std::vector<Probe>>& probes, const Patterns& units, double length,
                          coupling::ProbedResponse& response, std::vector<MemberPart>& parts) {
  parts.clear();
  const VectorXd base = residual(length);
  response.gaps = Eigen::MatrixXd::Zero(unknowns_, unknowns_);
  response.rounding = Eigen::MatrixXd::Zero(unknowns_, unknowns_);
  note_natural(probes, length, response);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const std::vector<std::size_t>& own = members_[m].sockets;
    const std::vector<std::size_t> seen = links_at(m);
    std::vector<VectorXd> changes, roundings;
    for (Probe& probe : probes[m]) {
      if (probe.push == 0.0) {
        changes.push_back(probe.sign * changes[probe.like]);
        roundings.push_back(roundings[probe.like]);
        response.gaps.col(probe.unknown) += changes.back();
        response.rounding.col(probe.unknown) += roundings.back();
        continue;
      }
      const auto swap_in = [&] {
        for (std::size_t k = 0; k < own.size(); ++k) {
          std::swap(sockets_[own[k]].at_nodes, probe.motions[k]);
          std::swap(sockets_[own[k]].efforts, probe.efforts[k]);
        }
      };
      const auto push = [&](double by) {
        for (const std::size_t i : own) {
          const std::vector<double>& unit = units[static_cast<std::size_t>(probe.unknown)][i];
          for (std::size_t j = 0; j < unit.size(); ++j) sockets_[i].inputs[j] += by * unit[j];
        }
      };
      VectorXd rounding = VectorXd::Zero(unknowns_);
      for (const std::size_t i : seen) note_rounding(links_[i], m, length, rounding);
      swap_in();
      push(probe.push);
      VectorXd moved = base;
      for (const std::size_t i : seen) {
        residual_of(links_[i], length, moved);
      }
      for (const std::size_t i : own) {
        const Socket& socket = sockets_[i];
        for (std::size_t k = 0; socket.is_led() && k < socket.efforts.size(); ++k) {
          const auto row = static_cast<Index>(socket.first + k);
          moved[row] = socket.efforts[k] - socket.loads[k];
          rounding[row] = std::max(rounding[row], kProbeRoundings * std::abs(socket.efforts[k]));
        }
      }
      for (const std::size_t i : seen) {
        note_rounding(links_[i], m, length, rounding);
      }
      push(-probe.push);
      swap_in();
      changes.push_back((moved - base) / probe.push);
      roundings.push_back(rounding / probe.push);
      response.gaps.col(probe.unknown) += changes.back();
      response.rounding.col(probe.unknown) += roundings.back();
    }
    MemberPart part;
    for (const std::size_t i : seen) {
      const std::size_t count = links_[i].points.size() * links_[i].directions * nodes();
      const std::size_t all = links_[i].kind == Kind::x_t ? 2 * nodes() : count;
      for (std::size_t k = 0; k < all; ++k) part.unknowns.push_back(static_cast<Index>(links_[i].first + k));
    }
    for (const std::size_t i : own) {
      const Socket& socket = sockets_[i];
      for (std::size_t k = 0; socket.is_led() && k < socket.inputs.size(); ++k) {
        part.unknowns.push_back(static_cast<Index>(socket.first + k));
      }
    }
    const auto n = static_cast<Index>(part.unknowns.size());
    part.response = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t k = 0; k < probes[m].size(); ++k) {
      const auto column = std::find(part.unknowns.begin(), part.unknowns.end(), probes[m][k].unknown);
      part.response.col(column - part.unknowns.begin()) += changes[k](part.unknowns);
    }
    parts.push_back(std::move(part));
  }
  add_loads(response.gaps);
  // Forces and motions that condition one another have responses of all sizes, each with a rounding of its own; the
  // largest of these says nothing of the smallest of those. What such sides get is determined by their own answer.
  for (Index i = 0; i < unknowns_; ++i) {
    if (link_of(i).motion_sides == 0) continue;
    response.rounding.row(i).setZero();
    response.rounding.col(i).setZero();
  }
}

/// How far the ends of a connection would move at all under a unit of force and of torque, so that directions in which
/// a member holds them can be distinguished from those in which it is heavy. A force turns what it moves: its arm
/// compares translations with rotations, and where nothing turns an arm of 1 m does.
void GluedGroup::note_natural(const std::vector<std::vector<Probe>>& probes, double length,
                              coupling::ProbedResponse& response) const {
  enum { kAlong, kAbout };
  std::vector<std::array<std::array<double, 2>, 2>> moves(
      links_.size());  // by link: motion along or about, per force or torque
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (const Probe& probe : probes[m]) {
      const Link& link = link_of(probe.unknown);
      if (probe.push == 0.0 || !link.is_in_space || link.motion_sides > 0) continue;
      const std::size_t d = (static_cast<std::size_t>(probe.unknown) - link.first) / nodes() % link.directions;
      auto& of_link = moves[static_cast<std::size_t>(&link - links_.data())];
      const std::size_t kind = link.joint.is_rotation(d) ? kAbout : kAlong;
      for (std::size_t k = 0; k < members_[m].sockets.size(); ++k) {
        const std::size_t socket = members_[m].sockets[k];
        for (std::size_t node = 0; node < nodes() && is_at(link, socket); ++node) {
          const auto [along, about] = change_of(sockets_[socket].at_nodes[node], probe.motions[k][node]);
          of_link[kAlong][kind] = std::max(of_link[kAlong][kind], along / probe.push);
          of_link[kAbout][kind] = std::max(of_link[kAbout][kind], about / probe.push);
        }
      }
    }
  }
  response.group.assign(static_cast<std::size_t>(unknowns_), -1);
  response.natural.assign(2 * links_.size(), 0.0);
  // Of 1e4 kg or kg m^2 that are free: what moves far less than heavier things do does not move.
  const double floor = is_static_
                           ? 0.0
                           : kHeavy * (settings_.compatibility == core::Compatibility::velocity       ? length
                                       : settings_.compatibility == core::Compatibility::displacement ? length * length
                                                                                                      : 1.0);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    if (link.kind != Kind::t_t || link.motion_sides > 0) continue;
    const std::size_t rows = link.points.size() * link.directions;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_rotation = link.is_in_space && link.joint.is_rotation(row % link.directions);
      for (std::size_t node = 0; node < nodes(); ++node) {
        response.group[link.first + row * nodes() + node] = static_cast<int>(2 * i + (is_rotation ? 1 : 0));
      }
    }
    if (!link.is_in_space) continue;
    const auto& [along, about] = moves[i];
    const double arm = along[kAbout] > kLeastArm * about[kAbout] ? along[kAbout] / about[kAbout] : 1.0;
    const double turn = about[kAlong] > kLeastArm * along[kAlong] ? about[kAlong] / along[kAlong] : 1.0;
    response.natural[2 * i] = std::max(floor, about[kAbout] * arm * arm);
    response.natural[2 * i + 1] = std::max(floor, along[kAlong] * turn * turn);
  }
}

bool GluedGroup::is_at(const Link& link, std::size_t socket) const {
  const auto has = [socket](const std::vector<int>& side) {
    return std::find(side.begin(), side.end(), static_cast<int>(socket)) != side.end();
  };
  return has(link.spec.from) || has(link.spec.to);
}

/// How much two motions differ in what is to agree: along and about.
std::array<double, 2> GluedGroup::change_of(const EndMotion& before, const EndMotion& after) const {
  switch (settings_.compatibility) {
    case core::Compatibility::displacement:
      return {(after.pose.position - before.pose.position).norm(),
              core::rotation_vector(after.pose.orientation * before.pose.orientation.conjugate()).norm()};
    case core::Compatibility::acceleration:
      return {(after.motion.acceleration - before.motion.acceleration).norm(),
              (after.motion.angular_acceleration - before.motion.angular_acceleration).norm()};
    default:
      return {(after.motion.velocity - before.motion.velocity).norm(),
              (after.motion.angular_velocity - before.motion.angular_velocity).norm()};
  }
}

/// Raises what the gaps of a connection may owe to rounding by that of a member's present motion.
void GluedGroup::note_rounding(const Link& link, std::size_t member, double length, VectorXd& rounding) const {
  const auto finite = [](double x) { return std::isfinite(x) ? x : 0.0; };
  std::array<double, 2> size{};
  double effort = 0.0;
  for (const std::size_t socket : members_[member].sockets) {
    if (!is_at(link, socket)) continue;
    for (std::size_t node = 0; node < nodes(); ++node) {
      const EndMotion& now = sockets_[socket].at_nodes[node];
      const double a = finite(now.motion.acceleration.norm()), alpha = finite(now.motion.angular_acceleration.norm());
      const double v = finite(now.motion.velocity.norm()), omega = finite(now.motion.angular_velocity.norm());
      switch (settings_.compatibility) {
        case core::Compatibility::displacement:
          size[0] = std::max(size[0], finite(now.pose.position.cwiseAbs().maxCoeff()));
          size[1] = 1.0;
          break;
        case core::Compatibility::acceleration:
          size[0] = std::max(size[0], a + omega * v);
          size[1] = std::max(size[1], alpha + omega * omega);
          break;
        default:
          size[0] = std::max(size[0], v + length * a);
          size[1] = std::max(size[1], omega + length * alpha);
          break;
      }
      for (std::size_t axis = 0; axis < sockets_[socket].axes; ++axis) {
        effort = std::max(effort, std::abs(sockets_[socket].efforts[axis * nodes() + node]));
      }
    }
  }
  const std::size_t rows = link.points.size() * link.directions * nodes();
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_rotation = link.is_in_space && link.joint.is_rotation(row / nodes() % link.directions);
    double& own = rounding[static_cast<Index>(link.first + row)];
    own = std::max(own, kProbeRoundings * (link.kind == Kind::x_x ? effort : size[is_rotation ? 1 : 0]));
  }
  if (link.kind != Kind::x_t) return;
  for (std::size_t node = 0; node < nodes(); ++node) {
    double& own = rounding[static_cast<Index>(link.first + nodes() + node)];
    own = std::max(own, kProbeRoundings * effort);
  }
}

}  // namespace tieline::engine
