#include "processes/runner_invitee.hpp"

#include <algorithm>
#include <cstdlib>

namespace tieline::processes {
namespace {

// Signs of life within a silence deadline.
constexpr double kBeatsPerSilence = 8.0;
constexpr double kLongestBeat = 0.5;  // [s]

}  // namespace

std::filesystem::path runner_program(const std::filesystem::path& wanted) {
  if (!wanted.empty()) return wanted;
  if (const char* stated = std::getenv("TIELINE_RUNNER"); stated != nullptr && *stated != '\0') return stated;
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (self.filename() == "tieline") return self;
  const auto folder = self.parent_path();
  for (const auto& beside : {folder / "tieline", folder.parent_path() / "bin" / "tieline"}) {
    if (std::filesystem::exists(beside, ignored)) return beside;
  }
  return "tieline";
}

double beat_interval(const model::ProcessSettings& settings) {
  return std::min(kLongestBeat, settings.silence_deadline / kBeatsPerSilence);
}

participant::Invitee runner_invitee(const assembly::CheckedModel& checked, const std::string& node,
                                    const RunnerSource& source, const std::filesystem::path& run_folder) {
  const model::SimulationSettings& settings = checked.model.simulation;
  participant::Invitee invitee{.name = node, .start_deadline = settings.processes.start_deadline};
  transport::Setup& setup = invitee.setup;
  setup.component = node;
  setup.start = settings.start;
  setup.stop = settings.stop;
  setup.save_interval = settings.save_interval;
  setup.model_file = std::filesystem::absolute(source.model).string();
  for (const model::Override& each : source.overrides) setup.overrides.emplace_back(each.name, each.value);
  setup.beat_interval = beat_interval(settings.processes);
  setup.patience = settings.processes.stall_deadline;
  invitee.launch = participant::Launch{.command = {runner_program(source.program).string(), "runner"},
                                       .log = run_folder / (node + ".log")};
  return invitee;
}

}  // namespace tieline::processes
