#include <algorithm>
#include <cstdio>
#include <deque>
#include <fmt/format.h>
#include <unistd.h>

#include "tieline/plots.hpp"
#include "tieline/studies.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRowsOnScreen = 100;
// More curves than this cannot be distinguished, nor can as many files be open everywhere.
constexpr std::size_t kMostOverlaid = 200;
constexpr int kSweepBarWidth = 30;

/// Shows the progress of a sweep: a bar on a terminal, elsewhere a line per combination.
class SweepDisplay {
 public:
  explicit SweepDisplay(bool is_quiet) : is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) != 0) {}
  ~SweepDisplay() {
    if (has_drawn_) print_error("\r\033[K");
  }
  SweepDisplay(const SweepDisplay&) = delete;
  SweepDisplay& operator=(const SweepDisplay&) = delete;

  void show(const SweepProgress& progress) {
    if (is_quiet_) return;
    if (is_terminal_) return draw(progress);
    if (!progress.latest) return;
    print_error("[{}/{}] {}: {} ({})\n", progress.finished, progress.total, progress.latest->name,
                name_of(progress.latest->status), describe_seconds(progress.latest->wall_seconds));
  }

 private:
  void draw(const SweepProgress& progress) {
    const double share = static_cast<double>(progress.finished) / static_cast<double>(progress.total);
    const int filled = static_cast<int>(share * kSweepBarWidth);
    const auto computed = static_cast<double>(progress.finished - progress.kept);
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double left = wall * static_cast<double>(progress.total - progress.finished) / std::max(computed, 1.0);
    print_error("\r\033[K[{:=<{}}{: <{}}] {} of {}  {} running{}{}", "", filled, "", kSweepBarWidth - filled,
                progress.finished, progress.total, progress.running,
                progress.failed > 0 ? fmt::format("  {} failed", progress.failed) : "",
                computed > 0.0 ? fmt::format("  {} left", describe_seconds(left)) : "");
    has_drawn_ = true;
  }

  bool is_quiet_;
  bool is_terminal_;
  bool has_drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Overlays the variables of all runs that left results.
void draw_overlay(const std::vector<SweepRun>& runs, const SweepArguments& arguments) {
  std::deque<Results> opened;
  std::vector<PlottedRun> drawn;
  for (const SweepRun& run : runs) {
    if (run.status == SweepStatus::pending || drawn.size() == kMostOverlaid) continue;
    try {
      opened.push_back(Results::open(run.folder));
    } catch (const FileError&) {
      continue;  // it left none
    }
    drawn.push_back({&opened.back(), run.name});
  }
  if (drawn.empty()) return;
  if (drawn.size() == kMostOverlaid) print_error("the plot shows the first {} runs\n", kMostOverlaid);
  const fs::path file = arguments.out / "plot.svg";
  plot_runs(drawn, arguments.plotted,
            {.title = fmt::format("{}: {}", arguments.model.stem().string(), fmt::join(arguments.plotted, ", ")),
             .colours = ColourBy::run,
             .has_run_labels = true,
             .allows_missing = true},
            file);
  if (!arguments.is_quiet) fmt::print("Plot: {}\n", file.string());
}

int print_outcome(const SweepOutcome& outcome, const SweepArguments& arguments) {
  const std::vector<SweepRun>& runs = outcome.runs;
  if (!arguments.is_quiet) fmt::print("{}\n", outcome.table);
  std::size_t done = 0;
  std::size_t pending = 0;
  std::size_t kept = 0;
  for (const SweepRun& run : runs) {
    if (run.status == SweepStatus::done) ++done;
    if (run.status == SweepStatus::pending) ++pending;
    if (run.was_finished) ++kept;
    if (run.status == SweepStatus::done || run.status == SweepStatus::pending) continue;
    print_error("{}: {}: {}\n", run.name, name_of(run.status), run.message);
  }
  if (!arguments.is_quiet) {
    fmt::print("{} of {} done, {} of them earlier\nTable: {}\n", done, count(runs.size(), "combination"), kept,
               outcome.table_file.string());
  }
  if (!arguments.plotted.empty()) draw_overlay(runs, arguments);
  if (pending > 0) {
    return complain(
        fmt::format("stopped on request; --resume continues with the remaining {}", count(pending, "combination")),
        kRunFailed);
  }
  return done > 0 ? kDone : kRunFailed;
}

}  // namespace

int sweep(const SweepArguments& given) {
  SweepArguments arguments = given;
  if (arguments.out.empty()) arguments.out = arguments.model.stem().string() + "-sweep";
  const SweepPlan plan = plan_sweep(arguments.vary, arguments.list);
  SweepOptions options{.folder = arguments.out,
                       .program = fs::read_symlink("/proc/self/exe"),
                       .settings = parse_settings(arguments.set),
                       .stop = arguments.stop,
                       .jobs = arguments.jobs,
                       .threads_per_run = arguments.threads_per_run,
                       .measures = arguments.measures,
                       .plotted = arguments.plotted,
                       .reference = arguments.reference,
                       .errors = arguments.errors,
                       .resumes = arguments.resumes,
                       .is_fresh = arguments.is_fresh,
                       .on_slurm = !arguments.on.empty(),
                       .site = arguments.site,
                       .most_rows = kMostRowsOnScreen,
                       .cancel = &watch_interrupts()};
  const SweepOutcome outcome = [&] {
    SweepDisplay display(arguments.is_quiet);
    options.on_progress = [&](const SweepProgress& progress) { display.show(progress); };
    return run_sweep(arguments.model, plan, options);
  }();
  return print_outcome(outcome, arguments);
}

}  // namespace tieline::cli
