#include <cmath>

#include "components/multibody/articulated.hpp"

namespace tieline::components {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Kind = JointSpec::Kind;

namespace {

/// The same inertia for accelerations at a point that lies d before.
void add_shifted(const SpatialInertia& inertia, const Vector3d& d, SpatialInertia& sum) {
  const Symmetric3& m = inertia.moving;
  const double x = d.x(), y = d.y(), z = d.z();
  // T = d x moving, by columns.
  const double t00 = y * m.xz - z * m.xy, t10 = z * m.xx - x * m.xz, t20 = x * m.xy - y * m.xx;
  const double t01 = y * m.yz - z * m.yy, t11 = z * m.xy - x * m.yz, t21 = x * m.yy - y * m.xy;
  const double t02 = y * m.zz - z * m.yz, t12 = z * m.xz - x * m.zz, t22 = x * m.yz - y * m.xz;
  const Matrix3d& h = inertia.mixed;
  // W = d x (mixed + T / 2)', and turning' = turning + W + W'.
  const double h00 = h(0, 0) + 0.5 * t00, h01 = h(0, 1) + 0.5 * t01, h02 = h(0, 2) + 0.5 * t02;
  const double h10 = h(1, 0) + 0.5 * t10, h11 = h(1, 1) + 0.5 * t11, h12 = h(1, 2) + 0.5 * t12;
  const double h20 = h(2, 0) + 0.5 * t20, h21 = h(2, 1) + 0.5 * t21, h22 = h(2, 2) + 0.5 * t22;
  Symmetric3& s = sum.turning;
  s.xx += inertia.turning.xx + 2.0 * (y * h02 - z * h01);
  s.xy += inertia.turning.xy + (y * h12 - z * h11) + (z * h00 - x * h02);
  s.xz += inertia.turning.xz + (y * h22 - z * h21) + (x * h01 - y * h00);
  s.yy += inertia.turning.yy + 2.0 * (z * h10 - x * h12);
  s.yz += inertia.turning.yz + (z * h20 - x * h22) + (x * h11 - y * h10);
  s.zz += inertia.turning.zz + 2.0 * (x * h21 - y * h20);
  Matrix3d& g = sum.mixed;
  g(0, 0) += h(0, 0) + t00, g(0, 1) += h(0, 1) + t01, g(0, 2) += h(0, 2) + t02;
  g(1, 0) += h(1, 0) + t10, g(1, 1) += h(1, 1) + t11, g(1, 2) += h(1, 2) + t12;
  g(2, 0) += h(2, 0) + t20, g(2, 1) += h(2, 1) + t21, g(2, 2) += h(2, 2) + t22;
  Symmetric3& n = sum.moving;
  n.xx += m.xx, n.xy += m.xy, n.xz += m.xz, n.yy += m.yy, n.yz += m.yz, n.zz += m.zz;
}

void add_shifted(const Spatial& effort, const Vector3d& d, Spatial& sum) {
  sum.turn += effort.turn + d.cross(effort.move);
  sum.move += effort.move;
}

Quaterniond quaternion_at(const double* p) { return Quaterniond(p[0], p[1], p[2], p[3]).normalized(); }

/// q times a rotation about z, or about x, by twice the angle of this sine and cosine.
Quaterniond turned_about_z(const Quaterniond& q, double c, double s) {
  return {q.w() * c - q.z() * s, q.x() * c + q.y() * s, q.y() * c - q.x() * s, q.z() * c + q.w() * s};
}
Quaterniond turned_about_x(const Quaterniond& q, double c, double s) {
  return {q.w() * c - q.x() * s, q.x() * c + q.w() * s, q.y() * c + q.z() * s, q.z() * c - q.y() * s};
}

}  // namespace

ArticulatedTree::ArticulatedTree(const Tree& tree)
    : tree_(tree),
      motions_(tree.bases.size() + tree.links.size()),
      inertias_(motions_.size()),
      efforts_(motions_.size()),
      freedoms_(tree.freedoms) {
  for (const TreeLink& link : tree.links) {
    for (std::size_t i = 0; i < link.freedoms; ++i) {
      Freedom& freedom = freedoms_[link.first_freedom + i];
      // Free bodies move first and then turn; cylindrical joints turn first.
      freedom.is_rotation =
          link.is_free() ? i >= 3 : link.kind != Kind::prismatic && !(link.kind == Kind::cylindrical && i == 1);
      if (link.is_free() || link.kind == Kind::spherical)
        freedom.axis = Vector3d::Unit(static_cast<Eigen::Index>(i % 3));
    }
  }
}

void ArticulatedTree::place(std::span<const double> y, const Kinematics& kinematics) {
  for (std::size_t i = 1; i < tree_.bases.size(); ++i) {
    const FrameMotion& frame = kinematics.frame(tree_.bases[i]);
    Motion& base = motions_[i];
    base.q = frame.q, base.A = frame.A, base.x = frame.x, base.v = frame.v, base.omega = frame.omega;
    base.acceleration = {frame.alpha0, frame.a0};
  }
  std::size_t at = tree_.bases.size();
  for (const TreeLink& link : tree_.links) place_link(link, motions_[at++], y);
}

void ArticulatedTree::place_link(const TreeLink& link, Motion& motion, std::span<const double> y) {
  const double* p = y.data() + link.first_state;
  const double* rate = y.data() + link.first_rate;
  Freedom* freedom = freedoms_.data() + link.first_freedom;
  if (link.is_free()) {
    motion.q = quaternion_at(p + 3);
    motion.A = motion.q.toRotationMatrix();
    motion.x = motion.d = Eigen::Map<const Vector3d>(p);
    motion.v = Eigen::Map<const Vector3d>(rate);
    motion.omega = motion.A * Eigen::Map<const Vector3d>(rate + 3);
    motion.bias = {};
    return;
  }
  const Motion& parent = motions_[static_cast<std::size_t>(link.parent)];
  const Vector3d& w = parent.omega;
  motion.d = parent.A * link.near.position;
  switch (link.kind) {
    case Kind::fixed:
    case Kind::prismatic:
      motion.q = parent.q * link.near.orientation;
      break;
    case Kind::revolute:
    case Kind::cylindrical: {
      const double half = 0.5 * link.sign * p[0];
      motion.q = parent.q * turned_about_z(link.near.orientation, std::cos(half), std::sin(half));
      break;
    }
    case Kind::universal: {
      const double a = 0.5 * link.sign * p[0], b = 0.5 * link.sign * p[1];
      const Quaterniond& near = link.near.orientation;
      const double ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b);
      motion.q = parent.q * (link.sign > 0.0 ? turned_about_x(turned_about_z(near, ca, sa), cb, sb)
                                             : turned_about_z(turned_about_x(near, cb, sb), ca, sa));
      break;
    }
    case Kind::spherical:
      motion.q = parent.q * (link.near.orientation * quaternion_at(p));
      break;
  }
  motion.A = motion.q.toRotationMatrix();
  motion.omega = w;
  motion.bias.turn.setZero();
  Vector3d sliding = Vector3d::Zero();
  switch (link.kind) {
    case Kind::fixed:
      break;
    case Kind::revolute:
    case Kind::cylindrical: {
      freedom[0].axis = link.sign * motion.A.col(2);
      const Vector3d turning = freedom[0].axis * rate[0];
      motion.omega += turning;
      motion.bias.turn = w.cross(turning);
      if (link.kind == Kind::revolute) break;
      freedom[1].axis = freedom[0].axis;
      motion.d += p[1] * freedom[1].axis;
      sliding = rate[1] * freedom[1].axis;
      break;
    }
    case Kind::prismatic:
      freedom[0].axis = link.sign * motion.A.col(2);
      motion.d += p[0] * freedom[0].axis;
      sliding = rate[0] * freedom[0].axis;
      break;
    case Kind::universal: {
      // z of `from` and x of `to`, each fixed on its own body.
      const bool is_to = link.sign > 0.0;
      const Vector3d z = is_to ? Vector3d(std::sin(p[1]) * motion.A.col(1) + std::cos(p[1]) * motion.A.col(2))
                               : Vector3d(motion.A.col(2));
      const Vector3d x = is_to ? Vector3d(motion.A.col(0))
                               : Vector3d(std::cos(p[0]) * motion.A.col(0) + std::sin(p[0]) * motion.A.col(1));
      freedom[0].axis = link.sign * z;
      freedom[1].axis = link.sign * x;
      const Vector3d about_z = rate[0] * freedom[0].axis, about_x = rate[1] * freedom[1].axis;
      motion.omega += about_z + about_x;
      motion.bias.turn = (is_to ? w : motion.omega).cross(about_z) + (is_to ? motion.omega : w).cross(about_x);
      break;
    }
    case Kind::spherical: {
      const Vector3d turning = motion.A * Eigen::Map<const Vector3d>(rate);
      motion.omega += turning;
      motion.bias.turn = w.cross(turning);
      break;
    }
  }
  motion.x = parent.x + motion.d;
  const Vector3d carried = w.cross(motion.d);
  motion.v = parent.v + carried + sliding;
  motion.bias.move = w.cross(Vector3d(carried + 2.0 * sliding));
}

