#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "components/structure/finite_elements.hpp"
#include "components/structure/resolution_check.hpp"
#include "components/structure/spec.hpp"
#include "components/time_signal.hpp"
#include "core/component.hpp"
#include "core/equilibrium.hpp"
#include "core/error_estimate.hpp"
#include "core/facts.hpp"
#include "core/linear_facts.hpp"
#include "core/natural_modes.hpp"
#include "core/row_schedule.hpp"
#include "core/scene.hpp"
#include "core/spatial.hpp"
#include "solvers/eigenmodes.hpp"
#include "solvers/newmark.hpp"

namespace tieline::components {

/// A linear structure of beams in space; `kind="structure"`.
///
/// Displacements and rotations of its nodes are small and counted in the component's own axes, which stand still; what
/// it publishes is in world axes. Its steps are Newmark's, of one length but where a window, a break of an input or of
/// a load cuts them: a stretch between such times is divided evenly into the fewest steps that are not longer than the
/// stated one. At breaks the accelerations are found again. At a port the law's impedance is part of the equations, so
/// that lines of any impedance are stable.
///
/// With analysis="static" there is no inertia: at the end of each step all forces balance. Velocities are then those
/// means over the step, accelerations zero.
///
/// A line receives the mean velocity and force of each step, as if they held throughout it. In these terms the method
/// takes what a wave carries and gives it back, but for what its damping takes, exactly: the line's energy balances to
/// rounding. What modes that the steps do not resolve do to velocities, which alternate from step to step, stays out of
/// the waves; a smoother course within the step would carry energy that nobody gave. The jumps between steps are marked
/// breaks; the structure itself has no need to end steps on those of lines, of whose waves it takes means.
///
/// Nodes may be led: an interface that takes motion gives them displacement, velocity and acceleration, and reports the
/// load that keeps them on it. Rotations of such nodes count by their rotation vector, so that the work of the torque
/// is right, but must stay small, as all do.
///
/// Energy account: the work through ports and of loads is the mean force of each step times its way, which for
/// Newmark's mean acceleration closes the balance of energies to rounding. What other parameters of Newmark's method
/// take counts as dissipated.
///
/// Ports: ten for each point of each interface. Call order as core::Component says. One thread at a time; steps do not
/// allocate once the lengths of steps at hand have been seen.
class Structure final : public core::Component,
                        public core::Linearisable,
                        public core::Visible,
                        public core::Vibrating,
                        public core::SelfChecking,
                        public core::FactSource,
                        private core::Equilibrium {
 public:
  /// `step` [s] is needed for dynamic structures; of others, 0 means one step from break to break. `placement` is where
  /// the component is placed in the world.
  Structure(std::string name, StructureSpec spec, double step, const core::Pose& placement);

  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override;
  [[nodiscard]] core::Capabilities capabilities() const override;
  [[nodiscard]] std::vector<core::Column> columns() const override { return columns_; }
  void plan_recording(core::RecordPlan plan) override { rows_.plan(std::move(plan), columns_.size()); }
  void current_values(std::span<double> values) override;

  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window& window) override;
  core::Result<double> step(double limit) override;
  core::Result<void> settle() override;
  [[nodiscard]] double time() const override { return t_; }

  core::Result<void> save(core::ArchiveWriter& archive) const override;
  core::Result<void> restore(core::ArchiveReader& archive) override;

  [[nodiscard]] core::Equilibrium* equilibrium() override { return spec_.starts_in_equilibrium ? this : nullptr; }
  [[nodiscard]] std::optional<core::Energy> energy() const override;
  [[nodiscard]] core::Statistics statistics() const override;
  [[nodiscard]] std::optional<core::LinearFacts> linear_facts(int most_states = core::kMostStatesForAdvice) override;
  [[nodiscard]] core::Scene scene() const override;
  [[nodiscard]] std::vector<core::NaturalMode> natural_modes(int count) override;
  [[nodiscard]] core::StepErrors step_errors() const override {
    return is_dynamic() ? resolution_.errors() : core::StepErrors{};
  }

