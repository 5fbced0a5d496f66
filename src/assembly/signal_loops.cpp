#include "assembly/signal_loops.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <set>

#include "core/signal_members.hpp"

namespace tieline::assembly {
namespace {

using kinds::Feed;
using model::Connection;
using model::Coupling;

/// Pairs of an input and an output that are asked for one by one; beyond, whole connections stand for their numbers.
constexpr std::size_t kMostPairs = 1'000'000;

/// One number of a signal on its way.
struct Lane {
  int connection = -1;
  int from = -1, to = -1;  ///< components
  std::string output{}, input{};
};

/// Sets of things that lead to one another, by R. Tarjan (1972), "Depth-first search and linear graph algorithms".
class StrongSets {
 public:
  explicit StrongSets(const std::vector<std::vector<int>>& next)
      : next_(next), index_(next.size(), -1), lowest_(next.size(), 0), is_open_(next.size(), false) {
    for (int i = 0; i < static_cast<int>(next.size()); ++i) {
      if (index_[i] < 0) visit(i);
    }
  }
  /// Those of more than one thing, or of one that leads to itself.
  [[nodiscard]] const std::vector<std::vector<int>>& sets() const { return sets_; }

 private:
  void visit(int i) {
    index_[i] = lowest_[i] = count_++;
    open_.push_back(i);
    is_open_[i] = true;
    for (const int j : next_[i]) {
      if (index_[j] < 0) {
        visit(j);
        lowest_[i] = std::min(lowest_[i], lowest_[j]);
      } else if (is_open_[j]) {
        lowest_[i] = std::min(lowest_[i], index_[j]);
      }
    }
    if (lowest_[i] != index_[i]) return;
    std::vector<int> set;
    int last = -1;
    do {
      last = open_.back();
      open_.pop_back();
      is_open_[last] = false;
      set.push_back(last);
    } while (last != i);
    const bool leads_to_itself = std::find(next_[i].begin(), next_[i].end(), i) != next_[i].end();
    if (set.size() > 1 || leads_to_itself) sets_.push_back(std::move(set));
  }

  const std::vector<std::vector<int>>& next_;
  std::vector<int> index_, lowest_;
  std::vector<bool> is_open_;
  std::vector<int> open_;
  int count_ = 0;
  std::vector<std::vector<int>> sets_;
};

class LoopSearch {
 public:
  LoopSearch(const model::CompositeModel& model, const Blueprints& blueprints, const GroupTree& tree)
      : model_(model), blueprints_(blueprints) {
    add_lanes(tree);
  }

  /// The connections of each loop.
  [[nodiscard]] std::vector<std::set<int>> find(bool only_certain) const {
    const auto next = lanes_behind([&](const Lane& in, const Lane& out) {
      const Feed feed = feed_of(in, out);
      return feed == Feed::direct || (feed == Feed::unknown && !only_certain);
    });
    std::vector<std::set<int>> loops;
    const StrongSets strong(next);
    for (const std::vector<int>& set : strong.sets()) loops.push_back(connections_of(set));
    return loops;
  }

  /// The connections of each loop, through states or not, in which a signal jumps at a time that follows from the loop
  /// itself: whoever is ahead of that time has computed with what no longer holds.
  [[nodiscard]] std::vector<std::set<int>> find_switching() const {
    if (!has_switches()) return {};
    const auto next = lanes_behind([](const Lane&, const Lane&) { return true; });
    std::vector<std::set<int>> loops;
    const StrongSets strong(next);
    for (const std::vector<int>& set : strong.sets()) {
      const bool does_switch = std::any_of(set.begin(), set.end(), [&](int in) {
        return std::any_of(set.begin(), set.end(), [&](int out) { return switches(lane(in), lane(out)); });
      });
      if (does_switch) loops.push_back(connections_of(set));
    }
    return loops;
  }

 private:
  [[nodiscard]] const Lane& lane(int index) const { return lanes_[static_cast<std::size_t>(index)]; }

  /// Of each lane, those that leave the component which it enters and that `follows` lets through.
  template <class Follows>
  [[nodiscard]] std::vector<std::vector<int>> lanes_behind(Follows follows) const {
    std::vector<std::vector<int>> next(lanes_.size());
    std::map<int, std::vector<int>> leaving;  // lanes by the component that they leave
    for (std::size_t j = 0; j < lanes_.size(); ++j) leaving[lanes_[j].from].push_back(static_cast<int>(j));
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const auto found = leaving.find(lanes_[i].to);
      if (found == leaving.end()) continue;
      for (const int j : found->second) {
        if (follows(lanes_[i], lane(j))) next[i].push_back(j);
      }
    }
    return next;
  }

