#pragma once

#include <map>
#include <string>

#include "core/result.hpp"
#include "results/writer.hpp"
#include "transport/messages.hpp"

namespace tieline::processes {

/// Writes what other processes have recorded. One thread.
class ReportedRows {
 public:
  /// Refused where the results have no such table, or one of another width, or where a time is not a number or before
  /// that of the row above. (Two rows at one time are a jump.)
  core::Result<void> write(results::ResultWriter& writer, const transport::Rows& rows);

 private:
  std::map<std::string, double> last_;  ///< time of the last row of each table [s]
};

}  // namespace tieline::processes
