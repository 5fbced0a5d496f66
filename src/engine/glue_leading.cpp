// Steps whose members are computed one after the other: those that lead under trial values, those that follow with what
// came of it ([Wang2003] 2.3, "a leading subsystem"). What leading sides get is all that is unknown.
//
// [Kuettler2008] Kuettler, Wall: Fixed-point fluid-structure interaction solvers with dynamic relaxation.
//   between force and motion, the motion leads:  x -> force -> motion of the other side, less x
//   between force and motion, the force leads:   f -> motion -> force of the other side, less f
//   between motion and motion:                   x of the leading side, which the other one gets -> sum of both forces

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/glued_group.hpp"
#include "engine/trace.hpp"

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;
using core::MatrixUpdate;
using core::Result;
using Eigen::Index;
using Eigen::VectorXd;

// First relaxation of fixed-point iterations, and its bounds.
constexpr double kFirstRelaxation = 0.5;
constexpr double kMostRelaxation = 1.0;
// What earlier trials have shown is forgotten, and each unknown tried, where so many corrections have not been enough.
constexpr std::uint64_t kMostWithoutProbe = 15;
// Less than this is no size to compare rows by.
constexpr double kNoSize = 1e-9;
// Lengths that differ by roundings are one.
constexpr double kSameLeadStep = 1e-9;
// Rounds in which the rates of a rotation vector are found that follow an angular velocity; turns in a step are small.
constexpr int kTurnRounds = 6;
// Gaps of velocity lead those of displacement back by this share in a step.
constexpr double kLeadingDriftShare = 0.2;
enum { kVelocitySize = 1, kEffortSize = 3 };

/// Adds the time of a scope.
struct LeadingTime {
  explicit LeadingTime(double& total) : sum(total), begin(now_seconds()) {}
  ~LeadingTime() { sum += now_seconds() - begin; }
  LeadingTime(const LeadingTime&) = delete;
  LeadingTime& operator=(const LeadingTime&) = delete;
  double& sum;
  double begin;
};

}  // namespace

bool GluedGroup::is_led() const {
  return stated_.update == MatrixUpdate::aitken || std::any_of(links_.begin(), links_.end(), [](const Link& link) {
           return link.spec.leads != GlueLead::unstated;
         });
}

/// Where it is not stated, the side that takes motion leads.
void GluedGroup::choose_leaders() {
  for (Link& link : links_) {
    const bool from_takes_motion = sockets_[static_cast<std::size_t>(link.spec.from.front())].takes_motion;
    link.from_leads = link.spec.leads == GlueLead::unstated ? from_takes_motion : link.spec.leads == GlueLead::from;
  }
}

bool GluedGroup::leads_by_motion(const Link& link) const {
  return sockets_[static_cast<std::size_t>((link.from_leads ? link.spec.from : link.spec.to).front())].takes_motion;
}

const std::vector<GluedGroup::GlueShare>& GluedGroup::leading_side(const Link& link, std::size_t point) const {
  return link.from_leads ? link.points[point].from : link.points[point].to;
}

const std::vector<GluedGroup::GlueShare>& GluedGroup::following_side(const Link& link, std::size_t point) const {
  return link.from_leads ? link.points[point].to : link.points[point].from;
}