  [[nodiscard]] std::set<int> connections_of(const std::vector<int>& set) const {
    std::set<int> connections;
    for (const int index : set) connections.insert(lane(index).connection);
    return connections;
  }

  [[nodiscard]] bool has_switches() const {
    return std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& each) {
      const auto& blueprint = blueprints_[static_cast<std::size_t>(each.to)];
      return blueprint && blueprint->switches;
    });
  }
  [[nodiscard]] bool switches(const Lane& in, const Lane& out) const {
    if (in.to != out.from) return false;
    const auto& blueprint = blueprints_[static_cast<std::size_t>(in.to)];
    return blueprint && blueprint->switches && blueprint->switches(in.input, out.output);
  }
  [[nodiscard]] Feed feed_of(const Lane& in, const Lane& out) const {
    const auto& blueprint = blueprints_[static_cast<std::size_t>(in.to)];
    if (!blueprint) return Feed::none;
    if (!blueprint->feed || is_coarse_) return blueprint->feed ? Feed::unknown : blueprint->unknown_feed;
    return blueprint->feed(in.input, out.output);
  }

  void add_lanes(const GroupTree& tree) {
    std::map<int, std::pair<std::size_t, std::size_t>> counts;  // inputs and outputs of components
    const auto part = [&](const model::Endpoint& end) {
      return model::find_interface(blueprints_[static_cast<std::size_t>(end.component)]->interfaces, end.interface);
    };
    for (const int i : tree.links) {
      const Connection& connection = model_.connections[static_cast<std::size_t>(i)];
      if (connection.coupling != Coupling::signal) continue;
      if (!blueprints_[static_cast<std::size_t>(connection.from.component)] ||
          !blueprints_[static_cast<std::size_t>(connection.to.component)])
        continue;
      const auto from = part(connection.from), to = part(connection.to);
      if (!from || !to) continue;
      for (int k = 0; k < std::min(from.size, to.size); ++k) {
        lanes_.push_back({i, connection.from.component, connection.to.component,
                          core::member_name(from.interface->name, from.interface->size, from.first + k),
                          core::member_name(to.interface->name, to.interface->size, to.first + k)});
      }
      counts[connection.to.component].first += static_cast<std::size_t>(to.size);
      counts[connection.from.component].second += static_cast<std::size_t>(from.size);
    }
    std::size_t pairs = 0;
    for (const auto& [component, count] : counts) pairs += count.first * count.second;
    is_coarse_ = pairs > kMostPairs;
    if (!is_coarse_) return;
    // One lane stands for each connection.
    std::set<int> seen;
    std::erase_if(lanes_, [&](const Lane& lane) { return !seen.insert(lane.connection).second; });
  }

  const model::CompositeModel& model_;
  const Blueprints& blueprints_;
  std::vector<Lane> lanes_;
  bool is_coarse_ = false;
};

std::set<int> components_of(const model::CompositeModel& model, const std::set<int>& connections) {
  std::set<int> components;
  for (const int i : connections) {
    const Connection& connection = model.connections[static_cast<std::size_t>(i)];
    components.insert(connection.from.component);
    components.insert(connection.to.component);
  }
  return components;
}

/// Loops that share a component are one.
std::vector<std::set<int>> united(const model::CompositeModel& model, std::vector<std::set<int>> loops) {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t i = 0; i < loops.size() && !has_changed; ++i) {
      for (std::size_t j = i + 1; j < loops.size() && !has_changed; ++j) {
        const auto a = components_of(model, loops[i]), b = components_of(model, loops[j]);
        if (std::none_of(a.begin(), a.end(), [&](int component) { return b.contains(component); })) continue;
        loops[i].insert(loops[j].begin(), loops[j].end());
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(j));
        has_changed = true;
      }
    }
  }
  return loops;
}

