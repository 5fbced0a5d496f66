#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tieline::core {

/// How a member of a group sees its partner beyond the partner's last sample.
enum class Extrapolation {
  hold,
  linear,
  hermite,  ///< cubics by values and rates; of motions by positions and velocities
  quintic,  ///< of motions by positions, velocities and accelerations; of efforts and signals as `hermite`
};

/// In which order the members of a group step.
enum class Schedule {
  furthest_behind,  ///< the member that has come least far takes one step of its own choice
  jacobi,           ///< all take a macro step with what was known at its start
  gauss_seidel,     ///< one after the other takes a macro step, each seeing those before it
  layers,  ///< members keep their steps, control steps follow from them and are repeated where inputs were wrong
  spatiotemporal,  ///< [Zou2016] section 4: linear inter- and extrapolation at the start of each member's steps
};
/// Whether members keep steps of their own and the order of steps follows from these.
[[nodiscard]] constexpr bool has_own_steps(Schedule schedule) {
  return schedule == Schedule::layers || schedule == Schedule::spatiotemporal;
}

/// How the members of a group step in layers.
struct LayerSettings {
  static constexpr double kTolerance = 1e-6;
  static constexpr int kCorrections = 10;
  Schedule schedule = Schedule::layers;
  std::optional<double> step{};    ///< control step where members choose their own steps; least step of all [s]
  double tolerance = kTolerance;   ///< of what was extrapolated, as a share of its range
  int corrections = kCorrections;  ///< most repeats of a control step; 0: none
};

[[nodiscard]] std::optional<Extrapolation> extrapolation_from_name(std::string_view name);
[[nodiscard]] std::optional<Schedule> schedule_from_name(std::string_view name);
[[nodiscard]] std::string_view name_of(Extrapolation extrapolation);
[[nodiscard]] std::string_view name_of(Schedule schedule);
/// All names a model file may use.
[[nodiscard]] std::span<const std::string_view> all_extrapolation_names();
[[nodiscard]] std::span<const std::string_view> all_schedule_names();

}  // namespace tieline::core
