#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tieline::engine {

/// Two cells of small components fit a core's cache.
inline constexpr std::size_t kMostCellNodes = 32;

/// The partners of each node of a graph.
using Partners = std::vector<std::vector<int>>;

/// An order in which nodes that are joined are close to one another: that of their numbers, or by the distance from a
/// node at the rim of the graph [Cuthill1969] where this brings them much closer.
[[nodiscard]] std::vector<int> close_order(const Partners& partners);

/// Where cells begin and the last one ends: pieces of a sequence of nodes with these costs of a window. A cell has at
/// most kMostCellNodes nodes, and with several workers not much more than a small part of a worker's share of the
/// costs.
[[nodiscard]] std::vector<std::size_t> cell_bounds(std::span<const double> costs, int workers);

/// Where the workers' ranges of cells begin and the last one ends: about the same costs for all, and at least one cell
/// for each. There are at least as many cells as workers.
[[nodiscard]] std::vector<std::size_t> range_bounds(std::span<const double> cell_costs, int workers);

}  // namespace tieline::engine
