#include "studies/sweep.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/settings.hpp"
#include "report/plot_results.hpp"
#include "results/atomic_file.hpp"
#include "results/reader.hpp"

namespace tieline::cli {
namespace {

namespace fs = std::filesystem;
using studies::SweepPlan;
using studies::SweepProgress;
using studies::SweepRun;
using studies::SweepStatus;

constexpr std::size_t kMostRowsOnScreen = 100;
// More curves than this cannot be told apart, nor can as many files be open everywhere.
constexpr std::size_t kMostOverlaid = 200;
constexpr int kBarWidth = 30;

/// Shows how a sweep gets on: a bar on a terminal, elsewhere a line per combination.
class SweepDisplay {
 public:
  explicit SweepDisplay(bool is_quiet) : is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) != 0) {}
  ~SweepDisplay() {
    if (has_drawn_) std::fputs("\r\033[K", stderr);
  }
  SweepDisplay(const SweepDisplay&) = delete;
  SweepDisplay& operator=(const SweepDisplay&) = delete;

  void show(const SweepProgress& progress) {
    if (is_quiet_) return;
    if (is_terminal_) return draw(progress);
    if (progress.latest == nullptr) return;
    fmt::print(stderr, "[{}/{}] {}: {} ({})\n", progress.finished, progress.total, progress.latest->name,
               studies::name_of(progress.latest->status), describe_seconds(progress.latest->wall_seconds));
  }

 private:
  void draw(const SweepProgress& progress) {
    const double share = static_cast<double>(progress.finished) / static_cast<double>(progress.total);
    const int filled = static_cast<int>(share * kBarWidth);
    const auto computed = static_cast<double>(progress.finished - progress.kept);
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const double left = wall * static_cast<double>(progress.total - progress.finished) / std::max(computed, 1.0);
    fmt::print(stderr, "\r\033[K[{:=<{}}{: <{}}] {} of {}  {} running{}{}", "", filled, "", kBarWidth - filled,
               progress.finished, progress.total, progress.running,
               progress.failed > 0 ? fmt::format("  {} not done", progress.failed) : "",
               computed > 0.0 ? fmt::format("  {} left", describe_seconds(left)) : "");
    std::fflush(stderr);
    has_drawn_ = true;
  }

  bool is_quiet_;
  bool is_terminal_;
  bool has_drawn_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// With one variable the title names it, and the curves need only their combinations' names.
void shorten_labels(report::Figure& figure, std::span<const report::Run> runs, const std::string& variable) {
  std::size_t curve = 0;
  for (const report::Run& run : runs) {
    if (run.reader->find(variable)) figure.panels.front().curves[curve++].label = run.label;
  }
}

/// Overlays the variables of all runs that left results.
int draw_overlay(const std::vector<SweepRun>& runs, const SweepArguments& arguments) {
  std::deque<results::ResultReader> readers;
  std::vector<report::Run> drawn;
  for (const SweepRun& run : runs) {
    if (run.status == SweepStatus::pending || drawn.size() == kMostOverlaid) continue;
    if (auto reader = results::ResultReader::open(run.folder)) {
      drawn.push_back({&readers.emplace_back(std::move(*reader)), run.name});
    }
  }
  if (drawn.empty()) return kDone;
  if (drawn.size() == kMostOverlaid) fmt::print(stderr, "the plot shows the first {} runs\n", kMostOverlaid);
  const fs::path file = arguments.out / "plot.svg";
  auto figure =
      report::figure_of(drawn, arguments.plotted,
                        fmt::format("{}: {}", arguments.model.stem().string(), fmt::join(arguments.plotted, ", ")),
                        report::ColourBy::run);
  if (!figure) return complain(figure.error().describe());
  const auto variables = drawn.front().reader->select(arguments.plotted);
  if (variables && variables->size() == 1 && figure->panels.size() == 1) {
    shorten_labels(*figure, drawn, variables->front().name);
  }
  if (auto written = report::write_figure(*figure, file); !written) return complain(written.error().describe());
  if (!arguments.is_quiet) fmt::print("Plot: {}\n", file.string());
  return kDone;
}

int print_outcome(const SweepPlan& plan, const std::vector<SweepRun>& runs, const SweepArguments& arguments) {
  const fs::path file = arguments.out / studies::kSweepTableName;
  if (auto written = results::replace_file(file, studies::sweep_csv(plan, runs)); !written) {
    return complain(written.error().describe());
  }
  if (!arguments.is_quiet) fmt::print("{}\n", studies::sweep_table(plan, runs, kMostRowsOnScreen));
  std::size_t done = 0;
  std::size_t pending = 0;
  std::size_t kept = 0;
  for (const SweepRun& run : runs) {
    if (run.status == SweepStatus::done) ++done;
    if (run.status == SweepStatus::pending) ++pending;
    if (run.was_finished) ++kept;
    if (run.status == SweepStatus::done || run.status == SweepStatus::pending) continue;
    fmt::print(stderr, "{}: {}: {}\n", run.name, studies::name_of(run.status), run.message);
  }
  if (!arguments.is_quiet) {
    fmt::print("{} of {} done, {} of them from before\nTable: {}\n", done, count(runs.size(), "combination"), kept,
               file.string());
  }
  if (!arguments.plotted.empty()) {
    if (const int code = draw_overlay(runs, arguments); code != kDone) return code;
  }
  if (pending > 0) {
    return complain(fmt::format("stopped on request; --resume goes on with the {} left", count(pending, "combination")),
                    kRunFailed);
  }
  return done > 0 ? kDone : kRunFailed;
}

}  // namespace

int sweep(const SweepArguments& given) {
  SweepArguments arguments = given;
  if (arguments.out.empty()) arguments.out = arguments.model.stem().string() + "-sweep";
  document::Diagnostics diagnostics;
  const auto list = arguments.list.empty() ? std::nullopt : std::optional(arguments.list);
  const auto plan = studies::make_plan(arguments.vary, list, diagnostics);
  if (!plan) return complain_of_model(diagnostics.describe());

  studies::SweepOptions options;
  options.model = arguments.model;
  options.folder = arguments.out;
  options.program = fs::read_symlink("/proc/self/exe");
  for (auto& [name, value] : parse_settings(arguments.set)) options.settings.push_back({name, value});
  options.stop = arguments.stop;
  options.jobs = arguments.jobs;
  options.threads_per_run = arguments.threads_per_run;
  options.measures = arguments.measures;
  options.plotted = arguments.plotted;
  options.reference = arguments.reference;
  options.errors = arguments.errors;
  options.resumes = arguments.resumes;
  options.is_fresh = arguments.is_fresh;
  options.cancel = &watch_interrupts();
  const auto runs = [&] {
    SweepDisplay display(arguments.is_quiet);
    options.on_progress = [&](const SweepProgress& progress) { display.show(progress); };
    return studies::run_sweep(*plan, options, diagnostics);
  }();
  if (diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  if (!runs) return complain(runs.error().describe());
  return print_outcome(*plan, *runs, arguments);
}

}  // namespace tieline::cli
