#include "results/export_csv.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <system_error>

#include "results/atomic_file.hpp"
#include "results/table_cursor.hpp"

namespace tieline::results {
namespace {

/// Shared by the blocks of all tables [bytes].
constexpr std::size_t kBlockMemory = std::size_t{64} << 20;
constexpr std::size_t kLargestBlock = std::size_t{1} << 20;
/// A sample time that passes the last row by less than this part of a step is that row: j * step is rounded.
constexpr double kStepSlack = 1e-6;

/// The tables of an export, walked through together; writes rows.
class Export {
 public:
  Export(const ResultReader& reader, std::vector<Variable> variables, std::ostream& out)
      : variables_(std::move(variables)), out_(out) {
    std::vector<std::size_t> tables;
    for (const auto& variable : variables_)
      if (tables.empty() || tables.back() != variable.table) tables.push_back(variable.table);
    const std::size_t block = std::min(kLargestBlock, kBlockMemory / std::max<std::size_t>(1, tables.size()));
    cursor_of_.reserve(variables_.size());
    for (const auto& variable : variables_) {
      if (cursors_.empty() || tables[cursors_.size() - 1] != variable.table)
        cursors_.emplace_back(reader, variable.table, block);
      cursor_of_.push_back(cursors_.size() - 1);
    }
  }

  core::Result<void> start() {
    for (auto& cursor : cursors_)
      if (auto started = cursor.start(); !started) return started;
    return {};
  }

  void write_header() {
    line_ = "time";
    for (const auto& variable : variables_) line_.append(",").append(quoted(variable.name));
    end_line();
  }

  /// Every time of every table.
  core::Result<void> write_union() {
    while (out_) {
      double t = std::numeric_limits<double>::infinity();
      std::size_t sides = 0;
      for (const auto& cursor : cursors_) {
        if (cursor.is_at_end() || cursor.time() > t) continue;
        sides = cursor.time() < t ? cursor.sides() : std::max(sides, cursor.sides());
        t = cursor.time();
      }
      if (sides == 0) break;
      for (std::size_t side = 0; side < sides; ++side) write_row(t, side);
      for (auto& cursor : cursors_) {
        if (cursor.is_at_end() || cursor.time() != t) continue;
        if (auto moved = cursor.next(); !moved) return moved;
      }
    }
    return {};
  }

  core::Result<void> write_every(double step, double last) {
    double first = std::numeric_limits<double>::infinity();
    for (const auto& cursor : cursors_)
      if (!cursor.is_at_end()) first = std::min(first, cursor.time());
    for (std::uint64_t j = 0; out_; ++j) {
      double t = first + static_cast<double>(j) * step;
      if (t > last + kStepSlack * step || !std::isfinite(t)) break;
      t = std::min(t, last);
      for (auto& cursor : cursors_)
        while (!cursor.is_at_end() && cursor.time() < t)
          if (auto moved = cursor.next(); !moved) return moved;
      write_row(t, std::numeric_limits<std::size_t>::max());
    }
    return {};
  }

 private:
  static std::string quoted(const std::string& name) {
    if (name.find_first_of(",\"\n") == std::string::npos) return name;
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
  }

  void write_row(double t, std::size_t side) {
    line_.clear();
    fmt::format_to(std::back_inserter(line_), "{:.17g}", t);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const TableCursor& cursor = cursors_[cursor_of_[i]];
      line_ += ',';
      if (cursor.covers(t))
        fmt::format_to(std::back_inserter(line_), "{:.17g}", cursor.value(variables_[i].column, t, side));
    }
    end_line();
  }

  void end_line() {
    line_ += '\n';
    out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
  }

  std::vector<Variable> variables_;
  std::vector<TableCursor> cursors_{};
  std::vector<std::size_t> cursor_of_{};  ///< per variable
  std::ostream& out_;
  std::string line_{};
};

/// Latest time of the tables concerned.
core::Result<double> last_time(const ResultReader& reader, std::span<const Variable> variables) {
  double last = -std::numeric_limits<double>::infinity();
  std::size_t seen = std::numeric_limits<std::size_t>::max();
  for (const auto& variable : variables) {
    if (variable.table == seen) continue;
    seen = variable.table;
    const auto rows = reader.rows(seen);
    if (!rows) return rows.error();
    if (*rows == 0) continue;
    const auto row = reader.read_rows(seen, {*rows - 1, *rows});
    if (!row) return row.error();
    last = std::max(last, row->front());
  }
  return last;
}

}  // namespace

core::Result<void> export_csv(const ResultReader& reader, std::span<const std::string> patterns,
                              std::optional<double> step, std::ostream& out) {
  if (step && !(*step > 0.0 && std::isfinite(*step)))
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("the step must be greater than 0, not {}", *step)};
  auto variables = reader.select(patterns);
  if (!variables) return variables.error();
  const auto last = last_time(reader, *variables);
  if (!last) return last.error();
  Export work(reader, std::move(*variables), out);
  if (auto started = work.start(); !started) return started;
  work.write_header();
  auto written = step ? work.write_every(*step, *last) : work.write_union();
  if (written && !out.flush())
    return core::Error{.code = core::ErrorCode::input_output,
                       .message = "cannot write: " + std::generic_category().message(errno)};
  return written;
}

core::Result<void> export_csv(const ResultReader& reader, std::span<const std::string> patterns,
                              std::optional<double> step, const std::filesystem::path& file) {
  return replace_file(file, [&](const std::filesystem::path& temporary) -> core::Result<void> {
    std::ofstream out(temporary, std::ios::binary);
    auto exported = export_csv(reader, patterns, step, out);
    if (!exported && exported.error().code == core::ErrorCode::input_output)
      exported.error().message = fmt::format("'{}': {}", file.string(), exported.error().message);
    return exported;
  });
}

}  // namespace tieline::results
