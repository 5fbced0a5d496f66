#include "processes/placement.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <thread>

#include "core/name_pattern.hpp"
#include "kinds/registry.hpp"
#include "results/run_report.hpp"
#include "results/text_table.hpp"

namespace tieline::processes {
namespace {

using document::Diagnostics;
using document::Place;

/// Where one component is to be, and who says so.
struct Wish {
  std::string host{};
  Place place{};
};

/// What is the same to rounding must not depend on it.
constexpr double kTie = 1e-9;

std::string bytes_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.3g} GB", bytes / 1e9);
  return bytes >= 1e6 ? fmt::format("{:.3g} MB", bytes / 1e6) : fmt::format("{:.3g} kB", bytes / 1e3);
}

std::string name_of(const model::Host* host) { return host == nullptr ? std::string(model::kHere) : host->name; }

/// The machines that nodes may be placed on, this one first, and what is on each.
class Machines {
 public:
  explicit Machines(const model::Site& site) {
    const model::Host* const own = site.find_host(model::kHere);
    const int cores = own != nullptr ? own->cores : 0;
    all_.push_back({.load = {.cores = cores > 0 ? cores : static_cast<int>(std::thread::hardware_concurrency())}});
    all_.front().load.cores = std::max(1, all_.front().load.cores);
    if (own != nullptr) all_.front().memory = own->memory, all_.front().speed = own->speed;
    for (const model::Host& host : site.hosts) {
      if (host.name == model::kHere) continue;
      all_.push_back({.load = {.host = &host, .cores = std::max(1, host.cores)},
                      .memory = host.memory,
                      .speed = host.speed,
                      .is_free = host.start != model::HostStart::awaited});
    }
  }

  [[nodiscard]] std::size_t count() const { return all_.size(); }
  [[nodiscard]] std::size_t index_of(const model::Host* host) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Machine& m) { return m.load.host == host; });
    return static_cast<std::size_t>(found - all_.begin());
  }
  [[nodiscard]] const model::Host* host(std::size_t index) const { return all_[index].load.host; }
  [[nodiscard]] const HostLoad& load(std::size_t index) const { return all_[index].load; }

  /// How long a machine would take with this node as well [s].
  [[nodiscard]] double time_with(std::size_t index, const Seat& seat, double seconds) const {
    const Machine& machine = all_[index];
    return std::max(std::max(machine.longest, seconds), (machine.work + seconds * seat.cores) / machine.load.cores) /
           machine.speed;
  }
  /// Whether a machine that nobody names may have this node.
  [[nodiscard]] bool may_have(std::size_t index, const Seat& seat) const {
    const Machine& machine = all_[index];
    if (!machine.is_free || !fits(index, seat)) return false;
    return index == 0 || machine.cores_used + seat.cores <= machine.load.cores;
  }
  /// Whether it is large enough.
  [[nodiscard]] bool fits(std::size_t index, const Seat& seat) const {
    const Machine& machine = all_[index];
    const bool has_cores = !is_stated(machine) || seat.cores <= machine.load.cores;
    return has_cores && (machine.memory == 0.0 || machine.load.memory + seat.memory <= machine.memory);
  }
  void put(std::size_t index, const Seat& seat, double seconds) {
    Machine& machine = all_[index];
    machine.load.seconds = time_with(index, seat, seconds);
    machine.longest = std::max(machine.longest, seconds);
    machine.work += seconds * seat.cores;
    machine.cores_used += seat.cores;
    machine.load.memory += seat.memory;
    machine.load.nodes += 1;
  }
  /// "here 2 cores, big 16 cores and 64 GB (12 GB taken)"
  [[nodiscard]] std::string describe() const {
    std::string text;
    for (const Machine& machine : all_) {
      text += fmt::format("{}{} {} core{}", text.empty() ? "" : ", ", name_of(machine.load.host), machine.load.cores,
                          machine.load.cores == 1 ? "" : "s");
      if (machine.memory == 0.0) continue;
      text += fmt::format(" and {}", bytes_text(machine.memory));
      if (machine.load.memory > 0.0) text += fmt::format(" ({} taken)", bytes_text(machine.load.memory));
    }
    return text;
  }

 private:
  struct Machine {
    HostLoad load{};
    double memory = 0.0;   ///< [bytes]; 0: not known
    double speed = 1.0;    ///< of a core
    bool is_free = true;   ///< for nodes that nobody has placed
    double longest = 0.0;  ///< of its nodes [s]
    double work = 0.0;     ///< of all of them [s of one core]
    double cores_used = 0.0;
  };
  static bool is_stated(const Machine& machine) { return machine.load.host == nullptr || machine.load.host->cores > 0; }

  std::vector<Machine> all_;
};

