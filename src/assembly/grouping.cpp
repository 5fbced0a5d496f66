#include "assembly/grouping.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>

namespace tieline::assembly {
namespace {

using model::CompositeModel;
using model::Connection;
using model::Coupling;

/// The sets into which connections join things that are numbered.
class Unions {
 public:
  explicit Unions(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  [[nodiscard]] std::size_t root(std::size_t i) {
    // Halves the way for the next one.
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::size_t> parent_;
};

std::string first_name(const CompositeModel& model, const GroupTree& tree) {
  std::string first;
  for (const int component : tree.components()) {
    const std::string& name = model.components[static_cast<std::size_t>(component)].name;
    if (first.empty() || name < first) first = name;
  }
  return first;
}

/// Members in the order that connections state; where they state none, in that in which they point, and by name where
/// neither decides.
void sort_sampled(const CompositeModel& model, GroupTree& group) {
  const auto by_name = [&](int a, int b) {
    return model.components[static_cast<std::size_t>(a)].name < model.components[static_cast<std::size_t>(b)].name;
  };
  struct Waiting {
    std::size_t stated = 0, pointing = 0;  ///< that come before, and are not placed yet
    std::vector<int> stated_after{}, pointing_after{};
  };
  std::map<int, Waiting> waiting;
  using Edges = std::set<std::pair<int, int>>;
  Edges stated, pointing;
  for (const int link : group.links) {
    const Connection& connection = model.connections[static_cast<std::size_t>(link)];
    if (const auto order = stated_order(connection)) {
      stated.insert(*order);
    } else if (connection.from.component != connection.to.component) {
      pointing.insert({connection.from.component, connection.to.component});
    }
  }
  for (const auto& [before, after] : stated) {
    waiting[before].stated_after.push_back(after);
    ++waiting[after].stated;
  }
  for (const auto& [before, after] : pointing) {
    waiting[before].pointing_after.push_back(after);
    ++waiting[after].pointing;
  }
  // Those that may come next: by what is stated and by what points, by what is stated alone, and all.
  std::set<int, decltype(by_name)> free(by_name), allowed(by_name), left(by_name);
  const auto sort_in = [&](int member) {
    if (!left.contains(member) || waiting[member].stated > 0) return;
    allowed.insert(member);
    if (waiting[member].pointing == 0) free.insert(member);
  };
  for (const int member : group.components()) left.insert(member);
  for (const int member : left) sort_in(member);
  group.members.clear();
  while (!left.empty()) {
    const int next = !free.empty() ? *free.begin() : !allowed.empty() ? *allowed.begin() : *left.begin();
    for (auto* const set : {&free, &allowed, &left}) set->erase(next);
    group.members.push_back({.component = next});
    for (const int after : waiting[next].stated_after) {
      --waiting[after].stated;
      sort_in(after);
    }
    for (const int after : waiting[next].pointing_after) {
      --waiting[after].pointing;
      sort_in(after);
    }
  }
}

/// Replaces trees that the connections join by groups of them.
void merge(const CompositeModel& model, std::vector<GroupTree>& trees, const std::vector<int>& connections,
           GroupTree::Kind kind, const std::string& level) {
  std::vector<std::size_t> tree_of(model.components.size());
  for (std::size_t t = 0; t < trees.size(); ++t) {
    for (const int component : trees[t].components()) tree_of[static_cast<std::size_t>(component)] = t;
  }
  const auto from = [&](int link) {
    return tree_of[static_cast<std::size_t>(model.connections[static_cast<std::size_t>(link)].from.component)];
  };
  const auto to = [&](int link) {
    return tree_of[static_cast<std::size_t>(model.connections[static_cast<std::size_t>(link)].to.component)];
  };
  Unions unions(trees.size());
  for (const int link : connections) unions.join(from(link), to(link));
  std::map<std::size_t, GroupTree> groups;
  for (const int link : connections) {
    GroupTree& group = groups[unions.root(from(link))];
    group.kind = kind;
    group.level = level;
    group.links.push_back(link);
  }
  std::vector<GroupTree> merged;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const auto found = groups.find(unions.root(t));
    if (found == groups.end()) {
      merged.push_back(std::move(trees[t]));
    } else {
      found->second.members.push_back(std::move(trees[t]));
    }
  }
  for (auto& [_, group] : groups) {
    std::sort(group.links.begin(), group.links.end(), [&](int a, int b) {
      return model.connections[static_cast<std::size_t>(a)].name < model.connections[static_cast<std::size_t>(b)].name;
    });
    if (kind == GroupTree::Kind::sampled) {
      sort_sampled(model, group);
    } else {
      std::sort(group.members.begin(), group.members.end(),
                [&](const GroupTree& a, const GroupTree& b) { return first_name(model, a) < first_name(model, b); });
    }
    merged.push_back(std::move(group));
  }
  trees = std::move(merged);
}

}  // namespace

std::vector<int> GroupTree::components() const {
  if (kind == Kind::single) return {component};
  std::vector<int> all;
  for (const GroupTree& member : members) {
    const std::vector<int> own = member.components();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

bool GroupTree::has_glue() const {
  return kind == Kind::glued ||
         std::any_of(members.begin(), members.end(), [](const GroupTree& member) { return member.has_glue(); });
}

bool GroupTree::repeats_steps(const model::CompositeModel& model) const {
  const auto layers = layers_of(model, *this);
  return kind == Kind::glued || (layers && layers->schedule == core::Schedule::layers && layers->corrections > 0) ||
         std::any_of(members.begin(), members.end(),
                     [&](const GroupTree& member) { return member.repeats_steps(model); });
}

std::string name_of(const model::CompositeModel& model, const GroupTree& tree) {
  constexpr std::size_t kMostNames = 4;
  if (tree.kind == GroupTree::Kind::single) return model.components[static_cast<std::size_t>(tree.component)].name;
  if (!tree.level.empty()) return tree.level.substr(0, tree.level.size() - 1);
  std::vector<std::string> names;
  for (const GroupTree& member : tree.members) names.push_back(name_of(model, member));
  const std::size_t more = names.size() > kMostNames ? names.size() - kMostNames + 1 : 0;
  if (more > 0) names.resize(kMostNames - 1);
  return fmt::format("{}{}", fmt::join(names, "+"), more > 0 ? fmt::format("+{} more", more) : "");
}

std::optional<std::pair<int, int>> stated_order(const Connection& connection) {
  using First = model::SampledSettings::First;
  if (connection.sampled.first == First::unstated || connection.sampled.first == First::neither) return {};
  if (connection.from.component == connection.to.component) return {};
  const bool is_reverse = connection.sampled.first == First::to;
  return is_reverse ? std::pair(connection.to.component, connection.from.component)
                    : std::pair(connection.from.component, connection.to.component);
}

bool is_undelayed(const Connection& connection) {
  return connection.coupling == Coupling::sampled || connection.coupling == Coupling::glue ||
         (connection.coupling == Coupling::signal && connection.delay.value_or(0.0) == 0.0);
}

std::optional<core::LayerSettings> layers_of(const CompositeModel& model, const GroupTree& tree) {
  if (tree.kind != GroupTree::Kind::sampled) return {};
  std::optional<core::LayerSettings> settings;
  for (const int link : tree.links) {
    const Connection& connection = model.connections[static_cast<std::size_t>(link)];
    if (!core::has_own_steps(connection.sampled.schedule)) continue;
    if (!settings) settings = model.layers ? model.layers->settings : core::LayerSettings{};
    settings->schedule = connection.sampled.schedule;
    if (connection.sampled.step) settings->step = connection.sampled.step;
  }
  return settings;
}

std::vector<GroupTree> form_groups(const CompositeModel& model) {
  std::vector<GroupTree> trees(model.components.size());
  for (std::size_t i = 0; i < trees.size(); ++i) trees[i].component = static_cast<int>(i);
  std::vector<int> sampled;
  std::map<std::string, std::vector<int>> glued;  // by level
  for (std::size_t i = 0; i < model.connections.size(); ++i) {
    const Connection& connection = model.connections[i];
    if (connection.coupling == Coupling::glue) {
      glued[connection.level].push_back(static_cast<int>(i));
    } else if (is_undelayed(connection)) {
      sampled.push_back(static_cast<int>(i));
    }
  }
  if (!sampled.empty()) merge(model, trees, sampled, GroupTree::Kind::sampled, "");
  std::vector<std::string> levels;
  for (const auto& [level, _] : glued) levels.push_back(level);
  // A level's name begins with that of the level around it.
  std::stable_sort(levels.begin(), levels.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  for (const std::string& level : levels) merge(model, trees, glued[level], GroupTree::Kind::glued, level);
  return trees;
}

core::GluingSettings gluing_of(const CompositeModel& model, const GroupTree& tree) {
  const model::Gluing* stated = model.find_gluing(tree.level);
  return stated != nullptr ? stated->settings : core::GluingSettings{};
}

std::optional<double> glue_step(const CompositeModel& model, const GroupTree& tree) {
  const core::GluingSettings settings = gluing_of(model, tree);
  if (settings.step || settings.step_tolerance) return settings.step;
  std::optional<double> common;
  for (const int member : tree.components()) {
    const std::optional<double> own = model.components[static_cast<std::size_t>(member)].settings.step;
    if (!own || (common && *common != *own)) return std::nullopt;
    common = own;
  }
  return common;
}

}  // namespace tieline::assembly
