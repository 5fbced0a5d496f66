#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/gluing.hpp"
#include "core/relation.hpp"
#include "core/space_curve.hpp"
#include "coupling/collocation.hpp"
#include "coupling/glue_joint.hpp"
#include "coupling/gluing_matrix.hpp"
#include "coupling/sampled.hpp"
#include "coupling/secant_fit.hpp"
#include "engine/held_sink.hpp"
#include "engine/step_watch.hpp"
#include "lines/row_clock.hpp"

namespace tieline::engine {

/// A place where a member is glued: in space, or along one axis.
struct GlueSocket {
  int member = 0;
  core::SpatialInterface* interface = nullptr;  ///< in space, or
  core::Port* port = nullptr;                   ///< along one axis
  /// Along one axis: what makes the port's motion the one that is glued. Forces go the other way, by the same factor.
  core::Relation relation{};
};

/// Which end of a glued connection is computed first in each trial: the other one then gets what it has found.
enum class GlueLead { unstated, from, to };

/// A glued connection, to be made between sockets.
struct GlueSpec {
  std::string name{};
  core::GlueJoint joint = core::GlueJoint::fixed;  ///< in space
  int axis = 2;
  std::vector<int> from{}, to{};  ///< sockets: one each, or sets of them in space
  core::RecordPlan recording{};   ///< of the columns that GluedGroup::columns_of names
  GlueLead leads = GlueLead::unstated;
};

/// A component that is to be glued, with what its trials must not leave behind.
struct GluedMember {
  std::unique_ptr<core::Component> component{};
  std::vector<core::Port*> ports{};  ///< of it and of all that it is made of
  std::vector<HeldSink*> sinks{};    ///< into which it and all that it is made of write; not owned
};

/// What gluing took, for reports.
struct GlueFigures {
  std::uint64_t steps = 0;
  std::uint64_t rejected_steps = 0;  ///< repeated shorter, where steps are controlled
  std::uint64_t trials = 0;          ///< of all members together
  std::uint64_t corrections = 0;
  std::uint64_t most_corrections = 0;              ///< in one step
  std::uint64_t refreshes = 0;                     ///< probings of the matrix
  std::uint64_t turnings = 0;                      ///< of the matrix with its members, instead of a probing
  std::uint64_t probes = 0;                        ///< of one member each
  std::size_t unknowns = 0;                        ///< in one step
  double condition = 0.0;                          ///< largest, of the scaled matrix
  double seconds_total = 0.0;                      ///< in steps, probings included
  double seconds_members = 0.0;                    ///< of these, in members
  double shortest_step = 0.0, longest_step = 0.0;  ///< [s]
  core::Compatibility compatibility = core::Compatibility::velocity;
  core::ForceShape forces = core::ForceShape::quadratic;
};

/// How far the ends of one glued connection came apart.
struct GlueOutcome {
  double largest_gap = 0.0;           ///< [m] or what the domain's position is
  double largest_gap_rotation = 0.0;  ///< [rad]
  double largest_displacement = 0.0;  ///< of either end since the start, or what forces would have moved it in a step
  double largest_work = 0.0;   ///< [J] that has passed, or that its forces would have done over that displacement
  double largest_force = 0.0;  ///< along its translations, or its axis [N]
  std::uint64_t unknowns = 0;
  std::uint64_t exchanges = 0;
};

/// Components whose motions are made to agree by iterating on the forces between them (the T-T method, [Wang2003]):
/// no delay, no mass, no stiffness comes in. Seen from outside as one component, which can be glued in its turn.
///
/// Each step begins with a trial of all members under interface forces carried on from the last steps. What the motions
/// lack to agree, times the gluing matrix, corrects the forces (eq. 3); members go back to the step's start and try
/// again, until all gaps are within tolerance. The matrix is probed by small changes of forces on one member at a time,
/// which takes the first trial's steps again. Sides that take motion get the motion in place of the force.
/// Compatibility and the polynomials in time are those of coupling::Collocation. Gaps that rounding and tolerances
/// leave are corrected within a few steps.
///
/// Where a side leads, or without a matrix, members are computed one after the other: those that lead under trial
/// values, and those that follow with what came of it. Only what leading sides get is unknown then, and how the
/// residual answers is learnt from the trials themselves (glue_leading.cpp).
///
/// Ports towards the outside stay with the members. Trials leave no trace: rows are held back and samples dropped. A
/// step that fails leaves the members where the last accepted one ended. Members of one trial run on the window's pool;
/// nothing depends on the order.
class GluedGroup final : public core::Component {
 public:
  GluedGroup(std::string name, std::vector<GluedMember> members, std::vector<GlueSocket> sockets,
             std::vector<GlueSpec> links, core::GluingSettings settings);

