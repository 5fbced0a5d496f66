#pragma once

#include <optional>
#include <vector>

#include "assembly/assembly.hpp"
#include "results/run_report.hpp"

namespace tieline::reporting {

/// Energies of all components and lines [J].
struct EnergyState {
  double kinetic = 0.0;          ///< of all components
  double potential = 0.0;        ///< of all components; only its changes have a meaning
  double elastic = 0.0;          ///< of all components: the part of `potential` in springs
  double in_lines = 0.0;         ///< held by lines
  double present = 0.0;          ///< kinetic, potential and in lines
  double dissipated = 0.0;       ///< since the start
  double supplied = 0.0;         ///< by loads since the start
  double most_supplied = 0.0;    ///< the largest it has been in each component, added up
  std::vector<double> stored{};  ///< kinetic and potential of each component; 0 where it does not report it
  bool is_complete = true;       ///< every component reports its energy, or is a controller
};

[[nodiscard]] EnergyState total_energy(const assembly::Assembly& assembly);

/// An error if a component has made far more energy than there was: the run has exploded.
[[nodiscard]] core::Result<void> check_explosion(const assembly::Assembly& assembly, const EnergyState& first);

/// What the caller knows of a run beyond the assembly.
struct RunFacts {
  double wall_seconds = 0.0;
  int threads = 0;
  std::optional<core::Error> error{};
  EnergyState initial_energy{};
  std::vector<double> resumed_from{};  ///< each time [s]; wall time is that since the last
  std::uint64_t checkpoints = 0;
  double seconds_checkpoints = 0.0;
};

/// Warnings about a run before its components are built.
[[nodiscard]] results::RunReport report_before_start(const assembly::CheckedModel& checked, const RunFacts& facts);
/// The report of a run, with warnings where a result is not to be trusted.
[[nodiscard]] results::RunReport make_report(const assembly::CheckedModel& checked, const assembly::Assembly& assembly,
                                             const RunFacts& facts);

}  // namespace tieline::reporting
