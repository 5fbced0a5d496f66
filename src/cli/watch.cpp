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
#include <termios.h>
#include <thread>
#include <unistd.h>

#include "tieline/program.hpp"
#include "tieline/results.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"

namespace tieline::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// How often the files are looked at, whatever is shown: the end of a run is reported at once.
constexpr std::chrono::milliseconds kLook{200};
constexpr double kWatchTerminalInterval = 1.0;  ///< [s]
constexpr double kWatchPlainInterval = 10.0;    ///< [s]
/// A run that writes every second and has made no progress for so long is reported as stalled [s].
constexpr double kStandstill = 5.0;

ExitCode exit_code_of(const RunStatus& status) {
  return status.has_ended() && status.phase != RunPhase::finished ? kRunFailed : kDone;
}

/// Nothing if there is no run, or its file cannot be read at this moment.
std::optional<RunStatus> look_at(const fs::path& folder) {
  try {
    return read_status(folder);
  } catch (const FileError&) {
    return std::nullopt;
  }
}

/// Seconds since 1970.
double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string clock_time(double wall) {
  return fmt::format("{:%H:%M:%S}", fmt::localtime(static_cast<std::time_t>(wall)));
}

/// How the run is, in a few words.
std::string describe_state(const RunStatus& p, double now) {
  switch (p.phase) {
    case RunPhase::finished:
      return "finished";
    case RunPhase::failed:
      return "failed: " + p.error;
    case RunPhase::stopped:
      return "stopped on request";
    case RunPhase::paused:
      if (p.process_state == ProcessState::running) return fmt::format("paused on request at t = {:.6g} s", p.reached);
      break;
    default:
      break;
  }
  if (p.process_state == ProcessState::gone)
    return fmt::format("killed? process {} no longer exists; its last report was at {}", p.process.id,
                       clock_time(p.updated));
  if (p.process_state == ProcessState::paused)
    return fmt::format("paused (process {}), no progress since {}", p.process.id, clock_time(p.moved));
  // A run that computes one long window, or whose machine cannot be seen, writes nothing either.
  if (now - p.moved > kStandstill) {
    return fmt::format(
        "{}, no progress since {} ({}){}", name_of(p.phase), clock_time(p.moved), describe_seconds(now - p.moved),
        p.process_state == ProcessState::unknown ? fmt::format("; it runs on host {}", p.process.host) : "");
  }
  return std::string(name_of(p.phase));
}

