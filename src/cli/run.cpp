#include <atomic>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>

#include "tieline/simulation.hpp"

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

// The handler may only touch this; a second Ctrl-C ends the program at once.
std::atomic<bool> is_interrupted{false};

void on_interrupt(int) {
  is_interrupted.store(true);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void print_outcome(const Simulation& simulation, const RunArguments& arguments) {
  const auto warnings = simulation.warnings();
  if (!arguments.is_quiet) fmt::print("{}\n", simulation.summary());
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (arguments.records && !arguments.is_quiet) fmt::print("Results: {}\n", arguments.out.string());
}

}  // namespace

int run(const RunArguments& given) {
  RunArguments arguments = given;
  if (arguments.out.empty()) arguments.out = arguments.model.stem().string() + "-results";
  try {
    auto simulation = Simulation::load(arguments.model);
    for (const auto& [name, value] : parse_settings(arguments.set)) simulation.set(name, value);
    if (arguments.stop) simulation.set_stop(*arguments.stop);
    if (arguments.records) simulation.record_to(arguments.out);

    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    ProgressDisplay display(simulation.start_time(), simulation.stop_time(), arguments.is_quiet);
    RunSettings settings;
    settings.threads = arguments.threads;
    settings.cancel = &is_interrupted;
    settings.on_progress = [&](const RunProgress& progress) { display.show(progress); };
    try {
      simulation.advance_to(simulation.stop_time(), settings);
    } catch (const RunError& error) {
      simulation.finish();
      print_outcome(simulation, arguments);
      fmt::print(stderr, "{}: {}\n", error.is_cancelled() ? "stopped" : "the run failed", error.what());
      return kRunFailed;
    }
    simulation.finish();
    print_outcome(simulation, arguments);
    return kDone;
  } catch (const ModelError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  } catch (const RunError& error) {
    fmt::print(stderr, "the run failed: {}\n", error.what());
    return kRunFailed;
  }
}

}  // namespace tieline::cli
