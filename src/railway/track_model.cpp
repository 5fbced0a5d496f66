#include "railway/track_model.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "railway/beam_functions.hpp"

namespace tieline::railway {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Kronecker's product: functions along times functions across.
MatrixXd product(const MatrixXd& along, const MatrixXd& across) {
  MatrixXd result(along.rows() * across.rows(), along.cols() * across.cols());
  for (Eigen::Index i = 0; i < along.rows(); ++i) {
    for (Eigen::Index j = 0; j < along.cols(); ++j) {
      result.block(i * across.rows(), j * across.cols(), across.rows(), across.cols()) = along(i, j) * across;
    }
  }
  return result;
}

/// Stiffness of a free thin plate in products of functions, over its mass per area [1/s^2].
MatrixXd plate_stiffness(const SlabPlate& plate, const BeamFunctions& along, const BeamFunctions& across) {
  const double nu = plate.poissons_ratio;
  const double D = plate.youngs_modulus * std::pow(plate.height, 3) / (12.0 * (1.0 - nu * nu));
  const auto whole = [](const BeamFunctions& f, int a, int b) { return f.products(a, f, b, 0.0, f.length()); };
  const MatrixXd mixed = product(whole(along, 2, 0), whole(across, 0, 2));
  const MatrixXd energy = product(whole(along, 2, 2), whole(across, 0, 0)) +
                          product(whole(along, 0, 0), whole(across, 2, 2)) + nu * (mixed + mixed.transpose()) +
                          2.0 * (1.0 - nu) * product(whole(along, 1, 1), whole(across, 1, 1));
  return D / (plate.density * plate.height) * energy;
}

}  // namespace

TrackModel::TrackModel(const TrackSpec& spec)
    : spec_(spec), modes_(spec.rail_modes), plate_(spec.length_functions * spec.width_functions) {
  build_rails();
  if (!spec_.is_rigid_below) build_slabs();
  for (Fields* fields : {&rail_, &rail_rates_, &below_, &below_rates_, &forces_})
    fields->setZero(spec_.fasteners(), kRailFields);
}

void TrackModel::build_rails() {
  const RailBeam& rail = spec_.rail;
  const double L = spec_.length();
  // Inertia of the twist: density times the polar second moment of area.
  const double polar = rail.density * (rail.vertical_inertia + rail.lateral_inertia);
  bending_norm_ = std::sqrt(2.0 / (rail.mass * L));
  twist_norm_ = std::sqrt(2.0 / (polar * L));
  rail_stiffness_.resize(modes_, kRailFields);
  sines_.resize(spec_.fasteners(), modes_);
  for (int k = 0; k < modes_; ++k) {
    const double wave = (k + 1) * std::numbers::pi / L, wave4 = wave * wave * wave * wave;
    const double vertical = rail.youngs_modulus * rail.vertical_inertia / rail.mass * wave4;
    const double lateral = rail.youngs_modulus * rail.lateral_inertia / rail.mass * wave4;
    const double twist = rail.shear_modulus * rail.torsion_constant / polar * wave * wave;
    rail_stiffness_.row(k) << vertical, vertical, lateral, lateral, twist, twist;
    for (int i = 0; i < spec_.fasteners(); ++i) sines_(i, k) = std::sin(wave * (i + 0.5) * spec_.fastener.pitch);
  }
  // The window moves on by d: what is left of it is expanded again, and what comes in is at rest.
  shift_.resize(modes_, modes_);
  const double d = spec_.slab_pitch(), unit = std::numbers::pi / L;
  for (int k = 0; k < modes_; ++k) {
    for (int j = 0; j < modes_; ++j) {
      // (2/L) times the integral of sin((k+1) u x) sin((j+1) u (x + d)) from 0 to L - d.
      const auto cosines = [&](double slope, double phase) {
        if (slope == 0.0) return (L - d) * std::cos(phase);
        return (std::sin(slope * unit * (L - d) + phase) - std::sin(phase)) / (slope * unit);
      };
      const double phase = (j + 1) * unit * d;
      shift_(k, j) = (cosines(k - j, -phase) - cosines(k + j + 2, phase)) / L;
    }
  }
}

