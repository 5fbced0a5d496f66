#include "processes/reported_rows.hpp"

#include <fmt/format.h>
#include <span>

namespace tieline::processes {

core::Result<void> write_reported_rows(results::ResultWriter& writer, const transport::Rows& rows) {
  core::RowSink* const sink = writer.find_sink(rows.table);
  const std::size_t width = writer.width_of(rows.table) + 1;
  if (sink == nullptr || rows.width != width || rows.numbers.size() % width != 0) {
    return core::Error{.code = core::ErrorCode::protocol,
                       .message = fmt::format("sent rows of {} numbers for the table '{}', which does not expect them",
                                              rows.width, rows.table)};
  }
  for (std::size_t i = 0; i < rows.numbers.size(); i += width) {
    sink->row(rows.numbers[i], std::span(rows.numbers).subspan(i + 1, width - 1));
  }
  return {};
}

}  // namespace tieline::processes
