#include "components/multibody/constraints.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tieline::components {

using Eigen::Vector3d;

Constraints::Constraints(const std::vector<JointSpec>& joints, std::span<const BodyInertia> inertias,
                         const Kinematics& kinematics)
    : joints_(joints), inertias_(inertias) {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const JointSpec& joint = joints_[j];
    drive_of_joint_.push_back(joint.drive ? static_cast<int>(drives_.size()) : -1);
    if (joint.drive) drives_.emplace_back(*joint.drive);
    const std::size_t count = JointRows::count(joint.kind) + (joint.drive ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) {
      rows_.emplace_back();
      Row& row = rows_.back();
      row.joint = static_cast<int>(j);
      row.index = i;
      row.body = {kinematics.body_of(joint.from), kinematics.body_of(joint.to)};
      for (std::size_t side = 0; side < 2; ++side) {
        const int body = row.body[side];
        if (body == kWorld) continue;
        row.jacobian[side] = row.weighted[side] = BodyVector(kinematics.modes(static_cast<std::size_t>(body)));
      }
    }
  }
  wanted_.assign(drives_.size(), {});
}

void Constraints::fill(Row& row, const JointRow& of_joint, const Kinematics& kinematics) const {
  const JointSpec& joint = joints_[static_cast<std::size_t>(row.joint)];
  const FrameMotion& from = kinematics.frame(joint.from);
  const FrameMotion& to = kinematics.frame(joint.to);
  const Vector3d d = to.x - from.x;
  row.value = of_joint.value;
  row.rate = of_joint.rate;
  row.n = of_joint.n;
  row.m = of_joint.m;
  row.gamma = -(of_joint.bias + row.n.dot(to.a0 - from.a0 - from.alpha0.cross(d)) + row.m.dot(to.alpha0 - from.alpha0));
  for (std::size_t side = 0; side < 2; ++side) {
    if (row.body[side] == kWorld) continue;
    const BodyMotion& body = kinematics.body(row.body[side]);
    const FrameMotion& at = side == 0 ? from : to;
    // The multiplier acts at the origin of `to` on both.
    const Vector3d force = side == 0 ? Vector3d(-row.n) : row.n;
    const Vector3d torque = side == 0 ? Vector3d(-row.m - d.cross(row.n)) : row.m;
    BodyVector& jacobian = row.jacobian[side];
    jacobian.rigid << force, body.A.transpose() * (at.arm.cross(force) + torque);
    if (jacobian.modal.size() > 0) {
      jacobian.modal.noalias() = at.by_deformation.transpose() * (body.A.transpose() * force);
      jacobian.modal.noalias() += at.turn_by_deformation.transpose() * (body.A.transpose() * torque);
    }
  }
}

void Constraints::analyse() {
  entries_.clear();
  std::vector<std::pair<int, int>> pattern;
  std::vector<std::vector<std::pair<int, std::size_t>>> of_body(inertias_.size());  // rows and their sides
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (rows_[i].body[side] == kWorld) continue;
      auto& meeting = of_body[static_cast<std::size_t>(rows_[i].body[side])];
      meeting.emplace_back(static_cast<int>(i), side);
    }
  }
  for (const auto& meeting : of_body) {
    for (std::size_t a = 0; a < meeting.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        entries_.push_back({meeting[a].first, meeting[b].first, meeting[a].second, meeting[b].second, 0});
        pattern.emplace_back(meeting[a].first, meeting[b].first);
      }
    }
  }
  schur_.analyse(size(), pattern);
  for (Entry& entry : entries_) entry.slot = schur_.slot(entry.row, entry.column);
  unknowns_.assign(rows_.size(), 0.0);
  first_row_.assign(joints_.size() + 1, 0);
  for (const Row& row : rows_) ++first_row_[static_cast<std::size_t>(row.joint) + 1];
  for (std::size_t j = 0; j < joints_.size(); ++j) first_row_[j + 1] += first_row_[j];
}

void Constraints::evaluate(const Kinematics& kinematics, double t, wave::Side side, std::span<const double> inputs,
                           std::span<const double> input_rates) {
  for (std::size_t d = 0; d < drives_.size(); ++d) {
    const TimeSignal& f = drives_[d];
    wanted_[d] = {f.value(t, inputs), f.rate(t, side, inputs, input_rates), f.curvature(t, side, inputs, input_rates)};
  }
  int current = -1;
  for (Row& row : rows_) {
    if (row.joint != current) evaluate_joint(static_cast<std::size_t>(current = row.joint), kinematics);
    fill(row, joint_rows_.rows()[row.index], kinematics);
    for (std::size_t k = 0; k < 2; ++k) {
      if (row.body[k] == kWorld) continue;
      inertias_[static_cast<std::size_t>(row.body[k])].accelerate(row.jacobian[k], row.weighted[k]);
    }
  }
  if (schur_.size() != size() || entries_.empty()) analyse();
  schur_.clear();
  for (const Entry& entry : entries_) {
    const Row& a = rows_[static_cast<std::size_t>(entry.row)];
    const Row& b = rows_[static_cast<std::size_t>(entry.column)];
    schur_.add_at(entry.slot, a.jacobian[entry.row_side].dot(b.weighted[entry.column_side]));
  }
  schur_.factorise();
}