  /// Rows of members are passed on as soon as a step is accepted: only the outermost gluing may know that.
  void set_outermost(bool is_outermost) { is_outermost_ = is_outermost; }

  [[nodiscard]] std::span<core::Port> ports() override { return {}; }
  [[nodiscard]] core::Capabilities capabilities() const override;
  [[nodiscard]] std::vector<core::Column> columns() const override { return {}; }
  void plan_recording(core::RecordPlan) override {}  // members record for themselves
  void current_values(std::span<double>) override {}

  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window& window) override;
  core::Result<double> step(double limit) override;
  void follow_steps(core::StepLog* log, core::StepLogUse use) override;
  [[nodiscard]] double time() const override { return time_; }
  core::Result<void> save(core::ArchiveWriter& archive) const override;
  core::Result<void> restore(core::ArchiveReader& archive) override;
  void save_accounts(core::ArchiveWriter& archive) const override;
  void restore_accounts(core::ArchiveReader& archive) override;
  [[nodiscard]] std::size_t width() const override;
  [[nodiscard]] std::vector<core::Component*> parts() override;
  [[nodiscard]] core::Result<std::vector<core::Tie>> ties() override;
  [[nodiscard]] const core::Ending* ending() const override;
  [[nodiscard]] bool starts_twice() const override { return true; }
  [[nodiscard]] std::optional<core::Energy> energy() const override;
  [[nodiscard]] core::Statistics statistics() const override;

  /// What is recorded of a glued connection, and its values.
  [[nodiscard]] static std::vector<core::Column> columns_of(core::Domain domain);
  [[nodiscard]] std::vector<double> values_of(std::size_t link) const;
  [[nodiscard]] const coupling::SampledAudit& audit(std::size_t link) const { return links_[link].audit; }
  [[nodiscard]] GlueOutcome outcome(std::size_t link) const;
  [[nodiscard]] const GlueFigures& figures() const { return figures_; }
  /// What a user should know of the connections, a sentence each: directions that carry no force, and why.
  [[nodiscard]] std::vector<std::string> notes() const;
  [[nodiscard]] std::size_t member_count() const { return members_.size(); }

 private:
  using EndMotion = coupling::EndMotion;

  /// Part of a socket in a point that lies between several.
  struct GlueShare {
    int socket = 0;
    double weight = 1.0;
  };
  /// Two points that are to move as one; each is a socket, or lies between several.
  struct GluePoint {
    std::vector<GlueShare> from{}, to{};
  };

  /// How the two sides of a connection are driven ([Wang2003] Figure 3).
  enum class Kind { t_t, x_t, x_x };
  struct Socket {
    GlueSocket spec{};
    std::size_t axes = 1;
    bool takes_motion = false;
    int users = 0;                          ///< connections that join it
    std::vector<double> inputs{}, tried{};  ///< by axis, then node; those of the last trial
    std::vector<double> before{};           ///< by axis: at the end of the last step
    double position = 0.0;                  ///< of a side that takes motion, at the step's start
    EndMotion begin{};                      ///< at the step's start
    std::vector<EndMotion> at_nodes{};      ///< of the last trial
    std::vector<double> efforts{};          ///< by axis, then node, of a side that takes motion
    /// Of a side in space that takes motion: by axis, then node, what its connections put on it; its unknown motion
    /// among the unknowns; a connection at it; and its pose at the step's start, by the motions given.
    std::vector<double> loads{};
    std::size_t first = 0;
    std::size_t link = 0;
    core::Pose led{};
    bool is_placed = false;  ///< a motion has been given since the start
    core::Pose start{};      ///< at t0
    double work = 0.0;
    double impulse = 0.0;

