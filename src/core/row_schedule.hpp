#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/recording.hpp"

namespace tieline::core {

/// When a component writes rows of its table, and which of its columns.
///
/// `plan` before the start, `start(t0)`, then `write_until(t, fill)` after each step that ends at t. After a restored
/// snapshot `resume`, since the run that was saved may have recorded otherwise, or not at all. One thread at a time.
class RowSchedule {
 public:
  void plan(RecordPlan plan, std::size_t columns) {
    plan_ = std::move(plan);
    row_.resize(columns);
    selected_.resize(plan_.selected.size());
  }
  void start(double t0) {
    t0_ = t0;
    next_row_ = 0;
  }
  [[nodiscard]] bool is_idle() const { return is_mute_ || plan_.sink == nullptr || plan_.selected.empty(); }
  /// Writes nothing while it is mute: for steps that do not count.
  void mute(bool is_mute) { is_mute_ = is_mute; }
  [[nodiscard]] std::span<const int> selected() const { return plan_.selected; }

  /// Writes all rows that are due up to t; `fill(at, values)` puts all columns at the time `at` into `values`.
  template <class Fill>
  void write_until(double t, Fill&& fill) {
    if (is_idle()) return;
    if (plan_.interval <= 0.0) {
      write(t, t, fill);
      return;
    }
    for (;; ++next_row_) {
      const double row_time = t0_ + static_cast<double>(next_row_) * plan_.interval;
      // The last row may lie a rounding beyond the stop, and no more: its value is that at t.
      if (row_time > t + kRowRounding * std::abs(t)) return;
      write(row_time, std::min(row_time, t), fill);
    }
  }

  /// The steps up to `written_to` have been made, and their rows written.
  void resume(double t0, double written_to) {
    t0_ = t0;
    next_row_ = 0;
    // The first row is written with the first step.
    if (plan_.interval <= 0.0 || written_to == t0) return;
    const double end = written_to + kRowRounding * std::abs(written_to);
    next_row_ = static_cast<std::int64_t>(std::floor((end - t0_) / plan_.interval));
    while (t0_ + static_cast<double>(next_row_) * plan_.interval <= end) ++next_row_;
  }

 private:
  /// Roundings by which start + j * interval may miss the same time computed otherwise.
  static constexpr double kRowRounding = 8.0 * std::numeric_limits<double>::epsilon();

  template <class Fill>
  void write(double row_time, double at, Fill&& fill) {
    fill(at, std::span<double>(row_));
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      selected_[i] = row_[static_cast<std::size_t>(plan_.selected[i])];
    }
    plan_.sink->row(row_time, selected_);
  }

  RecordPlan plan_{};
  bool is_mute_ = false;
  double t0_ = 0.0;
  std::int64_t next_row_ = 0;
  std::vector<double> row_, selected_;
};

}  // namespace tieline::core
