#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "components/movable_ports.hpp"
#include "components/network/contact.hpp"
#include "components/network/devices.hpp"
#include "components/network/flow_balance.hpp"
#include "components/network/orifice.hpp"
#include "components/network/spec.hpp"
#include "components/ode_model.hpp"
#include "components/time_signal.hpp"

namespace tieline::components {

/// A lumped 1-D network; `kind="network"`: masses, springs, dampers, contacts, loads and prescribed motions, and in the
/// same words (NetworkNode) their hydraulic, electrical and thermal counterparts, with devices that join domains
/// (Devices).
///
/// States: position and velocity of each mass, position of each massless node (unless a port or a position function
/// gives it), then the devices' own. At every port a * effort + Z * flow = w holds at every evaluation:
///  - a mass takes effort = (w - Z v) / a;
///  - a massless node takes its flow from the balance of forces, which is linear in flows (FlowBalance);
///  - where a = 0 the flow is w / Z, and the position is the start position plus the track's integral, so sampled
///    positions do not drift from those that were sent; the effort is the reaction, which moves the node's inertia too.
/// Orifices are not linear in flows: where one meets a massless node, the balance is solved by Newton's method.
/// Losses with a `heat_to` come in as heat flow at that node; others count as dissipated.
/// An interface without a track is a free end (w = 0). Ports are in the order of interfaces_of(spec).
///
/// Call order: construct, set the ports' laws, `begin`, then as OdeModel says. One thread at a time. `rhs`, `observe`,
/// `powers`, `record` and `guards` do not allocate.
class Network final : public OdeModel, public MovablePorts {
 public:
  explicit Network(NetworkSpec spec);

  // solvers::OdeSystem
  [[nodiscard]] int size() const override;
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  bool jacobian(double t, std::span<const double> y, std::span<double> columns) override;
  [[nodiscard]] int guard_count() const override { return static_cast<int>(guards_.size()); }
  void guards(double t, std::span<const double> y, std::span<double> values) override;
  [[nodiscard]] double unseen_input(double t, double t_end, double relative_tolerance) override;

  // OdeModel
  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  void move_ports(std::span<core::Port> to) override;
  core::Result<std::vector<double>> begin(double t0) override;
  [[nodiscard]] std::vector<int> scale_classes() const override;
  void natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const override;
  [[nodiscard]] double position_origin(std::size_t port) const override {
    return port < port_roles_.size() ? origin_at(port_roles_[port].reported_node) : 0.0;
  }
  [[nodiscard]] std::vector<Motion> motions() const override;
  std::vector<Driven> choose_driven(double stretch) override;
  [[nodiscard]] wave::TrackValue driven_motion(std::size_t port, double t0, double t, wave::Side side) const override;
  void limit_sizes(std::span<const double> efforts, std::span<double> sizes) const override;
  [[nodiscard]] bool knows_what_moves() const override { return true; }
  [[nodiscard]] bool moves_by_states(std::size_t port) const override {
    return port < port_roles_.size() && roles_[port_roles_[port].node] == Role::mass;
  }
  void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
               std::span<PortOutput> outputs) override;
  void powers(double t, std::span<const double> y, Powers& powers) override;
  [[nodiscard]] std::vector<core::Column> columns() const override;
  void record(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
              std::span<double> values) override;
  [[nodiscard]] double next_break(double t) const override;
  bool on_break(double t, std::span<double> y) override;
  void on_guard(int index, double t, std::span<double> y) override;
  [[nodiscard]] double jump_work(double t) const override;
  [[nodiscard]] std::optional<core::Energy> energy(double t, std::span<const double> y) const override;
  void save_modes(core::ArchiveWriter& archive) const override;
  void restore_modes(core::ArchiveReader& archive) override;

 private:
  /// What decides a node's motion.
  enum class Role : unsigned char { mass, balance, ground, motion, port };