    [[nodiscard]] bool is_led() const { return takes_motion && spec.interface != nullptr; }
    /// What makes a glued motion, or force, that of the port.
    [[nodiscard]] double to_port() const { return takes_motion ? 1.0 / spec.relation.factor : spec.relation.factor; }
    [[nodiscard]] core::Port& axis(std::size_t i) const {
      return spec.interface != nullptr ? spec.interface->axis(i) : *spec.port;
    }
  };
  struct Member {
    GluedMember part{};
    std::vector<std::size_t> sockets{};
    std::vector<std::size_t> marks{};               ///< rows held when the step began
    std::vector<std::vector<wave::Sample>> kept{};  ///< samples of accepted steps for the outside, by port
    std::vector<bool> is_socket_port{};             ///< by port
    core::ArchiveWriter snapshot{core::SnapshotUse::trial};
    core::StepLog log{};
    std::uint64_t probes = 0;  ///< not yet counted
    bool is_at_start = true;
    bool is_current = false;  ///< its outputs are those of its inputs
  };
  struct Link {
    GlueSpec spec{};
    std::vector<GluePoint> points{};
    Kind kind = Kind::t_t;
    bool is_in_space = false;
    int motion_sides = 0;     ///< that take motion
    bool from_leads = false;  ///< where members are computed one after the other
    coupling::JointDirections joint{};
    std::size_t directions = 1;  ///< of each point
    std::size_t first = 0;       ///< among the unknowns: by point, direction, node (x_t: all forces, then all motions)
    coupling::SampledAudit audit{};
    lines::RowClock clock{};
    /// Largest of translation (0) and rotation (1): displacement since the start, velocity, acceleration, effort.
    std::array<std::array<double, 4>, 2> size{};
    /// How far the forces of the last trial would move translations (0) and rotations (1), had they to do it alone.
    std::array<double, 2> reach{};
    /// Largest so far: how far forces would have moved the ends within a step [m], and what is felt there [N].
    std::array<double, 2> held{};
    std::array<double, 2> gap{}, largest_gap{};
    std::vector<double> drift{}, drift_rate{};  ///< gaps at the step's start, by point and direction
    /// What units of the unknowns do to the ends, by point and node; as the last trial, or the step's start, was.
    std::vector<std::array<coupling::GluedDirection, 6>> wrenches{};
    std::uint64_t recent_corrections = 0;
    std::string note{};  ///< which of its directions carry no force; empty: all may
  };
  /// What became of a trial.
  struct Agreement {
    double worst = 0.0;  ///< largest gap in tolerances
    Eigen::Index row = 0;
  };
  /// Unknowns of a step under which the last trial agrees.
  struct Solution {
    Eigen::VectorXd z{};
    std::uint64_t corrections = 0;
  };
  /// Where the iteration of a step stands.
  struct Iteration {
    Eigen::VectorXd z{}, e{}, e_before{};
    Eigen::VectorXd dz{};  ///< the last correction; empty before the first
    double worst_before = 0.0;
    int trials = 0, probings = 0, turnings = 0, since_probing = 0, halvings = 0;
    Eigen::Index row = 0;     ///< of the largest gap
    bool hides_gaps = false;  ///< what a matrix of an earlier step calls silent is all that is left of the gaps
    std::uint64_t corrections = 0;
  };
  /// What one member has shown in a probing.
  struct MemberPart {
    std::vector<Eigen::Index> unknowns{};  ///< of the connections that it sees
    Eigen::MatrixXd response{};            ///< of their gaps, by its own motion alone
  };
  struct KnownMatrix {
    double length = 0.0;  ///< of the step [s]
    coupling::GluingMatrix matrix{};
    std::vector<MemberPart> parts{};              ///< by member: as probed
    std::vector<Eigen::Quaterniond> probed_at{};  ///< by socket: its orientation then
    std::vector<Eigen::Quaterniond> turned_to{};  ///< by socket: to which the matrix has been turned since
    std::vector<Eigen::MatrixXd> probed_axes{};   ///< by connection and point: directions then, in columns
  };

  [[nodiscard]] std::size_t nodes() const { return shape_.size(); }
  static void save_motion(core::ArchiveWriter& archive, const EndMotion& end);
  [[nodiscard]] static EndMotion restore_motion(core::ArchiveReader& archive);
  [[nodiscard]] double node_time(double begin, double end, std::size_t node) const;
  void choose_shape();
  void number_unknowns();

  // Trials of members.
  core::Result<void> save_members();
  core::Result<void> restore_member(Member& member);
  void give_inputs(Member& member, double begin, double end);
  core::Result<void> run_member(std::size_t index, double begin, double end, const core::Window& window);
  core::Result<void> run_members(const std::vector<std::size_t>& which, double begin, double end,
                                 const core::Window& window);
  core::Result<void> collect(Member& member, std::size_t node);
  core::Result<void> trial(const Eigen::VectorXd& z, double begin, double end, const core::Window& window);
  [[nodiscard]] core::StepLog& log_of(std::size_t member);
  void in_parallel(const core::Window& window, std::size_t count, const std::function<void(std::size_t)>& task);

