// [Hairer1996] E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sections IV.5 and IV.8: collocation at
// the Radau points, order 5, stiffly accurate and L-stable; simplified Newton iteration on transformed stages, so that
// one real and one complex system of size n are factorised; estimate of order 3; predictive step-size control
// [Gustafsson1994]; the collocation polynomial is the continuous extension (order 3).
//
//   there               here
//   z_i = g_i - y_0     stages kZ1..kZ3
//   w = (T^-1 x I) z    stages kW1..kW3
//   gamma, alpha, beta  kGamma, kAlpha, kBeta: eigenvalues of A^-1
//   e_1, e_2, e_3       kE1..kE3 (with gamma_0 removed)
//   theta, eta, kappa   contraction_, convergence_bound, newton_tolerance_
//
// Deviations: the norm is the largest quotient of error and tolerance; factors serve a step whose length differs by
// rounding only (equal windows); an iteration that stagnates far below the tolerance has converged (rounding).
#include "solvers/radau5.hpp"

namespace tieline::solvers {
namespace {

const double kRoot6 = std::sqrt(6.0);
const double kC1 = (4.0 - kRoot6) / 10.0;
const double kC2 = (4.0 + kRoot6) / 10.0;
const double kE1 = -(13.0 + 7.0 * kRoot6) / 3.0;
const double kE2 = (-13.0 + 7.0 * kRoot6) / 3.0;
const double kE3 = -1.0 / 3.0;

const double kRoot81 = std::cbrt(81.0);
const double kRoot9 = std::cbrt(9.0);
const double kGamma = 30.0 / (6.0 + kRoot81 - kRoot9);
const double kAlphaRaw = (12.0 - kRoot81 + kRoot9) / 60.0;
const double kBetaRaw = (kRoot81 + kRoot9) * std::sqrt(3.0) / 60.0;
const double kAlpha = kAlphaRaw / (kAlphaRaw * kAlphaRaw + kBetaRaw * kBetaRaw);
const double kBeta = kBetaRaw / (kAlphaRaw * kAlphaRaw + kBetaRaw * kBetaRaw);

constexpr double kT11 = 9.1232394870892942792e-02, kT12 = -0.14125529502095420843, kT13 = -3.0029194105147424492e-02;
constexpr double kT21 = 0.24171793270710701896, kT22 = 0.20412935229379993199, kT23 = 0.38294211275726193779;
constexpr double kT31 = 0.96604818261509293619;  // kT32 = 1, kT33 = 0
constexpr double kTi11 = 4.3255798900631553510, kTi12 = 0.33919925181580986954, kTi13 = 0.54177053993587487119;
constexpr double kTi21 = -4.1787185915519047273, kTi22 = -0.32768282076106238708, kTi23 = 0.47662355450055045196;
constexpr double kTi31 = -0.50287263494578687595, kTi32 = 2.5719269498556054292, kTi33 = -0.59603920482822492497;

// Rows of the buffers.
enum Row {
  kF0,
  kZ1,
  kZ2,
  kZ3,
  kW1,
  kW2,
  kW3,
  kD1,
  kD2,
  kD3,
  kError,
  kSum,
  kNew1,
  kNew2,
  kNew3,
  kPoly1,
  kPoly2,
  kPoly3,
  kRowCount
};

constexpr double kSafety = 0.9;
constexpr double kMostShrink = 0.2;
constexpr int kMostIterations = 7;
/// Slower convergence than this asks for a new Jacobian.
constexpr double kGoodContraction = 1e-3;
/// A step would rather stay as it is than grow by less than this: its factors are then used again.
constexpr double kLeastGrowth = 1.2;
/// Step sizes that differ by less share their factors.
constexpr double kSameStep = 1e-6;
/// Corrections below this share of the tolerance that no longer shrink are rounding.
constexpr double kStagnation = 1e-3;
constexpr double kNoisyStagnation = 0.1;  ///< where noise is part of the tolerance

}  // namespace

Radau5Kernel::Radau5Kernel(OdeSystem& system, const ErrorScale& scale, core::Statistics& statistics)
    : system_(system),
      scale_(scale),
      statistics_(statistics),
      buffers_(system.size(), kRowCount),
      matrix_(make_newton_matrix(system, statistics)),
      tolerance_(static_cast<std::size_t>(system.size()), 0.0) {
  const double tolerance = scale.relative_tolerance();
  newton_tolerance_ =
      std::max(10.0 * std::numeric_limits<double>::epsilon() / tolerance, std::min(0.03, std::sqrt(tolerance)));
}

void Radau5Kernel::start(std::span<const double> y) {
  buffers_.set_present(y);
  memory_.wants_jacobian = true;
  memory_.has_polynomial = false;
  memory_.is_first = true;
}

void Radau5Kernel::rebase(std::span<const double> y, std::span<const double> rate_change) {
  buffers_.set_present(y);
  if (!memory_.has_polynomial) return;
  // So that the polynomial continued is that of the new states.
  double* slope = buffers_.stage(kPoly1);
  for (std::size_t i = 0; i < y.size(); ++i) slope[i] += memory_.polynomial_step * rate_change[i];
}

bool Radau5Kernel::rhs(double t, wave::Side side, const double* y, double* ydot) {
  ++statistics_.rhs_calls;
  return system_.rhs(t, side, {y, buffers_.size()}, buffers_.span(ydot));
}

bool Radau5Kernel::begin_step(double t) {
  was_rejected_ = false;
  is_jacobian_present_ = false;
  return rhs(t, wave::Side::right, buffers_.present(), buffers_.stage(kF0));
}

bool Radau5Kernel::prepare_matrices(double t, double h) {
  if (!memory_.has_jacobian || (memory_.wants_jacobian && !is_jacobian_present_)) {
    if (!matrix_->evaluate(t, wave::Side::right, state(), buffers_.span(buffers_.stage(kF0)), scale_)) return false;
    memory_.has_jacobian = is_jacobian_present_ = true;
    memory_.wants_jacobian = false;
    memory_.factored_step = 0.0;
  }
  if (std::abs(h - memory_.factored_step) <= kSameStep * h) return true;
  memory_.factored_step = factorise(h) ? h : 0.0;
  return memory_.factored_step > 0.0;
}

bool Radau5Kernel::factorise(double h) {
  return matrix_->factorise(kGamma / h) && matrix_->factorise(kAlpha / h, kBeta / h);
}

void Radau5Kernel::predict_stages(double h) {
  const std::size_t n = buffers_.size();
  double *z1 = buffers_.stage(kZ1), *z2 = buffers_.stage(kZ2), *z3 = buffers_.stage(kZ3);
  double *w1 = buffers_.stage(kW1), *w2 = buffers_.stage(kW2), *w3 = buffers_.stage(kW3);
  if (!memory_.has_polynomial) {
    for (double* row : {z1, z2, z3, w1, w2, w3}) std::fill_n(row, n, 0.0);
    return;
  }
  // The last step's polynomial, continued: s = 0 is its end, in units of its length.
  const double *p1 = buffers_.stage(kPoly1), *p2 = buffers_.stage(kPoly2), *p3 = buffers_.stage(kPoly3);
  const double s3 = h / memory_.polynomial_step;
  const double s1 = kC1 * s3;
  const double s2 = kC2 * s3;
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = [&](double s) { return s * (p1[i] + (s - (kC2 - 1.0)) * (p2[i] + (s - (kC1 - 1.0)) * p3[i])); };
    z1[i] = at(s1);
    z2[i] = at(s2);
    z3[i] = at(s3);
    w1[i] = kTi11 * z1[i] + kTi12 * z2[i] + kTi13 * z3[i];
    w2[i] = kTi21 * z1[i] + kTi22 * z2[i] + kTi23 * z3[i];
    w3[i] = kTi31 * z1[i] + kTi32 * z2[i] + kTi33 * z3[i];
  }
}

