#pragma once

#include <vector>

#include "solvers/one_step.hpp"
#include "solvers/step_buffers.hpp"

namespace tieline::solvers {

/// The explicit two-step method of [Zhai1996] with a fixed step, for the motions of structures: one evaluation a step.
///
/// Notation: x positions with the velocities v as their rates (`OdeSystem::motions`), a the rates of these; z all other
/// states, f their rates; a' and f' what a and f were at the start of the step before, which had the length h'.
///
///   x+ = x + h v + (1/2 + psi) h^2 a - psi h^2 a'     (psi = phi = 1/2)
///   v+ = v + (1 + phi) h a - phi h a'                 (the same for z with f)
///
/// Of second order; psi = phi = h/(2 h') keeps it where a step is cut. A step without a past, behind a start, a break
/// or a step of less than half its length, is one of Heun's method, with two evaluations. Undamped oscillations neither
/// grow nor decay up to h omega = 2, damped ones decay up to a little less; those in z, which are the method of Adams
/// and Bashforth, grow slowly where nothing damps them.
///
/// Where a step ends depends on nothing that happens in it: f is evaluated at the start of the next one, with the
/// inputs that are known by then, so that components that step in turns are computed as one. Where f cannot be
/// evaluated there, no shorter step helps any more. Between its ends a step is interpolated by a parabola. Kernel of
/// OneStepStepper.
class ZhaiKernel {
 public:
  static constexpr std::string_view kName = "zhai";
  static constexpr int kOrder = 2;
  static constexpr bool kIsFixed = true;
  static constexpr double kMostGrowth = 1.0;
  static double internal_tolerance(double relative_tolerance) { return relative_tolerance; }

  ZhaiKernel(OdeSystem& system, const ErrorScale& scale, core::Statistics& statistics);

  void start(std::span<const double> y) {
    buffers_.set_present(y);
    has_past_ = false;
  }
  void note_break() { has_past_ = false; }
  bool begin_step(double t) { return rhs(t, wave::Side::right, buffers_.present(), kNow); }
  Trial attempt(double t, double t_end);
  void accept(double t, double t_end) {
    buffers_.accept();
    buffers_.swap_stages(kNow, kBefore);
    past_ = t_end - t;
    has_past_ = true;
  }
  /// Rates of the past count from where the known part does.
  void rebase(std::span<const double> y, std::span<const double> rate_change) {
    buffers_.set_present(y);
    for (std::size_t i = 0; i < rate_change.size(); ++i) buffers_.stage(kBefore)[i] += rate_change[i];
  }
  [[nodiscard]] double growth(double, double, bool) const { return 1.0; }
  [[nodiscard]] double shrink(const Trial&) const { return 0.5; }

  [[nodiscard]] std::span<const double> state() const { return buffers_.span(buffers_.present()); }
  [[nodiscard]] std::span<const double> last_rates() const { return {}; }
  [[nodiscard]] std::span<double> trial() { return buffers_.span(buffers_.trial()); }
  void interpolate_trial(double theta, std::span<double> y) const {
    interpolate(buffers_.present(), buffers_.trial(), buffers_.stage(kNow), h_, theta, y);
  }
  void interpolate_last(double theta, std::span<double> y) const {
    interpolate(buffers_.begin(), buffers_.present(), buffers_.stage(kBefore), past_, theta, y);
  }

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  /// Rows of rates: at the start of this step and of the one before, and at the end of a trial of Heun's method.
  enum Row { kNow, kBefore, kEnd };

  bool rhs(double t, wave::Side side, double* y, Row row) {
    ++statistics_.rhs_calls;
    return system_.rhs(t, side, buffers_.span(y), buffers_.span(buffers_.stage(row)));
  }
  static void interpolate(const double* y0, const double* y1, const double* f0, double h, double theta,
                          std::span<double> y);

  OdeSystem& system_;
  core::Statistics& statistics_;
  StepBuffers buffers_;
  std::vector<OdeSystem::Motion> motions_;
  double h_ = 0.0;         ///< length of the last trial [s]
  double past_ = 0.0;      ///< length of the last accepted step [s]
  bool has_past_ = false;  ///< kBefore and past_ are of the motion as it continues
};

}  // namespace tieline::solvers
