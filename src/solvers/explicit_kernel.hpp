#pragma once

#include "solvers/one_step.hpp"
#include "solvers/step_buffers.hpp"

namespace tieline::solvers {

/// What explicit one-step kernels share: the last of their stages is f at the end of the step, and the first of the
/// next step unless a break or a new start came between.
class ExplicitKernel {
 public:
  void note_break() { has_first_stage_ = false; }
  bool begin_step(double t) {
    if (!has_first_stage_) {
      is_last_stage_fresh_ = false;
      has_first_stage_ = rhs(t, wave::Side::right, buffers_.present(), buffers_.stage(0));
    } else if (is_last_stage_fresh_) {
      buffers_.swap_stages(0, last_stage_);
      is_last_stage_fresh_ = false;
    }
    return has_first_stage_;
  }
  void accept(double, double) {
    buffers_.accept();
    is_last_stage_fresh_ = true;
  }
  void rebase(std::span<const double> y, std::span<const double> rate_change) {
    buffers_.set_present(y);
    if (!has_first_stage_) return;
    double* f = buffers_.stage(is_last_stage_fresh_ ? last_stage_ : 0);
    for (std::size_t i = 0; i < rate_change.size(); ++i) f[i] += rate_change[i];
  }
  [[nodiscard]] std::span<const double> state() const { return buffers_.span(buffers_.present()); }
  [[nodiscard]] std::span<const double> last_rates() const {
    return is_last_stage_fresh_ && has_first_stage_ ? buffers_.span(buffers_.stage(last_stage_)) : std::span<double>{};
  }
  [[nodiscard]] std::span<double> trial() { return buffers_.span(buffers_.trial()); }

 protected:
  ExplicitKernel(KnownPart& system, core::Statistics& statistics, int stage_count)
      : buffers_(system.size(), stage_count), last_stage_(stage_count - 1), system_(system), statistics_(statistics) {}

  void start(std::span<const double> y) {
    buffers_.set_present(y);
    has_first_stage_ = false;
  }
  bool rhs(double t, wave::Side side, double* y, double* ydot) {
    ++statistics_.rhs_calls;
    return system_.rhs(t, side, buffers_.span(y), buffers_.span(ydot));
  }
  void save(core::ArchiveWriter& archive) const {
    buffers_.save(archive);
    archive.put(h_);
    archive.put(has_first_stage_);
    archive.put(is_last_stage_fresh_);
  }
  void restore(core::ArchiveReader& archive) {
    buffers_.restore(archive);
    archive.get(h_);
    archive.get(has_first_stage_);
    archive.get(is_last_stage_fresh_);
  }

  StepBuffers buffers_;
  double h_ = 0.0;  ///< length of the last trial [s]

 private:
  int last_stage_;
  KnownPart& system_;
  core::Statistics& statistics_;
  bool has_first_stage_ = false;      ///< the first or the last stage is f at the present state
  bool is_last_stage_fresh_ = false;  ///< it is the last one, not yet moved
};

}  // namespace tieline::solvers
