#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assembly/checked_model.hpp"
#include "document/diagnostics.hpp"
#include "model/site.hpp"

namespace tieline::processes {

/// What a run is asked for beside its model: patterns of components (with `*` and `?`) and their hosts. The first that
/// fits counts.
using PlacementWishes = std::vector<std::pair<std::string, std::string>>;

/// Whether the model or the wishes name a host at all, so that a site file is needed.
[[nodiscard]] bool names_hosts(const assembly::CheckedModel& checked, const PlacementWishes& wishes);

/// The host of each node of the graph; null: this machine. What the wishes say counts before what the model states.
/// Everything that cannot be is reported: unknown hosts, wishes that fit no component, groups on several hosts.
[[nodiscard]] std::vector<const model::Host*> place_nodes(const assembly::CheckedModel& checked,
                                                          const model::Site& site, const PlacementWishes& wishes,
                                                          document::Diagnostics& diagnostics);

}  // namespace tieline::processes