/// Solves for the correction of the transformed stages, whose f is in kD1..kD3, and applies it.
bool Radau5Kernel::correct(double h) {
  const std::size_t n = buffers_.size();
  const double gamma = kGamma / h;
  const double alpha = kAlpha / h;
  const double beta = kBeta / h;
  double *d1 = buffers_.stage(kD1), *d2 = buffers_.stage(kD2), *d3 = buffers_.stage(kD3);
  double *w1 = buffers_.stage(kW1), *w2 = buffers_.stage(kW2), *w3 = buffers_.stage(kW3);
  for (std::size_t i = 0; i < n; ++i) {
    const double f1 = d1[i], f2 = d2[i], f3 = d3[i];
    d1[i] = kTi11 * f1 + kTi12 * f2 + kTi13 * f3 - gamma * w1[i];
    d2[i] = kTi21 * f1 + kTi22 * f2 + kTi23 * f3 - alpha * w2[i] + beta * w3[i];
    d3[i] = kTi31 * f1 + kTi32 * f2 + kTi33 * f3 - alpha * w3[i] - beta * w2[i];
  }
  matrix_->solve({d1, n});
  matrix_->solve({d2, n}, {d3, n});
  bool is_finite = true;
  double *z1 = buffers_.stage(kZ1), *z2 = buffers_.stage(kZ2), *z3 = buffers_.stage(kZ3);
  for (std::size_t i = 0; i < n; ++i) {
    w1[i] += d1[i];
    w2[i] += d2[i];
    w3[i] += d3[i];
    z1[i] = kT11 * w1[i] + kT12 * w2[i] + kT13 * w3[i];
    z2[i] = kT21 * w1[i] + kT22 * w2[i] + kT23 * w3[i];
    z3[i] = kT31 * w1[i] + w2[i];
    is_finite = is_finite && std::isfinite(z1[i] + z2[i] + z3[i]);
  }
  return is_finite;
}

