#pragma once

#include <array>
#include <string>

#include "solvers/error_scale.hpp"
#include "solvers/guard_watch.hpp"
#include "solvers/jacobian.hpp"
#include "solvers/newton_matrix.hpp"
#include "solvers/start_probe.hpp"
#include "solvers/stepper.hpp"
#include "solvers/sundials_handles.hpp"

namespace tieline::solvers {

/// The multistep methods of CVODE [Hindmarsh2005]: BDF of order 1 to 5 and Adams-Moulton of order 1 to 12, both with
/// Newton's iteration on a dense matrix, or on a sparse one where the system gives its Jacobian so.
///
/// Their history of past steps cannot be copied: `save` keeps what a start needs (time, state, scales), and `restore`
/// starts anew there. A step that ends on a guard takes the interpolated state, and the next one starts anew from it.
/// Not movable: CVODE holds its address.
class CvodeStepper final : public Stepper {
 public:
  enum class Family { bdf, adams };
  CvodeStepper(Family family, OdeSystem& system, const StepperOptions& options);
  CvodeStepper(const CvodeStepper&) = delete;
  CvodeStepper& operator=(const CvodeStepper&) = delete;

  [[nodiscard]] std::string_view name() const override { return family_ == Family::bdf ? "cvode-bdf" : "cvode-adams"; }
  core::Result<void> start(double t, std::span<const double> y) override;
  core::Result<void> note_break() override;
  void shorten_next_step(double length) override { longest_next_ = length; }
  void note_sizes(std::span<const double> sizes) override { scale_.note(sizes); }
  core::Result<StepEnd> step(double limit) override;

  [[nodiscard]] double time() const override { return t_; }
  [[nodiscard]] std::span<const double> state() const override { return state_; }
  [[nodiscard]] double step_begin() const override { return begin_; }
  void interpolate(double t, std::span<double> y) const override;

  [[nodiscard]] bool is_copyable() const override { return false; }
  [[nodiscard]] bool prefers_running_on() const override { return true; }
  [[nodiscard]] wave::Interpolation preferred_interpolation() const override { return wave::Interpolation::cubic; }
  void save(core::ArchiveWriter& archive) const override;
  void restore(core::ArchiveReader& archive) override;
  [[nodiscard]] const core::Statistics& statistics() const override { return statistics_; }

 private:
  static int rhs_callback(double t, N_Vector y, N_Vector ydot, void* self);
  static int jacobian_callback(double t, N_Vector y, N_Vector f, SUNMatrix matrix, void* self, N_Vector, N_Vector,
                               N_Vector);
  static int sparse_system_callback(double t, N_Vector y, N_Vector f, SUNMatrix matrix, int is_jacobian_good,
                                    int* is_jacobian_new, double gamma, void* self, N_Vector, N_Vector, N_Vector);
  static int projection_callback(double t, N_Vector y, N_Vector correction, double tolerance, N_Vector error,
                                 void* self);
  static int weights_callback(N_Vector y, N_Vector weights, void* self);
  static void error_callback(int code, const char* module, const char* function, char* message, void* self);

  void attach_dense_solver();
  void attach_sparse_solver();
  [[nodiscard]] wave::Side side_at(double t) const;
  bool reinitialise(double limit);
  [[nodiscard]] double choose_stop(double limit) const;
  [[nodiscard]] int advance(double limit, double& reached);
  core::Result<StepEnd> leap(double limit);
  Crossing find_crossing(double& reached);
  StepEnd finish(double reached, const Crossing& crossing, int order);
  void count_call();
  void count_failures();
  [[nodiscard]] int worst_state(double limit);
  [[nodiscard]] core::Error failure(int flag, double limit);

  Family family_;
  OdeSystem& system_;
  StepperOptions options_;
  core::Statistics statistics_;
  ErrorScale scale_;
  GuardWatch guards_;
  StartProbe probe_;
  JacobianSource jacobian_;
  std::vector<double> state_;
  std::vector<double> begin_state_;

  ContextHandle context_;
  VectorHandle y_;
  VectorHandle scratch_;
  std::unique_ptr<NewtonMatrix> sparse_matrix_;  ///< behind the handles, where the Jacobian is sparse
  MatrixHandle matrix_;
  LinearSolverHandle linear_solver_;
  CvodeHandle cvode_;

  double t_ = 0.0;
  double begin_ = 0.0;
  double right_side_time_;       ///< time of the last start or break: f is evaluated on its right side there
  double factored_shift_ = 0.0;  ///< of the sparse factors at hand [1/s]
  double weight_step_ = 0.0;     ///< step size for the noise in the weights [s]
  double longest_next_ = std::numeric_limits<double>::infinity();  ///< of the next step, where there is history [s]
  bool needs_start_ = true;                                        ///< the history does not fit (t_, state_)
  bool is_linear_ = false;  ///< the last step was too short for CVODE: interpolate linearly
  long seen_error_test_failures_ = 0;
  long seen_convergence_failures_ = 0;
  long failures_at_call_ = 0;             ///< of both kinds, when f was last called
  std::uint64_t calls_of_try_ = 0;        ///< of f, in the present try of a step
  int last_cause_ = CV_ERR_FAILURE;       ///< why CVODE last repeated a step
  std::array<char, 256> last_message_{};  ///< what CVODE said last
};

}  // namespace tieline::solvers
