#include "cli/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/console.hpp"

namespace tieline::cli {
namespace {

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kTerminalInterval{200};
constexpr std::chrono::seconds kPlainInterval{10};

}  // namespace

std::string describe_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1.0) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 100.0) return fmt::format("{:.1f} s", seconds);
  const auto minutes = static_cast<long>(seconds / 60.0);
  if (minutes < 60) return fmt::format("{} min {:02} s", minutes, static_cast<long>(seconds) % 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string describe_slowest(const RunProgress& progress) {
  if (!progress.waits_for.empty()) return fmt::format("{}, waits for {}", progress.slowest, progress.waits_for);
  if (progress.held_up.empty()) return progress.slowest;
  return fmt::format("{}; {} for it: {}", progress.slowest, progress.held_up.size() == 1 ? "waits" : "wait",
                     fmt::join(progress.held_up, ", "));
}

ProgressDisplay::ProgressDisplay(double start, double from, double stop, bool is_quiet)
    : start_(start), from_(from), stop_(stop), is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) != 0) {
  next_ =
      wall_start_ + (is_terminal_ ? std::chrono::duration_cast<Clock::duration>(kTerminalInterval) : kPlainInterval);
}

void ProgressDisplay::clear() {
  if (has_drawn_ && is_terminal_) print_error("\r\033[K");
  has_drawn_ = false;
}

void ProgressDisplay::show(const RunProgress& progress) {
  const auto now = Clock::now();
  if (is_quiet_ || now < next_) return;
  next_ = now + (is_terminal_ ? std::chrono::duration_cast<Clock::duration>(kTerminalInterval) : kPlainInterval);
  const double share = std::clamp((progress.time - start_) / (stop_ - start_), 0.0, 1.0);
  const double wall = std::chrono::duration<double>(now - wall_start_).count();
  const double speed = (progress.time - from_) / wall;
  const std::string left = speed > 0.0 ? describe_seconds((stop_ - progress.time) / speed) + " left" : "";
  if (is_terminal_) {
    const int filled = static_cast<int>(share * kBarWidth);
    print_error("\r\033[K[{:=<{}}{: <{}}] {:5.1f} %  t = {:.4g} s  {:.3g} s/s  {}  behind: {}", "", filled, "",
                kBarWidth - filled, 100.0 * share, progress.time, speed, left, describe_slowest(progress));
  } else {
    print_error("{:5.1f} %  t = {:.4g} s  speed {:.3g} s/s  {}  furthest behind: {}\n", 100.0 * share, progress.time,
                speed, left, describe_slowest(progress));
  }
  has_drawn_ = true;
}

}  // namespace tieline::cli
