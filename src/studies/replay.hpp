#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "document/diagnostics.hpp"
#include "results/compare.hpp"

namespace tieline::studies {

struct ReplayOptions {
  std::filesystem::path folder{};     ///< results of a run that kept tracks
  std::string component{};            ///< which of its components
  std::filesystem::path out{};        ///< where the results go; empty: "replay-<component>" in that folder
  std::filesystem::path site_file{};  ///< stated; empty: looked for
  std::filesystem::path runner{};     ///< the program that runs nodes; empty: looked for
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const std::string&)> on_note{};  ///< lines for people; from another thread
};

/// What became of a component that was computed again.
struct ReplayOutcome {
  std::string node{};            ///< the component, or the group that it is in
  std::filesystem::path out{};   ///< results
  double begin = 0.0;            ///< of what is computed again [s]
  double end = 0.0;              ///< how far the tracks let it come [s]
  double stop = 0.0;             ///< of the run [s]
  bool is_whole = false;         ///< the tracks reach to the stop
  bool has_same_values = false;  ///< as in the run, without any difference
  std::optional<core::Error> failure{};
  results::Comparison comparison{};  ///< of the run's results with these, as far as both reach
};

/// Computes one component (or the group that it is in) of an earlier run again, alone: its program or a runner begins
/// with the state that it had, and gets from each partner what came from there in the run. What the run's model has
/// wrong now goes to the diagnostics. A failure of the component itself is part of the outcome.
[[nodiscard]] core::Result<ReplayOutcome> replay(const ReplayOptions& options, document::Diagnostics& diagnostics);

}  // namespace tieline::studies
