#pragma once

#include <cstddef>
#include <vector>

#include "assembly/checked_model.hpp"
#include "core/time_grid.hpp"

namespace tieline::assembly {

/// How long the windows of each node are.
struct WindowChoice {
  std::vector<double> shortest_delays{};  ///< of each node's connections [s]; infinite: it has none
  std::vector<double> windows{};          ///< of each node [s]
};

/// Reports windows that are stated and longer than a delay. All lines must have their figures.
void check_windows(const CheckedModel& checked, document::Diagnostics& diagnostics);

/// Half the shortest delay of each node by default; check_windows has found nothing. More windows than can be counted
/// are reported.
[[nodiscard]] WindowChoice choose_windows(const CheckedModel& checked, document::Diagnostics& diagnostics);

/// The schedule of a run with save points every so many ticks: where its stop is a save point but for rounding, it ends
/// on the very time that a longer run has there, so that it can be saved at its stop and made longer.
[[nodiscard]] core::TimeGrid ending_on_save_point(const core::TimeGrid& grid, core::Tick save_interval);

/// Of a connection that has one [s].
[[nodiscard]] double delay_of(const CheckedModel& checked, std::size_t connection);

/// Reports a gluing that nobody drives and whose step nobody knows.
void check_glue_steps(const CheckedModel& checked, document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
