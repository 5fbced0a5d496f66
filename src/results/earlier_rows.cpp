#include "results/earlier_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <system_error>

#include "results/reader.hpp"

namespace tieline::results {
namespace {

/// Times that differ by less than this share of them are one.
constexpr double kSameTime = 1e-12;
/// Rows are copied in blocks of about this size.
constexpr std::size_t kCopiedBytes = std::size_t{4} << 20;

core::Error does_not_fit(const std::filesystem::path& file, std::string_view why) {
  return {
      .code = core::ErrorCode::bad_input,
      .message = fmt::format("the results in '{}' are not those of the run of the checkpoint: {}", file.string(), why)};
}

core::Result<void> copy_rows(const ResultReader& reader, std::size_t table, RowRange range, core::RowSink& sink) {
  const std::size_t width = reader.tables()[table].columns.size() + 1;
  const std::size_t block = std::max<std::size_t>(1, kCopiedBytes / (width * sizeof(double)));
  for (std::size_t begin = range.begin; begin < range.end; begin += block) {
    const auto values = reader.read_rows(table, {begin, std::min(range.end, begin + block)});
    if (!values) return values.error();
    for (std::size_t i = 0; i + width <= values->size(); i += width) {
      sink.row((*values)[i], std::span<const double>(*values).subspan(i + 1, width - 1));
    }
  }
  return {};
}

}  // namespace

core::Result<void> take_earlier_rows(ResultWriter& writer, const std::filesystem::path& earlier_file,
                                     std::span<const TableRows> kept) {
  const auto reader = ResultReader::open(earlier_file);
  if (!reader) return reader.error();
  std::map<std::string, std::size_t> tables;
  for (std::size_t i = 0; i < reader->tables().size(); ++i) tables[reader->tables()[i].owner] = i;
  const std::vector<TableRows> present = writer.rows();
  if (present.size() != kept.size())
    return does_not_fit(earlier_file,
                        fmt::format("the run has {} tables, the checkpoint has {}", present.size(), kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto table = tables.find(kept[i].owner);
    if (present[i].owner != kept[i].owner || table == tables.end())
      return does_not_fit(earlier_file, fmt::format("table '{}' is not in both", kept[i].owner));
    const auto rows = reader->rows(table->second);
    if (!rows) return rows.error();
    if (*rows < kept[i].rows || present[i].rows > kept[i].rows) {
      return does_not_fit(earlier_file,
                          fmt::format("table '{}' contains {} rows, but {} were written before the checkpoint",
                                      kept[i].owner, *rows, kept[i].rows));
    }
    auto copied = copy_rows(*reader, table->second, {present[i].rows, kept[i].rows}, writer.sink(i));
    if (!copied) return copied;
  }
  return writer.flush();
}

core::Result<void> drop_later_rows(const std::filesystem::path& file, double time) {
  std::filesystem::path draft = file;
  draft += ".draft";
  {
    const auto reader = ResultReader::open(file);
    if (!reader) return reader.error();
    std::vector<TableDeclaration> tables;
    std::vector<TableRows> kept;
    for (std::size_t i = 0; i < reader->tables().size(); ++i) {
      const TableInfo& table = reader->tables()[i];
      const auto range =
          reader->rows_between(i, -std::numeric_limits<double>::infinity(), time + kSameTime * std::abs(time));
      if (!range) return range.error();
      tables.push_back({table.owner, table.columns});
      kept.push_back({table.owner, range->end});
    }
    auto writer = ResultWriter::create(draft, std::move(tables));
    if (!writer) return writer.error();
    if (auto taken = take_earlier_rows(**writer, file, kept); !taken) return taken;
    if (auto closed = (*writer)->close(); !closed) return closed;
  }
  std::error_code failed;
  std::filesystem::rename(draft, file, failed);
  if (!failed) return {};
  return core::Error{.code = core::ErrorCode::input_output,
                     .message = fmt::format("cannot replace '{}': {}", file.string(), failed.message())};
}

}  // namespace tieline::results
