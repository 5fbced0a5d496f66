#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assembly/checked_model.hpp"
#include "core/result.hpp"
#include "document/diagnostics.hpp"
#include "model/site.hpp"

namespace tieline::processes {

/// What a run is asked for beside its model: patterns of components (with `*` and `?`) and their hosts. The first that
/// fits counts.
using PlacementWishes = std::vector<std::pair<std::string, std::string>>;

/// The fact of a component in the report of a run that was computed by another host: its name.
inline constexpr const char* kHostFact = "host";

/// What components took in an earlier run: seconds of computing, by their names. Of components that are computed
/// together the first has all.
struct MeasuredCosts {
  std::map<std::string, double> seconds{};
  std::map<std::string, std::string> hosts{};  ///< of those that another host has computed
  std::filesystem::path source{};              ///< result folder; empty: nothing was measured
};

/// From the report of a run. Nothing where the folder has none.
[[nodiscard]] core::Result<std::optional<MeasuredCosts>> read_costs(const std::filesystem::path& folder);

/// Where a node of the graph is computed.
struct Seat {
  const model::Host* host = nullptr;  ///< null: this machine
  bool is_chosen = false;             ///< by the run
  double cores = 1.0;                 ///< that it needs
  double memory = 0.0;                ///< that it needs [bytes]; 0: not known
  std::optional<double> seconds{};    ///< measured [s]
  std::string reason{};               ///< who says so, in a few words
};

/// The load of a host by a plan: the time that it needs for all that is on it, where every host has its measured speed.
struct HostLoad {
  const model::Host* host = nullptr;  ///< null: this machine
  int cores = 1;
  int nodes = 0;
  double memory = 0.0;  ///< [bytes], as far as it is known
  double seconds = 0.0;
};

struct PlacementPlan {
  std::vector<Seat> seats{};  ///< of the nodes of the graph
  std::vector<HostLoad> loads{};
  bool has_costs = false;  ///< otherwise all nodes count alike
};

/// Whether the model or the wishes name a host at all, so that a site file is needed.
[[nodiscard]] bool names_hosts(const assembly::CheckedModel& checked, const PlacementWishes& wishes);

/// The host of each node of the graph. What the wishes say counts before what the model states. Everything that cannot
/// be is reported: unknown hosts, wishes that fit no component, groups on several hosts, hosts that are too small,
/// more components of a tool than it has licences.
///
/// Where `auto` is asked for, nodes are placed from the most expensive to the cheapest, each where the host that then
/// takes longest takes least: a host takes as long as its longest node, and as the work of all divided by its cores.
/// Among equals the host of more partners counts, then this machine, then the order of the site file. A host whose
/// processes others start gets none, and neither does one more than it has cores; the rest stays here, where threads
/// share them. `fixed` nodes stay here.
[[nodiscard]] PlacementPlan place_nodes(const assembly::CheckedModel& checked, const model::Site& site,
                                        const PlacementWishes& wishes, const MeasuredCosts& costs,
                                        const std::set<int>& fixed, document::Diagnostics& diagnostics);

/// The plan as a table, and the loads of the hosts as another.
[[nodiscard]] std::string describe(const PlacementPlan& plan, const assembly::CheckedModel& checked,
                                   const MeasuredCosts& costs);

}  // namespace tieline::processes