  // Unknowns, inputs, gaps.
  void distribute(const Eigen::VectorXd& z);
  /// Motions of led sockets count among the unknowns: velocities, and rates of their rotation vectors since the
  /// step's start. Each has the condition that its effort is what its connections put on it.
  /// What unknowns put on led sockets, whose conditions answer to that at once.
  void add_loads(Eigen::MatrixXd& gaps);
  /// The point of its connection that a led socket belongs to, and whether it is of the `from` end.
  struct LedPlace {
    std::size_t point = 0;
    bool is_from = false;
  };
  [[nodiscard]] LedPlace place_of(const Socket& socket) const;
  [[nodiscard]] const Socket* led_socket_of(Eigen::Index unknown) const;
  void give_motion(Socket& socket, double begin, double end);
  [[nodiscard]] core::SpaceState led_state(const Socket& socket, double x, double length) const;
  void start_led(Eigen::VectorXd& z);
  void place_led(Socket& socket, double t0);
  [[nodiscard]] double effort_tolerance(const Link& link, bool is_rotation) const;
  void add_effort(const Link& link, std::size_t point, std::size_t direction, std::size_t node, double value);
  [[nodiscard]] EndMotion motion_of(const std::vector<GlueShare>& shares, std::size_t node) const;
  [[nodiscard]] EndMotion start_motion_of(const std::vector<GlueShare>& shares) const;
  template <class Read>
  [[nodiscard]] EndMotion mixed(const std::vector<GlueShare>& shares, Read read) const;
  void gaps_of(const Link& link, const EndMotion& from, const EndMotion& to, std::span<coupling::Gap> gaps) const;
  void residual_of(const Link& link, double length, Eigen::VectorXd& e) const;
  [[nodiscard]] Eigen::VectorXd residual(double length) const;
  /// Takes the directions of joints that turn from where the ends are: in the last trial, or at the step's start.
  void turn_with_trial();
  void turn_with_start();
  void note_sizes();
  void note_drift();
  /// The largest that what must agree has been.
  [[nodiscard]] double size_of(const Link& link, std::size_t direction, bool is_effort) const;
  [[nodiscard]] double tolerance_of(const Link& link, std::size_t direction, bool is_effort) const;
  [[nodiscard]] Agreement judge(const Eigen::VectorXd& e) const;
  /// Gaps without those that are closed well within tolerance, in which a matrix that has aged would only stir.
  [[nodiscard]] Eigen::VectorXd open_gaps(const Eigen::VectorXd& e) const;
  void note_reach(const coupling::GluingMatrix& matrix, const Eigen::VectorXd& z);
  void note_held(double length);
  /// Whether gaps are as small as those of bodies at rest.
  [[nodiscard]] bool is_rest(const Eigen::VectorXd& e) const;
  [[nodiscard]] const Link& link_of(Eigen::Index unknown) const;
  [[nodiscard]] std::string describe_unknown(Eigen::Index unknown) const;

  // Probes: how gaps answer to unknowns.
  struct Probe {
    Eigen::Index unknown = 0;
    double push = 0.0;                              ///< how much of the unknown was added; 0: it is like another one
    std::size_t like = 0;                           ///< that other one, among the member's
    double sign = 1.0;                              ///< and its sign
    std::vector<std::vector<EndMotion>> motions{};  ///< by socket of the member, then node
    std::vector<std::vector<double>> efforts{};
  };
  /// What an unknown is: a motion or a force, along or about an axis.
  struct UnknownKind {
    bool is_motion = false, is_rotation = false;
  };
  [[nodiscard]] UnknownKind unknown_kind_of(Eigen::Index unknown) const;
  /// Inputs that a unit of each unknown makes, by unknown and socket.
  using Patterns = std::vector<std::vector<std::vector<double>>>;
  [[nodiscard]] Patterns unit_inputs();
  core::Result<double> push_member(std::size_t index, const Patterns& units,
                                   const std::function<core::Result<void>()>& run, Probe& probe);
  core::Result<void> probe_member(std::size_t index, const Eigen::VectorXd& z, const Patterns& units,
                                  const std::function<core::Result<void>()>& run, std::vector<Probe>& probes);
  [[nodiscard]] double share_of(const Socket& socket, const std::vector<EndMotion>& motions,
                                const std::vector<double>& efforts) const;
  /// `run` runs a member under the inputs of its sockets.
  core::Result<void> probe(const Eigen::VectorXd& z, double length, const core::Window& window,
                           const std::function<core::Result<void>(std::size_t member)>& run,
                           coupling::ProbedResponse& response, std::vector<MemberPart>& parts);
  /// From the motions of probes to the response of all gaps.
  void assemble(std::vector<std::vector<Probe>>& probes, const Patterns& units, double length,
                coupling::ProbedResponse& response, std::vector<MemberPart>& parts);
  void note_natural(const std::vector<std::vector<Probe>>& probes, double length,
                    coupling::ProbedResponse& response) const;
  void note_rounding(const Link& link, std::size_t member, double length, Eigen::VectorXd& rounding) const;
  [[nodiscard]] std::vector<std::size_t> links_at(std::size_t member) const;
  [[nodiscard]] bool is_at(const Link& link, std::size_t socket) const;
  [[nodiscard]] std::array<double, 2> change_of(const EndMotion& before, const EndMotion& after) const;

