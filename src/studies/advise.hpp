#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembly/checked_model.hpp"
#include "core/domain.hpp"
#include "coupling/advice.hpp"
#include "document/diagnostics.hpp"
#include "studies/program_probe.hpp"

namespace tieline::studies {

struct ComponentAdvice {
  std::string name{};
  double window = 0.0;                ///< [s]
  double shortest_delay = 0.0;        ///< of its connections; infinity without any: its window may not be longer [s]
  std::vector<double> frequencies{};  ///< of its own vibrations, its ports being free [Hz], ascending
  double explicit_step = 0.0;         ///< about the largest of an explicit solver, with its lines [s]
};

struct ConnectionAdvice {
  std::string name{};
  std::string description{};  ///< ends and derived figures in words
  core::Domain domain = core::Domain::translation;
  std::optional<coupling::LineAdvice> line{};      ///< of lines in mechanical domains; in space: of the translation
  std::optional<coupling::LineAdvice> rotation{};  ///< of a line in space that carries torques
  std::vector<std::vector<double>> frequencies{};  ///< of the components at its ends by themselves [Hz], ascending
  std::vector<std::string> warnings{};
};

/// What can be said about a model's couplings before it is run.
struct ModelAdvice {
  double duration = 0.0;  ///< simulated [s]
  std::vector<ComponentAdvice> components{};
  std::vector<ConnectionAdvice> connections{};
  std::vector<std::string> notes{};  ///< on what could not be tried
};

/// Builds and starts every component of a checked model without errors, and asks it. Problems of building go to the
/// diagnostics; then nothing is returned. With `programs`, those that lines join are started and tried, too.
[[nodiscard]] std::optional<ModelAdvice> advise(const assembly::CheckedModel& checked,
                                                document::Diagnostics& diagnostics,
                                                const std::optional<ProgramProbe>& programs = std::nullopt);

}  // namespace tieline::studies
