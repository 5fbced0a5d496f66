#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checkpoints/fingerprint.hpp"
#include "core/result.hpp"
#include "studies/sweep.hpp"

namespace tieline::studies {

/// What the runs of a sweep have in common. Two calls with the same manifest would compute the same results.
struct SweepManifest {
  std::string version{};                        ///< of tieline
  std::string model{};                          ///< absolute path
  std::vector<std::string> settings{};          ///< "name=value", and the stop time
  std::vector<checkpoints::ModelFile> files{};  ///< as they were when it began, sorted by path
  std::vector<std::string> combinations{};      ///< folders of the runs
};

core::Result<void> write_manifest(const SweepManifest& manifest, const std::filesystem::path& folder);
/// Nothing if the folder holds no sweep.
core::Result<std::optional<SweepManifest>> read_manifest(const std::filesystem::path& folder);
/// Why runs of `before` cannot stand beside runs of `now`, in words; empty if they can.
[[nodiscard]] std::string difference(const SweepManifest& before, const SweepManifest& now);

/// How a run ended, kept in its folder once it has.
core::Result<void> write_record(const SweepRun& run);
/// Fills status, message and wall time from what its folder holds; false if the run has not finished.
bool read_record(SweepRun& run);
/// Removes what an earlier attempt has left of a run; other files in the folder stay.
void clear_run(const std::filesystem::path& folder);

/// Where the output of a run's process goes.
inline constexpr std::string_view kOutputFileName = "output.txt";

}  // namespace tieline::studies
