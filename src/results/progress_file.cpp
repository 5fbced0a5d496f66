#include "results/progress_file.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "core/atomic_file.hpp"
#include "results/json_numbers.hpp"

namespace tieline::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kPhases{RunPhase::starting, RunPhase::running, RunPhase::paused,
                             RunPhase::finished, RunPhase::failed,  RunPhase::stopped};

/// What /proc contains about a process.
struct KernelView {
  char state = '?';
  std::uint64_t birth = 0;
};

std::optional<KernelView> look_up(std::int64_t id) {
  std::ifstream stream(fmt::format("/proc/{}/stat", id));
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  // "id (name) state ...": the name may hold anything, brackets included.
  const auto bracket = line.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(bracket + 1));
  KernelView view;
  fields >> view.state;
  constexpr int kFieldsBeforeBirth = 18;  // fields 4 to 21; the 22nd is the time of birth
  std::string skipped;
  for (int i = 0; i < kFieldsBeforeBirth; ++i) fields >> skipped;
  fields >> view.birth;
  return view;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

Json json_of(const RunProgressFile& progress) {
  Json json;
  json["state"] = name_of(progress.phase);
  if (!progress.error.empty()) json["error"] = progress.error;
  json["pid"] = progress.process.id;
  json["process_birth"] = progress.process.birth;
  json["host"] = progress.process.host;
  json["began"] = progress.began;
  json["updated"] = progress.updated;
  json["moved"] = progress.moved;
  json["model"] = progress.model;
  json["model_file"] = progress.model_file;
  json["start"] = progress.start;
  json["stop"] = progress.stop;
  json["reached"] = progress.reached;
  json["speed"] = progress.speed;
  json["windows"] = progress.windows;
  json["slowest"] = progress.slowest;
  json["waits_for"] = progress.waits_for;
  json["held_up"] = progress.held_up;
  if (progress.resumed_from) json["resumed_from"] = *progress.resumed_from;
  if (progress.checkpoint) json["checkpoint"] = *progress.checkpoint;
  return json;
}

RunProgressFile progress_from(const Json& json) {
  RunProgressFile progress;
  const std::string phase_name = json.at("state");
  for (const RunPhase phase : kPhases)
    if (name_of(phase) == phase_name) progress.phase = phase;
  progress.error = json.value("error", "");
  progress.process = {json.at("host"), whole_number<std::int64_t>(json.at("pid")),
                      whole_number<std::uint64_t>(json.at("process_birth"))};
  json.at("began").get_to(progress.began);
  json.at("updated").get_to(progress.updated);
  json.at("moved").get_to(progress.moved);
  json.at("model").get_to(progress.model);
  json.at("model_file").get_to(progress.model_file);
  json.at("start").get_to(progress.start);
  json.at("stop").get_to(progress.stop);
  json.at("reached").get_to(progress.reached);
  json.at("speed").get_to(progress.speed);
  progress.windows = whole_number<std::uint64_t>(json.at("windows"));
  json.at("slowest").get_to(progress.slowest);
  json.at("waits_for").get_to(progress.waits_for);
  json.at("held_up").get_to(progress.held_up);
  if (json.contains("resumed_from")) progress.resumed_from = json["resumed_from"].get<double>();
  if (json.contains("checkpoint")) progress.checkpoint = json["checkpoint"].get<double>();
  return progress;
}

}  // namespace

std::string_view name_of(RunPhase phase) {
  switch (phase) {
    case RunPhase::starting:
      return "starting";
    case RunPhase::running:
      return "running";
    case RunPhase::paused:
      return "paused";
    case RunPhase::finished:
      return "finished";
    case RunPhase::failed:
      return "failed";
    case RunPhase::stopped:
      return "stopped";
  }
  return "";
}

core::Result<void> write_progress(const RunProgressFile& progress, const std::filesystem::path& file) {
  return core::replace_file(file, json_of(progress).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

core::Result<RunProgressFile> read_progress(const std::filesystem::path& file) {
  const auto text = core::read_whole(file);
  if (!text) return text.error();
  try {
    return progress_from(Json::parse(*text));
  } catch (const std::exception& failure) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("'{}' is damaged: it does not contain the progress of a run ({})",
                                              file.string(), failure.what())};
  }
}

ProcessState state_of(const ProcessIdentity& process) {
  if (process.host != host_name()) return ProcessState::unknown;
  const auto view = look_up(process.id);
  if (!view)
    return ::kill(static_cast<pid_t>(process.id), 0) == 0 || errno == EPERM ? ProcessState::running
                                                                            : ProcessState::gone;
  if (process.birth != 0 && view->birth != process.birth) return ProcessState::gone;
  switch (view->state) {
    case 'Z':
    case 'X':
      return ProcessState::gone;
    case 'T':
    case 't':
      return ProcessState::paused;
    default:
      return ProcessState::running;
  }
}

ProcessIdentity this_process() {
  const std::int64_t id = ::getpid();
  const auto view = look_up(id);
  return {host_name(), id, view ? view->birth : 0};
}

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace tieline::results
