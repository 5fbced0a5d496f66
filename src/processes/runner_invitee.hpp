#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assembly/checked_model.hpp"
#include "model/process.hpp"
#include "model/reader.hpp"
#include "participant/fleet.hpp"

namespace tieline::processes {

/// What a runner needs beside the checked model to read it again by itself.
struct RunnerSource {
  std::filesystem::path model{};             ///< its file
  std::vector<model::Override> overrides{};  ///< of its parameters
  std::filesystem::path program{};           ///< that runs nodes; empty: looked for
};

/// How the process is started that computes the node of this name. Its output goes to a log in `run_folder`.
[[nodiscard]] participant::Invitee runner_invitee(const assembly::CheckedModel& checked, const std::string& node,
                                                  const RunnerSource& source, const std::filesystem::path& run_folder);

/// The program `tieline`, which computes nodes: the one wanted, the one that TIELINE_RUNNER names, this one, or one
/// beside it.
[[nodiscard]] std::filesystem::path runner_program(const std::filesystem::path& wanted);

/// How often a participant gives a sign of life [s].
[[nodiscard]] double beat_interval(const model::ProcessSettings& settings);

}  // namespace tieline::processes