  // The iteration.
  core::Result<void> refresh(KnownMatrix& known, const Eigen::VectorXd& z, double begin, double end,
                             const core::Window& window);
  [[nodiscard]] double perturbation_of(Eigen::Index unknown, const Eigen::VectorXd& z) const;
  KnownMatrix& matrix_for(double length);
  [[nodiscard]] Eigen::VectorXd predict(double length) const;
  [[nodiscard]] Eigen::VectorXd predict_constant(double length) const;
  void remember(double length);
  /// How far a trial agrees, without the gaps that no force changes where the matrix is of this step; an error if
  /// those are not closed.
  core::Result<Agreement> judge_trial(const KnownMatrix& known, Iteration& now, double begin, double end);
  [[nodiscard]] bool is_good(const Iteration& now, const Agreement& agreement) const;
  [[nodiscard]] bool has_stopped_in_noise(const Agreement& agreement) const;
  void note_noise(const Iteration& now, const Agreement& agreement);
  core::Result<void> better_matrix(KnownMatrix& known, Iteration& now, const Agreement& agreement, bool is_worse,
                                   const core::Window& step);
  [[nodiscard]] Iteration first_guess(KnownMatrix& known, double length);
  bool halve_correction(Iteration& now);
  void correct(KnownMatrix& known, Iteration& now, double worst);
  core::Result<Solution> solve_step(double begin, double end, const core::Window& window);
  // Members computed one after the other.
  /// Whether they are.
  [[nodiscard]] bool is_led() const;
  void choose_leaders();
  /// Which members lead which; an error where they do so in a ring, or where what a side gets does not follow.
  core::Result<void> order_members(double t0);
  core::Result<void> check_leading(double t0) const;
  void number_leading();
  [[nodiscard]] const std::vector<GlueShare>& leading_side(const Link& link, std::size_t point) const;
  [[nodiscard]] const std::vector<GlueShare>& following_side(const Link& link, std::size_t point) const;
  [[nodiscard]] bool leads_by_motion(const Link& link) const;
  core::Result<Solution> lead_step(double begin, double end, const core::Window& window);
  core::Result<void> sweep(Eigen::VectorXd& z, double begin, double end, const core::Window& window);
  [[nodiscard]] Eigen::VectorXd lead_residual(const Eigen::VectorXd& z, double length) const;
  core::Result<void> probe_leading(Eigen::VectorXd& z, const Eigen::VectorXd& residual, double begin, double end,
                                   const core::Window& window);
  [[nodiscard]] Eigen::VectorXd lead_scale() const;
  void pass_on(const Link& link, Eigen::VectorXd& z, double length) const;
  void take_forces(const Link& link, Eigen::VectorXd& z) const;
  void take_motions(const Link& link, Eigen::VectorXd& z, double length) const;
  void copy_motions(const Link& link, Eigen::VectorXd& z) const;
  void missing_motion(const Link& link, const Eigen::VectorXd& e, Eigen::VectorXd& off) const;
  void accept(const Solution& solution, double begin, double end);
  /// A row of a connection's table, where one is due.
  void write_row_of(std::size_t index, double t);
  /// Audits the connections after an accepted step, and writes their rows.
  void close_accounts(double end, std::uint64_t corrections);
  /// Puts the members back to the start of the step.
  void give_up();
  [[nodiscard]] double step_error(const Eigen::VectorXd& z, double length) const;
  core::Result<void> advance_fixed(const core::Window& window);
  core::Result<void> advance_controlled(const core::Window& window);
  [[nodiscard]] core::Error failure(const std::string& what, double begin, double end, Eigen::Index row) const;
  [[nodiscard]] core::Error member_failure(core::Error error, const Iteration& now, double end) const;
  [[nodiscard]] std::string remedy(double length) const;

