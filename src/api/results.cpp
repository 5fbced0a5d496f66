#include "tieline/results.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "tieline/program.hpp"

#include "api/errors.hpp"
#include "api/result_reader.hpp"
#include "report/plot_series.hpp"
#include "results/compare.hpp"
#include "results/export_csv.hpp"
#include "results/export_mat.hpp"
#include "results/run_report.hpp"
#include "results/writer.hpp"

namespace tieline {

namespace fs = std::filesystem;

static_assert(kResultFile == results::kResultFileName && kReportFile == results::kReportFileName);

Results::Impl::Impl(results::ResultReader opened) : reader(std::move(opened)) {
  for (const results::TableInfo& table : reader.tables()) {
    TableInfo& info = tables.emplace_back();
    info.owner = table.owner;
    for (const core::Column& column : table.columns) {
      info.variables.push_back({table.owner + "." + column.name, column.unit, table.owner, info.variables.size()});
    }
  }
}

namespace {

/// Place of an owner's table.
std::size_t table_of(const Results::Impl& impl, std::string_view owner) {
  const auto found = std::lower_bound(impl.tables.begin(), impl.tables.end(), owner,
                                      [](const TableInfo& table, std::string_view name) { return table.owner < name; });
  if (found != impl.tables.end() && found->owner == owner) {
    return static_cast<std::size_t>(found - impl.tables.begin());
  }
  std::vector<std::string> known;
  for (const TableInfo& table : impl.tables) known.push_back(table.owner);
  throw std::out_of_range(
      fmt::format("'{}' has no table '{}'{}", impl.reader.path().string(), owner, document::suggestion(owner, known)));
}

Series series_of(results::Series&& series) {
  return {std::move(series.name), std::move(series.unit), std::move(series.times), std::move(series.values)};
}

}  // namespace

std::optional<fs::path> result_source(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure) || path.extension() == ".h5") return path;
  if (path.filename() == kReportFile) return path.has_parent_path() ? path.parent_path() : fs::path(".");
  return std::nullopt;
}

Results::Results(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Results::Results(Results&&) noexcept = default;
Results& Results::operator=(Results&&) noexcept = default;
Results::~Results() = default;

Results Results::open(const fs::path& path) {
  return Results(
      std::make_unique<Impl>(api::or_file_error(results::ResultReader::open(result_source(path).value_or(path)))));
}

const fs::path& Results::path() const { return impl_->reader.path(); }
const std::vector<TableInfo>& Results::tables() const { return impl_->tables; }

void Results::verify() const { api::or_file_error(impl_->reader.verify()); }

std::vector<VariableInfo> Results::variables(std::span<const std::string> patterns) const {
  const auto selected = api::or_unknown(impl_->reader.select(patterns));
  std::vector<VariableInfo> variables;
  variables.reserve(selected.size());
  for (const results::Variable& variable : selected) {
    variables.push_back(impl_->tables[variable.table].variables[variable.column]);
  }
  return variables;
}

bool Results::has(const std::string& pattern) const { return impl_->reader.select(std::span(&pattern, 1)).has_value(); }

Series Results::read(std::string_view name) const {
  const auto variable = api::or_unknown(impl_->reader.find(name));
  return series_of(api::or_file_error(impl_->reader.read(variable.name)));
}

Series Results::read(std::string_view name, double first, double last) const {
  const auto variable = api::or_unknown(impl_->reader.find(name));
  return series_of(api::or_file_error(impl_->reader.read(variable.name, first, last)));
}

std::size_t Results::rows(std::string_view owner) const {
  return api::or_file_error(impl_->reader.rows(table_of(*impl_, owner)));
}

std::optional<TimeSpan> Results::span(std::string_view owner) const {
  const auto span = api::or_file_error(impl_->reader.span(table_of(*impl_, owner)));
  return span ? std::optional(TimeSpan{span->first, span->last}) : std::nullopt;
}

std::optional<ResultRow> Results::last_row(std::string_view owner) const {
  const std::size_t table = table_of(*impl_, owner);
  const std::size_t rows = api::or_file_error(impl_->reader.rows(table));
  if (rows == 0) return std::nullopt;
  const auto row = api::or_file_error(impl_->reader.read_rows(table, {rows - 1, rows}));
  if (row.empty()) return std::nullopt;
  return ResultRow{row.front(), {row.begin() + 1, row.end()}};
}

void Results::export_csv(const fs::path& file, const ExportOptions& options) const {
  (void)variables(options.variables);
  api::or_file_error(results::export_csv(impl_->reader, options.variables, options.step, writable_file(file)));
}

void Results::export_mat(const fs::path& file, const ExportOptions& options) const {
  (void)variables(options.variables);
  api::or_file_error(results::export_mat(impl_->reader, options.variables, options.step, writable_file(file)));
}

Comparison api::comparison_of(const results::Comparison& comparison) {
  Comparison result{.differences = {},
                    .only_in_a = comparison.only_in_a,
                    .only_in_b = comparison.only_in_b,
                    .same_span = comparison.same_span,
                    .table = results::comparison_table(comparison)};
  for (const results::Difference& d : comparison.differences) {
    result.differences.push_back(
        {d.name, d.other_name, d.unit, d.largest, d.largest_time, d.largest_value, d.relative, d.rms, d.begin, d.end});
  }
  return result;
}

Comparison compare(const Results& a, const Results& b, std::span<const std::string> patterns) {
  const auto comparison = api::or_unknown(results::compare(api::reader_of(a), api::reader_of(b), patterns));
  return api::comparison_of(comparison);
}

}  // namespace tieline

namespace tieline::api {

results::Series finite_part(const results::ResultReader& reader, const std::string& name, std::optional<double> from,
                            std::optional<double> to) {
  auto series = report::part_of(or_file_error(reader.read(name)), from, to);
  const auto is_bad = [](double value) { return !std::isfinite(value); };
  const auto bad = std::find_if(series.values.begin(), series.values.end(), is_bad);
  if (bad != series.values.end()) {
    throw std::out_of_range(fmt::format("'{}' is not a number at t = {:g} s", name,
                                        series.times[static_cast<std::size_t>(bad - series.values.begin())]));
  }
  return series;
}

}  // namespace tieline::api