void Constraints::evaluate_joint(std::size_t joint, const Kinematics& kinematics) const {
  const JointSpec& spec = joints_[joint];
  const FrameMotion& from = kinematics.frame(spec.from);
  const FrameMotion& to = kinematics.frame(spec.to);
  joint_rows_.evaluate(spec.kind, from, to);
  if (const int drive = drive_of_joint_[joint]; drive >= 0) {
    joint_rows_.drive(spec.drives_distance, from, to, wanted_[static_cast<std::size_t>(drive)]);
  }
}

void Constraints::probe(std::size_t joint, const Kinematics& kinematics, std::span<const BodyVector> accelerations,
                        std::span<BodyVector> efforts, std::span<double> defects) {
  evaluate_joint(joint, kinematics);
  for (std::size_t i = first_row_[joint]; i < first_row_[joint + 1]; ++i) {
    Row& row = probed_;
    row = rows_[i];
    fill(row, joint_rows_.rows()[row.index], kinematics);
    defects[i] = row.gamma;
    for (std::size_t side = 0; side < 2; ++side) {
      if (row.body[side] == kWorld) continue;
      const auto body = static_cast<std::size_t>(row.body[side]);
      efforts[body].add(row.multiplier, row.jacobian[side]);
      defects[i] -= row.jacobian[side].dot(accelerations[body]);
    }
  }
}

void Constraints::hold(std::span<BodyVector> efforts) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    unknowns_[i] = rows_[i].gamma;
    for (std::size_t side = 0; side < 2; ++side) {
      if (rows_[i].body[side] == kWorld) continue;
      unknowns_[i] -= rows_[i].weighted[side].dot(efforts[static_cast<std::size_t>(rows_[i].body[side])]);
    }
  }
  schur_.solve(unknowns_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].multiplier = unknowns_[i];
    for (std::size_t side = 0; side < 2; ++side) {
      if (rows_[i].body[side] == kWorld) continue;
      efforts[static_cast<std::size_t>(rows_[i].body[side])].add(unknowns_[i], rows_[i].jacobian[side]);
    }
  }
}

std::vector<std::string> Constraints::leave_out_dependent() {
  std::vector<std::string> left_out;
  std::vector<Row> kept;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!schur_.is_dependent(static_cast<int>(i))) {
      kept.push_back(rows_[i]);
      continue;
    }
    left_out_.push_back(rows_[i]);
    const JointSpec& joint = joints_[static_cast<std::size_t>(rows_[i].joint)];
    left_out.push_back(fmt::format("{} of joint '{}'", JointRows::describe(joint.kind, rows_[i].index), joint.name));
  }
  if (!left_out.empty()) {
    rows_ = std::move(kept);
    entries_.clear();
  }
  return left_out;
}

Constraints::Worst Constraints::worst_left_out(const Kinematics& kinematics) const {
  Worst result;
  for (const Row& row : left_out_) {
    evaluate_joint(static_cast<std::size_t>(row.joint), kinematics);
    const double value = std::abs(joint_rows_.rows()[row.index].value);
    if (!(value <= result.value)) result = {value, row.joint};
  }
  return result;
}

void Constraints::correct(double Row::*what, std::span<BodyVector> changes) {
  for (BodyVector& change : changes) change.set_zero();
  for (std::size_t i = 0; i < rows_.size(); ++i) unknowns_[i] = -(rows_[i].*what);
  schur_.solve(unknowns_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    for (std::size_t side = 0; side < 2; ++side) {
      if (row.body[side] != kWorld) {
        changes[static_cast<std::size_t>(row.body[side])].add(unknowns_[i], row.weighted[side]);
      }
    }
  }
}

Constraints::Worst Constraints::worst(double Row::*what) const {
  Worst result;
  for (const Row& row : rows_) {
    if (!(std::abs(row.*what) <= result.value)) result = {std::abs(row.*what), row.joint};
  }
  return result;
}

core::Wrench Constraints::reaction(std::size_t joint) const {
  core::Wrench wrench;
  for (std::size_t i = first_row_[joint]; i < first_row_[joint + 1]; ++i) {
    wrench.force += rows_[i].multiplier * rows_[i].n;
    wrench.torque += rows_[i].multiplier * rows_[i].m;
  }
  return wrench;
}

double Constraints::drive_power() const {
  double power = 0.0;
  for (const Row& row : rows_) {
    const JointSpec& joint = joints_[static_cast<std::size_t>(row.joint)];
    if (!joint.drive || row.index != JointRows::count(joint.kind)) continue;
    const int drive = drive_of_joint_[static_cast<std::size_t>(row.joint)];
    power += row.multiplier * wanted_[static_cast<std::size_t>(drive)].rate;
  }
  return power;
}

}  // namespace tieline::components