void ArticulatedTree::weigh(const TreeLink& link, const Motion& motion, const Vector3d& gravity,
                            SpatialInertia& inertia, Spatial& effort) {
  const Matrix3d& A = motion.A;
  const Vector3d& w = motion.omega;
  const Matrix3d B = A * link.inertia;
  Symmetric3& turning = inertia.turning;
  turning.xx = B(0, 0) * A(0, 0) + B(0, 1) * A(0, 1) + B(0, 2) * A(0, 2);
  turning.xy = B(0, 0) * A(1, 0) + B(0, 1) * A(1, 1) + B(0, 2) * A(1, 2);
  turning.xz = B(0, 0) * A(2, 0) + B(0, 1) * A(2, 1) + B(0, 2) * A(2, 2);
  turning.yy = B(1, 0) * A(1, 0) + B(1, 1) * A(1, 1) + B(1, 2) * A(1, 2);
  turning.yz = B(1, 0) * A(2, 0) + B(1, 1) * A(2, 1) + B(1, 2) * A(2, 2);
  turning.zz = B(2, 0) * A(2, 0) + B(2, 1) * A(2, 1) + B(2, 2) * A(2, 2);
  const Vector3d moment = A * (link.mass * link.center);
  inertia.mixed << 0.0, -moment.z(), moment.y(), moment.z(), 0.0, -moment.x(), -moment.y(), moment.x(), 0.0;
  inertia.moving = {link.mass, 0.0, 0.0, link.mass, 0.0, link.mass};
  effort.turn = w.cross(turning * w) - moment.cross(gravity);
  effort.move = w.cross(Vector3d(w.cross(moment))) - link.mass * gravity;
}

