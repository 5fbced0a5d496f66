#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.hpp"
#include "core/result.hpp"
#include "core/statistics.hpp"
#include "core/step_log.hpp"
#include "solvers/sparse_jacobian.hpp"
#include "wave/track.hpp"

namespace tieline::solvers {

/// Smallest scale of a state or a wave [SI]: only keeps quotients finite, far below anything physical.
inline constexpr double kScaleFloor = 1e-30;

/// What became of a state that was to be taken onto its manifold.
enum class Projection {
  kept,    ///< it was there
  moved,   ///< it is now
  failed,  ///< it cannot be
};

/// dy/dt = f(t, y) with guards: the right-hand side that a stepper drives.
///
/// Within one step f is smooth: modes (contact open or closed, load on or off) are frozen by the owner and change
/// only between steps, when a guard has fired. Guards are oriented by the present mode: g >= 0 while the mode holds,
/// g < 0 beyond it.
class OdeSystem {
 public:
  virtual ~OdeSystem() = default;
  [[nodiscard]] virtual int size() const = 0;
  /// False if f cannot be evaluated (a non-finite value); the stepper then tries a smaller step.
  /// `side` is `right` for an evaluation at the beginning of a step and `left` everywhere else in it.
  virtual bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) = 0;
  /// df/dy, dense by columns, size*size. False: the stepper takes differences.
  virtual bool jacobian(double t, std::span<const double> y, std::span<double> columns) {
    (void)t, (void)y, (void)columns;
    return false;
  }
  /// df/dy where it is sparse, in place of `jacobian`: owned by the system, null if there is none. Its pattern is
  /// settled before a stepper starts; its numbers are those of the last evaluation.
  [[nodiscard]] virtual SparseJacobian* sparse_jacobian() { return nullptr; }
  virtual bool evaluate_sparse_jacobian(double t, std::span<const double> y) {
    (void)t, (void)y;
    return false;
  }
  /// What f's inputs do over [t, t_end] that the stages of one step cannot see, in units of the tolerance; a step is
  /// repeated with a shorter length where it is above 1.
  [[nodiscard]] virtual double unseen_input(double t, double t_end, double relative_tolerance) {
    (void)t, (void)t_end, (void)relative_tolerance;
    return 0.0;
  }
  /// A position and the flow that is its rate, both of them states.
  struct Motion {
    int position = -1, flow = -1;
  };
  /// Those that a method for motions may step as such; positions of no motion are states like all others.
  [[nodiscard]] virtual std::vector<Motion> motions() const { return {}; }
  /// Those of which a part is known beforehand, since inputs alone bring it about: c(t) of `known_part`. Steppers that
  /// can then solve for y - c, which lacks the inputs' structure (KnownPart).
  [[nodiscard]] virtual std::vector<Motion> known_motions() const { return {}; }
  /// c(t) of each: of the flow, with its rate, and as its integral that of the position; zero at t0. t lies in the step
  /// that begins at t0.
  virtual void known_part(double t0, double t, wave::Side side, std::span<wave::TrackValue> motions) {
    (void)t0, (void)t, (void)side, (void)motions;
  }
  /// Whether y must stay on a manifold: the right-hand side keeps it there but for the errors of the steps.
  [[nodiscard]] virtual bool has_constraints() const { return false; }
  /// Takes y, at the end of a step, back onto the manifold.
  virtual Projection project(double t, std::span<double> y) {
    (void)t, (void)y;
    return Projection::kept;
  }
  [[nodiscard]] virtual int guard_count() const { return 0; }
  virtual void guards(double t, std::span<const double> y, std::span<double> values) { (void)t, (void)y, (void)values; }
};

struct StepperOptions {
  double relative_tolerance = 1e-8;
  /// The absolute tolerance of state i is relative_tolerance times the largest |y_i| seen so far; never less than
  /// kScaleShare times the largest of its class, nor kScaleFloor [SI].
  std::vector<int> scale_class{};  ///< class of each state (all positions one class, all velocities another); empty: 0
  /// Sizes of all states that the tolerance counts from, in place of those that they have had; or empty.
  std::vector<double> stated_scales{};
  /// Sizes of all states that the tolerance counts from at most, however large they are; or empty.
  std::vector<double> largest_sizes{};
  double largest_step = std::numeric_limits<double>::infinity();  ///< [s]
  double initial_step = 0.0;                                      ///< [s]; 0: chosen from f
  double fixed_step = 0.0;                                        ///< [s]; of methods with a fixed step
};

