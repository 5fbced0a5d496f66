// Where a structure stands at rest: K u = f, with springs in place of lines where an equilibrium of several components
// is looked for. Springs turn with their ends, so that a few rounds are needed where these turn.

#include <algorithm>
#include <fmt/format.h>

#include "components/structure/structure.hpp"

namespace tieline::components {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr int kMostRounds = 30;
// Places are found to this share of the largest displacement [1].
constexpr double kAtRest = 1e-14;
constexpr solvers::PencilFactors::Shares kStiffness{.stiffness = 1.0, .block = 1.0};

}  // namespace

core::Error Structure::floating(const std::string& motions) const {
  return {.code = core::ErrorCode::bad_input,
          .message = fmt::format("the structure is not supported and has no equilibrium: {} free; add a <Support>, or "
                                 "connect it by lines and let it start in equilibrium",
                                 motions.find(',') == motions.npos ? motions + " is" : motions + " are")};
}

/// Static structures: where all forces balance at the start. One that only the impedances of its lines hold starts as
/// it is placed.
core::Result<void> Structure::rest_at(double t0) {
  evaluate_forces(t0, wave::Side::right, newmark_.u(), newmark_.v());
  const std::string motions = elements_.free_motions();
  if (!motions.empty()) {
    const bool has_lines = std::any_of(ports_.begin(), ports_.end(), [](const core::Port& port) {
      return port.law.a != 0.0 && port.law.impedance > 0.0;
    });
    return has_lines ? core::Result<void>{} : core::Result<void>{floating(motions)};
  }
  newmark_.rest(force_);
  return {};
}

void Structure::put_springs(std::span<const core::SpringEnd> ends) {
  springs_.assign(ends.begin(), ends.end());
  for (End& end : ends_) {
    end.spring = nullptr;
    for (const core::SpringEnd& spring : springs_) {
      if (&end.interface == spring.interface) end.spring = &spring;
    }
  }
}

/// What a spring does to its end per displacement and rotation of it, in the component's axes.
solvers::Matrix6 Structure::spring_stiffness(const core::SpringEnd& spring, const End& end) const {
  const Matrix3d carried = R_.transpose() * core::carried_axes(spring, pose_of(end.node, newmark_.u()));
  solvers::Matrix6 K = solvers::Matrix6::Zero();
  K.topLeftCorner<3, 3>() = spring.stiffness * Matrix3d::Identity();
  K.bottomRightCorner<3, 3>() = spring.stiffness_rotation * carried * carried.transpose();
  return K;
}

Vector6 Structure::spring_effort(const End& end) const {
  const core::SpringEnd& spring = *end.spring;
  const core::Pose own = pose_of(end.node, newmark_.u());
  const core::Pose& other = spring.partner.pose;
  const core::SpringWrench wrench =
      spring.is_to ? core::spring_wrench(spring, other, own) : core::spring_wrench(spring, own, other);
  const double sign = spring.is_to ? 1.0 : -1.0;
  Vector6 effort;
  effort.head<3>() = sign * (R_.transpose() * wrench.force);
  effort.tail<3>() = sign * (R_.transpose() * (wrench.frame * wrench.torque));
  return effort;
}

core::Result<void> Structure::settle(double t0, std::span<const core::SpringEnd> ends) {
  put_springs(ends);
  std::vector<FiniteElements::Hold> holds;
  for (const End& end : ends_) {
    if (end.spring == nullptr) continue;
    const solvers::Matrix6 K = spring_stiffness(*end.spring, end);
    for (Eigen::Index i = 0; i < 6; ++i) {
      if (const double size = K.col(i).norm(); size > 0.0) holds.push_back({end.node, K.col(i) / size});
    }
  }
  if (const std::string motions = elements_.free_motions(holds); !motions.empty()) return floating(motions);
  for (TimeSignal& function : functions_) function.update(t0, {});
  VectorXd u = rest_.value_or(VectorXd::Zero(elements_.size())), change(u.size());
  const VectorXd none = VectorXd::Zero(u.size());
  // Nodes that are led stand where they start.
  take_given(t0, wave::Side::right);
  u.tail(elements_.led_size()) = newmark_.held().u;
  for (int round = 0; round < kMostRounds; ++round) {
    newmark_.place(u, none);
    change = elements_.weight() - elements_.stiffness() * u;
    for (Load& load : loads_) {
      for (std::size_t i = 0; i < 6; ++i) {
        load.acting[static_cast<Eigen::Index>(i)] = functions_[load.functions + i].value(t0, {});
      }
      elements_.add_to(load.node, load.acting, change);
    }
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const bool is_held = ends_[i].spring != nullptr;
      newmark_.set_impedance(i, is_held ? spring_stiffness(*ends_[i].spring, ends_[i]) : solvers::Matrix6::Zero());
      if (is_held) elements_.add_to(ends_[i].node, spring_effort(ends_[i]), change);
    }
    change.tail(elements_.led_size()).setZero();
    newmark_.factors().get(kStiffness).solve({change.data(), static_cast<std::size_t>(change.size())});
    u += change;
    if (!u.allFinite()) break;
    const double largest = u.size() > 0 ? u.cwiseAbs().maxCoeff() : 0.0;
    if (u.size() == 0 || change.cwiseAbs().maxCoeff() <= kAtRest * largest || round + 1 == kMostRounds) {
      newmark_.place(u, none);
      rest_ = std::move(u);
      return {};
    }
  }
  return core::Error{.code = core::ErrorCode::bad_input,
                     .message = "no equilibrium found: the displacements are not finite"};
}

core::EndPlace Structure::place(const core::SpringEnd& end) const {
  core::EndPlace result;
  for (const End& own : ends_) {
    if (&own.interface == end.interface && rest_) result.pose = pose_of(own.node, *rest_);
  }
  return result;
}

void Structure::response(Eigen::MatrixXd& by_partners) {
  const auto count = static_cast<Eigen::Index>(6 * springs_.size());
  by_partners.setZero(count, count);
  // The springs' stiffness is in the factors as `settle` left it.
  Eigen::Index column = 0;
  const auto end_of = [&](const core::SpringEnd& spring) {
    return std::find_if(ends_.begin(), ends_.end(), [&](const End& end) { return &end.interface == spring.interface; });
  };
  VectorXd moves(elements_.size());
  for (const core::SpringEnd& pulled : springs_) {
    const auto own = end_of(pulled);
    const solvers::Matrix6 K = spring_stiffness(pulled, *own);
    for (Eigen::Index k = 0; k < 6; ++k, ++column) {
      Vector6 unit = Vector6::Zero();
      (k < 3 ? unit.head<3>() : unit.tail<3>()) = R_.row(k % 3).transpose();
      moves.setZero();
      elements_.add_to(own->node, K * unit, moves);
      moves.tail(elements_.led_size()).setZero();
      newmark_.factors().get(kStiffness).solve({moves.data(), static_cast<std::size_t>(moves.size())});
      Eigen::Index row = 0;
      for (const core::SpringEnd& moved_end : springs_) {
        const Vector6 moved = elements_.at(end_of(moved_end)->node, moves);
        by_partners.block<3, 1>(row, column) = R_ * moved.head<3>();
        by_partners.block<3, 1>(row + 3, column) = R_ * moved.tail<3>();
        row += 6;
      }
    }
  }
}

}  // namespace tieline::components