  struct MassState {
    int node = -1;
    int x = -1, v = -1;  ///< states
    double inverse_inertia = 0.0;
  };
  struct BalanceState {
    int node = -1;
    int x = -1;
  };
  /// The law of a mechanical port, divided by a; where a = 0 by Z.
  struct PortRole {
    int node = -1;
    int reported_node = -1;  ///< node whose motion is reported
    bool imposes = false;
    double w_factor = 1.0;   ///< 1/a, or 1/Z
    double impedance = 0.0;  ///< Z/a; 0 where the port imposes the motion
    double inertia = 0.0;    ///< of the node, where the port imposes its motion
  };
  struct Imposed {
    int node = -1;
    int port = -1;
    double start_position = 0.0;
    double start_integral = 0.0;  ///< of w, at the start
    double start_flow = 0.0;
  };
  struct Drive {
    int node = -1;
    int x = -1;         ///< state, where only the velocity is prescribed
    int velocity = -1;  ///< functions, or -1
    int position = -1;
  };
  /// What the waves of a node's several lines give it, at the times asked for last: each line asks for the same ones.
  /// A time has one place. All are stale once the tracks or the origin of the integrals have changed.
  struct DrivenMotions {
    struct Instant {
      double t = 0.0;                ///< [s]
      std::uint32_t generation = 0;  ///< that the motion holds for; 0: for none
      wave::Side side = wave::Side::left;
      wave::TrackValue motion{};
    };
    std::vector<Instant> instants{};  ///< a power of two of them
    std::uint32_t generation = 0;
    double t0 = 0.0;             ///< where the motions begin [s]
    std::uint64_t revision = 0;  ///< of the lines' tracks, for which they hold
  };
  /// An element between two nodes: tension = stiffness (e - reference) + damping e' + its contacts.
  struct Link {
    int from = -1, to = -1;
    double stiffness = 0.0;
    double damping = 0.0;
    double reference = 0.0;  ///< e where the elongation is counted from
    int first_contact = 0;
    int contact_count = 0;
  };
  struct Guard {
    enum class Kind : unsigned char { overlap, force, function };
    Kind kind = Kind::overlap;
    int index = -1;  ///< of a contact or a function
    int sub = 0;     ///< switch of a function
  };

  // Set-up (network.cpp).
  void add_links();
  void add_functions();
  void add_guards();
  core::Result<void> prepare();
  core::Result<void> assign_roles();
  core::Result<void> assign_port(int port);
  core::Result<void> impose_motion(int port, PortRole& role);
  core::Result<void> check_determined() const;
  core::Result<void> check_heat_targets() const;
  void sum_impedances();
  void add_heats();
  void lay_out_states();
  void size_workspace();
  [[nodiscard]] std::vector<double> initial_state(double t0);

  // Evaluation at one time (evaluation.cpp): fills the workspace below.
  void read_inputs(double t, wave::Side side) const;
  void read_signals(double t, wave::Side side) const;
  void place_nodes(double t, wave::Side side, std::span<const double> y) const;
  void place_prescribed_motions(double t, wave::Side side, std::span<const double> y) const;
  void apply_loads(double t) const;
  void apply_elastic_forces() const;
  void apply_damping_forces() const;
  void read_openings(double t) const;
  void linearise(const Orifice& orifice) const;
  bool solve_balance() const;
  bool solve_balance_with_orifices() const;
  [[nodiscard]] double balance_residual() const;
  void apply_heats(std::span<const double> y) const;
  /// The devices' part of the states.
  [[nodiscard]] std::span<const double> device_states(std::span<const double> y) const {
    return y.subspan(static_cast<std::size_t>(first_device_state_));
  }
  bool evaluate(double t, wave::Side side, std::span<const double> y) const;
  /// The same where nothing but lines and constant loads acts on masses.
  void evaluate_masses(double t, wave::Side side, std::span<const double> y) const;
  void evaluate_tangents();
  void evaluate_rates(double t, wave::Side side, std::span<const double> ydot);
  /// Force on a node with the ports' impedances.
  [[nodiscard]] double net_force(int node) const { return force_[node] - impedance_[node] * flow_[node]; }
  [[nodiscard]] double port_effort(int port) const;
  [[nodiscard]] wave::TrackValue sum_driven_motion(std::size_t node, double t0, double t, wave::Side side) const;
  /// Whether the elements and lines at a node with inertia leave it about as fast as it is over a stretch of time [s].
  [[nodiscard]] bool is_slow(const MassState& mass, double stretch) const;
  [[nodiscard]] double elongation_rate(const Link& link) const { return flow_[link.to] - flow_[link.from]; }
  /// Adds the derivative of the force on `node`, times `scale`, to a row of numbers by state; the flows of balanced
  /// nodes enter by their own rows where `with_balanced_flows`.
  void add_force_row(int node, double scale, bool with_balanced_flows, double* row, int stride) const;
  void add_device_row(int node, double scale, bool with_balanced_flows, double* row, int stride) const;
  /// The same for the flow of a node.
  void add_flow_row(int node, double scale, bool with_balanced_flows, double* row, int stride) const;

