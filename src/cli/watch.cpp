#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <optional>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "results/progress_file.hpp"
#include "results/reader.hpp"
#include "results/text_table.hpp"
#include "results/writer.hpp"

namespace tieline::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using results::ProcessState;
using results::RunPhase;
using results::RunProgressFile;

/// How often the files are looked at, whatever is shown: the end of a run is told at once.
constexpr std::chrono::milliseconds kLook{200};
constexpr double kTerminalInterval = 1.0;  ///< [s]
constexpr double kPlainInterval = 10.0;    ///< [s]
/// A run that writes every second and has not moved for so long is told to stand still [s].
constexpr double kStandstill = 5.0;

/// What there is to be said of a run at one moment.
struct Sight {
  RunProgressFile progress{};
  ProcessState process = ProcessState::unknown;

  [[nodiscard]] bool has_ended() const { return results::has_ended(progress.phase) || process == ProcessState::gone; }
  [[nodiscard]] ExitCode exit_code() const {
    return has_ended() && progress.phase != RunPhase::finished ? kRunFailed : kDone;
  }
};

std::optional<Sight> look_at(const fs::path& folder) {
  const fs::path file = folder / results::kProgressFileName;
  auto progress = results::read_progress(file);
  if (!progress) return std::nullopt;
  Sight sight{std::move(*progress), ProcessState::unknown};
  if (results::has_ended(sight.progress.phase)) return sight;
  sight.process = results::state_of(sight.progress.process);
  if (sight.process != ProcessState::gone) return sight;
  // Its last word may have come between the two looks.
  if (auto again = results::read_progress(file)) sight.progress = std::move(*again);
  return sight;
}

std::string clock_time(double wall) {
  return fmt::format("{:%H:%M:%S}", fmt::localtime(static_cast<std::time_t>(wall)));
}

/// How the run is, in a few words.
std::string describe_state(const Sight& sight, double now) {
  const RunProgressFile& p = sight.progress;
  switch (p.phase) {
    case RunPhase::finished:
      return "finished";
    case RunPhase::failed:
      return "failed: " + p.error;
    case RunPhase::stopped:
      return "stopped on request";
    default:
      break;
  }
  if (sight.process == ProcessState::gone)
    return fmt::format("killed? process {} is gone without a word since {}", p.process.id, clock_time(p.updated));
  if (sight.process == ProcessState::paused)
    return fmt::format("paused (process {}), nothing has moved since {}", p.process.id, clock_time(p.moved));
  // A run that computes one long window, or whose machine cannot be seen, writes nothing either.
  if (now - p.moved > kStandstill) {
    return fmt::format("{}, nothing has moved since {} ({}){}", name_of(p.phase), clock_time(p.moved),
                       describe_seconds(now - p.moved),
                       sight.process == ProcessState::unknown ? fmt::format("; it runs on {}", p.process.host) : "");
  }
  return std::string(name_of(p.phase));
}

/// The run in one line; `gap` stands before what would make it long.
std::string describe(const Sight& sight, std::string_view gap) {
  const RunProgressFile& p = sight.progress;
  const double share = p.stop > p.start ? std::clamp((p.reached - p.start) / (p.stop - p.start), 0.0, 1.0) : 1.0;
  std::string line = fmt::format("{}: {:5.1f} %  t = {:.4g} s of {:g} s", p.model, 100.0 * share, p.reached, p.stop);
  if (p.speed > 0.0) line += fmt::format("  {:.3g} s/s", p.speed);
  if (p.speed > 0.0 && !sight.has_ended())
    line += fmt::format("  {} left", describe_seconds((p.stop - p.reached) / p.speed));
  line += "  " + describe_state(sight, results::wall_clock());
  if (!p.slowest.empty() && !sight.has_ended()) {
    RunProgress behind;
    behind.slowest = p.slowest, behind.waits_for = p.waits_for, behind.held_up = p.held_up;
    line += fmt::format("{}furthest behind: {}", gap, describe_slowest(behind));
  }
  if (p.checkpoint && p.phase != RunPhase::finished)
    line += fmt::format("{}checkpoint at t = {:g} s", gap, *p.checkpoint);
  return line;
}

/// The latest values of variables, read while the run writes them.
class LatestValues {
 public:
  LatestValues(fs::path folder, std::vector<std::string> patterns)
      : folder_(std::move(folder)), patterns_(std::move(patterns)) {}