  // Forces that change no gap, and gaps that no force changes.
  void note_silence(const coupling::GluingMatrix& matrix);
  [[nodiscard]] std::string describe_silence(const Link& link, const Eigen::MatrixXd& projector) const;
  [[nodiscard]] std::string describe_axes(const Link& link, const Eigen::MatrixXd& projector, bool is_rotation) const;
  core::Result<void> check_silence(const Eigen::VectorXd& silent, double begin, double end) const;
  [[nodiscard]] const char* unit_of(const Link& link, std::size_t direction) const;

  // Members answer to forces in axes of their own: a matrix turns with them, without being probed.
  void note_axes(KnownMatrix& known) const;
  [[nodiscard]] bool has_turned(const KnownMatrix& known) const;
  void turn(KnownMatrix& known);
  [[nodiscard]] Eigen::MatrixXd axes_at_start(const Link& link, std::size_t point) const;
  [[nodiscard]] Eigen::MatrixXd turning_of(const KnownMatrix& known, std::size_t member) const;
  static void save_known(core::ArchiveWriter& archive, const KnownMatrix& known);
  static void restore_known(core::ArchiveReader& archive, KnownMatrix& known);

  // The degree of automatic forces.
  [[nodiscard]] bool swings_within(const coupling::GluingMatrix& matrix) const;
  void raise_degree();

  // The start.
  core::Result<void> start_member(std::size_t index, double t0);
  core::Result<void> start_members(double t0, const Eigen::VectorXd& z);
  /// Which points of sets belong together, from where they are at the start.
  core::Result<void> pair_points(double t0);
  core::Result<void> solve_start(double t0);
  core::Result<void> check_start(double t0) const;
  core::Result<void> check_order(double t0) const;

  std::vector<Member> members_;
  std::vector<Socket> sockets_;
  std::vector<Link> links_;
  core::GluingSettings stated_;    ///< by the model
  core::GluingSettings settings_;  ///< with what was chosen
  coupling::Collocation shape_{};
  bool is_outermost_ = true;
  bool is_static_ = false;  ///< members answer to forces at once
  bool is_linear_ = false;  ///< gaps are linear in the unknowns, but for rounding
  bool is_starting_ = false;
  Eigen::Index unknowns_ = 0;

  double t0_ = 0.0;
  double time_ = 0.0;
  std::int64_t macro_steps_ = 0;
  double planned_step_ = 0.0;               ///< of controlled steps [s]
  double last_length_ = 0.0;                ///< of the last step; 0: there was none
  Eigen::VectorXd last_;                    ///< its unknowns
  Eigen::VectorXd ends_;                    ///< values at its start, by unknown without nodes
  std::vector<Eigen::VectorXd> earlier_{};  ///< constant unknowns of equal steps before the last, the latest first
  std::vector<KnownMatrix> matrices_;
  // Of members computed one after the other.
  std::vector<std::vector<std::size_t>> levels_;  ///< members in their order
  std::vector<Eigen::Index> leading_;             ///< unknowns of leading sides
  std::vector<bool> is_relaxed_;                  ///< of them: a residual in its own unit says how far off it is
  coupling::SecantFit secants_;
  double secants_length_ = 0.0;  ///< of the steps that they are of [s]
  std::vector<double> history_;  ///< worst gap of each trial of the present step, in tolerances
  double last_gap_ = 0.0;        ///< of the last trial: that gap, in its own unit
  StepWatch step_watch_;
  bool is_degree_settled_ = true;  ///< of the forces
  core::StepLog* outer_log_ = nullptr;
  core::StepLogUse outer_use_ = core::StepLogUse::note;
  std::size_t outer_step_ = 0;
  bool notes_steps_ = true;      ///< the next trial's steps are those that others repeat
  double member_seconds_ = 0.0;  ///< of one member's trial, about
  GlueFigures figures_{};
};

}  // namespace tieline::engine
