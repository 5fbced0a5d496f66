#include "processes/tool_invitee.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "assembly/confinement.hpp"
#include "assembly/connection_figures.hpp"
#include "kinds/launch_plan.hpp"
#include "participant/sandbox.hpp"
#include "processes/participant_description.hpp"
#include "processes/runner_invitee.hpp"

namespace tieline::processes {
namespace {

/// What the program may do; nothing, with a report, where it cannot be confined.
std::shared_ptr<const participant::Sandbox> sandbox_for(const model::Component& component, core::SandboxLevel level,
                                                        const std::filesystem::path& folder,
                                                        document::Diagnostics& diagnostics) {
  auto prepared = participant::Sandbox::prepare({.level = level, .is_program = true, .writable = {folder}});
  if (prepared) return std::make_shared<const participant::Sandbox>(std::move(*prepared));
  diagnostics.error(component.declaration.place(),
                    fmt::format("component '{}': {}", component.name, prepared.error().message));
  return nullptr;
}

}  // namespace

using participant::Invitee;

std::optional<Invitee> tool_invitee(const assembly::CheckedModel& checked, int index, const model::Site& site,
                                    const std::filesystem::path& run_folder, document::Diagnostics& diagnostics,
                                    core::SandboxLevel least) {
  const model::Component& component = checked.model.components[static_cast<std::size_t>(index)];
  const auto folder = run_folder / component.name;
  const auto plan = kinds::launch_plan(checked.model.simulation, component, site, folder, diagnostics);
  if (!plan) return std::nullopt;
  const participant::Description description = describe_participant(checked.model, component, folder);
  if (auto written = participant::write_parameter_file(description); !written) {
    diagnostics.error(component.declaration.place(), written.error().describe());
    return std::nullopt;
  }
  const model::ProcessSettings& settings = checked.model.simulation.processes;
  Invitee invitee{.name = component.name,
                  .start_deadline = component.process.start_deadline.value_or(settings.start_deadline)};
  const core::SandboxLevel sandbox = assembly::sandbox_of(checked, index, least);
  if (plan->is_awaited() && sandbox != core::SandboxLevel::no) {
    diagnostics.error(component.declaration.place(),
                      fmt::format("component '{}' cannot have sandbox=\"{}\", because its program is started by its "
                                  "owner; state its command, or choose sandbox=\"no\"",
                                  component.name, core::name_of(sandbox)));
    return std::nullopt;
  }
  if (!plan->is_awaited()) {
    participant::Launch launch{.command = plan->command, .folder = plan->folder, .log = folder / "output.log"};
    launch.environment = participant::environment_of(description);
    for (const auto& [name, value] : plan->environment) launch.environment[name] = value;
    if (sandbox != core::SandboxLevel::no) {
      if (sandbox == core::SandboxLevel::strict)
        launch.environment.try_emplace("TMPDIR", std::filesystem::absolute(folder).string());
      launch.sandbox = sandbox_for(component, sandbox, folder, diagnostics);
      if (launch.sandbox == nullptr) return std::nullopt;
    }
    invitee.launch = std::move(launch);
  }
  transport::Setup& setup = invitee.setup;
  setup.component = component.name;
  setup.beat_interval = beat_interval(settings);
  setup.patience = settings.stall_deadline;
  setup.model_file = description.model_file.string();
  setup.start = description.start;
  setup.stop = description.stop;
  setup.largest_step = description.largest_step.value_or(0.0);
  setup.exact_step = description.exact_step;
  const core::Pose& placement = description.placement;
  for (Eigen::Index i = 0; i < 3; ++i) setup.position[static_cast<std::size_t>(i)] = placement.position[i];
  const Eigen::Quaterniond& q = placement.orientation;
  setup.rotation = {q.w(), q.x(), q.y(), q.z()};
  for (const participant::Parameter& parameter : description.parameters) {
    const double* const number = std::get_if<double>(&parameter.value);
    setup.parameters.push_back(
        {.name = parameter.name,
         .text = number != nullptr ? fmt::format("{:.17g}", *number) : std::get<std::string>(parameter.value),
         .unit = parameter.unit,
         .value = number != nullptr ? *number : std::nan("")});
  }
  for (const participant::Interface& interface : description.interfaces) {
    const auto is_end = [&](const model::Endpoint& end) {
      return end.component == index && assembly::part_at(checked, end).interface->name == interface.name;
    };
    const bool is_connected =
        std::any_of(checked.model.connections.begin(), checked.model.connections.end(),
                    [&](const auto& connection) { return is_end(connection.from) || is_end(connection.to); });
    setup.interfaces.push_back({.name = interface.name,
                                .domain = interface.domain,
                                .causality = interface.causality,
                                .size = static_cast<std::uint32_t>(interface.size),
                                .is_connected = is_connected});
    transport::InterfaceMessage& message = setup.interfaces.back();
    for (const kinds::Blueprint::EndFrame& end : checked.blueprints[static_cast<std::size_t>(index)]->end_frames) {
      if (end.interface != interface.name) continue;
      const Eigen::Vector3d& x = end.pose.position;
      const Eigen::Quaterniond& turn = end.pose.orientation;
      message.end_position = {x.x(), x.y(), x.z()};
      message.end_rotation = {turn.w(), turn.x(), turn.y(), turn.z()};
    }
  }
  return invitee;
}

}  // namespace tieline::processes
