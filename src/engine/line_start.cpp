// What lines hold at the start, where their ends have no inertia.
//
// A line starts with the effort that the model states, and with a flow that runs linearly between those of its ends.
// The flow of an end with inertia is a state. That of an end without follows from the equations of its component under
// the line's effort: an orifice, a resistor, a massless node. Notation, for the ends without inertia of all lines:
//
//   u     flow with which the line is filled there: the wave that comes in is w = F + Z u
//   v(u)  flow that the component then has; it depends on the waves that come in at the same component only
//   r     v(u) - u, which is to be zero: then the effort at the end is F, and nothing jumps
//
// Newton's method finds u, component by component, with central differences for the slopes. A component that may move
// as a whole (a node between two pipes, an orifice between two, a spring) leaves some directions of u open: r does not
// depend on them. There the sum of k (u_to - u_from)^2 over all lines is made least, k being the lines' stiffness: the
// rates of the efforts are then in balance, too. Flows are scaled by the square root of Z, so that domains compare.

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "engine/engine.hpp"

namespace tieline::engine {
namespace {

constexpr int kMostFillingRounds = 40;
constexpr int kMostStepHalvings = 10;
// Changes for the slopes, as a share of the flows' size.
constexpr double kSlopeShare = 1e-5;
// Directions in which the (scaled) residual changes by less than this are open; differences are exact to 1e-10.
constexpr double kOpenSlope = 1e-7;
// Residuals below the first are as small as they get; those below the second are too small to be halved further.
constexpr double kFilled = 1e-15;
constexpr double kNearlyFilled = 1e-9;
// Open directions that no line ties to anything keep their flow.
constexpr double kHold = 1e-12;

/// An end without inertia.
struct FreeEnd {
  std::size_t line = 0;
  bool is_to = false;
  double factor = 1.0;  ///< square root of Z
};
/// What one node has of them.
struct FreeNode {
  int node = 0;
  std::vector<std::size_t> ends{};
  Eigen::MatrixXd slope{};  ///< dr/du, scaled
  Eigen::MatrixXd open{};   ///< directions that r does not depend on, by column
  Eigen::MatrixXd fixed{};  ///< those of r that u can change
  Eigen::VectorXd residual{};
  Eigen::VectorXd step{};  ///< of the scaled flows
  double size = 0.0;       ///< of the scaled flows
  double share = 1.0;      ///< of the step that is taken
  Eigen::Index first_open = 0;
};
struct FilledLine {
  lines::Connection* connection = nullptr;
  lines::StartLine start{};
  std::array<double, 2> flow{};     ///< at from, to
  std::array<int, 2> free{-1, -1};  ///< the free end there, or -1
  /// The line's flow at an end, by that of the port there.
  [[nodiscard]] double ratio(bool is_to) const { return is_to ? 1.0 : start.ratio; }
};

}  // namespace

/// See the top of this file.
class LineFilling {
 public:
  LineFilling(const std::vector<std::unique_ptr<lines::Connection>>& connections, const core::TimeGrid& grid,
              std::function<core::Result<void>(int node)> start_node)
      : grid_(grid), start_node_(std::move(start_node)) {
    std::map<int, std::size_t> place;
    for (const auto& connection : connections) {
      const auto start = connection->start_line();
      if (!start) continue;
      FilledLine line{.connection = connection.get(), .start = *start};
      for (const bool is_to : {false, true}) {
        const core::Port& port = *line.start.ports[is_to];
        line.flow[is_to] = port.outbox.back().flow;
        if (!port.follows_wave) continue;
        line.free[is_to] = static_cast<int>(ends_.size());
        const auto [found, is_new] = place.try_emplace(connection->node(is_to), nodes_.size());
        if (is_new) nodes_.push_back({.node = connection->node(is_to)});
        nodes_[found->second].ends.push_back(ends_.size());
        ends_.push_back({lines_.size(), is_to, std::abs(line.ratio(is_to)) * std::sqrt(line.start.impedance)});
      }
      // The partner's flow is a good guess where it is known.
      for (const bool is_to : {false, true}) {
        if (line.free[is_to] < 0 || line.free[!is_to] >= 0) continue;
        line.flow[is_to] = line.ratio(!is_to) * line.flow[!is_to] / line.ratio(is_to);
      }
      lines_.push_back(line);
    }
  }

  [[nodiscard]] bool is_needed() const { return !ends_.empty(); }