void ArticulatedTree::articulate(const Vector3d& gravity) {
  const std::size_t bases = tree_.bases.size();
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    weigh(tree_.links[i], motions_[bases + i], gravity, inertias_[bases + i], efforts_[bases + i]);
  }
  for (std::size_t i = tree_.links.size(); i-- > 0;) {
    const TreeLink& link = tree_.links[i];
    SpatialInertia& inertia = inertias_[bases + i];
    reduce(link, inertia);
    const auto parent = static_cast<std::size_t>(link.parent);
    if (parent >= bases) add_shifted(inertia, motions_[bases + i].d, inertias_[parent]);
  }
}

/// Takes the freedoms of a link's joint out of its articulated inertia.
void ArticulatedTree::reduce(const TreeLink& link, SpatialInertia& inertia) {
  for (std::size_t k = link.first_freedom + link.freedoms; k-- > link.first_freedom;) {
    Freedom& freedom = freedoms_[k];
    const Vector3d& axis = freedom.axis;
    Spatial& response = freedom.response;
    if (freedom.is_rotation) {
      response.turn = inertia.turning * axis;
      response.move.noalias() = inertia.mixed.transpose() * axis;
    } else {
      response.turn.noalias() = inertia.mixed * axis;
      response.move = inertia.moving * axis;
    }
    freedom.inverse = 1.0 / freedom.along(response);
    inertia.turning.subtract_square(freedom.inverse, response.turn);
    inertia.moving.subtract_square(freedom.inverse, response.move);
    inertia.mixed.noalias() -= (freedom.inverse * response.turn) * response.move.transpose();
  }
}

