#pragma once

#include <span>

#include "assembly/checked_model.hpp"
#include "core/sandbox_level.hpp"

namespace tieline::assembly {

/// How the third-party code of a component is confined: as the model states, else as its kind is by default, but not
/// less than `least`, which whoever runs the model demands. Native components are not confined.
[[nodiscard]] core::SandboxLevel sandbox_of(const CheckedModel& checked, int component,
                                            core::SandboxLevel least = core::SandboxLevel::no);

/// The strictest of some components, which share a process.
[[nodiscard]] core::SandboxLevel sandbox_of(const CheckedModel& checked, std::span<const int> components,
                                            core::SandboxLevel least = core::SandboxLevel::no);

/// Reports FMUs that are to be confined and cannot be, or could not run so.
void refuse_impossible_sandboxes(const CheckedModel& checked, core::SandboxLevel least,
                                 document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