  core::Result<void> run() {
    if (auto seen = evaluate(); !seen) return seen;
    double before = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kMostFillingRounds; ++round) {
      measure_sizes();
      if (round == 0 && is_settled()) return {};
      if (auto found = find_slopes(); !found) return found;
      const double largest = largest_residual();
      const bool is_least = largest <= kFilled || (largest <= kNearlyFilled && largest > 0.5 * before);
      before = largest;
      if (auto moved = move(); !moved) return moved;
      if (is_least) return {};
    }
    // No flow balances such an effort: the line starts with the closest, and its waves jump.
    return {};
  }

 private:
  double& flow(std::size_t end) { return lines_[ends_[end].line].flow[ends_[end].is_to]; }
  double reported_flow(std::size_t end) const {
    return lines_[ends_[end].line].start.ports[ends_[end].is_to]->outbox.back().flow;
  }

  void fill() {
    for (FilledLine& line : lines_) {
      line.connection->set_start_flows(line.flow[0], line.flow[1]);
      line.connection->start(grid_);
    }
  }
  core::Result<void> start_nodes() {
    for (const FreeNode& node : nodes_) {
      if (auto started = start_node_(node.node); !started) return started;
    }
    return {};
  }
  /// The residuals of all nodes for the present flows.
  core::Result<void> evaluate() {
    fill();
    if (auto started = start_nodes(); !started) return started;
    for (FreeNode& node : nodes_) {
      const auto n = static_cast<Eigen::Index>(node.ends.size());
      node.residual.resize(n);
      for (Eigen::Index i = 0; i < n; ++i) {
        const std::size_t end = node.ends[static_cast<std::size_t>(i)];
        node.residual[i] = ends_[end].factor * (reported_flow(end) - flow(end));
      }
    }
    return {};
  }

  void measure_sizes() {
    double all = 0.0;
    for (FreeNode& node : nodes_) {
      node.size = 0.0;
      for (const std::size_t end : node.ends) {
        const FilledLine& line = lines_[ends_[end].line];
        const double Z = line.start.impedance;
        const double flows = std::max(std::abs(line.ratio(false) * line.flow[0]), std::abs(line.flow[1])) +
                             std::abs(line.ratio(ends_[end].is_to) * reported_flow(end));
        node.size = std::max(node.size, std::sqrt(Z) * (flows + std::abs(line.start.effort) / Z));
      }
      all = std::max(all, node.size);
    }
    for (FreeNode& node : nodes_) {
      if (node.size == 0.0) node.size = all > 0.0 ? all : 1.0;
    }
  }

  /// Nothing is to be found where all ends fit and no line has different flows at its ends.
  bool is_settled() {
    for (const FreeNode& node : nodes_) {
      if (node.residual.cwiseAbs().maxCoeff() > kFilled * node.size) return false;
      for (const std::size_t end : node.ends) {
        const FilledLine& line = lines_[ends_[end].line];
        if (line.ratio(false) * line.flow[0] != line.flow[1]) return false;
      }
    }
    return true;
  }

