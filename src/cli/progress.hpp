#pragma once

#include <chrono>
#include <string>

#include "tieline/simulation.hpp"

namespace tieline::cli {

/// Shows the progress of a run: a bar on a terminal, a plain line now and then elsewhere.
class ProgressDisplay {
 public:
  /// `from`: where this run begins, which is later than the start where it was resumed [s].
  ProgressDisplay(double start, double from, double stop, bool is_quiet);
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const RunProgress& progress);
  /// Takes the bar off the terminal, so that what is printed next begins a line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  double start_;
  double from_;
  double stop_;
  bool is_quiet_;
  bool is_terminal_;
  bool has_drawn_ = false;
  Clock::time_point wall_start_ = Clock::now();
  Clock::time_point next_ = Clock::now();
};

/// Who is furthest behind, whom it waits for, and who waits for it.
[[nodiscard]] std::string describe_slowest(const RunProgress& progress);

/// "1 h 05 min", "12.3 s"
[[nodiscard]] std::string describe_seconds(double seconds);

}  // namespace tieline::cli
