#include "components/multibody/loops.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace tieline::components {

using Eigen::Vector3d;

namespace {

// A condition in whose direction the trees give way by less than this share of what the bodies alone would is held by
// the trees: the rest is rounding, which counts squared.
constexpr double kHeldByTrees = 1e-22;

}  // namespace

LoopConditions::LoopConditions(const MultibodySpec& spec, const Tree& tree)
    : joints_(spec.joints), freedoms_(tree.freedoms), is_cut_(spec.joints.size(), false) {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    drive_of_joint_.push_back(joints_[j].drive ? static_cast<int>(drives_.size()) : -1);
    if (joints_[j].drive) drives_.emplace_back(*joints_[j].drive);
    is_cut_[j] = tree.link_of_joint[j] < 0;
    if (is_cut_[j] || joints_[j].drive) add_rows(spec, tree, j);
  }
  wanted_.assign(drives_.size(), {});
  work_.assign(tree.bases.size() + tree.links.size(), {});
}

void LoopConditions::add_rows(const MultibodySpec& spec, const Tree& tree, std::size_t j) {
  const JointSpec& joint = joints_[j];
  const int bases = static_cast<int>(tree.bases.size());
  const auto place = [&](int frame) { return tree.place_of_body(spec.frames[static_cast<std::size_t>(frame)].body); };
  Row row{.joint = static_cast<int>(j), .from = place(joint.from), .to = place(joint.to), .path = paths_.size()};
  std::vector<int> ends{row.from, row.to};
  if (!is_cut_[j]) {
    const auto carried = static_cast<std::size_t>(tree.link_of_joint[j]);
    const TreeLink& link = tree.links[carried];
    const std::size_t which = joint.drives_distance && turns(joint.kind) ? 1 : 0;
    row.index = JointRows::count(joint.kind);
    row.freedom = static_cast<int>(link.first_freedom + which);
    row.position = link.first_state + which;
    row.velocity = link.first_rate + which;
    ends = {tree.place_of(static_cast<int>(carried))};
  }
  Path path;
  for (int end : ends) {
    for (; end >= bases; end = tree.links[static_cast<std::size_t>(end - bases)].parent) path.links.push_back(end);
  }
  std::sort(path.links.rbegin(), path.links.rend());
  path.links.erase(std::unique(path.links.begin(), path.links.end()), path.links.end());
  for (const int link : path.links) {
    const TreeLink& of = tree.links[static_cast<std::size_t>(link - bases)];
    for (std::size_t k = 0; k < of.freedoms; ++k) path.freedoms.push_back(of.first_freedom + k);
  }
  const int unit = path.links.empty() ? -1 : tree.links[static_cast<std::size_t>(path.links[0] - bases)].unit;
  paths_.push_back(std::move(path));
  const std::size_t count = is_cut_[j] ? JointRows::count(joint.kind) + (joint.drive ? 1 : 0) : 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_cut_[j]) row.index = i;
    rows_.push_back(row);
    unit_of_row_.push_back(unit);
  }
}

void LoopConditions::analyse(const Tree&) {
  entries_.clear();
  std::vector<std::pair<int, int>> pattern;
  for (std::size_t a = 0; a < rows_.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (a != b && unit_of_row_[a] != unit_of_row_[b]) continue;
      entries_.push_back({a, b, 0});
      pattern.emplace_back(static_cast<int>(a), static_cast<int>(b));
    }
  }
  matrix_.analyse(static_cast<int>(rows_.size()), pattern);
  for (Entry& entry : entries_) entry.slot = matrix_.slot(static_cast<int>(entry.a), static_cast<int>(entry.b));
  z_.assign(rows_.size() * freedoms_, 0.0);
  unknowns_.assign(rows_.size(), 0.0);
  floors_.assign(rows_.size(), 0.0);
  is_analysed_ = true;
}

void LoopConditions::evaluate_joint(std::size_t joint, const Kinematics& kinematics) {
  const JointSpec& spec = joints_[joint];
  const FrameMotion& from = kinematics.frame(spec.from);
  const FrameMotion& to = kinematics.frame(spec.to);
  joint_rows_.evaluate(spec.kind, from, to);
  if (const int drive = drive_of_joint_[joint]; drive >= 0) {
    joint_rows_.drive(spec.drives_distance, from, to, wanted_[static_cast<std::size_t>(drive)]);
  }
}

