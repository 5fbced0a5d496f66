#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"
#include "model/site.hpp"

namespace tieline::kinds {

/// How a component's program comes into a run.
struct LaunchPlan {
  std::vector<std::string> command{};  ///< program and arguments; empty: it is awaited
  std::filesystem::path folder{};      ///< to work in, absolute
  std::map<std::string, std::string> environment{};

  /// The run does not start it: a user does, or another program.
  [[nodiscard]] bool is_awaited() const { return command.empty(); }
};

/// The plan for a component of kind "process": its own command, or else that of its tool. The component's folder and
/// variables count before those of the tool. Nothing, with a report, where its tool is unknown or a command is wrong.
/// Where no run is meant yet `run_folder` may be empty. On a host, what this states of the tool counts first.
///
/// A command is split into words first (`core::split_command`); then {word} is replaced within each, so that what it
/// stands for never becomes two arguments: {component}, {model_file}, {run_folder}, {start_time}, {stop_time},
/// {largest_step}, or an expression over the component's parameters; {{ and }} stand for braces. A program named with a
/// '/' is relative to the file that states the command.
[[nodiscard]] std::optional<LaunchPlan> launch_plan(const model::SimulationSettings& simulation,
                                                    const model::Component& component, const model::Site& site,
                                                    const std::filesystem::path& run_folder,
                                                    document::Diagnostics& diagnostics,
                                                    const model::Host* host = nullptr);

}  // namespace tieline::kinds
