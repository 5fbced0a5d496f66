#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "solvers/pencil_factors.hpp"

namespace tieline::solvers {

/// Shares of the mass and the stiffness matrix that damp [1/s], [s].
struct RayleighDamping {
  double mass = 0.0;
  double stiffness = 0.0;
};

/// Newmark's parameters. 1/4 and 1/2, the mean acceleration: stable for any step, of order 2, without damping of its
/// own.
struct NewmarkOptions {
  double beta = 0.25;
  double gamma = 0.5;
  [[nodiscard]] bool is_mean_acceleration() const { return beta == 0.25 && gamma == 0.5; }
};

/// How freedoms move that are not solved for, in their order.
struct HeldMotion {
  Eigen::VectorXd u{}, v{}, a{};
};

/// Steps through time of a linear structure, M a + C v + K u + Z v = f(t), with Rayleigh's damping C and impedances Z
/// at some points.
///
/// The last freedoms may be held: their motion is given, and what keeps them on it is the reaction. `held` contains it
/// for the end of the step to come, or for the present time before `accelerate` and `rest`.
///
/// Call order: `start`; then `set_impedance` where it changes, and `step` with the loads at the end of the step; where
/// forces jump, `accelerate` with the loads behind the jump. `f` leaves out the forces -Z v, which are part of the
/// equations. Steps do not allocate once the lengths at hand have been seen. One thread at a time.
class Newmark {
 public:
  /// Both triangles of the matrices; M is positive definite.
  Newmark(SparseMatrix mass, SparseMatrix stiffness, RayleighDamping damping, std::span<const PointFreedoms> points,
          NewmarkOptions options = {}, int held_count = 0);

  void set_impedance(std::size_t point, const Matrix6& impedance) { factors_.set_block(point, impedance); }

  /// At rest where it is not deformed.
  void start();
  /// Puts the structure where u and v say; accelerations of zero.
  void place(const Eigen::VectorXd& u, const Eigen::VectorXd& v);
  /// Takes the accelerations from the balance of forces at the present place.
  void accelerate(const Eigen::VectorXd& f);
  /// Puts the structure where K u = f, at rest.
  void rest(const Eigen::VectorXd& f);
  /// One step of length h [s] to where f acts.
  void step(double h, const Eigen::VectorXd& f);
  /// One step of mean acceleration by the mean load in it; `accelerate` is to follow with the loads at its end.
  /// The same as `step` where the mean is that of both ends.
  void step_by_mean(double h, const Eigen::VectorXd& mean);
  /// A step without inertia and damping but that of the impedances, which see the mean velocity of the step:
  /// K u + Z (u - u_before) / h = f. Velocities are those means, accelerations are zero.
  void creep(double h, const Eigen::VectorXd& f);

  [[nodiscard]] HeldMotion& held() { return held_; }
  /// The loads on held freedoms, beside `f`, that keep them on their motion at the present time.
  const Eigen::VectorXd& reaction(const Eigen::VectorXd& f);
  /// The same as a mean over the last step, of length h [s], under a mean load, so that its work is what the step's
  /// energies make of it.
  const Eigen::VectorXd& mean_reaction(double h, const Eigen::VectorXd& mean);

  /// Displacements [m], [rad], velocities and accelerations; those at the start of the last step.
  [[nodiscard]] const Eigen::VectorXd& u() const { return u_; }
  [[nodiscard]] const Eigen::VectorXd& v() const { return v_; }
  [[nodiscard]] const Eigen::VectorXd& a() const { return a_; }
  [[nodiscard]] const Eigen::VectorXd& u_before() const { return u0_; }
  [[nodiscard]] const Eigen::VectorXd& v_before() const { return v0_; }
  [[nodiscard]] const Eigen::VectorXd& a_before() const { return a0_; }
  /// The motion at a share of the last step, as the method takes it to be there.
  void interpolate(double share, double h, Eigen::VectorXd& u, Eigen::VectorXd& v, Eigen::VectorXd& a) const;

  [[nodiscard]] double mass_form(const Eigen::VectorXd& x) const;                   ///< x' M x
  [[nodiscard]] double stiffness_form(const Eigen::VectorXd& x) const;              ///< x' K x
  [[nodiscard]] double kinetic_energy() const { return 0.5 * mass_form(v_); }       ///< [J]
  [[nodiscard]] double elastic_energy() const { return 0.5 * stiffness_form(u_); }  ///< [J]
  /// What Rayleigh's damping took in the last step [J]: exact for the mean acceleration.
  [[nodiscard]] double dissipated_in_step() const;

  [[nodiscard]] const SparseMatrix& mass() const { return mass_; }
  [[nodiscard]] const SparseMatrix& stiffness() const { return stiffness_; }
  [[nodiscard]] const NewmarkOptions& options() const { return options_; }
  [[nodiscard]] PencilFactors& factors() { return factors_; }
  [[nodiscard]] const PencilFactors& factors() const { return factors_; }

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  /// right_ = f - C v - K u - Z v.
  void set_residual(const Eigen::VectorXd& f, const Eigen::VectorXd& u, const Eigen::VectorXd& v);
  /// Adds factor * Z v to right_.
  void add_impedance_force(double factor, const Eigen::VectorXd& v);
  void remember();
  /// Takes what held freedoms with accelerations `a` ask of the others off right_, whose rows for them become zero.
  void hold(const Eigen::VectorXd& a);
  [[nodiscard]] auto held_part(Eigen::VectorXd& x) const { return x.tail(held_.u.size()); }

  SparseMatrix mass_, stiffness_;
  RayleighDamping damping_;
  NewmarkOptions options_;
  std::vector<PointFreedoms> points_;
  PencilFactors factors_;
  HeldMotion held_;
  Eigen::VectorXd held_rate_, reaction_;
  Eigen::VectorXd u_, v_, a_, u0_, v0_, a0_;
  Eigen::VectorXd right_;
  bool has_crept_ = false;  ///< the last step was without inertia
  mutable Eigen::VectorXd work_;
  Eigen::VectorXd middle_, way_;
};

}  // namespace tieline::solvers