void LoopConditions::fill(Row& row, const Kinematics& kinematics, std::span<const double> y) {
  if (row.freedom >= 0) {
    const JointSpec& joint = joints_[static_cast<std::size_t>(row.joint)];
    const Wanted& wanted = wanted_[static_cast<std::size_t>(drive_of_joint_[static_cast<std::size_t>(row.joint)])];
    row.value = y[row.position] - wanted.value;
    if (!joint.drives_distance) row.value = std::remainder(row.value, 2.0 * std::numbers::pi);
    row.rate = y[row.velocity] - wanted.rate;
    row.bias = -wanted.curvature;
    return;
  }
  const JointRow& of_joint = joint_rows_.rows()[row.index];
  row.value = of_joint.value, row.rate = of_joint.rate, row.bias = of_joint.bias;
  row.n = of_joint.n, row.m = of_joint.m;
  row.at = kinematics.frame(joints_[static_cast<std::size_t>(row.joint)].to).x;
}

void LoopConditions::evaluate(const Moment& now, std::span<const double> y, const Kinematics& kinematics,
                              const ArticulatedTree& tree) {
  for (std::size_t d = 0; d < drives_.size(); ++d) {
    const TimeSignal& f = drives_[d];
    wanted_[d] = {f.value(now.t, now.inputs), f.rate(now.t, now.side, now.inputs, now.input_rates),
                  f.curvature(now.t, now.side, now.inputs, now.input_rates)};
  }
  if (!is_analysed_) analyse(tree.tree());
  for (std::vector<Row>* rows : {&rows_, &left_out_}) {
    int current = -1;
    for (Row& row : *rows) {
      if (row.freedom < 0 && row.joint != current) {
        evaluate_joint(static_cast<std::size_t>(current = row.joint), kinematics);
      }
      fill(row, kinematics, y);
    }
  }
  assemble(tree);
}

void LoopConditions::assemble(const ArticulatedTree& tree) {
  const auto bases = tree.tree().bases.size();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    floors_[i] = 0.0;
    if (row.freedom < 0) {
      for (const auto& [place, sign] : {std::pair{row.from, 1.0}, std::pair{row.to, -1.0}}) {
        const auto at = static_cast<std::size_t>(place);
        if (at < bases) continue;
        const Vector3d torque = row.m + (row.at - tree.motion(place).x).cross(row.n);
        work_[at].turn += sign * torque;
        work_[at].move += sign * row.n;
        const TreeLink& link = tree.tree().links[at - bases];
        floors_[i] += kHeldByTrees * (row.n.squaredNorm() / link.mass + torque.squaredNorm() / link.inertia.trace());
      }
    }
    tree.gather_along(paths_[row.path].links, work_, row.freedom, drives_of(i));
  }
  matrix_.clear();
  for (const Entry& entry : entries_) {
    const auto& first = paths_[rows_[entry.a].path].freedoms;
    const auto& second = paths_[rows_[entry.b].path].freedoms;
    const std::span<const double> za = drives_of(entry.a), zb = drives_of(entry.b);
    double sum = 0.0;
    for (const std::size_t k : first.size() <= second.size() ? first : second) {
      sum += za[k] * zb[k] * tree.freedom(k).inverse;
    }
    matrix_.add_at(entry.slot, sum);
  }
  matrix_.factorise(floors_);
}

std::vector<std::string> LoopConditions::leave_out_dependent() {
  std::vector<std::string> result;
  std::vector<Row> kept;
  std::vector<int> units;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!matrix_.is_dependent(static_cast<int>(i))) {
      kept.push_back(rows_[i]);
      units.push_back(unit_of_row_[i]);
      continue;
    }
    left_out_.push_back(rows_[i]);
    const JointSpec& joint = joints_[static_cast<std::size_t>(rows_[i].joint)];
    result.push_back(fmt::format("{} of joint '{}'", JointRows::describe(joint.kind, rows_[i].index), joint.name));
  }
  if (!result.empty()) {
    rows_ = std::move(kept);
    unit_of_row_ = std::move(units);
    is_analysed_ = false;
  }
  return result;
}