  /// Rows of a table for the screen; an error where a pattern fits no variable.
  core::Result<std::string> text() {
    if (patterns_.empty()) return std::string();
    open();
    if (!reader_) return std::string("  (no values yet)\n");
    const auto variables = reader_->select(patterns_);
    if (!variables) return variables.error();
    results::TextTable table;
    table.add({"  variable", "t [s]", "value", "unit"});
    std::optional<std::size_t> known_table;
    std::vector<double> row;
    for (const results::Variable& variable : *variables) {
      if (known_table != variable.table) row = last_row(variable.table);
      known_table = variable.table;
      const bool has_value = row.size() > variable.column + 1;
      table.add({"  " + variable.name, has_value ? fmt::format("{:.6g}", row[0]) : "-",
                 has_value ? fmt::format("{:.6g}", row[variable.column + 1]) : "-", variable.unit});
    }
    return table.text();
  }

 private:
  /// A run that begins anew or is resumed puts another file in the place of the one that is open.
  void open() {
    struct stat now {};
    const fs::path file = folder_ / results::kResultFileName;
    if (::stat(file.c_str(), &now) != 0) return;
    if (reader_ && now.st_ino == inode_) return;
    auto reader = results::ResultReader::open(file);
    if (!reader) return;  // not all tables are made yet
    reader_.emplace(std::move(*reader));
    inode_ = now.st_ino;
  }

  [[nodiscard]] std::vector<double> last_row(std::size_t table) const {
    const auto rows = reader_->rows(table);
    if (!rows || *rows == 0) return {};
    auto row = reader_->read_rows(table, {*rows - 1, *rows});
    return row ? std::move(*row) : std::vector<double>{};
  }

  fs::path folder_;
  std::vector<std::string> patterns_;
  std::optional<results::ResultReader> reader_;
  ino_t inode_ = 0;
};

/// Shows one text after another in one place of a terminal, or below each other elsewhere.
class Screen {
 public:
  explicit Screen(bool is_redrawn) : is_redrawn_(is_redrawn) {}

  void show(const std::string& text, bool is_last) {
    if (is_redrawn_ && lines_ > 0) fmt::print("\033[{}A\033[J", lines_);
    fmt::print("{}", is_redrawn_ && !is_last ? cut(text) : text);
    std::fflush(stdout);
    lines_ = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }

 private:
  /// Lines that the terminal does not have to break, so that it is known how many there are.
  [[nodiscard]] static std::string cut(const std::string& text) {
    winsize size{};
    const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const std::size_t width = is_known ? size.ws_col : 80;
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      result += text.substr(begin, std::min(end - begin, width)) + "\n";
      begin = end + 1;
    }
    return result;
  }

  bool is_redrawn_;
  int lines_ = 0;
};

/// Waits for a run to begin in a folder.
std::optional<Sight> find_run(const WatchArguments& arguments, const std::atomic<bool>& is_interrupted) {
  const auto end = Clock::now() + std::chrono::duration<double>(arguments.wait);
  for (;;) {
    if (auto sight = look_at(arguments.folder)) return sight;
    if (Clock::now() >= end || is_interrupted) return std::nullopt;
    std::this_thread::sleep_for(kLook);
  }
}

int complain_of_folder(const WatchArguments& arguments) {
  const std::string folder = arguments.folder.string();
  const std::string advice = arguments.wait > 0.0 ? "" : "; --wait SECONDS waits for one";
  std::error_code failure;
  if (!fs::is_directory(arguments.folder, failure))
    return complain(fmt::format("there is no folder '{}'{}", folder, advice));
  const auto progress = results::read_progress(arguments.folder / results::kProgressFileName);
  if (!progress && fs::exists(arguments.folder / results::kProgressFileName, failure))
    return complain(progress.error().describe());
  return complain(fmt::format("folder '{}' holds no run to be watched: there is no {}{}", folder,
                              results::kProgressFileName, advice));
}

}  // namespace

int watch(const WatchArguments& arguments) {
  const std::atomic<bool>& is_interrupted = watch_interrupts();
  auto sight = find_run(arguments, is_interrupted);
  if (!sight) return complain_of_folder(arguments);
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  const std::chrono::duration<double> interval(
      arguments.interval.value_or(is_terminal ? kTerminalInterval : kPlainInterval));
  LatestValues values(arguments.folder, arguments.variables);
  Screen screen(is_terminal && !arguments.is_once);
  for (auto next = Clock::now(); !is_interrupted;) {
    if (sight->has_ended() || Clock::now() >= next) {
      const auto table = values.text();
      if (!table) return complain(table.error().describe());
      screen.show(describe(*sight, is_terminal ? "\n  " : "  ") + "\n" + *table, sight->has_ended());
      next = Clock::now() + std::chrono::duration_cast<Clock::duration>(interval);
    }
    if (sight->has_ended() || arguments.is_once) return sight->exit_code();
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(kLook, interval));
    // A file that cannot be read for a moment tells nothing new.
    if (auto news = look_at(arguments.folder)) {
      sight = std::move(news);
    } else {
      sight->process = results::state_of(sight->progress.process);
    }
  }
  return kDone;
}

}  // namespace tieline::cli