  // Outputs (outputs.cpp).
  [[nodiscard]] bool is_thermal(int node) const { return spec_.nodes[node].domain == core::Domain::thermal; }
  /// What a user of the domain reads of an element: its tension, or what flows from `from` to `to`.
  [[nodiscard]] double reported_sign(int element) const {
    return core::is_mechanical(spec_.nodes[links_[element].from].domain) ? 1.0 : -1.0;
  }
  [[nodiscard]] bool reports_position(int node) const { return core::is_mechanical(spec_.nodes[node].domain); }
  [[nodiscard]] double device_value(const NetworkSignalOutput& output, std::span<const double> y,
                                    std::span<const double> flow) const;
  /// Of a damper or an orifice.
  [[nodiscard]] double element_loss(int element) const { return tension_[element] * elongation_rate(links_[element]); }
  [[nodiscard]] double dissipated_power(std::span<const double> y) const;
  [[nodiscard]] double supplied_power() const;
  [[nodiscard]] double elastic_energy(std::span<const double> y) const;
  [[nodiscard]] double kinetic_energy(std::span<const double> y) const;
  /// Heat that has come into the heat capacities since the start [J].
  [[nodiscard]] double heat() const;
  /// Of what has inertia, or its counterpart: inertia * flow^2 / 2, summed over mechanical or other nodes but thermal
  /// ones.
  [[nodiscard]] double inertial_energy(bool is_mechanical) const;

  // Modes (modes.cpp).
  void evaluate_guards(double t, wave::Side side, std::span<const double> y, std::span<double> values) const;
  void change_mode(int guard);
  bool settle_modes(double t, std::span<const double> y);

  /// A loss that comes in as heat at a node.
  struct Heat {
    int element = -1;  ///< or
    int device = -1;
    int node = -1;
  };

  /// Of a node's position [m].
  [[nodiscard]] double origin_at(int node) const {
    return spec_.nodes[node].domain == core::Domain::translation ? origin_ : 0.0;
  }

  double origin_ = 0.0;  ///< in the world: positions of nodes along an axis are counted from here [m]
  NetworkSpec spec_;
  Devices devices_;
  std::vector<core::Port> own_ports_;  ///< empty if they live elsewhere
  std::span<core::Port> ports_;
  bool has_begun_ = false;

  // Constant after begin().
  std::vector<Role> roles_;
  std::vector<PortRole> port_roles_;  ///< of the mechanical ports, which come first
  std::vector<MassState> masses_;     ///< those whose motion is not imposed
  std::vector<int> stores_;           ///< all nodes with inertia
  std::vector<BalanceState> balances_;
  std::vector<Imposed> imposed_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> links_of_;  ///< by node
  std::vector<int> damped_links_;           ///< those that may have damping, in the order of balance_damping_
  std::vector<double> impedance_;           ///< of all ports at a node
  std::vector<double> constant_force_;      ///< of constant loads, by node
  std::vector<int> x_state_, v_state_;      ///< by node; -1 where the quantity is not a state
  std::vector<std::vector<int>> lines_at_;  ///< ports of lines, by node that they drive: it has inertia
  std::vector<double> inverse_inertia_;     ///< by node; 0 where it is not driven
  std::vector<int> varying_loads_;
  std::vector<Drive> drives_;
  std::vector<Guard> guards_;
  bool guards_need_flows_ = false;
  bool has_prescribed_motions_ = false;  ///< by ports or functions
  std::vector<Orifice> orifices_;
  bool has_balanced_orifices_ = false;
  std::vector<Heat> heats_;
  std::vector<int> lossy_elements_;  ///< dampers and orifices whose losses are dissipated
  bool has_heat_ = false;            ///< some node is thermal
  int first_device_state_ = 0;
  int size_ = 0;
  bool has_masses_only_ = false;  ///< with ports and constant loads

  mutable std::vector<DrivenMotions> driven_motions_;  ///< by node, used where several lines drive it

  // Modes.
  std::vector<Contact> contacts_;
  std::vector<TimeSignal> functions_;  ///< of the loads, then of the drives

  // Workspace of one evaluation, overwritten by the next; `energy` is const and needs it too.
  mutable std::vector<double> position_, flow_, force_;  ///< by node; force without the ports' -Z v
  mutable std::vector<wave::TrackValue> w_;              ///< by port
  mutable std::vector<double> inputs_, input_rates_;     ///< signal inputs
  mutable std::vector<double> load_force_;               ///< by load
  mutable std::vector<double> elastic_, link_damping_;   ///< by link: tension at rest, d tension / d e'
  mutable std::vector<double> tension_;                  ///< by link
  mutable std::vector<double> balance_damping_;          ///< by damped link
  mutable FlowBalance balance_;
  mutable std::vector<double> opening_;                     ///< by orifice
  mutable std::vector<double> settled_force_, trial_flow_;  ///< of the balance with orifices, by node
  std::vector<double> tangent_, tension_rate_;              ///< by link: d tension / d e, d tension / dt
  std::vector<double> acceleration_, force_rate_;           ///< by node
  std::vector<double> guard_values_, flow_rows_, device_rates_;
};

}  // namespace tieline::components
