// Where components that are to start at rest stand, and what their lines carry then.
//
// At rest a line is a spring. Each component finds its own equilibrium for given places of its partners; Newton's
// method on the places of all ends makes these fit, with the components' responses as derivatives. What is glued is a
// spring with a preload that keeps it closed. [Hestenes1969] Hestenes: Multiplier and gradient methods.

#include "core/equilibrium.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <iterator>
#include <limits>

#include "core/motion_relation.hpp"
#include "engine/engine.hpp"

namespace tieline::engine {
namespace {

using core::EndPlace;
using core::Equilibrium;
using core::SpringEnd;

constexpr int kMostRounds = 50;
// Places that fit this well are made to fit as well as rounding allows; lines are stiff [m], [rad].
constexpr double kFits = 1e-11;
constexpr double kRounding = 1e-16;

// Stiffness of the springs that stand for ties at first [N/m], [N m/rad], the gap at which they are closed [m], [rad],
// how often their preload is raised, and from which share of the last gap on that goes too slowly.
constexpr double kTieStiffness = 1e8;
constexpr double kTieGap = 1e-11;
constexpr int kMostTieRounds = 40;
constexpr double kSlowTie = 0.3;

/// One end of a spring, and whose it is.
struct End {
  SpringEnd spring{};
  Equilibrium* owner = nullptr;  ///< null: it stays where it is
  EndPlace place{};
  Eigen::Index first = 0;       ///< among the unknowns
  core::Relation of_partner{};  ///< what makes the partner's position one in the terms of this end
};
/// Both ends of a line.
struct Spring {
  std::array<End, 2> ends{};  ///< from, to
};

/// How an end has moved, as displacement and rotation in world axes, or along its axis.
Eigen::VectorXd moved(const End& end, const EndPlace& now) {
  if (end.spring.interface == nullptr) return Eigen::VectorXd::Constant(1, now.position - end.place.position);
  Eigen::VectorXd result(6);
  result << now.pose.position - end.place.pose.position,
      core::rotation_vector(now.pose.orientation * end.place.pose.orientation.conjugate());
  return result;
}

void move(End& end, const Eigen::VectorXd& by) {
  if (end.spring.interface == nullptr) {
    end.place.position += by[0];
    return;
  }
  end.place.pose.position += by.head<3>();
  end.place.pose.orientation =
      (core::rotation_by(Eigen::Vector3d(by.tail<3>())) * end.place.pose.orientation).normalized();
}

/// Newton's method on the places of all ends that can move.
class Settlement {
 public:
  Settlement(std::vector<Spring>& springs, std::vector<core::Component*> owners) : owners_(std::move(owners)) {
    ends_of_.resize(owners_.size());
    for (Spring& spring : springs) {
      for (std::size_t side = 0; side < 2; ++side) {
        End& end = spring.ends[side];
        if (end.owner == nullptr) continue;
        end.first = unknowns_;
        unknowns_ += end.spring.freedoms();
        const auto owner =
            std::find_if(owners_.begin(), owners_.end(),
                         [&](core::Component* candidate) { return candidate->equilibrium() == end.owner; }) -
            owners_.begin();
        ends_of_[static_cast<std::size_t>(owner)].push_back({&end, &spring.ends[1 - side]});
      }
    }
  }

  core::Result<void> run(double t0) {
    double before = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kMostRounds; ++round) {
      Eigen::VectorXd off = Eigen::VectorXd::Zero(unknowns_);
      Eigen::MatrixXd slope = Eigen::MatrixXd::Identity(unknowns_, unknowns_);
      for (std::size_t i = 0; i < owners_.size(); ++i) {
        if (auto settled = settle(i, t0, off, slope); !settled) return settled;
      }
      const double largest = unknowns_ > 0 ? off.cwiseAbs().maxCoeff() : 0.0;
      if (largest < kRounding || (largest < kFits && largest > 0.5 * before)) return {};
      before = largest;
      const Eigen::VectorXd change = slope.partialPivLu().solve(off);
      for (auto& ends : ends_of_) {
        for (auto& [end, other] : ends) move(*end, change.segment(end->first, end->spring.freedoms()));
      }
    }
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = "no common equilibrium was found for the components that start in equilibrium"};
  }

 private:
  /// Settles one component: by how much its ends are off the places assumed, and how that depends on all places.
  core::Result<void> settle(std::size_t owner, double t0, Eigen::VectorXd& off, Eigen::MatrixXd& slope) {
    std::vector<SpringEnd> given;
    for (auto& [end, other] : ends_of_[owner]) {
      given.push_back(end->spring);
      given.back().partner = other->place;
      given.back().partner.position = end->of_partner.value(other->place.position);
    }
    Equilibrium& own = *owners_[owner]->equilibrium();
    if (auto settled = own.settle(t0, given); !settled) {
      settled.error().component = owners_[owner]->name();
      return settled;
    }
    Eigen::MatrixXd response;
    own.response(response);
    Eigen::Index row = 0;
    for (auto& [end, other] : ends_of_[owner]) {
      const Eigen::Index n = end->spring.freedoms();
      off.segment(end->first, n) = moved(*end, own.place(end->spring));
      Eigen::Index column = 0;
      for (auto& [by_end, by_other] : ends_of_[owner]) {
        const Eigen::Index m = by_end->spring.freedoms();
        if (by_other->owner != nullptr) {
          slope.block(end->first, by_other->first, n, m) -=
              by_end->of_partner.factor * response.block(row, column, n, m);
        }
        column += m;
      }
      row += n;
    }
    return {};
  }

