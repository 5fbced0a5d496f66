#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembly/grouping.hpp"
#include "document/diagnostics.hpp"
#include "kinds/blueprint.hpp"

/// Signals without delay that depend on one another at the same time: algebraic loops across components.
namespace tieline::assembly {

using Blueprints = std::vector<std::optional<kinds::Blueprint>>;

/// Makes one system of the components of each loop inside a tree, where their equations can be joined; other loops are
/// reported with their members: errors where they are certain, warnings where nobody can know. So it does with loops
/// that contain a switch, whether they are algebraic or not, as long as their equations can be joined: then the time of
/// switching is located for all of them.
void join_loops(const model::CompositeModel& model, const Blueprints& blueprints, GroupTree& tree,
                document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
