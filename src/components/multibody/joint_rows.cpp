#include "components/multibody/joint_rows.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace tieline::components {

using Eigen::Vector3d;
using Kind = JointSpec::Kind;

namespace {

constexpr const char* kAlong[] = {"displacement along x", "displacement along y", "displacement along z"};
constexpr const char* kAbout[] = {"rotation about x", "rotation about y", "rotation about z"};

bool holds_z_displacement(Kind kind) { return kind != Kind::prismatic && kind != Kind::cylindrical; }
bool holds_tilt(Kind kind) { return kind != Kind::spherical && kind != Kind::universal; }
bool holds_angle(Kind kind) { return kind == Kind::fixed || kind == Kind::prismatic; }

JointRow displacement(const Vector3d& a, const FrameMotion& from, const FrameMotion& to) {
  const Vector3d d = to.x - from.x, d_rate = to.v - from.v, a_rate = from.omega.cross(a);
  JointRow row;
  row.value = a.dot(d);
  row.n = a;
  row.rate = a.dot(d_rate) + a_rate.dot(d);
  row.bias = from.omega.cross(a_rate).dot(d) + 2.0 * a_rate.dot(d_rate);
  return row;
}

}  // namespace

bool turns(Kind kind) { return kind == Kind::revolute || kind == Kind::cylindrical; }
bool slides(Kind kind) { return kind == Kind::prismatic || kind == Kind::cylindrical; }

void JointRows::hold_displacement(int axis, const FrameMotion& from, const FrameMotion& to) {
  append() = displacement(from.A.col(axis), from, to);
}

void JointRows::hold_right_angle(const Vector3d& a, const Vector3d& b, const FrameMotion& from, const FrameMotion& to) {
  JointRow& row = append();
  row.value = a.dot(b);
  row.m = b.cross(a);
  const Vector3d relative = to.omega - from.omega;
  row.rate = relative.dot(row.m);
  row.bias = relative.dot(to.omega.cross(b).cross(a) + b.cross(from.omega.cross(a)));
}

void JointRows::evaluate(Kind kind, const FrameMotion& from, const FrameMotion& to) {
  count_ = 0;
  hold_displacement(0, from, to);
  hold_displacement(1, from, to);
  if (holds_z_displacement(kind)) hold_displacement(2, from, to);
  if (holds_tilt(kind)) {
    // Rotations about x and y of `from`, in this order.
    hold_right_angle(from.A.col(1), to.A.col(2), from, to);
    hold_right_angle(from.A.col(0), to.A.col(2), from, to);
  }
  if (holds_angle(kind)) hold_right_angle(from.A.col(0), to.A.col(1), from, to);
  // Turning about z of `from` and then about x of `to`, z of `from` stays at right angles to x of `to`.
  if (kind == Kind::universal) hold_right_angle(from.A.col(2), to.A.col(0), from, to);
}

void JointRows::drive(bool is_along, const FrameMotion& from, const FrameMotion& to, const Wanted& wanted) {
  JointRow& row = append();
  row = is_along ? joint_distance(from, to) : joint_angle(from, to);
  row.value -= wanted.value;
  if (!is_along) row.value = std::remainder(row.value, 2.0 * std::numbers::pi);
  row.rate -= wanted.rate;
  row.bias -= wanted.curvature;
}

std::size_t JointRows::count(Kind kind) {
  std::size_t count = holds_z_displacement(kind) ? 3 : 2;
  if (holds_tilt(kind)) count += 2;
  if (holds_angle(kind)) count += 1;
  if (kind == Kind::universal) count += 1;
  return count;
}

const char* JointRows::describe(Kind kind, std::size_t row) {
  std::vector<const char*> words{kAlong[0], kAlong[1]};
  if (holds_z_displacement(kind)) words.push_back(kAlong[2]);
  if (holds_tilt(kind)) words.insert(words.end(), {kAbout[0], kAbout[1]});
  if (holds_angle(kind)) words.push_back(kAbout[2]);
  if (kind == Kind::universal) words.push_back(kAbout[1]);
  return row < words.size() ? words[row] : "driven coordinate";
}

JointRow joint_angle(const FrameMotion& from, const FrameMotion& to) {
  JointRow row;
  row.value = std::atan2(from.A.col(1).dot(to.A.col(0)), from.A.col(0).dot(to.A.col(0)));
  row.m = from.A.col(2);
  const Vector3d relative = to.omega - from.omega;
  row.rate = row.m.dot(relative);
  row.bias = relative.dot(from.omega.cross(row.m));
  return row;
}

JointRow joint_distance(const FrameMotion& from, const FrameMotion& to) {
  return displacement(from.A.col(2), from, to);
}

}  // namespace tieline::components