  std::vector<core::Component*> owners_;
  std::vector<std::vector<std::pair<End*, End*>>> ends_of_;  ///< of each owner: its ends and their partners
  Eigen::Index unknowns_ = 0;
};

/// Springs in place of ties stretch; what they pull then becomes their preload, until they do not (the method of
/// multipliers, [Hestenes1969]). Where that goes slowly they are made stiffer.
core::Result<void> settle_ties(std::vector<Spring>& springs, std::span<Spring> ties,
                               const std::vector<core::Component*>& owners, double t0) {
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostTieRounds; ++round) {
    if (auto settled = Settlement(springs, owners).run(t0); !settled) return settled;
    double widest = 0.0;
    for (Spring& tie : ties) {
      auto& [from, to] = tie.ends;
      if (from.spring.interface == nullptr) {
        const double gap = to.place.position - from.place.position;
        widest = std::max(widest, std::abs(gap));
        from.spring.preload = to.spring.preload -= from.spring.stiffness * gap;
        continue;
      }
      const core::Pose &a = from.place.pose, &b = to.place.pose;
      widest = std::max(widest, (b.position - a.position).norm());
      widest = std::max(widest, core::elastic_rotation(a.orientation, b.orientation, from.spring.free).norm());
      const core::SpringWrench wrench = core::spring_wrench(from.spring, a, b);
      from.spring.preload_force = to.spring.preload_force = wrench.force;
      from.spring.preload_torque = to.spring.preload_torque = wrench.torque;
    }
    if (widest < kTieGap) return {};
    if (widest > kSlowTie * before) {
      for (Spring& tie : ties) {
        for (End& end : tie.ends) end.spring.stiffness *= 10.0, end.spring.stiffness_rotation *= 10.0;
      }
    }
    before = widest;
  }
  return core::Error{.code = core::ErrorCode::bad_input,
                     .message = "no common equilibrium was found for the glued components that start in equilibrium"};
}

}  // namespace

core::Result<void> Engine::settle_in_equilibrium() {
  std::vector<core::Component*> owners;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (core::Component* part : nodes_[i]->component->parts()) {
      if (part->equilibrium() == nullptr) continue;
      part->equilibrium()->plan(window_length(i), rule_.grid.stop());
      owners.push_back(part);
    }
  }
  if (owners.empty()) return {};
  const auto owner = [&](const SpringEnd& end) -> Equilibrium* {
    for (core::Component* candidate : owners) {
      const auto interfaces = candidate->spatial_interfaces();
      const auto ports = candidate->ports();
      const bool is_own = end.interface != nullptr
                              ? std::find(interfaces.begin(), interfaces.end(), end.interface) != interfaces.end()
                              : end.port >= ports.data() && end.port < ports.data() + ports.size();
      if (is_own) return candidate->equilibrium();
    }
    return nullptr;
  };
  std::vector<Spring> springs;
  std::vector<lines::Connection*> sprung;  // of the first springs; the others are ties
  // False if neither end can move.
  const auto add = [&](const SpringEnd& from, const SpringEnd& to, const core::Relation& relation = {}) {
    End first{.spring = from, .owner = owner(from)}, second{.spring = to, .owner = owner(to)};
    first.of_partner = core::reverse_of(relation), second.of_partner = relation;
    if (first.owner == nullptr && second.owner == nullptr) return false;
    springs.push_back({{first, second}});
    return true;
  };
  // Springs along one axis come before those in space.
  for (const bool is_in_space : {false, true}) {
    for (const auto& connection : connections_) {
      const auto spring = connection->rest_spring();
      if (!spring || (spring->from.interface != nullptr) != is_in_space) continue;
      if (add(spring->from, spring->to, spring->relation)) sprung.push_back(connection.get());
    }
  }
  const std::size_t first_tie = springs.size();
  for (auto& node : nodes_) {
    const auto ties = node->component->ties();
    if (!ties) return ties.error();
    for (const core::Tie& tie : *ties) {
      SpringEnd from{.interface = tie.interfaces[0],
                     .port = tie.ports[0],
                     .stiffness = kTieStiffness,
                     .stiffness_rotation = kTieStiffness,
                     .free = tie.free};
      SpringEnd to = from;
      to.interface = tie.interfaces[1], to.port = tie.ports[1], to.is_to = true;
      add(from, to);
    }
  }
  for (Spring& spring : springs) {
    for (End& end : spring.ends) end.place = core::first_place(end.spring);
  }
  const std::span<Spring> ties(springs.begin() + static_cast<std::ptrdiff_t>(first_tie), springs.end());
  if (auto settled = settle_ties(springs, ties, owners, rule_.grid.start()); !settled) return settled;
  const auto stands = [](const End& end) { return end.owner != nullptr ? end.owner->stands(end.spring) : end.place; };
  for (std::size_t i = 0; i < first_tie; ++i) {
    const auto& [from, to] = springs[i].ends;
    sprung[i]->set_rest({from.place, to.place, stands(from), stands(to)});
  }
  // Lines are filled from where the components are now.
  return start_components();
}

}  // namespace tieline::engine
