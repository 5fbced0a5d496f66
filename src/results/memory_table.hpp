#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/recording.hpp"

namespace tieline::results {

/// A table kept in memory: for tests and for users of the library who want results without a file.
/// One thread at a time.
class MemoryTable final : public core::RowSink {
 public:
  explicit MemoryTable(std::vector<core::Column> columns) : columns_(std::move(columns)), values_(columns_.size()) {}

  void row(double t, std::span<const double> values) override;

  [[nodiscard]] const std::vector<core::Column>& columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return times_.size(); }
  [[nodiscard]] const std::vector<double>& times() const { return times_; }  ///< [s]
  [[nodiscard]] const std::vector<double>& column(std::size_t index) const { return values_.at(index); }

 private:
  std::vector<core::Column> columns_;
  std::vector<double> times_;
  std::vector<std::vector<double>> values_;  ///< one vector per column
};

}  // namespace tieline::results
