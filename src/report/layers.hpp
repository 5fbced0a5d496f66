#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tieline::report {

/// A directed graph of `count` nodes laid out in layers; nodes from `count` on are the bends of long edges.
struct Layers {
  std::vector<std::vector<std::size_t>> layers{};  ///< nodes in order, from top to bottom
  std::vector<std::vector<std::size_t>> bends{};   ///< per edge: its bends on the way from its first to its second node
};

/// Layers and orders the nodes so that edges mostly lead to later layers and cross little. Deterministic. Edges from a
/// node to itself are allowed and ignored.
[[nodiscard]] Layers assign_layers(std::size_t count, const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace tieline::report
