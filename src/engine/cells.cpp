#include "engine/cells.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tieline::engine {
namespace {

// Cells of a worker's range, if there are nodes enough: so fine is a range's cost adjusted.
constexpr double kCellsOfWorker = 8.0;
// Another order than the model's is taken where it brings joined nodes closer than by this factor.
constexpr double kMuchCloser = 0.5;

/// The sum over all pairs of joined nodes of how far they are apart in an order.
double distances(const Partners& partners, const std::vector<int>& order) {
  std::vector<double> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<double>(i);
  double sum = 0.0;
  for (std::size_t node = 0; node < partners.size(); ++node) {
    for (const int partner : partners[node]) sum += std::abs(place[node] - place[static_cast<std::size_t>(partner)]);
  }
  return sum;
}

/// Appends the nodes that can be reached from one to the order, by their distance from it.
void append_by_distance(const Partners& partners, int first, std::vector<bool>& is_placed, std::vector<int>& order) {
  std::size_t next = order.size();
  order.push_back(first);
  is_placed[static_cast<std::size_t>(first)] = true;
  for (; next < order.size(); ++next) {
    const std::size_t begin = order.size();
    for (const int partner : partners[static_cast<std::size_t>(order[next])]) {
      if (is_placed[static_cast<std::size_t>(partner)]) continue;
      is_placed[static_cast<std::size_t>(partner)] = true;
      order.push_back(partner);
    }
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end(), [&](int a, int b) {
      return partners[static_cast<std::size_t>(a)].size() < partners[static_cast<std::size_t>(b)].size();
    });
  }
}

std::vector<int> order_by_distance(const Partners& partners) {
  std::vector<int> order;
  std::vector<bool> is_placed(partners.size(), false);
  for (std::size_t node = 0; node < partners.size(); ++node) {
    if (is_placed[node]) continue;
    // The node that is furthest from any other is at the rim.
    std::vector<int> reached;
    std::vector<bool> is_reached(is_placed);
    append_by_distance(partners, static_cast<int>(node), is_reached, reached);
    append_by_distance(partners, reached.back(), is_placed, order);
  }
  return order;
}

}  // namespace

std::vector<int> close_order(const Partners& partners) {
  std::vector<int> own(partners.size());
  std::iota(own.begin(), own.end(), 0);
  std::vector<int> other = order_by_distance(partners);
  return distances(partners, other) < kMuchCloser * distances(partners, own) ? other : own;
}

std::vector<std::size_t> cell_bounds(std::span<const double> costs, int workers) {
  std::vector<std::size_t> bounds{0};
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const double most = workers > 1 ? total / (kCellsOfWorker * workers) : 2.0 * total;
  double cost = 0.0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::size_t count = i - bounds.back();
    if (count > 0 && (count == kMostCellNodes || cost + costs[i] > most)) {
      bounds.push_back(i);
      cost = 0.0;
    }
    cost += costs[i];
  }
  if (!costs.empty()) bounds.push_back(costs.size());
  return bounds;
}

std::vector<std::size_t> range_bounds(std::span<const double> cell_costs, int workers) {
  const auto count = static_cast<std::size_t>(workers);
  const double total = std::accumulate(cell_costs.begin(), cell_costs.end(), 0.0);
  std::vector<std::size_t> bounds{0};
  double before = 0.0;
  std::size_t cell = 0;
  for (std::size_t worker = 1; worker < count; ++worker) {
    const double share = total * static_cast<double>(worker) / static_cast<double>(workers);
    // The rest of the workers need a cell each, and so does this one. A cell belongs where its middle is.
    const std::size_t last = cell_costs.size() - (count - worker);
    do {
      before += cell_costs[cell++];
    } while (cell < last && before + 0.5 * cell_costs[cell] < share);
    bounds.push_back(cell);
  }
  bounds.push_back(cell_costs.size());
  return bounds;
}

}  // namespace tieline::engine
