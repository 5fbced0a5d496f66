#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/network/spec.hpp"
#include "core/result.hpp"

namespace tieline::components {

/// A sum of multiples of nodes' flows (velocity, pressure, voltage, temperature) and of one state of a device.
struct LinearForm {
  struct Part {
    int node = -1;
    double weight = 0.0;
  };
  std::array<Part, 4> parts{};
  int device_state = -1;  ///< number among the devices' states, or -1
  double state_weight = 0.0;

  /// `states` are those of the devices alone.
  [[nodiscard]] double value(std::span<const double> flow, std::span<const double> states) const {
    double sum = device_state >= 0 ? state_weight * states[device_state] : 0.0;
    for (const Part& part : parts) {
      if (part.node >= 0) sum += part.weight * flow[part.node];
    }
    return sum;
  }
};

/// The named outputs of a device.
struct DeviceOutput {
  std::string_view quantity, unit;
  LinearForm form{};
};

/// The elements of a network with more than two ends or with a state of their own: pumps, cylinders, motors, capacitors
/// between two nodes. All are linear in the nodes' flows and their states:
///  - each acts by terms `force on target += coefficient * flow of source` (and by links of the network, see `links`);
///  - a state z follows z' = gain * form, and acts by `force on node += weight * z`.
///
/// The network solves flows of massless nodes by a balance that is symmetric; terms must not join two of them. So of a
/// device's two sides at least one must have known flows (a mass, a volume, a source). `build` checks that.
///
/// Call order: construct, `links` while the network is set up, `build`, then per evaluation `apply_before` the balance
/// and `apply_after` it. Nothing allocates after `build`. One thread at a time.
class Devices {
 public:
  struct Term {
    int target = -1;
    int source = -1;
    double coefficient = 0.0;
  };
  struct State {
    LinearForm form{};  ///< z' = gain * form
    double gain = 0.0;
    std::array<LinearForm::Part, 4> forces{};  ///< on nodes, per z
    double energy = 0.0;                       ///< stored: energy * z^2 / 2 [J]
    double start = 0.0;
    bool is_inductive = false;
  };
  /// A resistance that is part of a device: a link with damping between two nodes.
  struct Damping {
    int from = -1;
    int to = -1;
    double damping = 0.0;
  };

  explicit Devices(const NetworkSpec& spec);

  [[nodiscard]] bool is_empty() const { return outputs_.empty(); }
  [[nodiscard]] std::span<const Damping> links() const { return links_; }
  [[nodiscard]] std::span<const State> states() const { return states_; }
  /// Of one device.
  [[nodiscard]] std::span<const DeviceOutput> outputs(std::size_t device) const { return outputs_[device]; }

  /// Sorts the terms; `is_balanced` contains for each node whether its flow follows from the balance.
  [[nodiscard]] core::Result<void> build(const NetworkSpec& spec, const std::vector<bool>& is_balanced);

  /// Adds what is known before the balance is solved; `states` are the devices' own.
  void apply_before(std::span<const double> states, std::span<const double> flow, std::span<double> force) const;
  /// Adds the forces on nodes whose flow was known.
  void apply_after(std::span<const double> flow, std::span<double> force) const { apply(after_, flow, force); }
  void rates(std::span<const double> states, std::span<const double> flow, std::span<double> rates) const;
  /// Terms that act on a node, whichever side of the balance they are on.
  [[nodiscard]] std::span<const Term> terms_on(int node) const { return terms_on_[node]; }

  /// Power that turns into heat in one device [W].
  [[nodiscard]] double loss(std::size_t device, std::span<const double> states, std::span<const double> flow) const;
  [[nodiscard]] double inductive_energy(std::span<const double> states) const { return energy(states, true); }
  [[nodiscard]] double capacitive_energy(std::span<const double> states) const { return energy(states, false); }

 private:
  struct Loss {
    LinearForm form{};
    double factor = 0.0;  ///< loss = factor * form^2
  };
  void add_pump(const NetworkDevice& device);
  void add_cylinder(const NetworkDevice& device);
  void add_motor(const NetworkDevice& device);
  void add_capacitor(const NetworkDevice& device);
  /// A lossless converter: what flows from `from` to `to` is ratio * (flow of shaft - flow of housing), and the shaft
  /// feels -ratio * (flow of to - flow of from).
  void add_converter(int from, int to, int shaft, int housing, double ratio);
  static void apply(std::span<const Term> terms, std::span<const double> flow, std::span<double> force);
  [[nodiscard]] double energy(std::span<const double> states, bool is_inductive) const;

  std::vector<Damping> links_;
  std::vector<State> states_;
  std::vector<Term> terms_, before_, after_;
  std::vector<std::vector<Term>> terms_on_;
  std::vector<std::vector<DeviceOutput>> outputs_;
  std::vector<Loss> losses_;
  std::vector<int> device_of_term_;
};

}  // namespace tieline::components
