#include "components/network/flow_balance.hpp"

#include <algorithm>

namespace tieline::components {
namespace {

// A pivot this much smaller than its diagonal entry is rounding: the flow is not determined.
constexpr double kSingularShare = 1e-13;

}  // namespace

void FlowBalance::build(std::size_t node_count, std::span<const int> unknown, std::span<const Link> links) {
  nodes_.clear();
  blocks_.clear();
  row_of_.assign(node_count, -1);
  std::vector<bool> is_unknown(node_count, false);
  for (const int node : unknown) is_unknown[node] = true;

  // A block is a set of unknown nodes joined by links, found by following links from its first node.
  for (const int first : unknown) {
    if (row_of_[first] >= 0) continue;
    Block block;
    block.begin = static_cast<int>(nodes_.size());
    const auto take = [&](int node) {
      if (!is_unknown[node] || row_of_[node] >= 0) return;
      row_of_[node] = static_cast<int>(nodes_.size());
      nodes_.push_back(node);
    };
    take(first);
    for (std::size_t r = static_cast<std::size_t>(block.begin); r < nodes_.size(); ++r) {
      for (const Link& link : links) {
        if (link.from == nodes_[r]) take(link.to);
        if (link.to == nodes_[r]) take(link.from);
      }
    }
    block.end = static_cast<int>(nodes_.size());
    blocks_.push_back(block);
  }

  std::size_t offset = 0;
  for (Block& block : blocks_) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      const int row_from = row_of_[links[i].from];
      const int row_to = row_of_[links[i].to];
      const auto is_inside = [&](int row) { return row >= block.begin && row < block.end; };
      if (!is_inside(row_from) && !is_inside(row_to)) continue;
      block.links.push_back({static_cast<int>(i), links[i].from, links[i].to, row_from, row_to});
    }
    block.matrix = offset;
    const auto size = static_cast<std::size_t>(block.end - block.begin);
    offset += size * size;
  }
  matrix_.assign(offset, 0.0);
  right_side_.assign(nodes_.size(), 0.0);
}

bool FlowBalance::factor(std::span<const double> damping_of_links, std::span<const double> impedance_of_nodes) {
  for (const Block& block : blocks_) {
    const int size = block.end - block.begin;
    if (size == 1) {
      double diagonal = impedance_of_nodes[nodes_[block.begin]];
      for (const BlockLink& link : block.links) diagonal += damping_of_links[link.link];
      if (!(diagonal > 0.0)) return false;
      matrix_[block.matrix] = diagonal;
      continue;
    }
    for (int i = block.begin; i < block.end; ++i) {
      for (int j = block.begin; j < i; ++j) entry(block, i, j) = 0.0;
      entry(block, i, i) = impedance_of_nodes[nodes_[i]];
    }
    for (const BlockLink& link : block.links) {
      const double damping = damping_of_links[link.link];
      if (link.row_from >= 0) entry(block, link.row_from, link.row_from) += damping;
      if (link.row_to >= 0) entry(block, link.row_to, link.row_to) += damping;
      if (link.row_from >= 0 && link.row_to >= 0) {
        entry(block, std::max(link.row_from, link.row_to), std::min(link.row_from, link.row_to)) -= damping;
      }
    }
    if (!factor_block(block)) return false;
  }
  return true;
}

bool FlowBalance::factor_block(const Block& block) {
  for (int i = block.begin; i < block.end; ++i) {
    const double diagonal = entry(block, i, i);
    for (int j = block.begin; j <= i; ++j) {
      double sum = entry(block, i, j);
      for (int k = block.begin; k < j; ++k) sum -= entry(block, i, k) * entry(block, j, k) * entry(block, k, k);
      entry(block, i, j) = j < i ? sum / entry(block, j, j) : sum;
    }
    if (!(entry(block, i, i) > kSingularShare * diagonal)) return false;
  }
  return true;
}

void FlowBalance::solve(std::span<const double> damping_of_links, std::span<const double> drive,
                        std::span<double> flow) {
  for (std::size_t r = 0; r < nodes_.size(); ++r) right_side_[r] = drive[nodes_[r]];
  for (const Block& block : blocks_) {
    for (const BlockLink& link : block.links) {
      const double damping = damping_of_links[link.link];
      if (link.row_from < 0) {
        right_side_[link.row_to] += damping * flow[link.from];
      } else if (link.row_to < 0) {
        right_side_[link.row_from] += damping * flow[link.to];
      }
    }
  }
  solve_rows(right_side_, 1);
  for (std::size_t r = 0; r < nodes_.size(); ++r) flow[nodes_[r]] = right_side_[r];
}

void FlowBalance::solve_rows(std::span<double> rows, std::size_t width) const {
  const auto row = [&](int r) { return rows.subspan(static_cast<std::size_t>(r) * width, width); };
  const auto subtract = [&](int target, double factor, int source) {
    for (std::size_t c = 0; c < width; ++c) row(target)[c] -= factor * row(source)[c];
  };
  for (const Block& block : blocks_) {
    for (int i = block.begin; i < block.end; ++i) {
      for (int k = block.begin; k < i; ++k) subtract(i, entry(block, i, k), k);
    }
    for (int i = block.end - 1; i >= block.begin; --i) {
      for (double& value : row(i)) value /= entry(block, i, i);
      for (int k = i + 1; k < block.end; ++k) subtract(i, entry(block, k, i), k);
    }
  }
}

}  // namespace tieline::components
