#include <chrono>
#include <fmt/format.h>
#include <thread>

#include "tieline/program.hpp"
#include "tieline/results.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"

namespace tieline::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kControlLook{100};

RunRequest request_of(const ControlArguments& arguments) {
  if (arguments.request == "pause") return RunRequest::pause;
  return arguments.request == "stop" ? RunRequest::stop : RunRequest::resume;
}

bool has_followed(const RunStatus& status, RunRequest request) {
  if (status.has_ended()) return true;
  if (request == RunRequest::pause) return status.phase == RunPhase::paused;
  return request == RunRequest::resume && status.phase == RunPhase::running;
}

}  // namespace

int control(const ControlArguments& arguments) {
  auto status = read_status(arguments.folder);
  if (!status) {
    return complain(fmt::format("folder '{}' contains no run to control: there is no {}", arguments.folder.string(),
                                kProgressFile));
  }
  if (status->has_ended()) {
    return complain(fmt::format("the run in '{}' has ended at t = {:.6g} s ({}); nothing is left to {}",
                                arguments.folder.string(), status->reached, name_of(status->phase), arguments.request));
  }
  const RunRequest request = request_of(arguments);
  control_run(arguments.folder, request);
  const std::atomic<bool>& is_interrupted = watch_interrupts();
  const auto end = Clock::now() + std::chrono::duration<double>(arguments.wait);
  while (!has_followed(*status, request)) {
    if (is_interrupted || Clock::now() >= end) {
      fmt::print("{}: asked to {}, at t = {:.6g} s; it has not followed yet\n", status->model, arguments.request,
                 status->reached);
      return kDone;
    }
    std::this_thread::sleep_for(kControlLook);
    try {
      if (auto news = read_status(arguments.folder)) status = std::move(news);
    } catch (const FileError&) {
      continue;  // it is being replaced
    }
  }
  fmt::print("{}: {} at t = {:.6g} s of {:g} s\n", status->model, name_of(status->phase), status->reached,
             status->stop);
  return kDone;
}

}  // namespace tieline::cli
