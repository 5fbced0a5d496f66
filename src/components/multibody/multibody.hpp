#pragma once

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/multibody/ball_bearing.hpp"
#include "components/multibody/formulation.hpp"
#include "components/multibody/inertia.hpp"
#include "components/multibody/joint_penalty.hpp"
#include "components/multibody/kinematics.hpp"
#include "components/multibody/pair_force.hpp"
#include "components/multibody/scene.hpp"
#include "components/multibody/spec.hpp"
#include "components/ode_model.hpp"
#include "components/time_signal.hpp"
#include "core/equilibrium.hpp"
#include "solvers/sparse_lu.hpp"

namespace tieline::components {

class BodyCoordinates;
class JointCoordinates;

/// Rigid bodies in space with forces and joints between them; `kind="multibody"`.
///
/// States: those of the bodies (Formulation), the forces' own, and the angle of every joint that turns, which contains
/// how often it has gone round. Forces are summed by body in world axes. Joints are kept exactly by the formulation of
/// the bodies' motion, or as very stiff springs on the same conditions (JointPenalty).
///
/// Ports: ten for each interface in space, one for each on a joint's coordinate, then signal inputs and outputs.
/// Call order: construct, set the ports' laws, `begin`, then as OdeModel says. One thread at a time; `rhs` does not
/// allocate.
class Multibody final : public OdeModel, private core::Equilibrium {
 public:
  explicit Multibody(MultibodySpec spec);
  ~Multibody() override;

  // solvers::OdeSystem
  [[nodiscard]] int size() const override { return size_; }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  bool jacobian(double t, std::span<const double> y, std::span<double> columns) override;
  [[nodiscard]] solvers::SparseJacobian* sparse_jacobian() override;
  bool evaluate_sparse_jacobian(double t, std::span<const double> y) override;
  [[nodiscard]] bool has_constraints() const override { return formulation_->has_conditions(); }
  [[nodiscard]] std::vector<Motion> motions() const override { return formulation_->motions(); }
  solvers::Projection project(double t, std::span<double> y) override;
  [[nodiscard]] int guard_count() const override { return guard_count_; }
  void guards(double t, std::span<const double> y, std::span<double> values) override;
  [[nodiscard]] double unseen_input(double t, double t_end, double relative_tolerance) override;

  // OdeModel
  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override;
  core::Result<std::vector<double>> begin(double t0) override;
  [[nodiscard]] std::vector<int> scale_classes() const override;
  [[nodiscard]] std::vector<double> stated_scales() const override;
  [[nodiscard]] std::vector<double> largest_sizes() const override;
  [[nodiscard]] core::Equilibrium* equilibrium() override { return spec_.starts_in_equilibrium ? this : nullptr; }
  void natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const override;
  [[nodiscard]] double position_origin(std::size_t port) const override;
  void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
               std::span<PortOutput> outputs) override;
  void powers(double t, std::span<const double> y, Powers& powers) override;
  [[nodiscard]] std::vector<core::Column> columns() const override;
  void record(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
              std::span<double> values) override;
  [[nodiscard]] double next_break(double t) const override;
  bool on_break(double t, std::span<double> y) override;
  void on_guard(int index, double t, std::span<double> y) override;
  [[nodiscard]] std::optional<core::Energy> energy(double t, std::span<const double> y) const override;
  [[nodiscard]] core::Scene scene() const override { return scene_of(moved(spec_, origin_)); }
  void save_modes(core::ArchiveWriter& archive) const override;
  void restore_modes(core::ArchiveReader& archive) override;

  /// Where a quantity stands among the columns, or -1.
  [[nodiscard]] int column_index(std::string_view name) const;
  /// What is doubtful in the model as it starts: conditions of joints that the others imply. After `begin`.
  [[nodiscard]] std::span<const std::string> doubts() const { return doubts_; }