  /// A warning where a led node has turned too far.
  [[nodiscard]] std::vector<core::Fact> facts() const override;

  [[nodiscard]] const StructureSpec& spec() const { return spec_; }
  [[nodiscard]] const FiniteElements& elements() const { return elements_; }

 private:
  /// A point of an interface.
  struct End {
    core::SpatialInterface interface;
    int node = -1;
    std::size_t first_port = 0;
    bool is_led = false;                                        ///< takes motion; `applied` is then what keeps it there
    Eigen::Quaterniond frame = Eigen::Quaterniond::Identity();  ///< Q of the last evaluation
    Vector6 incoming = Vector6::Zero();                         ///< w, in the component's axes
    Vector6 applied = Vector6::Zero();                          ///< loads at the time reached
    Vector6 applied_before = Vector6::Zero();                   ///< at the start of the last step
    Vector6 mean = Vector6::Zero();                             ///< of what acted in the last step
    Eigen::Vector3d turning = Eigen::Vector3d::Zero();          ///< mean angular velocity of the last step, world axes
    Eigen::Vector3d turning_rate = Eigen::Vector3d::Zero();     ///< how it has changed
    const core::SpringEnd* spring = nullptr;  ///< in place of its line, while an equilibrium is looked for
  };
  struct Load {
    int node = -1;
    std::size_t functions = 0;  ///< first of six
    Vector6 acting = Vector6::Zero();
    Vector6 acting_before = Vector6::Zero();
  };
  /// How all freedoms move at one time.
  struct Motion {
    const Eigen::VectorXd& u;
    const Eigen::VectorXd& v;
    const Eigen::VectorXd& a;
  };

  [[nodiscard]] bool is_dynamic() const { return spec_.analysis == StructureSpec::Analysis::dynamic; }
  [[nodiscard]] Motion now() const { return {newmark_.u(), newmark_.v(), newmark_.a()}; }

  void add_joined_inertia(core::LinearFacts& facts) const;
  void add_elastic_stiffness(core::LinearFacts& facts);
  /// The lowest modes, nodes that are led being held.
  [[nodiscard]] std::vector<solvers::Eigenmode> lowest_modes(int count) const;

  // Set-up.
  [[nodiscard]] std::vector<solvers::PointFreedoms> point_freedoms() const;
  [[nodiscard]] std::vector<bool> rotations() const;
  void add_ports();
  void add_columns();

  // Steps.
  core::Result<void> make_step(double limit);
  core::Result<void> note_new_samples();
  /// Where the next step towards `limit` ends, and its length.
  struct Plan {
    double end = 0.0;
    double length = 0.0;
  };
  [[nodiscard]] Plan plan_step(double limit);
  [[nodiscard]] double next_break(double t, double until) const;
  [[nodiscard]] bool is_unsettled_break(double t);
  /// First time in (begin, end] at which a switch of a load is due, or kNever.
  [[nodiscard]] double next_function_break(double t) const;
  [[nodiscard]] double cut_between(double begin, double end) const;
  [[nodiscard]] bool is_switch_due(double t) const;
  /// The loads at a time, with the velocities' part left to the impedances, for ends placed by (u, v).
  void evaluate_forces(double t, wave::Side side, const Eigen::VectorXd& u, const Eigen::VectorXd& v);
  /// The same for an end, by the values w that its axes get.
  void evaluate_end(std::size_t end, const Vector6& w, double t, wave::Side side, const Eigen::VectorXd& u,
                    const Eigen::VectorXd& v);
  /// Notes the loads at the ends with the velocities reached.
  void note_applied();
  void find_accelerations(wave::Side side);
  /// The motion of led nodes at a time.
  void take_given(double t, wave::Side side);
  /// Whether a velocity comes in that runs straight over each step, and is not guessed.
  [[nodiscard]] static bool is_glued_straight(End& end);
  /// Load on a led end in world axes, `share` of the last step after its start.
  [[nodiscard]] core::Wrench led_load(const End& end, const Eigen::VectorXd& u, double share = 1.0) const;
  /// Moves on to `end` by a step of length h [s].
  void move_by_mean(double end, double h);
  void move_by_end(double end, double h);
  [[nodiscard]] bool has_lines() const;
  void account(double h, double energy_before);
  /// Notes how ends turn, free of what alternates from step to step.
  void note_turning(double h, double last_h);
  [[nodiscard]] double stored_energy() const;

