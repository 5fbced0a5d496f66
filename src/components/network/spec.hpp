#pragma once

#include <optional>
#include <string>
#include <vector>

#include "components/interface_info.hpp"
#include "core/domain.hpp"
#include "document/time_function.hpp"

namespace tieline::components {

/// A lumped network of one axis per node, as plain data. Nodes and elements are named by their index.
///
/// All domains share one set of words, those of mechanics: a node's velocity stands for its pressure, voltage or
/// temperature, a force on it for what flows into it, its inertia for its capacitance (of a volume V with bulk modulus
/// K: V / K), a damper for a resistance (damping 1/R), a spring for an inductance (stiffness 1/L). Units are those of
/// the node's domain: m, kg, N; rad, kg m^2, N m; Pa, m^3/Pa, m^3/s; V, F, A; K, J/K, W.
struct NetworkNode {
  enum class Kind { mass, massless, ground };
  std::string name{};
  Kind kind = Kind::mass;
  core::Domain domain = core::Domain::translation;
  double inertia = 0.0;   ///< [kg] or [kg m^2]; of a mass (volume, capacitor, heat capacity)
  double position = 0.0;  ///< at the start [m] or [rad]
  double velocity = 0.0;  ///< at the start [m/s], [rad/s], [Pa], [V] or [K]; of a mass
};

/// An element between two nodes. With e = x_to - x_from and its rate e', the tension F pulls the nodes together:
///   spring F = k (e - free_length); damper F = c e';
///   stops  F = +N beyond `upper`, -N below `lower`, N = k p + c p' with the overlap p > 0, never negative;
///   hertz  F = -N below `lower`, N = k p^exponent (1 + c p') with p = lower - e > 0, never negative
///          ([Hunt1975], with c the damping factor [s/m]);
///   orifice F = opening * Q(e'), see Orifice.
/// In other domains than mechanics what flows from `from` to `to` is -F.
struct NetworkElement {
  enum class Kind { spring, damper, stops, hertz, orifice };
  std::string name{};
  Kind kind = Kind::spring;
  int from = -1;
  int to = -1;
  double stiffness = 0.0;                           ///< [N/m], [N m/rad], or [N/m^exponent]
  double damping = 0.0;                             ///< [N s/m], [N m s/rad]; hertz: [s/m]
  std::optional<double> free_length{};              ///< of a spring; absent: the distance at the start
  double lower = 0.0;                               ///< of stops and hertz [m] or [rad]
  double upper = 0.0;                               ///< of stops
  double exponent = 1.5;                            ///< of hertz, at least 1
  double flow_coefficient = 0.0;                    ///< of an orifice [m^3/s/Pa^0.5]
  double transition = 0.0;                          ///< of an orifice [Pa]
  std::optional<document::TimeFunction> opening{};  ///< of an orifice, 0 to 1; absent: fully open
  int heat_to = -1;                                 ///< thermal node that its losses go to, or -1
};

/// An element with more than two ends, or with a state of its own (Devices).
struct NetworkDevice {
  enum class Kind {
    pump,       ///< moves ratio [m^3/rad] from `from` to `to` per turn of shaft against housing
    cylinder,   ///< chamber a is `to` with the area `ratio`, chamber b is `from` with `ratio_b`; shaft is the rod
    motor,      ///< torque constant `ratio`, resistance and inductance between `from` and `to`
    capacitor,  ///< capacitance `ratio` in series with a resistance
  };
  std::string name{};
  Kind kind = Kind::pump;
  int from = -1, to = -1;
  int shaft = -1, housing = -1;
  double ratio = 0.0;       ///< [m^3/rad], [m^2], [N m/A] or [F]
  double ratio_b = 0.0;     ///< [m^2]
  double resistance = 0.0;  ///< [ohm]
  double inductance = 0.0;  ///< [H]; 0: none
  double start = 0.0;       ///< of the state: current [A] or voltage [V]
  int heat_to = -1;         ///< thermal node that its losses go to, or -1
};

struct NetworkLoad {
  std::string name{};
  int node = -1;
  document::TimeFunction force{};  ///< [N], [N m], [m^3/s], [A] or [W], of t and the signal inputs
  int from = -1;                   ///< node that it is taken from, or -1
};

/// Drives a massless node. Where only the velocity is prescribed the position is integrated from the node's own; where
/// only the position is prescribed the velocity is differenced.
struct NetworkMotion {
  std::string name{};
  int node = -1;
  std::optional<document::TimeFunction> velocity{};
  std::optional<document::TimeFunction> position{};
};

struct NetworkInterface {
  std::string name{};
  int node = -1;
  core::Causality causality = core::Causality::takes_force;
  std::optional<int> reported_node{};  ///< the node whose motion is reported instead of that of `node`
};

struct NetworkSignalInput {
  std::string name{};
  double start = 0.0;  ///< value while nothing has come in
  bool is_start_stated = false;
};

struct NetworkSignalOutput {
  enum class Quantity { position, velocity, force, device };
  std::string name{};
  Quantity quantity = Quantity::position;
  int index = -1;   ///< of a node (position, velocity), an element (force) or a device
  int output = -1;  ///< of a device
};

/// Signal inputs named `u[1]`, `u[2]`, ... that follow one another are one signal `u` of several numbers; so are
/// outputs.
struct NetworkSpec {
  std::vector<NetworkNode> nodes{};
  std::vector<NetworkElement> elements{};
  std::vector<NetworkDevice> devices{};
  std::vector<NetworkLoad> loads{};
  std::vector<NetworkMotion> motions{};
  std::vector<NetworkInterface> interfaces{};
  std::vector<NetworkSignalInput> inputs{};
  std::vector<NetworkSignalOutput> outputs{};
};

/// Where the positions of its nodes along an axis are best counted from; see own_origin() [m].
[[nodiscard]] double origin_of(const NetworkSpec& spec);
/// The same network, its nodes along an axis moved [m].
[[nodiscard]] NetworkSpec moved(NetworkSpec spec, double by);

/// Interfaces, then signal inputs, then signal outputs: the order of the network's ports, of which a signal has one per
/// number.
[[nodiscard]] std::vector<InterfaceInfo> interfaces_of(const NetworkSpec& spec);

/// Whether a signal output may follow the signal inputs at the same time: the velocity of what has no mass, a position
/// that is driven, and forces between such nodes.
[[nodiscard]] bool may_feed_through(const NetworkSpec& spec, const std::string& output);

/// Massless nodes whose flow nothing determines. A node's flow is determined by a damper (or an orifice without valve)
/// to a node that has one, by a motion, or where `determines[i]` says so of an interface i there; damping of a contact
/// does not count, since the contact may be open.
[[nodiscard]] std::vector<int> undetermined_nodes(const NetworkSpec& spec, const std::vector<bool>& determines);

}  // namespace tieline::components
