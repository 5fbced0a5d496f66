#pragma once

#include <span>
#include <string>
#include <vector>

#include "assembly/checked_model.hpp"
#include "core/relation.hpp"
#include "document/diagnostics.hpp"

/// What connections make of signals on their way: scale, offset, and another unit; and of motions along an axis.
namespace tieline::assembly {

/// Of each connection, by number of its signal, and one of physical ends; none where a signal arrives as it was sent,
/// or motions agree. Units that do not fit are reported.
[[nodiscard]] std::vector<std::vector<core::Relation>> connection_relations(const CheckedModel& checked,
                                                                            document::Diagnostics& diagnostics);

/// ", times 0.001 plus 2" or the like; empty for none.
[[nodiscard]] std::string describe_relations(std::span<const core::Relation> relations);

}  // namespace tieline::assembly