Result<void> GluedGroup::order_members(double t0) {
  levels_.clear();
  if (!is_led()) return {};
  std::vector<std::size_t> level(members_.size(), 0);
  const auto member_of = [&](const std::vector<int>& side) {
    return static_cast<std::size_t>(sockets_[static_cast<std::size_t>(side.front())].spec.member);
  };
  bool has_changed = true;
  for (std::size_t round = 0; has_changed; ++round) {
    has_changed = false;
    for (const Link& link : links_) {
      if (link.motion_sides == 0) {
        return Error{.code = ErrorCode::bad_input,
                     .message = fmt::format("both sides of the glued connection '{}' take force: none can be computed "
                                            "from the other, as where a side leads; remove 'leads'",
                                            link.spec.name),
                     .component = name(),
                     .time = t0};
      }
      if (link.motion_sides == 2) continue;  // both get one motion
      const std::size_t first = member_of(link.from_leads ? link.spec.from : link.spec.to);
      const std::size_t second = member_of(link.from_leads ? link.spec.to : link.spec.from);
      if (level[second] > level[first]) continue;
      level[second] = level[first] + 1;
      has_changed = true;
      if (round <= members_.size()) continue;
      return Error{.code = ErrorCode::bad_input,
                   .message = fmt::format("the members lead each other in a ring, in which none can be computed first: "
                                          "let the other side lead at the glued connection '{}'",
                                          link.spec.name),
                   .component = members_[second].part.component->name(),
                   .time = t0};
    }
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (level[m] >= levels_.size()) levels_.resize(level[m] + 1);
    levels_[level[m]].push_back(m);
  }
  return {};
}

/// A side whose motion is computed from its partner's must have no more points than that.
Result<void> GluedGroup::check_leading(double t0) const {
  if (!is_led()) return {};
  for (const Link& link : links_) {
    const auto refuse = [&](const std::string& why) {
      return Error{.code = ErrorCode::bad_input,
                   .message = fmt::format("at the glued connection '{}' {}", link.spec.name, why),
                   .component = name(),
                   .time = t0};
    };
    const bool is_from = link.motion_sides == 2
                             ? !link.from_leads
                             : sockets_[static_cast<std::size_t>(link.spec.from.front())].takes_motion;
    const std::size_t size = (is_from ? link.spec.from : link.spec.to).size();
    bool is_single = link.points.size() == size;
    for (const GluePoint& point : link.points) is_single = is_single && (is_from ? point.from : point.to).size() == 1;
    if (is_single && (leads_by_motion(link) || settings_.compatibility == core::Compatibility::velocity)) continue;
    if (is_single) return refuse("the side that takes force leads, which needs compatibility=\"velocity\"");
    return refuse(fmt::format(
        "the {} side has {} points that get their motion from fewer on the other side, which leaves their motion "
        "undetermined: expected {}, or update=\"broyden\" or \"iqn_ils\" and no 'leads', which finds their motions too",
        is_from ? "from" : "to", size,
        link.motion_sides == 2 ? "the other side to lead" : "no more points than there"));
  }
  return {};
}

void GluedGroup::number_leading() {
  leading_.clear(), is_relaxed_.clear();
  if (!is_led()) return;
  const std::size_t s = nodes();
  const auto add = [&](std::size_t first, std::size_t count, bool is_relaxed) {
    for (std::size_t k = 0; k < count; ++k) {
      leading_.push_back(static_cast<Index>(first + k));
      is_relaxed_.push_back(is_relaxed && settings_.compatibility == core::Compatibility::velocity);
    }
  };
  for (const Link& link : links_) {
    const bool has_one_motion = link.motion_sides == 2;
    if (!link.is_in_space) {
      add(link.first + (!has_one_motion && leads_by_motion(link) ? s : 0), s, !has_one_motion);
    } else if (!leads_by_motion(link)) {
      add(link.first, link.points.size() * link.directions * s, true);
    } else {
      for (const int index : link.from_leads ? link.spec.from : link.spec.to) {
        const Socket& socket = sockets_[static_cast<std::size_t>(index)];
        add(socket.first, socket.axes * s, !has_one_motion);
      }
    }
  }
  figures_.unknowns = leading_.size();
}

/// What leads is run first, what follows with what came of it. Fills in the unknowns of followers.
Result<void> GluedGroup::sweep(VectorXd& z, double begin, double end, const core::Window& window) {
  for (const Link& link : links_) {
    if (link.motion_sides == 2 && link.is_in_space) copy_motions(link, z);
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    for (const Link& link : links_) {
      if (link.motion_sides == 2) continue;
      const auto follower = static_cast<std::size_t>(
          sockets_[static_cast<std::size_t>(following_side(link, 0).front().socket)].spec.member);
      const std::vector<std::size_t>& own = levels_[level];
      if (std::find(own.begin(), own.end(), follower) != own.end()) pass_on(link, z, end - begin);
    }
    distribute(z);
    if (auto run = run_members(levels_[level], begin, end, window); !run) return run;
  }
  for (const Link& link : links_) {
    if (link.motion_sides == 2 && link.is_in_space) take_forces(link, z);
  }
  distribute(z);
  notes_steps_ = false;
  return {};
}

