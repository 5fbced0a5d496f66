#include "lines/row_clock.hpp"

#include <array>
#include <cmath>

namespace tieline::lines {
namespace {

// Times that differ by less than this share of the interval between rows are one time.
constexpr double kSameTimeShare = 1e-9;

}  // namespace

bool RowClock::is_due(double t, double interval, double& row_time) {
  if (rows_ == 0) first_row_time_ = t;
  const double wanted = first_row_time_ + static_cast<double>(rows_) * interval;
  const double rounding = kSameTimeShare * interval;
  if (t < wanted - rounding) return false;
  row_time = t <= wanted + rounding ? wanted : t;
  rows_ = interval > 0.0
              ? static_cast<std::int64_t>(std::floor((row_time - first_row_time_) / interval + kSameTimeShare)) + 1
              : 1;
  return true;
}

void write_row(const core::RecordPlan& plan, double row_time, std::span<const double> values) {
  std::array<double, 16> chosen{};
  for (std::size_t i = 0; i < plan.selected.size(); ++i) chosen[i] = values[static_cast<std::size_t>(plan.selected[i])];
  plan.sink->row(row_time, {chosen.data(), plan.selected.size()});
}

}  // namespace tieline::lines