ScaledError Radau5Kernel::correction_size() const {
  ScaledError largest;
  const double *d1 = buffers_.stage(kD1), *d2 = buffers_.stage(kD2), *d3 = buffers_.stage(kD3);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const double size = std::max({std::abs(d1[i]), std::abs(d2[i]), std::abs(d3[i])}) / tolerance_[i];
    if (size > largest.value) largest = {size, static_cast<int>(i)};
  }
  return largest;
}

Radau5Kernel::Newton Radau5Kernel::iterate(double t, double t_end) {
  const std::size_t n = buffers_.size();
  const double h = t_end - t;
  const double times[] = {std::min(t + kC1 * h, t_end), std::min(t + kC2 * h, t_end), t_end};
  const double* y = buffers_.present();
  double* at_stage = buffers_.stage(kSum);
  Newton newton;
  predict_stages(h);
  memory_.convergence_bound =
      std::pow(std::max(memory_.convergence_bound, std::numeric_limits<double>::epsilon()), 0.8);
  contraction_ = kGoodContraction;
  const double stagnation = scale_.has_noise() ? kNoisyStagnation : kStagnation;
  double last_size = 0.0;
  double last_quotient = 1.0;
  for (iterations_ = 1; iterations_ <= kMostIterations; ++iterations_) {
    for (int stage = 0; stage < 3; ++stage) {
      const double* z = buffers_.stage(kZ1 + stage);
      for (std::size_t i = 0; i < n; ++i) at_stage[i] = y[i] + z[i];
      newton.is_finite = rhs(times[stage], wave::Side::left, at_stage, buffers_.stage(kD1 + stage));
      if (!newton.is_finite) return newton;
    }
    newton.is_finite = correct(h);
    if (!newton.is_finite) return newton;
    const ScaledError size = correction_size();
    newton.worst = size.worst;
    if (iterations_ > 1) {
      const double quotient = size.value / last_size;
      contraction_ = iterations_ == 2 ? quotient : std::sqrt(quotient * last_quotient);
      last_quotient = quotient;
      if (contraction_ >= 0.99) {
        newton.is_converged = size.value <= stagnation;
        return newton;
      }
      memory_.convergence_bound = contraction_ / (1.0 - contraction_);
      const double distance = memory_.convergence_bound * size.value;
      const int left = kMostIterations - iterations_;
      const double expected = distance * std::pow(contraction_, left) / newton_tolerance_;
      if (expected >= 1.0) {
        newton.is_converged = distance <= stagnation;
        newton.shrink = 0.8 * std::pow(std::min(20.0, expected), -1.0 / (4 + left));
        return newton;
      }
    }
    last_size = std::max(size.value, std::numeric_limits<double>::epsilon());
    if (memory_.convergence_bound * size.value <= newton_tolerance_) {
      newton.is_converged = true;
      return newton;
    }
  }
  return newton;
}