LoopConditions::Worst LoopConditions::worst_value() const {
  Worst result;
  for (const Row& row : rows_) {
    if (!(std::abs(row.value) <= result.value)) result = {std::abs(row.value), row.joint};
  }
  return result;
}

LoopConditions::Worst LoopConditions::worst_left_out() const {
  Worst result;
  for (const Row& row : left_out_) {
    if (!(std::abs(row.value) <= result.value)) result = {std::abs(row.value), row.joint};
  }
  return result;
}

void LoopConditions::solve_and_drive(ArticulatedTree& tree) {
  matrix_.solve(unknowns_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::span<const double> z = drives_of(i);
    for (const std::size_t k : paths_[rows_[i].path].freedoms) tree.freedom(k).drive += unknowns_[i] * z[k];
  }
}

void LoopConditions::hold(ArticulatedTree& tree, const Kinematics& kinematics, bool with_motion) {
  const auto bases = static_cast<int>(tree.tree().bases.size());
  const auto acceleration = [&](int place, int frame) -> Spatial {
    if (place >= bases) {
      const auto& motion = tree.motion(place);
      const Vector3d& x = kinematics.frame(frame).x;
      if (with_motion) return {motion.acceleration.turn, tree.acceleration_at(place, x)};
      return {motion.acceleration.turn,
              motion.acceleration.move + motion.acceleration.turn.cross(Vector3d(x - motion.x))};
    }
    const FrameMotion& fixed = kinematics.frame(frame);
    return with_motion ? Spatial{fixed.alpha0, fixed.a0} : Spatial{};
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    unknowns_[i] = with_motion ? -row.bias : 0.0;
    if (row.freedom >= 0) {
      unknowns_[i] -= tree.freedom(static_cast<std::size_t>(row.freedom)).acceleration;
      continue;
    }
    const JointSpec& joint = joints_[static_cast<std::size_t>(row.joint)];
    const Spatial from = acceleration(row.from, joint.from), to = acceleration(row.to, joint.to);
    const Vector3d d = kinematics.frame(joint.to).x - kinematics.frame(joint.from).x;
    unknowns_[i] -= row.n.dot(to.move - from.move - from.turn.cross(d)) + row.m.dot(to.turn - from.turn);
  }
  solve_and_drive(tree);
  if (!with_motion) return;
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].multiplier = unknowns_[i];
}

void LoopConditions::correct(double Row::*what, ArticulatedTree& tree) {
  for (std::size_t k = 0; k < freedoms_; ++k) tree.freedom(k).drive = 0.0;
  for (std::size_t i = 0; i < rows_.size(); ++i) unknowns_[i] = -(rows_[i].*what);
  solve_and_drive(tree);
}

core::Wrench LoopConditions::reaction(std::size_t joint) const {
  core::Wrench result;
  for (const Row& row : rows_) {
    if (row.joint != static_cast<int>(joint) || row.freedom >= 0) continue;
    result.force += row.multiplier * row.n;
    result.torque += row.multiplier * row.m;
  }
  return result;
}

double LoopConditions::drive_power() const {
  double power = 0.0;
  for (const Row& row : rows_) {
    const auto joint = static_cast<std::size_t>(row.joint);
    if (!joints_[joint].drive || row.index != JointRows::count(joints_[joint].kind)) continue;
    power += row.multiplier * wanted_[static_cast<std::size_t>(drive_of_joint_[joint])].rate;
  }
  return power;
}

void LoopConditions::add_efforts(const ArticulatedTree& tree, std::span<Spatial> efforts) const {
  for (const Row& row : rows_) {
    if (row.freedom >= 0) continue;
    for (const auto& [place, sign] : {std::pair{row.from, -1.0}, std::pair{row.to, 1.0}}) {
      Spatial& effort = efforts[static_cast<std::size_t>(place)];
      effort.turn += sign * row.multiplier * (row.m + (row.at - tree.motion(place).x).cross(row.n));
      effort.move += sign * row.multiplier * row.n;
    }
  }
}

}  // namespace tieline::components