class Placing {
 public:
  Placing(const assembly::CheckedModel& checked, const model::Site& site, const PlacementWishes& wishes,
          const MeasuredCosts& costs, const std::set<int>& fixed, Diagnostics& diagnostics)
      : checked_(checked),
        site_(site),
        wishes_(wishes),
        costs_(costs),
        fixed_(fixed),
        diagnostics_(diagnostics),
        machines_(site) {}

  PlacementPlan place() {
    refuse_idle_wishes();
    for (std::size_t i = 0; i < checked_.nodes.size(); ++i) plan_.seats.push_back(seat_of(static_cast<int>(i)));
    measure();
    for (std::size_t i = 0; i < plan_.seats.size(); ++i) {
      if (!plan_.seats[i].is_chosen) put_as_stated(i);
    }
    choose();
    count_licences();
    for (std::size_t i = 0; i < machines_.count(); ++i) plan_.loads.push_back(machines_.load(i));
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const model::Component& component(int index) const {
    return checked_.model.components[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] std::optional<Wish> wish_for(const model::Component& component) const {
    for (const auto& [pattern, host] : wishes_) {
      if (core::matches_pattern(pattern, component.name)) return Wish{host, {"--place", 0, 0}};
    }
    if (!component.settings.host) return std::nullopt;
    return Wish{*component.settings.host, component.declaration.place()};
  }

  void refuse_idle_wishes() {
    std::vector<std::string> names;
    for (const model::Component& each : checked_.model.components) names.push_back(each.name);
    for (const auto& [pattern, host] : wishes_) {
      const std::string& wanted = pattern;
      const bool fits = std::any_of(names.begin(), names.end(),
                                    [&](const std::string& name) { return core::matches_pattern(wanted, name); });
      if (fits) continue;
      diagnostics_.error({"--place", 0, 0}, fmt::format("there is no component '{}' to be placed on '{}'{}", pattern,
                                                        host, document::suggestion(pattern, names)));
    }
  }

  const model::Host* find(const Wish& wish) {
    if (wish.host == model::kHere || wish.host == model::kAnyHost) return nullptr;
    const model::Host* const host = site_.find_host(wish.host);
    if (host != nullptr) return host;
    std::vector<std::string> known{std::string(model::kHere), std::string(model::kAnyHost)};
    for (const model::Host& each : site_.hosts) known.push_back(each.name);
    const std::string where =
        site_.file.empty() ? "no site file was found" : fmt::format("{} does not describe it", site_.file.string());
    diagnostics_.error(wish.place, fmt::format("there is no host '{}': {}{}", wish.host, where,
                                               document::suggestion(wish.host, known)));
    return nullptr;
  }

  /// What the node needs, and where it is to be as far as somebody says so.
  Seat seat_of(int number) {
    const assembly::Node& node = checked_.nodes[static_cast<std::size_t>(number)];
    Seat seat;
    std::optional<Wish> first;
    std::string owner;
    for (const int index : node.components) {
      const model::OwnProcess& needs = component(index).process;
      seat.cores = std::max(seat.cores, needs.cores);
      seat.memory += needs.memory;
      const auto wish = wish_for(component(index));
      if (!wish) continue;
      if (!first || (first->host == model::kAnyHost && wish->host != model::kAnyHost)) {
        first = wish;
        owner = component(index).name;
      } else if (first->host != wish->host && wish->host != model::kAnyHost) {
        diagnostics_.error(wish->place,
                           fmt::format("'{}' is to be on host '{}', but '{}', with which it is computed together, on "
                                       "'{}'; connect them by a line, or place them on one host",
                                       component(index).name, wish->host, owner, first->host));
      }
    }
    if (!first) {
      seat.reason = "not placed";
      return seat;
    }
    const std::string bound = why_bound(number);
    if (first->host == model::kAnyHost) {
      seat.is_chosen = bound.empty();
      seat.reason = bound;
      return seat;
    }
    seat.reason = first->place.file == "--place" ? "--place" : "the model";
    seat.host = find(*first);
    if (seat.host == nullptr) return seat;
    for (const int index : node.components) {
      if (!checked_.blueprints[static_cast<std::size_t>(index)]->is_program) continue;
      diagnostics_.error(first->place,
                         fmt::format("component '{}' is a program, which is started on this machine only; place it on "
                                     "'{}', and other components on '{}'",
                                     component(index).name, model::kHere, seat.host->name));
    }
    return seat;
  }

  /// Why a node can only be computed here; empty if it may be anywhere.
  [[nodiscard]] std::string why_bound(int number) const {
    if (fixed_.contains(number)) return "its tracks are recorded";
    for (const int index : checked_.nodes[static_cast<std::size_t>(number)].components) {
      if (checked_.blueprints[static_cast<std::size_t>(index)]->is_program) return "a program";
      const kinds::Kind* const kind = kinds::find_kind(component(index).kind);
      if (kind != nullptr && kind->is_local) return "a kind of this program";
    }
    return "";
  }

  /// What nodes took earlier. Those that are not known count as the mean of the others.
  void measure() {
    double sum = 0.0;
    int known = 0;
    for (std::size_t i = 0; i < plan_.seats.size(); ++i) {
      for (const int index : checked_.nodes[i].components) {
        const auto found = costs_.seconds.find(component(index).name);
        if (found == costs_.seconds.end()) continue;
        plan_.seats[i].seconds = plan_.seats[i].seconds.value_or(0.0) + found->second * speed_of(found->first);
      }
      if (!plan_.seats[i].seconds) continue;
      sum += *plan_.seats[i].seconds;
      ++known;
    }
    plan_.has_costs = known > 0 && sum > 0.0;
    usual_ = plan_.has_costs ? sum / known : 1.0;
  }
  /// Of the host that has computed a component in the run that measured it.
  [[nodiscard]] double speed_of(const std::string& component) const {
    const auto elsewhere = costs_.hosts.find(component);
    const model::Host* const host =
        site_.find_host(elsewhere == costs_.hosts.end() ? std::string(model::kHere) : elsewhere->second);
    return host == nullptr ? 1.0 : host->speed;
  }
  [[nodiscard]] double weight_of(std::size_t node) const {
    return plan_.has_costs ? plan_.seats[node].seconds.value_or(usual_) : 1.0;
  }

  [[nodiscard]] Place place_of(std::size_t node) const {
    return component(checked_.nodes[node].components.front()).declaration.place();
  }
  [[nodiscard]] std::string needs_of(const Seat& seat) const {
    std::string text = fmt::format("{:g} core{}", seat.cores, seat.cores == 1.0 ? "" : "s");
    if (seat.memory > 0.0) text += fmt::format(" and {}", bytes_text(seat.memory));
    return text;
  }

  void put_as_stated(std::size_t node) {
    const Seat& seat = plan_.seats[node];
    const std::size_t machine = machines_.index_of(seat.host);
    if (seat.host != nullptr && !machines_.fits(machine, seat)) {
      diagnostics_.error(place_of(node),
                         fmt::format("'{}' needs {}, which host '{}' does not have left: {}", checked_.nodes[node].name,
                                     needs_of(seat), seat.host->name, machines_.describe()));
    }
    machines_.put(machine, seat, weight_of(node));
  }

  void choose() {
    std::vector<std::size_t> order(plan_.seats.size());
    std::iota(order.begin(), order.end(), 0U);
    std::erase_if(order, [&](std::size_t node) { return !plan_.seats[node].is_chosen; });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weight_of(a) > weight_of(b); });
    if (order.empty()) return;
    find_partners();
    std::vector<bool> is_placed(plan_.seats.size());
    for (std::size_t i = 0; i < plan_.seats.size(); ++i) is_placed[i] = !plan_.seats[i].is_chosen;
    for (const std::size_t node : order) {
      Seat& seat = plan_.seats[node];
      const auto machine = best_for(node, is_placed);
      if (!machine) {
        diagnostics_.error(place_of(node),
                           fmt::format("'{}' needs {}, which no host has left: {}", checked_.nodes[node].name,
                                       needs_of(seat), machines_.describe()));
        continue;
      }
      machines_.put(*machine, seat, weight_of(node));
      seat.host = machines_.host(*machine);
      seat.reason = plan_.has_costs ? "chosen by cost" : "chosen";
      is_placed[node] = true;
    }
  }

