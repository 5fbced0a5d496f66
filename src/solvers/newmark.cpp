// After [Newmark1959], in terms of accelerations:
//   u' = u + h v + h^2 ((1/2 - beta) a + beta a'),   v' = v + h ((1 - gamma) a + gamma a'),
//   (M + gamma h (C + Z) + beta h^2 K) a' = f' - (C + Z) (v + h (1 - gamma) a) - K (u + h v + h^2 (1/2 - beta) a).
// Stable for any step where 2 beta >= gamma >= 1/2; of order 2 where gamma = 1/2. With beta = 1/4 a mode of angular
// frequency w keeps its energy and has its period lengthened by the share (w h)^2 / 12.

#include "solvers/newmark.hpp"

#include <utility>

namespace tieline::solvers {

using Eigen::VectorXd;

Newmark::Newmark(SparseMatrix mass, SparseMatrix stiffness, RayleighDamping damping,
                 std::span<const PointFreedoms> points, NewmarkOptions options, int held_count)
    : mass_(std::move(mass)),
      stiffness_(std::move(stiffness)),
      damping_(damping),
      options_(options),
      points_(points.begin(), points.end()),
      factors_(mass_, stiffness_, points, static_cast<int>(mass_.rows()) - held_count) {
  held_.u.setZero(held_count);
  held_.v = held_.a = held_.u;
  start();
}

void Newmark::start() {
  u_.setZero(mass_.rows());
  v_ = a_ = u0_ = v0_ = a0_ = right_ = work_ = u_;
}

void Newmark::place(const VectorXd& u, const VectorXd& v) {
  u_ = u;
  v_ = v;
  a_.setZero();
  remember();
}

void Newmark::remember() {
  u0_ = u_;
  v0_ = v_;
  a0_ = a_;
}

void Newmark::add_impedance_force(double factor, const VectorXd& v) {
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const Matrix6& Z = factors_.block(p);
    for (std::size_t i = 0; i < 6; ++i) {
      if (points_[p][i] < 0) continue;
      double sum = 0.0;
      for (std::size_t j = 0; j < 6; ++j) {
        if (points_[p][j] >= 0) sum += Z(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * v[points_[p][j]];
      }
      right_[points_[p][i]] += factor * sum;
    }
  }
}

void Newmark::set_residual(const VectorXd& f, const VectorXd& u, const VectorXd& v) {
  right_ = f;
  // C v + K u = mass_damping M v + K (u + stiffness_damping v).
  work_ = u + damping_.stiffness * v;
  right_.noalias() -= stiffness_ * work_;
  if (damping_.mass != 0.0) {
    work_ = damping_.mass * v;
    right_.noalias() -= mass_ * work_;
  }
  add_impedance_force(-1.0, v);
}

void Newmark::hold(const VectorXd& a) {
  if (a.size() == 0) return;
  work_.setZero(right_.size());
  held_part(work_) = a;
  right_.noalias() -= mass_ * work_;
  held_part(right_).setZero();
}

void Newmark::accelerate(const VectorXd& f) {
  held_part(u_) = held_.u;
  held_part(v_) = held_.v;
  set_residual(f, u_, v_);
  hold(held_.a);
  factors_.get({.mass = 1.0}).solve({right_.data(), static_cast<std::size_t>(right_.size())});
  a_ = right_;
  held_part(a_) = held_.a;
}

void Newmark::rest(const VectorXd& f) {
  u_.setZero();
  held_part(u_) = held_.u;
  right_ = f;
  if (held_.u.size() > 0) {
    right_.noalias() -= stiffness_ * u_;
    held_part(right_).setZero();
  }
  factors_.get({.stiffness = 1.0}).solve({right_.data(), static_cast<std::size_t>(right_.size())});
  right_ += u_;
  v_.setZero();
  place(VectorXd(right_), VectorXd(v_));
}

const VectorXd& Newmark::reaction(const VectorXd& f) {
  if (has_crept_) {
    right_ = f;
    right_.noalias() -= stiffness_ * u_;
    add_impedance_force(-1.0, v_);
  } else {
    set_residual(f, u_, v_);
    right_.noalias() -= mass_ * a_;
  }
  return reaction_ = -held_part(right_);
}

const VectorXd& Newmark::mean_reaction(double h, const VectorXd& mean) {
  middle_ = 0.5 * (u0_ + u_);
  way_ = (u_ - u0_) / h;
  set_residual(mean, middle_, way_);
  way_ = (v_ - v0_) / h;
  right_.noalias() -= mass_ * way_;
  return reaction_ = -held_part(right_);
}

void Newmark::step(double h, const VectorXd& f) {
  remember();
  const auto [beta, gamma] = options_;
  u_ += h * v_ + (h * h * (0.5 - beta)) * a_;
  v_ += (h * (1.0 - gamma)) * a_;
  held_part(u_) = held_.u;
  held_part(v_) = held_.v;
  set_residual(f, u_, v_);
  hold(held_.a);
  factors_
      .get({.mass = 1.0 + gamma * h * damping_.mass,
            .stiffness = gamma * h * damping_.stiffness + beta * h * h,
            .block = gamma * h})
      .solve({right_.data(), static_cast<std::size_t>(right_.size())});
  a_ = right_;
  u_ += (beta * h * h) * a_;
  v_ += (gamma * h) * a_;
  held_part(a_) = held_.a;
}

void Newmark::step_by_mean(double h, const VectorXd& mean) {
  remember();
  // M a + (C + Z) (v + h a / 2) + K (u + h (v + h a / 2) / 2) = f for the mean acceleration a.
  u_ += (0.5 * h) * v_;
  held_rate_ = (held_.v - held_part(v0_)) / h;
  held_part(u_) = 0.5 * (held_part(u0_) + held_.u);
  held_part(v_) = (held_.u - held_part(u0_)) / h;
  set_residual(mean, u_, v_);
  hold(held_rate_);
  factors_
      .get({.mass = 1.0 + 0.5 * h * damping_.mass,
            .stiffness = 0.5 * h * damping_.stiffness + 0.25 * h * h,
            .block = 0.5 * h})
      .solve({right_.data(), static_cast<std::size_t>(right_.size())});
  v_ += h * right_;
  u_ = u0_ + (0.5 * h) * (v0_ + v_);
  held_part(u_) = held_.u;
  held_part(v_) = held_.v;
}

void Newmark::creep(double h, const VectorXd& f) {
  remember();
  right_ = f;
  add_impedance_force(1.0 / h, u0_);
  if (held_.u.size() > 0) {
    u_.setZero();
    held_part(u_) = held_.u;
    right_.noalias() -= stiffness_ * u_;
    add_impedance_force(-1.0 / h, u_);
    held_part(right_) = held_.u;
  }
  factors_.get({.stiffness = 1.0, .block = 1.0 / h}).solve({right_.data(), static_cast<std::size_t>(right_.size())});
  u_ = right_;
  v_ = (u_ - u0_) / h;
  has_crept_ = true;
}

void Newmark::interpolate(double share, double h, VectorXd& u, VectorXd& v, VectorXd& a) const {
  const auto [beta, gamma] = options_;
  const double t = share * h;
  if (has_crept_) {
    u = u0_ + t * v_;
    v = v_;
    a.setZero(v_.size());
    return;
  }
  if (options_.is_mean_acceleration()) {
    v = v0_ + share * (v_ - v0_);
    u = u0_ + (0.5 * t) * (v0_ + v);
  } else {
    u = u0_ + t * v0_ + (t * t * (0.5 - beta)) * a0_ + (t * t * beta) * a_;
    v = v0_ + (t * (1.0 - gamma)) * a0_ + (t * gamma) * a_;
  }
  a = (1.0 - share) * a0_ + share * a_;
}

double Newmark::mass_form(const VectorXd& x) const {
  work_.noalias() = mass_ * x;
  return x.dot(work_);
}

double Newmark::stiffness_form(const VectorXd& x) const {
  work_.noalias() = stiffness_ * x;
  return x.dot(work_);
}

double Newmark::dissipated_in_step() const {
  if (damping_.mass == 0.0 && damping_.stiffness == 0.0) return 0.0;
  double sum = 0.0;
  // The displacement of the step times C (v_before + v) / 2, by the two parts of C.
  for (const auto& [share, matrix] : {std::pair{damping_.mass, &mass_}, std::pair{damping_.stiffness, &stiffness_}}) {
    if (share == 0.0) continue;
    work_.noalias() = *matrix * v0_;
    work_.noalias() += *matrix * v_;
    sum += 0.5 * share * (u_.dot(work_) - u0_.dot(work_));
  }
  return sum;
}

void Newmark::save(core::ArchiveWriter& archive) const {
  for (const VectorXd* part : {&u_, &v_, &a_}) {
    archive.put_span(std::span<const double>(part->data(), static_cast<std::size_t>(part->size())));
  }
}

void Newmark::restore(core::ArchiveReader& archive) {
  for (VectorXd* part : {&u_, &v_, &a_}) {
    archive.get_span(std::span<double>(part->data(), static_cast<std::size_t>(part->size())));
  }
  held_ = {held_part(u_), held_part(v_), held_part(a_)};
  remember();
}

}  // namespace tieline::solvers