 private:
  struct SpaceEnd {
    core::SpatialInterface interface;
    int frame = -1;
    std::size_t first_port = 0;
    const core::SpringEnd* spring = nullptr;  ///< in place of its line, while an equilibrium is looked for
    bool is_led = false;                      ///< takes motion
    std::vector<std::size_t> forces{};        ///< of an end that takes motion: those at its frame
    std::vector<std::size_t> joints{};        ///< the same, where joints are kept exactly
    mutable core::Wrench reaction{};          ///< what forces exert on its frame
  };
  struct JointEnd {
    int joint = -1;
    bool is_along = false;
    std::size_t port = 0;
    const core::SpringEnd* spring = nullptr;
  };
  struct Load {
    int frame = -1;
    int axes = kWorld;
    std::size_t functions = 0;  ///< first of six
  };
  struct JointLoad {
    int joint = -1;
    bool is_along = false;
    std::size_t effort = 0;
    int speed = -1;
    double gain = 0.0;
  };
  /// The forces on a body, by index, and the other bodies that they act on.
  struct Neighbours {
    std::vector<int> bodies{}, forces{}, joints{}, loads{}, joint_loads{}, space_ends{}, joint_ends{}, bearings{};
  };
  /// Efforts on bodies, rates of own states, and how far the accelerations miss the joints' conditions.
  struct Probe {
    std::vector<BodyVector> efforts{};
    std::vector<double> rates{}, defects{};
  };
  /// Of a force: its own states, the columns that it records beside its wrench, and the bodies that it acts on.
  struct OwnPart {
    std::size_t first = 0, count = 0;
    std::size_t columns = 0;
    Neighbours around{};
  };

  /// A ball bearing: its states, the columns that it records, and the bodies that it acts on.
  struct BearingPart {
    BallBearing bearing;
    std::size_t first = 0, columns = 0;
    Neighbours around{};
    std::array<FrameMotion, 2> frames{};  ///< of the rings, where it was differentiated
  };

  // Set-up (multibody.cpp).
  void choose_formulation();
  void add_forces();
  /// Lets the formulation know what is looked at in each evaluation.
  void note_used_frames();
  void add_ports();
  void find_led_frames();
  void add_functions();
  std::size_t add_function(const document::TimeFunction& function);
  core::Result<void> assemble(double t0, std::span<double> y);
  /// Lets contacts that stick from the start bear what is there at once (stick_start.cpp).
  void balance_friction(double t0, std::span<double> y);
  /// f over all functions of time, wherever they are kept.
  template <class F>
  void for_functions(F&& f) const;

  // Ball bearings (bearings.cpp).
  void add_bearings(std::size_t& next);
  void start_bearings(std::span<double> y) const;
  void evaluate_bearings(std::span<const double> y) const;
  void apply_bearings() const;
  void scale_bearings(double length, double velocity, std::span<double> scales) const;
  void find_bearing_neighbours();
  void differentiate_bearings(std::span<const double> y);
  /// Loads and rates as a body has been moved, by their derivatives.
  void probe_bearing(BearingPart& part, std::size_t body, Probe& probe);
  void add_bearing_columns(BearingPart& part);