  [[nodiscard]] std::optional<std::size_t> best_for(std::size_t node, const std::vector<bool>& is_placed) const {
    std::optional<std::size_t> best;
    double least = 0.0;
    int most_partners = 0;
    for (std::size_t i = 0; i < machines_.count(); ++i) {
      if (!machines_.may_have(i, plan_.seats[node])) continue;
      const double time = machines_.time_with(i, plan_.seats[node], weight_of(node));
      const int partners = partners_on(machines_.host(i), node, is_placed);
      const bool is_less = !best || time < least * (1.0 - kTie);
      const bool is_equal = best && !is_less && time <= least * (1.0 + kTie);
      if (!is_less && !(is_equal && partners > most_partners)) continue;
      best = i;
      least = time;
      most_partners = partners;
    }
    return best;
  }

  /// How many connections lead from the node to nodes that are placed there.
  [[nodiscard]] int partners_on(const model::Host* host, std::size_t node, const std::vector<bool>& is_placed) const {
    return static_cast<int>(std::count_if(partners_[node].begin(), partners_[node].end(), [&](std::size_t other) {
      return is_placed[other] && plan_.seats[other].host == host;
    }));
  }
  void find_partners() {
    partners_.resize(checked_.nodes.size());
    for (const model::Connection& connection : checked_.model.connections) {
      if (connection.from.component < 0 || connection.to.component < 0) continue;
      const auto node_of = [&](const model::Endpoint& end) {
        return static_cast<std::size_t>(checked_.node_of_component[static_cast<std::size_t>(end.component)]);
      };
      const std::size_t from = node_of(connection.from), to = node_of(connection.to);
      if (from == to) continue;
      partners_[from].push_back(to);
      partners_[to].push_back(from);
    }
  }

