#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace tieline::results {

enum class RunPhase { starting, running, paused, finished, failed, stopped };
[[nodiscard]] std::string_view name_of(RunPhase phase);
[[nodiscard]] inline bool has_ended(RunPhase phase) { return phase >= RunPhase::finished; }

/// A process, so that it is not taken for a later one with the same number.
struct ProcessIdentity {
  std::string host{};
  std::int64_t id = 0;
  std::uint64_t birth = 0;  ///< when the kernel started it, in the kernel's own count; 0: not known
};

/// What `progress.json` holds: how far a run has come, for whoever looks at its folder from outside.
struct RunProgressFile {
  RunPhase phase = RunPhase::starting;
  std::string error{};  ///< why it failed
  ProcessIdentity process{};
  double began = 0.0;    ///< seconds since 1970, as all wall times here
  double updated = 0.0;  ///< when this was written
  double moved = 0.0;    ///< when the run last made progress
  std::string model{};   ///< its name
  std::string model_file{};
  double start = 0.0;                    ///< simulated [s]
  double stop = 0.0;                     ///< simulated [s]
  double reached = 0.0;                  ///< simulated [s]
  double speed = 0.0;                    ///< simulated time per wall time since it began, or was resumed
  std::uint64_t windows = 0;             ///< completed by all components together
  std::string slowest{};                 ///< the component that is furthest behind
  std::string waits_for{};               ///< whom that one waits for; empty if it computes or may
  std::vector<std::string> held_up{};    ///< who waits for the slowest
  std::optional<double> resumed_from{};  ///< simulated [s]
  std::optional<double> checkpoint{};    ///< of the last checkpoint, simulated [s]
};

/// Name of the file in a result folder.
inline constexpr std::string_view kProgressFileName = "progress.json";

/// Replaces the file as a whole.
core::Result<void> write_progress(const RunProgressFile& progress, const std::filesystem::path& file);
core::Result<RunProgressFile> read_progress(const std::filesystem::path& file);

/// What has become of the process that writes a progress file.
enum class ProcessState { running, paused, gone, unknown };  ///< unknown: it is on another machine
[[nodiscard]] ProcessState state_of(const ProcessIdentity& process);
[[nodiscard]] ProcessIdentity this_process();
/// Seconds since 1970.
[[nodiscard]] double wall_clock();

}  // namespace tieline::results
