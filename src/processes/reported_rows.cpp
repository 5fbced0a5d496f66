#include "processes/reported_rows.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>

namespace tieline::processes {
namespace {

core::Error refused(std::string message) { return {.code = core::ErrorCode::protocol, .message = std::move(message)}; }

}  // namespace

core::Result<void> ReportedRows::write(results::ResultWriter& writer, const transport::Rows& rows) {
  core::RowSink* const sink = writer.find_sink(rows.table);
  const std::size_t width = writer.width_of(rows.table) + 1;
  if (sink == nullptr || rows.width != width || rows.numbers.size() % width != 0) {
    return refused(
        fmt::format("sent rows of {} numbers for the table '{}', which does not expect them", rows.width, rows.table));
  }
  double& last = last_.try_emplace(rows.table, -std::numeric_limits<double>::infinity()).first->second;
  for (std::size_t i = 0; i < rows.numbers.size(); i += width) {
    const double time = rows.numbers[i];
    if (!std::isfinite(time))
      return refused(fmt::format("sent a row at t = {} s for the table '{}'", time, rows.table));
    if (time < last) {
      return refused(
          fmt::format("sent a row at t = {:.12g} s for the table '{}' after one at t = {:.12g} s; the times of "
                      "rows must ascend",
                      time, rows.table, last));
    }
    sink->row(time, std::span(rows.numbers).subspan(i + 1, width - 1));
    last = time;
  }
  return {};
}

}  // namespace tieline::processes