  /// All components of a run are computed at the same time, so that each needs a licence of its own.
  void count_licences() {
    std::map<std::pair<const model::Host*, std::string>, int> users;
    for (std::size_t i = 0; i < plan_.seats.size(); ++i) {
      for (const int index : checked_.nodes[i].components) {
        const model::Component& each = component(index);
        if (!checked_.blueprints[static_cast<std::size_t>(index)]->is_program || each.tool.empty()) continue;
        const model::Host* const host =
            plan_.seats[i].host != nullptr ? plan_.seats[i].host : site_.find_host(model::kHere);
        const model::Tool* const tool = site_.find(each.tool, host);
        if (tool == nullptr || tool->licences == 0) continue;
        if (++users[{host, each.tool}] != tool->licences + 1) continue;
        diagnostics_.error(
            each.declaration.place(),
            fmt::format("component '{}' needs a licence of tool '{}', which has {} on host '{}', for the "
                        "components before it",
                        each.name, each.tool, tool->licences, name_of(host)));
      }
    }
  }

  const assembly::CheckedModel& checked_;
  const model::Site& site_;
  const PlacementWishes& wishes_;
  const MeasuredCosts& costs_;
  const std::set<int>& fixed_;
  Diagnostics& diagnostics_;
  Machines machines_;
  PlacementPlan plan_;
  std::vector<std::vector<std::size_t>> partners_;  ///< of each node, one for each connection
  double usual_ = 1.0;                              ///< cost of a node that was not measured
};

}  // namespace

