#include "coupling/layer_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tieline::coupling {
namespace {

// Steps that differ by rounding are one step.
constexpr double kSameStep = 1e-9;

using Units = std::vector<LayerUnit>;

/// Steps of all members: those that choose theirs have that of their fastest neighbour; 0 where there is none.
std::vector<double> steps_of(std::span<const LayerMember> members, std::span<const LayerEdge> edges) {
  std::vector<double> steps(members.size());
  for (std::size_t m = 0; m < members.size(); ++m) steps[m] = members[m].step;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    const std::vector<double> before = steps;
    for (const LayerEdge& edge : edges) {
      for (const auto& [m, n] : {std::pair{edge.from, edge.to}, std::pair{edge.to, edge.from}}) {
        const double theirs = before[static_cast<std::size_t>(n)];
        double& own = steps[static_cast<std::size_t>(m)];
        if (before[static_cast<std::size_t>(m)] > 0.0 || theirs == 0.0) continue;
        if (own > 0.0 && own <= theirs) continue;
        own = theirs;
        has_changed = true;
      }
    }
  }
  return steps;
}

std::vector<Layer> layers_of(std::span<const double> steps) {
  std::vector<int> order(steps.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return steps[static_cast<std::size_t>(a)] < steps[static_cast<std::size_t>(b)];
  });
  std::vector<Layer> layers;
  for (const int m : order) {
    const double step = steps[static_cast<std::size_t>(m)];
    const bool is_new = layers.empty() || step > layers.back().control_step * (1.0 + kSameStep);
    if (is_new) layers.push_back({step, {}});
    layers.back().members.push_back(m);
  }
  for (Layer& layer : layers) std::sort(layer.members.begin(), layer.members.end());
  return layers;
}

/// Edges between units, and who must go first.
struct UnitGraph {
  std::vector<std::vector<bool>> is_joined, goes_before;
};

UnitGraph graph_of(const Units& units, std::span<const LayerEdge> edges, std::size_t member_count) {
  const std::size_t n = units.size();
  std::vector<int> unit_of(member_count, -1);
  for (std::size_t u = 0; u < n; ++u) {
    for (const int m : units[u].members) unit_of[static_cast<std::size_t>(m)] = static_cast<int>(u);
  }
  UnitGraph graph{std::vector(n, std::vector<bool>(n, false)), std::vector(n, std::vector<bool>(n, false))};
  std::vector needs(n, std::vector<bool>(n, false));  // needs[v][u]: v takes something of u
  for (const LayerEdge& edge : edges) {
    const int from = unit_of[static_cast<std::size_t>(edge.from)], to = unit_of[static_cast<std::size_t>(edge.to)];
    if (from < 0 || to < 0 || from == to) continue;
    const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
    needs[b][a] = true;
    if (edge.is_two_way) needs[a][b] = true;
    if (edge.order == LayerEdge::Order::together) continue;
    graph.is_joined[a][b] = graph.is_joined[b][a] = true;
    if (edge.order == LayerEdge::Order::from_first) graph.goes_before[a][b] = true;
    if (edge.order == LayerEdge::Order::to_first) graph.goes_before[b][a] = true;
  }
  // Over other units too: who only takes of another waits for it.
  const bool is_mutual = std::all_of(edges.begin(), edges.end(), [](const LayerEdge& edge) { return edge.is_two_way; });
  if (is_mutual) return graph;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t v = 0; v < n; ++v) {
      if (!needs[v][k]) continue;
      for (std::size_t u = 0; u < n; ++u) needs[v][u] = needs[v][u] || needs[k][u];
    }
  }
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) {
      if (u != v && graph.is_joined[u][v] && needs[v][u] && !needs[u][v]) graph.goes_before[u][v] = true;
    }
  }
  return graph;
}

/// Units are in the order in which they would like to go.
void set_stages(LayerCluster& cluster, const UnitGraph& graph) {
  const std::size_t n = cluster.units.size();
  std::vector<bool> is_placed(n, false);
  for (std::size_t placed = 0; placed < n; ++placed) {
    const auto is_free = [&](std::size_t u) {
      if (is_placed[u]) return false;
      for (std::size_t v = 0; v < n; ++v) {
        if (graph.goes_before[v][u] && !is_placed[v]) return false;
      }
      return true;
    };
    std::size_t next = 0;
    while (next < n && !is_free(next)) ++next;
    // Orders that contradict each other: the first one that is left.
    if (next == n)
      next = static_cast<std::size_t>(std::find(is_placed.begin(), is_placed.end(), false) - is_placed.begin());
    std::size_t stage = 0;
    std::vector<bool> is_taken(n + 1, false);
    for (std::size_t v = 0; v < n; ++v) {
      if (!is_placed[v]) continue;
      if (graph.goes_before[v][next]) stage = std::max(stage, cluster.units[v].stage + 1);
      if (graph.is_joined[v][next]) is_taken[cluster.units[v].stage] = true;
    }
    while (is_taken[stage]) ++stage;
    cluster.units[next].stage = stage;
    is_placed[next] = true;
    if (cluster.stages.size() <= stage) cluster.stages.resize(stage + 1);
  }
  for (std::size_t u = 0; u < n; ++u) cluster.stages[cluster.units[u].stage].push_back(u);
}