void TrackModel::build_slabs() {
  const SlabPlate &slab = spec_.slab, &base = spec_.base;
  const BeamFunctions along(spec_.length_functions, slab.length), base_along(spec_.length_functions, base.length);
  const BeamFunctions across(spec_.width_functions, slab.width), base_across(spec_.width_functions, base.width);
  const double slab_mass = slab.density * slab.height, base_mass = base.density * base.height;  // per area
  const double margin = 0.5 * (base.width - slab.width), inset = 0.5 * (base.length - slab.length);
  // Where both plates lie on each other: over the slab.
  const MatrixXd base_along_slab = base_along.products(0, base_along, 0, inset, base.length - inset);
  const MatrixXd base_across_slab = base_across.products(0, base_across, 0, margin, base.width - margin);
  const MatrixXd both_along = along.products(0, base_along, 0, 0.0, slab.length, inset);
  const MatrixXd both_across = across.products(0, base_across, 0, 0.0, slab.width, margin);
  const MatrixXd unit = MatrixXd::Identity(plate_, plate_);
  const auto layers = [&](double upper, double lower) {
    MatrixXd result(2 * plate_, 2 * plate_);
    const MatrixXd between = -upper / std::sqrt(slab_mass * base_mass) * product(both_along, both_across);
    result << upper / slab_mass * unit, between, between.transpose(),
        lower / base_mass * unit + upper / base_mass * product(base_along_slab, base_across_slab);
    return result;
  };
  slab_stiffness_ = layers(slab.layer_stiffness, base.layer_stiffness);
  slab_damping_ = layers(slab.layer_damping, base.layer_damping);
  slab_stiffness_.topLeftCorner(plate_, plate_) += plate_stiffness(slab, along, across);
  slab_stiffness_.bottomRightCorner(plate_, plate_) += plate_stiffness(base, base_along, base_across);
  slab_at_fasteners_.resize(2 * spec_.fasteners_per_slab, plate_);
  for (int rail = 0; rail < 2; ++rail) {
    const double y = 0.5 * slab.width + (rail == 0 ? spec_.half_gauge : -spec_.half_gauge);
    for (int i = 0; i < spec_.fasteners_per_slab; ++i) {
      const double x = (i + 0.5) * spec_.fastener.pitch - 0.5 * (spec_.slab_pitch() - slab.length);
      for (int m = 0; m < along.count(); ++m) {
        for (int n = 0; n < across.count(); ++n) {
          slab_at_fasteners_(rail * spec_.fasteners_per_slab + i, m * across.count() + n) =
              along.at(m, x) * across.at(n, y) / std::sqrt(slab_mass);
        }
      }
    }
  }
  slab_lateral_ = 1.0 / std::sqrt(slab.mass());
  const double area = spec_.lateral_ratio * slab.length * slab.width / slab.mass();
  lateral_stiffness_ = area * slab.layer_stiffness;
  lateral_damping_ = area * slab.layer_damping;
}

void TrackModel::place_below(const VectorXd& q, Fields& below) const {
  below.setZero();
  if (spec_.is_rigid_below) return;
  const int n = spec_.fasteners_per_slab;
  for (int s = 0; s < spec_.slabs; ++s) {
    const auto slab = q.segment(rail_size() + 2 * plate_ * s, plate_);
    for (int rail = 0; rail < 2; ++rail) {
      below.col(kVertical + rail).segment(n * s, n).noalias() = slab_at_fasteners_.middleRows(rail * n, n) * slab;
      below.col(kLateral + rail).segment(n * s, n).setConstant(slab_lateral_ * q[rail_size() + slab_size() + s]);
    }
  }
}

void TrackModel::add_forces(const VectorXd& q, const VectorXd& v, VectorXd& a) const {
  const Eigen::Map<const Fields> rail(q.data(), modes_, kRailFields), rates(v.data(), modes_, kRailFields);
  Eigen::Map<Fields> accelerations(a.data(), modes_, kRailFields);
  accelerations.array() -= rail_stiffness_.array() * rail.array();
  rail_.noalias() = sines_ * rail;
  rail_rates_.noalias() = sines_ * rates;
  for (int f = 0; f < kRailFields; ++f) rail_.col(f) *= norm(f), rail_rates_.col(f) *= norm(f);
  place_below(q, below_);
  place_below(v, below_rates_);
  const Fastener& fastener = spec_.fastener;
  const double foot = spec_.rail.foot, lever2 = fastener.half_base * fastener.half_base;
  for (int r = 0; r < 2; ++r) {
    const int z = kVertical + r, y = kLateral + r, x = kTwist + r;
    // The foot of a twisted rail moves to the left: y + foot * twist.
    forces_.col(z) = -fastener.vertical_stiffness * (rail_.col(z) - below_.col(z)) -
                     fastener.vertical_damping * (rail_rates_.col(z) - below_rates_.col(z));
    forces_.col(y) = -fastener.lateral_stiffness * (rail_.col(y) + foot * rail_.col(x) - below_.col(y)) -
                     fastener.lateral_damping * (rail_rates_.col(y) + foot * rail_rates_.col(x) - below_rates_.col(y));
    forces_.col(x) = foot * forces_.col(y) - lever2 * (fastener.vertical_stiffness * rail_.col(x) +
                                                       fastener.vertical_damping * rail_rates_.col(x));
  }
  // On what is below, before the norms of the rails.
  const int n = spec_.fasteners_per_slab;
  for (int s = 0; s < spec_.slabs && !spec_.is_rigid_below; ++s) {
    const int first = rail_size() + 2 * plate_ * s, lateral = rail_size() + slab_size() + s;
    a.segment(first, 2 * plate_).noalias() -= slab_stiffness_ * q.segment(first, 2 * plate_);
    a.segment(first, 2 * plate_).noalias() -= slab_damping_ * v.segment(first, 2 * plate_);
    a[lateral] -= lateral_stiffness_ * q[lateral] + lateral_damping_ * v[lateral];
    for (int r = 0; r < 2; ++r) {
      a.segment(first, plate_).noalias() -=
          slab_at_fasteners_.middleRows(r * n, n).transpose() * forces_.col(kVertical + r).segment(n * s, n);
      a[lateral] -= slab_lateral_ * forces_.col(kLateral + r).segment(n * s, n).sum();
    }
  }
  for (int f = 0; f < kRailFields; ++f) forces_.col(f) *= norm(f);
  accelerations.noalias() += sines_.transpose() * forces_;
}

