#pragma once

#include <filesystem>
#include <optional>

#include "assembly/checked_model.hpp"
#include "core/sandbox_level.hpp"
#include "document/diagnostics.hpp"
#include "model/site.hpp"
#include "participant/fleet.hpp"

namespace tieline::processes {

/// How a tool is invited to a run, or only asked for its interfaces. It is confined as the model states, but not less
/// than `least`. Nothing, with a report, where the model is wrong.
[[nodiscard]] std::optional<participant::Invitee> tool_invitee(const assembly::CheckedModel& checked, int component,
                                                               const model::Site& site,
                                                               const std::filesystem::path& run_folder,
                                                               document::Diagnostics& diagnostics,
                                                               core::SandboxLevel least = core::SandboxLevel::no);

}  // namespace tieline::processes