Trial Radau5Kernel::attempt(double t, double t_end) {
  const std::size_t n = buffers_.size();
  const double h = trial_step_ = t_end - t;
  const double* y = buffers_.present();
  for (std::size_t i = 0; i < n; ++i) tolerance_[i] = scale_.tolerance(static_cast<int>(i), y[i], h);
  newton_shrink_ = 0.5;
  if (!prepare_matrices(t, h)) return {Trial::Outcome::not_converged, 0.0, -1};

  const Newton newton = iterate(t, t_end);
  if (!newton.is_converged) {
    memory_.wants_jacobian = true;
    newton_shrink_ = newton.shrink;
    const auto outcome = newton.is_finite ? Trial::Outcome::not_converged : Trial::Outcome::not_finite;
    return {outcome, 0.0, newton.worst};
  }
  const double* z3 = buffers_.stage(kZ3);
  double* y_end = buffers_.trial();
  for (std::size_t i = 0; i < n; ++i) y_end[i] = y[i] + z3[i];

  const ScaledError error = estimate_error(t, h);
  if (std::isnan(error.value)) return {Trial::Outcome::not_finite, 0.0, error.worst};
  if (error.value > 1.0) {
    was_rejected_ = true;
    memory_.wants_jacobian = true;
  } else {
    fit_polynomial();
  }
  return {Trial::Outcome::solved, error.value, error.worst};
}

/// eq. (8.19) in [Hairer1996], and its filtered form (8.20) where a first or repeated step would be rejected.
ScaledError Radau5Kernel::estimate_error(double t, double h) {
  const std::size_t n = buffers_.size();
  const double *y = buffers_.present(), *f0 = buffers_.stage(kF0);
  const double *z1 = buffers_.stage(kZ1), *z2 = buffers_.stage(kZ2), *z3 = buffers_.stage(kZ3);
  double *sum = buffers_.stage(kSum), *error = buffers_.stage(kError);
  for (std::size_t i = 0; i < n; ++i) {
    sum[i] = (kE1 * z1[i] + kE2 * z2[i] + kE3 * z3[i]) / h;
    error[i] = sum[i] + f0[i];
  }
  matrix_->solve({error, n});
  ScaledError size = scale_.norm({error, n}, trial(), h);
  if (!(size.value >= 1.0) || !(memory_.is_first || was_rejected_)) return size;
  double *shifted = buffers_.stage(kD1), *f_shifted = buffers_.stage(kD2);
  for (std::size_t i = 0; i < n; ++i) shifted[i] = y[i] + error[i];
  if (!rhs(t, wave::Side::right, shifted, f_shifted)) return size;
  for (std::size_t i = 0; i < n; ++i) error[i] = sum[i] + f_shifted[i];
  matrix_->solve({error, n});
  return scale_.norm({error, n}, trial(), h);
}

/// The collocation polynomial by divided differences, from its end backwards.
void Radau5Kernel::fit_polynomial() {
  const double *z1 = buffers_.stage(kZ1), *z2 = buffers_.stage(kZ2), *z3 = buffers_.stage(kZ3);
  double *p1 = buffers_.stage(kNew1), *p2 = buffers_.stage(kNew2), *p3 = buffers_.stage(kNew3);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const double between = (z1[i] - z2[i]) / (kC1 - kC2);
    p1[i] = (z2[i] - z3[i]) / (kC2 - 1.0);
    p2[i] = (between - p1[i]) / (kC1 - 1.0);
    p3[i] = p2[i] - (between - z1[i] / kC1) / kC2;
  }
}

