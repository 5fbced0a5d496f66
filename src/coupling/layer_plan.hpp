#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tieline::coupling {

/// A member of a group, as far as its layer depends on it.
struct LayerMember {
  double step = 0.0;  ///< [s]; 0: of its own choice
};

/// What joins two members of a group, by number.
struct LayerEdge {
  enum class Order {
    unstated,
    from_first,
    to_first,
    together,  ///< neither waits for the other: both extrapolate
  };
  int from = 0, to = 0;
  bool is_two_way = true;  ///< else only `to` needs `from`
  Order order = Order::unstated;
};

/// What is computed as one within a cluster: a member, or a cluster of faster members.
struct LayerUnit {
  int member = -1;
  int cluster = -1;
  std::vector<int> members{};  ///< all that it contains
  std::size_t stage = 0;       ///< units of one stage do not need each other; earlier stages go first
};

/// Units that exchange at the ends of one control step.
struct LayerCluster {
  double control_step = 0.0;  ///< [s]; 0: nobody has a step of its own
  std::vector<LayerUnit> units{};
  std::vector<std::vector<std::size_t>> stages{};  ///< units by number
  std::vector<int> members{};                      ///< ascending
  bool has_waiting_units = false;                  ///< that need what others only find later in a control step
};

/// Members of one step.
struct Layer {
  double control_step = 0.0;  ///< [s]
  std::vector<int> members{};
};

/// Layers of a group whose members have steps of their own ([Zou2016] 4 and 5.2), and the clusters that compute them.
///
/// Members of equal steps are a layer, whose control step is theirs; a member that chooses its steps belongs to the
/// fastest layer among its neighbours. What is connected within the layers up to one is a cluster, and one unit of the
/// layer above, so that clusters that do not need each other are computed apart. Within a cluster the order of units is
/// as stated, then that of signals (sender first), then the faster first, whose inputs from slower partners are easier
/// to extrapolate, then that of numbers. Units that are not joined share a stage.
struct LayerPlan {
  std::vector<Layer> layers{};           ///< by ascending control step
  std::vector<LayerCluster> clusters{};  ///< inner ones before those around them; the last one is the whole group
  std::vector<std::size_t> layer_of{};   ///< by member
};

[[nodiscard]] LayerPlan plan_layers(std::span<const LayerMember> members, std::span<const LayerEdge> edges);

}  // namespace tieline::coupling
