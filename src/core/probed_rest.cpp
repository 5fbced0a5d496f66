// Where components stand at rest whose states nobody can set.
//
// Notation: f loads at the ends, v flows there after a trial of one window, v = A f + b. Scaled by the root d of A's
// diagonal, so that forces and torques compare: v' = v / d, f' = f d, A' = A / (d d). U: the directions of v' that
// loads can change, the left singular vectors of A'. The ends move by y = d U z from where they stand, and springs load
// them by f(y); U^T (A' f'(y) + b') = 0 is solved for z by Newton's method. A trial with the loads that were found then
// shows what is left; it is taken into b, until nothing is.

#include "core/probed_rest.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/spatial.hpp"

namespace tieline::core {
namespace {

// An end moves at its start if it is faster than this [m/s], [rad/s].
constexpr double kStill = 1e-9;
// A direction that answers less than this share of the liveliest of its kind is held; one of several ends together that
// moves less than the second has no load of its own.
constexpr double kHeldShare = 1e-9;
constexpr double kNoWay = 1e-6;
// Flows after a trial are at rest below the first share of what loads do to them. Solvers of others are not exact:
// below the second they may stay.
constexpr double kAtRest = 1e-10;
constexpr double kNearRest = 1e-5;
constexpr int kMostCorrections = 12;
constexpr int kMostNewtonSteps = 60;
constexpr double kNewtonDone = 1e-15;
// Over this many windows it has to stay, but for a share of what it does without loads.
constexpr double kRestWindows = 16.0;
constexpr double kRestShare = 1e-3;

Error no_rest(std::string message) { return {.code = ErrorCode::bad_input, .message = std::move(message)}; }

std::span<Port> ports_of(const SpringEnd& end) {
  if (end.interface == nullptr) return {end.port, 1};
  return {&end.interface->axis(0), SpatialInterface::kPorts};
}

}  // namespace

void ProbedRest::gather(std::span<const SpringEnd> ends) {
  const bool is_new = ends_.size() != ends.size();
  ends_.resize(ends.size());
  freedoms_ = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    End& end = ends_[i];
    end.spring = ends[i];
    end.first = freedoms_;
    end.stands = first_place(ends[i]);
    if (is_new) end.place = end.stands;
    freedoms_ += ends[i].freedoms();
  }
}

Result<void> ProbedRest::check_motions() const {
  for (const End& end : ends_) {
    for (Port& port : ports_of(end.spring).first(static_cast<std::size_t>(end.spring.freedoms()))) {
      const double flow = port.outbox.empty() ? 0.0 : port.outbox.back().flow;
      if (std::abs(flow) <= kStill) continue;
      return no_rest(fmt::format("it starts in motion: '{}' moves with {:.4g} {}", port.name, flow,
                                 port.domain == Domain::rotation ? "rad/s" : "m/s"));
    }
  }
  return {};
}

std::string ProbedRest::name_of(const Eigen::VectorXd& scaled) const {
  Eigen::Index most = 0;
  scaled.cwiseAbs().maxCoeff(&most);
  for (const End& end : ends_) {
    if (most >= end.first && most < end.first + end.spring.freedoms())
      return ports_of(end.spring)[static_cast<std::size_t>(most - end.first)].name;
  }
  return component_.name();
}

Eigen::VectorXd ProbedRest::scaled(const Eigen::VectorXd& flows) const {
  return (scale_.array() > 0.0).select(flows.array() / scale_.array().max(1e-300), 0.0);
}

double ProbedRest::size_of_answers(const Eigen::VectorXd& loads) const {
  const Eigen::VectorXd most = own_.cwiseAbs() + answers_.cwiseAbs() * loads.cwiseAbs();
  return scaled(most).maxCoeff();
}

Result<void> ProbedRest::probe(TrialSteps& trials) {
  auto answers = trials.probe();
  if (!answers) return answers.error();
  answers_ = std::move(answers->by_loads);
  own_ = std::move(answers->own);
  find_ways();
  is_probed_ = true;
  return {};
}