  // Evaluation at one time (evaluation.cpp).
  void read_inputs(double t, wave::Side side) const;
  void place(double t, wave::Side side, std::span<const double> y) const;
  void sum_forces(double t, wave::Side side, std::span<const double> y) const;
  void act(int frame, const Eigen::Vector3d& force, const Eigen::Vector3d& torque) const;
  void act_between(int from, int to, const PairWrench& wrench) const;
  void act_on_joint(int joint, const JointRow& coordinate, double effort) const;
  void apply_load(const Load& load, double t) const;
  void apply_joint_load(const JointLoad& load, double t, std::span<const double> y) const;
  /// Places the frames that interfaces lead.
  void lead_frames(double t, wave::Side side) const;
  /// What keeps such a frame on its motion: all that acts on it, with the opposite sign; after `sum_forces`, and after
  /// `rhs` where joints hold it.
  [[nodiscard]] core::Wrench led_load(const SpaceEnd& end) const;
  [[nodiscard]] core::AxisLoads led_axis_loads(const SpaceEnd& end) const;
  /// How fast that changes, by differences over a short time along the present motion; after `rhs`. NaN where joints
  /// hold the frame.
  [[nodiscard]] core::Wrench led_load_rate(const SpaceEnd& end, std::span<const double> y,
                                           std::span<const double> ydot);
  void apply_space_end(const SpaceEnd& end, double t, wave::Side side) const;
  void apply_spring(const core::SpringEnd& spring, int frame) const;
  void apply_joint_end(const JointEnd& end, double t, wave::Side side, std::span<const double> y) const;
  /// The angle of a joint, with how often it has gone round, or its distance.
  [[nodiscard]] JointRow coordinate(int joint, bool is_along, std::span<const double> y) const;
  /// Second derivative of the coordinate that a row contains.
  [[nodiscard]] double second_rate(int joint, const JointRow& row) const;
  /// How a frame moves, with the accelerations of the last `rhs`.
  [[nodiscard]] core::SpatialMotion motion_of(int frame) const;
  /// Counted from the own origin; and in the world.
  [[nodiscard]] core::Pose pose_of(int frame) const;
  [[nodiscard]] core::Pose world_pose_of(int frame) const;
  [[nodiscard]] std::span<const double> own_states(std::size_t force, std::span<const double> y) const {
    return y.subspan(own_[force].first, own_[force].count);
  }
  [[nodiscard]] std::span<const double> body_states(std::size_t body, std::span<const double> y) const {
    return y.subspan(kinematics_.first_state(body), kinematics_.state_count(body));
  }
  [[nodiscard]] bool is_velocity_state(std::size_t state) const;
  [[nodiscard]] std::span<const double> bearing_states(const BearingPart& part, std::span<const double> y) const {
    return y.subspan(part.first, part.bearing.state_count());
  }
  /// The time and the inputs last read.
  [[nodiscard]] Moment moment(double t, wave::Side side) const { return {t, side, inputs_, input_rates_}; }
  [[nodiscard]] double kinetic_energy(std::span<const double> y) const;
  [[nodiscard]] double weight_energy(std::span<const double> y) const;
  [[nodiscard]] double elastic_energy(std::span<const double> y) const;

  // Where it stands at rest (statics.cpp).
  core::Result<void> settle(double t0, std::span<const core::SpringEnd> ends) override;
  [[nodiscard]] core::EndPlace place(const core::SpringEnd& end) const override;
  void response(Eigen::MatrixXd& by_partners) override;
  void put_springs(std::span<const core::SpringEnd> ends);
  struct Unrest {
    double value = 0.0;  ///< largest acceleration [m/s^2], [rad/s^2]
    int body = -1;
    const std::string* bearing = nullptr;  ///< whose balls they are
  };
  [[nodiscard]] Unrest unrest() const;
  core::Result<void> find_rest(double t0, std::vector<double>& y);
  bool step_to_rest(double t0, double& shift, std::span<double> y);
  [[nodiscard]] std::string name_of_body(int body) const;
  void pull(const core::SpringEnd& spring, Eigen::Index direction, std::span<const double> y, std::span<double> rates);
  void compute_moves(std::span<const double> y, std::span<const double> change, Eigen::Ref<Eigen::VectorXd> moves);

  // Differences of single elements (jacobian.cpp).
  void find_neighbours();
  /// Evaluates the forces on one body, at the motion placed.
  void probe(std::size_t body, double t, wave::Side side, std::span<const double> y, Probe& probe);
  void lay_out_jacobian();
  void differ(const Neighbours& around, const Probe& base, Probe& moved, double step) const;
  /// Adds to a column what a change of accelerations, rates and defects implies.
  void add_column(const Neighbours& around, const Probe& change, double factor, int column);
  void add_body_columns(std::size_t body, double t, std::span<const double> y);
  void add_kinematics(std::size_t body, std::span<const double> y);
  void add_own_states(std::span<const double> y);

