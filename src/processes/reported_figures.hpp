#pragma once

#include "assembly/assembly.hpp"
#include "core/component.hpp"
#include "transport/messages.hpp"

namespace tieline::processes {

/// What a process reports of a component that it computes, and what is read out of it.
[[nodiscard]] transport::Figures figures_of(core::Component& component, double seconds_waiting);
[[nodiscard]] assembly::ReportedFigures reported_figures(const transport::Figures& figures);

}  // namespace tieline::processes