double TrackModel::potential(const VectorXd& q) const {
  // All stiffnesses are symmetric: half of the coordinates times their forces.
  VectorXd force = VectorXd::Zero(size());
  add_forces(q, VectorXd::Zero(size()), force);
  return -0.5 * q.dot(force);
}

double TrackModel::lost_power(const VectorXd& v) const {
  VectorXd force = VectorXd::Zero(size());
  add_forces(VectorXd::Zero(size()), v, force);
  return -v.dot(force);
}

void TrackModel::shapes(double x, Eigen::Ref<Eigen::MatrixX3d> result) const {
  const double unit = std::numbers::pi / spec_.length();
  const double s1 = std::sin(unit * x), c1 = std::cos(unit * x);
  double s = 0.0, c = 1.0;
  for (int k = 0; k < modes_; ++k) {
    const double next = s * c1 + c * s1;
    c = c * c1 - s * s1, s = next;
    const double wave = unit * (k + 1);
    result.row(k) << s, wave * c, -wave * wave * s;
  }
}

VectorXd TrackModel::at_rest(const std::vector<Load>& loads) const {
  VectorXd q = VectorXd::Zero(size());
  const int fasteners = spec_.fasteners(), n = spec_.fasteners_per_slab;
  // Unknown are the forces of the fasteners on both rails; the rails and slabs give way to them.
  const VectorXd soft = bending_norm_ * bending_norm_ * rail_stiffness_.col(kVertical).cwiseInverse();
  const MatrixXd rail_gives = sines_ * soft.asDiagonal() * sines_.transpose();
  MatrixXd system = MatrixXd::Identity(2 * fasteners, 2 * fasteners) / spec_.fastener.vertical_stiffness;
  for (int r = 0; r < 2; ++r) system.block(r * fasteners, r * fasteners, fasteners, fasteners) += rail_gives;
  Eigen::LDLT<MatrixXd> slab;
  if (!spec_.is_rigid_below) {
    slab.compute(slab_stiffness_);
    MatrixXd at = MatrixXd::Zero(2 * n, 2 * plate_);
    at.leftCols(plate_) = slab_at_fasteners_;
    const MatrixXd gives = at * slab.solve(at.transpose());
    for (int s = 0; s < spec_.slabs; ++s) {
      for (int r = 0; r < 2; ++r) {
        for (int p = 0; p < 2; ++p) {
          system.block(r * fasteners + s * n, p * fasteners + s * n, n, n) += gives.block(r * n, p * n, n, n);
        }
      }
    }
  }
  Eigen::MatrixX3d shape(modes_, 3);
  VectorXd free = VectorXd::Zero(2 * fasteners);
  MatrixXd pushed = MatrixXd::Zero(modes_, 2);  // modal forces of the loads
  for (const Load& load : loads) {
    shapes(load.x, shape);
    pushed.col(load.rail) += load.force * shape.col(0);
  }
  for (int r = 0; r < 2; ++r) {
    free.segment(r * fasteners, fasteners) = sines_ * soft.cwiseProduct(pushed.col(r));
  }
  const VectorXd force = -system.ldlt().solve(free);  // on the rails
  for (int r = 0; r < 2; ++r) {
    const VectorXd total = pushed.col(r) + sines_.transpose() * force.segment(r * fasteners, fasteners);
    q.segment((kVertical + r) * modes_, modes_) = soft.cwiseProduct(total) / bending_norm_;
  }
  for (int s = 0; s < spec_.slabs && !spec_.is_rigid_below; ++s) {
    VectorXd on_slab = VectorXd::Zero(2 * plate_);
    for (int r = 0; r < 2; ++r) {
      on_slab.head(plate_) -=
          slab_at_fasteners_.middleRows(r * n, n).transpose() * force.segment(r * fasteners + s * n, n);
    }
    q.segment(rail_size() + 2 * plate_ * s, 2 * plate_) = slab.solve(on_slab);
  }
  return q;
}

void TrackModel::shift(Eigen::Ref<VectorXd> q) const {
  for (int f = 0; f < kRailFields; ++f) {
    auto rail = q.segment(f * modes_, modes_);
    rail = (shift_ * rail).eval();
  }
  if (spec_.is_rigid_below) return;
  const int per_slab = 2 * plate_, first = rail_size(), lateral = rail_size() + slab_size();
  for (int s = 0; s < spec_.slabs; ++s) {
    const bool is_new = s + 1 == spec_.slabs;
    if (is_new) {
      q.segment(first + per_slab * s, per_slab).setZero();
      q[lateral + s] = 0.0;
    } else {
      q.segment(first + per_slab * s, per_slab) = q.segment(first + per_slab * (s + 1), per_slab).eval();
      q[lateral + s] = q[lateral + s + 1];
    }
  }
}

}  // namespace tieline::railway