void ArticulatedTree::clear_efforts() {
  for (Spatial& effort : efforts_) effort = {};
}

void ArticulatedTree::gather(bool with_motion) {
  const std::size_t bases = tree_.bases.size();
  for (std::size_t i = tree_.links.size(); i-- > 0;) {
    const TreeLink& link = tree_.links[i];
    const Motion& motion = motions_[bases + i];
    Spatial effort = efforts_[bases + i];
    for (std::size_t k = link.first_freedom + link.freedoms; k-- > link.first_freedom;) {
      Freedom& freedom = freedoms_[k];
      freedom.drive = -freedom.along(effort);
      const double acceleration = freedom.drive * freedom.inverse;
      effort.turn += acceleration * freedom.response.turn;
      effort.move += acceleration * freedom.response.move;
    }
    const auto parent = static_cast<std::size_t>(link.parent);
    if (parent < bases) continue;
    if (with_motion) {
      const SpatialInertia& inertia = inertias_[bases + i];
      effort.turn += inertia.turning * motion.bias.turn + inertia.mixed * motion.bias.move;
      effort.move += inertia.mixed.transpose() * motion.bias.turn + inertia.moving * motion.bias.move;
    }
    add_shifted(effort, motion.d, efforts_[parent]);
  }
}

void ArticulatedTree::accelerate(bool with_motion) {
  const std::size_t bases = tree_.bases.size();
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    const TreeLink& link = tree_.links[i];
    Motion& motion = motions_[bases + i];
    const auto parent = static_cast<std::size_t>(link.parent);
    Spatial a = parent < bases && !with_motion ? Spatial{} : motions_[parent].acceleration;
    a.move += a.turn.cross(motion.d);
    if (with_motion) {
      a.turn += motion.bias.turn;
      a.move += motion.bias.move;
    }
    for (std::size_t k = link.first_freedom; k < link.first_freedom + link.freedoms; ++k) {
      Freedom& freedom = freedoms_[k];
      freedom.acceleration =
          (freedom.drive - freedom.response.turn.dot(a.turn) - freedom.response.move.dot(a.move)) * freedom.inverse;
      (freedom.is_rotation ? a.turn : a.move) += freedom.acceleration * freedom.axis;
    }
    motion.acceleration = a;
  }
}

bool ArticulatedTree::rates(std::span<const double> y, std::span<double> ydot) const {
  const std::size_t bases = tree_.bases.size();
  double sum = 0.0;
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    const TreeLink& link = tree_.links[i];
    const Freedom* freedom = freedoms_.data() + link.first_freedom;
    const double* rate = y.data() + link.first_rate;
    double* moving = ydot.data() + link.first_state;
    double* out = ydot.data() + link.first_rate;
    for (std::size_t k = 0; k < link.freedoms; ++k) {
      out[k] = freedom[k].acceleration;
      sum += std::abs(out[k]);
    }
    if (!link.is_free() && link.kind != Kind::spherical) {
      for (std::size_t k = 0; k < link.freedoms; ++k) moving[k] = rate[k];
      continue;
    }
    std::size_t turning = 0;
    if (link.is_free()) {
      for (std::size_t k = 0; k < 3; ++k) moving[k] = rate[k];
      turning = 3;
    }
    const double* p = y.data() + link.first_state + turning;
    const double* w = rate + turning;
    const Quaterniond turned = Quaterniond(p[0], p[1], p[2], p[3]) * Quaterniond(0.0, w[0], w[1], w[2]);
    double* q = moving + turning;
    q[0] = 0.5 * turned.w(), q[1] = 0.5 * turned.x(), q[2] = 0.5 * turned.y(), q[3] = 0.5 * turned.z();
    const Vector3d alpha(out[turning], out[turning + 1], out[turning + 2]);
    Eigen::Map<Vector3d>(out + turning) = motions_[bases + i].A.transpose() * alpha;
  }
  return std::isfinite(sum);
}