/// The run in one line; `gap` stands before what would make it long.
std::string describe(const RunStatus& p, std::string_view gap) {
  const double share = p.stop > p.start ? std::clamp((p.reached - p.start) / (p.stop - p.start), 0.0, 1.0) : 1.0;
  std::string line = fmt::format("{}: {:5.1f} %  t = {:.4g} s of {:g} s", p.model, 100.0 * share, p.reached, p.stop);
  if (p.speed > 0.0) line += fmt::format("  {:.3g} s/s", p.speed);
  if (p.speed > 0.0 && !p.has_ended())
    line += fmt::format("  {} left", describe_seconds((p.stop - p.reached) / p.speed));
  line += "  " + describe_state(p, wall_clock());
  if (!p.slowest.empty() && !p.has_ended()) {
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

  /// Rows of a table for the screen. Throws std::out_of_range if a pattern fits no variable.
  std::string text() {
    if (patterns_.empty()) return "";
    open();
    if (!results_) return "  (no values yet)\n";
    std::vector<std::vector<std::string>> table{{"  variable", "t [s]", "value", "unit"}};
    std::optional<std::string> owner;
    std::optional<ResultRow> row;
    for (const VariableInfo& variable : results_->variables(patterns_)) {
      if (owner != variable.owner) row = last_row(variable.owner);
      owner = variable.owner;
      const bool has_value = row && row->values.size() > variable.column;
      table.push_back({"  " + variable.name, has_value ? fmt::format("{:.6g}", row->time) : "-",
                       has_value ? fmt::format("{:.6g}", row->values[variable.column]) : "-", variable.unit});
    }
    return text_table(table);
  }

 private:
  /// A run that begins again or is resumed puts another file in the place of the one that is open.
  void open() {
    struct stat now {};
    const fs::path file = folder_ / kResultFile;
    if (::stat(file.c_str(), &now) != 0) return;
    if (results_ && now.st_ino == inode_) return;
    try {
      results_.emplace(Results::open(file));
      inode_ = now.st_ino;
    } catch (const FileError&) {
      return;  // not all tables are made yet
    }
  }

  [[nodiscard]] std::optional<ResultRow> last_row(const std::string& owner) const {
    try {
      return results_->last_row(owner);
    } catch (const FileError&) {
      return std::nullopt;
    }
  }

  fs::path folder_;
  std::vector<std::string> patterns_;
  std::optional<Results> results_;
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

/// Keys that are pressed while a run is watched on a terminal; does nothing elsewhere.
class Keys {
 public:
  Keys() {
    if (::isatty(STDIN_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = raw.c_cc[VTIME] = 0;
    is_raw_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
  }
  ~Keys() {
    if (is_raw_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  [[nodiscard]] bool are_read() const { return is_raw_; }
  [[nodiscard]] std::optional<RunRequest> pressed() const {
    char key = 0;
    if (!is_raw_ || ::read(STDIN_FILENO, &key, 1) != 1) return std::nullopt;
    switch (key) {
      case 'p':
        return RunRequest::pause;
      case 'c':
        return RunRequest::resume;
      case 's':
        return RunRequest::stop;
      default:
        return std::nullopt;
    }
  }

 private:
  termios before_{};
  bool is_raw_ = false;
};

/// Waits for a run to begin in a folder.
std::optional<RunStatus> find_run(const WatchArguments& arguments, const std::atomic<bool>& is_interrupted) {
  const auto end = Clock::now() + std::chrono::duration<double>(arguments.wait);
  for (;;) {
    if (auto status = look_at(arguments.folder)) return status;
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
  (void)read_status(arguments.folder);  // throws what is wrong with it
  return complain(fmt::format("folder '{}' contains no run to watch: there is no {}{}", folder, kProgressFile, advice));
}

}  // namespace

int watch(const WatchArguments& arguments) {
  const std::atomic<bool>& is_interrupted = watch_interrupts();
  auto status = find_run(arguments, is_interrupted);
  if (!status) return complain_of_folder(arguments);
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  const std::chrono::duration<double> interval(
      arguments.interval.value_or(is_terminal ? kWatchTerminalInterval : kWatchPlainInterval));
  LatestValues values(arguments.folder, arguments.variables);
  Screen screen(is_terminal && !arguments.is_once);
  std::optional<Keys> keys;
  if (is_terminal && !arguments.is_once && !status->has_ended()) keys.emplace();
  const std::string help = keys && keys->are_read() ? "  keys: p pause, c continue, s stop the run\n" : "";
  for (auto next = Clock::now(); !is_interrupted;) {
    if (status->has_ended() || Clock::now() >= next) {
      const std::string table = values.text();
      screen.show(describe(*status, is_terminal ? "\n  " : "  ") + "\n" + table + (status->has_ended() ? "" : help),
                  status->has_ended());
      next = Clock::now() + std::chrono::duration_cast<Clock::duration>(interval);
    }
    if (status->has_ended() || arguments.is_once) return exit_code_of(*status);
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(kLook, interval));
    if (const auto request = keys ? keys->pressed() : std::nullopt) control_run(arguments.folder, *request);
    // A file that cannot be read for a moment has no news.
    if (auto news = look_at(arguments.folder)) {
      status = std::move(news);
    } else {
      status->process_state = state_of(status->process);
    }
  }
  return kDone;
}

}  // namespace tieline::cli
