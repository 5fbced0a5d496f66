#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembly/checked_model.hpp"
#include "assembly/variables.hpp"
#include "core/error_estimate.hpp"
#include "core/facts.hpp"
#include "engine/engine.hpp"
#include "engine/glued_group.hpp"
#include "engine/group.hpp"
#include "kinds/registry.hpp"
#include "results/run_report.hpp"
#include "results/writer.hpp"

namespace tieline::assembly {

class LiveInput;
class OuterEnd;

/// A sampled connection inside a group, or one number of an undelayed signal; or a glued connection.
struct GroupLinkPlace {
  const engine::Group* group = nullptr;       ///< either this
  const engine::GluedGroup* glued = nullptr;  ///< or this
  std::size_t link = 0;
  int connection = -1;  ///< index into the model's connections
};

/// What another process has reported of a component that it computes.
struct ReportedFigures {
  core::Statistics statistics{};
  std::optional<core::Energy> energy{};
  std::vector<double> values{};  ///< of its columns
  std::vector<core::Fact> facts{};
  core::StepErrors step_errors{};
};

/// Components that are computed as one system.
struct SystemPlace {
  std::string name{};
  std::vector<int> components{};  ///< as in the model
  bool has_own_steps = false;     ///< each of them takes steps of its own; else one solver does for all
};

/// An end of a connection whose component is in another process: what stands for its ports here.
struct StandIn {
  std::vector<core::Port> ports{};
  std::vector<core::SpatialInterface> interfaces{};
};

/// A model made ready to run: components built, groups formed, engine wired.
struct Assembly {
  std::unique_ptr<engine::Engine> engine{};
  std::vector<core::Component*> components{};              ///< as in the model; null: another process alone has it
  std::vector<std::optional<ReportedFigures>> reported{};  ///< of components that other processes compute
  std::vector<std::vector<core::Fact>> facts{};            ///< reported by their programs
  std::vector<std::unique_ptr<StandIn>> stand_ins{};
  std::vector<core::RecordPlan> component_plans{}, connection_plans{};  ///< what is recorded of each
  std::vector<int> connection_index{};  ///< of each connection of the model: that of the engine, or -1 where undelayed
  std::vector<GroupLinkPlace> group_links{};
  std::vector<const engine::GluedGroup*> gluings{};  ///< nested ones before those around them
  std::vector<SystemPlace> systems{};
  std::vector<std::unique_ptr<engine::HeldSink>> held_sinks{};
  VariableIndex variables{};
  std::map<std::string, LiveInput*, std::less<>> live_inputs{};  ///< by the name of each number
  std::unique_ptr<results::ResultWriter> writer{};               ///< null: nothing is recorded
};

/// Counters, energy and columns of a component, wherever it is computed.
/// The facts that a component reports, wherever it is computed.
[[nodiscard]] std::vector<core::Fact> facts_of(const Assembly& assembly, std::size_t component);
[[nodiscard]] core::Statistics statistics_of(const Assembly& assembly, std::size_t component);
[[nodiscard]] core::StepErrors step_errors_of(const Assembly& assembly, std::size_t component);
[[nodiscard]] std::optional<core::Energy> energy_of(const Assembly& assembly, std::size_t component);
[[nodiscard]] std::vector<double> values_of(const Assembly& assembly, std::size_t component);

/// An open interface along one axis that is an end of a line, whose other end is outside of the run; or one that gets
/// what the outside knows as a function of time.
struct OuterPlace {
  std::string name{};                 ///< as `live_names` has it
  std::optional<double> impedance{};  ///< of the line; none: there is no line
  OuterEnd* end = nullptr;            ///< borrowed
};

/// The same for an interface in space: forces along and torques about its axes, in the world's.
struct OuterSpace {
  std::string name{};
  std::optional<double> impedance{};  ///< of the line along its axes [N s/m]; none: there is no line
  double turning_impedance = 0.0;     ///< about its axes [N m s/rad]
  std::array<OuterEnd*, 6> ends{};    ///< borrowed
};

/// Where rows go, and what is built.
struct AssemblyOptions {
  std::optional<std::filesystem::path> folder{};  ///< chosen variables are recorded there; none: nothing is
  /// Builds this node alone; all others are in other processes.
  std::optional<int> only_node{};
  /// Takes the rows of an owner's table, in place of a folder; null: that table is not recorded.
  std::function<core::RowSink*(const std::string& owner, std::size_t columns)> sink_of{};
  std::function<void(const std::string& line)> on_message{};  ///< what components have to say to people
  std::vector<std::string> live{};  ///< numbers at open interfaces that may be set meanwhile, as `live_names` has them
  std::vector<OuterPlace> outer{};
  std::vector<OuterSpace> outer_spaces{};
};

/// Builds the run of a checked model without errors. Problems of building go to the diagnostics (then nothing is
/// returned).
[[nodiscard]] std::optional<Assembly> assemble(const CheckedModel& checked, const AssemblyOptions& options,
                                               document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