void Radau5Kernel::interpolate(const double* y_end, int first_row, double theta, std::span<double> y) const {
  const double s = theta - 1.0;
  const double *p1 = buffers_.stage(first_row), *p2 = buffers_.stage(first_row + 1),
               *p3 = buffers_.stage(first_row + 2);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = y_end[i] + s * (p1[i] + (s - (kC2 - 1.0)) * (p2[i] + (s - (kC1 - 1.0)) * p3[i]));
  }
}

void Radau5Kernel::interpolate_trial(double theta, std::span<double> y) const {
  interpolate(buffers_.trial(), kNew1, theta, y);
}

void Radau5Kernel::interpolate_last(double theta, std::span<double> y) const {
  interpolate(buffers_.present(), kPoly1, theta, y);
}

void Radau5Kernel::accept(double, double) {
  buffers_.accept();
  for (int k = 0; k < 3; ++k) buffers_.swap_stages(kNew1 + k, kPoly1 + k);
  memory_.polynomial_step = trial_step_;
  memory_.has_polynomial = true;
  memory_.is_first = false;
  memory_.wants_jacobian = contraction_ > kGoodContraction;
}

double Radau5Kernel::growth(double error, double h, bool is_cut) {
  const double effort = (1.0 + 2.0 * kMostIterations) / (iterations_ + 2.0 * kMostIterations);
  const double size = std::max(error, 1e-12);
  double factor = kSafety * std::min(1.0, effort) * std::pow(size, -0.25);
  if (!is_cut && !memory_.is_first && memory_.last_step > 0.0) {
    const double predicted = kSafety * h / memory_.last_step * std::pow(memory_.last_error / (size * size), 0.25);
    factor = std::min(factor, predicted);
  }
  factor = std::min(kMostGrowth, std::max(kMostShrink, factor));
  if (!is_cut) {
    memory_.last_step = h;
    memory_.last_error = std::max(1e-2, error);
    if (contraction_ <= kGoodContraction && factor >= 1.0 && factor <= kLeastGrowth) factor = 1.0;
  }
  return factor;
}

double Radau5Kernel::shrink(const Trial& trial) const {
  if (trial.outcome != Trial::Outcome::solved) return newton_shrink_;
  if (memory_.is_first) return 0.1;
  const double effort = (1.0 + 2.0 * kMostIterations) / (iterations_ + 2.0 * kMostIterations);
  return std::max(kMostShrink, kSafety * std::min(1.0, effort) * std::pow(trial.error, -0.25));
}

void Radau5Kernel::save(core::ArchiveWriter& archive) const {
  buffers_.save(archive);
  matrix_->save(archive);
  archive.put(memory_.factored_step);
  archive.put(memory_.polynomial_step);
  archive.put(memory_.last_step);
  archive.put(memory_.last_error);
  archive.put(memory_.convergence_bound);
  archive.put(memory_.has_jacobian);
  archive.put(memory_.wants_jacobian);
  archive.put(memory_.has_polynomial);
  archive.put(memory_.is_first);
}

void Radau5Kernel::restore(core::ArchiveReader& archive) {
  buffers_.restore(archive);
  matrix_->restore(archive);
  archive.get(memory_.factored_step);
  archive.get(memory_.polynomial_step);
  archive.get(memory_.last_step);
  archive.get(memory_.last_error);
  archive.get(memory_.convergence_bound);
  archive.get(memory_.has_jacobian);
  archive.get(memory_.wants_jacobian);
  archive.get(memory_.has_polynomial);
  archive.get(memory_.is_first);
  // The factors follow from the Jacobian, bit by bit.
  const double h = memory_.factored_step;
  if (h > 0.0) factorise(h);
}

}  // namespace tieline::solvers
