#pragma once

#include "core/component.hpp"
#include "simulation/assembly.hpp"
#include "transport/messages.hpp"

namespace tieline::simulation {

/// What a process tells of a component that it computes, and what is read out of it.
[[nodiscard]] transport::Figures figures_of(core::Component& component, double seconds_waiting);
[[nodiscard]] ToldFigures told_figures(const transport::Figures& figures);

}  // namespace tieline::simulation
