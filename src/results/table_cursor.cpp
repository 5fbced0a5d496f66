#include "results/table_cursor.hpp"

#include <algorithm>

namespace tieline::results {

TableCursor::TableCursor(const ResultReader& reader, std::size_t table, std::size_t block_bytes)
    : reader_(&reader),
      table_(table),
      width_(reader.tables()[table].columns.size() + 1),
      block_rows_(std::max<std::size_t>(1, block_bytes / (width_ * sizeof(double)))) {}

core::Result<void> TableCursor::start() {
  const auto rows = reader_->rows(table_);
  if (!rows) return rows.error();
  rows_ = *rows;
  return next();
}

core::Result<bool> TableCursor::load_row() {
  if (next_row_ >= rows_) return false;
  if (next_row_ >= block_start_ + block_.size() / width_) {
    auto block = reader_->read_rows(table_, {next_row_, std::min(rows_, next_row_ + block_rows_)});
    if (!block) return block.error();
    block_ = std::move(*block);
    block_start_ = next_row_;
  }
  row_ = std::span(block_).subspan((next_row_ - block_start_) * width_, width_);
  return true;
}

core::Result<void> TableCursor::next() {
  if (!group_.empty()) before_.assign(group_.end() - static_cast<std::ptrdiff_t>(width_), group_.end());
  group_.clear();
  while (true) {
    const auto is_there = load_row();
    if (!is_there) return is_there.error();
    if (!*is_there || (!group_.empty() && row_[0] != time_)) break;
    time_ = row_[0];
    group_.insert(group_.end(), row_.begin(), row_.end());
    ++next_row_;
  }
  is_at_end_ = group_.empty();
  return {};
}

double TableCursor::value(std::size_t column, double t, std::size_t side) const {
  if (t == time_) return group_[std::min(side, sides() - 1) * width_ + column + 1];
  const double fraction = (t - before_[0]) / (time_ - before_[0]);
  const double from = before_[column + 1];
  return from + fraction * (group_[column + 1] - from);
}

}  // namespace tieline::results