  // Its outputs (structure_outputs.cpp).
  [[nodiscard]] core::Pose pose_of(int node, const Eigen::VectorXd& u) const;
  [[nodiscard]] core::SpatialMotion motion_of(int node, const Motion& motion) const;
  core::Result<void> publish(wave::Side side);
  [[nodiscard]] bool is_line_end(const End& end) const;
  /// Puts a sample of a port into its outbox.
  void push_sample(std::size_t port, wave::Side side);
  /// What lines receive for a step just made: its means, from its start on.
  void push_start_sample(const End& end);
  void record(double t, wave::Side side, const Motion& motion, std::span<double> values);
  void record_until(double t);
  [[nodiscard]] core::Error placed(core::Error error) const;

  // Where it stands at rest (structure_statics.cpp).
  core::Result<void> settle(double t0, std::span<const core::SpringEnd> ends) override;
  [[nodiscard]] core::EndPlace place(const core::SpringEnd& end) const override;
  void response(Eigen::MatrixXd& by_partners) override;
  core::Result<void> rest_at(double t0);
  [[nodiscard]] core::Error floating(const std::string& motions) const;
  void put_springs(std::span<const core::SpringEnd> ends);
  [[nodiscard]] solvers::Matrix6 spring_stiffness(const core::SpringEnd& spring, const End& end) const;
  [[nodiscard]] Vector6 spring_effort(const End& end) const;

  StructureSpec spec_;
  double step_ = 0.0;
  core::Pose placement_;
  Eigen::Matrix3d R_;  ///< from the component's to world axes
  FiniteElements elements_;
  solvers::Newmark newmark_;
  ResolutionCheck resolution_;
  std::vector<core::Port> ports_;
  std::deque<End> ends_;
  std::vector<TimeSignal> functions_;
  std::vector<Load> loads_;
  std::vector<core::Column> columns_;
  core::RowSchedule rows_;

  double t0_ = 0.0, t_ = 0.0;
  double step_start_ = 0.0, step_length_ = 0.0;  ///< of the last step
  double breaks_settled_to_ = 0.0;               ///< breaks up to and at this time have been passed [s]
  bool has_started_ = false;
  double dissipated_ = 0.0, supplied_ = 0.0, most_supplied_ = 0.0, received_ = 0.0;
  std::vector<core::PortOutput> outputs_;
  double largest_turn_ = 0.0;               ///< of a led node, since the start [rad]
  std::vector<core::PortOutput> means_;     ///< flows and efforts over the last step, by port
  std::vector<wave::Sample> last_samples_;  ///< the last samples, by port
  std::vector<double> work_, impulse_, start_position_, start_integral_;
  std::uint64_t windows_ = 0, steps_ = 0, breaks_ = 0;
  double seconds_total_ = 0.0;

  bool has_led_ = false;   ///< nodes take motion
  Eigen::VectorXd force_;  ///< loads on all freedoms, except what impedances take
  Eigen::VectorXd u_between_, v_between_, a_between_;
  std::vector<core::SpringEnd> springs_;  ///< of the last `settle`
  std::optional<Eigen::VectorXd> rest_;   ///< the equilibrium, where it was found
};

}  // namespace tieline::components