/// Why the equations of a loop's components cannot be joined; empty if they can.
std::string obstacle_of(const model::CompositeModel& model, const Blueprints& blueprints, const GroupTree& tree,
                        const std::set<int>& components) {
  std::vector<std::string> rigid;
  for (const int component : components) {
    const auto& blueprint = blueprints[static_cast<std::size_t>(component)];
    if (!blueprint || !blueprint->can_be_joined)
      rigid.push_back(fmt::format("'{}'", model.components[static_cast<std::size_t>(component)].name));
  }
  if (!rigid.empty()) return fmt::format("{} cannot be evaluated repeatedly within a step", fmt::join(rigid, ", "));
  for (const int i : tree.links) {
    const Connection& connection = model.connections[static_cast<std::size_t>(i)];
    if (connection.coupling == Coupling::signal || !components.contains(connection.from.component) ||
        !components.contains(connection.to.component))
      continue;
    return fmt::format("the sampled connection '{}' also connects them", connection.name);
  }
  return {};
}

std::string describe(const model::CompositeModel& model, const std::set<int>& connections) {
  constexpr std::size_t kMostNamed = 12;
  std::vector<std::string> names;
  for (const int i : connections) {
    const Connection& connection = model.connections[static_cast<std::size_t>(i)];
    if (names.size() < kMostNamed)
      names.push_back(fmt::format("{} -> {}", model.describe(connection.from), model.describe(connection.to)));
  }
  const std::size_t more = connections.size() - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Replaces the components of a loop by one member that has their signals inside.
void join(const model::CompositeModel& model, GroupTree& tree, const std::set<int>& components) {
  GroupTree joined{.kind = GroupTree::Kind::joined};
  const auto is_inside = [&](int i) {
    const Connection& connection = model.connections[static_cast<std::size_t>(i)];
    return connection.coupling == Coupling::signal && components.contains(connection.from.component) &&
           components.contains(connection.to.component);
  };
  std::copy_if(tree.links.begin(), tree.links.end(), std::back_inserter(joined.links), is_inside);
  std::erase_if(tree.links, is_inside);
  std::vector<GroupTree> rest;
  std::size_t place = 0;
  for (GroupTree& member : tree.members) {
    const bool belongs = member.kind == GroupTree::Kind::single && components.contains(member.component);
    if (belongs && joined.members.empty()) place = rest.size();
    (belongs ? joined.members : rest).push_back(std::move(member));
  }
  if (rest.empty()) {
    tree = std::move(joined);
    return;
  }
  rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(place), std::move(joined));
  tree.members = std::move(rest);
}

}  // namespace

void join_loops(const model::CompositeModel& model, const Blueprints& blueprints, GroupTree& tree,
                document::Diagnostics& diagnostics) {
  if (tree.kind == GroupTree::Kind::glued) {
    for (GroupTree& member : tree.members) join_loops(model, blueprints, member, diagnostics);
    return;
  }
  if (tree.kind != GroupTree::Kind::sampled) return;
  const std::vector<int> components = tree.components();
  // Systems of FMUs alone solve their loops themselves.
  const bool is_joint = std::all_of(components.begin(), components.end(), [&](int component) {
    const auto& blueprint = blueprints[static_cast<std::size_t>(component)];
    return blueprint && blueprint->joining != kinds::Joining::none;
  });
  if (is_joint) return;
  const LoopSearch search(model, blueprints, tree);
  const auto certain = search.find(true);
  const GroupTree whole = tree;
  auto loops = search.find(false);
  // What cannot be joined for its switches is stepped as any other signals are, and the audit reports how well.
  for (const std::set<int>& switching : search.find_switching()) {
    if (obstacle_of(model, blueprints, whole, components_of(model, switching)).empty()) loops.push_back(switching);
  }
  for (const std::set<int>& loop : united(model, std::move(loops))) {
    const std::set<int> members = components_of(model, loop);
    const std::string obstacle = obstacle_of(model, blueprints, whole, members);
    if (obstacle.empty()) {
      join(model, tree, members);
      continue;
    }
    const auto& place = model.connections[static_cast<std::size_t>(*loop.begin())].declaration.place();
    const auto is_certain = std::any_of(certain.begin(), certain.end(), [&](const std::set<int>& sure) {
      return std::includes(loop.begin(), loop.end(), sure.begin(), sure.end());
    });
    if (is_certain) {
      diagnostics.error(
          place, fmt::format("the signals {} depend on one another at the same time (an algebraic loop), "
                             "and {}; give one of these connections a delay, or merge the components that they connect",
                             describe(model, loop), obstacle));
    } else {
      diagnostics.warning(place,
                          fmt::format("the signals {} may depend on one another at the same time (an algebraic loop), "
                                      "which is not solved because {}; if they do, give one of these connections a "
                                      "delay, or merge the components that they connect",
                                      describe(model, loop), obstacle));
    }
  }
}

}  // namespace tieline::assembly
