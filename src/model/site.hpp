#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "model/composite_model.hpp"
#include "model/process.hpp"

/// The site file: how the tools that models name are started on this machine, described once and apart from all models.
namespace tieline::model {

/// <Tool>. Words in braces are not replaced yet (`launch_plan` does).
struct Tool {
  std::string name{};     ///< as in tool="..."
  std::string command{};  ///< on one line; empty: the tool is started by someone else, and awaited
  std::string folder{};   ///< to work in, relative to the site file; empty: not stated
  std::vector<EnvironmentVariable> environment{};
  document::Element declaration{};
};

struct Site {
  std::filesystem::path file{};  ///< empty: none was found
  std::vector<Tool> tools{};

  [[nodiscard]] const Tool* find(std::string_view name) const;  ///< null: unknown
};

/// Where a site file is looked for, in this order: `stated` (an option of the command line; may be empty),
/// TIELINE_SITE, the user's site.xml, that of the machine. The first that exists counts, alone.
[[nodiscard]] std::vector<std::filesystem::path> site_files(const std::filesystem::path& stated = {});

/// Reads one site file; all problems go to `diagnostics`.
[[nodiscard]] Site read_site(const std::filesystem::path& file, document::Diagnostics& diagnostics);

/// Reads the site file that counts. None at all is a site without tools; one that was stated, by the command line or by
/// TIELINE_SITE, must exist.
[[nodiscard]] Site load_site(const std::filesystem::path& stated, document::Diagnostics& diagnostics);

/// How a component's program comes into a run.
struct LaunchPlan {
  std::vector<std::string> command{};  ///< program and arguments; empty: it is awaited
  std::filesystem::path folder{};      ///< to work in, absolute
  std::map<std::string, std::string> environment{};

  /// Nobody is told to start it: a user does, or another program.
  [[nodiscard]] bool is_awaited() const { return command.empty(); }
};

/// The plan for a component of kind "process": its own command, or else that of its tool. The component's folder and
/// variables count before those of the tool. Nothing, with a report, where its tool is unknown or a command is wrong.
/// Where no run is meant yet `run_folder` may be empty.
///
/// A command is split into words first (`core::split_command`); then {word} is replaced within each, so that what it
/// stands for never becomes two arguments: {component}, {model_file}, {run_folder}, {start_time}, {stop_time},
/// {largest_step}, or an expression over the component's parameters; {{ and }} stand for braces. A program named with a
/// '/' is relative to the file that states the command.
[[nodiscard]] std::optional<LaunchPlan> launch_plan(const CompositeModel& model, const Component& component,
                                                    const Site& site, const std::filesystem::path& run_folder,
                                                    document::Diagnostics& diagnostics);

}  // namespace tieline::model