  // The same by differences of the right-hand side, as many columns at once as have no rows in common
  // (tree_jacobian.cpp).
  void lay_out_tree_jacobian();
  bool evaluate_tree_jacobian(double t, std::span<const double> y);
  bool is_laid_out_ = false;

  // What is recorded (outputs.cpp).
  void add_columns();
  /// The column that is the rate of another, or -1: a velocity for a position.
  [[nodiscard]] int rate_of_column(std::string name) const;
  [[nodiscard]] core::Wrench joint_reaction(std::size_t joint) const;
  /// What exact joints do on bodies per second where a frame of theirs is prescribed [W], of the last `rhs`.
  [[nodiscard]] double prescribed_power() const;

  Eigen::Vector3d origin_;  ///< in the world: states, frames and the specification count positions from here [m]
  MultibodySpec spec_;
  mutable std::vector<BodyInertia> inertias_;
  std::vector<std::size_t> beams_;  ///< bodies that deform
  mutable Kinematics kinematics_;
  std::unique_ptr<Formulation> formulation_;
  // The formulation, which is one of these.
  BodyCoordinates* bodies_ = nullptr;
  JointCoordinates* joints_ = nullptr;
  std::vector<std::unique_ptr<PairForce>> forces_;
  std::vector<JointPenalty*> penalties_;  ///< among the forces, by joint; empty if joints are kept exactly
  std::vector<Neighbours> neighbours_;    ///< of each body
  std::vector<OwnPart> own_;              ///< of each force
  mutable std::vector<BearingPart> bearings_;
  std::vector<int> turn_state_;       ///< of each joint, or -1
  std::vector<std::size_t> counted_;  ///< joints that have a state of their own for it
  mutable std::vector<TimeSignal> functions_;
  std::vector<int> drive_function_;  ///< of each joint, where joints are forces; or -1
  std::vector<Load> loads_;
  std::vector<JointLoad> joint_loads_;
  std::vector<core::Port> ports_;
  std::deque<SpaceEnd> space_ends_;
  std::vector<int> led_end_;       ///< of each frame: the end that leads it, or -1
  bool has_led_end_ = false;       ///< an interface leads a frame
  bool has_held_led_end_ = false;  ///< joints hold such a frame
  std::vector<JointEnd> joint_ends_;
  std::vector<int> given_joint_;                    ///< of each end in space: the joint that gives it its motion, or -1
  std::size_t first_input_ = 0, first_output_ = 0;  ///< ports
  std::vector<int> output_columns_, output_rates_;  ///< columns that outputs report, and those of their rates, or -1
  std::vector<core::Column> columns_;
  std::vector<std::string> doubts_;
  int size_ = 0;
  int guard_count_ = 0;
  int switch_count_ = 0;  ///< guards of functions, which come first

  // Workspace: the evaluation at hand.
  mutable std::vector<double> inputs_, input_rates_;
  mutable std::vector<BodyVector> efforts_;  ///< on each body
  std::array<Probe, 2> probes_{};
  std::vector<core::SpringEnd> springs_;     ///< of the last `settle`
  std::optional<std::vector<double>> rest_;  ///< the equilibrium, where it was found
  double rest_time_ = 0.0;                   ///< for which it was [s]
  bool is_settling_ = false;                 ///< springs replace lines
  solvers::SparseJacobian jacobian_;
  std::vector<std::vector<int>> rows_of_column_;    ///< with joint coordinates: by state
  std::vector<std::vector<int>> columns_of_group_;  ///< those that are found together
  std::vector<double> moved_, moved_rates_;
  std::array<FrameMotion, 2> carried_{};  ///< frames a little later
  std::vector<double> carried_states_{};
  mutable double supplied_ = 0.0;        ///< by loads and prescribed frames [W]
  std::vector<std::size_t> led_joints_;  ///< exact, and with a frame that is prescribed
  std::vector<double> scratch_, row_;    ///< as many numbers as states; as columns
};

}  // namespace tieline::components
