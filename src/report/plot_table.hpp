#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/figure.hpp"
#include "results/csv_table.hpp"

namespace tieline::report {

/// The table of a parameter study: parameters, then `status`, then what came of each run.
struct StudyTable {
  const results::CsvTable* table = nullptr;  ///< not owned
  std::string label{};                       ///< distinguishes several tables
};

struct StudyPlot {
  std::vector<std::string> columns{};  ///< patterns of what is plotted
  std::string over{};                  ///< the parameter along x; empty: the first
  std::vector<double> slopes{};        ///< lines of these slopes, to compare the curves with on logarithmic axes
  bool is_log_x = false;
  bool is_log_y = false;
  std::string title{};
};

/// Columns over a parameter, a mark per run, a curve for each combination of the other parameters. Rows without a
/// number are left out. A column that no table has is an error with the nearest name.
core::Result<Figure> figure_of_tables(std::span<const StudyTable> tables, const StudyPlot& plot);

}  // namespace tieline::report
