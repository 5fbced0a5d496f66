// Runs that the batch system Slurm computes: submitted here, and followed until they end.

#include "cli/slurm.hpp"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <thread>

#include "tieline/hosts.hpp"
#include "tieline/results.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"

namespace tieline::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kJobLook{1000};
/// How many looks at the folder come with one question to Slurm, whose controller serves many.
constexpr int kLooksForEachQuestion = 3;
/// A job that was requeued so often would go on for ever.
constexpr int kMostRestarts = 10;

/// The command line as it was given, with the folder that was chosen.
std::vector<std::string> command_of(const RunArguments& arguments) {
  std::vector<std::string> command{fs::read_symlink("/proc/self/exe").string()};
  command.insert(command.end(), arguments.words.begin(), arguments.words.end());
  if (arguments.has_default_folder) command.insert(command.end(), {"--out", arguments.out.string()});
  return command;
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Shows how the job is until it has ended; nothing where Slurm has forgotten it.
class Follower {
 public:
  Follower(SlurmJob job, const RunArguments& arguments) : job_(std::move(job)), arguments_(arguments) {}

  std::optional<SlurmState> follow() {
    const std::atomic<bool>& is_interrupted = watch_interrupts();
    std::optional<SlurmState> last;
    for (int look = 0;; ++look) {
      if (is_interrupted && !std::exchange(is_cancelled_, true)) {
        cancel_in_slurm(job_.number);
        say(fmt::format("job {} is cancelled", job_.number));
      }
      if (look % kLooksForEachQuestion == 0 || is_cancelled_) {
        auto state = slurm_state(job_.number);
        if (!state) return last;
        last = std::move(state);
        if (last->has_ended) return last;
        note(*last);
      }
      show_progress();
      std::this_thread::sleep_for(kJobLook);
    }
  }
  [[nodiscard]] bool is_cancelled() const { return is_cancelled_; }

 private:
  void say(const std::string& line) {
    if (display_) display_->clear();
    if (!arguments_.is_quiet) print_error("{}\n", line);
  }

  void note(const SlurmState& state) {
    std::string line = fmt::format("job {}: {}", job_.number, state.state);
    if (state.state == "PENDING" && state.reason != "None") line += fmt::format(" ({})", state.reason);
    if (state.restarts > 0) line += fmt::format(", started again {} times", state.restarts);
    if (line == noted_) return;
    noted_ = line;
    say(line);
  }

  void show_progress() {
    try {
      const auto status = read_status(arguments_.out);
      if (!status || status->began < submitted_ || status->phase == RunPhase::starting) return;
      if (!display_ || status->began != began_) {
        began_ = status->began;
        display_.emplace(status->start, status->resumed_from.value_or(status->start), status->stop,
                         arguments_.is_quiet);
      }
      RunProgress progress;
      progress.time = status->reached;
      progress.windows = status->windows;
      progress.slowest = status->slowest;
      progress.waits_for = status->waits_for;
      progress.held_up = status->held_up;
      if (status->phase == RunPhase::running) display_->show(progress);
    } catch (const FileError&) {
      return;  // it is being replaced
    }
  }

  SlurmJob job_;
  const RunArguments& arguments_;
  std::optional<ProgressDisplay> display_;
  std::string noted_;
  double submitted_ = seconds_since_1970() - 5.0;  // clocks of nodes may differ a little
  double began_ = 0.0;
  bool is_cancelled_ = false;
};

void print_output(const fs::path& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  fmt::print("{}", text);
}

}  // namespace

bool is_slurm_restart(const RunArguments& arguments) {
  const auto allocation = slurm_allocation();
  if (!allocation || !allocation->is_batch || allocation->restarts == 0 || !arguments.resume.empty()) return false;
  try {
    const auto status = read_status(arguments.out);
    return status && status->checkpoint.has_value();
  } catch (const FileError&) {
    return false;
  }
}

void requeue_after(const std::string& lost_host, bool has_checkpoint) {
  const auto allocation = slurm_allocation();
  if (lost_host.empty() || !allocation || !allocation->is_batch) return;
  if (!has_checkpoint) {
    print_error("node '{}' is lost, and the run has no checkpoint to continue from; --checkpoint writes some\n",
                lost_host);
    return;
  }
  if (allocation->restarts >= kMostRestarts) {
    print_error("job {} was started again {} times already\n", allocation->job, allocation->restarts);
    return;
  }
  try {
    requeue_in_slurm(allocation->job);
    print_error("node '{}' is lost: job {} will be started again, and continues from its last checkpoint\n", lost_host,
                allocation->job);
  } catch (const RunError& error) {
    print_error("job {} cannot be started again: {}\n", allocation->job, error.what());
  }
}

int run_by_slurm(const RunArguments& arguments) {
  const std::string name =
      arguments.model.empty() ? arguments.out.filename().string() : arguments.model.stem().string();
  const SlurmJob job = submit_to_slurm({.name = "tieline-" + name,
                                        .command = command_of(arguments),
                                        .folder = arguments.out,
                                        .site = arguments.site,
                                        .nodes = arguments.nodes});
  if (!arguments.is_quiet) print_error("job {}: submitted; its output goes to {}\n", job.number, job.output.string());
  Follower follower(job, arguments);
  const auto state = follower.follow();
  print_output(job.output);
  if (!state) return complain(fmt::format("Slurm does not know job {} any more", job.number), kRunFailed);
  if (state->state == "COMPLETED") return kDone;
  complain(fmt::format("job {} has ended: {}{}", job.number, state->state,
                       state->reason.empty() || state->reason == "None" ? "" : fmt::format(" ({})", state->reason)),
           kRunFailed);
  return state->exit_code > 0 && state->exit_code <= kUsage ? state->exit_code : static_cast<int>(kRunFailed);
}

}  // namespace tieline::cli