/// How one accepted step ended.
struct StepEnd {
  double t = 0.0;        ///< time reached
  int fired_guard = -1;  ///< index of the guard whose crossing the step ended on, or -1
};

/// Advances an OdeSystem by accepted steps.
///
/// Call order: `start`, then `step` again and again; `start` once more after the owner changed the state, a mode, or an
/// input jumped. `interpolate` answers for the last accepted step until the next `step` or `start`.
/// A step never evaluates f beyond its limit. The step path does not allocate once the sizes are known,
/// but for the factors of sparse matrices.
class Stepper {
 public:
  virtual ~Stepper() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// (Re-)starts at (t, y); y is copied. Keeps the scales of the states and, for one-step methods, the step size.
  virtual core::Result<void> start(double t, std::span<const double> y) = 0;
  /// A slope of the inputs breaks at the present time: forget what assumed smoothness (cached f at this time),
  /// but keep as much history as the method can use.
  virtual core::Result<void> note_break() = 0;
  /// The next step is to be no longer than this, whatever the steps before it suggest [s].
  virtual void shorten_next_step(double length) = 0;
  /// Sizes that the states are known to be comparable with, beside the values they have had: raises their scales.
  virtual void note_sizes(std::span<const double> sizes) = 0;
  /// Sizes that the states' tolerances count from at most, however large the states are; infinity: no limit.
  virtual void limit_sizes(std::span<const double> sizes) = 0;
  /// One accepted step that ends at `limit` or before, exactly on `limit` where it would come close to it, or on
  /// the first guard crossing (slightly past it, so that the guard is negative there).
  virtual core::Result<StepEnd> step(double limit) = 0;

  /// Notes where steps end from now on, or lets them end where they did, until called with null.
  virtual void follow_steps(core::StepLog* log, core::StepLogUse use) { (void)log, (void)use; }

  [[nodiscard]] virtual double time() const = 0;
  [[nodiscard]] virtual std::span<const double> state() const = 0;
  /// Begin of the last accepted step (equal to time() right after start).
  [[nodiscard]] virtual double step_start() const = 0;
  /// f at `time` and `state` from the left, if to evaluate it was the last that the last step asked of the system; else
  /// empty. Until the next `step` or `start`.
  [[nodiscard]] virtual std::span<const double> rates_at_end() const { return {}; }
  /// State at a time within the last accepted step.
  virtual void interpolate(double t, std::span<double> y) const = 0;

  /// Whether `save` and `restore` reproduce the following steps bit by bit at any time.
  [[nodiscard]] virtual bool is_copyable() const = 0;
  /// Whether ending steps early at window bounds costs much (multistep methods would rather run on).
  [[nodiscard]] virtual bool prefers_running_on() const = 0;
  [[nodiscard]] virtual wave::Interpolation preferred_interpolation() const = 0;

  virtual void save(core::ArchiveWriter& archive) const = 0;
  virtual void restore(core::ArchiveReader& archive) = 0;
  /// Solver counters (steps, rhs_calls, jacobian_calls, failures, order_sum, events).
  [[nodiscard]] virtual const core::Statistics& statistics() const = 0;
};

enum class Method { dopri5, radau5, rk4, zhai, cvode_bdf, cvode_adams, ida };

[[nodiscard]] std::optional<Method> method_from_name(std::string_view name);
[[nodiscard]] std::string_view name_of(Method method);
/// Whether steps lean on a history of past ones, which starts again where a state or an input jumps.
[[nodiscard]] bool is_multistep(Method method);
/// Whether steps have a length that is given to them.
[[nodiscard]] bool has_fixed_step(Method method);
/// Whether steps solve equations with the Jacobian.
[[nodiscard]] bool is_implicit(Method method);
/// All names a model file may use.
[[nodiscard]] std::span<const std::string_view> all_method_names();

/// Version of SUNDIALS in use, for reports.
[[nodiscard]] std::string sundials_version();

/// `system` must outlive the stepper.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(Method method, OdeSystem& system, const StepperOptions& options);

}  // namespace tieline::solvers
