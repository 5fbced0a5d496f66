// [Dormand1980] J.R. Dormand, P.J. Prince, A family of embedded Runge-Kutta formulae: method of order 5, error estimate
// of order 4, first stage same as the last one of the step before. Continuous extension of order 4 and step-size
// control (PI) as in [Hairer1993], sections II.5, II.6 and IV.2 (of volume II).
//
//   there        here
//   k_1..k_7     stage(0)..stage(6)
//   a_ij, c_i    kA.., kC..
//   e_i          kE..: difference of the two formulas
//   d_i          kD..: coefficients of the continuous extension
//   beta         kBeta: weight of the previous error in the step-size control
//
// Stability on the real axis down to h*lambda = -3.3, on the imaginary axis up to about 1. The error norm is the
// largest quotient of error and tolerance rather than the mean square: states at rest then do not loosen the tolerance
// of others.
#include "solvers/dopri5.hpp"

namespace tieline::solvers {
namespace {

constexpr double kC2 = 1.0 / 5, kC3 = 3.0 / 10, kC4 = 4.0 / 5, kC5 = 8.0 / 9;
constexpr double kA21 = 1.0 / 5;
constexpr double kA31 = 3.0 / 40, kA32 = 9.0 / 40;
constexpr double kA41 = 44.0 / 45, kA42 = -56.0 / 15, kA43 = 32.0 / 9;
constexpr double kA51 = 19372.0 / 6561, kA52 = -25360.0 / 2187, kA53 = 64448.0 / 6561, kA54 = -212.0 / 729;
constexpr double kA61 = 9017.0 / 3168, kA62 = -355.0 / 33, kA63 = 46732.0 / 5247, kA64 = 49.0 / 176,
                 kA65 = -5103.0 / 18656;
constexpr double kA71 = 35.0 / 384, kA73 = 500.0 / 1113, kA74 = 125.0 / 192, kA75 = -2187.0 / 6784, kA76 = 11.0 / 84;
constexpr double kE1 = 71.0 / 57600, kE3 = -71.0 / 16695, kE4 = 71.0 / 1920, kE5 = -17253.0 / 339200, kE6 = 22.0 / 525,
                 kE7 = -1.0 / 40;
constexpr double kD1 = -12715105075.0 / 11282082432.0, kD3 = 87487479700.0 / 32700410799.0,
                 kD4 = -10690763975.0 / 1880347072.0, kD5 = 701980252875.0 / 199316789632.0,
                 kD6 = -1453857185.0 / 822651844.0, kD7 = 69997945.0 / 29380423.0;

constexpr double kSafety = 0.9;
constexpr double kBeta = 0.04;
constexpr double kErrorExponent = 0.2 - 0.75 * kBeta;
constexpr double kMostShrink = 0.2;
/// Errors below these say no more than "small".
constexpr double kSmallestError = 1e-12;
constexpr double kSmallestLastError = 1e-4;

}  // namespace

Dopri5Kernel::Dopri5Kernel(KnownPart& system, const ErrorScale& scale, core::Statistics& statistics)
    : ExplicitKernel(system, statistics, 7),
      scale_(scale),
      error_(static_cast<std::size_t>(system.size()), 0.0),
      log_last_error_(std::log(kSmallestLastError)) {}

void Dopri5Kernel::start(std::span<const double> y) {
  ExplicitKernel::start(y);
  log_last_error_ = std::log(kSmallestLastError);
}

Trial Dopri5Kernel::attempt(double t, double t_end) {
  const double h = h_ = t_end - t;
  const std::size_t n = buffers_.size();
  const double* y = buffers_.present();
  double* z = buffers_.trial();
  const double* k1 = buffers_.stage(0);
  double* k2 = buffers_.stage(1);
  double* k3 = buffers_.stage(2);
  double* k4 = buffers_.stage(3);
  double* k5 = buffers_.stage(4);
  double* k6 = buffers_.stage(5);
  double* k7 = buffers_.stage(6);
  const auto at = [&](double c) { return std::min(t + c * h, t_end); };
  constexpr auto kLeft = wave::Side::left;
  constexpr Trial kFailed{Trial::Outcome::not_finite, 0.0, -1};

  for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + h * (kA21 * k1[i]);
  if (!rhs(at(kC2), kLeft, z, k2)) return kFailed;
  for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + h * (kA31 * k1[i] + kA32 * k2[i]);
  if (!rhs(at(kC3), kLeft, z, k3)) return kFailed;
  for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + h * (kA41 * k1[i] + kA42 * k2[i] + kA43 * k3[i]);
  if (!rhs(at(kC4), kLeft, z, k4)) return kFailed;
  for (std::size_t i = 0; i < n; ++i) {
    z[i] = y[i] + h * (kA51 * k1[i] + kA52 * k2[i] + kA53 * k3[i] + kA54 * k4[i]);
  }
  if (!rhs(at(kC5), kLeft, z, k5)) return kFailed;
  for (std::size_t i = 0; i < n; ++i) {
    z[i] = y[i] + h * (kA61 * k1[i] + kA62 * k2[i] + kA63 * k3[i] + kA64 * k4[i] + kA65 * k5[i]);
  }
  if (!rhs(t_end, kLeft, z, k6)) return kFailed;
  for (std::size_t i = 0; i < n; ++i) {
    z[i] = y[i] + h * (kA71 * k1[i] + kA73 * k3[i] + kA74 * k4[i] + kA75 * k5[i] + kA76 * k6[i]);
  }
  if (!rhs(t_end, kLeft, z, k7)) return kFailed;
  for (std::size_t i = 0; i < n; ++i) {
    error_[i] = h * (kE1 * k1[i] + kE3 * k3[i] + kE4 * k4[i] + kE5 * k5[i] + kE6 * k6[i] + kE7 * k7[i]);
  }
  const ScaledError error = scale_.norm(error_, {z, n}, h);
  if (std::isnan(error.value)) return {Trial::Outcome::not_finite, 0.0, error.worst};
  return {Trial::Outcome::solved, error.value, error.worst};
}

double Dopri5Kernel::growth(double error, double, bool is_cut) {
  const double log_error = std::log(std::max(error, kSmallestError));
  const double factor = kSafety * std::exp(kBeta * log_last_error_ - kErrorExponent * log_error);
  if (!is_cut) log_last_error_ = std::max(log_error, std::log(kSmallestLastError));
  return std::min(kMostGrowth, std::max(kMostShrink, factor));
}

double Dopri5Kernel::shrink(const Trial& trial) const {
  if (trial.outcome != Trial::Outcome::solved) return kMostShrink;
  return std::max(kMostShrink, kSafety * std::pow(trial.error, -kErrorExponent));
}

void Dopri5Kernel::interpolate(const double* y0, const double* y1, double theta, std::span<double> y) const {
  const double rest = 1.0 - theta;
  const double *k1 = buffers_.stage(0), *k3 = buffers_.stage(2), *k4 = buffers_.stage(3), *k5 = buffers_.stage(4),
               *k6 = buffers_.stage(5), *k7 = buffers_.stage(6);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double change = y1[i] - y0[i];
    const double bend = h_ * k1[i] - change;
    const double twist = change - h_ * k7[i] - bend;
    const double fourth = h_ * (kD1 * k1[i] + kD3 * k3[i] + kD4 * k4[i] + kD5 * k5[i] + kD6 * k6[i] + kD7 * k7[i]);
    y[i] = y0[i] + theta * (change + rest * (bend + theta * (twist + rest * fourth)));
  }
}

void Dopri5Kernel::save(core::ArchiveWriter& archive) const {
  ExplicitKernel::save(archive);
  archive.put(log_last_error_);
}

void Dopri5Kernel::restore(core::ArchiveReader& archive) {
  ExplicitKernel::restore(archive);
  archive.get(log_last_error_);
}

}  // namespace tieline::solvers
