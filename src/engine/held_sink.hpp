#pragma once

#include <span>
#include <vector>

#include "core/recording.hpp"

namespace tieline::engine {

/// Holds rows back until it is sure that the step they come from counts. One thread at a time.
class HeldSink final : public core::RowSink {
 public:
  /// `target` must outlive it.
  explicit HeldSink(core::RowSink& target) : target_(&target) {}

  void row(double t, std::span<const double> values) override {
    rows_.push_back({t, values_.size(), values.size()});
    values_.insert(values_.end(), values.begin(), values.end());
  }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Forgets all rows but the first ones.
  void keep_first(std::size_t count) {
    if (count >= rows_.size()) return;
    values_.resize(rows_[count].first);
    rows_.resize(count);
  }
  /// Passes all rows on.
  void release() {
    for (const Row& row : rows_) target_->row(row.t, {values_.data() + row.first, row.count});
    rows_.clear();
    values_.clear();
  }

 private:
  struct Row {
    double t = 0.0;
    std::size_t first = 0, count = 0;
  };
  core::RowSink* target_;
  std::vector<Row> rows_;
  std::vector<double> values_;
};

}  // namespace tieline::engine