void note_waiting(LayerCluster& cluster, std::span<const LayerEdge> edges) {
  std::vector<std::pair<int, std::size_t>> unit_of;
  for (std::size_t u = 0; u < cluster.units.size(); ++u) {
    for (const int m : cluster.units[u].members) unit_of.emplace_back(m, u);
  }
  std::sort(unit_of.begin(), unit_of.end());
  const auto find = [&](int m) {
    const auto found = std::lower_bound(unit_of.begin(), unit_of.end(), std::pair(m, std::size_t{0}));
    return found != unit_of.end() && found->first == m ? static_cast<int>(found->second) : -1;
  };
  for (const LayerEdge& edge : edges) {
    const int from = find(edge.from), to = find(edge.to);
    if (from < 0 || to < 0 || from == to) continue;
    const std::size_t a = cluster.units[static_cast<std::size_t>(from)].stage;
    const std::size_t b = cluster.units[static_cast<std::size_t>(to)].stage;
    cluster.has_waiting_units = cluster.has_waiting_units || edge.is_two_way || a >= b;
  }
}

}  // namespace

LayerPlan plan_layers(std::span<const LayerMember> members, std::span<const LayerEdge> edges) {
  const std::size_t n = members.size();
  const std::vector<double> steps = steps_of(members, edges);
  LayerPlan plan{.layers = layers_of(steps), .layer_of = std::vector<std::size_t>(n, 0)};
  std::vector<int> root(n);  // of the part that a member is in, within the layers so far
  std::iota(root.begin(), root.end(), 0);
  std::vector<int> cluster_of(n, -1);  // the outermost so far
  std::vector<bool> is_in(n, false);
  for (std::size_t l = 0; l < plan.layers.size(); ++l) {
    const Layer& layer = plan.layers[l];
    const bool is_last = l + 1 == plan.layers.size();
    for (const int m : layer.members) {
      plan.layer_of[static_cast<std::size_t>(m)] = l;
      is_in[static_cast<std::size_t>(m)] = true;
    }
    const auto join = [&](int a, int b) {
      const int from = root[static_cast<std::size_t>(a)], to = root[static_cast<std::size_t>(b)];
      if (from == to) return;
      std::replace(root.begin(), root.end(), std::max(from, to), std::min(from, to));
    };
    for (const LayerEdge& edge : edges) {
      if (is_in[static_cast<std::size_t>(edge.from)] && is_in[static_cast<std::size_t>(edge.to)])
        join(edge.from, edge.to);
    }
    // The whole group is one cluster even where nothing joins its parts.
    if (is_last) {
      for (std::size_t m = 1; m < n; ++m) join(0, static_cast<int>(m));
    }
    for (std::size_t r = 0; r < n; ++r) {
      LayerCluster cluster{.control_step = layer.control_step};
      for (std::size_t m = 0; m < n; ++m) {
        if (is_in[m] && root[m] == static_cast<int>(r)) cluster.members.push_back(static_cast<int>(m));
      }
      if (cluster.members.empty()) continue;
      for (const int m : cluster.members) {
        const int inner = cluster_of[static_cast<std::size_t>(m)];
        const auto is_same = [&](const LayerUnit& unit) { return inner >= 0 && unit.cluster == inner; };
        const auto known = std::find_if(cluster.units.begin(), cluster.units.end(), is_same);
        if (known != cluster.units.end()) {
          known->members.push_back(m);
        } else {
          cluster.units.push_back({.member = inner < 0 ? m : -1, .cluster = inner, .members = {m}});
        }
      }
      if (cluster.units.size() == 1 && !(is_last && plan.clusters.empty())) continue;
      std::stable_sort(cluster.units.begin(), cluster.units.end(), [&](const LayerUnit& a, const LayerUnit& b) {
        const auto layer_of = [&](const LayerUnit& unit) {
          std::size_t slowest = 0;
          for (const int m : unit.members) slowest = std::max(slowest, plan.layer_of[static_cast<std::size_t>(m)]);
          return slowest;
        };
        return layer_of(a) < layer_of(b);
      });
      set_stages(cluster, graph_of(cluster.units, edges, n));
      note_waiting(cluster, edges);
      for (const int m : cluster.members)
        cluster_of[static_cast<std::size_t>(m)] = static_cast<int>(plan.clusters.size());
      plan.clusters.push_back(std::move(cluster));
    }
  }
  return plan;
}

}  // namespace tieline::coupling
