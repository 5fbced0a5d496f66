#include "solvers/rk4.hpp"

namespace tieline::solvers {

Rk4Kernel::Rk4Kernel(KnownPart& system, const ErrorScale&, core::Statistics& statistics)
    : ExplicitKernel(system, statistics, 5) {}

Trial Rk4Kernel::attempt(double t, double t_end) {
  const double h = h_ = t_end - t;
  const double middle = std::min(t + 0.5 * h, t_end);
  const std::size_t n = buffers_.size();
  const double* y = buffers_.present();
  double* z = buffers_.trial();
  double *k1 = buffers_.stage(0), *k2 = buffers_.stage(1), *k3 = buffers_.stage(2), *k4 = buffers_.stage(3);
  constexpr auto kLeft = wave::Side::left;
  constexpr Trial kFailed{Trial::Outcome::not_finite, 0.0, -1};

  for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + 0.5 * h * k1[i];
  if (!rhs(middle, kLeft, z, k2)) return kFailed;
  for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + 0.5 * h * k2[i];
  if (!rhs(middle, kLeft, z, k3)) return kFailed;
  for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + h * k3[i];
  if (!rhs(t_end, kLeft, z, k4)) return kFailed;
  for (std::size_t i = 0; i < n; ++i) {
    z[i] = y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
    if (!std::isfinite(z[i])) return {Trial::Outcome::not_finite, 0.0, static_cast<int>(i)};
  }
  if (!rhs(t_end, kLeft, z, buffers_.stage(4))) return kFailed;
  return {};
}

void Rk4Kernel::interpolate(const double* y0, const double* y1, double theta, std::span<double> y) const {
  const double rest = 1.0 - theta;
  const double *f0 = buffers_.stage(0), *f1 = buffers_.stage(4);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double change = y1[i] - y0[i];
    const double bend = h_ * f0[i] - change;
    const double twist = change - h_ * f1[i] - bend;
    y[i] = y0[i] + theta * (change + rest * (bend + theta * twist));
  }
}

}  // namespace tieline::solvers