  /// The k-th ends of all nodes are changed at once: nodes do not depend on one another.
  core::Result<void> find_slopes() {
    std::size_t most = 0;
    for (FreeNode& node : nodes_) {
      const auto n = static_cast<Eigen::Index>(node.ends.size());
      node.slope = Eigen::MatrixXd::Zero(n, n);
      most = std::max(most, node.ends.size());
    }
    std::vector<Eigen::VectorXd> present;
    for (const FreeNode& node : nodes_) present.push_back(node.residual);
    for (std::size_t k = 0; k < most; ++k) {
      for (const double sign : {1.0, -1.0}) {
        shift(k, sign);
        if (auto seen = evaluate(); !seen) return seen;
        shift(k, -sign);
        for (FreeNode& node : nodes_) {
          if (k >= node.ends.size()) continue;
          node.slope.col(static_cast<Eigen::Index>(k)) += sign / (2.0 * kSlopeShare * node.size) * node.residual;
        }
      }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i].residual = present[i];
      split_directions(nodes_[i]);
    }
    return {};
  }
  void shift(std::size_t k, double sign) {
    for (const FreeNode& node : nodes_) {
      if (k >= node.ends.size()) continue;
      flow(node.ends[k]) += sign * kSlopeShare * node.size / ends_[node.ends[k]].factor;
    }
  }

  /// Newton's step, and the directions that it leaves open.
  static void split_directions(FreeNode& node) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(node.slope, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Eigen::Index n = node.slope.rows();
    Eigen::Index rank = 0;
    while (rank < n && svd.singularValues()[rank] > kOpenSlope) ++rank;
    node.fixed = svd.matrixU().leftCols(rank);
    node.open = svd.matrixV().rightCols(n - rank);
    const Eigen::VectorXd along = node.fixed.transpose() * node.residual;
    node.step = -svd.matrixV().leftCols(rank) * along.cwiseQuotient(svd.singularValues().head(rank));
  }
  /// What u could still do away with.
  static double reachable(const FreeNode& node) {
    return node.fixed.cols() > 0 ? (node.fixed.transpose() * node.residual).norm() / node.size : 0.0;
  }
  double largest_residual() const {
    double largest = 0.0;
    for (const FreeNode& node : nodes_) largest = std::max(largest, reachable(node));
    return largest;
  }

  /// Newton's step and what is best along open directions; steps that do not help a node are halved there.
  core::Result<void> move() {
    balance_open_directions();
    const std::vector<FilledLine> from = lines_;
    std::vector<double> before;
    for (FreeNode& node : nodes_) node.share = 1.0, before.push_back(reachable(node));
    for (int halving = 0; halving <= kMostStepHalvings; ++halving) {
      for (const FreeNode& node : nodes_) {
        for (std::size_t i = 0; i < node.ends.size(); ++i) {
          const FreeEnd& end = ends_[node.ends[i]];
          const double change = node.share * node.step[static_cast<Eigen::Index>(i)] / end.factor;
          flow(node.ends[i]) = from[end.line].flow[end.is_to] + change;
        }
      }
      if (auto seen = evaluate(); !seen) return seen;
      bool is_any_halved = false;
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (reachable(nodes_[i]) <= before[i] || before[i] <= kNearlyFilled) continue;
        nodes_[i].share *= 0.5;
        is_any_halved = true;
      }
      if (!is_any_halved) break;
    }
    return {};
  }

  /// Adds to Newton's steps what makes the sum of k (u_to - u_from)^2 least.
  void balance_open_directions() {
    Eigen::Index count = 0;
    std::vector<const FreeNode*> owner(ends_.size(), nullptr);
    std::vector<Eigen::Index> row(ends_.size(), 0);
    for (FreeNode& node : nodes_) {
      node.first_open = count;
      count += node.open.cols();
      for (std::size_t i = 0; i < node.ends.size(); ++i) {
        owner[node.ends[i]] = &node, row[node.ends[i]] = static_cast<Eigen::Index>(i);
      }
    }
    if (count == 0) return;
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(count), diagonal = Eigen::VectorXd::Zero(count);
    std::vector<std::pair<Eigen::Index, double>> terms;
    for (const FilledLine& line : lines_) {
      // u_to - u_from after Newton's step, and its slopes along the open directions.
      terms.clear();
      double difference = line.flow[1] - line.ratio(false) * line.flow[0];
      for (const bool is_to : {false, true}) {
        if (line.free[is_to] < 0) continue;
        const auto end = static_cast<std::size_t>(line.free[is_to]);
        const double factor = (is_to ? 1.0 : -line.ratio(false)) / ends_[end].factor;
        difference += factor * owner[end]->step[row[end]];
        for (Eigen::Index c = 0; c < owner[end]->open.cols(); ++c) {
          terms.emplace_back(owner[end]->first_open + c, factor * owner[end]->open(row[end], c));
        }
      }
      for (const auto& [i, a] : terms) {
        right[i] -= line.start.stiffness * a * difference;
        diagonal[i] += line.start.stiffness * a * a;
        for (const auto& [j, b] : terms) entries.emplace_back(i, j, line.start.stiffness * a * b);
      }
    }
    const double largest = diagonal.maxCoeff();
    for (Eigen::Index i = 0; i < count; ++i) entries.emplace_back(i, i, kHold * (largest > 0.0 ? largest : 1.0));
    Eigen::SparseMatrix<double> matrix(count, count);
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(matrix);
    if (factors.info() != Eigen::Success) return;
    const Eigen::VectorXd along = factors.solve(right);
    for (FreeNode& node : nodes_) {
      if (node.open.cols() > 0) node.step += node.open * along.segment(node.first_open, node.open.cols());
    }
  }

  const core::TimeGrid& grid_;
  std::function<core::Result<void>(int node)> start_node_;
  std::vector<FilledLine> lines_;
  std::vector<FreeEnd> ends_;
  std::vector<FreeNode> nodes_;
};

core::Result<void> Engine::fill_lines() {
  LineFilling filling(connections_, rule_.grid,
                      [this](int node) { return start_node(*nodes_[static_cast<std::size_t>(node)]); });
  return filling.is_needed() ? filling.run() : core::Result<void>{};
}

}  // namespace tieline::engine