void ProbedRest::find_ways() {
  scale_.setZero(freedoms_);
  std::array<double, 2> liveliest{};  // along, about
  const auto kind = [&](const End& end, Eigen::Index k) {
    return static_cast<std::size_t>(end.spring.interface != nullptr && k >= 3);
  };
  const auto each = [&](auto&& visit) {
    for (const End& end : ends_) {
      for (Eigen::Index k = 0; k < end.spring.freedoms(); ++k) visit(end.first + k, kind(end, k));
    }
  };
  each([&](Eigen::Index i, std::size_t of) { liveliest[of] = std::max(liveliest[of], answers_(i, i)); });
  each([&](Eigen::Index i, std::size_t of) {
    if (answers_(i, i) > kHeldShare * liveliest[of]) scale_[i] = std::sqrt(answers_(i, i));
  });
  Eigen::MatrixXd A(freedoms_, freedoms_);
  A.setZero();
  for (Eigen::Index i = 0; i < freedoms_; ++i) {
    if (scale_[i] > 0.0) A.col(i) = scaled(answers_.col(i)) / scale_[i];
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> parts(A, Eigen::ComputeThinU);
  const Eigen::VectorXd& sizes = parts.singularValues();
  const Eigen::Index count = (sizes.array() > kNoWay * std::max(sizes.maxCoeff(), 1e-300)).count();
  ways_ = parts.matrixU().leftCols(sizes.maxCoeff() > 0.0 ? count : 0);
  along_.setZero(ways_.cols());
}

void ProbedRest::move(const Eigen::VectorXd& along) {
  const Eigen::VectorXd moved = scale_.cwiseProduct(ways_ * along);
  for (End& end : ends_) {
    if (end.spring.interface == nullptr) {
      end.place.position = end.stands.position + moved[end.first];
      continue;
    }
    const Eigen::Quaterniond& own = end.stands.pose.orientation;
    end.place.pose.position = end.stands.pose.position + moved.segment<3>(end.first);
    end.place.pose.orientation =
        (rotation_by(own * Eigen::Vector3d(moved.segment<3>(end.first + 3))) * own).normalized();
  }
}

Eigen::VectorXd ProbedRest::loads() const {
  Eigen::VectorXd loads(freedoms_);
  for (const End& end : ends_) {
    const SpringEnd& spring = end.spring;
    const double sign = spring.is_to ? 1.0 : -1.0;
    if (spring.interface == nullptr) {
      const double stretch = sign * (end.place.position - spring.partner.position);
      loads[end.first] = sign * (spring.preload - spring.stiffness * stretch);
      continue;
    }
    const SpringWrench wrench = spring.is_to ? spring_wrench(spring, spring.partner.pose, end.place.pose)
                                             : spring_wrench(spring, end.place.pose, spring.partner.pose);
    loads.segment<3>(end.first) = sign * wrench.force;
    // As long as it knows no partner, an interface counts torques in its own axes.
    loads.segment<3>(end.first + 3) = sign * (end.stands.pose.orientation.conjugate() * (wrench.frame * wrench.torque));
  }
  return loads;
}

/// In the axes of the freedoms.
Eigen::MatrixXd ProbedRest::stiffness() const {
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(freedoms_, freedoms_);
  for (const End& end : ends_) {
    const SpringEnd& spring = end.spring;
    if (spring.interface == nullptr) {
      K(end.first, end.first) = spring.stiffness;
      continue;
    }
    K.block<3, 3>(end.first, end.first) = spring.stiffness * Eigen::Matrix3d::Identity();
    const Eigen::Matrix3d carried =
        end.stands.pose.orientation.conjugate().toRotationMatrix() * carried_axes(spring, end.place.pose);
    K.block<3, 3>(end.first + 3, end.first + 3) = spring.stiffness_rotation * carried * carried.transpose();
  }
  return K;
}

/// Newton's method on how far the ends are moved.
Result<void> ProbedRest::balance() {
  const Eigen::VectorXd b = scaled(own_);
  double before = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kMostNewtonSteps && ways_.cols() > 0; ++step) {
    move(along_);
    const Eigen::VectorXd f = loads();
    const double size = size_of_answers(f);
    const Eigen::VectorXd rest = ways_.transpose() * (scaled(answers_ * f) + b);
    const double off = rest.cwiseAbs().maxCoeff();
    // Rounding, or what no spring holds: the trial tells.
    if (off <= kNewtonDone * size || (off <= kAtRest * size && off > 0.5 * before)) break;
    before = off;
    Eigen::MatrixXd slope(freedoms_, ways_.cols());
    const Eigen::MatrixXd by_ways = answers_ * (stiffness() * (scale_.asDiagonal() * ways_));
    for (Eigen::Index j = 0; j < ways_.cols(); ++j) slope.col(j) = scaled(by_ways.col(j));
    along_ += (ways_.transpose() * slope).completeOrthogonalDecomposition().solve(rest);
    if (!along_.allFinite()) return no_rest("the loads at its interfaces have no balance near its start");
  }
  move(along_);
  return {};
}