core::Result<std::optional<MeasuredCosts>> read_costs(const std::filesystem::path& folder) {
  const auto file = folder / results::kReportFileName;
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) return std::optional<MeasuredCosts>();
  const auto report = results::read_report(file);
  if (!report) return report.error();
  MeasuredCosts costs{.source = folder};
  for (const results::ComponentReport& each : report->components) {
    costs.seconds[each.name] += each.statistics.seconds_total;
    for (const results::ReportedFact& fact : each.facts) {
      if (fact.name == kHostFact) costs.hosts[each.name] = fact.text;
    }
  }
  for (const results::SystemReport& system : report->systems) {
    if (!system.components.empty()) costs.seconds[system.components.front()] += system.statistics.seconds_total;
  }
  return std::optional<MeasuredCosts>(std::move(costs));
}

bool names_hosts(const assembly::CheckedModel& checked, const PlacementWishes& wishes) {
  const auto& components = checked.model.components;
  return !wishes.empty() || std::any_of(components.begin(), components.end(), [](const model::Component& component) {
    return component.settings.host && *component.settings.host != model::kHere;
  });
}

PlacementPlan place_nodes(const assembly::CheckedModel& checked, const model::Site& site, const PlacementWishes& wishes,
                          const MeasuredCosts& costs, const std::set<int>& fixed, Diagnostics& diagnostics) {
  return Placing(checked, site, wishes, costs, fixed, diagnostics).place();
}

std::string describe(const PlacementPlan& plan, const assembly::CheckedModel& checked, const MeasuredCosts& costs) {
  results::TextTable nodes;
  nodes.add({"computed together", "host", "cores", "memory", "measured [s]", "by"});
  for (std::size_t i = 0; i < plan.seats.size(); ++i) {
    const Seat& seat = plan.seats[i];
    nodes.add({checked.nodes[i].name, name_of(seat.host), fmt::format("{:g}", seat.cores),
               seat.memory > 0.0 ? bytes_text(seat.memory) : "-",
               seat.seconds ? fmt::format("{:.3g}", *seat.seconds) : "-", seat.reason});
  }
  results::TextTable hosts;
  hosts.add({"host", "start", "components", "cores", "memory", plan.has_costs ? "expected [s]" : "share"});
  double sum = 0.0;
  for (const HostLoad& load : plan.loads) sum = std::max(sum, load.seconds);
  for (const HostLoad& load : plan.loads) {
    if (load.nodes == 0 && load.host != nullptr && load.host->start == model::HostStart::awaited) continue;
    hosts.add({name_of(load.host), std::string(load.host == nullptr ? "here" : model::name_of(load.host->start)),
               fmt::format("{}", load.nodes), fmt::format("{}", load.cores),
               load.memory > 0.0 ? bytes_text(load.memory) : "-",
               plan.has_costs ? fmt::format("{:.3g}", load.seconds)
                              : fmt::format("{:.2f}", sum > 0.0 ? load.seconds / sum : 0.0)});
  }
  std::string text = nodes.text() + "\n" + hosts.text();
  if (plan.has_costs) text += fmt::format("\nMeasured by the run in {}.\n", costs.source.string());
  return text;
}

}  // namespace tieline::processes
