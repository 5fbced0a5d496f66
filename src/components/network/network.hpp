#pragma once

#include <optional>
#include <span>
#include <vector>

#include "components/network/contact.hpp"
#include "components/network/flow_balance.hpp"
#include "components/network/spec.hpp"
#include "components/ode_model.hpp"
#include "components/time_signal.hpp"

namespace tieline::components {

/// A lumped 1-D network of masses, springs, dampers, contacts, loads and driven motions; `kind="network"`.
///
/// States: position and velocity of each mass, position of each massless node (unless a port or a position function
/// gives it). At every port a * effort + Z * flow = w holds at every evaluation:
///  - a mass takes effort = (w - Z v) / a;
///  - a massless node takes its flow from the balance of forces, which is linear in flows (FlowBalance);
///  - where a = 0 the flow is w / Z, and the position is the start position plus the track's integral, so sampled
///    positions do not drift from those that were sent; the effort is the reaction.
/// An interface without a track is a free end (w = 0). Ports are in the order of interfaces_of(spec).
///
/// Call order: construct, set the ports' laws, `begin`, then as OdeModel says. One thread at a time. `rhs`, `observe`,
/// `powers`, `record` and `guards` do not allocate.
class Network final : public OdeModel {
 public:
  explicit Network(NetworkSpec spec);

  // solvers::OdeSystem
  [[nodiscard]] int size() const override;
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  bool jacobian(double t, std::span<const double> y, std::span<double> columns) override;
  [[nodiscard]] int guard_count() const override { return static_cast<int>(guards_.size()); }
  void guards(double t, std::span<const double> y, std::span<double> values) override;

  // OdeModel
  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  core::Result<std::vector<double>> begin(double t0) override;
  [[nodiscard]] std::vector<int> scale_classes() const override;
  void natural_sizes(double t, double while_length, std::span<double> sizes) const override;
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
    int tells = -1;  ///< node whose motion is told
    bool imposes = false;
    double w_factor = 1.0;   ///< 1/a, or 1/Z
    double impedance = 0.0;  ///< Z/a; 0 where the port imposes the motion
  };
  struct Imposed {
    int node = -1;
    int port = -1;
    double start_position = 0.0;
    double start_integral = 0.0;  ///< of w, at the start
  };
  struct Drive {
    int node = -1;
    int x = -1;         ///< state, where only the velocity is given
    int velocity = -1;  ///< functions, or -1
    int position = -1;
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
  void add_ports();
  void add_functions();
  void add_guards();
  core::Result<void> prepare();
  core::Result<void> assign_roles();
  core::Result<void> assign_port(int port);
  core::Result<void> check_determined() const;
  void lay_out_states();
  void size_workspace();
  [[nodiscard]] std::vector<double> initial_state(double t0);

  // Evaluation at one time (evaluation.cpp): fills the workspace below.
  void read_inputs(double t, wave::Side side) const;
  void place_nodes(double t, wave::Side side, std::span<const double> y) const;
  void apply_loads(double t) const;
  void apply_elastic_forces() const;
  void apply_damping_forces() const;
  bool evaluate(double t, wave::Side side, std::span<const double> y) const;
  void evaluate_tangents();
  void evaluate_rates(double t, wave::Side side, std::span<const double> ydot);
  /// Force on a node with the ports' impedances.
  [[nodiscard]] double net_force(int node) const { return force_[node] - impedance_[node] * flow_[node]; }
  [[nodiscard]] double port_effort(int port) const;
  [[nodiscard]] double elongation_rate(const Link& link) const { return flow_[link.to] - flow_[link.from]; }
  /// Adds the derivative of the force on `node`, times `scale`, to a row of numbers by state; the flows of balanced
  /// nodes enter by their own rows where `with_balanced_flows`.
  void add_force_row(int node, double scale, bool with_balanced_flows, double* row, int stride) const;

  // Outputs (outputs.cpp).
  [[nodiscard]] double potential_energy() const;
  [[nodiscard]] double kinetic_energy() const;

  // Modes (modes.cpp).
  void evaluate_guards(double t, wave::Side side, std::span<const double> y, std::span<double> values) const;
  void change_mode(int guard);
  bool settle_modes(double t, std::span<const double> y);

  NetworkSpec spec_;
  std::vector<core::Port> ports_;
  bool has_begun_ = false;

  // Constant after begin().
  std::vector<Role> roles_;
  std::vector<PortRole> port_roles_;  ///< of the mechanical ports, which come first
  std::vector<MassState> masses_;
  std::vector<BalanceState> balances_;
  std::vector<Imposed> imposed_;
  std::vector<Link> links_;
  std::vector<std::vector<int>> links_of_;  ///< by node
  std::vector<int> damped_links_;           ///< those that may have damping, in the order of balance_damping_
  std::vector<double> impedance_;           ///< of all ports at a node
  std::vector<double> constant_force_;      ///< of constant loads, by node
  std::vector<int> x_state_, v_state_;      ///< by node; -1 where the quantity is not a state
  std::vector<int> varying_loads_;
  std::vector<Drive> drives_;
  std::vector<Guard> guards_;
  bool guards_need_flows_ = false;
  int size_ = 0;

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
  std::vector<double> tangent_, tension_rate_;     ///< by link: d tension / d e, d tension / dt
  std::vector<double> acceleration_, force_rate_;  ///< by node
  std::vector<double> guard_values_, flow_rows_;
};

}  // namespace tieline::components