/// With the loads that keep its ends where they are it must stay, with all that is inside.
Result<void> ProbedRest::check_rest(TrialSteps& trials) {
  is_checked_ = true;
  const double windows = std::min(kRestWindows, std::floor((stop_ - t0_) / window_ * (1.0 + 1e-9)));
  if (windows < 2.0) return {};
  const auto flows = trials.run(loads(), windows);
  if (!flows) return flows.error();
  const double most = kRestShare * windows * size_of_answers(loads());
  const Eigen::VectorXd moved = scaled(*flows);
  if (moved.size() == 0 || moved.cwiseAbs().maxCoeff() <= most) return {};
  return no_rest(fmt::format(
      "the loads that hold its interfaces do not keep it at rest: after {:.4g} s '{}' moves, since what is inside it "
      "has not settled; expected a component that starts at rest under the loads at its interfaces",
      windows * window_, name_of(moved)));
}

Result<void> ProbedRest::settle(double t0, std::span<const SpringEnd> ends) {
  t0_ = t0;
  const Capabilities can = component_.capabilities();
  if (!can.can_snapshot) {
    return no_rest(
        fmt::format("it cannot start in equilibrium, since trials cannot be taken back: {}", can.snapshot_obstacle));
  }
  gather(ends);
  if (freedoms_ == 0) return {};
  if (auto still = check_motions(); !still) return still;
  std::vector<Port*> ports;
  for (const End& end : ends_) {
    for (Port& port : ports_of(end.spring).first(static_cast<std::size_t>(end.spring.freedoms())))
      ports.push_back(&port);
  }
  TrialSteps trials(component_, mute_, {t0_, window_}, std::move(ports));
  if (auto begun = trials.begin(); !begun) return begun;
  if (!is_probed_) {
    if (auto probed = probe(trials); !probed) return probed;
  }
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostCorrections; ++round) {
    if (auto balanced = balance(); !balanced) return balanced;
    const Eigen::VectorXd f = loads();
    const auto flows = trials.run(f);
    if (!flows) return flows.error();
    const Eigen::VectorXd left = scaled(*flows);
    const double size = size_of_answers(f), off = left.cwiseAbs().maxCoeff();
    if (off <= kAtRest * size || (off <= kNearRest * size && off > 0.5 * before)) {
      return is_checked_ ? Result<void>{} : check_rest(trials);
    }
    if (off > 0.5 * before) {
      return no_rest(fmt::format(
          "no loads at its interfaces keep it where it starts: '{}' moves whatever acts there; expected lines that "
          "hold it, and a component that forces at its interfaces can keep at rest",
          name_of(left)));
    }
    before = off;
    own_ = *flows - answers_ * f;
  }
  return no_rest("the loads that keep it where it starts were not found by trials");
}

const ProbedRest::End& ProbedRest::end_of(const SpringEnd& spring) const {
  return *std::find_if(ends_.begin(), ends_.end(), [&](const End& end) {
    return end.spring.interface == spring.interface && end.spring.port == spring.port;
  });
}

EndPlace ProbedRest::place(const SpringEnd& end) const { return end_of(end).place; }
EndPlace ProbedRest::stands(const SpringEnd& end) const { return end_of(end).stands; }

void ProbedRest::response(Eigen::MatrixXd& by_partners) {
  by_partners.setZero(freedoms_, freedoms_);
  if (ways_.cols() == 0) return;
  // Own axes to the world's, in which partners move.
  Eigen::MatrixXd to_world = Eigen::MatrixXd::Identity(freedoms_, freedoms_);
  for (const End& end : ends_) {
    if (end.spring.interface == nullptr) continue;
    to_world.block<3, 3>(end.first + 3, end.first + 3) = end.stands.pose.orientation.toRotationMatrix();
  }
  const Eigen::MatrixXd K = stiffness();
  const Eigen::MatrixXd by_own = answers_ * K * (scale_.asDiagonal() * ways_);
  const Eigen::MatrixXd by_other = answers_ * K * to_world.transpose();
  Eigen::MatrixXd slope(freedoms_, by_own.cols()), given(freedoms_, freedoms_);
  for (Eigen::Index j = 0; j < by_own.cols(); ++j) slope.col(j) = scaled(by_own.col(j));
  for (Eigen::Index j = 0; j < freedoms_; ++j) given.col(j) = scaled(by_other.col(j));
  const Eigen::MatrixXd along =
      (ways_.transpose() * slope).completeOrthogonalDecomposition().solve(Eigen::MatrixXd(ways_.transpose() * given));
  by_partners = to_world * (scale_.asDiagonal() * (ways_ * along));
}

}  // namespace tieline::core