void GluedGroup::pass_on(const Link& link, VectorXd& z, double length) const {
  leads_by_motion(link) ? take_forces(link, z) : take_motions(link, z, length);
}

/// Forces of a connection: those of its side that takes motion; where both do, of the one that follows.
void GluedGroup::take_forces(const Link& link, VectorXd& z) const {
  const auto s = static_cast<Index>(nodes());
  for (std::size_t p = 0; p < link.points.size(); ++p) {
    const auto first = static_cast<Index>(link.first) + static_cast<Index>(p * link.directions) * s;
    for (const bool is_from : {true, false}) {
      const std::vector<GlueShare>& side = is_from ? link.points[p].from : link.points[p].to;
      const Socket& socket = sockets_[static_cast<std::size_t>(side.front().socket)];
      if (!socket.takes_motion || (link.motion_sides == 2 && is_from == link.from_leads)) continue;
      for (Index node = 0; node < s; ++node) {
        const auto at = static_cast<std::size_t>(node);
        if (!link.is_in_space) {
          z[first + node] = -socket.efforts[at];
          continue;
        }
        for (std::size_t d = 0; d < link.directions; ++d) {
          const coupling::GluedDirection& direction = link.wrenches[p * nodes() + at][d];
          const auto& unit = is_from ? direction.on_from : direction.on_to;
          double force = 0.0;
          for (std::size_t axis = 0; axis < socket.axes; ++axis) {
            force += unit[static_cast<Index>(axis)] * socket.efforts[axis * nodes() + at];
          }
          z[first + static_cast<Index>(d) * s + node] = force;
        }
      }
    }
  }
}

/// Motions of the sides that take them: those of their partners, and what closes the gaps that there are.
void GluedGroup::take_motions(const Link& link, VectorXd& z, double length) const {
  const std::size_t s = nodes();
  for (std::size_t p = 0; p < link.points.size(); ++p) {
    const std::vector<GlueShare>& own = leading_side(link, p);
    const Socket& led = sockets_[static_cast<std::size_t>(following_side(link, p).front().socket)];
    const double sign = link.from_leads ? -1.0 : 1.0;  // gaps are counted from `from` to `to`
    const auto back = [&](std::size_t d) {
      return sign * kLeadingDriftShare * link.drift[p * link.directions + d] / length;
    };
    if (!link.is_in_space) {
      for (std::size_t node = 0; node < s; ++node) {
        z[static_cast<Index>(link.first + s + node)] = motion_of(own, node).motion.velocity.x() + back(0);
      }
      continue;
    }
    // Of a joint that leaves nothing free, the directions are the axes of the world.
    std::vector<double> turning(3 * s), rates(3 * s);
    for (std::size_t node = 0; node < s; ++node) {
      const core::SpatialMotion motion = motion_of(own, node).motion;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto i = static_cast<Index>(k);
        z[static_cast<Index>(led.first + k * s + node)] = motion.velocity[i] + back(k);
        turning[k * s + node] = rates[k * s + node] = motion.angular_velocity[i] + back(k + 3);
      }
    }
    for (int round = 0; round < kTurnRounds; ++round) {
      std::vector<double> next(rates.size());
      for (std::size_t node = 0; node < s; ++node) {
        Eigen::Vector3d angle, omega;
        for (std::size_t k = 0; k < 3; ++k) {
          const std::span<const double> of_axis(rates.data() + k * s, s);
          const auto i = static_cast<Index>(k);
          angle[i] = length * shape_.integral(shape_.nodes()[node], of_axis, led.before[k + 3]);
          omega[i] = turning[k * s + node];
        }
        const Eigen::Vector3d rate = core::rotation_vector_rate(angle, omega);
        for (std::size_t k = 0; k < 3; ++k) next[k * s + node] = rate[static_cast<Index>(k)];
      }
      rates = std::move(next);
    }
    for (std::size_t k = 0; k < rates.size(); ++k) z[static_cast<Index>(led.first + 3 * s + k)] = rates[k];
  }
}

