#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "solvers/error_scale.hpp"
#include "solvers/guard_watch.hpp"
#include "solvers/jacobian.hpp"
#include "solvers/newton_matrix.hpp"
#include "solvers/start_probe.hpp"
#include "solvers/stepper.hpp"
#include "solvers/sundials_handles.hpp"

namespace tieline::solvers {

/// What the multistep integrators of SUNDIALS [Hindmarsh2005] have in common as steppers: starts, stop times, guards,
/// error scales, interpolation, counters, failures and the matrices of Newton's iteration. A derived class owns the
/// integrator and answers the questions below about it.
///
/// Their history of past steps cannot be copied: `save` keeps what a start needs (time, state, scales), and `restore`
/// starts again there. A step that ends on a guard takes the interpolated state, and the next one starts again from it.
/// Not movable: the integrator holds its address.
class SundialsStepper : public Stepper {
 public:
  SundialsStepper(const SundialsStepper&) = delete;
  SundialsStepper& operator=(const SundialsStepper&) = delete;

  [[nodiscard]] std::string_view name() const final { return name_; }
  core::Result<void> start(double t, std::span<const double> y) final;
  core::Result<void> note_break() final;
  void shorten_next_step(double length) final { longest_next_ = length; }
  void note_sizes(std::span<const double> sizes) final { scale_.note(sizes); }
  void limit_sizes(std::span<const double> sizes) final { scale_.limit(sizes); }
  core::Result<StepEnd> step(double limit) final;

  [[nodiscard]] double time() const final { return t_; }
  [[nodiscard]] std::span<const double> state() const final { return state_; }
  [[nodiscard]] double step_start() const final { return start_; }
  void interpolate(double t, std::span<double> y) const final;

  [[nodiscard]] bool is_copyable() const final { return false; }
  [[nodiscard]] bool prefers_running_on() const final { return true; }
  [[nodiscard]] wave::Interpolation preferred_interpolation() const final { return wave::Interpolation::cubic; }
  void save(core::ArchiveWriter& archive) const final;
  void restore(core::ArchiveReader& archive) final;
  [[nodiscard]] const core::Statistics& statistics() const final { return statistics_; }

 protected:
  /// What one call of the integrator came to.
  enum class Outcome {
    stepped,
    stopped,         ///< stepped, up to the stop time
    error_test,      ///< failed for good, as all that follow
    no_convergence,  ///< of Newton's iteration
    not_finite,      ///< f cannot be evaluated
    refused,         ///< for a reason that `last_code_` and the integrator's message give
  };
  /// Of the tries that failed since the last start.
  struct Failures {
    long error_tests = 0;
    long convergence = 0;
  };

  /// What is lost in the rounding of times between these two, with a margin [s].
  [[nodiscard]] static double rounding_of(double t, double limit);

  SundialsStepper(std::string_view name, OdeSystem& system, const StepperOptions& options);

  /// Starts the integrator again at (t, vector()), on the way to `limit`.
  [[nodiscard]] virtual Outcome restart_integrator(double t, double limit) = 0;
  /// One step towards `limit`, not beyond the stop time; leaves the state in vector() and its time in `reached`.
  [[nodiscard]] virtual Outcome step_integrator(double limit, double& reached) = 0;
  virtual void set_stop_time(double t) = 0;
  /// The state within the last step of the integrator.
  virtual void solution_at(double t, N_Vector y) const = 0;
  [[nodiscard]] virtual double next_step() const = 0;  ///< [s]
  [[nodiscard]] virtual int last_order() const = 0;
  [[nodiscard]] virtual Failures failures() const = 0;
  virtual void local_errors(N_Vector errors) const = 0;
  /// Whether steps end on the manifold of a system with constraints.
  [[nodiscard]] virtual bool keeps_constraints() const = 0;

  /// The stepper behind the user data of a callback, which is the address of this base.
  template <class Derived>
  static Derived& from(void* self) {
    return static_cast<Derived&>(*static_cast<SundialsStepper*>(self));
  }
  [[nodiscard]] static std::span<double> values_of(N_Vector vector);
  static int weights_callback(N_Vector y, N_Vector weights, void* self);
  static void error_callback(int code, const char* module, const char* function, char* message, void* self);

  [[nodiscard]] OdeSystem& system() { return system_; }
  [[nodiscard]] SUNContext context() const { return context_.get(); }
  [[nodiscard]] N_Vector vector() const { return y_.get(); }
  [[nodiscard]] SUNMatrix matrix() const { return matrix_.get(); }
  [[nodiscard]] SUNLinearSolver linear_solver() const { return linear_solver_.get(); }
  [[nodiscard]] bool is_sparse() const { return sparse_matrix_ != nullptr; }

  /// Counted; on the right side of the last start or break, on the left side elsewhere.
  [[nodiscard]] bool evaluate(double t, N_Vector y, N_Vector ydot);
  /// df/dy into the dense matrix; `f` is that of (t, y).
  [[nodiscard]] bool fill_dense_jacobian(double t, N_Vector y, N_Vector f);
  [[nodiscard]] bool evaluate_sparse_jacobian(double t, N_Vector y, N_Vector f);
  /// s I - df/dy, with s = shift [1/s]; solutions are those of right sides times `right_side_factor`.
  [[nodiscard]] bool factorise_sparse(double shift, double right_side_factor);

  int last_code_ = 0;  ///< what the integrator returned last

 private:
  void make_dense_solver();
  void make_sparse_solver();
  [[nodiscard]] wave::Side side_at(double t) const;
  [[nodiscard]] Outcome restart(double limit);
  [[nodiscard]] double choose_stop(double limit) const;
  [[nodiscard]] Outcome advance(double limit, double& reached);
  core::Result<StepEnd> leap(double limit);
  Crossing find_crossing(double& reached);
  StepEnd finish(double reached, const Crossing& crossing, int order);
  void count_call();
  void count_failures();
  [[nodiscard]] int worst_state(double limit);
  [[nodiscard]] core::Error failure(Outcome outcome, double limit);

  std::string_view name_;
  OdeSystem& system_;
  StepperOptions options_;
  core::Statistics statistics_;
  ErrorScale scale_;
  GuardWatch guards_;
  StartProbe probe_;
  JacobianSource jacobian_;
  std::vector<double> state_;
  std::vector<double> start_state_;

  ContextHandle context_;
  VectorHandle y_;
  VectorHandle scratch_;
  std::unique_ptr<NewtonMatrix> sparse_matrix_;  ///< behind the handles, where the Jacobian is sparse
  MatrixHandle matrix_;
  LinearSolverHandle linear_solver_;

  double t_ = 0.0;
  double start_ = 0.0;
  double right_side_time_;          ///< time of the last start or break: f is evaluated on its right side there
  double right_side_factor_ = 1.0;  ///< of the sparse factors at hand
  double weight_step_ = 0.0;        ///< step size for the noise in the weights [s]
  double longest_next_ = std::numeric_limits<double>::infinity();  ///< of the next step, where there is history [s]
  bool needs_start_ = true;                                        ///< the history does not fit (t_, state_)
  bool is_linear_ = false;  ///< the last step was too short for the integrator: interpolate linearly
  Failures seen_failures_;
  long failures_at_call_ = 0;                 ///< of both kinds, when f was last called
  std::uint64_t calls_of_try_ = 0;            ///< of f, in the present try of a step
  Outcome last_cause_ = Outcome::error_test;  ///< why the integrator last repeated a step
  std::array<char, 256> last_message_{};      ///< what the integrator said last
};

}  // namespace tieline::solvers
