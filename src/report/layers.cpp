#include "report/layers.hpp"

#include <algorithm>

namespace tieline::report {
namespace {

using Edge = std::pair<std::size_t, std::size_t>;
constexpr int kSweeps = 8;

/// Whether each edge must be turned round to break the cycles: those that lead back to a node on the path of a
/// depth-first search. Without recursion: chains may have thousands of nodes.
std::vector<bool> back_edges(std::size_t count, const std::vector<Edge>& edges) {
  std::vector<std::vector<std::size_t>> leaving(count);
  for (std::size_t e = 0; e < edges.size(); ++e) leaving[edges[e].first].push_back(e);
  enum class Mark { unseen, on_path, done };
  std::vector<Mark> marks(count, Mark::unseen);
  std::vector<std::size_t> next(count, 0), path;
  std::vector<bool> is_back(edges.size(), false);
  for (std::size_t root = 0; root < count; ++root) {
    if (marks[root] != Mark::unseen) continue;
    path.push_back(root);
    marks[root] = Mark::on_path;
    while (!path.empty()) {
      const std::size_t node = path.back();
      if (next[node] == leaving[node].size()) {
        marks[node] = Mark::done;
        path.pop_back();
        continue;
      }
      const std::size_t e = leaving[node][next[node]++];
      const std::size_t target = edges[e].second;
      if (marks[target] == Mark::on_path)
        is_back[e] = true;
      else if (marks[target] == Mark::unseen) {
        marks[target] = Mark::on_path;
        path.push_back(target);
      }
    }
  }
  return is_back;
}

/// Longest path from a source, over edges without cycles.
std::vector<std::size_t> longest_paths(std::size_t count, const std::vector<Edge>& edges) {
  std::vector<std::vector<std::size_t>> targets(count);
  std::vector<std::size_t> entering(count, 0), layer(count, 0), ready;
  for (const auto& [from, to] : edges) {
    if (from == to) continue;
    targets[from].push_back(to);
    ++entering[to];
  }
  for (std::size_t node = 0; node < count; ++node)
    if (entering[node] == 0) ready.push_back(node);
  for (std::size_t i = 0; i < ready.size(); ++i)
    for (const std::size_t target : targets[ready[i]]) {
      layer[target] = std::max(layer[target], layer[ready[i]] + 1);
      if (--entering[target] == 0) ready.push_back(target);
    }
  // A source stands directly before its nearest target, not at the far left.
  for (auto node = ready.rbegin(); node != ready.rend(); ++node) {
    const bool is_source = layer[*node] == 0;
    if (!is_source || targets[*node].empty()) continue;
    std::size_t nearest = layer[targets[*node].front()];
    for (const std::size_t target : targets[*node]) nearest = std::min(nearest, layer[target]);
    layer[*node] = nearest - 1;
  }
  return layer;
}

/// Orders each layer by the mean place of the neighbours in the layer before it, then after it, to and fro.
void reduce_crossings(std::vector<std::vector<std::size_t>>& layers, std::size_t count,
                      const std::vector<Edge>& short_edges) {
  std::vector<std::vector<std::size_t>> before(count), after(count);
  for (const auto& [from, to] : short_edges) {
    after[from].push_back(to);
    before[to].push_back(from);
  }
  std::vector<double> place(count, 0.0), preferred(count, 0.0);
  const auto number = [&](const std::vector<std::size_t>& layer) {
    // Centred, so that layers of different sizes line up by their middles, as they are drawn.
    for (std::size_t i = 0; i < layer.size(); ++i)
      place[layer[i]] = static_cast<double>(i) - 0.5 * static_cast<double>(layer.size() - 1);
  };
  for (const auto& layer : layers) number(layer);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const bool is_forward = sweep % 2 == 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      auto& layer = layers[is_forward ? i : layers.size() - 1 - i];
      for (const std::size_t node : layer) {
        const auto& neighbours = is_forward ? before[node] : after[node];
        double sum = 0.0;
        for (const std::size_t neighbour : neighbours) sum += place[neighbour];
        preferred[node] = neighbours.empty() ? place[node] : sum / static_cast<double>(neighbours.size());
      }
      std::stable_sort(layer.begin(), layer.end(), [&](auto a, auto b) { return preferred[a] < preferred[b]; });
      number(layer);
    }
  }
}

}  // namespace

Layers assign_layers(std::size_t count, const std::vector<Edge>& edges) {
  Layers result;
  if (count == 0) return result;
  const std::vector<bool> is_back = back_edges(count, edges);
  std::vector<Edge> forward = edges;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (is_back[e]) std::swap(forward[e].first, forward[e].second);
  const std::vector<std::size_t> layer = longest_paths(count, forward);

  result.layers.resize(*std::max_element(layer.begin(), layer.end()) + 1);
  for (std::size_t node = 0; node < count; ++node) result.layers[layer[node]].push_back(node);
  std::size_t nodes = count;
  std::vector<Edge> short_edges;
  result.bends.resize(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    auto [from, to] = forward[e];
    if (from == to) continue;
    std::size_t last = from;
    for (std::size_t l = layer[from] + 1; l < layer[to]; ++l) {
      result.layers[l].push_back(nodes);
      result.bends[e].push_back(nodes);
      short_edges.emplace_back(last, nodes);
      last = nodes++;
    }
    short_edges.emplace_back(last, to);
    if (is_back[e]) std::reverse(result.bends[e].begin(), result.bends[e].end());
  }
  reduce_crossings(result.layers, nodes, short_edges);
  return result;
}

}  // namespace tieline::report