/// The motions of a side that follows another one, both of which take motion.
void GluedGroup::copy_motions(const Link& link, VectorXd& z) const {
  for (std::size_t p = 0; p < link.points.size(); ++p) {
    const Socket& to = sockets_[static_cast<std::size_t>(following_side(link, p).front().socket)];
    for (std::size_t k = 0; k < to.axes * nodes(); ++k) {
      double sum = 0.0;
      for (const GlueShare& share : leading_side(link, p)) {
        sum += share.weight * z[static_cast<Index>(sockets_[static_cast<std::size_t>(share.socket)].first + k)];
      }
      z[static_cast<Index>(to.first + k)] = sum;
    }
  }
}

/// What the motions given lack to those of their partners.
void GluedGroup::missing_motion(const Link& link, const VectorXd& e, VectorXd& off) const {
  const auto s = static_cast<Index>(nodes());
  for (std::size_t p = 0; p < link.points.size(); ++p) {
    const auto first = static_cast<Index>(link.first) + static_cast<Index>(p * link.directions) * s;
    // Gaps are counted from `from` to `to`; what the motion lacks depends on which of them takes it.
    const double sign = link.from_leads ? 1.0 : -1.0;
    if (!link.is_in_space) {
      off.segment(first + s, s) = sign * e.segment(first, s);
      continue;
    }
    const Socket& led = sockets_[static_cast<std::size_t>(leading_side(link, p).front().socket)];
    for (std::size_t d = 0; d < link.directions; ++d) {
      for (Index node = 0; node < s; ++node) {
        const double gap = sign * e[first + static_cast<Index>(d) * s + node];
        const auto& unit = link.wrenches[p * nodes() + static_cast<std::size_t>(node)][d].on_to;
        for (std::size_t axis = 0; axis < led.axes; ++axis) {
          off[static_cast<Index>(led.first + axis * nodes()) + node] += gap * unit[static_cast<Index>(axis)];
        }
      }
    }
  }
}

/// By leading unknown: how far what came of them is from them; where both sides take motion, the sum of the forces.
VectorXd GluedGroup::lead_residual(const VectorXd& z, double length) const {
  const VectorXd e = residual(length);
  VectorXd off = VectorXd::Zero(unknowns_);
  for (const Link& link : links_) {
    if (link.motion_sides == 2) {
      const auto copy = [&](std::size_t first, std::size_t count) {
        off.segment(static_cast<Index>(first), static_cast<Index>(count)) =
            e.segment(static_cast<Index>(first), static_cast<Index>(count));
      };
      if (!link.is_in_space) {
        copy(link.first, nodes());
        continue;
      }
      for (const int index : link.from_leads ? link.spec.from : link.spec.to) {
        const Socket& socket = sockets_[static_cast<std::size_t>(index)];
        copy(socket.first, socket.axes * nodes());
      }
    } else if (leads_by_motion(link)) {
      missing_motion(link, e, off);
    } else {
      VectorXd taken = z;
      take_forces(link, taken);
      off += taken - z;
    }
  }
  return off(leading_);
}

/// Of each leading residual, in its own unit.
VectorXd GluedGroup::lead_scale() const {
  VectorXd scale(static_cast<Index>(leading_.size()));
  for (std::size_t k = 0; k < leading_.size(); ++k) {
    const auto [is_motion, is_rotation] = unknown_kind_of(leading_[k]);
    const bool is_velocity = is_motion && is_relaxed_[k];
    const double size = link_of(leading_[k]).size[is_rotation ? 1 : 0][is_velocity ? kVelocitySize : kEffortSize];
    scale[static_cast<Index>(k)] = std::max(size, kNoSize);
  }
  return scale;
}

