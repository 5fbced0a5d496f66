#include "solvers/zhai.hpp"

namespace tieline::solvers {
namespace {

/// A slope over a much shorter step is that of roundings.
constexpr double kMostGrowthOfStep = 2.0;

}  // namespace

ZhaiKernel::ZhaiKernel(OdeSystem& system, const ErrorScale&, core::Statistics& statistics)
    : system_(system), statistics_(statistics), buffers_(system.size(), 3), motions_(system.motions()) {}

Trial ZhaiKernel::attempt(double t, double t_end) {
  const double h = h_ = t_end - t;
  const std::size_t n = buffers_.size();
  const double *y = buffers_.present(), *f = buffers_.stage(kNow), *before = buffers_.stage(kBefore);
  double* z = buffers_.trial();
  if (has_past_ && h <= kMostGrowthOfStep * past_) {
    const double phi = 0.5 * h / past_;
    for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + h * ((1.0 + phi) * f[i] - phi * before[i]);
    // eqs. (1) and (2) in [Zhai1996]; the rate of x at the start of the step is v.
    for (const OdeSystem::Motion& motion : motions_) {
      const auto x = static_cast<std::size_t>(motion.position), v = static_cast<std::size_t>(motion.flow);
      z[x] = y[x] + h * (f[x] + h * ((0.5 + phi) * f[v] - phi * before[v]));
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + h * f[i];
    if (!rhs(t_end, wave::Side::left, z, kEnd)) return {Trial::Outcome::not_finite, 0.0, -1};
    const double* end = buffers_.stage(kEnd);
    for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + 0.5 * h * (f[i] + end[i]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(z[i])) return {Trial::Outcome::not_finite, 0.0, static_cast<int>(i)};
  }
  return {};
}

void ZhaiKernel::interpolate(const double* y0, const double* y1, const double* f0, double h, double theta,
                             std::span<double> y) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double slope = h * f0[i];
    y[i] = y0[i] + theta * (slope + theta * (y1[i] - y0[i] - slope));
  }
}

void ZhaiKernel::save(core::ArchiveWriter& archive) const {
  buffers_.save(archive);
  archive.put(h_);
  archive.put(past_);
  archive.put(has_past_);
}

void ZhaiKernel::restore(core::ArchiveReader& archive) {
  buffers_.restore(archive);
  archive.get(h_);
  archive.get(past_);
  archive.get(has_past_);
}

}  // namespace tieline::solvers