void ArticulatedTree::move_positions(std::span<double> y) const {
  const std::size_t bases = tree_.bases.size();
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    const TreeLink& link = tree_.links[i];
    const Freedom* freedom = freedoms_.data() + link.first_freedom;
    double* p = y.data() + link.first_state;
    const bool is_turning = link.is_free() || link.kind == Kind::spherical;
    const std::size_t plain = link.is_free() ? 3 : is_turning ? 0 : link.freedoms;
    for (std::size_t k = 0; k < plain; ++k) p[k] += freedom[k].acceleration;
    if (!is_turning) continue;
    const Vector3d turn(freedom[plain].acceleration, freedom[plain + 1].acceleration, freedom[plain + 2].acceleration);
    double* q = p + plain;
    const Quaterniond turned =
        Quaterniond(q[0], q[1], q[2], q[3]) * core::rotation_by(motions_[bases + i].A.transpose() * turn);
    q[0] = turned.w(), q[1] = turned.x(), q[2] = turned.y(), q[3] = turned.z();
  }
}

void ArticulatedTree::move_rates(std::span<double> y, double factor) const {
  const std::size_t bases = tree_.bases.size();
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    const TreeLink& link = tree_.links[i];
    const Freedom* freedom = freedoms_.data() + link.first_freedom;
    double* rate = y.data() + link.first_rate;
    const bool is_turning = link.is_free() || link.kind == Kind::spherical;
    const std::size_t plain = link.is_free() ? 3 : is_turning ? 0 : link.freedoms;
    for (std::size_t k = 0; k < plain; ++k) rate[k] += factor * freedom[k].acceleration;
    if (!is_turning) continue;
    const Vector3d turn(freedom[plain].acceleration, freedom[plain + 1].acceleration, freedom[plain + 2].acceleration);
    Eigen::Map<Vector3d>(rate + plain) += factor * (motions_[bases + i].A.transpose() * turn);
  }
}

void ArticulatedTree::gather_along(std::span<const int> path, std::span<Spatial> efforts, int driven,
                                   std::span<double> drives) const {
  const std::size_t bases = tree_.bases.size();
  for (const int place : path) {
    const auto at = static_cast<std::size_t>(place);
    const TreeLink& link = tree_.links[at - bases];
    Spatial effort = efforts[at];
    efforts[at] = {};
    for (std::size_t k = link.first_freedom + link.freedoms; k-- > link.first_freedom;) {
      const Freedom& freedom = freedoms_[k];
      drives[k] = (static_cast<int>(k) == driven ? 1.0 : 0.0) - freedom.along(effort);
      const double acceleration = drives[k] * freedom.inverse;
      effort.turn += acceleration * freedom.response.turn;
      effort.move += acceleration * freedom.response.move;
    }
    if (static_cast<std::size_t>(link.parent) >= bases) {
      add_shifted(effort, motions_[at].d, efforts[static_cast<std::size_t>(link.parent)]);
    }
  }
}

Vector3d ArticulatedTree::acceleration_at(int place, const Vector3d& x) const {
  const Motion& motion = motions_[static_cast<std::size_t>(place)];
  const Vector3d arm = x - motion.x;
  return motion.acceleration.move + motion.acceleration.turn.cross(arm) +
         motion.omega.cross(Vector3d(motion.omega.cross(arm)));
}

void ArticulatedTree::find_reactions(const Vector3d& gravity, std::span<const Spatial> efforts,
                                     std::span<Spatial> reactions) const {
  const std::size_t bases = tree_.bases.size();
  for (Spatial& reaction : reactions) reaction = {};
  for (std::size_t i = tree_.links.size(); i-- > 0;) {
    const TreeLink& link = tree_.links[i];
    const Motion& motion = motions_[bases + i];
    const Spatial& a = motion.acceleration;
    SpatialInertia inertia;
    Spatial needed;
    weigh(link, motion, gravity, inertia, needed);
    Spatial& reaction = reactions[bases + i];  // has what the links behind it need
    reaction.turn += inertia.turning * a.turn + inertia.mixed * a.move + needed.turn - efforts[bases + i].turn;
    reaction.move +=
        inertia.mixed.transpose() * a.turn + inertia.moving * a.move + needed.move - efforts[bases + i].move;
    if (static_cast<std::size_t>(link.parent) >= bases) {
      add_shifted(reaction, motion.d, reactions[static_cast<std::size_t>(link.parent)]);
    }
  }
}

}  // namespace tieline::components