/// Tries a small change of each leading unknown.
Result<void> GluedGroup::probe_leading(VectorXd& z, const VectorXd& residual_now, double begin, double end,
                                       const core::Window& window) {
  secants_.clear();
  ++figures_.refreshes;
  for (std::size_t k = 0; k < leading_.size(); ++k) {
    VectorXd moved = z;
    const double push = perturbation_of(leading_[k], z);
    moved[leading_[k]] += push;
    if (auto swept = sweep(moved, begin, end, window); !swept) return swept;
    ++figures_.probes;
    secants_.add(push * VectorXd::Unit(residual_now.size(), static_cast<Index>(k)),
                 lead_residual(moved, end - begin) - residual_now);
  }
  return {};
}

Result<GluedGroup::Solution> GluedGroup::lead_step(double begin, double end, const core::Window& window) {
  const LeadingTime watch(figures_.seconds_total);
  const WatchedScope limit(step_watch_, window.cancel, settings_.most_seconds);
  core::Window limited = window;
  limited.cancel = &step_watch_.flag();
  if (auto saved = save_members(); !saved) return saved.error();
  history_.clear();
  const double length = end - begin;
  const bool is_aitken = settings_.update == MatrixUpdate::aitken;
  if (std::abs(length - secants_length_) > kSameLeadStep * length) secants_.clear();
  secants_length_ = length;
  const bool needs_probe = std::find(is_relaxed_.begin(), is_relaxed_.end(), false) != is_relaxed_.end();
  VectorXd relaxed(static_cast<Index>(leading_.size()));
  for (std::size_t k = 0; k < leading_.size(); ++k) relaxed[static_cast<Index>(k)] = is_relaxed_[k] ? 1.0 : 0.0;
  VectorXd z = predict(length), before, change;
  Index row = 0;
  double relaxation = kFirstRelaxation;
  bool is_probed = false;
  const auto fail = [&](Error error) {
    give_up();
    return error;
  };
  for (std::uint64_t corrections = 0;; ++corrections) {
    const Iteration place{.trials = static_cast<int>(corrections) + 1, .row = row};
    if (auto swept = sweep(z, begin, end, limited); !swept) {
      return fail(member_failure(std::move(swept.error()), place, end));
    }
    note_sizes();
    const VectorXd e = residual(length);
    const Agreement agreement = judge(e);
    row = agreement.row;
    last_gap_ = e[row];
    history_.push_back(agreement.worst);
    if (agreement.worst <= 1.0) return Solution{std::move(z), corrections};
    if (!is_aitken && has_stopped_in_noise(agreement)) {
      Iteration last;
      last.e = e;
      note_noise(last, agreement);
      return Solution{std::move(z), corrections};
    }
    const auto most = static_cast<std::uint64_t>(is_aitken ? std::min(settings_.iterations, settings_.most_trials)
                                                           : settings_.most_trials);
    if (corrections >= most || !std::isfinite(agreement.worst)) {
      return fail(failure(is_aitken ? "does not converge by relaxation" : "does not converge with a side that leads",
                          begin, end, agreement.row));
    }
    const VectorXd off = lead_residual(z, length);
    if (is_aitken) {
      if (before.size() > 0) {
        const VectorXd differs = off - before;
        relaxation *= -before.dot(differs) / differs.squaredNorm();
        relaxation = std::clamp(relaxation, -kMostRelaxation, kMostRelaxation);
      }
      change = relaxation * off;
    } else {
      if (before.size() > 0) secants_.add(change, off - before);
      const bool is_due = (needs_probe && secants_.is_empty()) || (!is_probed && corrections >= kMostWithoutProbe);
      if (is_due) {
        is_probed = true;
        if (auto probed = probe_leading(z, off, begin, end, limited); !probed) {
          return fail(member_failure(std::move(probed.error()), place, end));
        }
      }
      change = secants_.correction(off, lead_scale(), relaxed, kFirstRelaxation);
    }
    before = off;
    z(leading_) += change;
  }
}

}  // namespace tieline::engine
