#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "components/ode_model.hpp"
#include "components/signal_sampler.hpp"
#include "components/step_check.hpp"
#include "core/component.hpp"
#include "core/energy_watch.hpp"
#include "core/error_estimate.hpp"
#include "core/facts.hpp"
#include "core/linear_facts.hpp"
#include "core/row_schedule.hpp"
#include "core/scene.hpp"
#include "solvers/stepper.hpp"

namespace tieline::components {

class WaveSampler;

/// How a native component is to be integrated.
struct SolverChoice {
  std::optional<solvers::Method> method{};  ///< empty: chosen from the model's eigenvalues at the start
  double relative_tolerance = 1e-8;
  double largest_step = std::numeric_limits<double>::infinity();  ///< [s]
  bool controls_efforts = true;                                   ///< the tolerance applies to efforts at lines as well
  double fixed_step = 0.0;                                        ///< [s], of methods with a fixed step
  double window_hint = 0.0;  ///< [s] typical stretch between exchanges, for the automatic choice
};

/// Wall time of windows that were measured [s].
struct WindowTimes {
  double total = 0.0, rhs = 0.0, jacobian = 0.0, writing = 0.0;
};

/// A native component: equations (OdeModel) driven by a stepper through the windows of a run.
///
/// Ends steps at breaks of its inputs and of the model, and on guards; publishes a sample of every port after each
/// accepted step and at each window's end, two at a break, and of signals as many in between as they need; records
/// rows; integrates the work through its ports with three Gauss points per stretch on the solver's own dense output,
/// independently of what the waves say. Work through ports that no connection joins counts as supplied.
/// Multistep solvers run past a window's end as far as the horizon allows, and the end is interpolated.
class OdeComponent final : public core::Component,
                           public core::Linearisable,
                           public core::Visible,
                           public core::SelfChecking,
                           public core::FactSource,
                           private solvers::OdeSystem {
 public:
  OdeComponent(std::string name, std::unique_ptr<OdeModel> model, SolverChoice choice);
  ~OdeComponent() override;

  [[nodiscard]] OdeModel& model() { return *model_; }
  [[nodiscard]] const SolverChoice& choice() const { return choice_; }
  /// Gives the equations away, to be solved together with others; nothing else may be asked of it afterwards.
  [[nodiscard]] std::unique_ptr<OdeModel> take_model() { return std::move(model_); }

  [[nodiscard]] std::span<core::Port> ports() override { return model_->ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override {
    return model_->spatial_interfaces();
  }
  [[nodiscard]] core::Capabilities capabilities() const override;
  [[nodiscard]] std::vector<core::Column> columns() const override { return model_->columns(); }
  void plan_recording(core::RecordPlan plan) override;
  void current_values(std::span<double> values) override;

  [[nodiscard]] core::Equilibrium* equilibrium() override { return model_->equilibrium(); }

  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window& window) override;
  core::Result<double> step(double limit) override;
  core::Result<void> settle() override;
  void follow_steps(core::StepLog* log, core::StepLogUse use) override {
    if (stepper_) stepper_->follow_steps(log, use);
  }
  [[nodiscard]] double time() const override { return published_to_; }
  [[nodiscard]] const core::Ending* ending() const override { return model_->ending(); }

  core::Result<void> save(core::ArchiveWriter& archive) const override;
  core::Result<void> restore(core::ArchiveReader& archive) override;
  [[nodiscard]] std::optional<core::Energy> energy() const override;
  [[nodiscard]] core::Scene scene() const override { return model_->scene(); }
  [[nodiscard]] core::Statistics statistics() const override;
  [[nodiscard]] std::optional<core::LinearFacts> linear_facts(int most_states = core::kMostStatesForAdvice) override;
  /// Of a model that knows no energies, the work of what is prescribed at its ends.
  [[nodiscard]] std::vector<core::Fact> facts() const override;
  [[nodiscard]] core::StepErrors step_errors() const override {
    return has_fixed_step_ ? step_check_.errors() : core::StepErrors{};
  }

 private:
  /// An interface in space, and the first of its ports.
  struct SpaceEnd {
    core::SpatialInterface* interface = nullptr;
    std::size_t first_port = 0;
  };
  /// Counts a window, and decides whether it is measured.
  void choose_profile();
  // The stepper sees the model through this component, which counts time and calls.
  [[nodiscard]] int size() const override { return model_->size(); }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  bool jacobian(double t, std::span<const double> y, std::span<double> columns) override;
  [[nodiscard]] solvers::SparseJacobian* sparse_jacobian() override { return model_->sparse_jacobian(); }
  bool evaluate_sparse_jacobian(double t, std::span<const double> y) override;
  [[nodiscard]] double unseen_input(double t, double t_end, double relative_tolerance) override;
  [[nodiscard]] std::vector<Motion> motions() const override { return model_->motions(); }
  [[nodiscard]] std::vector<Motion> known_motions() const override;
  void known_part(double t0, double t, wave::Side side, std::span<wave::TrackValue> motions) override;
  [[nodiscard]] int guard_count() const override { return model_->guard_count(); }
  void guards(double t, std::span<const double> y, std::span<double> values) override { model_->guards(t, y, values); }
  [[nodiscard]] bool has_constraints() const override { return model_->has_constraints(); }
  solvers::Projection project(double t, std::span<double> y) override { return model_->project(t, y); }

  /// Effort per rate of flow at a port, see core::LinearFacts, and how fast all flows change per effort there,
  /// and all states.
  [[nodiscard]] double port_inertia(std::size_t index, std::span<double> rates_per_effort, std::span<double> answers);
  [[nodiscard]] Eigen::MatrixXd flow_slopes();
  void add_elastic_stiffness(const Eigen::MatrixXd& J, const Eigen::MatrixXd& rates_by_effort,
                             core::LinearFacts& facts);
  void join_directions(const Eigen::MatrixXd& rates_per_effort, core::LinearFacts& facts);
  void find_space_ends();
  [[nodiscard]] solvers::Method choose_method(double t0, std::span<const double> y);
  [[nodiscard]] core::Result<void> check_covered(double end) const;
  /// As in components::check_covered and next_input_break, with one look at each interface in space.
  [[nodiscard]] bool are_inputs_covered(double end) const;
  [[nodiscard]] double next_input_break(double t, double until) const;
  /// At least as large, but for rounding, as the waves of all lines at their knots in [t, until], and as those at t.
  [[nodiscard]] double waves_at_knots(double t, double until) const;
  core::Result<void> note_new_samples();
  [[nodiscard]] double visible_end(double limit);
  /// What a step may hide, in units of the tolerance: of the model's functions of time, of signals that come in, and of
  /// waves.
  [[nodiscard]] double unseen_function(double t, double t_end, double relative_tolerance);
  [[nodiscard]] double unseen_signal(double t, double t_end, double relative_tolerance) const;
  [[nodiscard]] double unseen_wave(double t, double t_end, double relative_tolerance) const;
  void note_wave_sizes(double t);
  void note_natural_sizes(double t, wave::Side side, std::span<double> workspace);
  /// Lets the solver control the errors of efforts at lines as it does those of states.
  void control_efforts();
  void limit_sizes();
  void meet_front();
  /// Sum of |w| over the ports of lines.
  [[nodiscard]] double wave_size(double t, wave::Side side) const;
  /// State at a time of the last accepted step.
  void state_at(double t, std::span<double> y) const;
  core::Result<void> make_step(double bound);
  /// Notifies the model that the last step is complete, and passes the break that it may answer with.
  core::Result<void> complete_step();
  core::Result<void> publish_until(double end);
  core::Result<void> settle_breaks(bool has_break);
  /// Whether what comes in at a port jumps so far at a break that its solver has to start again.
  [[nodiscard]] bool has_jump(const core::Port& port, double t) const;
  /// Fails where events follow one another and the time stands still.
  core::Result<void> watch_events(double t);
  core::Result<void> publish(double t, wave::Side side, std::span<const double> y);
  core::Result<void> observe(double t, wave::Side side, std::span<const double> y);
  void push_samples(double t, wave::Side side);
  void push_space_samples(const SpaceEnd& end, double t, wave::Side side);
  void push_sample(std::size_t port, double t, wave::Side side, const PortOutput& output);
  void sample_signals(double t);
  void sample_waves(double t);
  /// Outputs at a time of the last accepted step, for samples within it.
  void look_between(double t, double disturbance, std::span<PortOutput> outputs);
  void integrate_powers(double from, double to);
  /// The same over a stretch that three points see enough of.
  void integrate_stretch(double from, double to);
  void record_until(double t);
  /// Stops a solver without error control whose steps make far more energy than there is.
  core::Result<void> watch_energy(double t);
  /// First break of an input or of the model after t; those of inputs only up to `until`.
  [[nodiscard]] double next_break(double t, double until) const;
  /// Whether there is a break at t that has not been passed yet.
  [[nodiscard]] bool is_unsettled_break(double t) const;
  core::Error placed(core::Error error) const;

  std::unique_ptr<OdeModel> model_;
  std::vector<OdeModel::Driven> driven_;
  SolverChoice choice_;
  std::unique_ptr<solvers::Stepper> stepper_;
  core::RowSchedule rows_;

  double t0_ = 0.0;
  double published_to_ = 0.0;
  double settled_to_ = 0.0;  ///< work is integrated and rows are written up to here; at least published_to_
  double noted_wave_ = 0.0;  ///< sum of |w| over line ports for which sizes were noted
  double window_end_ = 0.0;  ///< up to which all knots of the inputs are known
  bool is_behind_break_ = false;
  bool stands_at_step_end_ = false;  ///< the model has evaluated nothing since the end of the last step
  double least_gap_ = 0.0;           ///< between samples, save at breaks and windows' ends [s]
  double breaks_settled_to_ = 0.0;   ///< breaks up to and at this time have been passed [s]
  double completed_to_ = 0.0;        ///< the model knows that steps up to here are accepted [s]
  int fired_guard_ = -1;
  double window_length_ = 0.0;  ///< or what a group asks for in one step [s]
  double row_start_ = 0.0;      ///< of the events that are counted [s]
  int events_in_row_ = 0;
  double dissipated_ = 0.0;
  double supplied_ = 0.0;
  double most_supplied_ = 0.0;
  bool has_powers_ = false;
  bool is_coupled_ = false;

  std::vector<double> y_, ydot_, between_, rates_between_, powers_, efforts_;
  std::vector<SpaceEnd> space_ends_;
  std::vector<std::size_t> single_ports_;  ///< those of no interface in space
  std::vector<std::size_t> open_ports_;    ///< those that are not connected
  std::vector<double> origin_;             ///< of the ports' positions [m]
  std::vector<double> effort_sizes_;       ///< by port, for which the solver's tolerances were set
  std::vector<double> start_position_, start_integral_, work_, impulse_;
  std::vector<double> signal_sizes_;  ///< largest |value| of each signal that comes in, by port
  std::vector<PortOutput> outputs_;
  SignalSampler sampler_;
  std::unique_ptr<WaveSampler> waves_;
  bool has_fixed_step_ = false;
  StepCheck step_check_;                            ///< where the step is fixed
  core::EnergyWatch watch_;                         ///< the same
  double first_energy_ = 0.0, first_stored_ = 0.0;  ///< at the start: in motion and springs; all [J]

  std::uint64_t windows_ = 0;  ///< or steps, where a group drives them
  std::uint64_t breaks_ = 0;
  std::uint64_t extra_rhs_calls_ = 0;
  std::uint64_t profiled_windows_ = 0;     ///< of the later ones
  WindowTimes first_times_, later_times_;  ///< of the windows that were measured
  WindowTimes* profile_ = nullptr;         ///< where the present window is counted; null: it is not measured
};

}  // namespace tieline::components
