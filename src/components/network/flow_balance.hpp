#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tieline::components {

/// Flows of massless nodes from the balance of the forces on them, which is linear in flows:
///   (Z_i + sum_j D_ij) v_i - sum_j D_ij v_j = drive_i,
/// with Z the ports' impedance at the node and D the damping of the links. Nodes that no link with damping joins are
/// solved on their own (one division each); joined ones by an L D L^T factor of their block.
///
/// Call order: `build` once, then `factor` for the present damping, then any number of solves. Nothing allocates after
/// `build`. The matrix is symmetric, and positive definite where every flow is determined.
class FlowBalance {
 public:
  struct Link {
    int from = -1;
    int to = -1;
  };

  /// `unknown` are the nodes to be solved for; `links` those that may have damping, in the caller's numbering.
  void build(std::size_t node_count, std::span<const int> unknown, std::span<const Link> links);

  [[nodiscard]] bool is_empty() const { return nodes_.empty(); }
  /// The solved nodes; their order is that of the rows in `solve_rows`.
  [[nodiscard]] std::span<const int> nodes() const { return nodes_; }
  [[nodiscard]] int row_of(int node) const { return row_of_[node]; }

  /// False if a flow is not determined (no damping and no impedance acts on it).
  [[nodiscard]] bool factor(std::span<const double> damping_of_links, std::span<const double> impedance_of_nodes);
  /// Sets the unknown entries of `flow` (by node) from `drive` (by node) and the known flows.
  void solve(std::span<const double> damping_of_links, std::span<const double> drive, std::span<double> flow);
  /// Solves for many right-hand sides in place: row r (of `width` numbers) belongs to nodes()[r].
  void solve_rows(std::span<double> rows, std::size_t width) const;

 private:
  struct BlockLink {
    int link = -1;
    int from = -1, to = -1;          ///< nodes
    int row_from = -1, row_to = -1;  ///< rows, or -1 where the end's flow is known
  };
  struct Block {
    int begin = 0, end = 0;  ///< rows
    std::size_t matrix = 0;  ///< offset of its lower triangle, stored as a full square
    std::vector<BlockLink> links{};
  };

  [[nodiscard]] bool factor_block(const Block& block);
  [[nodiscard]] double& entry(const Block& block, int row, int column) {
    return matrix_[block.matrix +
                   static_cast<std::size_t>((row - block.begin) * (block.end - block.begin) + column - block.begin)];
  }
  [[nodiscard]] double entry(const Block& block, int row, int column) const {
    return const_cast<FlowBalance*>(this)->entry(block, row, column);
  }

  std::vector<int> nodes_, row_of_;
  std::vector<Block> blocks_;
  std::vector<double> matrix_, right_side_;
};

}  // namespace tieline::components
