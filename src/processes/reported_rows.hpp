#pragma once

#include "core/result.hpp"
#include "results/writer.hpp"
#include "transport/messages.hpp"

namespace tieline::processes {

/// Writes what another process has recorded. Refused where the results have no such table, or one of another width.
core::Result<void> write_reported_rows(results::ResultWriter& writer, const transport::Rows& rows);

}  // namespace tieline::processes
