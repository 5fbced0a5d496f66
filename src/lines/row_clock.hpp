#pragma once

#include <cstdint>
#include <span>

#include "core/recording.hpp"

namespace tieline::lines {

/// Which balances of a connection become rows: the first one at or after each wanted time.
class RowClock {
 public:
  void start() { *this = {}; }
  /// Whether the balance at t is a row, and at what time: the components' row time where the two agree.
  [[nodiscard]] bool is_due(double t, double interval, double& row_time);

 private:
  std::int64_t rows_ = 0;
  double first_row_time_ = 0.0;
};

/// Hands the selected values to the plan's sink.
void write_row(const core::RecordPlan& plan, double row_time, std::span<const double> values);

}  // namespace tieline::lines
