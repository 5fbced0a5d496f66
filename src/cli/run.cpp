#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fmt/format.h>

#include "tieline/hosts.hpp"
#include "tieline/plots.hpp"
#include "tieline/program.hpp"
#include "tieline/results.hpp"
#include "tieline/simulation.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/settings.hpp"
#include "cli/slurm.hpp"

namespace tieline::cli {
namespace {

/// Of a plot that shows what was recorded.
constexpr std::size_t kMostPlotted = 24;

/// The end of the summary, where it is no reason for trust.
void print_bad_verdict(const std::string& summary) {
  const auto verdict = summary.rfind("Verdict: ");
  if (verdict == std::string::npos || summary.compare(verdict, 14, "Verdict: trust") == 0) return;
  print_error("{}", summary.substr(verdict));
}

/// As a shell takes it for one word.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "_-./+,:@";
  const auto is_plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// A variable that is worth a first look: a position where there is one. Empty if nothing was recorded.
std::string first_look(const std::filesystem::path& folder) {
  try {
    const Results results = Results::open(folder);
    const auto variables = results.variables({});
    for (const VariableInfo& variable : variables) {
      if (variable.name.ends_with(".position") || variable.name.ends_with(".position.x")) return variable.name;
    }
    return variables.empty() ? "" : variables.front().name;
  } catch (const FileError&) {
    return "";
  }
}

/// Where the results are, and what to do with them.
void print_next(const std::filesystem::path& out) {
  const std::string folder = shell_word(out.string());
  fmt::print("Results: {}\n", out.string());
  fmt::print("Next: tieline info {}  (counters, energies, the audit, all variables)\n", folder);
  if (const std::string name = first_look(out); !name.empty()) {
    fmt::print("      tieline plot {} {} -o plot.svg\n", folder, shell_word(name));
  }
  std::error_code failure;
  if (std::filesystem::exists(out / "scene.json", failure)) fmt::print("      tieline animate {}\n", folder);
}

/// A picture of the recorded variables in the result folder; its path is printed.
void plot_outcome(const std::filesystem::path& out, bool is_quiet) {
  try {
    const Results results = Results::open(out);
    std::vector<std::string> names;
    const auto variables = results.variables({});
    for (const VariableInfo& variable : variables) {
      if (names.size() == kMostPlotted) break;
      names.push_back(variable.name);
    }
    if (names.empty()) {
      print_error("warning: nothing was recorded, so that there is nothing to plot; see --record\n");
      return;
    }
    const std::filesystem::path file = out / "plot.svg";
    const PlottedRun run{.results = &results};
    plot_runs(std::span(&run, 1), names, {}, file);
    if (names.size() < variables.size() && !is_quiet) {
      fmt::print("Plotted: the first {} of {} variables\n", names.size(), variables.size());
    }
    fmt::print("Plot: {}\n", file.string());
  } catch (const std::out_of_range& error) {
    complain(error.what());
  }
}

void print_outcome(const Simulation& simulation, const RunArguments& arguments) {
  const auto warnings = simulation.warnings();
  if (arguments.is_quiet) {
    print_bad_verdict(simulation.summary());
  } else {
    if (arguments.is_verbose) fmt::print("{}\n", simulation.summary());
    fmt::print("{}", simulation.brief());
  }
  for (const std::string& warning : warnings) print_error("warning: {}\n", warning);
}

/// What a run has left, and what to do with it. By then the run is gone: reading the results of a large model takes as
/// much memory again.
void print_results(const std::filesystem::path& folder, const RunArguments& arguments) {
  if (arguments.plots) plot_outcome(folder, arguments.is_quiet);
  if (arguments.is_quiet) return;
  if (arguments.records) print_next(folder);
  if (!arguments.trace.empty()) fmt::print("Trace: {}\n", arguments.trace.string());
}

std::string failure_of(const RunError& error) { return fmt::format("the run failed: {}", error.what()); }

/// How a run has ended.
struct Ending {
  std::filesystem::path folder{};
  std::string failure{};               ///< empty: it has reached its end
  std::string lost_host{};             ///< that the run has failed of; empty: none
  std::optional<double> checkpoint{};  ///< the last one [s]; a run that was broken is not lost
};

int conclude(const Ending& ending, const RunArguments& arguments) {
  print_results(ending.folder, arguments);
  if (ending.failure.empty()) return kDone;
  complain(ending.failure);
  if (!arguments.on.empty()) requeue_after(ending.lost_host, ending.checkpoint.has_value());
  if (ending.checkpoint && !arguments.is_quiet) {
    print_error("`tieline run --resume {}` continues from t = {:g} s\n", ending.folder.string(), *ending.checkpoint);
  }
  return kRunFailed;
}

/// "<model's file name>-results", here. The folder of an unpacked FMU may be given as "folder/" or ".".
std::filesystem::path result_folder_of(const std::filesystem::path& model) {
  const auto whole = (std::filesystem::absolute(model) / "").lexically_normal();
  return whole.parent_path().stem().string() + "-results";
}

/// Keeps what a run that did not reach its end has left.
void finish_broken(Simulation& simulation) {
  try {
    simulation.finish();
  } catch (const RunError& second) {
    // Often the disk is what the run failed of; its own error says more than this one.
    complain(second.what());
  }
}

Ending execute(Simulation simulation, const RunArguments& arguments) {
  ProgressDisplay display(simulation.start_time(), simulation.time(), simulation.stop_time(), arguments.is_quiet);
  RunSettings settings;
  settings.threads = arguments.threads;
  settings.cancel = &watch_interrupts();
  settings.on_progress = [&](const RunProgress& progress) { display.show(progress); };
  Ending ending;
  try {
    simulation.advance_to(simulation.stop_time(), settings);
  } catch (const RunError& error) {
    ending.failure = error.is_cancelled() ? fmt::format("stopped on request at t = {:.6g} s of {:g} s",
                                                        simulation.time(), simulation.stop_time())
                                          : failure_of(error);
    ending.checkpoint = simulation.last_checkpoint();
    ending.lost_host = simulation.lost_host();
  }
  display.clear();
  if (ending.failure.empty()) {
    simulation.finish();
  } else {
    finish_broken(simulation);
  }
  ending.folder = simulation.result_folder();
  print_outcome(simulation, arguments);
  return ending;
}

/// `auto` alone stands for all that nothing else is said of.
std::vector<std::string> places_of(const RunArguments& arguments) {
  std::vector<std::string> places;
  bool is_rest_chosen = false;
  for (const std::string& each : arguments.place) {
    if (each == "auto") {
      is_rest_chosen = true;
    } else {
      places.push_back(each);
    }
  }
  if (is_rest_chosen) places.emplace_back("*=auto");
  return places;
}

}  // namespace

int run(const RunArguments& given) {
  RunArguments arguments = given;
  const bool resumes = !arguments.resume.empty();
  if (!takes_fmu_options(arguments.model, arguments.fmu)) return kUsage;
  const bool has_default_folder = arguments.out.empty() && !resumes;
  arguments.has_default_folder = has_default_folder;
  if (arguments.out.empty()) arguments.out = resumes ? arguments.resume : result_folder_of(arguments.model);
  try {
    const bool is_restart = !arguments.on.empty() && is_slurm_restart(arguments);
    auto simulation = is_restart ? Simulation::resume(arguments.out, arguments.model)
                      : resumes  ? Simulation::resume(arguments.resume, arguments.model)
                                 : Simulation::load(arguments.model);
    // A run that Slurm has started again has all of this in its checkpoint.
    if (!is_restart) simulation.set(parse_settings(arguments.set, arguments.fmu));
    if (arguments.stop && !is_restart) simulation.set_stop(*arguments.stop);
    if (arguments.checkpoint && !is_restart) simulation.checkpoint_every(*arguments.checkpoint);
    // From here on the model is known to be right, before nodes are asked for.
    const bool is_allocated = slurm_allocation().has_value();
    if (!arguments.on.empty() && !is_allocated && !arguments.is_dry) return run_by_slurm(arguments);
    simulation.use_processes({.isolate = arguments.isolates,
                              .transport = arguments.transport,
                              .routing = arguments.routing,
                              .sandbox = arguments.sandbox,
                              .site = arguments.site,
                              .place = places_of(arguments),
                              .costs = arguments.costs,
                              .on_slurm = !arguments.on.empty() && is_allocated,
                              .record_tracks = arguments.record_tracks,
                              .on_note = [](const std::string& line) { print_error("{}\n", line); }});
    if (arguments.records)
      simulation.record_to(arguments.out, has_default_folder ? FolderInUse::choose_another : FolderInUse::refuse);
    if (arguments.is_dry) {
      fmt::print("{}", simulation.plan());
      return kDone;
    }
    if (!arguments.trace.empty()) {
      simulation.trace_to(writable_file(arguments.trace));
    }
    const Ending ending = execute(std::move(simulation), arguments);
    return conclude(ending, arguments);
  } catch (const ModelError& error) {
    return complain_of_model(error.what());
  } catch (const RunError& error) {
    return complain(failure_of(error), kRunFailed);
  }
}

}  // namespace tieline::cli
