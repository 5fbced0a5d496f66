#include "results/merged_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tieline::results {
namespace {

/// Shared by the blocks of all tables [bytes].
constexpr std::size_t kBlockMemory = std::size_t{64} << 20;
constexpr std::size_t kLargestBlock = std::size_t{1} << 20;
/// A sample time that passes the last row by less than this part of a step is that row: j * step is rounded.
constexpr double kStepSlack = 1e-6;

/// Latest time of the tables concerned.
core::Result<double> last_time(const ResultReader& reader, std::span<const Variable> variables) {
  double last = -std::numeric_limits<double>::infinity();
  std::size_t seen = std::numeric_limits<std::size_t>::max();
  for (const auto& variable : variables) {
    if (variable.table == seen) continue;
    seen = variable.table;
    const auto span = reader.span(seen);
    if (!span) return span.error();
    if (*span) last = std::max(last, (*span)->last);
  }
  return last;
}

}  // namespace

core::Result<MergedRows> MergedRows::open(const ResultReader& reader, std::span<const std::string> patterns) {
  auto variables = reader.select(patterns);
  if (!variables) return variables.error();
  const auto last = last_time(reader, *variables);
  if (!last) return last.error();
  MergedRows rows;
  rows.variables_ = std::move(*variables);
  rows.last_ = *last;
  rows.row_.resize(rows.variables_.size());
  std::vector<std::size_t> tables;
  for (const auto& variable : rows.variables_)
    if (tables.empty() || tables.back() != variable.table) tables.push_back(variable.table);
  const std::size_t block = std::min(kLargestBlock, kBlockMemory / std::max<std::size_t>(1, tables.size()));
  for (const auto& variable : rows.variables_) {
    if (rows.cursors_.empty() || tables[rows.cursors_.size() - 1] != variable.table)
      rows.cursors_.emplace_back(reader, variable.table, block);
    rows.cursor_of_.push_back(rows.cursors_.size() - 1);
  }
  for (auto& cursor : rows.cursors_)
    if (auto started = cursor.start(); !started) return started.error();
  return rows;
}

core::Result<void> MergedRows::walk(std::optional<double> step, const Emit& emit) {
  if (!step) return every_time(emit);
  if (!(*step > 0.0 && std::isfinite(*step)))
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("the step must be greater than 0, not {}", *step)};
  return every_step(*step, emit);
}

core::Result<void> MergedRows::every_time(const Emit& emit) {
  while (true) {
    double t = std::numeric_limits<double>::infinity();
    std::size_t sides = 0;
    for (const auto& cursor : cursors_) {
      if (cursor.is_at_end() || cursor.time() > t) continue;
      sides = cursor.time() < t ? cursor.sides() : std::max(sides, cursor.sides());
      t = cursor.time();
    }
    if (sides == 0) return {};
    for (std::size_t side = 0; side < sides; ++side)
      if (!emit_row(t, side, emit)) return {};
    for (auto& cursor : cursors_) {
      if (cursor.is_at_end() || cursor.time() != t) continue;
      if (auto moved = cursor.next(); !moved) return moved;
    }
  }
}

core::Result<void> MergedRows::every_step(double step, const Emit& emit) {
  double first = std::numeric_limits<double>::infinity();
  for (const auto& cursor : cursors_)
    if (!cursor.is_at_end()) first = std::min(first, cursor.time());
  for (std::uint64_t j = 0;; ++j) {
    double t = first + static_cast<double>(j) * step;
    if (t > last_ + kStepSlack * step || !std::isfinite(t)) return {};
    t = std::min(t, last_);
    for (auto& cursor : cursors_)
      while (!cursor.is_at_end() && cursor.time() < t)
        if (auto moved = cursor.next(); !moved) return moved;
    if (!emit_row(t, std::numeric_limits<std::size_t>::max(), emit)) return {};
  }
}

bool MergedRows::emit_row(double t, std::size_t side, const Emit& emit) {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const TableCursor& cursor = cursors_[cursor_of_[i]];
    row_[i] = cursor.covers(t) ? std::optional(cursor.value(variables_[i].column, t, side)) : std::nullopt;
  }
  return emit(t, row_);
}

}  // namespace tieline::results
